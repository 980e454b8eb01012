"""The recogniser's work that is left when the speaker has finished, beside faster-whisper's batch ``transcribe()``.

The human recordings whose words are known are played to the listener, at three speeds, without and with pink noise. It
transcribes while they are played, as in a conversation. From the last voiced sample of the clean recording on, the
benchmark counts:

- work: the processor time of the recogniser's calls until the final transcript is there; a call that was running at
  the end counts from the end on;
- delay: the time until the final transcript is there. The pause that has to be noticed first is part of it.

``transcribe()`` (30 s window, beam of 5, temperature 0) transcribes the same sound at its end. Words that were shown as
settled and changed later are counted, and transcripts that lack the last syllable. The end-of-turn model does not run.

The sound's own time runs: a call of the recogniser lasts as much of it as it takes processor time, on one thread. The
result hardly depends on what else the computer does. ``--real-time`` plays the sound as fast as it was spoken.

    python benchmarks/voice/recogniser_keeps_up.py [--noises none 12] [--speeds 1.0] [--real-time --batch-threads 2]
"""

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.audio.cards.card import HeardFrame
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, SAMPLE_RATE, Frame
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId
from assistant.core.settings import Settings
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt.faster_whisper import MODEL, FasterWhisper
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.trace import Trace
from assistant.voice.utterance import PAUSE_MS
from assistant.voice.work import Work
from benchmarks.voice.batch_pipeline import load_whisper
from benchmarks.voice.final_transcript import NOISES_DB, SPEEDS, batch, pink
from tests.fakes.conversation import FakeConversation
from tests.fakes.sound.human_speech import SAID, character_error_rate, recording, silence

BEHIND_S = 3.0
TURN = TurnId("1")
FRAME_S = FRAME_SAMPLES / SAMPLE_RATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Sound:
    """A recording in one condition; ``end`` is the frame of its last voiced sample."""

    pcm: NDArray[np.int16]
    language: str
    said: str
    end: int


class Clock:
    """The time of the sound: that of the computer, or one that the sound sets.

    Args:
        real: whether it is that of the computer.
    """

    def __init__(self, *, real: bool) -> None:
        self.real = real
        self._began = time.monotonic()
        self._at = 0.0
        self._waiting: list[tuple[float, asyncio.Event]] = []

    @property
    def now(self) -> float:
        """Seconds since the beginning of the sound."""
        return time.monotonic() - self._began if self.real else self._at

    async def reach(self, at: float) -> None:
        """Let time pass until ``at``, and let everything happen that is due."""
        if self.real:
            await asyncio.sleep(max(0.0, at - self.now))
            return
        self._at = at
        for due, event in self._waiting:
            if due <= at:
                event.set()
        for _ in range(5):
            await asyncio.sleep(0)

    async def until(self, due: float) -> None:
        """Wait until others have let the time pass."""
        event = asyncio.Event()
        self._waiting.append((due, event))
        await event.wait()


@dataclass(frozen=True, slots=True)
class Call:
    """One call of the recogniser: when it began and ended, and its processor time."""

    began: float
    ended: float
    work_s: float


class CountedThread(ModelThread):
    """A recogniser's thread whose calls are recorded. Without real time a call lasts as long as its processor time."""

    def __init__(self, clock: Clock) -> None:
        super().__init__("recognizer", Work())
        self.calls: list[Call] = []
        self._clock = clock
        self._one = asyncio.Lock()

    async def run(self, call: Callable[[], Any]) -> Any:
        """Run a call when the others have ended."""
        async with self._one:
            began, before_s = self._clock.now, time.process_time()
            result = await super().run(call) if self._clock.real else call()
            work_s = time.process_time() - before_s
            if not self._clock.real:
                await self._clock.until(began + work_s)
            self.calls.append(Call(began, self._clock.now, work_s))
            return result


