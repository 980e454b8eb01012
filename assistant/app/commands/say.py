"""``sori say``: reads a text aloud, on the sound card or into a file."""

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from assistant.app.cli.asking import CarryOut, attached
from assistant.audio.cards.devices import DeviceCard
from assistant.audio.cards.wav_writer import WavWriter
from assistant.audio.encoded import SPOKEN_RATE
from assistant.audio.playback import Playback
from assistant.audio.resampling import Samples, resample
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.errors import AudioDeviceError
from assistant.core.service.requests.speech import SoundForm, Speak, SpokenSound
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.tts.reading import PAUSE_S, check_voice
from assistant.speech.tts.registry import synthesizers
from assistant.tasks import TaskSupervisor

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain

_LAST_S = 0.3
"""Seconds from the acceptance of a sample by the card until the sample is audible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SayOptions:
    """The text and how to read it.

    Attributes:
        text: the written text.
        voice: name of a voice; empty for the settings' voice.
        language: language of the text; ``None`` decides it for each sentence.
        output: wav file to write instead of playing.
    """

    text: str
    voice: str = ""
    language: Literal["ko", "en"] | None = None
    output: Path | None = None


def models_for(options: SayOptions) -> tuple[str, ...]:
    """The models of the requested voice; empty without one, when the settings decide."""
    for engine in synthesizers().engines.values():
        if options.voice in [each.name for each in engine.voices]:
            return engine.models
    return ()


def run(home: Path, settings: Settings, texts: Texts, options: SayOptions) -> int:
    """Read the text aloud; returns the exit status.

    Raises:
        AudioDeviceError: there is no speaker, or the file cannot be written.
        EngineError: the voice does not exist.
        RefusedError: no engine speaks the language.
    """
    check_voice(options.voice, options.language or "")

    def part(_: "Hub") -> "AbstractContextManager[Domain]":
        from assistant.app.parts.speech import speech

        return speech(Places(home), settings, options.voice)

    return attached(Places(home), texts, part, lambda ask: _say(ask, settings, texts, options))


async def _say(ask: CarryOut, settings: Settings, texts: Texts, options: SayOptions) -> int:
    async with aclosing(_spoken(ask, options)) as sentences:
        first = await anext(sentences, None)
        if first is None:
            print(texts("say.nothing"))
        elif options.output is not None:
            await _write(options.output, first, sentences)
            print(texts("say.written", path=options.output))
        else:
            await _play(settings, first, sentences)
    return 0


async def _spoken(ask: CarryOut, options: SayOptions) -> AsyncGenerator[Samples, None]:
    """The sentences as the engine reads them at ``SPOKEN_RATE``, one ahead of the one that is needed.

    Raises:
        RefusedError: the engine refuses it.
    """
    chunker, asked = SentenceChunker(), deque[asyncio.Task[SpokenSound]]()
    sentences = [*chunker.feed(options.text), *chunker.flush()]
    async with TaskSupervisor() as tasks:
        for number in range(len(sentences)):
            for sentence in sentences[number + len(asked) : number + 2]:
                wanted = Speak(text=sentence, voice=options.voice, language=options.language or "", form=SoundForm.PCM)
                asked.append(tasks.start(ask(wanted), name="read a sentence", handled=True))
            spoken = await asked.popleft()
            if spoken.sound:
                yield np.frombuffer(spoken.sound, "<i2")


async def _write(path: Path, first: Samples, rest: AsyncIterator[Samples]) -> None:
    writer = WavWriter(path)
    try:
        writer.write(resample(first, SPOKEN_RATE, PLAYBACK_RATE))
        async for pcm in rest:
            writer.write(np.zeros(round(PAUSE_S * PLAYBACK_RATE), np.int16))
            writer.write(resample(pcm, SPOKEN_RATE, PLAYBACK_RATE))
    finally:
        writer.close()


async def _play(settings: Settings, first: Samples, rest: AsyncIterator[Samples]) -> None:
    playback = Playback()
    no_microphone = AudioDeviceError("microphone", "sori say does not open it", message_key="audio.microphone_refused")
    card = DeviceCard(playback, output_device=settings.voice.output_device, unusable_microphone=no_microphone)
    try:
        await card.open()
    except AudioDeviceError as error:
        raise card.speaker_error or error from error
    try:
        number = 0
        playback.enqueue(number, first, SPOKEN_RATE)
        async for pcm in rest:
            playback.finish(number)
            number += 1
            playback.enqueue(number, pcm, SPOKEN_RATE)
        playback.finish(number)
        # All samples are enqueued by now and play at their own pace.
        await asyncio.sleep(playback.pending_s + _LAST_S)
    finally:
        with contextlib.suppress(AudioDeviceError):
            await card.close()
