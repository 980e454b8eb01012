"""Editing, answering anew, branching and showing versions, before an engine that replies at once."""

import asyncio
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.app.terminal.mailbox import Mailbox
from assistant.app.terminal.reading import Reading
from assistant.app.terminal.screen import Screen
from assistant.app.terminal.versions import NAMES, VersionCommands
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.messages import Message, Role
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database

TEXTS = load_texts("en")
MESSAGES = (
    Message(id="q1", role=Role.USER, text="One?"),
    Message(id="a1", role=Role.ASSISTANT, text="First."),
    Message(id="q2", role=Role.USER, text="Two?"),
    Message(id="a2", role=Role.ASSISTANT, text="Second."),
)


class Desk:
    def __init__(self, home: Path) -> None:
        self.out = io.StringIO()
        self.screen = Screen(TEXTS, self.out)
        self.mail = Mailbox(self, self, lambda: False)
        self.reading = Reading(self.mail)
        self.messages: tuple[Message, ...] = MESSAGES
        self.sent: list[ct.Control] = []
        self.written: list[str] = []
        self.typed = ""
        self.commands = VersionCommands(self, self.screen, self.reading, self, TEXTS, Places(home))

    def send(self, control: ct.Control) -> None:
        if isinstance(control, ct.LoadEarlier):
            self.mail.put(up.EarlierLoaded(conversation="a", messages=self.messages))
        else:
            self.sent.append(control)

    async def wait_while(self, busy: Callable[[], bool]) -> None:
        assert not busy()

    async def reply(self, _prompt: str, _over: Callable[[], bool]) -> str:
        raise AssertionError("nothing is asked")

    async def read(self, _prompt: str, *, written: str) -> str:
        self.written.append(written)
        return self.typed

    async def lines(self, line: str) -> list[str]:
        """What a line writes."""
        before = len(self.out.getvalue())
        name, _, argument = line.partition(" ")
        assert name in NAMES
        await self.commands.obey(name, argument)
        return self.out.getvalue()[before:].splitlines()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.mark.parametrize(("model", "reference"), [("", ""), (" mine/big", "mine/big"), (" auto", "")])
async def test_the_last_answer_is_made_anew_also_by_another_model(desk: Desk, model: str, reference: str) -> None:
    assert await desk.lines(f"/regenerate{model}") == []
    assert desk.sent == [ct.Regenerate(message="a2", model=reference)]
    assert desk.screen.busy


async def test_the_last_question_is_edited_from_its_text(desk: Desk) -> None:
    desk.typed = "Three? "
    await desk.lines("/edit")
    assert desk.written == ["Two?"]
    assert desk.sent == [ct.EditMessage(message="q2", text="Three?")]
    assert desk.screen.busy


async def test_a_question_is_edited_by_its_number_in_the_history(desk: Desk) -> None:
    await desk.reading.listed(10)
    desk.typed = "None?"
    await desk.lines("/edit 1")
    assert desk.sent == [ct.EditMessage(message="q1", text="None?")]


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
    desk.typed = typed
    assert await desk.lines("/edit") == [TEXTS("console.unchanged")]
    assert desk.sent == []


async def test_a_branch_begins_at_the_end_or_at_a_number(desk: Desk) -> None:
    await desk.reading.listed(3)
    await desk.lines("/branch")
    await desk.lines("/branch 1")
    assert desk.sent == [ct.BranchConversation(message="a2"), ct.BranchConversation(message="a1")]


async def test_versions_are_listed_and_shown_by_number(desk: Desk, tmp_path: Path) -> None:
    database = await Database.open(Places(tmp_path).database, SystemClock())
    store = await ConversationStore.open(database, SystemClock())
    conversation = await store.create()
    added = [await store.add(conversation, Message(role=Role.USER, text=text)) for text in ("One?", "Three?")]
    await database.close()
    first, second = (each.id for each in added)
    desk.messages = (replace(MESSAGES[0], id=second, text="Three?", versions=(first, second)), *MESSAGES[1:])

    assert await desk.lines("/versions") == ["   1  You> One?", "*  2  You> Three?", TEXTS("console.version_what")]
    assert await desk.lines("/version 1") == []
    assert desk.sent == [ct.ShowVersion(message=first)]
    assert await desk.lines("/version 3") == [TEXTS("console.version_what")]


async def test_without_other_versions_none_are_listed(desk: Desk) -> None:
    assert await desk.lines("/versions") == [TEXTS("console.no_versions")]
    desk.messages = ()
    await asyncio.gather(*(desk.lines(each) for each in ("/regenerate", "/edit", "/branch")))
    assert desk.sent == []
