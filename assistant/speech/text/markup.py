"""Removal of Markdown and HTML: no markup signs, code blocks, link addresses or emoji remain."""

import html
import re
from collections.abc import Iterator
from typing import Final

from assistant.speech.text.code_blocks import CodeLines
from assistant.speech.text.pieces import pieces

_MATH_LINES: Final = ("$$", "\\[", "\\]")
_LINE: Final = 2_000
"""Longer lines are processed in parts."""
_IMAGE: Final = re.compile(r"!\[([^\]\[]{0,200})\]\([^)\s]{0,400}(?:\s+\"[^\"]{0,200}\")?\)")
_LINK: Final = re.compile(r"\[([^\]\[]{1,200})\](?:\([^)\s]{0,400}(?:\s+\"[^\"]{0,200}\")?\)|\[[^\]\[]{0,80}\])")
_CITATION: Final = re.compile(r"\s?\[\^?\d{1,3}(?:[,–-]\s?\d{1,3}){0,9}\](?!\()")
_DEFINITION: Final = re.compile(r"^\s*\[\^?[^\]\[]{1,80}\]:\s.*$")
_RAW: Final = re.compile(r"<(pre|script|style|textarea)\b[^<>]{0,200}>.{0,2000}?(?:</\1>|$)", re.IGNORECASE)
"""Code within a line."""
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]{0,400}>|<!--.{0,400}?-->")
_AUTOLINK: Final = re.compile(r"<((?:https?://|ftp://|mailto:)[^\s<>]{1,300}|[^\s<>@]{1,60}@[^\s<>]{1,60})>")
_INLINE_CODE: Final = re.compile(r"(?<!`)(?:``([^\n]{1,400}?)``|`([^`\n]{1,400})`)(?!`)")
_BRACKETS: Final = str.maketrans("[]", "  ")
_RULE: Final = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})")
_TABLE_RULE: Final = re.compile(r"[ \t|:-]*-[ \t|:-]*")
_BLOCK_SIGN: Final = re.compile(r"[ \t]*(?:#{1,6}|>|[-*•·+])[ \t]+(?:\[[ xX]\][ \t]+)?|[ \t]*>(?=[^\s\d=])")
_STRONG: Final = re.compile(r"(\*{1,3}|~~)(?=[^\s*~])([^*~]{1,400})(?<=\S)\1")
_UNDERLINED: Final = re.compile(r"(?<![^\W_])(_{1,3})(?=[^\s_])([^_]{1,400})(?<=\S)\1(?![A-Za-z0-9_])")
_LEFT_OVER: Final = re.compile(r"(?<!\s)\*+|\*+(?=\S)|\*{2,}|`+|~~+|^#{1,6}(?=\s|$)")
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~])")
_ARROW: Final = re.compile(r"\s{0,3}(?:[←-⇿⟵-⟿]|<?[-=]{1,2}>)+\s{0,3}")
_PICTURE: Final = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\u25a0-\u25ff\u20e3\U000e0020-\U000e007f]+"
)
_CHANGE: Final = re.compile(r"[▲▼](?=\s?\d[\d,.]{0,12}\s?(?:%|퍼센트|포인트|\)))")
"""The sign of a rise or a fall, as of a share price; before other text it begins an item."""
_NUMBERED: Final = re.compile(r"[ \t]*(\d{1,3})[.)](?=\s)\s{0,4}")
_SHORTCODE: Final = re.compile(r":[a-z][a-z_]{1,30}:(?![a-z0-9])")
_EMOTICON: Final = re.compile(r"(?<!\S)(?:[:;]-?[)(DPp]|\^\^;{0,3}|\^_\^|-_-;{0,3}|<3|T_T|[xX]D)(?!\S)")
_ENDS: Final = frozenset(".!?…,:;，。！？")


def plain_text(text: str) -> str:
    """Return the text of Markdown in one line, with a comma before a block if the text so far lacks a stop.

    Code blocks are dropped, inline code stays as written, a link becomes its text, and a table row becomes its cells
    separated by commas.
    """
    parts: list[str] = []
    before = ""
    for line, begins_block in _lines(text):
        stripped = " ".join(_inline(line).split())
        if not stripped:
            continue
        if before and begins_block and before[-1] not in _ENDS:
            stripped = f", {stripped}"
        parts.append(stripped)
        before = stripped
    return " ".join(parts).replace(" ,", ",")


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Yield lines outside code blocks, without block signs, and whether each begins a block. Long lines are split."""
    code = CodeLines()
    separate = False
    for line in text.split("\n"):
        if code.takes(line):
            separate = True
            continue
        plain, begins_block = _without_block_signs(html.unescape(line))
        for part in pieces(plain, _LINE):
            yield part, begins_block or separate
            begins_block = separate = False
        separate = begins_block or separate or not plain.strip()


def _without_block_signs(line: str) -> tuple[str, bool]:
    if line.strip() in _MATH_LINES or _RULE.fullmatch(line) or _DEFINITION.match(line):
        return "", True
    if line.count("|") > 1 and (line.lstrip().startswith("|") or line.rstrip().endswith("|")):
        return _table_row(line), True
    begins_block = False
    for _ in range(4):
        sign = _BLOCK_SIGN.match(line)
        if sign is None:
            break
        begins_block = True
        line = line[sign.end() :]
    item = _NUMBERED.match(line)
    return (f"{item.group(1)}, {line[item.end() :]}", True) if item else (line, begins_block)


def _table_row(line: str) -> str:
    if _TABLE_RULE.fullmatch(line):
        return ""
    cells = [cell.strip() for cell in line.replace("\\|", "/").split("|")]
    return ", ".join(cell for cell in cells if cell)


def _inline(line: str) -> str:
    plain = _INLINE_CODE.sub(_code, _RAW.sub(" ", line) if "<" in line else line)
    plain = _CITATION.sub("", _IMAGE.sub(r"\1", plain))
    plain = _LINK.sub(r"\1", plain)
    plain = _TAG.sub(" ", _AUTOLINK.sub(r" \1", plain))
    plain = _SHORTCODE.sub(" ", _EMOTICON.sub(" ", plain))
    plain = _ESCAPED.sub(_escaped, plain)
    for _ in range(2):  # emphasis nests at most twice
        plain = _UNDERLINED.sub(r"\2", _STRONG.sub(r"\2", plain))
    plain = _CHANGE.sub(lambda sign: "+" if sign.group() == "▲" else "-", _LEFT_OVER.sub("", plain))
    return _PICTURE.sub(" ", _ARROW.sub(", ", plain))


def _code(found: re.Match[str]) -> str:
    """Return inline code as written, without brackets, so that it is not mistaken for a link."""
    return (found.group(1) or found.group(2)).replace("`", "").translate(_BRACKETS).strip()


def _escaped(sign: re.Match[str]) -> str:
    return " " if sign.group(1) in "*_`~#|>\\" else sign.group(1)
