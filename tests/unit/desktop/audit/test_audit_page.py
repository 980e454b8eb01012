"""The audit of tools: who asked, what, what was decided, how it ended."""

import pytest
from pytestqt.qtbot import QtBot

from assistant.core.records.audit import HTTP, AuditedCall, AuditedEnd, StoredCall
from assistant.core.service.requests.conversations import OpenConversation
from assistant.core.service.requests.records import ListCalls
from assistant.desktop.audit.audit_page import CallList
from assistant.desktop.records.records_part import PAGE_ROWS
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs


def call(number: int, tool: str = "run_command", outcome: str = "done", **values: str) -> StoredCall:
    given = {"arguments": '{"command": "rm -r build"}', "decision": "ask", "answer": "yes", "category": "dangerous"}
    known = {"conversation": "c", "turn": "t", "digest": "ab12", **given, **values}
    end = AuditedEnd(outcome=outcome, result="ok", took_ms=1_500) if outcome else None
    return StoredCall(id=number, at="2026-11-26T07:00:00+09:00", call=AuditedCall(tool=tool, **known), end=end)


def shown(qtbot: QtBot, *calls: StoredCall) -> tuple[CallList, RecordedConnection]:
    connection = RecordedConnection()
    made = CallList(page_needs(connection))
    qtbot.addWidget(made)
    made.show()
    connection.reply(ListCalls, calls)
    return made, connection


def test_a_call_is_told_as_a_person_reads_it(qtbot: QtBot) -> None:
    made, connection = shown(qtbot, call(7))
    (row,) = made.list.model.rows
    assert row.title == "셸 명령 실행하기: command: rm -r build"
    assert row.detail == "물어봄, 허락 · 실행됨"
    made.list.choose("7")
    told = made.list.words.toPlainText()
    for words in ("run_command", "command: rm -r build", "물어봄, 허락", "1.50 s", "ok", "ab12", "시킨 곳: 대화"):
        assert words in told
    made.list.buttons["open"].click()
    assert connection.sent[-1] == OpenConversation(conversation="c")


@pytest.mark.parametrize(
    ("arguments", "title"),
    [
        ('{"query": "날씨"}', "query: 날씨"),
        ('{"minutes": 5, "name": "라면"}', "minutes: 5, name: 라면"),
        ("{}", ""),
        ("", ""),
        ("no JSON", "no JSON"),
        ('["a"]', '["a"]'),
        ('{"deep": {"a": [1]}}', 'deep: {"a": [1]}'),
        ('{"on": true}', "on: true"),
        ('{"none": null}', "none: null"),
        ('{"text": "두 줄\\n이에요"}', "text: 두 줄\n이에요"),
    ],
)
def test_arguments_are_read_without_the_signs_of_json(qtbot: QtBot, arguments: str, title: str) -> None:
    made, _ = shown(qtbot, call(1, arguments=arguments))
    assert made.list.model.rows[0].title.removeprefix("셸 명령 실행하기").removeprefix(": ") == title


def test_calls_are_left_out_by_their_end_and_found_by_words(qtbot: QtBot) -> None:
    made, _ = shown(qtbot, call(1), call(2, outcome="failed"), call(3, outcome="refused"), call(4, outcome=""))
    assert [each.key for each in made.list.model.rows] == ["4", "3", "2", "1"]
    made.kind.choose("failed")
    assert [(each.key, each.problem) for each in made.list.model.rows] == [("2", True)]
    made.kind.choose("open")
    assert [each.key for each in made.list.model.rows] == ["4"]
    made.kind.choose("")
    made.search("run_command")
    assert len(made.list.model.rows) == 4


def test_calls_of_other_programs_are_asked_for(qtbot: QtBot) -> None:
    made, connection = shown(qtbot)
    made.http.setChecked(True)
    assert connection.sent[-1] == ListCalls(limit=PAGE_ROWS, http=True)
    connection.reply(ListCalls, (call(1, "GET /v1/models", conversation="", category=HTTP),))
    made.list.choose("1")
    assert "다른 프로그램" in made.list.words.toPlainText()
    assert not made.list.buttons["open"].isVisible()
