"""Recognises citations in an answer, also while it is written (K-04).

Models write ``[1]``, ``[1][2]``, ``[1, 2]``, ``[1-3]``, ``[^1]``, ``【1】``, ``【1†source】`` and ``(document 1)``.
Each becomes ``[n]`` for one document. Brackets in code, links, addresses and arrays are none. A marker of a document
that was not given is removed.
"""

import re
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass
from typing import Final

Part = str | int
"""A piece of an answer: plain text, or the number that a citation names."""

LONGEST_HELD: Final = 80
"""Characters that are held back at most until it is known whether they are a citation."""
_LONGEST_RANGE: Final = 20
_LOOKED_BACK: Final = 200
"""Characters of the text before a bracket that tell what it is."""

_OPEN, _CLOSE = r"[\[［【]", r"[\]］】]"
_WORDS = ("문서", "자료", "documents", "document", "docs", "doc", "sources", "source")
_SEE = ("출처", "참고", "참조", "see", "source", "sources", "cf.")
_WORD = rf"(?:{'|'.join(_WORDS)})"
_NUMBERS = rf"\d{{1,3}}(?:[ ]?(?:[,、;]|-|–|~)[ ]?\^?#?(?:{_WORD}[ ]?)?\d{{1,3}})*"
_BRACKETS = rf"{_OPEN}[ ]?\^?(?:{_WORD}[ ]?)?#?{_NUMBERS}[ ]?(?:†[^\]】\n]{{0,40}})?{_CLOSE}"
_BETWEEN = r"[ ]?[,、]?[ ]?"
_PARENTHESES = rf"\([ ]?(?:(?:{'|'.join(map(re.escape, _SEE))})[ ]?:?[ ]?)?{_WORD}[ ]?#?{_NUMBERS}[ ]?\)"
_GROUP: Final = re.compile(
    rf"\([ ]?{_BRACKETS}(?:{_BETWEEN}{_BRACKETS})*[ ]?\)|{_PARENTHESES}|{_BRACKETS}(?:{_BETWEEN}{_BRACKETS})*",
    re.IGNORECASE,
)
_ANY_WORD = "|".join(
    sorted({re.escape(word[:length]) for word in (*_WORDS, *_SEE) for length in range(1, len(word) + 1)}, key=len)[::-1]
)
_BEGINNING = rf"[\[［【(]{{1,2}}(?>{_ANY_WORD}|[:\^#\d,、;\-–~ ])*+(?:†[^\]】\n]{{0,40}})?"
_MAY_BEGIN: Final = re.compile(rf"{_BEGINNING}(?:{_CLOSE}?\Z)", re.IGNORECASE)
_MAY_GO_ON: Final = re.compile(rf"{_BETWEEN}(?:{_BEGINNING})?\Z", re.IGNORECASE)
_INTEREST: Final = re.compile(r"`+|~{3,}|~+\Z|[ \t]*[\[［【(]|[ \t]+\Z")
_RANGE: Final = re.compile(r"(\d+)[ ]?[-–~][ ]?\D{0,10}?(\d+)|(\d+)")
_PARTICLE: Final = re.compile(
    r"[ ]?(?:번[ ]?)?(?:문서|자료)?"
    r"(?:에 (?:따르면|의하면)|에서는|에는|에서|에도|에|은|는|이|가|을|를|의|도|과|와)(?=[\s,.]|\Z),?[ ]?"
)
_LONGEST_PARTICLE: Final = 12
_IDENTIFIER: Final = re.compile(r"[A-Za-z0-9_.$]+\Z")
_PLAIN_WORD: Final = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{3,}|\d{4}")
_CALL: Final = re.compile(r"[A-Za-z_]\w*\([^()]*\)\Z", re.ASCII)
_WRAPPED: Final = re.compile(r"\([ ]?[\[［【]")
_PARENTHESIS: Final = re.compile(r"\([ ]?[^ \[［【]")
_CLAUSE_ENDS: Final = frozenset(".,;:!?)\n。")
_NEVER_BEFORE: Final = frozenset("\\]/$")
_NEVER_AFTER: Final = frozenset("(]")
_BEFORE_LISTS: Final = frozenset("=:(<")


