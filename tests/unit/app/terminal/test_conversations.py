"""The commands for whole conversations, before an engine that replies at once."""

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.app.terminal.conversations import NAMES, ConversationCommands
from assistant.app.terminal.mailbox import Mailbox, NoReplyError
from assistant.app.terminal.reading import Reading
from assistant.app.terminal.screen import Screen
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationEntry, Passage
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.tools.tool import ToolError

TEXTS = load_texts("en")


def entry(identity: str, title: str, snippet: str = "") -> ConversationEntry:
    at = "2026-11-22T10:00:00+09:00"
    message = "m1" if snippet else ""
    found = Passage(snippet, ((0, 2),) if snippet else ())
    return ConversationEntry(id=identity, title=title, updated_at=at, message=message, passage=lambda: found)


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
        self.mail = Mailbox(self, self, lambda: self.screen.stopped)
        self.sent: list[ct.Control] = []
        self.copied: list[str] = []
        self.asked: list[str] = []
        self.answer = ""
        self.silent = False
        self.entries: tuple[ConversationEntry, ...] = ENTRIES
        self.found = (entry("bbbb2222", "제주 여행", "In Jeju, of course"),)
        self.pages: list[tuple[tuple[Message, ...], bool]] = [(MESSAGES, False)]
        self.commands = ConversationCommands(
            self, self.screen, self.mail, Reading(self.mail), self, TEXTS, Places(home), self
        )
        self.publish(up.ConversationOpened(conversation="aaaa1111", messages=()))

    def publish(self, update: up.Update) -> None:
        self.mail.put(update)
        self.screen.show(update)

    def send(self, control: ct.Control) -> None:
        self.sent.append(control)
        if self.silent:
            return
        match control:
            case ct.ListConversations(query=query):
                found = self.found if query == "Jeju" else self.entries if not query else ()
                self.publish(up.ConversationsListed(query=query, entries=found))
            case ct.LoadEarlier():
                messages, more = self.pages.pop()
                self.publish(up.EarlierLoaded(conversation="aaaa1111", messages=messages, more=more))
            case ct.DeleteConversation(conversation=conversation):
                self.publish(up.ConversationDeleted(conversation=conversation, title="Trip", undo_s=8.0))
            case _:
                pass

    async def wait_while(self, busy: Callable[[], bool]) -> None:
        assert not busy()

    async def reply(self, prompt: str, over: Callable[[], bool]) -> str:
        assert not over()
        self.asked.append(prompt)
        return self.answer

    async def read(self) -> str:
        return ""

    async def write(self, text: str) -> None:
        self.copied.append(text)

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
    assert desk.sent[-1] == ct.OpenConversation(conversation="bbbb2222")


async def test_no_more_conversations_are_listed_than_wanted(desk: Desk) -> None:
    lines = await desk.lines("/conversations 1")
    assert lines[1] == TEXTS("console.more_conversations", count=2)


@pytest.mark.parametrize("words", ["제주 여행", "bbbb", "여행"])
async def test_a_conversation_is_opened_by_title_or_id(desk: Desk, words: str) -> None:
    await desk.lines(f"/open {words}")
    assert desk.sent[-1] == ct.OpenConversation(conversation="bbbb2222")


async def test_an_unknown_name_tells_the_near_ones_and_opens_nothing(desk: Desk) -> None:
    (line,) = await desk.lines("/open Trip to Jejo")
    assert "aaaa1111 Trip to Jeju" in line
    assert "bbbb2222" not in line
    assert not [each for each in desk.sent if isinstance(each, ct.OpenConversation)]


async def test_a_search_shows_passages_and_opens_at_the_message(desk: Desk) -> None:
    lines = await desk.lines("/search Jeju")
    assert lines[:2] == ["   1  2026-11-22 10:00  제주 여행", "       [In] Jeju, of course"]
    await desk.lines("/open 1")
    assert desk.sent[-1] == ct.OpenConversation(conversation="bbbb2222", message="m1")
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
    assert [each.before for each in desk.sent if isinstance(each, ct.LoadEarlier)] == ["", "m2"]
    desk.pages = [(MESSAGES, True)]
    assert await desk.lines("/history 1") == ["  1  You> Thanks"]


async def test_the_last_answer_is_copied(desk: Desk) -> None:
    await desk.lines("/copy")
    assert desk.copied == ["In Jeju.\nMild, at least."]


async def test_a_missing_clipboard_is_told(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    async def no_display(_text: str) -> None:
        raise ToolError("There is no clipboard.")

    monkeypatch.setattr(desk, "write", no_display)
    (line,) = await desk.lines("/copy")
    assert line.startswith("! The answer was not copied.")
    assert "There is no clipboard." in line


@pytest.mark.parametrize(("answer", "deleted"), [("y", True), ("", False), ("n", False)])
async def test_only_a_yes_deletes(desk: Desk, answer: str, *, deleted: bool) -> None:
    desk.answer = answer
    await desk.lines("/delete 제주 여행")
    assert "제주 여행" in desk.asked[0]
    assert (ct.DeleteConversation(conversation="bbbb2222") in desk.sent) is deleted


async def test_a_deletion_of_the_open_conversation_can_be_undone(desk: Desk) -> None:
    desk.answer = "yes"
    assert await desk.lines("/restore") == [TEXTS("console.nothing_to_restore")]
    assert await desk.lines("/delete") == [TEXTS("console.deleted", title="Trip", seconds=8)]
    assert await desk.lines("/restore") == [TEXTS("console.restored")]
    assert ct.RestoreConversation(conversation="aaaa1111") in desk.sent
    desk.entries = ENTRIES[1:]
    assert await desk.lines("/restore") == [TEXTS("console.nothing_to_restore")]


async def test_a_title_is_shown_and_changed(desk: Desk) -> None:
    assert await desk.lines("/title") == ["Title: Trip to Jeju"]
    desk.entries = (entry("aaaa1111", "Holidays"),)
    assert await desk.lines("/title Holidays") == ["Title: Holidays"]
    assert ct.RenameConversation(conversation="aaaa1111", title="Holidays") in desk.sent


async def test_a_file_is_replaced_only_after_a_yes(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "talk.md").write_text("mine", encoding="utf-8")
    await desk.lines(f"/export {tmp_path / 'talk.md'}")
    assert (tmp_path / "talk.md").read_text(encoding="utf-8") == "mine"
    assert await desk.lines("/export") == [TEXTS("console.export_what")]


async def test_an_engine_that_has_ended_is_not_waited_for(desk: Desk) -> None:
    desk.screen.stopped = True
    desk.silent = True
    with pytest.raises(NoReplyError):
        await desk.lines("/history")


async def test_an_error_instead_of_a_reply_ends_the_wait(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_control: ct.Control) -> None:
        desk.publish(up.NoticePosted(key="memory.undone", values={"fact": "a"}))
        desk.publish(up.NoticePosted(key="memory.failed", severity=up.Severity.WARNING))

    monkeypatch.setattr(desk, "send", fails)
    with pytest.raises(NoReplyError):
        await desk.lines("/conversations")
    assert TEXTS("memory.failed") in desk.out.getvalue()
