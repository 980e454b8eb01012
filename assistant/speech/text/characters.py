"""From any Unicode text to the characters that the reading rules know.

Forms of one character become one character (full-width letters, enclosed numbers, composed and decomposed Hangul,
digits of other scripts), accents are taken off Latin letters, and what no rule reads is replaced by a space. Nothing is
joined by what is taken out, so no new word, number or sign comes about.
"""

import unicodedata
from typing import Final

_SAME: Final = frozenset("²³⁰¹⁴⁵⁶⁷⁸⁹ⁿ₀₁₂₃₄₅₆₇₈₉™®©℗…°ª′″¨´¸‥")
"""Compatibility characters with a reading of their own, which normalisation would take away."""
_SUPERSCRIPTS: Final = str.maketrans("⁰¹⁴⁵⁶⁷⁸⁹ⁿ₀₁₂₃₄₅₆₇₈₉", "01456789n0123456789")
_PLAIN: Final = {
    **dict.fromkeys("‐‑‒−﹣－", "-"),
    **dict.fromkeys("–—―", "–"),
    **dict.fromkeys("∼〜～˜∽", "~"),
    **dict.fromkeys("‘’‛ʼ´", "'"),
    **dict.fromkeys("“”„‟«»「」『』〈〉《》【】〔〕", '"'),
    **dict.fromkeys("・ㆍ∙⋅‧᛫•◦", "·"),
    **dict.fromkeys("∶", ":"),
    **dict.fromkeys("∕⁄", "/"),
    **dict.fromkeys("、", ","),
    **dict.fromkeys("。", "."),
    **dict.fromkeys("‥", "…"),
    **dict.fromkeys("™®©℗ª¨¸", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0e\ufe0f", ""),
    "\u20e3": ".",
    "℃": "°C",
    "℉": "°F",
    "℡": " ",
    "㎡": "m²",
    "㎢": "km²",
    "㎠": "cm²",
    "㎟": "mm²",
    "㎥": "m³",
    "㎤": "cm³",
    "㏄": "cc",
    "㎧": "m/s",
    "№": "No. ",
    "Ø": "O",
    "ø": "o",
    "Đ": "D",
    "đ": "d",
    "Ł": "L",
    "ł": "l",
    "ß": "ss",
    "Æ": "AE",
    "æ": "ae",
    "Œ": "OE",
    "œ": "oe",
    "ı": "i",
    "þ": "th",
    "ð": "d",
}
_FIRST_PRIVATE: Final = 0xE000
_LAST_PRIVATE: Final = 0xF8FF


def plain_characters(text: str) -> str:
    """The same text in the characters that the rules know; line breaks stay."""
    return "".join(_plain(letter) for letter in unicodedata.normalize("NFC", text))


def _plain(letter: str) -> str:
    if letter.isascii():
        return letter if letter.isprintable() or letter == "\n" else " "
    if "가" <= letter <= "힣":
        return letter
    found = _PLAIN.get(letter)
    if found is not None:
        return found
    if _FIRST_PRIVATE <= ord(letter) <= _LAST_PRIVATE:
        return " "  # the rules mark words with private characters
    return _compatible(letter)


def _compatible(letter: str) -> str:
    if letter in _SAME:
        return f"^{letter.translate(_SUPERSCRIPTS)}" if letter in "⁰¹⁴⁵⁶⁷⁸⁹ⁿ" else letter.translate(_SUPERSCRIPTS)
    if "ㄱ" <= letter <= "ㆎ":
        return letter
    kind = unicodedata.category(letter)
    if kind == "Nd":
        return str(unicodedata.digit(letter))
    if kind in {"Mn", "Me", "Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"}:
        return "" if kind == "Mn" else " "
    form = unicodedata.normalize("NFKC", letter)
    if kind == "No":
        return f" {form.replace('⁄', '/')} "  # 1½ is no 11/2
    return _latin(form)


def _latin(form: str) -> str:
    """Latin letters without their accents; of other scripts the characters as they are."""
    bare = [part for part in unicodedata.normalize("NFKD", form) if not unicodedata.combining(part)]
    if all(part.isascii() for part in bare):
        return "".join(part for part in bare if part.isprintable())
    return form