@dataclass(frozen=True, slots=True)
class _Found:
    """A piece of the text that is understood: what is shown of it, and where it ends."""

    parts: tuple[Part, ...]
    end: int


class CitationReader:
    """Reads the citations of an answer that arrives in pieces.

    Plain text passes at once. Only spaces and what may become a citation are held back, ``LONGEST_HELD`` characters at
    most, so that no half of a citation is ever shown.

    Args:
        given: gives the numbers that can be cited at present.
        removes: whether citations of other numbers are removed. A stored answer keeps them as its text.
    """

    def __init__(self, given: Callable[[], Container[int]], *, removes: bool = True) -> None:
        self._given = given
        self._removes = removes
        self._held = ""
        self._before = ""
        self._code = ""
        self._is_fence = False

    def take(self, piece: str) -> list[Part]:
        """Take the next piece; returns what is known of the text, in order."""
        self._held += piece
        return self._read(over=False)

    def end(self) -> list[Part]:
        """The text has ended; returns the rest."""
        return self._read(over=True)

    def _read(self, *, over: bool) -> list[Part]:
        parts = list[Part]()
        while self._held:
            found = self._in_code(over) if self._code else self._in_words(over)
            if found is None:
                break
            parts.extend(found.parts)
            self._before = (self._before + self._held[: found.end])[-_LOOKED_BACK:]
            self._held = self._held[found.end :]
        return joined(parts)

    def _in_code(self, over: bool) -> _Found | None:
        """The text until the code ends; ``None`` if that is not known yet."""
        text, sign = self._held, self._code[0]
        for run in re.finditer(rf"\n[ \t]*(?:\n|\Z)|{re.escape(sign)}+", text):
            if run.group()[0] != sign and self._is_fence:
                continue
            if run.group()[0] != sign and run.group()[-1] == "\n" and len(run.group()) > 1:
                ends = True  # Code within a line ends with its paragraph at the latest.
            elif run.end() == len(text) and not over:
                return self._plain(run.start()) if run.start() else None
            elif self._is_fence:
                ends = len(run.group()) >= len(self._code) and not self._line_before(run.start()).strip(" ")
            else:
                ends = len(run.group()) == len(self._code)
            if ends:
                self._code = ""
                return self._plain(run.end())
        return self._plain(len(text))

    def _in_words(self, over: bool) -> _Found | None:
        """The next piece outside code; ``None`` if it is not known yet what it is."""
        text = self._held
        found = _INTEREST.search(text)
        if found is None or found.start():
            return self._plain(len(text) if found is None else found.start())
        sign = found.group()
        if not sign.strip():
            return self._plain(len(text)) if over else None
        if sign[0] not in "`~":
            return self._bracket(found.end() - 1, over)
        if found.end() == len(text) and not over:
            return None
        self._is_fence = len(sign) > 2 and not self._line_before(0).strip(" ")
        if sign[0] == "`" or self._is_fence:
            self._code = sign
        return self._plain(found.end())

    def _plain(self, end: int) -> _Found:
        return _Found((self._held[:end],), end)

    def _bracket(self, opening: int, over: bool) -> _Found | None:
        text = self._held
        group = _GROUP.match(text, opening)
        end = opening if group is None else group.end()
        waits = (_MAY_BEGIN if group is None else _MAY_GO_ON).match(text, end)
        if waits and not over and len(text) - opening <= LONGEST_HELD:
            return None
        if group is None:
            half = waits and over and self._removes and any(map(str.isdigit, text[opening:]))
            return _Found((), len(text)) if half else self._plain(opening + 1)
        if not self._is_citation(group):
            return self._plain(end)
        if text[end : end + 1].isalpha() and not over and len(text) < end + _LONGEST_PARTICLE:
            return None
        return self._cited(text[:opening], group)

    def _is_citation(self, group: re.Match[str]) -> bool:
        """Whether brackets with numbers are a citation, by what stands around them."""
        written, numbers = group.group(), numbers_in(group.group())
        before, after = self._source_before(group.start()), self._held[group.end() : group.end() + 1]
        single = len(re.findall(_OPEN, written)) == 1
        if before[-1:] in _NEVER_BEFORE or after in _NEVER_AFTER or not numbers or (single and 0 in numbers):
            return False
        if after == ":" and not before.rpartition("\n")[2].strip():
            return False  # It defines a link.
        known = bool(self._known(numbers))
        if before and not before[-1].isspace():
            token = before.split()[-1]
            if "://" in token or "](" in token or _CALL.search(token):
                return False
            if (word := _IDENTIFIER.search(token)) is not None:
                return known and bool(_PLAIN_WORD.fullmatch(word.group())) and (not after or after in _CLAUSE_ENDS)
        if known or not self._removes:
            return known
        if _PARENTHESIS.match(written):
            return False
        is_list = len(numbers) > 1 and single
        return not (is_list and (before.rstrip()[-1:] in _BEFORE_LISTS or after.isalnum()))

    def _known(self, numbers: Iterable[int]) -> list[int]:
        given = self._given()
        return [number for number in numbers if number in given]

    def _cited(self, space: str, group: re.Match[str]) -> _Found:
        """What is shown of a citation: the documents of it that were given, or nothing."""
        text, end = self._held, group.end()
        if numbers := self._known(numbers_in(group.group())):
            around = ("(", ")") if _WRAPPED.match(group.group()) else ("", "")
            return _Found((space + around[0], *numbers, around[1]), end)
        if text[end : end + 1].isalpha():
            particle = _PARTICLE.match(text, end)
            return _Found((space,), end if particle is None else particle.end())
        if not self._line_before(group.start()).strip() and text[end : end + 1] == " ":
            return _Found((space,), end + 1)
        return _Found((), end)

    def _source_before(self, at: int) -> str:
        return self._before + self._held[:at]

    def _line_before(self, at: int) -> str:
        return self._source_before(at).rpartition("\n")[2]


