"""A second look at a hit of the wake-word detector: does the recogniser hear the wake word too (V-07)?

The detector listens all the time, and other speech sounds like the wake word to it about once an hour. The recogniser
knows all words, but is too dear to listen all the time. So it hears what the detector has found; this takes 0.1 s.
"""

import asyncio
import logging
import math
from collections.abc import Mapping
from typing import Final

import numpy as np

from assistant.core.errors import SoriError
from assistant.speech.stt.recognizer import WeighsPhrases
from assistant.speech.text.wake_words import holds_wake_word
from assistant.voice.ears import Ears

LEAST_FIT: Final = -6.0
"""Log probability from which a sound is the wake word. 55 human recordings of "Alexa" measure -1.7 or more (-3.2 in
noise as loud as the voice), other speech that the detector takes for it -8.8 or less."""
LONGEST_S: Final = 1.5
"""Longest wait for the recogniser. Afterwards the detector is believed."""
_SPOKEN: Final[Mapping[str, str]] = {
    "alexa": "Alexa",
    "hey_jarvis": "Hey Jarvis",
    "hey_mycroft": "Hey Mycroft",
    "hey_rhasspy": "Hey Rhasspy",
}
"""The words that the models detect. What a model of the user's own detects is not known from its name."""

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
        return word in _SPOKEN and isinstance(self._ears.recognizer, WeighsPhrases)

    async def confirms(self, word: str, pcm: bytes) -> bool:
        """Whether a sound holds the wake word. Without a timely result it does.

        Args:
            word: name of the wake word, which ``knows`` knows.
            pcm: the sound up to the hit.
        """
        recognizer, samples, spoken = self._ears.recognizer, np.frombuffer(pcm, "<i2"), _SPOKEN[word]
        if not isinstance(recognizer, WeighsPhrases):
            return True
        try:
            async with asyncio.timeout(self._longest_s):
                found = await self._ears.recognizer_thread.run(
                    lambda: recognizer.weigh(samples, {word: (spoken,)}, language="en", least=math.inf)
                )
        except (SoriError, TimeoutError) as error:
            log.warning("a hit of the wake word is not checked: %s", error or "the recogniser is busy")
            return True
        if not found.fits:  # nothing can be weighed, as by a server
            return True
        # Whoever said something else right before it is understood by the text alone.
        return found.fits[word] >= LEAST_FIT or holds_wake_word(found.transcript.text, word)
