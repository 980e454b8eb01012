"""Latin letters in Korean text: terms, abbreviations with full stops, Roman numerals and words."""

import functools
import re
from typing import Final

from assistant.speech.text.korean import numerals
from assistant.speech.text.korean.latin_words.loanwords import hangul_word, letters, table_of
from assistant.speech.text.korean.marks import number, word
from assistant.speech.text.roman import with_roman_numerals

_ABBREVIATIONS: Final = {
    "e.g.": " 예를 들어 ",
    "i.e.": " 즉 ",
    "etc.": " 등등 ",
    "vs.": " 대 ",
    "cf.": " 참고로 ",
    "mr.": " 미스터 ",
    "mrs.": " 미시즈 ",
    "ms.": " 미즈 ",
    "dr.": " 닥터 ",
    "prof.": " 프로페서 ",
    "st.": " 세인트 ",
    "jr.": " 주니어 ",
    "inc.": " 인크 ",
    "ltd.": " 리미티드 ",
    "co.": " 컴퍼니 ",
    "corp.": " 코퍼레이션 ",
    "vol.": " 볼륨 ",
    "ver.": " 버전 ",
    "ch.": " 챕터 ",
    "fig.": " 그림 ",
    "approx.": " 약 ",
}
_ABBREVIATED: Final = re.compile(
    r"(?<![\w.])(?:" + "|".join(re.escape(short) for short in _ABBREVIATIONS) + r")(?![A-Za-z])", re.IGNORECASE
)
_INITIALS: Final = re.compile(r"(?<![\w.])(?:[A-Za-z]\.){2,8}(?![A-Za-z])|(?<![\w.])([A-Z])\.(?=\s?[A-Z])", re.ASCII)
_WORD: Final = re.compile(r"[A-Za-z]+(?:'[A-Za-z]{1,3}(?![A-Za-z]))?")
_DASHED: Final = re.compile(r"(?<=[A-Za-z])-(?=[A-Za-z0-9])|(?<=\d)-(?=[A-Za-z])")

_NUMBERED: Final = re.compile(r"(?:\bNo\.|#)\s?(?=\d)(\d{1,6})(?:번)?", re.IGNORECASE)
_PAGES: Final = re.compile(r"\bpp?\.\s?(\d{1,5}(?:\s?[-~–]\s?\d{1,5})?)(?!\d)")


@functools.cache
def _terms() -> tuple[re.Pattern[str], dict[str, str]]:
    table = table_of("ko_terms.tsv")
    signs = "|".join(re.escape(term) for term in sorted(table, key=len, reverse=True))
    return re.compile(rf"(?<![A-Za-z0-9.·/@_-])(?:{signs})(?![A-Za-z0-9@_]|[.·/-][A-Za-z0-9])", re.IGNORECASE), table


def with_terms_read(text: str) -> str:
    """Replace listed names and terms, abbreviations and Roman numerals. This runs before the numbers are read."""
    pattern, table = _terms()
    text = pattern.sub(lambda found: word(f" {table[found.group().lower()]}"), text)
    text = _ABBREVIATED.sub(lambda found: _ABBREVIATIONS[found.group().lower()], text)
    text = _NUMBERED.sub(lambda found: number(numerals.sino(int(found.group(1)))) + "번", text)
    text = _PAGES.sub(lambda found: f"{found.group(1).replace('-', '~')}쪽", text)
    text = _INITIALS.sub(lambda found: word(letters(found.group())), text)
    return with_roman_numerals(text, _roman_numeral)


def _roman_numeral(value: int, before: str, after: str) -> str:
    if after.startswith(("~", "–")):
        return str(value)  # a range, which is read as a whole
    reading = numerals.sino(value)
    return reading if before.endswith("제") else str(value) if before.endswith(("~", "–")) else number(reading)


def with_words_read(text: str) -> str:
    """Replace the remaining Latin words."""
    text = _DASHED.sub(" ", text)
    return _WORD.sub(lambda found: word(f" {hangul_word(found.group().replace(chr(39), ''))}"), text)
