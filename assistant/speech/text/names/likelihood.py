"""Detection of a called name by how well it fits the sound, where the recogniser writes it as other words (V-06). Pure.

``docs/decisions/spoken-names.md`` says how the limits were found.
"""

import math
from collections.abc import Mapping
from typing import Final

from assistant.core.hangul import final_of
from assistant.speech.text.korean.latin_words.loanwords import hangul_word
from assistant.speech.text.korean_sound.hangul import has_syllables, is_syllable
from assistant.speech.text.korean_sound.pronunciation import pronounced
from assistant.speech.text.names.calls import Call, after_name
from assistant.speech.text.names.sounds import distance, sounds, units

CERTAIN: Final = -7.5
"""Log probability from which a name is heard whatever the transcript says."""
POSSIBLE: Final = -13.0
"""Log probability from which a name is heard if its sound resembles that of the enrolment."""
LEAST: Final = -12.0
"""Log probability below which a name is not heard, although the transcript resembles it."""
BY_CHANCE: Final = -10.0
"""Log probability that a name may have with silence. Everyday words have more (아이스크림 -3, 컴퓨터 -2), and nearly as
much with any other sound."""
_LEAST_SHARE: Final = 0.5
"""Share of a name's sounds that the words behind it must lack. Words that were said with a name lack all of them."""
_AFTER_VOWEL: Final = frozenset("가는를와")
_AFTER_CONSONANT: Final = frozenset("은을과")
_PARTICLES: Final = _AFTER_VOWEL | _AFTER_CONSONANT | frozenset("이도만의에로들랑")
"""Particles of one syllable."""


def writings(phrase: str, language: str) -> tuple[str, ...]:
    """How a recogniser of ``language`` may write a wake phrase."""
    phrase = " ".join(phrase.split())
    if not phrase:
        return ()
    found = [phrase]
    if has_syllables(phrase):
        found.append(pronounced(phrase))
    else:
        found.append(phrase[0].upper() + phrase[1:])
        if language == "ko":
            found.append(" ".join(hangul_word(word.lower()) for word in phrase.split(" ")))
    return tuple(dict.fromkeys(each for each in found if each.strip()))


def over_silence(fits: Mapping[str, float], silent: Mapping[str, float]) -> dict[str, float]:
    """The log probabilities of names with a sound, less what everyday words have whatever the sound is.

    Args:
        fits: the log probabilities with the sound.
        silent: those with silence; a name without one is taken as it is.
    """
    return {name: fit - max(0.0, silent.get(name, -math.inf) - BY_CHANCE) for name, fit in fits.items()}


def inserted(free: str, rest: str, phrase: str) -> bool:
    """Whether a name stands before words that explain the sound without it, so that it was not said.

    Args:
        free: the words that the recogniser chose freely.
        rest: the words behind the name in the transcript that was made to begin with it.
        phrase: the wake phrase.
    """
    alone = _sounds(free) if _readable(free) else ()
    return bool(alone) and distance(alone, _sounds(rest)) < _LEAST_SHARE * len(_sounds(phrase))


def misheard(free: str, rest: str) -> str:
    """How the recogniser wrote a name that it did not know: the words before those that resemble ``rest`` most.

    Args:
        free: the words that the recogniser chose freely; the name is among them.
        rest: the words behind the name in the transcript that was made to begin with it.
    """
    words = free.split()
    behind = _sounds(rest)
    starts = range(1, len(words) + 1)
    start = min(starts, key=lambda each: (distance(_sounds(" ".join(words[each:])), behind), each), default=0)
    return " ".join(words[:start]).strip(",.!?~ ")


def called_as(text: str, written: tuple[str, ...]) -> Call | None:
    """The call at the beginning of a transcript that was made to begin with a name.

    Args:
        text: the transcript.
        written: the writings of the name; the transcript begins with one of them.

    Returns:
        ``None`` if the name has the particle of a subject or an object, so that it is spoken about.
    """
    start = max((len(each) for each in written if text.casefold().startswith(each.casefold())), default=0)
    return after_name(text, start) if start else None


def _readable(text: str) -> bool:
    """Whether a text has words. For a sound that it cannot read, the recogniser writes figures or other scripts."""
    letters = [letter for letter in text if letter.isalpha()]
    return bool(letters) and all(is_syllable(letter) or letter.isascii() for letter in letters)


def called_alone(text: str, written: tuple[str, ...], free: str, *, certainly_said: bool = False) -> Call | None:
    """The call in a transcript that is a Korean name and one syllable, which the recogniser adds to a name said alone.

    It is none if the free words sound the same, because then another word was said (다온다). It is none either if the
    syllable is a particle that fits the name, unless other evidence tells that the name was said.

    Args:
        text: the transcript that was made to begin with a name.
        written: the writings of the name.
        free: the words that the recogniser chose freely.
        certainly_said: whether other evidence tells that the name was said.
    """
    plain = text.strip(" .,!?~")
    name, tail = plain[:-1], plain[-1:]
    if name not in written or not is_syllable(tail) or not is_syllable(name[-1]) or _sounds(plain) == _sounds(free):
        return None
    wrong = _AFTER_VOWEL if final_of(name) else _AFTER_CONSONANT
    return Call(0.0, len(name)) if certainly_said or tail in wrong or tail not in _PARTICLES else None


def _sounds(text: str) -> tuple[str, ...]:
    return sounds("".join(unit.said for unit in units(text)))