def parts_of(text: str, numbers: Container[int]) -> list[Part]:
    """The parts of a stored answer that cites these numbers."""
    reader = CitationReader(lambda: numbers, removes=False)
    return joined([*reader.take(text), *reader.end()])


def joined(parts: Iterable[Part]) -> list[Part]:
    """The parts with neighbouring texts in one, without empty ones."""
    whole = list[Part]()
    for part in parts:
        if isinstance(part, str) and whole and isinstance(whole[-1], str):
            whole[-1] += part
        elif part != "":
            whole.append(part)
    return whole


def written(parts: Iterable[Part]) -> str:
    """The parts as the text of an answer, each citation as ``[n]``."""
    return "".join(f"[{part}]" if isinstance(part, int) else part for part in parts)


def without_citations(text: str, numbers: Container[int]) -> str:
    """A stored answer without its citations and the spaces before them."""
    kept = list[Part]()
    for part in parts_of(text, numbers) if numbers else [text]:
        if not isinstance(part, int):
            kept.append(part)
        elif kept and isinstance(kept[-1], str):
            kept[-1] = kept[-1].rstrip(" ")
    return written(kept)


def numbers_in(marker: str) -> list[int]:
    """The numbers that a citation names, each once; none for a range that is no list of documents."""
    numbers = list[int]()
    for first, last, single in _RANGE.findall(re.sub(r"†[^\]】]*", "", marker)):
        if single:
            numbers.append(int(single))
        elif 0 <= int(last) - int(first) <= _LONGEST_RANGE:
            numbers.extend(range(int(first), int(last) + 1))
        else:
            return []
    return list(dict.fromkeys(numbers))
