"""Prepares a Markdown text for display while its end is still missing, so that nothing jumps when it arrives.

An unfinished marker would first be shown as characters and then vanish. So markers whose meaning depends on the next
characters are held back, and open emphasis, code and links are closed temporarily.
"""

import re
from typing import Final

from assistant.core.markdown.bounds import PIECE

_ITEM: Final = r"(?:[-*+]|\d{1,9}[.)])[ \t]+"
_UNDECIDED_LINE: Final = re.compile(
    rf"[ \t]*(?:>[ \t]*)*(?:{_ITEM})*"
    rf"(?:#{{1,6}}|[-*_=+]{{1,3}}|\d{{1,9}}[.)]?|>|[`~]{{1,2}}|[`~]{{3,}}[^\n]*|\||\$\$?|\\|{_ITEM}\[.?\]?)?[ \t]*"
)
"""A last line that may become a heading, an item, a rule, a fence, a formula, or an item with a box."""
_TABLE_LINE: Final = re.compile(r"[ \t]*\|")
_FENCE: Final = re.compile(rf"^[ \t>]*(?:{_ITEM})*(`{{3,}}|~{{3,}})(.*)$")
_LOOSE_END: Final = re.compile(r"(?:\*+|_+|~+|`+|!?\[|\\|\$+|<)$")
_OPEN_LINK: Final = re.compile(r"!?\[([^\[\]\n]*)\](?:\([^()\s]*)?$|!?\[([^\[\]\n]*)$")
_CODE_SPAN: Final = re.compile(r"(`+)(?!`)(.*?)(?<!`)\1(?!`)", re.DOTALL)
_PAIRS: Final = ("**", "~~", "__")


def presentable(source: str) -> str:
    """The text to display while more is to come."""
    settled, line = _last_line(source)
    fenced = _inside_fence(settled)
    if fenced:
        return _in_code(source, settled, line, fenced)
    if len(line) <= PIECE and _UNDECIDED_LINE.fullmatch(line):
        return _closed(_without_new_table(settled.rstrip("\n")))
    if _TABLE_LINE.match(line):
        return _without_new_table(settled.rstrip("\n"))
    return _closed(source)


def _last_line(source: str) -> tuple[str, str]:
    at = source.rfind("\n") + 1
    return source[:at], source[at:]


def _inside_fence(source: str) -> str:
    """The fence that is open at the end of ``source``, empty for none."""
    fence = ""
    for line in source.split("\n"):
        if (found := _FENCE.match(line)) is None:
            continue
        if not fence:
            if not (found.group(1)[0] == "`" and "`" in found.group(2)):
                fence = found.group(1)
        elif found.group(1).startswith(fence) and not found.group(2).strip():
            fence = ""
    return fence


def _in_code(source: str, settled: str, line: str, fence: str) -> str:
    """Hold back one or two backticks at the end of code, which may become the end of the fence."""
    signs = line.strip()
    return settled.rstrip("\n") if signs and not signs.strip(fence[0]) and not signs.startswith(fence) else source


def _without_new_table(source: str) -> str:
    """Hold back a table's heading until the line beneath it arrives. Before that it would be shown as text."""
    lines = source.split("\n")
    begin = len(lines)
    while begin > 0 and _TABLE_LINE.match(lines[begin - 1]):
        begin -= 1
    return "\n".join(lines[:begin]) if len(lines) - begin == 1 else source


def _closed(source: str) -> str:
    """Close the open markers of the last paragraph, or of its last piece if it is long."""
    start = max(source.rfind("\n\n"), len(source) - PIECE, 0)
    head, tail = source[:start], _LOOSE_END.sub("", source[start:])
    bare = _CODE_SPAN.sub(lambda span: " " * len(span.group()), tail)
    if "`" in bare:
        ticks = bare[bare.index("`") :]
        return head + tail + "`" * (len(ticks) - len(ticks.lstrip("`")))
    if bare.count("$$") % 2:
        return head + tail + "$$"
    if (link := _OPEN_LINK.search(bare)) is not None:
        words = link.start(1) if link.group(1) is not None else link.start(2)
        ends = link.end(1) if link.group(1) is not None else link.end(2)
        if link.group(1) is not None or words > link.start() + 1:
            tail = tail[: link.start()] + tail[words:ends]
            bare = bare[: link.start()] + bare[words:ends]
    return head + tail.rstrip(" ") + _missing_ends(bare)


def _missing_ends(text: str) -> str:
    """The markers that close the open emphasis at the end of ``text``."""
    missing = [(text.rfind(mark), mark) for mark in _PAIRS if text.count(mark) % 2]
    without = text.replace("**", "  ")
    stars = [each.start() for each in re.finditer(r"\*(?=\S)|(?<=\S)\*", without)]
    if len(stars) % 2:
        missing.append((stars[-1], "*"))
    return "".join(mark for _, mark in sorted(missing, reverse=True))
