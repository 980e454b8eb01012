"""The base prompts that the user has written in place of the packaged ones, one for each language (C-02)."""

import sqlite3
from collections.abc import Mapping

from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.rows import Rows, SyncedTable, write_rows

LONGEST_PROMPT = 20_000
"""Maximum size of a base prompt in characters. A longer one would leave little room for the conversation."""

_PROMPTS = SyncedTable(name="base_prompts", fixed=frozenset({"language"}))


class BasePromptStore:
    """Keeps the user's base prompts.

    Args:
        database: the open database.
        clock: gives the times of the rows.
    """

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def own(self, language: str) -> str:
        """The user's base prompt in a language; empty while the packaged one applies.

        Raises:
            StorageError: the database cannot be read.
        """

        def work(connection: sqlite3.Connection) -> str:
            rows = _rows(connection, language)
            return rows[0][1] if rows else ""

        return await self._database.read(work)

    async def put(self, language: str, text: str) -> None:
        """Replace the base prompt of a language.

        Raises:
            SoriError: the text is empty or too long; nothing has changed.
            StorageError: the database cannot be written; nothing has changed.
        """
        text = checked(text)
        await write_rows(self._database, self._clock, lambda rows: _put(rows, language, text))

    async def reset(self, language: str) -> bool:
        """Let the packaged base prompt apply again. Returns whether there was one of the user's.

        Raises:
            StorageError: the database cannot be written; nothing has changed.
        """
        return await write_rows(self._database, self._clock, lambda rows: _reset(rows, language))


def checked(text: str) -> str:
    """The text of a base prompt without the space around it.

    Raises:
        SoriError: the text is empty or longer than ``LONGEST_PROMPT``.
    """
    text = text.strip()
    if not text:
        raise SoriError(ErrorCode.INVALID_REQUEST, "the prompt is empty", message_key="prompt_empty")
    if len(text) > LONGEST_PROMPT:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"the prompt has {len(text)} characters",
            message_key="prompt_too_long",
            values={"length": str(len(text)), "most": str(LONGEST_PROMPT)},
        )
    return text


def own_prompts(connection: sqlite3.Connection) -> Mapping[str, str]:
    """The user's base prompts, by language."""
    # Two devices may each have added one; the newest applies.
    newest = dict(connection.execute("SELECT language, text FROM base_prompts ORDER BY changed, id"))
    return {language: text for language, text in newest.items() if text}


def _rows(connection: sqlite3.Connection, language: str) -> list[tuple[str, str]]:
    """Ids and texts of a language, the newest first: two devices may each have added one."""
    query = "SELECT id, text FROM base_prompts WHERE language = ? ORDER BY changed DESC, id DESC"
    return connection.execute(query, (language,)).fetchall()


def _put(rows: Rows, language: str, text: str) -> None:
    found = _rows(rows.connection, language)
    if found:
        rows.change(_PROMPTS, found[0][0], {"text": text})
    else:
        rows.add(_PROMPTS, {"id": new_id(), "language": language, "text": text})


def _reset(rows: Rows, language: str) -> bool:
    """Empty the rows. A deletion would take what another device has written meanwhile with it."""
    own = [identity for identity, text in _rows(rows.connection, language) if text]
    for identity in own:
        rows.change(_PROMPTS, identity, {"text": ""})
    return bool(own)
