"""Normalisation of Unicode text to the characters that the reading rules know.

Variants of a character become one character (full-width letters, enclosed numbers, composed and decomposed Hangul,
digits of other scripts). Latin letters lose their accents. Characters that no rule reads become spaces, so their
removal never joins two words, numbers or signs.
"""

import unicodedata
from typing import Final

_SAME: Final = frozenset("²³⁰¹⁴⁵⁶⁷⁸⁹ⁿ₀₁₂₃₄₅₆₇₈₉™®©℗…°ª′″¨´¸‥")
"""Compatibility characters with their own reading, which NFKC normalisation would remove."""
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
    """Return the text in the characters that the rules know. Line breaks stay."""
    return "".join(_plain(letter) for letter in unicodedata.normalize("NFC", text))


def _plain(letter: str) -> str:
    if letter == "\t":
        return "    "  # of Markdown's width, because indented lines are code
    if letter.isascii():
        return letter if letter.isprintable() or letter == "\n" else " "
    if "가" <= letter <= "힣":
        return letter
    found = _PLAIN.get(letter)
    if found is not None:
        return found
    if _FIRST_PRIVATE <= ord(letter) <= _LAST_PRIVATE:
        return " "  # the rules use private characters as word marks
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
        return f" {form.replace('⁄', '/')} "  # spaces keep 1½ from becoming 11/2
    return _latin(form)


def _latin(form: str) -> str:
    """Latin letters without accents; other scripts unchanged."""
    bare = [part for part in unicodedata.normalize("NFKD", form) if not unicodedata.combining(part)]
    if all(part.isascii() for part in bare):
        return "".join(part for part in bare if part.isprintable())
    return form
