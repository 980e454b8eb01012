"""Emphasis that works in Korean.

In CommonMark ``**`` cannot end emphasis between a punctuation mark and a letter. English has a space there, but Korean
has a particle: ``**"소리"**는`` would show its asterisks. So a letter of a script that joins particles to words counts
like a space, as in the proposal "CommonMark CJK-friendly amendments" (tats-u, 2024).
"""

from markdown_it import MarkdownIt
from markdown_it.common.utils import isMdAsciiPunct, isPunctChar, isWhiteSpace
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter

_JOINING_RANGES = (
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x2E80, 0x2FDF),  # radicals of Chinese characters
    (0x3000, 0x303F),  # punctuation of Chinese and Japanese
    (0x3040, 0x318F),  # kana, Hangul compatibility Jamo
    (0x31C0, 0x9FFF),  # Chinese characters
    (0xA960, 0xA97F),  # Hangul Jamo Extended-A
    (0xAC00, 0xD7FF),  # Hangul syllables, Jamo Extended-B
    (0xF900, 0xFAFF),  # Chinese compatibility characters
    (0xFF00, 0xFFEF),  # full-width forms
    (0x20000, 0x3FFFF),  # rarer Chinese characters
)


def use_joining_scripts(parser: MarkdownIt) -> None:
    """Let ``parser`` treat ``*`` and ``_`` beside letters of joining scripts as emphasis."""
    parser.inline.ruler.at("emphasis", _read_markers)


def _read_markers(state: StateInline, silent: bool) -> bool:
    """Take a run of ``*`` or ``_`` and note which markers may open and close. The parser pairs them later."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    end = state.pos
    while end < state.posMax and state.src[end] == marker:
        end += 1
    length = end - state.pos
    opens, closes = _sides(state.src, state.pos, end, marker)
    for _ in range(length):
        token = state.push("text", "", 0)
        token.content = marker
        state.delimiters.append(
            Delimiter(marker=ord(marker), length=length, token=len(state.tokens) - 1, end=-1, open=opens, close=closes)
        )
    state.pos = end
    return True


def _sides(text: str, start: int, end: int, marker: str) -> tuple[bool, bool]:
    """Whether markers at ``start:end`` may open and may close emphasis."""
    before = text[start - 1] if start > 0 else " "
    after = text[end] if end < len(text) else " "
    left = _flanks(after, before)
    right = _flanks(before, after)
    if marker == "_":
        return left and (not right or _is_punctuation(before)), right and (not left or _is_punctuation(after))
    return left, right


def _flanks(inner: str, outer: str) -> bool:
    """Whether markers hug ``inner``, with ``outer`` on their other side."""
    if isWhiteSpace(ord(inner)):
        return False
    return not _is_punctuation(inner) or isWhiteSpace(ord(outer)) or _is_punctuation(outer) or _joins(outer)


def _is_punctuation(character: str) -> bool:
    return isMdAsciiPunct(ord(character)) or isPunctChar(character)


def _joins(character: str) -> bool:
    return any(first <= ord(character) <= last for first, last in _JOINING_RANGES)
