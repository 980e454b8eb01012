r"""Bounds that let the time of parsing grow with the length of a text, not with its square.

The rules of markdown-it and its plug-ins look ahead from each mark: those of a line (``[``, ``*``, a backtick) to the
end of the paragraph, those of a formula (``$$``, ``\[``, ``\begin``) to the end of the text. A text of many marks that
nothing closes would be read again for each of them. So a long paragraph is parsed in pieces, and a formula has at most
a number of lines.
"""

import re
from collections.abc import Callable, Iterator

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

PIECE = 1000
"""Most characters of a paragraph, a heading or a cell whose marks can belong together."""
FORMULA_LINES = 60
"""Most lines of a formula."""
COLUMNS = 100
"""Most columns of a table; a wider one is text. A short row is filled up to them."""
LONGEST = 200_000
"""Characters of a text that are parsed. What follows is shown as it is written."""
MOST_LINES = 3000
"""Lines of a text that are parsed: each may be a row of a table or a card of code, which take a view a while."""

_CLOSING = {"$$": "$$", "\\[": "\\]", "\\begin{": "\\end{"}
_FORMULAS = frozenset({"math_block", "math_block_eqno", "amsmath"})
_SENTENCE_END = re.compile(r"[.!?。！？…](?=\s)")

_Rule = Callable[[StateBlock, int, int, bool], bool]


def use_bounds(parser: MarkdownIt) -> None:
    """Let ``parser``, whose plug-ins are all there, look ahead no further than the bounds."""
    parser.core.ruler.at("inline", _parse_pieces)
    for rule in parser.block.ruler.__rules__:
        if rule.name in _FORMULAS:
            rule.fn = _bounded_formula(rule.fn)
        elif rule.name == "table":
            rule.fn = _bounded_table(rule.fn)


def pieces(text: str) -> Iterator[str]:
    """A text in pieces of at most ``PIECE`` characters, which end with a line, a sentence or a word if possible."""
    at = 0
    while len(text) - at > PIECE:
        end = _break(text, at + PIECE // 2, at + PIECE)
        yield text[at:end]
        at = end
    yield text[at:]


def _break(text: str, first: int, last: int) -> int:
    if (line := text.rfind("\n", first, last)) > 0:
        return first + len(text[first:line].rstrip(" "))  # Spaces belong to the end of the line.
    sentences = [each.start() + 1 for each in _SENTENCE_END.finditer(text, first, last)]
    if sentences:
        return sentences[-1]
    word = text.rfind(" ", first, last)
    return word if word > 0 else last


def _parse_pieces(state: StateCore) -> None:
    for token in state.tokens:
        if token.type == "inline":
            token.children = []
            for piece in pieces(token.content):
                found: list[Token] = []
                state.md.inline.parse(piece, state.md, state.env, found)
                token.children += found


def _bounded_formula(rule: _Rule) -> _Rule:
    def read(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        begin, end = state.bMarks[line] + state.tShift[line], min(end, line + FORMULA_LINES)
        opening = next((each for each in _CLOSING if state.src.startswith(each, begin)), "")
        if not opening or state.src.find(_CLOSING[opening], begin + len(opening), state.eMarks[end - 1]) < 0:
            return False
        return rule(state, line, end, silent)

    return read


def _bounded_table(rule: _Rule) -> _Rule:
    def read(state: StateBlock, line: int, end: int, silent: bool) -> bool:
        is_wide = state.src.count("|", state.bMarks[line], state.eMarks[line]) > COLUMNS + 1
        return not is_wide and rule(state, line, end, silent)

    return read
