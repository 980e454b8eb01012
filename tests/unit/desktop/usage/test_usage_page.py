"""The use of models: charts of days, sums, and what is unknown is said to be unknown."""

from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from assistant.core.records.usage import Exchange
from assistant.core.service.requests.records import ListUsage
from assistant.desktop.usage.usage_page import ExchangeList, UsageCharts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

PRICED = Exchange(
    id="1",
    conversation="c",
    provider="openai",
    model="gpt",
    input=1_000,
    output=200,
    cached=None,
    total=None,
    first_token_ms=500.0,
    total_ms=2_000.0,
    requests=1,
    tool_calls=2,
    outcome="complete",
    cost=0.0125,
    at="2026-11-26T09:00:00+09:00",
    agent="default/sori",
)
UNPRICED = replace(PRICED, id="2", provider="mine", model="m", cost=None, at="2026-11-25T09:00:00+09:00", agent="")
UNCOUNTED = replace(PRICED, id="3", input=None, output=None, cost=None, at="2026-11-20T09:00:00+09:00")


def charts(qtbot: QtBot, *exchanges: Exchange) -> tuple[UsageCharts, RecordedConnection]:
    connection = RecordedConnection()
    made = UsageCharts(page_needs(connection), lambda: date(2026, 11, 26))
    qtbot.addWidget(made)
    made.show()
    connection.reply(ListUsage, exchanges)
    return made, connection


def words_of(made: UsageCharts) -> list[str]:
    return [each.text() for each in made.sums.findChildren(QLabel)]


def test_each_day_has_its_bar_and_its_words(qtbot: QtBot) -> None:
    made, _ = charts(qtbot, UNPRICED, PRICED)
    assert len(made.tokens.bars) == 30
    assert [sum(each.parts) for each in made.tokens.bars[-2:]] == [1_200, 1_200]
    assert made.tokens.bars[-1].words == "2026-11-26: 토큰 1,200개"
    assert [sum(each.parts) for each in made.cost.bars[-2:]] == [0, 0.0125]
    assert made.tokens.accessibleDescription() == "2026-11-25: 토큰 1,200개\n2026-11-26: 토큰 1,200개"
    assert made.tokens.place(29).height() == made.tokens.place(28).height() > made.tokens.place(3).height() == 0
    assert not made.tokens.grab().isNull()


@pytest.mark.parametrize(
    ("exchanges", "whole", "note"),
    [
        ((PRICED,), "1번 · 토큰 1,200개 · $0.0125", ""),
        ((UNPRICED,), "1번 · 토큰 1,200개 · 비용 모름", "1번은 가격을 몰라"),
        ((PRICED, UNPRICED), "2번 · 토큰 2,400개 · $0.0125+", "1번은 가격을 몰라"),
        ((UNCOUNTED,), "1번 · 토큰 수 모름 · 비용 모름", "1번은 서버가 토큰 수를"),
        ((PRICED, UNCOUNTED), "2번 · 토큰 1,200+개 · $0.0125+", "1번은 서버가 토큰 수를"),
        ((replace(PRICED, cost=0.0),), "1번 · 토큰 1,200개 · $0", ""),
    ],
)
def test_what_is_unknown_is_never_a_zero(qtbot: QtBot, exchanges: tuple[Exchange, ...], whole: str, note: str) -> None:
    made, _ = charts(qtbot, *exchanges)
    assert made.whole.text() == whole
    assert note in made.note.text()
    assert bool(made.note.text()) is bool(note)


def test_the_use_is_divided_by_model_provider_or_agent(qtbot: QtBot) -> None:
    made, connection = charts(qtbot, UNPRICED, PRICED)
    assert words_of(made)[::2] == ["m · mine", "gpt · openai"]
    made.key.choose("agent")
    connection.reply(ListUsage, (UNPRICED, PRICED))
    assert words_of(made)[-4::2] == ["지워진 대화", "default/sori"]


def test_another_time_is_asked_for(qtbot: QtBot) -> None:
    made, connection = charts(qtbot, PRICED)
    made.days.choose("7")
    asked = connection.sent[-1]
    assert isinstance(asked, ListUsage)
    assert asked.since.startswith("2026-11-20T00:00")
    connection.reply(ListUsage, ())
    assert made.empty.isVisible()
    assert not made.tokens.isVisible()


def test_every_exchange_is_in_a_list(qtbot: QtBot) -> None:
    connection = RecordedConnection()
    made = ExchangeList(page_needs(connection))
    qtbot.addWidget(made)
    connection.reply(ListUsage, (UNCOUNTED, UNPRICED, replace(PRICED, outcome="network")))
    assert [(each.key, each.problem) for each in made.list.model.rows] == [("1", True), ("2", False), ("3", False)]
    made.list.choose("3")
    assert "토큰 수 모름" in made.list.words.toPlainText()
    made.kind.choose("mine")
    assert [each.key for each in made.list.model.rows] == ["2"]
