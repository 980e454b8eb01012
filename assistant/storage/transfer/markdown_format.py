"""Conversations as the Markdown pages that Sori exports (T-08).

A page is the title, then every message below a line with its speaker and time. A comment at the end holds the
conversation's id, so a conversation that is still there is not added a second time. A page has no files, no tools and
no former versions; the names of files stay in the text.
"""

import re
from collections.abc import Iterator
from datetime import datetime

from assistant.core.messages import Role
from assistant.storage.stored_message import StoredMessage, storable
from assistant.storage.transfer.foreign import id_from
from assistant.storage.transfer.portable import InvalidContentError, PortableConversation

ENDINGS = frozenset({".md", ".markdown"})
"""Endings of the names of Markdown files."""
BETWEEN_PAGES = "\n\n---\n\n"
SPEAKERS = {"나": Role.USER, "You": Role.USER, "소리": Role.ASSISTANT, "Sori": Role.ASSISTANT}
"""The names of the speakers in both languages."""
_SAID = rf"## (?P<speaker>{'|'.join(SPEAKERS)}) · (?P<at>\d{{4}}-\d\d-\d\d \d\d:\d\d)"
_MESSAGE = re.compile(rf"^{_SAID}$", re.MULTILINE)
_QUOTED = re.compile(rf"^\\(\\*{_SAID})$", re.MULTILINE)
_TO_QUOTE = re.compile(rf"^\\*{_SAID}$", re.MULTILINE)
_NEXT_PAGE = re.compile(rf"{BETWEEN_PAGES}(?=# [^\n]*\n\n{_SAID}\n)")
_ID = re.compile(r"\n+<!-- sori: (?P<id>[0-9a-f-]{16,64}) -->\s*\Z")
_SOURCE = "markdown"


def id_line(conversation: str) -> str:
    """The comment that names the conversation of a page."""
    return f"\n\n<!-- sori: {conversation} -->"


def quoted(text: str) -> str:
    """A message's text, in which no line looks like the beginning of another message."""
    return _TO_QUOTE.sub(lambda found: f"\\{found[0]}", text)


def pages(text: str) -> Iterator[str]:
    """The pages of a file."""
    text, begin = text.replace("\r\n", "\n"), 0
    for found in _NEXT_PAGE.finditer(text):
        yield text[begin : found.start()]
        begin = found.end()
    yield text[begin:]


def from_markdown(page: str) -> PortableConversation:
    """The conversation of a page.

    Raises:
        InvalidContentError: it is no such page.
    """
    named = _ID.search(page)
    body = page[: named.start()] if named else page
    said = [*_MESSAGE.finditer(body)]
    title, _, between = body[: said[0].start()].strip("\n").partition("\n") if said else ("", "", "")
    if not title.startswith("# ") or between.strip():
        raise InvalidContentError("")
    conversation = named["id"] if named else id_from(_SOURCE, body.strip())
    ends = [*(each.start() for each in said[1:]), len(body)]
    messages = [
        _message(conversation, number, found, body[found.end() : end])
        for number, (found, end) in enumerate(zip(said, ends, strict=True))
    ]
    return PortableConversation(
        id=conversation,
        created_at=messages[0].created_at,
        title=storable(title.removeprefix("# ").strip()),
        titled_by="user",
        messages=tuple(messages),
    )


def _message(conversation: str, number: int, found: re.Match[str], text: str) -> StoredMessage:
    try:
        at = datetime.strptime(found["at"], "%Y-%m-%d %H:%M").astimezone()
    except (ValueError, OverflowError, OSError) as error:
        raise InvalidContentError(f"messages[{number}]") from error
    return StoredMessage(
        id=id_from(_SOURCE, f"{conversation}/{number}"),
        conversation=conversation,
        role=SPEAKERS[found["speaker"]],
        text=storable(_QUOTED.sub(r"\1", text.strip("\n"))),
        created_at=at.isoformat(),
    )
