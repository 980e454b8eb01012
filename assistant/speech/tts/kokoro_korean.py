"""Korean in Kokoro's symbols. Kokoro was never trained on Korean; the symbols were chosen by recogniser accuracy.

``benchmarks/spoken/korean_voice.py`` measures them.
"""

import re
from typing import Final

from assistant.speech.text.korean_sound.hangul import Syllable, is_syllable, syllable
from assistant.speech.text.korean_sound.pronunciation import pronounced

_VOWELS: Final = {
    "ㅏ": "a",
    "ㅐ": "ɛ",
    "ㅑ": "ja",
    "ㅒ": "jɛ",
    "ㅓ": "ɒ",
    "ㅔ": "e",
    "ㅕ": "jɒ",
    "ㅖ": "je",
    "ㅗ": "o",
    "ㅘ": "wa",
    "ㅙ": "wɛ",
    "ㅚ": "we",
    "ㅛ": "jo",
    "ㅜ": "u",
    "ㅝ": "wɒ",
    "ㅞ": "we",
    "ㅟ": "wi",
    "ㅠ": "ju",
    "ㅡ": "ɯ",
    "ㅢ": "ɰi",
    "ㅣ": "i",
}
"""ㅓ uses the vowel of British "lot". Kokoro reads its usual symbol ʌ as the vowel of "cut", which is heard as ㅏ."""
_ONSETS: Final = {
    "ㄱ": "k",
    "ㄲ": "k",
    "ㄴ": "n",
    "ㄷ": "t",
    "ㄸ": "t",
    "ㄹ": "ɾ",
    "ㅁ": "m",
    "ㅂ": "p",
    "ㅃ": "p",
    "ㅅ": "s",
    "ㅆ": "s",
    "ㅇ": "",
    "ㅈ": "ʨ",
    "ㅉ": "ʨ",
    "ㅊ": "ʨʰ",
    "ㅋ": "kʰ",
    "ㅌ": "tʰ",
    "ㅍ": "pʰ",
    "ㅎ": "h",
}
_CODAS: Final = {"": "", "ㄱ": "k", "ㄴ": "n", "ㄷ": "t", "ㄹ": "l", "ㅁ": "m", "ㅂ": "p", "ㅇ": "ŋ"}
_VOICED: Final = {"ㄱ": "ɡ", "ㄷ": "d", "ㅂ": "b", "ㅈ": "ʥ"}
"""Plain stops and the plain affricate are voiced between voiced sounds of one word."""
_SONORANTS: Final = frozenset(("", "ㄴ", "ㄹ", "ㅁ", "ㅇ"))
"""Codas after which a plain onset is voiced."""
_SAME_CLOSURE: Final = {"ㄱ": frozenset("ㄲ"), "ㄷ": frozenset("ㄸㅆㅉ"), "ㅂ": frozenset("ㅃ")}
"""Tense onsets that have the same place of articulation as the coda before them."""
_PALATAL: Final = frozenset("ㅈㅉㅊ")
_HISSING: Final = frozenset("ㅅㅆ")
_SIGNS: Final = {"。": ".", "？": "?", "！": "!", "，": ",", "、": ",", "~": "", "·": ",", "–": "—"}
_KEPT: Final = frozenset(' ,.!?;:—…"“”()')


def korean_symbols(text: str) -> str:
    """The symbols for a Korean text. Letters other than Hangul are dropped; punctuation is kept."""
    said = pronounced(text)
    symbols: list[str] = []
    before: Syllable | None = None
    for letter in said:
        if is_syllable(letter):
            each = syllable(letter)
            if before is not None and each.onset in _SAME_CLOSURE.get(before.coda, ()):
                # Same place of articulation: one long closure. A coda with another place is heard: 값이 is 갑씨.
                symbols[-1] = symbols[-1][:-1]
            symbols.append(_symbols_of(each, before))
            before = each
        else:
            sign = _SIGNS.get(letter, letter)
            symbols.append(sign if sign in _KEPT else "")
            before = None
    return re.sub(r" +", " ", "".join(symbols)).strip()


def _symbols_of(each: Syllable, before: Syllable | None) -> str:
    onset = _ONSETS[each.onset]
    if before is not None and before.coda in _SONORANTS:
        onset = _VOICED.get(each.onset, onset)
    if each.onset == "ㄹ" and before is not None and before.coda == "ㄹ":
        onset = "l"
    if each.onset in _HISSING and _VOWELS[each.vowel][0] in "ijɥ":
        onset = "ɕ"
    vowel = _VOWELS[each.vowel]
    if each.onset in _PALATAL:
        vowel = vowel.removeprefix("j")
    if each.vowel == "ㅢ" and each.onset != "ㅇ":
        vowel = "i"
    return f"{onset}{vowel}{_CODAS[each.coda]}"
