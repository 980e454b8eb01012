"""The commands for whole conversations, before an engine that replies at once."""

import io
from pathlib import Path
from typing import Any

import pytest

from assistant.core import updates as up
from assistant.core.errors import ErrorCode
from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationEntry, Excerpt
from assistant.core.service.request import Refusal, Request
from assistant.core.service.requests.agents import SwitchAgent
from assistant.core.service.requests.conversations import (
    DeleteConversation,
    ExportConversation,
    ExportForm,
    ListConversations,
    LoadMessages,
    MessagePage,
    NewConversation,
    OpenConversation,
    RenameConversation,
    RestoreConversation,
)
from assistant.host.texts import load_texts
from assistant.terminal.asking import TerminalRequests
from assistant.terminal.conversations import NAMES, ConversationCommands
from assistant.terminal.reading import Reading
from assistant.terminal.screen import Screen
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.terminal import FilesOnly, TypingLine

TEXTS = load_texts("en")


def entry(identity: str, title: str, snippet: str = "") -> ConversationEntry:
    at = "2026-11-22T10:00:00+09:00"
    message = "m1" if snippet else ""
    found = Excerpt(snippet, ((0, 2),) if snippet else ())
    return ConversationEntry(id=identity, title=title, updated_at=at, message=message, passage=lambda: found)


REFUSAL = Refusal(code=ErrorCode.INVALID_REQUEST, reason="unknown", message="There is none.")
ENTRIES = (entry("aaaa1111", "Trip to Jeju"), entry("bbbb2222", "제주 여행"), entry("cccc3333", ""))
MESSAGES = (
    Message(id="m1", role=Role.USER, text="Where is it warm?"),
    Message(id="m2", role=Role.TOOL, text="{}"),
    Message(id="m3", role=Role.ASSISTANT, text="In Jeju.\nMild, at least."),
    Message(id="m4", role=Role.USER, text="Thanks"),
)


class Desk:
    """A terminal with conversations, an engine that replies at once, and a user who answers questions."""

    def __init__(self, home: Path) -> None:
        self.out = io.StringIO()
        self.screen = Screen(TEXTS, self.out, width=lambda: 30)
        self.line = TypingLine()
        self.surroundings = FilesOnly(home)
        self.connection = RecordedConnection(self._answer)
        self.entries: tuple[ConversationEntry, ...] = ENTRIES
        self.found = (entry("bbbb2222", "제주 여행", "In Jeju, of course"),)
        self.pages: list[tuple[tuple[Message, ...], bool]] = [(MESSAGES, False)]
        self.refused: Refusal | None = None
        asking = TerminalRequests(self.connection, self.line, self.screen)
        reading = Reading(asking, lambda: self.screen.conversation)
        self.commands = ConversationCommands(asking, self.screen, reading, self.line, TEXTS, self.surroundings)
        self.screen.show(up.ConversationOpened(conversation="aaaa1111", messages=()))

    @property
    def sent(self) -> list[Request[Any]]:
        return self.connection.sent

    def _answer(self, request: Request[Any]) -> object:
        if self.refused is not None:
            return self.refused
        match request:
            case ListConversations(query=query):
                return self.found if query == "Jeju" else self.entries if not query else ()
            case LoadMessages():
                messages, more = self.pages.pop()
                return MessagePage(messages=messages, more=more)
            case DeleteConversation(conversation=conversation):
                self.screen.show(up.ConversationDeleted(conversation=conversation, title="Trip", undo_s=8.0))
            case RestoreConversation(conversation=conversation) if all(
                each.id != conversation for each in self.entries
            ):
                return REFUSAL
            case ExportConversation():
                return "# Trip"
        return "done"

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


async def test_conversations_are_numbered_and_opened_by_number(desk: Desk) -> None:
    assert await desk.lines("/conversations") == [
        "*  1  2026-11-22 10:00  Trip to Jeju",
        "   2  2026-11-22 10:00  제주 여행",
        "   3  2026-11-22 10:00  (no title)",
        TEXTS("console.open_what"),
    ]
    await desk.lines("/open 2")
    assert desk.sent[-1] == OpenConversation(conversation="bbbb2222")


@pytest.mark.parametrize(
    ("line", "sent", "told"),
    [
        ("/new", NewConversation(), []),
        ("/agent 코치", SwitchAgent(agent="코치"), [TEXTS("notice.agent_switched", name="done")]),
        (
            "/workspace our home",
            SwitchAgent(workspace="our home"),
            [TEXTS("notice.workspace_switched", name="done")],
        ),
    ],
)
async def test_a_conversation_is_begun_before_the_next_line_is_taken(
    desk: Desk, line: str, sent: Request[Any], told: list[str]
) -> None:
    assert await desk.lines(line) == told
    assert desk.sent[-1] == sent


async def test_no_more_conversations_are_listed_than_wanted(desk: Desk) -> None:
    lines = await desk.lines("/conversations 1")
    assert lines[1] == TEXTS("console.more_conversations", count=2)


@pytest.mark.parametrize("words", ["제주 여행", "bbbb", "여행"])
async def test_a_conversation_is_opened_by_title_or_id(desk: Desk, words: str) -> None:
    await desk.lines(f"/open {words}")
    assert desk.sent[-1] == OpenConversation(conversation="bbbb2222")


