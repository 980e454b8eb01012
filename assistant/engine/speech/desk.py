"""Sori's ears and voices for other programs, on this computer."""

import asyncio
import logging
from typing import Final

import numpy as np

from assistant.audio.encoded import SPOKEN_RATE, decoded, encoded
from assistant.audio.resampling import Samples, resample
from assistant.core.errors import ErrorCode, ModelFileError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests import speech as sp
from assistant.engine.serving.table import Domain, serves
from assistant.engine.speech.file_transcription import transcription
from assistant.engine.speech.shared_voices import SharedVoices
from assistant.engine.voice_wiring import recognizer_options
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.stt.registry import recognizers
from assistant.speech.tts.reading import PAUSE_S, check_voice, reading
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import SynthesizerEngine
from assistant.tasks import IdleTimer
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.work import Work
from assistant.weights.store import ModelStore

log = logging.getLogger(__name__)

IDLE_S: Final = 300.0
"""Seconds without use after which the recogniser is freed. It takes about 200 MB, and a second to load."""
LONGEST_CALL_S: Final = 1800.0
SLOWEST, FASTEST = 0.25, 4.0
"""Limits of the pace; those of the OpenAI API."""
_LANGUAGES: Final = ("ko", "en")


class SpeechDesk(Domain):
    """Transcribes sounds and reads texts.

    The recogniser is one of its own, because the session's remembers what the user is saying. The voices are the
    engine's; they are used sentence by sentence, so an answer waits for one sentence at most.

    Args:
        live: the settings.
        store: the weights.
        voices: the voices, which the engine's own answers use as well.
        speaker: the thread of the voices.
    """

    def __init__(self, live: LiveSettings, store: ModelStore, voices: SharedVoices, speaker: ModelThread) -> None:
        self._live, self._store = live, store
        self._voices, self._speaker = voices, speaker
        self._ears = ModelThread("transcription", Work(), limit_s=LONGEST_CALL_S)
        self._recognizer: Recognizer | None = None
        self._idle = IdleTimer(IDLE_S, self._free)

    @serves()
    async def _transcribe(self, request: sp.Transcribe) -> sp.HeardSpeech:
        """Transcribe a sound.

        Raises:
            SoriError: it is no sound, is too long, or no recogniser can be loaded.
        """
        language = _checked_language(request.language)
        pcm = await asyncio.to_thread(decoded, request.sound, sp.LONGEST_SOUND_S)
        settings = self._live.current
        with self._idle.in_use():
            return await self._ears.run(
                lambda: transcription(
                    self._loaded(),
                    pcm,
                    language or None,
                    settings.language,
                    saying=request.saying,
                    voice=not request.fell_silent,
                    patience=settings.voice.turn_taking,
                )
            )

    @serves()
    async def _speak(self, request: sp.Speak) -> sp.SpokenSound:
        """Read a text.

        Raises:
            SoriError: the text is too long, the voice does not exist, or no voice can speak.
        """
        if len(request.text) > sp.LONGEST_TEXT:
            raise _refused("text_too_long", limit=str(sp.LONGEST_TEXT))
        if not SLOWEST <= request.speed <= FASTEST:
            raise _refused("wrong_speed", low=f"{SLOWEST:g}", high=f"{FASTEST:g}")
        language = _checked_language(request.language)
        whole = await self.read(request.text, request.voice, language, request.speed)
        sound = await asyncio.to_thread(encoded, whole, request.form.value) if len(whole) else b""
        engine = (await self._voices.now()).speaking
        return sp.SpokenSound(sound=sound, duration_s=len(whole) / SPOKEN_RATE, engine=engine)

    async def read(self, text: str, voice: str, language: str, speed: float = 1.0) -> Samples:
        """The sound of a text at ``SPOKEN_RATE``; empty if it has no words. The arguments are those of ``Speak``.

        Raises:
            SoriError: the voice does not exist, or no voice can speak.
        """
        check_voice(voice, language)
        voices = await self._voices.now()
        said = reading(
            voices,
            text,
            usual=self._live.current.language,
            language=language,
            voice=voice,
            speed=speed * self._live.current.voice.speed,
        )
        pcm: list[Samples] = []
        before = 0
        # One piece at a time on the thread of the voices: an answer that is read aloud comes between.
        while (piece := await self._speaker.run(lambda: next(said, None))) is not None:
            number, samples, rate = piece
            if number != before and pcm:
                pcm.append(np.zeros(round(PAUSE_S * SPOKEN_RATE), np.int16))
            before = number
            pcm.append(resample(samples, rate, SPOKEN_RATE))
        return np.concatenate(pcm) if pcm else np.zeros(0, np.int16)

    async def sample(self, text: str, voice: str, language: str) -> Samples:
        """Like ``read``, with exactly this voice.

        Raises:
            SoriError: as ``read``, or the voice has yet to be fetched.
        """
        here = await asyncio.to_thread(self._present_voices)
        if voice and voice not in {each.name for each in here}:
            raise _refused("voice_not_here", voice=voice)
        return await self.read(text, voice, language)

    @serves()
    async def _list_voices(self, _: sp.ListVoices) -> tuple[sp.ListedVoice, ...]:
        return await asyncio.to_thread(self._present_voices)

    def close(self) -> None:
        """Free the recogniser when its call is over."""
        self._idle.stop()
        self._ears.close()

    def _present_voices(self) -> tuple[sp.ListedVoice, ...]:
        engines = sorted(synthesizers().engines.values(), key=lambda each: (not each.neural, each.rank, each.id))
        return tuple(
            sp.ListedVoice(name=voice.name, language=voice.language, engine=engine.id)
            for engine in engines
            if self._is_here(engine)
            for voice in engine.voices
        )

    def _is_here(self, engine: SynthesizerEngine) -> bool:
        if engine.remote:
            return self._live.current.voice.tts == engine.id
        try:
            for model in engine.models:
                self._store.path(model)
        except ModelFileError:
            return False
        return True

    def _loaded(self) -> Recognizer:
        if self._recognizer is None:
            settings = self._live.current
            engine = recognizers().get(settings.voice.stt)
            self._recognizer = engine.create(self._store.path, recognizer_options(settings))
        return self._recognizer

    def _free(self) -> None:
        recognizer, self._recognizer = self._recognizer, None
        if recognizer is not None:
            log.info("the recogniser for other programs is freed")
            recognizer.close()


def _checked_language(language: str) -> str:
    if language not in ("", *_LANGUAGES):
        raise _refused("wrong_language", language=language[:20], known=", ".join(_LANGUAGES))
    return language


def _refused(reason: str, **values: str) -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, reason, message_key=reason, values=values)
