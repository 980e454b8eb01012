"""Pronunciation of written Korean by the Standard Pronunciation (표준 발음법, 표준어 규정 제2부).

The result is Hangul, as dictionaries print it in brackets: 값이 없다 is 갑씨 업따. Vowel length is omitted, because
speakers no longer distinguish it. Pure functions. Digits, Latin letters and signs stay as they are; a sign separates
phrases.
"""

import itertools
import re
from typing import Final

from assistant.speech.text.korean_sound.hangul import Syllable, is_syllable, syllable
from assistant.speech.text.korean_sound.respelling import respelled
from assistant.speech.text.korean_sound.sound_rules import close, join, soften

_PHRASE: Final = re.compile(r"[가-힣]+(?: [가-힣]+)*")
"""Words separated by single spaces form one phrase, in which sounds change across the spaces."""


def pronounced(text: str) -> str:
    """The pronunciation of a text in Hangul. Characters other than complete Hangul syllables stay as they are."""
    return _PHRASE.sub(lambda phrase: _phrase(phrase.group()), respelled(" ".join(text.split())))


def _phrase(text: str) -> str:
    letters: list[Syllable | None] = [syllable(letter) if is_syllable(letter) else None for letter in text]
    sounding = [index for index, each in enumerate(letters) if each is not None]
    for index, following in itertools.pairwise(sounding):
        left, right = letters[index], letters[following]
        if left is not None and right is not None:
            join(left, right, apart=following - index > 1)
    said = ""
    for index, each in enumerate(letters):
        if each is None:
            said += " "
            continue
        if index == sounding[-1]:
            close(each)
        soften(each, initial=index == 0 or letters[index - 1] is None)
        said += str(each)
    return said