async def test_an_unknown_name_tells_the_near_ones_and_opens_nothing(desk: Desk) -> None:
    (line,) = await desk.lines("/open Trip to Jejo")
    assert "aaaa1111 Trip to Jeju" in line
    assert "bbbb2222" not in line
    assert not [each for each in desk.sent if isinstance(each, OpenConversation)]


async def test_a_search_shows_passages_and_opens_at_the_message(desk: Desk) -> None:
    lines = await desk.lines("/search Jeju")
    assert lines[:2] == ["   1  2026-11-22 10:00  제주 여행", "       [In] Jeju, of course"]
    await desk.lines("/open 1")
    assert desk.sent[-1] == OpenConversation(conversation="bbbb2222", message="m1")
    assert await desk.lines("/search nothing") == [TEXTS("conversations.not_found", query="nothing")]
    assert await desk.lines("/search") == [TEXTS("console.search_what")]


async def test_a_message_found_in_the_open_conversation_is_shown_among_its_neighbours(desk: Desk) -> None:
    desk.found = (entry("aaaa1111", "Trip to Jeju", "Where is it"),)
    await desk.lines("/search Jeju")
    assert await desk.lines("/open 1") == ["» You> Where is it warm?", "Sori: In Jeju. Mild, at least.", "You> Thanks"]


async def test_the_history_has_the_last_messages_in_full_across_pages(desk: Desk) -> None:
    desk.pages = [(MESSAGES[:1], False), (MESSAGES[1:], True)]
    assert await desk.lines("/history") == [
        "  1  You> Where is it warm?",
        "  2  Sori: In Jeju.",
        "     Mild, at least.",
        "  3  You> Thanks",
    ]
    assert [each.before for each in desk.sent if isinstance(each, LoadMessages)] == ["", "m2"]
    desk.pages = [(MESSAGES, True)]
    assert await desk.lines("/history 1") == ["  1  You> Thanks"]


async def test_the_last_answer_is_copied(desk: Desk) -> None:
    await desk.lines("/copy")
    assert desk.surroundings.copied == ["In Jeju.\nMild, at least."]


async def test_a_missing_clipboard_is_told(desk: Desk) -> None:
    desk.surroundings.no_clipboard = "There is no clipboard."
    (line,) = await desk.lines("/copy")
    assert line.startswith("! The answer was not copied.")
    assert "There is no clipboard." in line


@pytest.mark.parametrize(("answer", "deleted"), [("y", True), ("", False), ("n", False)])
async def test_only_a_yes_deletes(desk: Desk, answer: str, *, deleted: bool) -> None:
    desk.line.answer = answer
    await desk.lines("/delete 제주 여행")
    assert "제주 여행" in desk.line.asked[0]
    assert (DeleteConversation(conversation="bbbb2222") in desk.sent) is deleted


async def test_a_deletion_of_the_open_conversation_can_be_undone(desk: Desk) -> None:
    desk.line.answer = "yes"
    assert await desk.lines("/restore") == [TEXTS("console.nothing_to_restore")]
    assert await desk.lines("/delete") == [TEXTS("console.deleted", title="Trip", seconds=8)]
    assert await desk.lines("/restore") == [TEXTS("console.restored")]
    assert RestoreConversation(conversation="aaaa1111") in desk.sent
    desk.entries = ENTRIES[1:]
    assert await desk.lines("/restore") == [TEXTS("console.nothing_to_restore")]


async def test_a_title_is_shown_and_changed(desk: Desk) -> None:
    assert await desk.lines("/title") == ["Title: Trip to Jeju"]
    desk.entries = (entry("aaaa1111", "Holidays"),)
    assert await desk.lines("/title Holidays") == ["Title: Holidays"]
    assert RenameConversation(conversation="aaaa1111", title="Holidays") in desk.sent


async def test_a_file_is_replaced_only_after_a_yes(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "talk.md").write_text("mine", encoding="utf-8")
    await desk.lines(f"/export {tmp_path / 'talk.md'}")
    assert (tmp_path / "talk.md").read_text(encoding="utf-8") == "mine"
    assert await desk.lines("/export") == [TEXTS("console.export_what")]


async def test_a_refusal_is_told_and_ends_the_command(desk: Desk) -> None:
    desk.refused = Refusal(code=ErrorCode.STORAGE, reason="storage", message="The disk is full.", remedy="Make room.")
    assert await desk.lines("/history") == ["! The disk is full. Make room."]


async def test_a_warning_about_something_else_is_no_failure_of_a_command(desk: Desk) -> None:
    desk.screen.show(up.NoticePosted(key="memory.failed", severity=up.Severity.WARNING))
    assert await desk.lines("/title") == ["Title: Trip to Jeju"]


@pytest.mark.parametrize(("name", "form"), [("talk.md", "markdown"), ("talk.JSON", "json"), ("제주", "markdown")])
async def test_a_conversation_is_exported_in_the_form_of_the_files_name(
    desk: Desk, tmp_path: Path, name: str, form: str
) -> None:
    await desk.lines(f"/export {tmp_path / name}")
    assert desk.sent[-1] == ExportConversation(conversation="aaaa1111", form=ExportForm(form))
    assert (tmp_path / name).read_text(encoding="utf-8") == "# Trip"
