"""Whether a long spoken conversation ends as healthy as it began: memory, threads, files, delays and lost questions.

The whole engine runs in a process of its own on a virtual sound card (PulseAudio), in real time, with the real
recogniser and voices and a scripted model server. The room's microphone hears the loudspeaker with -12 dB. Human
recordings ask, one after another, in English and Korean. Into every fourth answer a person says a further question.
What the loudspeaker plays is recorded and judged: ``conversation_listener.py``.

    python benchmarks/voice/long_conversation.py [--minutes 60] [--keep conversation.wav]

A delay is from the end of a recording to the state ``speaking``, by the clock. The player ends up to 0.1 s late.
"""

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.audio.cards.recordings import read_recording
from assistant.audio.cards.wav_writer import WavWriter
from assistant.audio.resampling import resample
from assistant.core.audio import PLAYBACK_RATE, SAMPLE_RATE
from assistant.host.places import default_home, models_folder
from benchmarks.voice.conversation_listener import Answered, report
from benchmarks.voice.listening import ROOT, SPEECH, Clip, Pcm, clips, language_asked, percentile
from tests.e2e.sound_server import ROOM, SPEAKER, Recorder, SoundServer, running_sound_server
from tests.fakes.model_server.server import ModelServer, RecordedRequest, Reply
from tests.fakes.model_server.sori_settings import scripted_settings

OPENING = ROOT / "assistant" / "resources" / "recordings" / "en_alexa_coffee.wav"
"""A wake word and a question."""
REPLIES = {
    "en": "Let me tell you about the garden. It has seven old apple trees and a little pond. "
    "In the morning the birds sing there. In the evening the neighbours come for tea.",
    "ko": "정원 이야기를 해 드릴게요. 오래된 사과나무 일곱 그루와 작은 연못이 있어요. "
    "아침에는 새들이 거기서 노래해요. 고양이는 늘 햇볕이 드는 담 위에서 자요. 저녁에는 이웃들이 차를 마시러 와요.",
}
ECHO = "25%"
"""Volume of the loopback from the loudspeaker into the room: -12 dB of amplitude."""
ANSWERED_WITHIN_S = 20.0
PAUSE_S = 1.0
INTERRUPT_EVERY = 4
INTERRUPT_AFTER_S = 2.5
COMPARED = 10
"""Number of the first and of the last turns that are compared."""
VOICE = """
[voice]
wake_word = "alexa"
cues = false
"""


@dataclass(slots=True)
class Health:
    """What a run has seen.

    Attributes:
        delays_s: from the end of a question to the answer's first sound.
        unanswered: number of questions without an answer.
        yielded_s: from the first sound of an interruption to the end of the answer.
        not_yielded: number of interruptions that did not end the answer.
        process: resident memory in MB, threads and open files, at each sample.
        answers: when each answer was played.
    """

    delays_s: list[float] = field(default_factory=list)
    unanswered: int = 0
    yielded_s: list[float] = field(default_factory=list)
    not_yielded: int = 0
    process: list[tuple[float, int, int]] = field(default_factory=list)
    answers: list[Answered] = field(default_factory=list)


