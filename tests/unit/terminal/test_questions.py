"""Questions in the terminal: a prompt that only yes approves, and lines that were typed before it are kept."""

import io
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.service.request import Request
from assistant.core.service.requests.turns import BeginTurn, GiveAnswer
from assistant.host.texts import load_texts
from assistant.terminal.asking import TerminalRequests
from assistant.terminal.keyboard import Keyboard
from assistant.terminal.questions import prompt
from assistant.terminal.screen import Screen
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.terminal import FilesOnly, TypingLine

TEXTS = load_texts("en")
TURN = TurnId("turn")


def packet(it: pk.Packet) -> up.PacketEmitted:
    return up.PacketEmitted(conversation="a", turn=TURN, packet=it)


CONFIRM = pk.Ask(
    turn_index=0,
    question="q",
    kind=pk.CONFIRM_TOOL,
    text="May I run it?",
    choices=("yes", "no"),
    tool="delete_file",
    arguments={"path": "메모.txt"},
    within_s=30.0,
)
ASK = packet(CONFIRM)


class Desk:
    """A console whose engine only remembers; an answer ends the turn."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.screen = Screen(TEXTS, self.out)
        self.screen.conversation = "a"
        self.connection = RecordedConnection(self._answer)
        asking = TerminalRequests(self.connection, TypingLine(), self.screen)
        self.keyboard = Keyboard(asking, self.screen, TEXTS, FilesOnly(Path("unused")))

    def _answer(self, request: Request[Any]) -> object:
        if isinstance(request, BeginTurn | GiveAnswer):
            self.screen.show(packet(pk.Done(turn_index=0, finish="complete")))
        return None

    def reply(self, line: str) -> None:
        assert self.screen.question is not None
        if not self.keyboard.reply(line):
            self.keyboard.take(line)

    @property
    def choices(self) -> list[str]:
        return [each.choice for each in self.connection.sent if isinstance(each, GiveAnswer)]


@pytest.fixture
def desk() -> Desk:
    desk = Desk()
    desk.screen.expect_answer(TURN)
    desk.screen.show(ASK)
    return desk


def test_exactly_what_would_run_is_written(desk: Desk) -> None:
    written = desk.out.getvalue()
    assert "May I run it?" in written
    assert "file: 메모.txt" in written
    assert "30" in written


def test_a_long_argument_cannot_scroll_the_tool_away_and_is_whole_on_demand(desk: Desk) -> None:
    arguments = {"command": "rm -rf /\u202e\x1b[8m" + "가" * 6_600}
    desk.screen.show(packet(replace(CONFIRM, arguments=arguments)))
    written = desk.out.getvalue()
    assert len(written) < 1_500
    assert "rm -rf /\\u202e\\u001b[8m" in written
    assert "6,613" in written
    for whole in ("w", "/whole"):
        before = len(desk.out.getvalue())
        if whole == "w":
            assert desk.keyboard.reply(whole)
        else:
            desk.keyboard.take(whole)
        assert "rm -rf /\\u202e\\u001b[8m" + "가" * 6_600 in desk.out.getvalue()[before:]
    assert desk.connection.sent == []


@pytest.mark.parametrize(
    ("word", "choice"), [("a", "always"), ("항상", "always"), ("x", "no_to_all"), ("모두 거절", "no_to_all")]
)
def test_an_answer_may_cover_more_than_one_call_where_it_is_offered(desk: Desk, word: str, choice: str) -> None:
    wide = replace(CONFIRM, choices=("yes", "always", "no_to_all", "no"), scope="the server mail")
    desk.screen.show(packet(wide))
    assert "the server mail" in desk.out.getvalue()
    desk.reply(word)
    assert desk.choices == [choice]


@pytest.mark.parametrize("word", ["y", "YES", "네", "예", "응"])
def test_yes_approves_with_the_ids_of_turn_and_question(desk: Desk, word: str) -> None:
    desk.reply(word)
    assert desk.connection.sent == [GiveAnswer(turn=TURN, question="q", choice="yes")]


@pytest.mark.parametrize("word", ["", "n", "no", "아니요"])
def test_enter_alone_and_no_decline(desk: Desk, word: str) -> None:
    desk.reply(word)
    assert desk.choices == ["no"]


def test_a_message_instead_of_an_answer_is_sent_and_approves_nothing(desk: Desk) -> None:
    desk.reply("yes, but first tell me what it says")
    assert desk.connection.sent == [
        BeginTurn(turn=TurnId("1"), conversation="a", text="yes, but first tell me what it says")
    ]


def test_an_answer_that_comes_too_late_goes_nowhere(desk: Desk) -> None:
    desk.screen.show(packet(pk.Answered(turn_index=0, question="q", outcome="late")))
    desk.keyboard.reply("y")
    assert desk.connection.sent == []
    assert TEXTS("desktop.ask.outcome.late") in desk.out.getvalue()


def test_behind_the_usual_prompt_only_the_command_answers(desk: Desk) -> None:
    desk.keyboard.take("y")
    assert desk.connection.sent == [BeginTurn(turn=TurnId("1"), conversation="a", text="y")]
    desk.screen.show(ASK)
    desk.keyboard.take("/yes")
    assert desk.choices == ["yes"]
    desk.keyboard.take("/yes")
    assert desk.choices == ["yes"]
    assert TEXTS("console.ask_over") in desk.out.getvalue()


def test_who_is_not_waited_for_is_told_of_the_commands() -> None:
    desk = Desk()
    desk.screen.show(ASK)
    assert "/yes" in desk.out.getvalue()


WORDS = replace(
    CONFIRM,
    kind=pk.ASK_WORDS,
    text="odd asks: which\u202e colour?",
    choices=("text", "no"),
    options=("red", "blue\x1b[8m"),
    arguments={},
)
SKIPPABLE = replace(WORDS, choices=("text", "skip", "no"))


def answered(desk: Desk) -> list[tuple[str, str]]:
    return [(each.choice, each.text) for each in desk.connection.sent if isinstance(each, GiveAnswer)]


def test_a_question_for_words_is_written_with_its_options(desk: Desk) -> None:
    desk.screen.show(packet(WORDS))
    written = desk.out.getvalue()
    assert "odd asks: which\\u202e colour?" in written
    assert "1) red" in written
    assert "2) blue\\u001b[8m" in written
    assert prompt(desk.screen.asking, TEXTS).strip() == TEXTS("console.ask_words")


@pytest.mark.parametrize(
    ("ask", "line", "answer"),
    [
        (WORDS, "y", ("text", "y")),
        (WORDS, "no", ("text", "no")),
        (WORDS, "2", ("text", "2")),
        (WORDS, "/no", ("no", "")),
        (SKIPPABLE, "/skip", ("skip", "")),
        (SKIPPABLE, "", ("skip", "")),
    ],
)
def test_any_words_answer_it(desk: Desk, ask: pk.Ask, line: str, answer: tuple[str, str]) -> None:
    desk.screen.show(packet(ask))
    desk.reply(line)
    assert answered(desk) == [answer]


def test_an_empty_line_answers_nothing_that_must_be_answered(desk: Desk) -> None:
    desk.screen.show(packet(WORDS))
    desk.reply("")
    assert desk.connection.sent == []
    assert desk.screen.question is not None


def test_behind_the_usual_prompt_words_are_given_by_a_command() -> None:
    desk = Desk()
    desk.screen.show(packet(SKIPPABLE))
    assert "/answer" in desk.out.getvalue()
    for line in ("/yes", "/answer"):
        desk.keyboard.take(line)
    assert answered(desk) == []
    desk.keyboard.take("/answer dark red")
    desk.screen.show(packet(SKIPPABLE))
    desk.keyboard.take("/skip")
    assert answered(desk) == [("text", "dark red"), ("skip", "")]


def test_another_question_with_yes_or_no_shows_what_it_is_about(desk: Desk) -> None:
    ask = replace(WORDS, kind=pk.ASK_YES_NO, choices=("yes", "no"), options=(), arguments={"url": "https://a.kr"})
    desk.screen.show(packet(ask))
    assert "url: https://a.kr" in desk.out.getvalue()
    desk.reply("y")
    assert answered(desk) == [("yes", "")]
    desk.screen.show(packet(pk.Answered(turn_index=0, question="q", outcome="late")))
    assert TEXTS("desktop.words.outcome.late") in desk.out.getvalue()
