"""Transcribes speech with the model of ``[voice] stt_model``, on a server that the user chose."""

import asyncio
import io
import logging
import wave
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.agent.model_choice import ModelChoice, choose_model
from assistant.core import updates as up
from assistant.core.audio import SAMPLE_RATE
from assistant.core.clock import Clock
from assistant.core.errors import EngineError, ErrorCode, ProviderError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Provider
from assistant.core.texts import Texts
from assistant.engine.voice_wiring import Engines
from assistant.llm.backend import ProviderBackend, TranscriptionRequest
from assistant.speech.stt.recognizer import Recognizer, Transcript
from assistant.speech.stt.server import AbandonedError, ServerRecognizer
from assistant.tasks import run_on

LONGEST_S: Final = 8.0
"""Longest time of a request in seconds. The user waits for it, and the local recogniser would need about one."""
_MARGIN_S: Final = 2.0

log = logging.getLogger(__name__)


class TranscriptionModels:
    """Asks the chosen server for transcripts.

    Args:
        live: the settings.
        backend_for: gives the backend of a provider.
        limit_s: longest time of a request in seconds.
    """

    def __init__(
        self, live: LiveSettings, backend_for: Callable[[Provider], ProviderBackend], *, limit_s: float = LONGEST_S
    ) -> None:
        self._live, self._backend_for = live, backend_for
        self.limit_s = limit_s

    @property
    def wanted(self) -> bool:
        """Whether the settings name a model."""
        return bool(self._live.current.voice.stt_model)

    def _choice(self) -> ModelChoice:
        return choose_model(self._live.current, self._live.current.voice.stt_model)

    async def prepare(self) -> None:
        """Load what the first request needs. A problem is reported by the first request."""
        if self.wanted:
            try:
                provider = self._choice().provider
                await self._backend_for(provider).prepare(provider)
            except SoriError as error:
                log.warning("no transcription server can be used: %s", error)

    async def transcribe(self, pcm: NDArray[np.int16], language: str | None) -> Transcript:
        """Transcribe 16 kHz mono sound.

        Raises:
            ProviderError: the server refuses, does not answer in time, cannot be reached, or sends no transcript.
            SettingsError: the model's provider does not exist any more.
            StorageError: the request could not be recorded, so it was not sent.
        """
        choice = self._choice()
        backend = self._backend_for(choice.provider)
        request = TranscriptionRequest(model=choice.model, wav=wav_file(pcm), language=language or "")
        try:
            async with asyncio.timeout(self.limit_s):
                heard = await backend.transcribe(choice.provider, request)
        except TimeoutError as late:
            detail = f"no transcript within {self.limit_s:g} s"
            raise ProviderError(ErrorCode.TIMEOUT, detail, provider=choice.provider.name) from late
        except ProviderError as error:
            if error.code is not ErrorCode.MODEL_NOT_FOUND:
                raise
            raise error.with_text("transcription_model_missing") from error
        return Transcript(
            text=heard.text,
            language=heard.language,
            samples=pcm.size,
            average_log_probability=heard.average_log_probability,
            no_speech_probability=heard.no_speech_probability,
            engine=choice.reference,
        )


def wav_file(pcm: NDArray[np.int16]) -> bytes:
    """16 kHz mono sound as the bytes of a WAV file."""
    file = io.BytesIO()
    with wave.Wave_write(file) as written:
        written.setparams((1, 2, SAMPLE_RATE, 0, "NONE", "not compressed"))
        written.writeframes(pcm.astype("<i2").tobytes())
    return file.getvalue()


class ServedRecognition:
    """Lets recognisers take their final transcripts from the chosen server. Made on the event loop.

    Args:
        models: asks the server.
        texts: the user's words.
        publish: takes the notices; called on the event loop.
        clock: tells how long a server that failed is left alone.
    """

    def __init__(
        self, models: TranscriptionModels, texts: Texts, publish: Callable[[up.Update], None], clock: Clock
    ) -> None:
        self._models, self._texts, self._publish, self._clock = models, texts, publish, clock
        self._loop = asyncio.get_running_loop()
        self._asked: Future[Transcript] | None = None

    def serve(self, voice: Engines) -> Engines:
        """The engines of a voice with the server, which is used also in those that replace them."""
        anew = voice.new_recognizer
        return replace(
            voice,
            recognizer=self._served(voice.recognizer),
            new_recognizer=None if anew is None else lambda: self._served(anew()),
        )

    def _served(self, local: Recognizer) -> Recognizer:
        return ServerRecognizer(
            local,
            self._ask,
            abandon=self._abandon,
            wanted=lambda: self._models.wanted,
            on_failure=self._failed,
            now=self._clock.monotonic,
        )

    def _ask(self, pcm: NDArray[np.int16], language: str | None) -> Transcript:
        """Ask from the recogniser's thread."""
        asked = run_on(self._loop, self._models.transcribe(pcm, language))
        self._asked = asked
        try:
            return asked.result(self._models.limit_s + _MARGIN_S)
        except CancelledError as error:
            raise AbandonedError from error
        except TimeoutError as error:
            asked.cancel()
            raise EngineError("transcription", "the event loop does not answer", cause=error) from error
        finally:
            self._asked = None

    def _abandon(self) -> None:
        asked = self._asked
        if asked is not None:
            asked.cancel()

    def _failed(self, error: SoriError) -> None:
        self._loop.call_soon_threadsafe(self._tell_of, error)

    def _tell_of(self, error: SoriError) -> None:
        reason = self._texts(error.message_key, **error.values)
        self._publish(
            up.NoticePosted(key="notice.transcription_failed", severity=up.Severity.WARNING, values={"reason": reason})
        )
