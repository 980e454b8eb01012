"""Long texts in parts that Telegram takes, cut at the ends of paragraphs where there are any (G-03)."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

from assistant.remote.telegram.form.rich_text import LONGEST, MOST_SPANS, RichText, units

_SHORTEST: Final = 0.25
"""A cut leaves at least this part of a message before it; a nearer one is of the next kind."""
_CUTS: Final = (re.compile(r"\n{2,}"), re.compile(r"\n"), re.compile(r"(?<=[.!?。…])[ \t]+"), re.compile(r"[ \t]+"))
"""Where a text is cut: behind a paragraph, a line, a sentence, a word. What a cut matches is left out."""
_AFTER: Final = 2
"""Characters behind a part among which its cut may end."""
_JOINER: Final = "\u200d"


def parts(text: RichText, longest: int = LONGEST) -> list[RichText]:
    """The parts of a text, each of at most ``longest`` UTF-16 code units and ``MOST_SPANS`` spans.

    Only white space is lost, where it is cut. A text of white space alone has no parts.
    """
    return [part for part in _parts(text, longest) if part.text.strip()]


def _parts(text: RichText, longest: int) -> Iterator[RichText]:
    start, size = 0, len(text.text)
    while True:
        near = text.part(start, min(start + longest + _AFTER, size))
        room = _room(near, longest)
        if start + room == size:
            yield near
            return
        end, begin = _cut(near, room)
        yield near.part(0, end)
        start += begin


def _room(text: RichText, longest: int) -> int:
    """The most characters of a part."""
    room = len(text.text)
    if len(text.spans) > MOST_SPANS:
        room = max(sorted(each.start for each in text.spans)[MOST_SPANS], 1)
    room = min(room, longest)
    while units(text.text[:room]) > longest:
        room -= max((units(text.text[:room]) - longest) // 2, 1)
    return room


def _cut(text: RichText, room: int) -> tuple[int, int]:
    """Where a part ends and where the next one begins."""
    for kind, cut in enumerate(_CUTS):
        places = reversed([*cut.finditer(text.text, 0, min(len(text.text), room + _AFTER))])
        inside = (each for each in places if room * _SHORTEST <= each.start() <= room)
        found = next((each for each in inside if kind == 1 or not _in_code(text, each.start())), None)
        if found is not None:
            return found.span()
    end = room
    while end > 1 and _joined(text.text, end):
        end -= 1
    return (end, end) if end > 1 else (room, room)


def _in_code(text: RichText, at: int) -> bool:
    """Whether a place is inside a program, which is cut between its lines only."""
    return any(each.kind in ("pre", "code") and each.start < at < each.end for each in text.spans)


def _joined(text: str, at: int) -> bool:
    """Whether the characters before and behind a place are seen as one: an emoji of several, or an accent."""
    before, after = text[at - 1], text[at]
    if unicodedata.combining(after) or after in (_JOINER, "\ufe0f", "\u20e3") or before == _JOINER:
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":  # colour of the skin
        return True
    return _is_flag(before) and _is_flag(after) and len(re.findall("[\U0001f1e6-\U0001f1ff]*$", text[:at])[0]) % 2 == 1


def _is_flag(character: str) -> bool:
    return "\U0001f1e6" <= character <= "\U0001f1ff"
