"""A pipecat pipeline on wav files, as a user of pipecat would build it from local parts.

Its own parts are the voice detector (Silero), the end of turn (Smart Turn v3), the service of faster-whisper, the
aggregators of the conversation, the OpenAI service and the cutting into sentences. The voices are piper and Kokoro as
Sori uses them, behind a service of a few lines. The transport reads and writes wav files with one clock, in real time.

It runs with the Python of the environment that ``environment.py`` makes, in a process of its own:

    python -m benchmarks.voice.pipecat_arm.pipeline INPUT.wav OUTPUT.wav LANGUAGE BASE_URL MODELS

It prints one JSON line: the audio times at which turns ended, and their transcripts.
"""

import asyncio
import json
import sys
import time
import wave
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from loguru import logger
from pipecat.audio.vad.silero import SileroVADAnalyzer
from pipecat.frames.frames import Frame, InputAudioRawFrame, OutputAudioRawFrame, StartFrame
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.aggregators.llm_response_universal import LLMContextAggregatorPair, LLMUserAggregatorParams
from pipecat.services.openai.llm import OpenAILLMService
from pipecat.services.settings import TTSSettings
from pipecat.services.tts_service import TTSService
from pipecat.services.whisper.stt import WhisperSTTService
from pipecat.transcriptions.language import Language
from pipecat.transports.base_input import BaseInputTransport
from pipecat.transports.base_output import BaseOutputTransport
from pipecat.transports.base_transport import TransportParams
from pipecat.workers.runner import WorkerRunner

from assistant.speech.tts import kokoro, piper
from assistant.speech.tts.synthesizer import Voice

RATE = 16_000
BLOCK = RATE // 50
THREADS = 2
ENGINES = {"ko": kokoro.ENGINE, "en": piper.ENGINE}


class Clock:
    """The clock of both files: second 0 is the first sample of the recording."""

    began: float | None = None

    def now_s(self) -> float:
        """Seconds since the first sample; 0 before it."""
        return 0.0 if self.began is None else time.monotonic() - self.began


class Recording(BaseInputTransport):  # type: ignore[misc]
    """A microphone that hears a wav file in real time."""

    def __init__(self, path: Path, clock: Clock, params: TransportParams) -> None:
        super().__init__(params)
        with wave.open(str(path), "rb") as file:
            self._pcm = file.readframes(file.getnframes())
        self._clock = clock
        self.ended = asyncio.Event()

    async def start(self, frame: StartFrame) -> None:
        """Begin to read."""
        await super().start(frame)
        await self.set_transport_ready(frame)
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        self._clock.began = time.monotonic()
        for number, place in enumerate(range(0, len(self._pcm), 2 * BLOCK), start=1):
            await asyncio.sleep(max(0.0, number * BLOCK / RATE - self._clock.now_s()))
            block = self._pcm[place : place + 2 * BLOCK]
            await self.push_audio_frame(InputAudioRawFrame(audio=block, sample_rate=RATE, num_channels=1))
        self.ended.set()


class Loudspeaker(BaseOutputTransport):  # type: ignore[misc]
    """A loudspeaker that plays at the pace of the clock and keeps what it has played."""

    def __init__(self, clock: Clock, params: TransportParams) -> None:
        super().__init__(params)
        self._clock = clock
        self._played_s = 0.0
        self.blocks: list[tuple[float, bytes]] = []

    async def start(self, frame: StartFrame) -> None:
        """Begin to play."""
        await super().start(frame)
        await self.set_transport_ready(frame)

    async def write_audio_frame(self, frame: OutputAudioRawFrame) -> bool:
        """Play a block after the one before it."""
        begins_s = max(self._clock.now_s(), self._played_s)
        self.blocks.append((begins_s, frame.audio))
        self._played_s = begins_s + len(frame.audio) / 2 / self.sample_rate
        await asyncio.sleep(max(0.0, self._played_s - self._clock.now_s()))
        return True

    def write(self, path: Path) -> None:
        """Write what was played to a wav."""
        samples = bytearray()
        for begins_s, audio in self.blocks:
            samples += bytes(max(0, 2 * round(begins_s * self.sample_rate) - len(samples)))
            samples += audio
        samples += bytes(max(0, 2 * round(self._clock.now_s() * self.sample_rate) - len(samples)))
        with wave.open(str(path), "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(self.sample_rate)
            file.writeframes(bytes(samples))


class LocalVoice(TTSService):  # type: ignore[misc]
    """One of the local voices; each piece of sound is sent on when it is there."""

    def __init__(self, models: Path, language: str) -> None:
        settings = TTSSettings(model=None, voice=None, language=None)
        super().__init__(push_start_frame=True, push_stop_frames=True, settings=settings)
        self._engine = ENGINES[language].create(lambda name: models / name, THREADS)
        self._voice = Voice(language=language)

    async def run_tts(self, text: str, context_id: str) -> AsyncIterator[Frame]:
        """Synthesise one sentence."""
        sound = self._stream_audio_frames_from_iterator(
            self._pieces(text), in_sample_rate=self._engine.sample_rate, context_id=context_id
        )
        async for frame in sound:
            yield frame

    async def _pieces(self, text: str) -> AsyncIterator[bytes]:
        pieces = self._engine.synthesize(text, self._voice)
        while (piece := await asyncio.to_thread(_next, pieces)) is not None:
            yield piece


def _next(pieces: Iterator[np.ndarray[Any, np.dtype[np.int16]]]) -> bytes | None:
    piece = next(pieces, None)
    return None if piece is None else piece.astype("<i2").tobytes()


async def run(recording: Path, output: Path, language: str, base_url: str, models: Path) -> dict[str, Any]:
    """Play a recording to the pipeline and return its ends of turns."""
    clock = Clock()
    params = TransportParams(audio_in_enabled=True, audio_out_enabled=True, audio_out_sample_rate=24_000)
    microphone, speaker = Recording(recording, clock, params), Loudspeaker(clock, params)
    hearing = WhisperSTTService(
        device="cpu",
        compute_type="int8",
        settings=WhisperSTTService.Settings(model=str(models / "whisper-base"), language=Language(language)),
    )
    thinking = OpenAILLMService(
        api_key="none", base_url=base_url, settings=OpenAILLMService.Settings(model="scripted-model")
    )
    aggregators = LLMContextAggregatorPair(
        LLMContext(), user_params=LLMUserAggregatorParams(vad_analyzer=SileroVADAnalyzer())
    )
    ends: list[float] = []
    texts: list[str] = []

    @aggregators.user().event_handler("on_user_turn_stopped")  # type: ignore[untyped-decorator]
    async def note(_aggregator: Any, _strategy: Any, message: Any) -> None:
        ends.append(clock.now_s())
        texts.append(message.content)

    steps = [microphone, hearing, aggregators.user(), thinking, LocalVoice(models, language), speaker]
    worker = PipelineWorker(Pipeline([*steps, aggregators.assistant()]), params=PipelineParams())
    runner = WorkerRunner(handle_sigint=False)
    await runner.add_workers(worker)
    running = asyncio.create_task(runner.run())
    await microphone.ended.wait()
    speaker.write(output)
    await worker.cancel()
    await running
    return {"ends": ends, "texts": texts}


def main() -> None:
    """Run once and print the result."""
    logger.remove()
    logger.add(sys.stderr, level="WARNING")
    recording, output, language, base_url, models = sys.argv[1:]
    result = asyncio.run(run(Path(recording), Path(output), language, base_url, Path(models)))
    print(json.dumps(result, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
