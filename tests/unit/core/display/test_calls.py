"""Calls of tools as a person reads them."""

from typing import Any

import pytest

from assistant.core.display.calls import argument_lines, brief_call, done_words, tool_title
from assistant.host.texts import load_texts

KO, EN = load_texts("ko"), load_texts("en")
MAIL = "mcp_gmail_send_email"
CALLS: list[tuple[str, dict[str, Any], str, str]] = [
    ("set_timer", {"minutes": 5, "name": "라면"}, "분: 5\n이름: 라면", "minutes: 5\nname: 라면"),
    ("set_timer", {"hours": 1.5}, "시간: 1.5", "hours: 1.5"),
    ("set_alarm", {"when": "내일 7시", "what": None}, "언제: 내일 7시", "when: 내일 7시"),
    (
        "set_alarm",
        {"when": "7", "except_on": ["1월 1일", "설날"]},
        "언제: 7\n빼는 날: 1월 1일\n설날",
        "when: 7\nexcept on: 1월 1일\n설날",
    ),
    ("cancel_alarms", {"all_alarms": True}, "모두: 네", "all: yes"),
    ("read_file", {"path": "/home/나/일기.txt"}, "파일: /home/나/일기.txt", "file: /home/나/일기.txt"),
    ("run_command", {"command": "rm -r a\nls"}, "명령: rm -r a\nls", "command: rm -r a\nls"),
    ("write_clipboard", {"text": "a\u202eb\u200b"}, "글: a\\u202eb\\u200b", "text: a\\u202eb\\u200b"),
    ("list_notes", {}, "", ""),
    (
        MAIL,
        {"to": "어머니", "subject": "저녁", "body": "곧 가요"},
        "받는 사람: 어머니\n제목: 저녁\n내용: 곧 가요",
        "to: 어머니\nsubject: 저녁\ntext: 곧 가요",
    ),
    (MAIL, {"to": ["a@b.c", "d@e.f"]}, "받는 사람: a@b.c\nd@e.f", "to: a@b.c\nd@e.f"),
    ("mcp_x_move", {"filePath": "a", "destination": "b"}, "파일: a\n옮길 자리: b", "file: a\nto: b"),
    ("mcp_x_pay", {"amount": 10, "dry_run": False}, "금액: 10\ndry run: 아니요", "amount: 10\ndry run: no"),
    (
        "mcp_x_pay",
        {"amount": 1234567.0, "rate": 12345.5},
        "금액: 1,234,567\nrate: 12345.5",
        "amount: 1,234,567\nrate: 12345.5",
    ),
    ("mcp_x_pay", {"amount": -10_000, "year": 2026}, "금액: -10,000\nyear: 2026", "amount: -10,000\nyear: 2026"),
    ("mcp_x_odd", {"zork_level": 3, "empty": "", "none": []}, "zork level: 3", "zork level: 3"),
    ("mcp_x_nested", {"message": {"to": "a", "text": "b"}}, "내용: 받는 사람: a\n글: b", "text: to: a\ntext: b"),
    ("mcp_x_deep", {"input": [{"a": 1}]}, '입력: [{"a": 1}]', 'input: [{"a": 1}]'),
    ("mcp_x_evil", {"a\u202eb": "c"}, "a\\u202eb: c", "a\\u202eb: c"),
]


@pytest.mark.parametrize(("tool", "arguments", "korean", "english"), CALLS)
def test_arguments_are_told_by_their_names_in_the_users_language(
    tool: str, arguments: dict[str, Any], korean: str, english: str
) -> None:
    for texts, expected in ((KO, korean), (EN, english)):
        assert "\n".join(f"{label}: {value}" for label, value in argument_lines(texts, tool, arguments)) == expected


def test_a_long_text_is_cut_with_its_length_and_shown_whole_when_wanted() -> None:
    text = "처음 " + "가" * 5000 + " 끝"
    ((_, cut),) = argument_lines(KO, "create_note", {"text": text})
    ((_, whole),) = argument_lines(KO, "create_note", {"text": text}, whole=True)
    assert "5,005" in cut
    assert len(cut) < 400
    assert whole == text


@pytest.mark.parametrize(
    ("tool", "server", "korean", "english"),
    [
        ("set_timer", "", "타이머 맞추기", "Set a timer"),
        (MAIL, "gmail", "send email", "send email"),
        ("mcp_my_files_read", "My Files", "read", "read"),
        ("mcp_gmail_send_email", "", "gmail send email", "gmail send email"),
        ("mcp_x_a\u202eb", "x", "a\\u202eb", "a\\u202eb"),
    ],
)
def test_a_tool_has_a_name_in_the_users_language_or_its_own_without_the_servers(
    tool: str, server: str, korean: str, english: str
) -> None:
    assert tool_title(KO, tool, server) == korean
    assert tool_title(EN, tool, server).casefold() == english.casefold()


@pytest.mark.parametrize(
    ("tool", "arguments", "korean"),
    [
        ("set_timer", {"minutes": 5, "name": "라면"}, "5분 · 라면"),
        ("set_timer", {"hours": 1, "minutes": 30}, "1시간 · 30분"),
        ("set_timer", {"seconds": "45"}, "45초"),
        ("set_timer", {"minutes": True}, "분 네"),
        ("set_volume", {"percent": 40}, "음량 40%"),
        ("web_search", {"query": "오늘 날씨", "count": 3}, "오늘 날씨 · 개수 3"),
        ("set_volume", {"percent": "30"}, "음량 30%"),
        ("cancel_timers", {"all_timers": True}, "모두 네"),
        ("list_notes", {}, ""),
        ("create_note", {"title": "장보기", "text": "우유\n빵"}, "장보기 · 우유 빵"),
        ("mcp_x_y", {"a": "1", "b": "2", "c": "3", "d": "4"}, "a 1 · b 2 · c 3 …"),
    ],
)
def test_one_line_tells_what_was_done_with_what(tool: str, arguments: dict[str, Any], korean: str) -> None:
    assert brief_call(KO, tool, arguments) == korean


def test_what_was_done_is_told_in_the_users_language() -> None:
    assert done_words(KO, "set_timer") == "타이머를 맞췄어요"
    assert done_words(EN, "set_timer") == "Set a timer"
    assert done_words(KO, MAIL) == "gmail send email: 썼어요"
