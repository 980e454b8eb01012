"""Asks the user what a server wants to know while it works on a call. The model is told neither question nor answer.

Belongs to the engine's loop, where turns ask.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlsplit

from assistant.core.texts import Texts
from assistant.tools.attendant import Attendant, Question, Reply, WordedReply
from assistant.tools.call_limit import CallLimit
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.mcp.form import (
    Field,
    FieldKind,
    FormValue,
    UnknownFormError,
    WrongAnswerError,
    fields_of,
    read,
    shown,
)
from assistant.tools.mcp.showing import in_one_line, shown_url
from assistant.tools.tool import ToolError

_LONGEST_MESSAGE = 1_000
"""Characters of a server's message that are shown."""
_SKIP_WORDS = frozenset({"skip", "건너뛰기", "건너뛰어", "건너뛰어줘", "건너뛰어주세요", "넘어가", "넘어가줘"})

OpenPage = Callable[[str], None]
"""Opens a page in the user's browser; raises ``ToolError`` if that is not possible. May wait for a program."""


@dataclass(frozen=True, slots=True)
class Elicited:
    """What a server is told: the action of the protocol, and the values of a form.

    ``decline`` means that the user refused, ``cancel`` that there is no decision.
    """

    action: Literal["accept", "decline", "cancel"]
    values: Mapping[str, FormValue] | None = None


DECLINED, CANCELLED = Elicited("decline"), Elicited("cancel")
_ELICITED = {Reply.NO: DECLINED}
"""Without a decision of the user, the server is told ``cancel``."""


class _UnusableError(Exception):
    """The user's second answer does not fit either."""


class _EndedError(Exception):
    """The user did not answer with a value."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerQuestions:
    """Asks for one server during one call.

    Attributes:
        texts: the user's words.
        server: the server's name.
        call: the running call.
        attendant: represents the user.
        limit: the call's time limit; ``None`` without one.
        open_page: opens a page.
    """

    texts: Texts
    server: str
    call: FrozenCall
    attendant: Attendant
    limit: CallLimit | None
    open_page: OpenPage

    async def form(self, message: str, schema: Mapping[str, Any]) -> Elicited:
        """Ask for the values of a form, one after another. A wrong answer is asked for once more, with the reason."""
        try:
            fields = fields_of(schema)
        except UnknownFormError:
            self._tell("mcp.cannot_answer", message=self._shown(message))
            return DECLINED
        with self._limit_paused():
            if len(fields) < 2 and all(field.kind is FieldKind.YES_NO for field in fields):
                return await self._agreement(message, fields)
            return await self._values(message, fields)

    async def page(self, message: str, url: str) -> Elicited:
        """Ask whether a page may be opened, and open it after a yes."""
        host = _host_of(url)
        if not host:
            self._tell("mcp.cannot_open", url=shown_url(url))
            return DECLINED
        text = self.texts("mcp.asks_to_open", server=self.server, message=self._shown(message), host=host)
        with self._limit_paused():
            reply = await self.attendant.ask(self.call, text, {"url": url, "host": host})
        if reply is not Reply.YES:
            return _ELICITED.get(reply, CANCELLED)
        try:
            await asyncio.to_thread(self.open_page, url)
        except ToolError as error:
            self._tell("mcp.not_opened", url=shown_url(url), reason=self.texts(error.key, **error.values))
            return CANCELLED
        return Elicited("accept")

    async def _agreement(self, message: str, fields: tuple[Field, ...]) -> Elicited:
        """A form without fields, or with one truth: a yes agrees to what the server says, and a no refuses it."""
        words = self._with_field(self._shown(message), fields[0]) if fields else self._shown(message)
        text = self.texts("mcp.asks", server=self.server, message=words)
        reply = await self.attendant.ask(self.call, text)
        if reply is Reply.YES:
            return Elicited("accept", {field.name: True for field in fields})
        return _ELICITED.get(reply, CANCELLED)

    async def _values(self, message: str, fields: tuple[Field, ...]) -> Elicited:
        values: dict[str, FormValue] = {}
        try:
            for number, field in enumerate(fields):
                value = await self._value(field, self._shown(message) if number == 0 else "")
                if value is not None:
                    values[field.name] = value
        except _EndedError as ended:
            return _ELICITED.get(ended.reply, CANCELLED)
        except _UnusableError:
            self._tell("mcp.unusable")
            return CANCELLED
        return Elicited("accept", values)

    async def _value(self, field: Field, message: str) -> FormValue | None:
        """The value of a field; ``None`` if it is left open."""
        question = self._question(field, message)
        for _ in range(2):
            words = await self.attendant.ask_words(self.call, question)
            if _skips(field, words):
                return field.default
            if words.reply is not Reply.YES:
                raise _EndedError(words.reply)
            try:
                return read(field, words.text)
            except WrongAnswerError as wrong:
                reason = self.texts(
                    f"mcp.wrong.{wrong.key}", **{key: in_one_line(each) for key, each in wrong.values.items()}
                )
                question = self._question(field, "", reason=reason)
        raise _UnusableError

    def _question(self, field: Field, message: str, reason: str = "") -> Question:
        asked = self.texts("mcp.asks_words", server=self.server, message=self._with_field(message, field))
        notes = [
            reason,
            asked if asked.endswith(("?", ".", "!")) else f"{asked}.",
            self._usual(field),
            self.texts("mcp.may_skip") if field.skippable else "",
            self.texts("mcp.no_secrets") if field.wants_secret else "",
        ]
        options = tuple(in_one_line(title) for _, title in field.options)
        if field.kind is FieldKind.YES_NO:
            options = self.texts("mcp.yes"), self.texts("mcp.no")
        return Question(text=" ".join(filter(None, notes)), options=options, skippable=field.skippable)

    def _usual(self, field: Field) -> str:
        """Words for the value of a field that is left open; empty for none."""
        if field.default is None:
            return ""
        truth = self.texts("mcp.yes" if field.default else "mcp.no")
        value = truth if field.kind is FieldKind.YES_NO else in_one_line(shown(field, field.default))
        return self.texts("mcp.usual_value", value=value)

    def _with_field(self, message: str, field: Field) -> str:
        words = in_one_line(field.title)
        if field.description:
            words = f"{words} ({in_one_line(field.description)})"
        return f"{message} {words}".strip()

    def _shown(self, message: str) -> str:
        return in_one_line(" ".join(message.split())[:_LONGEST_MESSAGE])

    def _tell(self, key: str, **values: str) -> None:
        self.attendant.progress(self.call, self.texts(key, server=self.server, **values))

    def _limit_paused(self) -> AbstractContextManager[None]:
        return nullcontext() if self.limit is None else self.limit.paused()


AskUser = Callable[[str, Mapping[str, Any] | None, str], Awaitable[Elicited]]
"""Asks on behalf of a server: takes its message, and the schema of a form or else the address of a page."""


def _skips(field: Field, words: WordedReply) -> bool:
    said = "".join(words.text.casefold().split()).strip(".!")
    return words.reply is Reply.SKIP or (field.skippable and words.reply is Reply.YES and said in {"", *_SKIP_WORDS})


def _host_of(url: str) -> str:
    """The computer of a page, as it is shown; empty for an address that is not opened."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host or not url.isprintable() or " " in url:
        return ""
    return urlsplit(shown_url(url)).hostname or ""
