"""Texts of messages as HTML, for the page. A text that grows is parsed again only where it can still change."""

import asyncio
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from starlette.responses import JSONResponse, Response

from assistant.core.citing.runs import with_citations
from assistant.core.formats.json_form import to_json
from assistant.core.markdown.bounds import LONGEST
from assistant.core.markdown.reading import Resume, read
from assistant.core.markdown.unfinished import presentable
from assistant.core.records.egress import DataClass
from assistant.remote.http.operations import HttpCall, Operation
from assistant.remote.http.page.html import html_of
from assistant.remote.http.refusals import refused

MOST_CHARACTERS: Final = 2 * LONGEST
"""Characters of the texts of one call. The page sends fewer, unless one text alone is longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextToDraw:
    """A Markdown text, or the part of a growing one that can still change.

    Attributes:
        text: the text, from the line ``open_line`` of the former answer on.
        grows: whether more of it is to come. Marks whose meaning is open are then held back.
        number: ``number`` of the former answer.
        head: ``head`` of the former answer.
        cited: the numbers in brackets that are citations.
    """

    text: str
    grows: bool = False
    number: int | None = None
    head: str = ""
    cited: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkdownBody:
    """The texts to draw."""

    texts: tuple[TextToDraw, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnText:
    """A text as HTML.

    Attributes:
        units: one HTML element each, in reading order.
        open_from: number of units at the start that further text cannot change.
        open_line: number of the line of ``text`` from which the next call sends it.
        number: number of the list item that goes on there; ``None`` for none.
        head: heading of the table that goes on there; empty for none.
    """

    units: tuple[str, ...]
    open_from: int
    open_line: int
    number: int | None
    head: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnTexts:
    """The texts as HTML, in the same order."""

    texts: tuple[DrawnText, ...]


def draw(wanted: TextToDraw) -> DrawnText:
    """Draw one text."""
    source = wanted.head + wanted.text
    parsed = read(presentable(source) if wanted.grows else source, Resume(number=wanted.number, head=wanted.head))
    return DrawnText(
        units=tuple(map(html_of, with_citations(parsed.units, wanted.cited))),
        open_from=parsed.open_from,
        open_line=parsed.open_line,
        number=parsed.resume.number,
        head=parsed.resume.head,
    )


def drawing() -> Operation:
    """The operation that draws texts, one call after another: each keeps a thread and a core busy."""
    turn = asyncio.Lock()

    async def handle(call: HttpCall) -> Response:
        body = call.read(MarkdownBody, await call.body())
        if sum(len(each.head) + len(each.text) for each in body.texts) > MOST_CHARACTERS:
            detail = f"texts: at most {MOST_CHARACTERS} characters"
            raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail=detail)
        async with turn:
            drawn = await asyncio.to_thread(lambda: tuple(map(draw, body.texts)))
        return JSONResponse(to_json(DrawnTexts, DrawnTexts(texts=drawn)))

    return Operation(
        method="POST",
        path="/v1/page/markdown",
        handle=handle,
        summary="Draw Markdown texts as HTML for the web page.",
        reads=MarkdownBody,
        gives=DrawnTexts,
        data=(DataClass.NONE,),
    )
