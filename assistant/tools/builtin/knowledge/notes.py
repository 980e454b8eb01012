"""The user's notes."""

import asyncio
from typing import TypeVar

from assistant.core.permissions import Category
from assistant.llm.backend import Evidence
from assistant.tools.acts import Act
from assistant.tools.folders.notes import NoteFolder
from assistant.tools.signature import tool_of
from assistant.tools.tool import Baseline, Tool, ToolError

_NOTES = Evidence(
    words=("메모", "노트", "적어", "적은", "적었", "적힌", "기록", "note", "memo", "written", "wrote", "jot")
)
_WRITES = Act(
    names=(
        r"(?:메모|노트|기록|필기)(?:에|에다|로|를|장에)?.*(?:해|하고|적|써|쓰|추가|남겨|남기|저장|넣|만들|붙)|(?:메모|기록)\s?(?:해|하|부탁|좀)"
        r"|(?:받아\s?)?(?:적어|적고)\s?(?:줘|둬|놔|주|두|$)|써\s?(?:놔|둬)"
        r"|\b(?:make|take|write|save|add|create|put|jot|note|append|start|keep|leave)\b.*\b(?:notes?|memo)\b"
        r"|\bnote (?:this|that|it|down)\b|\b(?:jot|write)\b.*\bdown\b|^\W*(?:note|memo)\b"
    ),
    texts=("title", "text"),
)
_READS = Act(
    names=(
        r"메모|노트|적어\s?(?:둔|놓은|놨|뒀)|적은|적힌|기록|\bnotes?\b|\bmemos?\b"
        r"|\b(?:write|wrote|jotted|written) down\b"
    ),
    reads=True,
    texts=("title",),
)
_MOST_FOUND = 30
"""Maximum number of lines that a search tells."""
_MOST_READ = 20_000
"""Maximum number of characters of a note that are told."""

Result = TypeVar("Result")


def note_tools(notes: NoteFolder) -> tuple[Tool, ...]:
    """The tools that create, read and delete notes."""

    async def create_note(title: str, text: str) -> str:
        """Saves a new note.

        Args:
            title: a short title.
            text: the note in Markdown.
        """
        return f"Saved the note {await asyncio.to_thread(notes.create, title, text)!r}."

    async def append_to_note(title: str, text: str) -> str:
        """Adds lines to the end of a note.

        Args:
            title: the note's title.
            text: the lines to add, in Markdown.
        """
        return f"Added to the note {await asyncio.to_thread(notes.append, title, text)!r}."

    async def list_notes() -> str:
        """Lists the titles of the user's notes, the newest first."""
        return "\n".join(await asyncio.to_thread(notes.titles)) or "There are no notes."

    async def read_note(title: str) -> str:
        """Reads one of the user's notes.

        Args:
            title: the note's title.
        """
        text = await asyncio.to_thread(notes.read, title)
        return text if len(text) <= _MOST_READ else f"{text[:_MOST_READ]}\n(The note is longer.)"

    async def search_notes(words: str) -> str:
        """Finds lines in the user's notes.

        Args:
            words: words that the line contains.
        """
        if not words.strip():
            raise ToolError("tool_reason.empty", name="words")
        found = await asyncio.to_thread(notes.search, words)
        more = f"\n({len(found) - _MOST_FOUND} more lines.)" if len(found) > _MOST_FOUND else ""
        lines = "\n".join(f"{each.title}: {each.line}" for each in found[:_MOST_FOUND])
        return f"{lines}{more}" if lines else "No note contains these words."

    async def delete_note(title: str) -> str:
        """Deletes one of the user's notes for good.

        Args:
            title: the note's title.
        """
        return f"Deleted the note {await asyncio.to_thread(notes.delete, title)!r}."

    return (
        tool_of(
            create_note,
            category=Category.SENSITIVE,
            idempotent=False,
            evidence=_NOTES,
            act=_WRITES,
            baseline=Baseline.LARGE,
        ),
        tool_of(append_to_note, category=Category.SENSITIVE, idempotent=False, evidence=_NOTES, act=_WRITES),
        *(
            tool_of(
                each,
                category=Category.SENSITIVE,
                idempotent=True,
                evidence=_NOTES,
                act=_READS,
                baseline=Baseline.LARGE if each is search_notes else Baseline.NONE,
                # A note, and its title, may have been made of a page.
                untrusted=True,
                reads_private=True,
            )
            for each in (list_notes, read_note, search_notes)
        ),
        tool_of(
            delete_note, category=Category.SENSITIVE, idempotent=False, search_words=("메모", "노트", "지우", "memo")
        ),
    )