@dataclass(slots=True)
class Heard:
    """What the listener made of one sound.

    Attributes:
        shown: the settled words of each partial.
        text: the final transcript.
        work_s: work after the end of speech.
        delay_s: delay after the end of speech.
    """

    shown: list[str] = field(default_factory=list)
    text: str = ""
    work_s: float = 0.0
    delay_s: float = 0.0

    @property
    def changed(self) -> int:
        """Number of settled words that a later partial or the final transcript does not have."""
        texts = [*self.shown, self.text]
        return sum(_lost(one.split(), other.split()) for one, other in pairwise(texts))


def main(arguments: Sequence[str] | None = None) -> int:
    """Play all sounds and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--real-time", action="store_true")
    parser.add_argument("--batch-threads", type=int, default=1)
    parser.add_argument("--noises", nargs="+", default=["none", *(str(each) for each in NOISES_DB if each)])
    parser.add_argument("--speeds", nargs="+", type=float, default=list(SPEEDS))
    asked = parser.parse_args(arguments)
    store = open_store(default_home())
    store.ensure([MODEL])
    whisper = FasterWhisper(store.path(MODEL), 1)
    library = load_whisper(store.path(MODEL), asked.batch_threads)
    noises = [None if each == "none" else int(each) for each in asked.noises]
    rows: list[tuple[Heard, Heard, str]] = []
    early = 0
    for sound in _sounds(noises, asked.speeds):
        heard = asyncio.run(listen(whisper, sound, real_time=asked.real_time))
        if heard.delay_s:
            rows.append((heard, _batch(library, sound), sound.said))
        else:
            early += 1
        print(f"{heard.work_s:6.3f} {heard.delay_s:6.3f}  {heard.text}", file=sys.stderr, flush=True)
    _print(rows)
    print(f"left out because the utterance was taken for complete before its end: {early}")
    return 0


def _print(rows: list[tuple[Heard, Heard, str]]) -> None:
    print(f"{'':8}{'n':>4}{'work p50':>10}{'p95 s':>8}{'delay p50':>11}{'p95 s':>8}{'character errors':>18}")
    arms = {"ours": [row[0] for row in rows], "batch": [row[1] for row in rows]}
    for name, all_heard in arms.items():
        works, delays = [each.work_s for each in all_heard], [each.delay_s for each in all_heard]
        wrong = statistics.mean(
            character_error_rate(each.text, row[2]) for each, row in zip(all_heard, rows, strict=True)
        )
        print(
            f"{name:8}{len(rows):>4}{statistics.median(works):>10.3f}{np.percentile(works, 95):>8.3f}"
            f"{statistics.median(delays):>11.3f}{np.percentile(delays, 95):>8.3f}{wrong:>18.1%}"
        )
    shares = {
        "work": [ours.work_s / other.work_s for ours, other, _ in rows],
        "delay": [ours.delay_s / other.delay_s for ours, other, _ in rows],
    }
    for what, all_shares in shares.items():
        median, p95 = statistics.median(all_shares), np.percentile(all_shares, 95)
        print(f"{what} as a share of batch: p50 {median:.2f}, mean {statistics.mean(all_shares):.2f}, p95 {p95:.2f}")
    first, other, _ = rows[0]
    print(f"the first utterance of the process: work {first.work_s:.3f} s, batch {other.work_s:.3f} s")
    for name, all_heard in arms.items():
        lost = sum(_lacks_end(each.text, row[2]) for each, row in zip(all_heard, rows, strict=True))
        print(f"{name}: transcripts without the end of the sentence: {lost}")
    print(f"settled words that changed: {sum(row[0].changed for row in rows)}")
    partials = [len(row[0].shown) for row in rows]
    print(f"partials with settled words: {statistics.mean(partials):.1f} an utterance")


async def listen(
    whisper: FasterWhisper,
    sound: Sound,
    *,
    real_time: bool,
    on_partial: Callable[[str, int], None] = lambda _text, _stable: None,
) -> Heard:
    """Play a sound to the listener; ``on_partial`` takes each partial and the length of its settled part."""
    heard, clock, done = Heard(), Clock(real=real_time), asyncio.Event()

    def report(event: Event) -> None:
        if isinstance(event, ev.UtteranceTranscribed | ev.UtteranceRejected):
            heard.text = getattr(event, "text", "")
            done.set()

    thread = CountedThread(clock)

    def show(text: str, stable: int) -> None:
        heard.shown.append(text[:stable])
        on_partial(text, stable)

    listener, ears = _listener(whisper, thread, show, report, sound.language)
    for number in range(sound.pcm.size // FRAME_SAMPLES):
        if done.is_set():
            break
        await clock.reach((number + 1) * FRAME_S)
        start = number * FRAME_SAMPLES
        pcm = sound.pcm[start : start + FRAME_SAMPLES].tobytes()
        listener.hear(HeardFrame(heard=Frame(index=start, pcm=pcm), played=bytes(FRAME_BYTES)))
    end = (sound.end + 1) * FRAME_S
    left = [call for call in thread.calls if call.ended > end]
    heard.work_s = sum(call.work_s * (call.ended - max(call.began, end)) / (call.ended - call.began) for call in left)
    heard.delay_s = left[-1].ended - end if left else 0.0
    listener.close()
    ears.close()
    return heard


def _listener(
    whisper: FasterWhisper,
    thread: ModelThread,
    show: Callable[[str, int], None],
    report: Callable[[Event], None],
    language: str,
) -> tuple[Listener, Ears]:
    ears = Ears(
        voice=VoiceActivity(),
        unprocessed_voice=VoiceActivity(),
        recognizer=whisper,
        recognizer_thread=thread,
        wake=None,
        turn_end=None,
        turn_end_thread=ModelThread("turn-end", Work()),
        echo=None,
    )
    conversation = FakeConversation(trace=Trace(time.monotonic, lambda _entry: None), react=report, show=show)
    listener = Listener(ears, LiveSettings(Settings(language="ko" if language == "ko" else "en")), conversation)
    listener.follow(Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=TURN))
    listener.begin(TURN, keep_onset=False)
    return listener, ears


def _batch(whisper: Any, sound: Sound) -> Heard:
    """Transcribe a sound up to the silence that makes a pause, at once."""
    before_s, began = time.process_time(), time.monotonic()
    pcm = sound.pcm[: (sound.end + 1) * FRAME_SAMPLES + PAUSE_MS * SAMPLE_RATE // 1000]
    text = batch(whisper, pcm, sound.language)
    return Heard(text=text, work_s=time.process_time() - before_s, delay_s=time.monotonic() - began)


def _sounds(noises: Sequence[int | None], speeds: Sequence[float]) -> Iterator[Sound]:
    random = np.random.default_rng(5)
    for name, (language, said) in SAID.items():
        speech = np.concatenate((recording(name), silence(BEHIND_S))).astype(np.float64)
        level = np.sqrt(np.mean(np.square(recording(name).astype(np.float64))))
        for noise_db in noises:
            for speed in speeds:
                sound = np.interp(np.arange(0, len(speech), speed), np.arange(len(speech)), speech)
                end = last_voiced(sound.astype(np.int16))
                if noise_db is not None:
                    sound += pink(random, len(sound)) * level * 10 ** (-noise_db / 20)
                pcm = np.clip(sound, -32768, 32767).astype(np.int16)
                yield Sound(pcm=pcm, language=language, said=said, end=end)


def last_voiced(pcm: NDArray[np.int16]) -> int:
    """The number of the last frame with voice."""
    voice = VoiceActivity()
    frames = range(0, pcm.size - FRAME_SAMPLES + 1, FRAME_SAMPLES)
    speech = [voice.feed(pcm[start : start + FRAME_SAMPLES].tobytes()).speech for start in frames]
    return int(np.flatnonzero(speech)[-1])


def _lost(before: list[str], after: list[str]) -> int:
    """Number of words that are not at their place any more."""
    kept = [one == other for one, other in zip(before, after, strict=False)]
    return len(before) - sum(kept)


def _lacks_end(text: str, said: str) -> bool:
    """Whether the last two letters are missing at the end of the transcript, where a wrong letter may follow."""
    heard, wanted = ("".join(filter(str.isalnum, each.lower())) for each in (text, said))
    return wanted[-2:] not in heard[-5:]


if __name__ == "__main__":
    sys.exit(main())
