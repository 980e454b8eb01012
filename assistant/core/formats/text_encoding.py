"""Decodes the text of files and pages, also in the old encodings that Korean and Japanese programs still write."""

from dataclasses import dataclass
from typing import Final

_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
KOREAN: Final = ("utf-8", "cp949")
"""Encodings of text that is probably Korean or in Unicode, tried in this order. CP949 contains EUC-KR."""
ANY: Final = (*KOREAN, "shift_jis", "cp1252")
"""Encodings of any text file. Nearly all bytes are some text in the last one."""
_LONGEST_CHARACTER: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedText:
    """A text, and the name of the encoding in which it was written."""

    text: str
    encoding: str


def unicode_text(content: bytes) -> str:
    """The text of bytes in UTF-8, or in UTF-16 with a byte order mark, as Notepad writes it. The mark is left out.

    Raises:
        UnicodeDecodeError: the bytes are no such text.
    """
    found = decoded(content, ("utf-8",))
    if found is not None:
        return found.text
    if (zero := content.find(b"\0")) >= 0:
        raise UnicodeDecodeError("utf-8", content, zero, zero + 1, "not text")
    return content.decode("utf-8")


def decoded(content: bytes, encodings: tuple[str, ...] = KOREAN, *, is_cut: bool = False) -> DecodedText | None:
    """The text of bytes: by their byte order mark, else in the first encoding that fits; ``None`` for no text.

    Args:
        content: the bytes.
        encodings: the encodings to try.
        is_cut: whether the bytes may end within a character, which is then left out.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _in_encoding(content[len(mark) :], encoding, is_cut=is_cut)
    if b"\0" in content:
        return None
    found = (_in_encoding(content, encoding, is_cut=is_cut) for encoding in encodings)
    return next((each for each in found if each is not None), None)


def _in_encoding(content: bytes, encoding: str, *, is_cut: bool) -> DecodedText | None:
    for cut in range(_LONGEST_CHARACTER if is_cut else 1):
        try:
            return DecodedText(text=content[: len(content) - cut].decode(encoding), encoding=encoding)
        except UnicodeDecodeError:
            continue
    return None
