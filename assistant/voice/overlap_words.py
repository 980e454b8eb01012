"""What short speech over an answer was: no words, a word of agreement, Sori's own voice, or an interruption (V-16).

Pure. People say "네", "응" or "right" to show that they listen; the answer then goes on.
"""

import re
from enum import StrEnum
from typing import Final

from assistant.speech.stt.judgement import judge, normalise
from assistant.speech.stt.recognizer import Transcript
from assistant.speech.text.names.sounds import distance_within, sounds, units

ECHO_SHARE: Final = 0.34
"""Part of the sounds that may differ between Sori's words and what the recogniser makes of their echo."""
SHORT_SOUNDS: Final = 4
"""Fewer sounds are an echo only if Sori's words contain them unchanged."""

_AGREEMENTS: Final = (
    *("네", "넵", "넹", "예", "응", "으응", "음", "흠", "어", "아", "오", "와", "아하", "하하", "헐", "그래", "그래요"),
    *(
        "그렇지",
        "그렇죠",
        "그치",
        "그죠",
        "그렇구나",
        "그렇군",
        "그렇군요",
        "그렇네",
        "그렇네요",
        "맞아",
        "맞아요",
        "맞네",
    ),
    *(
        "알겠어",
        "알겠어요",
        "알았어",
        "알았어요",
        "오케이",
        "좋아",
        "좋네",
        "진짜",
        "정말",
        "정말요",
        "그렇습니다",
        "맞습니다",
    ),
    *("uhhuh", "uhuh", "uh", "um", "mm", "mmm", "hm", "hmm", "mhm", "mmhm", "mmhmm", "ah", "aha", "oh", "ooh", "huh"),
    *(
        "yeah",
        "yep",
        "yup",
        "yes",
        "ok",
        "okay",
        "right",
        "allright",
        "alright",
        "sure",
        "really",
        "wow",
        "nice",
        "cool",
    ),
    *("isee", "gotit", "great", "good", "exactly", "true", "ofcourse", "indeed", "haha"),
)
_AGREEMENT: Final = re.compile(f"(?:{'|'.join(sorted(_AGREEMENTS, key=len, reverse=True))})+")


class OverlapWords(StrEnum):
    """What the words are."""

    NOTHING = "nothing"
    """Nobody said them, or nobody can tell which: a cough, a laugh, noise."""
    ECHO = "echo"
    AGREEMENT = "agreement"
    INTERRUPTION = "interruption"


def classify(transcript: Transcript, *, speech_ms: int, saying: str, echo: bool, answers: bool) -> OverlapWords:
    """Say what short speech over an answer was.

    Args:
        transcript: the recogniser's result.
        speech_ms: duration of the speech.
        saying: what Sori says at the same time.
        echo: whether the microphone may pick up Sori's voice.
        answers: whether the words may answer a question of Sori's. A yes is then no mere agreement.
    """
    if not judge(transcript, speech_ms=speech_ms).accept:
        return OverlapWords.NOTHING
    if echo and _is_echo(transcript.text, saying):
        return OverlapWords.ECHO
    if not answers and _AGREEMENT.fullmatch(normalise(transcript.text)):
        return OverlapWords.AGREEMENT
    return OverlapWords.INTERRUPTION


def _is_echo(text: str, saying: str) -> bool:
    heard, said = _sounds(text), _sounds(saying)
    if not heard or not said:
        return False
    allowed = ECHO_SHARE * len(heard) if len(heard) >= SHORT_SOUNDS else 0.0
    return distance_within(heard, said) <= allowed


def _sounds(text: str) -> tuple[str, ...]:
    return sounds("".join(unit.said for unit in units(text)))
