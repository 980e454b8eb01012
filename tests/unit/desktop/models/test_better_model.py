"""The card that offers a better model: told once, taken with one button, gone when it is settled."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from assistant.core.service.requests.engine import FirstRunStanding, ShowFirstRun
from assistant.core.service.requests.models import AdoptModel, SuggestModel
from assistant.core.service.requests.settings import SetSetting
from assistant.core.updates import ConversationOpened, ModelSuggested, Suggestion
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

BIG = Suggestion(
    reference="embedded/qwen3-4b",
    title="Qwen3 4B",
    size=2_497_280_256,
    licence="Apache-2.0",
    tokens_per_s=5.4,
    to_fetch=True,
)
SERVER = Suggestion(reference="ollama/qwen3:8b", title="qwen3:8b", provider="ollama")


def test_a_start_page_asks_for_a_suggestion_only_where_the_first_run_is_over(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.pages.begin_first_run()
    connection.reply(ShowFirstRun, FirstRunStanding(step="model"))
    assert SuggestModel() not in connection.sent
    window.pages.begin_first_run()
    connection.reply(ShowFirstRun, FirstRunStanding(over=True))
    assert SuggestModel() in connection.sent
    connection.reply(SuggestModel, None)
    assert window.better.isHidden()


@pytest.mark.parametrize(
    ("language", "suggestion", "words", "facts", "button"),
    [
        ("ko", BIG, "Qwen3 4B", "2.5 GB · Apache-2.0 · 초당 5토큰쯤", "더 똑똑한 모델 받기"),
        ("en", BIG, "Qwen3 4B", "2.5 GB · Apache-2.0 · about 5 tokens a second", "Get a smarter model"),
        ("ko", replace(BIG, tokens_per_s=None), "Qwen3 4B", "2.5 GB · Apache-2.0", "더 똑똑한 모델 받기"),
        ("en", replace(BIG, to_fetch=False), "Qwen3 4B", "2.5 GB", "Use the smarter model"),
        ("ko", SERVER, "ollama", "이 컴퓨터 안에서만 답해요", "이 모델 쓰기"),
        ("en", SERVER, "qwen3:8b", "It answers on this computer alone", "Use this model"),
    ],
)
def test_size_and_licence_are_told_before_anything_is_fetched(
    make_window: Callable[[str], MainWindow],
    connection: RecordedConnection,
    language: str,
    suggestion: Suggestion,
    words: str,
    facts: str,
    button: str,
) -> None:
    window = make_window(language)
    window.show_update(ConversationOpened(conversation="a", messages=()))
    window.show_update(ModelSuggested(suggestion=suggestion))
    card = window.better
    assert card.isVisible()
    assert words in card.words.text()
    assert facts in card.facts.text()
    assert card.take.text() == button
    assert not [each for each in connection.sent if isinstance(each, AdoptModel)]
    card.take.click()
    assert connection.sent.count(AdoptModel(model=suggestion.reference)) == 1
    connection.reply(AdoptModel, None)
    assert card.take.isHidden()
    assert suggestion.title in card.words.text()


def test_it_can_be_put_away_or_turned_off_for_good(window: MainWindow, connection: RecordedConnection) -> None:
    window.show_update(ModelSuggested(suggestion=BIG))
    window.better.later.click()
    assert window.better.isHidden()
    window.show_update(ModelSuggested(suggestion=BIG))
    window.better.never.click()
    assert window.better.isHidden()
    assert SetSetting(name="llm.suggest_better", value=False) in connection.sent
