"""A second look at a hit of the wake-word detector: does the recogniser hear the wake word too (V-07)?

The detector listens all the time, and other speech sounds like the wake word to it about once an hour. Said in Korean,
the wake word is often less than its threshold. The recogniser knows all words, but is too dear to listen all the time.
So it hears what the detector has found, also below its threshold; this takes 0.1 s for each language.
"""

import asyncio
import logging
from collections.abc import Mapping
from typing import Final

from assistant.core.errors import SoriError
from assistant.speech.stt.recognizer import Weighed
from assistant.speech.text.wake_words import holds_wake_word
from assistant.speech.wake.detector import WakeHit
from assistant.voice.ears import Ears

LEAST_FIT: Final = -6.0
"""Log probability from which a sound is the wake word if the detector is sure. 55 human recordings of "Alexa" measure
-1.7 or more (-3.2 in noise as loud as the voice), other speech that the detector is sure of mostly -8.8 or less."""
LEAST_FIT_UNSURE: Final = -5.0
"""The same if the detector is not sure. "헤이 자비스" mostly measures more, other speech -8.2 or less."""
UNSURE_SHARE: Final = 0.2
"""Share of the detector's threshold from which its unsure hits are checked. "Hey Jarvis" in Korean mostly scores 0.1 to
0.4."""
LONGEST_S: Final = 1.5
"""Longest wait for the recogniser. Afterwards the detector is believed."""
_SPOKEN: Final[Mapping[str, Mapping[str, str]]] = {
    "alexa": {"en": "Alexa", "ko": "알렉사"},
    "hey_jarvis": {"en": "Hey Jarvis", "ko": "헤이 자비스"},
    "hey_mycroft": {"en": "Hey Mycroft", "ko": "헤이 마이크로프트"},
    "hey_rhasspy": {"en": "Hey Rhasspy", "ko": "헤이 라스피"},
}
"""The words that the models detect, by language. What a model of the user's own detects is not known from its name."""

log = logging.getLogger(__name__)


class WakeCheck:
    """Asks the recogniser about hits.

    Args:
        ears: the recogniser and its thread.
        longest_s: longest wait for the recogniser in seconds.
    """

    def __init__(self, ears: Ears, longest_s: float = LONGEST_S) -> None:
        self._ears = ears
        self._longest_s = longest_s

    def knows(self, word: str) -> bool:
        """Whether hits of a wake word can be checked."""
        return word in _SPOKEN and self._ears.recognizer.can_weigh

    async def confirms(self, hit: WakeHit, pcm: bytes, language: str) -> bool:
        """Whether a sound holds the wake word. Without a timely result it does if the detector is sure.

        Args:
            hit: a hit of a word that ``knows`` knows.
            pcm: the sound up to the hit.
            language: the user's language, which is tried first. People say a wake word with the sounds of theirs.
        """
        spoken = _SPOKEN[hit.name]
        try:
            async with asyncio.timeout(self._longest_s):
                for each in sorted(spoken, key=lambda other: other != language):
                    if _confirms(hit, await self._ears.weigh(pcm, {hit.name: (spoken[each],)}, language=each)):
                        return True
        except (SoriError, TimeoutError) as error:
            log.warning("a hit of the wake word is not checked: %s", error or "the recogniser is busy")
            return hit.sure
        return False


def _confirms(hit: WakeHit, found: Weighed | None) -> bool:
    if found is None or not found.fits:  # nothing can be weighed, as by a server
        return hit.sure
    fits = found.fits[hit.name] >= (LEAST_FIT if hit.sure else LEAST_FIT_UNSURE)
    # Whoever said something else right before it is understood by the text alone.
    return fits or (hit.sure and holds_wake_word(found.transcript.text, hit.name))
