"""``sori say``: reads a text aloud, on the sound card or into a file."""

import asyncio
import contextlib
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np

from assistant.audio.cards.devices import DeviceCard
from assistant.audio.cards.wav_writer import WavWriter
from assistant.audio.encoded import SPOKEN_RATE
from assistant.audio.playback import Playback
from assistant.audio.resampling import Resampler
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.errors import AudioDeviceError
from assistant.core.service.request import Refusal, RefusedError
from assistant.core.service.requests.speech import SoundForm, Speak, SpokenSound
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.voice_wiring import paces_for, synthesizers_for
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.remote.local.client import LocalConnection, connect
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.tts import openai
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.reading import PAUSE_S, Sound, check_voice, reading
from assistant.speech.tts.registry import synthesizers

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
        EngineError: no engine speaks the language, or the voice does not exist.
    """
    check_voice(options.voice, options.language or "")
    if (connection := connect(home, texts, name="say")) is not None:
        try:
            return _say(_spoken_there(connection, options), settings, texts, options)
        finally:
            connection.close()
    settings = _with_voice(settings, options.voice)
    store = open_store(home)
    voices = synthesizers_for(settings, store.path, paces_for(home, settings, store))
    if settings.voice.tts != openai.ID:
        return _run(voices, settings, texts, options)
    # Imported here, because a voice on this machine needs no provider.
    from assistant.engine.models.speech_models import speech_server

    with speech_server(Places(home), settings) as ask:
        voices.serve(ask)
        return _run(voices, settings, texts, options)


def _with_voice(settings: Settings, name: str) -> Settings:
    """The settings with a voice; a voice of a server chooses the server too."""
    if not name:
        return settings
    remote = any(each.name == name for each in openai.ENGINE.voices)
    tts = openai.ID if remote else settings.voice.tts
    return replace(settings, voice=replace(settings.voice, voice=name, tts=tts))


def _run(voices: SynthesizerSet, settings: Settings, texts: Texts, options: SayOptions) -> int:
    try:
        return _say(_spoken(voices, settings, options), settings, texts, options)
    finally:
        voices.close()


def _say(pieces: Iterator[Sound], settings: Settings, texts: Texts, options: SayOptions) -> int:
    first = next(pieces, None)
    if first is None:
        print(texts("say.nothing"))
    elif options.output is not None:
        _write(options.output, first, pieces)
        print(texts("say.written", path=options.output))
    else:
        asyncio.run(_play(settings, first, pieces))
    return 0


def _spoken(voices: SynthesizerSet, settings: Settings, options: SayOptions) -> Iterator[Sound]:
    return reading(
        voices,
        options.text,
        usual=settings.language,
        language=options.language or "",
        voice=options.voice,
        speed=settings.voice.speed,
    )


def _spoken_there(connection: LocalConnection, options: SayOptions) -> Iterator[Sound]:
    """The sentences as the engine that runs reads them, one ahead of the one that is needed.

    Raises:
        RefusedError: the engine refuses it.
    """
    chunker, asked = SentenceChunker(), deque[Future[SpokenSound | Refusal]]()
    sentences = [*chunker.feed(options.text), *chunker.flush()]
    for number in range(len(sentences)):
        for sentence in sentences[number + len(asked) : number + 2]:
            asked.append(Future())
            wanted = Speak(text=sentence, voice=options.voice, language=options.language or "", form=SoundForm.PCM)
            connection.ask(wanted, asked[-1].set_result)
        reply = asked.popleft().result()
        if isinstance(reply, Refusal):
            raise RefusedError(reply)
        if reply.sound:
            yield number, np.frombuffer(reply.sound, "<i2"), SPOKEN_RATE


def _write(path: Path, first: Sound, rest: Iterator[Sound]) -> None:
    writer = WavWriter(path)
    try:
        before = first[0]
        for number, pcm, rate in (first, *rest):
            if number != before:
                writer.write(np.zeros(round(PAUSE_S * PLAYBACK_RATE), np.int16))
                before = number
            writer.write(Resampler(rate, PLAYBACK_RATE).push(pcm, last=True))
    finally:
        writer.close()


async def _play(settings: Settings, first: Sound, rest: Iterator[Sound]) -> None:
    playback = Playback()
    no_microphone = AudioDeviceError("microphone", "sori say does not open it", message_key="audio.microphone_refused")
    card = DeviceCard(playback, output_device=settings.voice.output_device, unusable_microphone=no_microphone)
    try:
        await card.open()
    except AudioDeviceError as error:
        raise card.speaker_error or error from error
    try:
        await asyncio.to_thread(_enqueue, playback, first, rest)
        # All samples are enqueued by now and play at their own pace.
        await asyncio.sleep(playback.pending_s + _LAST_S)
    finally:
        with contextlib.suppress(AudioDeviceError):
            await card.close()


def _enqueue(playback: Playback, first: Sound, rest: Iterator[Sound]) -> None:
    last = -1
    for number, pcm, rate in (first, *rest):
        if last not in (-1, number):
            playback.finish(last)
        playback.enqueue(number, pcm, rate)
        last = number
    playback.finish(last)
