"""The page of privacy: what left, what is kept and how it is erased, what is on."""

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from assistant.core.configuration.catalogue import Kind
from assistant.core.records.egress import DataClass, Egress
from assistant.core.service.request import Request
from assistant.core.service.requests.kept import EraseKept, KeptData, KeptKind, ListKept
from assistant.core.service.requests.records import ListEgress
from assistant.core.service.requests.settings import ListSettings, SettingShown, SettingsList
from assistant.core.service.requests.voice import SetMuted
from assistant.core.setting_declaration import Acts
from assistant.core.settings import Language
from assistant.core.updates import ModelChosen, VoiceAvailable
from assistant.desktop.privacy.kept_list import KeptList
from assistant.desktop.privacy.left_list import LeftList
from assistant.desktop.privacy.what_is_on import WhatIsOn
from assistant.desktop.records.records_part import PAGE_ROWS
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs


def egress(number: int, purpose: str = "answer", **values: Any) -> Egress:
    return Egress(
        number=number,
        destination="https://api.example.com:443",
        local=False,
        purpose=purpose,
        provider="mine",
        size=2048,
        data=(DataClass.CONVERSATION, DataClass.FACTS),
        at="2026-11-26T07:00:00+09:00",
        **values,
    )


def left(qtbot: QtBot, *found: Egress) -> tuple[LeftList, RecordedConnection]:
    connection = RecordedConnection()
    made = LeftList(page_needs(connection))
    qtbot.addWidget(made)
    made.show()
    connection.reply(ListEgress, found)
    return made, connection


def test_what_left_is_told_with_receiver_purpose_data_size_and_shape(qtbot: QtBot) -> None:
    made, _ = left(qtbot, egress(1, shape="POST /v1/chat/completions; messages: 14 items"))
    made.list.choose("1")
    told = made.list.words.toPlainText()
    for words in (
        "https://api.example.com:443",
        "답변",
        "mine",
        "대화, 사용자에 대한 기억",
        "2.0 kB",
        "messages: 14 items",
    ):
        assert words in told


def test_further_pages_are_asked_for_from_the_oldest_entry(qtbot: QtBot) -> None:
    made, connection = left(qtbot, *(egress(each) for each in range(301, 301 + PAGE_ROWS)))
    made.search("example")
    assert connection.sent[-1] == ListEgress(limit=PAGE_ROWS, before=301)
    connection.reply(ListEgress, tuple(egress(each) for each in range(1, 101)))
    assert len(made.list.model.rows) == PAGE_ROWS + 100
    assert [made.list.model.rows[0].key, made.list.model.rows[-1].key] == ["500", "1"]


def test_entries_are_left_out_by_their_purpose(qtbot: QtBot) -> None:
    made, _ = left(qtbot, egress(1), egress(2, "web_search"), egress(3, "a_new_purpose"))
    made.kind.choose("web_search")
    assert [each.key for each in made.list.model.rows] == ["2"]
    made.kind.choose("")
    assert [each.key for each in made.list.model.rows] == ["3", "2", "1"]


def test_what_stayed_here_is_shown_only_when_it_is_wanted(qtbot: QtBot) -> None:
    made, connection = left(qtbot)
    assert made.list.empty.text() == "이 컴퓨터에서 나간 것이 없어요."
    made.local.setChecked(True)
    assert connection.sent[-1] == ListEgress(local=True, limit=PAGE_ROWS)


KEPT = (
    KeptData(kind=KeptKind.CONVERSATIONS, count=312, size=4_200_000, place="/home/mina/sori.db"),
    KeptData(kind=KeptKind.NOTES, count=0, size=0, place="/home/mina/notes"),
    KeptData(kind=KeptKind.LOGS, count=2, size=900, place="/home/mina/logs"),
    KeptData(kind=KeptKind.MODELS, count=9, size=1_200_000_000, place="/home/mina/models", erasable=False),
)


def kept(qtbot: QtBot) -> tuple[KeptList, RecordedConnection, list[str]]:
    connection, pages = RecordedConnection(), list[str]()
    made = KeptList(page_needs(connection, show=pages.append))
    qtbot.addWidget(made)
    made.show()
    connection.reply(ListKept, KEPT)
    return made, connection, pages


def test_nothing_is_erased_before_a_yes(qtbot: QtBot) -> None:
    made, connection, _ = kept(qtbot)
    made.list.choose(KeptKind.CONVERSATIONS)
    made.list.buttons["erase"].click()
    assert "312개" in made.told.words.text()
    assert not any(isinstance(each, EraseKept) for each in connection.sent)
    made.told.yes.click()
    assert connection.sent[-1] == EraseKept(kinds=(KeptKind.CONVERSATIONS,))
    connection.reply(EraseKept, KEPT[1:])
    assert made.told.words.text() == "지웠어요."
    assert [each.key for each in made.list.model.rows] == ["notes", "logs", "models"]


