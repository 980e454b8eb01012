"""Editing, answering anew, branching and showing versions, before an engine that replies at once."""

import asyncio
import io
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.service.request import Request
from assistant.core.service.requests.conversations import (
    BranchConversation,
    ListVersions,
    LoadMessages,
    MessagePage,
    ShowVersion,
)
from assistant.core.service.requests.turns import AnswerAgain, EditMessage
from assistant.host.texts import load_texts
from assistant.terminal.asking import TerminalRequests
from assistant.terminal.reading import Reading
from assistant.terminal.screen import Screen
from assistant.terminal.versions import NAMES, VersionCommands
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.terminal import TypingLine

TURN = TurnId("1")
TEXTS = load_texts("en")
MESSAGES = (
    Message(id="q1", role=Role.USER, text="One?"),
    Message(id="a1", role=Role.ASSISTANT, text="First."),
    Message(id="q2", role=Role.USER, text="Two?"),
    Message(id="a2", role=Role.ASSISTANT, text="Second."),
)


class Desk:
    def __init__(self) -> None:
        self.out = io.StringIO()
        self.screen = Screen(TEXTS, self.out)
        self.line = TypingLine()
        self.connection = RecordedConnection(self._answer)
        asking = TerminalRequests(self.connection, self.line, self.screen)
        self.reading = Reading(asking, lambda: self.screen.conversation)
        self.messages: tuple[Message, ...] = MESSAGES
        self.versions: tuple[Message, ...] = ()
        self.commands = VersionCommands(asking, self.screen, self.reading, self.line, TEXTS)
        self.screen.conversation = "a"

    def _answer(self, request: Request[Any]) -> object:
        match request:
            case LoadMessages():
                return MessagePage(messages=self.messages)
            case ListVersions():
                return self.versions
            case _:
                return "b"

    @property
    def sent(self) -> list[Request[Any]]:
        return [each for each in self.connection.sent if not isinstance(each, LoadMessages | ListVersions)]

    async def lines(self, line: str) -> list[str]:
        """What a line writes."""
        before = len(self.out.getvalue())
        name, _, argument = line.partition(" ")
        assert name in NAMES
        await self.commands.obey(name, argument)
        return self.out.getvalue()[before:].splitlines()


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.mark.parametrize(("model", "reference"), [("", ""), (" mine/big", "mine/big"), (" auto", "")])
async def test_the_last_answer_is_made_anew_also_by_another_model(desk: Desk, model: str, reference: str) -> None:
    assert await desk.lines(f"/regenerate{model}") == []
    assert desk.sent == [AnswerAgain(turn=TURN, conversation="a", message="a2", model=reference)]
    assert desk.screen.busy


async def test_the_last_question_is_edited_from_its_text(desk: Desk) -> None:
    desk.line.answer = "Three? "
    await desk.lines("/edit")
    assert desk.line.written == ["Two?"]
    assert desk.sent == [EditMessage(turn=TURN, conversation="a", message="q2", text="Three?")]
    assert desk.screen.busy


async def test_a_question_is_edited_by_its_number_in_the_history(desk: Desk) -> None:
    await desk.reading.listed(10)
    desk.line.answer = "None?"
    await desk.lines("/edit 1")
    assert desk.sent == [EditMessage(turn=TURN, conversation="a", message="q1", text="None?")]


@pytest.mark.parametrize("number", ["2", "9", "x"])
async def test_what_is_no_question_of_the_list_is_not_edited(desk: Desk, number: str) -> None:
    await desk.reading.listed(10)
    assert await desk.lines(f"/edit {number}") == [TEXTS("console.edit_what")]
    assert desk.sent == []


async def test_a_message_that_is_no_longer_shown_is_not_edited(desk: Desk) -> None:
    await desk.reading.listed(10)
    desk.messages = MESSAGES[:2]
    assert await desk.lines("/edit 3") == [TEXTS("console.edit_what")]


@pytest.mark.parametrize("typed", ["", "Two?"])
async def test_a_question_that_was_not_changed_is_not_asked_again(desk: Desk, typed: str) -> None:
    desk.line.answer = typed
    assert await desk.lines("/edit") == [TEXTS("console.unchanged")]
    assert desk.sent == []


async def test_a_branch_begins_at_the_end_or_at_a_number(desk: Desk) -> None:
    await desk.reading.listed(3)
    await desk.lines("/branch")
    await desk.lines("/branch 1")
    assert desk.sent == [BranchConversation(conversation="a", message=each) for each in ("a2", "a1")]


async def test_versions_are_listed_and_shown_by_number(desk: Desk) -> None:
    edited = replace(MESSAGES[0], id="q3", text="Three?", versions=("q1", "q3"))
    desk.versions, desk.messages = (MESSAGES[0], edited), (edited, *MESSAGES[1:])

    assert await desk.lines("/versions") == ["   1  You> One?", "*  2  You> Three?", TEXTS("console.version_what")]
    assert await desk.lines("/version 1") == []
    assert desk.sent == [ShowVersion(conversation="a", message="q1")]
    assert await desk.lines("/version 3") == [TEXTS("console.version_what")]


async def test_without_other_versions_none_are_listed(desk: Desk) -> None:
    assert await desk.lines("/versions") == [TEXTS("console.no_versions")]
    desk.messages = ()
    await asyncio.gather(*(desk.lines(each) for each in ("/regenerate", "/edit", "/branch")))
    assert desk.sent == []
