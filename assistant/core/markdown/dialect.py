"""The rules in which Sori's Markdown differs from CommonMark, as ``core.markup`` gives them for every front end.

Emphasis and strikethrough end before Korean particles, links end there too, and a dollar sign opens a formula only
where one follows.
"""

from functools import lru_cache
from typing import Protocol

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from mdit_py_plugins.dollarmath import dollarmath_plugin

from assistant.core.markup.addresses import address_ends, is_file_name
from assistant.core.markup.flanking import sides
from assistant.core.markup.formulas import formula_at


def use_dialect(parser: MarkdownIt) -> None:
    """Let ``parser`` read the dialect."""
    parser.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    parser.inline.ruler.at("math_inline", _formula)
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.inline.ruler.at("strikethrough", _strikethrough)
    if parser.linkify is not None:
        parser.linkify = _KoreanLinks(parser.linkify)


class _Link(Protocol):
    """A link that linkify-it found; without ``schema`` it is a bare name such as ``example.kr``."""

    schema: str
    raw: str


class _Linkify(Protocol):
    """What markdown-it calls of linkify-it."""

    def pretest(self, text: str) -> bool: ...
    def match(self, text: str) -> list[_Link] | None: ...
    def match_at_start(self, text: str) -> _Link | None: ...


class _KoreanLinks:
    """linkify-it, without the particles after addresses and without names of files such as ``main.py``."""

    def __init__(self, linkify: _Linkify) -> None:
        self._linkify = linkify

    def pretest(self, text: str) -> bool:
        """Whether the text may contain a link."""
        return self._linkify.pretest(_without_particles(text))

    def test(self, text: str) -> bool:
        """Whether the text contains a link."""
        return bool(self.match(text))

    def match(self, text: str) -> list[_Link]:
        """The links of a text."""
        found = self._linkify.match(_without_particles(text)) or []
        return [each for each in found if each.schema or not is_file_name(each.raw)]

    def match_at_start(self, text: str) -> _Link | None:
        """The link with which a text begins. It has no spaces, so the rest of a long text is not read for each link."""
        return self._linkify.match_at_start(_without_particles(text.partition(" ")[0].partition("\n")[0]))


@lru_cache(maxsize=8)
def _without_particles(text: str) -> str:
    """A text of the same length with spaces, which end every link, in place of the particles after addresses."""
    kept, after = list[str](), 0
    for start, end in address_ends(text):
        kept += [text[after:start], " " * (end - start)]
        after = end
    return "".join([*kept, text[after:]])


def _emphasis(state: StateInline, silent: bool) -> bool:
    """Take a run of ``*`` or ``_`` and note which marks may open and close. The parser pairs them later."""
    mark = state.src[state.pos]
    return not silent and mark in "*_" and _take_marks(state, mark, _run(state))


def _strikethrough(state: StateInline, silent: bool) -> bool:
    """Take a run of ``~~`` in the same way; a single ``~`` is a sign of ranges."""
    length = _run(state)
    if silent or state.src[state.pos] != "~" or length < 2:
        return False
    if length % 2:
        state.push("text", "", 0).content = "~"
    return _take_marks(state, "~~", length)


def _run(state: StateInline) -> int:
    """Length of the run of equal characters at the current position."""
    rest = state.src[state.pos : state.posMax]
    return len(rest) - len(rest.lstrip(rest[0]))


def _take_marks(state: StateInline, mark: str, length: int) -> bool:
    opens, closes = sides(state.src, state.pos, state.pos + length)
    for _ in range(length // len(mark)):
        state.push("text", "", 0).content = mark
        # A length of 0 tells the parser that CommonMark's rule of three concerns emphasis only.
        weight = length if len(mark) == 1 else 0
        place = len(state.tokens) - 1
        state.delimiters.append(
            Delimiter(marker=ord(mark[0]), length=weight, token=place, end=-1, open=opens, close=closes)
        )
    state.pos += length
    return True


def _formula(state: StateInline, silent: bool) -> bool:
    r"""Take ``$…$`` or ``$$…$$``."""
    found = formula_at(state.src, state.pos)
    if found is None:
        return False
    if not silent:
        token = state.push("math_inline_double" if found.double else "math_inline", "math", 0)
        token.content = found.content
        token.markup = "$$" if found.double else "$"
    state.pos = found.end
    return True
