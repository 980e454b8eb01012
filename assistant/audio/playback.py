"""The queue from which all audible sound is played.

Speech arrives in segments, usually one sentence each, from any thread and faster than it is played. A sound card pulls
10 ms blocks, each at two rates: for the speaker, and as the echo canceller's reference. Both are prepared when sound is
added, so the pull in the audio callback only copies and multiplies.
"""

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assistant.audio.gain import GainRamp
from assistant.audio.resampling import RATIO, Samples, resample
from assistant.audio.segment import Segment
from assistant.core.audio import FRAME_SAMPLES, PLAYBACK_RATE, SAMPLE_RATE

PLAYED_SAMPLES = FRAME_SAMPLES * RATIO
"""Samples of one block at ``PLAYBACK_RATE`` (480)."""

CLEAR_MS = 4
"""Fade length when the queue is cleared: too short to be heard as sound, long enough to avoid a click."""
DUCK_MS = 20
"""Time to lower or pause the voice. It sounds immediate and causes no click."""
RESTORE_MS = 120
"""Time to raise the voice again, also after a pause. It is slower, because a sudden loud voice startles."""

_KEPT_SEGMENTS = 512
_UNDERRUN_FADE_TICKS = 3 * SAMPLE_RATE // 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedBlock:
    """Ten milliseconds of audible sound at both rates. Do not modify the arrays.

    Attributes:
        out: 480 samples at ``PLAYBACK_RATE`` for the speaker.
        reference: 160 samples of the same sound at ``SAMPLE_RATE`` for echo cancellation.
    """

    out: Samples
    reference: Samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A playback mark: a segment started or was played to its end.

    Attributes:
        segment: number of the segment.
        kind: the event. A cleared segment has no end.
        block: number of blocks pulled until that instant. Times 10 ms, it is the audio time since the card was opened.
    """

    segment: int
    kind: Literal["started", "ended"]
    block: int


class _Cue:
    """A cue that is being played."""

    def __init__(self, played: Samples) -> None:
        blocks = -(-len(played) // PLAYED_SAMPLES)
        self._played = np.zeros(blocks * PLAYED_SAMPLES, np.int32)
        self._played[: len(played)] = played
        reference = resample(played, PLAYBACK_RATE, SAMPLE_RATE)[: blocks * FRAME_SAMPLES]
        self._reference = np.zeros(blocks * FRAME_SAMPLES, np.int32)
        self._reference[: len(reference)] = reference
        self._block = 0
        self._blocks = blocks

    def mix(self, block: PlayedBlock) -> PlayedBlock:
        """Add the next 10 ms of the cue to ``block``."""
        at, self._block = self._block, self._block + 1
        played = block.out + self._played[at * PLAYED_SAMPLES : (at + 1) * PLAYED_SAMPLES]
        reference = block.reference + self._reference[at * FRAME_SAMPLES : (at + 1) * FRAME_SAMPLES]
        return PlayedBlock(out=_clipped(played), reference=_clipped(reference))

    @property
    def over(self) -> bool:
        return self._block == self._blocks


class Playback:
    """A queue of segments, filled from any thread and pulled from an audio callback.

    Segments are played without gaps, in the order of their first ``enqueue`` or ``finish``. Segment numbers are never
    reused.

    Attributes:
        blocks: number of blocks pulled so far; times 10 ms it is audio time.
        underruns: number of times that a segment ran out of samples before its end.
        audible: whether the last block held anything but silence.
        silence: the block that ``pull`` returns while nothing is played.
    """

    def __init__(self) -> None:
        self.blocks = 0
        self.underruns = 0
        self.audible = False
        self._lock = threading.Lock()
        self._feeding = threading.Lock()
        self._segments: deque[Segment] = deque()
        self._by_number: dict[int, Segment] = {}
        self._gone: dict[int, None] = {}
        self._gone_through = -1
        self._heard: dict[int, int] = {}
        self._marks: deque[Mark] = deque(maxlen=4 * _KEPT_SEGMENTS)
        self._cues: list[_Cue] = []
        self._gain = GainRamp()
        self._paused = False
        self._tail: PlayedBlock | None = None
        silence = np.zeros(PLAYED_SAMPLES, np.int16)
        silence.flags.writeable = False
        self._on_sound: Callable[[], None] = lambda: None
        self.silence = PlayedBlock(out=silence, reference=silence[:FRAME_SAMPLES])

    def tell_of_sound(self, call: Callable[[], None]) -> None:
        """Call ``call`` whenever sound was added, on the thread that added it."""
        self._on_sound = call

    # --- Called by the speaker ----------------------------------------------------------------------------------

    def enqueue(self, segment: int, pcm: Samples, rate: int, *, last: bool = False) -> None:
        """Append sound to a segment. Sound for a cleared segment is dropped.

        Args:
            segment: the segment's number. A new segment is queued after all others.
            pcm: any number of mono samples. They are copied, so the caller may reuse the array.
            rate: samples per second, the same for the whole segment.
            last: whether this is the end of the segment.

        Raises:
            ValueError: the segment is already finished, or its rate changed.
        """
        with self._feeding:
            with self._lock:
                if self._is_gone(segment):
                    return
                entry = self._segment(segment, rate)
            if entry is None or entry.finished:
                raise ValueError(f"segment {segment} is finished already")
            if entry.rate != rate:
                raise ValueError(f"segment {segment} came at {entry.rate} samples a second and now at {rate}")
            played, reference = entry.resampler.push(np.array(pcm, np.int16), last=last)
            with self._lock:
                entry.append(played, reference)
                entry.finished = last
        self._on_sound()

    def finish(self, segment: int) -> None:
        """End a segment. A segment without sound starts and ends at the same instant when its turn comes.

        Finishing a finished or cleared segment has no effect.
        """
        with self._feeding:
            with self._lock:
                entry = None if self._is_gone(segment) else self._segment(segment, SAMPLE_RATE)
            if entry is None or entry.finished:
                return
            played, reference = entry.resampler.push(self.silence.out[:0], last=True)
            with self._lock:
                entry.append(played, reference)
                entry.finished = True
        self._on_sound()

    def cue(self, pcm48: Samples) -> None:
        """Play a short sound at ``PLAYBACK_RATE`` now, mixed over the voice. Ducking and clearing do not affect it."""
        if len(pcm48):
            cue = _Cue(pcm48)
            with self._lock:
                self._cues.append(cue)
            self._on_sound()

    # --- Called on a barge-in, and to follow the playback -------------------------------------------------------

    def clear(self, *, through: int = -1) -> None:
        """Stop the voice at once and forget all segments. Sound added afterwards plays at full level.

        The current sound fades out within ``CLEAR_MS`` at the start of the next block.

        Args:
            through: also clear segments up to this number that have no sound yet, because another thread may be about
                to add it.
        """
        with self._lock:
            self._gone_through = max(self._gone_through, through)
            self._tail = self._tail or self._faded_tail()
            for number in self._by_number:
                self._gone[number] = None
            while len(self._gone) > _KEPT_SEGMENTS:
                del self._gone[next(iter(self._gone))]
            self._segments.clear()
            self._by_number.clear()
            self._paused = False
            self._gain.jump(1.0)

    def duck(self, db: float) -> None:
        """Lower the voice by ``db`` decibels (the sign does not matter) within ``DUCK_MS``. A paused voice stays so."""
        with self._lock:
            if not self._paused:
                self._move_gain(float(10 ** (-abs(db) / 20)), DUCK_MS)

    def pause(self) -> None:
        """Fade the voice out within ``DUCK_MS`` and keep the rest of it until ``restore``. Cues still sound."""
        with self._lock:
            self._paused = True
            self._move_gain(0.0, DUCK_MS)

    def restore(self) -> None:
        """Play on from the beginning of the word that was interrupted, and reach full level within ``RESTORE_MS``.

        The beginning is found by the rest before it (``Segment.go_back``). Without one, play on where the voice paused.
        """
        with self._lock:
            silent = self._paused and self._gain.level == 0.0
            self._paused = False
            if silent and self._segments and self._segments[0].begun:
                self._note_heard(self._segments[0].number, -self._segments[0].go_back())
            self._move_gain(1.0, RESTORE_MS)

    def take_marks(self) -> list[Mark]:
        """Marks since the last call, oldest first."""
        if not self._marks:
            return []
        with self._lock:
            marks = list(self._marks)
            self._marks.clear()
        return marks

    def heard_s(self, segment: int) -> float:
        """Seconds of a segment that were played so far, also after it was cleared; 0 if it never started."""
        with self._lock:
            return self._heard.get(segment, 0) / SAMPLE_RATE

    @property
    def pending_s(self) -> float:
        """Seconds of sound in the queue."""
        with self._lock:
            return sum(each.ready for each in self._segments) / SAMPLE_RATE

    @property
    def wanted(self) -> bool:
        """Whether there is anything to play, now or after a pause."""
        return bool(self._segments or self._cues or self._tail)

    # --- Called by the card -------------------------------------------------------------------------------------

    def pull(self) -> PlayedBlock:
        """Take the next 10 ms. Called from the audio callback, on one thread."""
        with self._lock:
            block = self._voice()
            self.audible = block is not self.silence or bool(self._cues)
            if self._cues:
                for cue in self._cues:
                    block = cue.mix(block)
                self._cues = [cue for cue in self._cues if not cue.over]
            self.blocks += 1
            return block

    def _voice(self) -> PlayedBlock:
        """The next block of the voice. The caller holds the lock."""
        if self._paused and self._gain.level == 0.0:
            return self.silence
        tail, self._tail = self._tail, None
        if tail is None and not self._segments:
            self._gain.jump(self._gain.target)
            return self.silence
        played = np.zeros(PLAYED_SAMPLES, np.int16)
        reference = np.zeros(FRAME_SAMPLES, np.int16)
        start = 0
        if tail is not None:
            start = len(tail.reference)
            played[: start * RATIO] = tail.out
            reference[:start] = tail.reference
        filled = self._fill(played[start * RATIO :], reference[start:])
        self._gain.apply(played[start * RATIO :], reference[start:])
        return PlayedBlock(out=played, reference=reference) if filled or tail is not None else self.silence

    def _fill(self, played: Samples, reference: Samples) -> int:
        """Copy from the segments in order until the block is full or no samples are ready."""
        filled = 0
        while filled < len(reference) and self._segments:
            entry = self._segments[0]
            if not entry.begun:
                if not entry.ready and not entry.finished:
                    break
                entry.begun = True
                self._mark(entry.number, "started", self.blocks)
            count = entry.read(played[filled * RATIO :], reference[filled:])
            if entry.starved and count:
                entry.starved = False
                _fade(played[filled * RATIO :], reference[filled:], count, rising=True)
            self._note_heard(entry.number, count)
            filled += count
            if entry.ready:
                continue
            if entry.finished:
                self._drop_first()
                self._mark(entry.number, "ended", self.blocks + 1)
            elif filled < len(reference):
                self._starve(entry, played[: filled * RATIO], reference[:filled], count)
                break
        return filled

    def _starve(self, entry: Segment, played: Samples, reference: Samples, count: int) -> None:
        """Handle an underrun: count it once and fade out the samples before it."""
        if not entry.starved:
            entry.starved = True
            self.underruns += 1
            start = len(reference) - count
            _fade(played[start * RATIO :], reference[start:], count, rising=False)

    def _faded_tail(self) -> PlayedBlock | None:
        """The fade-out of the current sound when the queue is cleared."""
        if not self.audible or not self._segments:
            return None
        ticks = CLEAR_MS * SAMPLE_RATE // 1000
        played = np.zeros(ticks * RATIO, np.int16)
        reference = np.zeros(ticks, np.int16)
        entry = self._segments[0]
        if not entry.begun:
            return None
        count = entry.read(played, reference)
        self._note_heard(entry.number, count)
        self._gain.move(0.0, max(1, count))
        self._gain.apply(played, reference)
        return PlayedBlock(out=played, reference=reference) if count else None

    def _segment(self, number: int, rate: int) -> Segment | None:
        """The segment with this number, created on first use; ``None`` when it was already played."""
        entry = self._by_number.get(number)
        if entry is None and number not in self._heard:
            entry = Segment(number, rate)
            self._by_number[number] = entry
            self._segments.append(entry)
        return entry

    def _is_gone(self, number: int) -> bool:
        return number <= self._gone_through or number in self._gone

    def _drop_first(self) -> None:
        del self._by_number[self._segments.popleft().number]

    def _note_heard(self, number: int, ticks: int) -> None:
        self._heard[number] = self._heard.get(number, 0) + ticks
        if len(self._heard) > _KEPT_SEGMENTS:
            del self._heard[next(iter(self._heard))]

    def _mark(self, segment: int, kind: Literal["started", "ended"], block: int) -> None:
        self._marks.append(Mark(segment=segment, kind=kind, block=block))

    def _move_gain(self, level: float, ramp_ms: int) -> None:
        """Move the voice's gain. The caller holds the lock."""
        self._gain.move(level, ramp_ms * SAMPLE_RATE // 1000)


def _clipped(samples: "np.ndarray[tuple[int, ...], np.dtype[np.int32]]") -> Samples:
    return np.clip(samples, -32_768, 32_767).astype(np.int16)


def _fade(played: Samples, reference: Samples, count: int, *, rising: bool) -> None:
    """Fade the first (rising) or the last (falling) milliseconds of ``count`` ticks in place."""
    ticks = min(count, _UNDERRUN_FADE_TICKS)
    if not ticks:
        return
    curve = np.linspace(0, 1, ticks * RATIO, dtype=np.float32)
    where = slice(0, ticks) if rising else slice(count - ticks, count)
    if not rising:
        curve = curve[::-1]
    wide = played[where.start * RATIO : where.stop * RATIO]
    np.multiply(wide, curve, out=wide, casting="unsafe")
    np.multiply(reference[where], curve[::RATIO], out=reference[where], casting="unsafe")
