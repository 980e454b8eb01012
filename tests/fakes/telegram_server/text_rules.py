"""What Telegram's server does with a text and its entities."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

LONGEST_TEXT = 4096
"""UTF-16 code units of a message."""
LONGEST_CAPTION = 1024
MOST_ENTITIES = 100
"""Entities after these are dropped without a word."""
_KINDS = frozenset(
    {
        *("bold", "italic", "underline", "strikethrough", "spoiler", "blockquote", "expandable_blockquote"),
        *("code", "pre", "text_link", "text_mention", "url", "email", "mention", "hashtag", "cashtag", "bot_command"),
        *("phone_number", "custom_emoji"),
    }
)
_ALONE = frozenset({"code", "pre"})


class RefusedCallError(Exception):
    """Telegram refuses a call.

    Attributes:
        code: ``error_code`` and the status of the answer.
        retry_after: seconds to wait; 0 for none.
    """

    def __init__(self, code: int, description: str, retry_after: int = 0) -> None:
        super().__init__(description)
        self.code, self.description, self.retry_after = code, description, retry_after


def bad_request(description: str) -> RefusedCallError:
    return RefusedCallError(400, f"Bad Request: {description}")


@dataclass(frozen=True, slots=True)
class Formatted:
    """A text as it is stored.

    Attributes:
        entities: their kind, offset, length (in UTF-16 code units) and what belongs to the kind.
    """

    text: str
    entities: tuple[Mapping[str, Any], ...] = field(default=())

    def shown(self, kind: str) -> list[str]:
        """The parts of the text that have an entity of a kind."""
        units = self.text.encode("utf-16-le")
        return [
            units[2 * each["offset"] : 2 * (each["offset"] + each["length"])].decode("utf-16-le")
            for each in self.entities
            if each["type"] == kind
        ]


def formatted(text: str, entities: str | None, parse_mode: str | None, *, longest: int = LONGEST_TEXT) -> Formatted:
    """Check a text.

    Raises:
        RefusedCallError: it is too long, or its entities are none.
    """
    if parse_mode:
        raise bad_request("can't parse entities: the fake server reads entities only")
    if units(text) > longest:
        raise bad_request("message is too long" if longest == LONGEST_TEXT else "message caption is too long")
    found = json.loads(entities) if entities else []
    spans: list[tuple[int, int, str]] = []
    for each in found:
        _check(each, text, spans)
    return Formatted(text.rstrip(), tuple(found[:MOST_ENTITIES]))


def units(text: str) -> int:
    """Length in UTF-16 code units."""
    return len(text.encode("utf-16-le")) // 2


def _check(entity: dict[str, Any], text: str, spans: list[tuple[int, int, str]]) -> None:
    kind, start, length = entity.get("type"), entity.get("offset"), entity.get("length")
    if kind not in _KINDS:
        raise bad_request(f"can't parse entities: unknown type {kind}")
    if not isinstance(start, int) or not isinstance(length, int) or start < 0 or length <= 0:
        raise bad_request("can't parse entities: offset and length are wrong")
    end = start + length
    raw = text.encode("utf-16-le")
    if 2 * end > len(raw):
        raise bad_request("can't parse entities: an entity ends behind the text")
    for at in (start, end):
        if 2 * at < len(raw) and 0xDC00 <= int.from_bytes(raw[2 * at : 2 * at + 2], "little") < 0xE000:
            raise bad_request(f"can't parse entities: entity begins in a middle of a UTF-16 symbol at offset {at}")
    if kind == "text_link" and not str(entity.get("url", "")).startswith(("http://", "https://", "tg://")):
        raise bad_request("can't parse entities: wrong HTTP URL specified")
    for other_start, other_end, other in spans:
        overlap = start < other_end and other_start < end
        nested = (start >= other_start and end <= other_end) or (other_start >= start and other_end <= end)
        if overlap and (not nested or (kind in _ALONE and other in _ALONE)):
            raise bad_request("can't parse entities: entities cross")
    spans.append((start, end, str(kind)))