class Product:
    """The engine's process, and the newest state that it has published."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.updates: list[tuple[float, dict[str, Any]]] = []
        self._changed = asyncio.Condition()
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while self._process.stdout is not None and (line := await self._process.stdout.readline()):
            async with self._changed:
                self.updates.append((time.monotonic(), json.loads(line)))
                self._changed.notify_all()

    async def wait_for(self, wanted: Callable[[dict[str, Any]], bool], after: int, limit_s: float) -> int | None:
        """The number of the next update from ``after`` on that is wanted; ``None`` if none comes in time."""
        number = after
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit_s), self._changed:
                while True:
                    while number < len(self.updates):
                        if wanted(self.updates[number][1]):
                            return number
                        number += 1
                    await self._changed.wait()
        return None

    def sample(self) -> tuple[float, int, int]:
        """Resident memory in MB, threads and open files of the process."""
        folder = Path("/proc") / str(self._process.pid)
        status = dict(
            line.split(":", 1) for line in (folder / "status").read_text(encoding="utf-8").splitlines() if ":" in line
        )
        return int(status["VmRSS"].split()[0]) / 1024, int(status["Threads"]), len(list((folder / "fd").iterdir()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the conversation and print its health."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0, help="how long the conversation lasts")
    parser.add_argument("--keep", type=Path, help="wav for what the loudspeaker plays")
    chosen = parser.parse_args(arguments)
    with running_sound_server() as server, tempfile.TemporaryDirectory() as folder:
        server.control("load-module", "module-loopback", f"source={SPEAKER}.monitor", f"sink={ROOM}", "latency_msec=30")
        echo = server.control("list", "short", "sink-inputs").split()[0]
        server.control("set-sink-input-volume", echo, ECHO)
        recorder = server.record()
        health = asyncio.run(_Conversation(server, recorder).hold(Path(folder), chosen.minutes * 60))
        played = recorder.stop()
    if chosen.keep is not None:
        writer = WavWriter(chosen.keep)
        writer.write(played)
        writer.close()
    _report(health)
    print("\n".join(report(played, health.answers, REPLIES)))
    return 0


class _Conversation:
    """A person who asks one question after another.

    Args:
        server: the virtual card.
        recorder: records what the loudspeaker plays.
    """

    def __init__(self, server: SoundServer, recorder: Recorder) -> None:
        self._server, self._recorder = server, recorder
        self._health = Health()

    async def hold(self, home: Path, length_s: float) -> Health:
        """Talk with a new engine for a while; return what was seen."""
        questions = [clip for clip in clips(SPEECH) if clip.said]
        async with ModelServer(reply_to) as model, _product(home, self._server, model.base_url) as sori:
            if await sori.wait_for(_has_microphone, 0, 60) is None:
                raise SystemExit("the engine has no microphone")
            until, asked = time.monotonic() + length_s, 0
            awake = False
            while time.monotonic() < until:
                question = (
                    _sound_of(questions[asked % len(questions)]) if awake else read_recording(OPENING, PLAYBACK_RATE)
                )
                interrupt = questions[(asked + 1) % len(questions)] if asked % INTERRUPT_EVERY == 3 else None
                awake = await self._ask(sori, model, question, None if interrupt is None else _sound_of(interrupt))
                asked += 1
                self._health.process.append(sori.sample())
                if asked % 20 == 0:
                    memory, threads, files = self._health.process[-1]
                    print(f"{asked} questions; {memory:.0f} MB, {threads} threads, {files} files", flush=True)
        return self._health

    async def _ask(self, sori: Product, model: ModelServer, question: Pcm, interrupt: Pcm | None) -> bool:
        """Ask one question and wait until Sori listens again; return whether the session goes on."""
        health = self._health
        before = len(sori.updates)
        await self._server.say(question)
        ended_at = time.monotonic()
        speaking = await sori.wait_for(_is("speaking"), before, ANSWERED_WITHIN_S)
        if speaking is None:
            health.unanswered += 1
            return False
        begins_s = self._recorder.recorded_s - (time.monotonic() - sori.updates[speaking][0])
        if before:
            health.delays_s.append(sori.updates[speaking][0] - ended_at)
        if interrupt is not None:
            speaking = await self._interrupt(sori, interrupt) or speaking
        listening = await sori.wait_for(_is("listening"), speaking, 60.0)
        if listening is None:
            return False
        language = language_asked(model.chats[-1])
        health.answers.append(
            Answered(language=language, begins=begins_s, ends=self._recorder.recorded_s, whole=interrupt is None)
        )
        await asyncio.sleep(PAUSE_S)
        return True

    async def _interrupt(self, sori: Product, interrupt: Pcm) -> int | None:
        """Speak into the answer; return the update in which Sori begins the next one."""
        await asyncio.sleep(INTERRUPT_AFTER_S)
        said_at, number = time.monotonic(), len(sori.updates)
        saying = asyncio.create_task(self._server.say(interrupt))
        yielded = await sori.wait_for(_is("listening"), number, 4.0)
        await saying
        if yielded is None:
            self._health.not_yielded += 1
            return None
        self._health.yielded_s.append(sori.updates[yielded][0] - said_at)
        return await sori.wait_for(_is("speaking"), yielded, ANSWERED_WITHIN_S)


def reply_to(request: RecordedRequest) -> Reply:
    """An answer in the language of the request."""
    return Reply(text=REPLIES[language_asked(request)])


def _sound_of(clip: Clip) -> Pcm:
    return resample(clip.pcm, SAMPLE_RATE, PLAYBACK_RATE)


def _has_microphone(update: dict[str, Any]) -> bool:
    return update["update"] == "voice" and bool(update["microphone"])


def _is(state: str) -> Callable[[dict[str, Any]], bool]:
    return lambda update: update.get("interaction") == state


@contextlib.asynccontextmanager
async def _product(home: Path, server: SoundServer, base_url: str) -> AsyncIterator[Product]:
    (home / "config.toml").write_text(scripted_settings(base_url, VOICE, language="en"), encoding="utf-8")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.e2e.engine_session", str(home)),
        cwd=ROOT,
        env={**server.environment, "SORI_MODELS": str(models_folder(default_home()))},
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 22,
    )
    try:
        yield Product(process)
    finally:
        if process.stdin is not None:
            process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), 30)
        except TimeoutError:
            process.kill()
            await process.wait()


def _report(health: Health) -> None:
    first, last = health.delays_s[:COMPARED], health.delays_s[-COMPARED:]
    print(f"{len(health.delays_s)} answers, {health.unanswered} questions unanswered")
    print(
        f"end of speech to first sound: first {len(first)} turns {percentile(first, 50):.2f} s, "
        f"last {len(last)} turns {percentile(last, 50):.2f} s, all p95 {percentile(health.delays_s, 95):.2f} s"
    )
    print(
        f"interruptions: {len(health.yielded_s)} ended the answer, median {percentile(health.yielded_s, 50):.2f} s; "
        f"{health.not_yielded} did not"
    )
    for name, column in (("memory in MB", 0), ("threads", 1), ("open files", 2)):
        values = [sample[column] for sample in health.process]
        tenth = max(1, len(values) // 10)
        begins, ends = np.median(values[tenth : 2 * tenth]), np.median(values[-tenth:])
        print(f"{name}: {begins:.0f} at the beginning, {ends:.0f} at the end")


if __name__ == "__main__":
    raise SystemExit(main())
