"""The baselines of the voice benchmark: usual voice pipelines, built from the same parts.

Speech ends after a fixed silence. Then it is transcribed by faster-whisper's ``transcribe()`` with its defaults, and
then the model is asked. ``B0`` waits for the whole reply and speaks it in one piece. ``B1`` speaks sentence by sentence
while the reply streams. Run with the name of an arm, it answers one recording and prints the audio times of the ends:

    python -m benchmarks.voice.batch_pipeline B1 ENGINE INPUT.wav OUTPUT.wav LANGUAGE BASE_URL MODELS
"""

import asyncio
import importlib
import json
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import numpy as np
from faster_whisper import WhisperModel
from numpy.typing import NDArray

from assistant.audio.cards.card import SoundCard
from assistant.audio.cards.files import FileCard
from assistant.audio.playback import Playback
from assistant.audio.speech_segments import PreRoll, SpeechChange, SpeechTiming, SpeechTracker
from assistant.audio.vad import VoiceActivity
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.llm.backend import ModelMessage, ModelRequest, ProviderBackend, TextDelta
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.router import BackendRegistry
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.text.spoken import spoken_language, spoken_text
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.synthesizer import Voice
from tests.fakes.ledger import MemoryLedger

PREROLL_MS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One variant of the pipeline.

    Attributes:
        silence_ms: silence that ends an utterance.
        by_sentence: whether the reply is spoken while it streams.
    """

    silence_ms: int
    by_sentence: bool


B0 = Arm(silence_ms=700, by_sentence=False)
B1 = Arm(silence_ms=640, by_sentence=True)
ARMS = {"B0": B0, "B1": B1}


@dataclass(slots=True, kw_only=True)
class Parts:
    """The models, loaded once for all runs."""

    whisper: WhisperModel
    voices: SynthesizerSet
    backend: ProviderBackend


@dataclass(slots=True)
class Run:
    """The results of one run.

    Attributes:
        ended_s: audio times at which an utterance was considered to have ended.
        texts: the transcripts.
        segments: numbers of the sentences, which the player never takes twice.
    """

    ended_s: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    segments: Iterator[int] = field(default_factory=lambda: count(1))


def load_whisper(folder: Path, threads: int) -> WhisperModel:
    """Load the weights that Sori uses into the library's own class."""
    return WhisperModel(str(folder), device="cpu", compute_type="int8", cpu_threads=threads)


async def run_batch(arm: Arm, parts: Parts, card: SoundCard, playback: Playback, provider: Provider) -> Run:
    """Listen to the card and answer; returns when the card's medium has ended."""
    run = Run()
    voice = VoiceActivity()
    tracker = SpeechTracker(SpeechTiming(offset_ms=arm.silence_ms))
    preroll = PreRoll(PREROLL_MS)
    utterance = bytearray()
    answers: list[asyncio.Task[None]] = []
    async for frame in card.frames():
        speech = voice.feed(frame.heard.pcm).speech
        change = tracker.feed(speech=speech)
        if not tracker.speaking:
            preroll.push(frame.heard.pcm)
        if change is SpeechChange.STARTED:
            utterance += preroll.take()
        elif tracker.speaking:
            utterance += frame.heard.pcm
        elif change is SpeechChange.ENDED:
            run.ended_s.append(tracker.position / 16_000)
            pcm = np.frombuffer(bytes(utterance), "<i2")
            utterance.clear()
            answers.append(asyncio.create_task(_answer(arm, parts, playback, provider, pcm, run)))
    for answer in answers:
        answer.cancel()
    await asyncio.gather(*answers, return_exceptions=True)
    return run


async def _answer(
    arm: Arm, parts: Parts, playback: Playback, provider: Provider, pcm: NDArray[np.int16], run: Run
) -> None:
    text = await asyncio.to_thread(_transcribe, parts.whisper, pcm)
    run.texts.append(text)
    if not text:
        return  # Nothing was understood, so there is nothing to ask.
    request = ModelRequest(model="scripted-model", system="", messages=(ModelMessage(role="user", text=text),))
    chunker = SentenceChunker()

    async def say(sentence: str) -> None:
        await asyncio.to_thread(_speak, parts.voices, playback, next(run.segments), sentence)

    reply = ""
    async for delta in parts.backend.stream(provider, request):
        if isinstance(delta, TextDelta):
            reply += delta.text
            if arm.by_sentence:
                for sentence in chunker.feed(delta.text):
                    await say(sentence)
    for sentence in chunker.flush() if arm.by_sentence else [reply]:
        await say(sentence)


def _transcribe(whisper: WhisperModel, pcm: NDArray[np.int16]) -> str:
    segments, _info = whisper.transcribe(pcm.astype(np.float32) / 32_768)
    return "".join(segment.text for segment in segments).strip()


def _speak(voices: SynthesizerSet, playback: Playback, number: int, sentence: str) -> None:
    language = spoken_language(sentence, "ko")
    pieces = list(voices.synthesize(spoken_text(sentence, language), Voice(language=language)))
    for pcm, rate in pieces:
        playback.enqueue(number, pcm, rate)
    playback.finish(number)


async def _run_alone(
    name: str, engine: str, recording: Path, output: Path, language: str, base_url: str, models: Path
) -> Run:
    importlib.import_module("openai")  # Its import takes longer than the first request should.
    threads = os.cpu_count() or 2
    provider = Provider(name="scripted", kind="openai", base_url=base_url)
    router = BackendRegistry.discovered(
        BackendNeeds(
            ledger=MemoryLedger(),
            key_of=lambda _provider: "",
            embedded_model=models,
            settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=0, threads=0))),
        )
    )
    voices = SynthesizerSet(engine, lambda model: models / model, threads)
    voices.prepare(language)
    whisper = load_whisper(models / "whisper-base", threads)
    parts = Parts(whisper=whisper, voices=voices, backend=router.backend_for(provider))
    playback = Playback()

    async def idle() -> None:
        """In real time nothing is awaited."""

    card = FileCard(
        recording,
        output,
        playback,
        pace="realtime",
        echo_gain_db=None,
        echo_delay_ms=0,
        wait_until_idle=idle,
        tail=lambda: False,
    )
    await card.open()
    try:
        return await run_batch(ARMS[name], parts, card, playback, provider)
    finally:
        await card.close()
        await router.close()


def main() -> None:
    """Answer one recording."""
    name, engine, recording, output, language, base_url, models = sys.argv[1:]
    run = asyncio.run(_run_alone(name, engine, Path(recording), Path(output), language, base_url, Path(models)))
    print(json.dumps({"ends": run.ended_s, "texts": run.texts}, ensure_ascii=False))


if __name__ == "__main__":
    main()
