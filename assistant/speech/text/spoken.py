"""From written text to text that can be spoken (V-14): without Markdown, code, links' addresses and emoji."""

import html
import re
from typing import Final

_FENCED: Final = re.compile(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_IMAGE: Final = re.compile(r"!\[([^\]]*)\]\([^)\s]*(?:\s+\"[^\"]*\")?\)")
_LINK: Final = re.compile(r"\[([^\]]+)\](?:\([^)\s]*(?:\s+\"[^\"]*\")?\)|\[[^\]]*\])")
_CITATION: Final = re.compile(r"\s?\[\^?\d+\](?!\()(?:\s?\[\^?\d+\](?!\())*")
_ADDRESS: Final = re.compile(
    r"<?\b(?:https?|ftp)://(?:www\.)?([^\s/?#:>)\]]+)(?::\d+)?(?:[^\s>)\]가-힣]*[^\s>)\]가-힣.,!?;:'\"])?>?"
)
_TAG: Final = re.compile(r"</?[A-Za-z][^<>\n]*>|<!--.*?-->", re.DOTALL)
_INLINE_CODE: Final = re.compile(r"(`+)(.+?)\1", re.DOTALL)
_RULE: Final = re.compile(r"^[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$", re.MULTILINE)
_TABLE_RULE: Final = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|[ \t:-]*$", re.MULTILINE)
_TABLE_ROW: Final = re.compile(r"^[ \t]*\|(.+?)\|?[ \t]*$", re.MULTILINE)
_BLOCK_SIGN: Final = re.compile(r"^[ \t]*(?:(?:#{1,6}|>+|[-*•+])[ \t]+(?:\[[ xX]\][ \t]+)?)+", re.MULTILINE)
_STRONG: Final = re.compile(r"(\*{1,3}|~~)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_UNDERLINED: Final = re.compile(r"(?<![^\W_])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?![^\W_])", re.DOTALL)
_LEFT_OVER: Final = re.compile(r"\*{1,3}|`+|~~|_+|^#{1,6}(?=\s|$)", re.MULTILINE)
_ESCAPED: Final = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|>~$])")
_ARROW: Final = re.compile(r"\s*(?:[←-⇿⟵-⟿]|->|=>)+\s*")
_PICTURE: Final = re.compile(
    "[\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff\u2300-\u23ff\u25a0-\u25ff\ufe0e\ufe0f\u200d\u20e3\U000e0020-\U000e007f•]+"
)
_PAUSE_RUN: Final = re.compile(r"([,;:])(?:\s*[,;:])+")
_STOP_RUN: Final = re.compile(r"([!?])[!?]+")
_PAUSE_AFTER_STOP: Final = re.compile(r"([.!?…])\s*,")


def spoken_text(text: str) -> str:
    """What a person reading ``text`` aloud would say; empty when there is nothing to say.

    Code blocks are left out, inline code is read as words, a link is read as its text and a bare address as its host,
    citation numbers are left out, rows of a table are read cell by cell.
    """
    plain = _FENCED.sub("\n", text)
    plain = _IMAGE.sub(r"\1", plain)
    plain = _CITATION.sub("", plain)
    plain = _LINK.sub(r"\1", plain)
    plain = _ADDRESS.sub(r"\1", plain)
    plain = html.unescape(_TAG.sub(" ", plain))
    plain = _without_blocks(plain)
    plain = _without_emphasis(plain)
    plain = _ARROW.sub(", ", plain)
    plain = _PICTURE.sub(" ", plain)
    return _tidied(plain)


def _without_blocks(text: str) -> str:
    plain = _TABLE_RULE.sub("", _RULE.sub("", text))
    plain = _TABLE_ROW.sub(
        lambda row: ", ".join(cell.strip() for cell in row.group(1).split("|") if cell.strip()), plain
    )
    return _BLOCK_SIGN.sub("", plain)


def _without_emphasis(text: str) -> str:
    plain = _ESCAPED.sub(lambda sign: " " if sign.group(1) in "*_`~#|>\\" else sign.group(1), text)
    plain = _INLINE_CODE.sub(lambda code: code.group(2).strip(), plain)
    for _ in range(2):  # emphasis within emphasis
        plain = _UNDERLINED.sub(r"\2", _STRONG.sub(r"\2", plain))
    return _LEFT_OVER.sub(lambda sign: " " if sign.group().startswith("_") else "", plain)


def _tidied(text: str) -> str:
    plain = " ".join(text.split())
    plain = re.sub(r"\s+([,.!?;:…])(?=\s|$)", r"\1", plain)
    plain = _STOP_RUN.sub(r"\1", _PAUSE_AFTER_STOP.sub(r"\1", _PAUSE_RUN.sub(r"\1", plain)))
    plain = plain.strip(" ,;:-—|")
    return plain if any(letter.isalnum() for letter in plain) else ""
