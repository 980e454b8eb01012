"""Speech from a server in the OpenAI format, for a user who has chosen one with ``[voice] tts = "openai"``.

Only then is the text of answers sent. Whoever has the connection gives it to ``SynthesizerSet.serve``. If the server
fails, the next engine speaks the same text at once, and the server is left alone for a while: each failure may take
seconds.
"""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import EngineError, SoriError
from assistant.speech.tts.synthesizer import AskServer, NamedVoice, SynthesizerEngine, Voice

ID: Final = "openai"
LANGUAGES: Final = ("ko", "en")
SET_VOICE: Final = "openai"
"""The name that stands for the voice of ``[voice] tts_voice``, which only the server knows."""
VOICES: Final = (
    SET_VOICE,
    *("alloy", "ash", "ballad", "cedar", "coral", "echo", "fable", "marin", "nova", "onyx", "sage", "shimmer", "verse"),
)
RESTED_S: Final = 60.0
"""Time without requests after a failure that may pass by itself: no network, a busy server."""
LONG_RESTED_S: Final = 600.0
"""Time without requests after any other failure, such as a missing key."""
_USUAL_RATE: Final = 24_000


class ServerVoice:
    """A voice on a server.

    Args:
        ask: asks the server.
        now: a clock in seconds.
    """

    def __init__(self, ask: AskServer, now: Callable[[], float] = time.monotonic) -> None:
        self._ask, self._now = ask, now
        self._rate = _USUAL_RATE
        self._rests_until = float("-inf")
        self._reason = ""
        self._closed = False

    @property
    def sample_rate(self) -> int:
        """Samples per second of the newest sound."""
        return self._rate

    def synthesize(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        """Speech as it arrives; see ``Synthesizer.synthesize``.

        Raises:
            EngineError: the engine is closed, the language is unknown, or the server failed, now or a while ago.
        """
        if self._closed:
            raise EngineError(ID, "the engine is closed")
        if voice.language not in LANGUAGES:
            raise EngineError(ID, f"no voice speaks {voice.language}")
        if self._now() < self._rests_until:
            raise EngineError(ID, f"left alone for a while after a failure: {self._reason}")
        return self._pieces(text, voice)

    def close(self) -> None:
        """Refuse further texts."""
        self._closed = True

    def _pieces(self, text: str, voice: Voice) -> Iterator[NDArray[np.int16]]:
        if not any(letter.isalnum() for letter in text):
            return
        try:
            for pcm, rate in self._ask(text, voice):
                self._rate = rate
                yield pcm
        except SoriError as error:
            self._reason = error.detail
            self._rests_until = self._now() + (RESTED_S if error.retryable else LONG_RESTED_S)
            raise EngineError(ID, error.detail, cause=error) from error


def _create(path_of: Callable[[str], Path], threads: int) -> ServerVoice:
    del path_of, threads  # it has a server, and needs it
    raise EngineError(ID, "no server is connected")


ENGINE: Final = SynthesizerEngine(
    id=ID,
    languages=frozenset(LANGUAGES),
    models=(),
    neural=True,
    rank=9,
    licence="-",
    voices=tuple(NamedVoice(name=name, language=language) for language in LANGUAGES for name in VOICES),
    create=_create,
    connect=ServerVoice,
)
