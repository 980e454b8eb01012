"""Final transcripts from a server, for a user who has chosen one. Everything else stays with the local recogniser.

Drafts and names are transcribed several times a second whether or not anybody talks to Sori, so they never leave the
machine. If the server fails, the local recogniser transcribes the same speech at once, and the server is left alone for
a while: each failure may take seconds. The same sound is sent once, and a request ends when the user goes on speaking.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import SoriError
from assistant.speech.stt.recognizer import Recognizer, Transcript, Weighed

RESTED_S: Final = 60.0
"""Time without requests after a failure that may pass by itself: no network, a busy server."""
LONG_RESTED_S: Final = 600.0
"""Time without requests after any other failure, such as a missing key."""

log = logging.getLogger(__name__)

AskServer = Callable[[NDArray[np.int16], str | None], Transcript]
"""Transcribes 16 kHz sound in a language, or in a detected one. Raises ``SoriError``."""


class AbandonedError(Exception):
    """A request was ended because nobody needs its result."""


class ServerRecognizer(Recognizer):
    """A recogniser whose final transcripts come from a server.

    Args:
        local: the recogniser on this machine.
        ask: asks the server; raises ``AbandonedError`` after ``abandon``.
        abandon: ends the request that ``ask`` waits for, if any; called from another thread.
        wanted: whether the user has chosen a server.
        on_failure: takes the error of a failed request; called on the recogniser's thread.
        now: a clock in seconds.
    """

    def __init__(
        self,
        local: Recognizer,
        ask: AskServer,
        *,
        abandon: Callable[[], None],
        wanted: Callable[[], bool],
        on_failure: Callable[[SoriError], None],
        now: Callable[[], float],
    ) -> None:
        self._local, self._ask, self._abandon, self._wanted = local, ask, abandon, wanted
        self.can_weigh = local.can_weigh
        self._on_failure, self._now = on_failure, now
        self._rests_until = float("-inf")
        self._last: tuple[bytes, str | None, Transcript] = b"", None, Transcript(text="", language="", samples=0)
        """The newest sound that the server has transcribed, its language, and the transcript."""

    def transcribe(
        self,
        pcm: NDArray[np.int16],
        *,
        language: str | None,
        likely: str | None = None,
        prefix: str = "",
        draft: bool = False,
        grows: bool = False,
    ) -> Transcript:
        """Transcribe one utterance; see ``Recognizer.transcribe``."""
        if not draft and pcm.size and self._wanted() and self._now() >= self._rests_until:
            try:
                heard = self._asked(pcm, language)
            except AbandonedError:
                return Transcript(text="", language=language or likely or "", samples=pcm.size)
            except SoriError as error:
                log.warning("the transcription server failed: %s", error)
                self._rests_until = self._now() + (RESTED_S if error.retryable else LONG_RESTED_S)
                self._on_failure(error)
            else:
                return replace(heard, language=heard.language or language or likely or "")
        heard = self._local.transcribe(pcm, language=language, likely=likely, prefix=prefix, draft=draft, grows=grows)
        # The whole utterance is read by the server.
        return replace(heard, complete=False) if self._wanted() else heard

    def weigh(
        self, pcm: NDArray[np.int16], phrases: Mapping[str, Sequence[str]], *, language: str, least: float
    ) -> Weighed:
        """Weigh phrases on this machine; see ``Recognizer.weigh``."""
        return self._local.weigh(pcm, phrases, language=language, least=least)

    def expect(self, words: Sequence[str]) -> None:
        """Tell the local recogniser which words are likely; see ``Recognizer.expect``. The server is not told."""
        self._local.expect(words)

    def _asked(self, pcm: NDArray[np.int16], language: str | None) -> Transcript:
        """The server's transcript, or the known one of the same sound."""
        sound, read_in, known = self._last
        if pcm.tobytes() == sound and language == read_in:
            return known
        heard = self._ask(pcm, language)
        self._last = pcm.tobytes(), language, heard
        return heard

    def abandon(self) -> None:
        """End the running request; the local recogniser is not ended."""
        self._abandon()

    def close(self) -> None:
        """Free the local model."""
        self._local.close()
