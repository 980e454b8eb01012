"""What short speech over an answer was: no words, a word of agreement, Sori's own voice, or an interruption (V-16).

Pure. People say "네", "응" or "right" to show that they listen; the answer then goes on. Words are compared by their
sounds, because a recogniser often misspells a word that stands alone ("마자요" for "맞아요", "점간" for "잠깐").
"""

import math
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final

from assistant.speech.addressee import addressed
from assistant.speech.stt.judgement import Reason, judge, normalise
from assistant.speech.stt.recognizer import Transcript
from assistant.speech.text.names.sounds import distance, distance_within, sounds, units
from assistant.speech.text.stop_words import STOP_WORDS, says_stop

MISHEARD_SHARE: Final = 0.25
"""Part of a word's sounds that the recogniser may get wrong."""
LONG_SOUNDS: Final = 8
"""From this number of sounds on, words resemble a long text only if they are part of it. Fewer must be in it
unchanged."""
LEAST_SOUNDS: Final = 4
"""Fewer sounds are in any text by chance."""
UNCLEAR_LOG_PROBABILITY: Final = -0.75
"""Below this value, short speech was not understood. Hums (음, mm-hmm) measure -0.77 to -1.5, words -0.2 to -0.7."""
UNSURE_OF_ECHO: Final = -0.45
"""Below this value, words in sound that is probably only Sori's echo are the recogniser's invention. Inventions measure
-0.5 to -2, words that people say over an echo as loud as they are -0.1 to -0.5."""
ECHO_MS: Final = 260
"""Shorter speech is not believed where an echo is possible, but stop words are: a recogniser also makes a clear word of
200 ms of echo, or of the beginning of a word."""
LEAST_FIT: Final = -5.0
"""Log probability from which a sound that the recogniser is unsure of is a stop word. Stop words over an echo measure
-5.9 to 0, words of agreement -16 to -6.2."""
ADDED_SOUNDS: Final = 3
"""Most sounds that the recogniser adds to a stop word when it is unsure: a syllable ("그만들" for "그만")."""
UNCLEAR_MS: Final = 600
"""Longer speech that was not understood is more than a hum, and more than what is left of an echo (at most 480 ms)."""

_AGREEMENTS: Final = (
    *(
        "네",
        "네네",
        "넵",
        "예",
        "예예",
        "응",
        "응응",
        "으응",
        "음",
        "흠",
        "어",
        "어어",
        "아",
        "아하",
        "오",
        "와",
        "하하",
        "헐",
    ),
    *(
        "그래",
        "그래요",
        "그렇지",
        "그렇죠",
        "그치",
        "그죠",
        "그렇구나",
        "그렇군",
        "그렇군요",
        "그렇네",
        "그렇네요",
        "그렇습니다",
    ),
    *(
        "맞아",
        "맞아요",
        "맞네",
        "맞습니다",
        "알겠어",
        "알겠어요",
        "알았어",
        "알았어요",
        "좋아",
        "좋네",
        "진짜",
        "정말",
        "정말요",
    ),
    *(
        "uh-huh",
        "uh",
        "um",
        "mm",
        "hm",
        "hmm",
        "mhm",
        "mm-hmm",
        "ah",
        "aha",
        "oh",
        "huh",
        "haha",
        "wow",
        "great",
        "good",
    ),
    *("yeah", "yep", "yup", "yes", "yes yes", "ok", "okay", "right", "all right", "alright", "sure", "really", "nice"),
    *(
        "cool",
        "i see",
        "got it",
        "exactly",
        "true",
        "of course",
        "indeed",
        "아 네",
        "아 그래",
        "아 그렇구나",
        "oh okay",
    ),
    *("oh i see", "yeah right", "yeah yeah", "ok ok", "oh really", "아 진짜"),
)


class OverlapWords(StrEnum):
    """What the words are."""

    NOTHING = "nothing"
    """Nobody said them, or nobody can tell which: a cough, a laugh, a hum, noise."""
    ECHO = "echo"
    ELSEWHERE = "elsewhere"
    """They are not said to Sori: by a television or somebody far away."""
    AGREEMENT = "agreement"
    STOP = "stop"
    INTERRUPTION = "interruption"

    @property
    def interrupts(self) -> bool:
        """Whether the answer ends."""
        return self in (OverlapWords.STOP, OverlapWords.INTERRUPTION)


