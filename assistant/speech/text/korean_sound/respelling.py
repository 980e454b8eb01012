"""Respelling of Korean words whose pronunciation the sound rules cannot derive from the letters.

A respelling covers only what the sound rules cannot know: the boundary in a compound, a Sino-Korean word, a verb stem.
The sound rules do the rest: 맛있다 becomes 마싰다 here and 마싣따 there. Numbers are the articles of the Standard
Pronunciation (표준 발음법).
"""

import re
from collections.abc import Callable
from functools import cache
from typing import Final

from assistant.speech.text.korean_sound.hangul import syllable
from assistant.speech.text.korean_sound.sound_rules import TENSE
from assistant.speech.text.korean_sound.words import (
    ADNOMINAL,
    BEFORE_WORK,
    L_STEMS,
    NOUNS_AFTER_ADNOMINAL,
    NOUNS_IN_UI,
    STEM_ENDINGS,
    WRITTEN_AND_SAID,
)
from assistant.speech.text.vocabulary import words

_Change = Callable[[re.Match[str]], str]

_START: Final = "(?<![가-힣])"
_END: Final = "(?![가-힣])"
_VOWEL: Final = "[아-잏]"
"""A syllable without an onset consonant."""
_NUMERAL_BEFORE_SIX: Final = "십백천만억"


def _with_coda(coda: int) -> str:
    """A pattern for all syllables with one coda, given by its Unicode index."""
    return f"[{''.join(map(chr, range(ord('가') + coda, ord('힣') + 1, 28)))}]"


_ANY_CODA: Final = f"[{''.join(chr(each) for each in range(ord('가'), ord('힣') + 1) if (each - ord('가')) % 28)}]"
_N: Final = _with_coda(4)
_L: Final = _with_coda(8)
_PARTICLES: Final = words(
    "은 는 이 가 을 를 에 에서 에는 으로 로 와 과 도 만 의 부터 까지 보다 이나 나 이라 인 이고 입니다 이에요 예요 이다"
)
_PARTICLE: Final = f"(?:{'|'.join(sorted(_PARTICLES))})?"
_DEPENDENT: Final = (
    "(?:것|거|걸|게|건|겁|데|줄|듯|바|적|성|참|즈음|지도|도리|정도)"
    f"|수(?:[가는도를만]|밖에|도|조차)?{_END}|지{_END}|때|법{_END}|법[은이도]|게{_END}"
)


def respelled(text: str) -> str:
    """The text with such words respelled. The number of syllables stays the same."""
    for pattern, change in _steps():
        text = pattern.sub(change, text)
    return text


def _changed_onset(found: re.Match[str], onset: Callable[[str], str]) -> str:
    """The match with another onset in the syllable after the group ``before``."""
    word, at = found.group(), found.end("before") - found.start()
    letters = syllable(word[at])
    letters.onset = onset(letters.onset)
    return f"{word[:at]}{letters}{word[at + 1 :]}"


def _tense(found: re.Match[str]) -> str:
    return _changed_onset(found, lambda onset: TENSE.get(onset, onset))


def _with_n(found: re.Match[str]) -> str:
    return _changed_onset(found, lambda _: "ㄴ")


def _tense_ending(found: re.Match[str]) -> str:
    """Tense the onset, unless the ㄹ before it belongs to the stem, as in 알게 and 만들지."""
    return found.group() if found["before"].endswith(L_STEMS) else _tense(found)


def _possessive(found: re.Match[str]) -> str:
    """Replace the particle 의 at the end of a word by 에 (5.4)."""
    word = found.group()
    return word if word.endswith(NOUNS_IN_UI) else f"{word[:-1]}에"


def _said(found: re.Match[str]) -> str:
    return WRITTEN_AND_SAID[found.group()]


def _last_simplified(found: re.Match[str]) -> str:
    """Reduce the coda cluster of a noun before a consonant; verbs follow other rules."""
    letters = syllable(found.group()[-1])
    letters.coda = {"ㄺ": "ㄱ", "ㄼ": "ㄹ", "ㄻ": "ㅁ"}[letters.coda]
    return f"{found.group()[:-1]}{letters}"


def _any(words: tuple[str, ...]) -> str:
    return "|".join(sorted(words, key=lambda word: (-len(word), word)))


def _stems() -> str:
    return "|".join(f"{stem}(?=[{endings}])" for stem, endings in STEM_ENDINGS.items())


@cache
def _steps() -> tuple[tuple[re.Pattern[str], _Change], ...]:
    """The respellings in their order. Compiled at their first use, because that takes 20 ms."""
    return tuple(
        (re.compile(pattern), change)
        for pattern, change in (
            (f"{_START}(?:{_any(tuple(WRITTEN_AND_SAID))})", _said),
            (f"{_START}[가-힣]+의{_END}", _possessive),
            # 11 and 25: nouns.
            (f"{_START}(?:닭|흙|칡|까닭|기슭|여덟|삶|앎)(?!{_VOWEL}|[고지기다]{_END})(?=[가-힣])", _last_simplified),
            # 24: stems with the coda ㄴ or ㅁ.
            (f"(?P<before>{_START}(?:{_stems()}))[가-힣]", _tense),
            # 27: dependent nouns after -(으)ㄹ, and endings that contain it.
            (f"(?P<before>{_L} )(?<!를 )(?:{_DEPENDENT})", _tense),
            (f"(?P<before>{_START}(?:{_any(ADNOMINAL)}) )(?:{_any(NOUNS_AFTER_ADNOMINAL)})", _tense),
            (f"(?P<before>[가-힣]*{_L})(?:게|걸|지|지도|지는|지를|지라도|지언정|진대|세라){_END}", _tense_ending),
            (f"(?P<before>{_L})(?:수록|게요|걸요|거야|거예요|건가|건데)", _tense),
            # 29: 역 and 용 after an independent word; 육 within a larger number.
            (f"(?P<before>{_START}[가-힣]+{_ANY_CODA})(?:역|용){_PARTICLE}{_END}", _with_n),
            (f"(?P<before>[{_NUMERAL_BEFORE_SIX}])육", _with_n),
            (f"(?P<before>{_START}(?:못|첫|옷|꽃) )[이야여요유]", _with_n),
            (f"(?P<before>{_START}(?:못|옷|잘) )(?:입|잊|익|읽)", _with_n),
            (f"(?P<before>{_START}(?:{_any(BEFORE_WORK)}) )일(?:{_END}|[이은을도에]|들)", _with_n),
            # Ten and eight before a counter.
            (f"(?P<before>{_START}(?:열|여덟) )[가-힣]", _tense),
            # 20, note: a suffix after a word that ends in ㄴ.
            (f"(?P<before>{_START}[가-힣]+{_N})(?:력|량|론|료|례|란(?<![찬혼곤논반]란)){_PARTICLE}{_END}", _with_n),
        )
    )