def test_everything_is_asked_for_by_its_names(qtbot: QtBot) -> None:
    made, connection, _ = kept(qtbot)
    made.erase_all.click()
    assert made.told.words.text().endswith("대화와 첨부 파일, 로그")
    made.told.no.click()
    assert connection.sent == [ListKept()]
    made.erase_all.click()
    made.told.yes.click()
    assert connection.sent[-1] == EraseKept()


@pytest.mark.parametrize(
    ("kind", "erasable"), [(KeptKind.NOTES, False), (KeptKind.LOGS, True), (KeptKind.MODELS, False)]
)
def test_only_what_is_there_and_may_go_can_be_erased(qtbot: QtBot, kind: KeptKind, erasable: bool) -> None:
    made, _, _ = kept(qtbot)
    made.list.choose(kind)
    assert made.list.buttons["erase"].isVisible() is erasable


def test_a_kind_is_shown_on_its_page(qtbot: QtBot) -> None:
    made, _, pages = kept(qtbot)
    made.list.choose(KeptKind.MODELS)
    made.list.buttons["show"].click()
    assert pages == ["models"]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_kind_has_its_words(language: Language) -> None:
    texts = load_texts(language)
    for part in ("kind", "help"):
        assert len({texts(f"desktop.kept_data.{part}.{kind}") for kind in KeptKind}) == len(KeptKind)


def available(*, muted: bool, microphone: str = "Built-in") -> VoiceAvailable:
    return VoiceAvailable(
        microphone=microphone, microphone_reason="", speaker="", speaker_reason="", muted=muted, called="Hey Jarvis"
    )


def test_the_microphone_is_told_and_turned_off(qtbot: QtBot) -> None:
    connection = RecordedConnection(lambda request: _nothing(request))
    made = WhatIsOn(page_needs(connection))
    qtbot.addWidget(made)
    made.show_update(available(muted=False))
    assert made.rows["microphone"].standing.text().startswith("켜짐 · Built-in")
    made.mute.click()
    assert connection.sent[-1] == SetMuted(muted=True)
    made.show_update(available(muted=True))
    assert made.rows["microphone"].standing.text().startswith("꺼짐")
    made.show_update(available(muted=False, microphone=""))
    assert made.rows["microphone"].standing.text() == "마이크가 없어요."


def test_a_model_elsewhere_is_told_to_get_the_conversations(qtbot: QtBot) -> None:
    made = WhatIsOn(page_needs(RecordedConnection()))
    qtbot.addWidget(made)
    made.show_update(ModelChosen(provider="openai", model="gpt", placeholder=False))
    assert "이 서버로 보내요" in made.rows["model"].standing.text()
    made.show_update(ModelChosen(provider="embedded", model="qwen", placeholder=False))
    assert "밖으로 나가지 않아요" in made.rows["model"].standing.text()


def setting(name: str, value: str) -> SettingShown:
    """A setting of which nothing but its value counts."""
    words = dict.fromkeys(("section", "title", "help", "elsewhere", "trouble"), "")
    nothing = dict.fromkeys(("refers", "unit", "longest", "low", "high"))
    flags = dict.fromkeys(("secret", "tool", "leaves", "travels", "expert"), False)
    facts = {"kind": Kind.TEXT, "acts": Acts.RESTART, "choices": (), "choice_titles": ()}
    return SettingShown(name=name, value=value, in_force=value, default="", **words, **nothing, **flags, **facts)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("meanings", "index", "words"),
    [
        ("", "", "이 컴퓨터에서 찾아요"),
        ("mine/bge-m3", "", "mine/bge-m3. 파일의 글과"),
        ("", "postgresql://u@db/sori", "db. 파일의 글과"),
    ],
)
def test_a_server_that_finds_files_is_told_to_get_their_texts(
    qtbot: QtBot, meanings: str, index: str, words: str
) -> None:
    made = WhatIsOn(page_needs(connection := RecordedConnection()))
    qtbot.addWidget(made)
    values = {"files.meanings": meanings, "files.index": index}
    connection.reply(ListSettings, SettingsList(settings=tuple(setting(*each) for each in values.items()), fault=None))
    assert made.rows["files"].standing.text().startswith(words)


def _nothing(_: Request[Any]) -> None:
    return None