def classify(
    transcript: Transcript,
    *,
    speech_ms: int,
    saying: str,
    echo: bool,
    answers: bool,
    voice: bool = True,
    fits: Mapping[str, float] | None = None,
    name: str = "",
) -> OverlapWords:
    """Say what short speech over an answer was.

    Args:
        transcript: the recogniser's result.
        speech_ms: duration of the speech.
        saying: what Sori says at the same time.
        echo: whether the microphone may pick up Sori's voice.
        answers: whether the words may answer a question of Sori's. A yes is then no mere agreement.
        voice: whether the sound is more than what is left of the echo, as far as the sound can tell.
        fits: how well stop words and names fit the sound of an unclear transcript: log probabilities.
        name: the name by which the words call Sori; empty for none.
    """
    heard = _sounds(transcript.text)
    if echo and _is_part(heard, _sounds(saying)):
        return OverlapWords.ECHO
    believed = is_believed(transcript, voice=voice)
    unclear = is_unclear(transcript)
    stops = _is_any(heard, STOP_WORDS) or says_stop(normalise(transcript.text))
    if believed and (stops or (unclear and _may_be_stop(heard, fits or {}))):
        return OverlapWords.STOP
    if name:
        # A recogniser that invents words does not invent the name that was chosen here.
        return OverlapWords.INTERRUPTION
    verdict = judge(transcript, speech_ms=speech_ms)
    if not verdict.accept:
        spoken = verdict.reason is Reason.UNSURE and voice and speech_ms >= UNCLEAR_MS
        return OverlapWords.INTERRUPTION if spoken else OverlapWords.NOTHING
    if not believed or (echo and speech_ms < ECHO_MS):
        return OverlapWords.ECHO
    if not answers and _is_any(heard, _AGREEMENTS):
        return OverlapWords.AGREEMENT
    if speech_ms < UNCLEAR_MS and unclear:
        return OverlapWords.NOTHING
    return OverlapWords.INTERRUPTION


def called_name(transcript: Transcript, names: Iterable[str], fits: Mapping[str, float], *, saying: str) -> str:
    """The name that speech over an answer calls; empty if it calls none, or if Sori says the name itself.

    Args:
        transcript: the recogniser's result.
        names: the names by which Sori can be called.
        fits: how well they fit the sound of an unclear transcript: log probabilities.
        saying: what Sori says at the same time.
    """
    heard, said = _sounds(transcript.text), _sounds(saying)
    for name in names:
        own = _sounds(name)
        fitting = fits.get(name, -math.inf) >= LEAST_FIT and 0 < len(heard) <= len(own) + ADDED_SOUNDS
        if (fitting or addressed(transcript.text, name) is not None) and not _is_part(own, said):
            return name
    return ""


def is_unclear(transcript: Transcript) -> bool:
    """Whether the recogniser is unsure of short speech, as of hums and of words that are half covered by an echo."""
    return transcript.average_log_probability < UNCLEAR_LOG_PROBABILITY


def is_believed(transcript: Transcript, *, voice: bool) -> bool:
    """Whether the words are more than the recogniser's invention in what is left of an echo.

    ``voice`` says whether the sound is more than that, as far as the sound can tell.
    """
    return voice or transcript.average_log_probability >= UNSURE_OF_ECHO


def _is_part(heard: tuple[str, ...], said: tuple[str, ...]) -> bool:
    if len(heard) < LEAST_SOUNDS or not said:
        return False
    allowed = MISHEARD_SHARE * len(heard) if len(heard) >= LONG_SOUNDS else 0.0
    return distance_within(heard, said) <= allowed


def _is_any(heard: tuple[str, ...], words: Iterable[str]) -> bool:
    return bool(heard) and any(distance(heard, each) <= MISHEARD_SHARE * len(each) for each in map(_sounds, words))


def _may_be_stop(heard: tuple[str, ...], fits: Mapping[str, float]) -> bool:
    """Whether an unclear text is a stop word with few sounds more: it begins like one, or one fits the sound."""
    begins = any(
        distance(heard[: len(word)], word) <= MISHEARD_SHARE * len(word)
        for word in map(_sounds, STOP_WORDS)
        if len(word) <= len(heard) <= len(word) + ADDED_SOUNDS
    )
    fitting = (_sounds(word) for word in STOP_WORDS if fits.get(word, -math.inf) >= LEAST_FIT)
    return begins or any(0 < len(heard) <= len(word) + ADDED_SOUNDS for word in fitting)


@lru_cache(maxsize=256)
def _sounds(text: str) -> tuple[str, ...]:
    return sounds("".join(unit.said for unit in units(text)))
