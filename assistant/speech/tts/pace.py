"""Whether an engine speaks fast enough on this machine. It is measured once, and a ``Paces`` keeps the result."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from assistant.speech.tts.synthesizer import Synthesizer, Voice

MOST_REAL_TIME_FACTOR: Final = 0.6
"""Above this real-time factor a voice is too slow. The model generates the rest of the answer at the same time, which
takes about half of the machine."""
MOST_FIRST_S: Final = 0.4
"""Longest acceptable time to the first sound where a faster voice sounds human too. People take a silence of about a
second for a fault, and the end of speech, the transcript and the model need the rest of it."""
BEARABLE_REAL_TIME_FACTOR: Final = 0.95
"""Above this real-time factor a voice falls behind its own playback."""
BEARABLE_FIRST_S: Final = 2.0
"""Longest bearable time to the first sound, where the only other voice is hard to understand."""
HURRIED_FIRST_S: Final = 0.6
"""From this time on, the first piece of an answer is made shorter."""
_ROUNDS: Final = 3
_BUSY: Final = 1.5
"""The machine counts as busy when the wall time exceeds the processor time per thread by this factor."""
_BUSY_ALLOWANCE: Final = 1.25
"""Estimate for a busy machine: the processor time per thread, plus a quarter."""
_TEXTS: Final = {
    "ko": ("네, 알겠습니다.", "내일은 대체로 맑고 낮 기온은 이십 도까지 오르겠습니다."),
    "en": ("Yes, I see.", "Tomorrow will be mostly clear, with temperatures of up to twenty degrees."),
}
"""A first clause and a sentence of ordinary length, by language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast an engine speaks.

    Attributes:
        real_time_factor: synthesis time divided by the duration of the speech.
        first_s: seconds until the sound of a first clause of about a second is complete.
    """

    real_time_factor: float
    first_s: float

    @property
    def fast_enough(self) -> bool:
        """Whether synthesis keeps ahead of playback and starts soon enough."""
        return self.real_time_factor <= MOST_REAL_TIME_FACTOR and self.first_s <= MOST_FIRST_S

    @property
    def bearable(self) -> bool:
        """Whether a listener would rather wait than hear a voice that does not sound human."""
        return self.real_time_factor <= BEARABLE_REAL_TIME_FACTOR and self.first_s <= BEARABLE_FIRST_S

    @property
    def hurried(self) -> bool:
        """Whether the first piece must be short so that it is heard soon."""
        return self.first_s > HURRIED_FIRST_S


class Paces(Protocol):
    """Keeps measured paces for this machine."""

    def known(self, engine: str) -> Pace | None:
        """The measured pace; ``None`` when a measurement is needed."""
        ...

    def keep(self, engine: str, pace: Pace) -> None:
        """Keep a new measurement."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopwatch:
    """Two clocks, in seconds from an arbitrary start.

    Attributes:
        wall: elapsed time.
        processor: processor time of this process, summed over its threads.
    """

    wall: Callable[[], float] = time.perf_counter
    processor: Callable[[], float] = time.process_time


def measure(synthesizer: Synthesizer, language: str, *, threads: int, stopwatch: Stopwatch | None = None) -> Pace:
    """Measure a loaded engine and return its best pace.

    Other load can make an engine look slow but never fast, and no round looks slower than ``_BUSY`` times what the
    engine needs. So the rounds end as soon as a quieter one could not change what may be done with the voice. A fast
    machine and a slow one speak once.

    Args:
        synthesizer: the engine.
        language: a language that it speaks, ``ko`` or ``en``.
        threads: number of threads that the engine uses.
        stopwatch: the clocks; the system's by default.

    Raises:
        EngineError: the engine cannot speak.
    """
    watch = stopwatch or Stopwatch()
    pace = _round(synthesizer, language, threads, watch)
    for _ in range(_ROUNDS - 1):
        if _certain(pace):
            break
        other = _round(synthesizer, language, threads, watch)
        pace = Pace(
            real_time_factor=min(pace.real_time_factor, other.real_time_factor),
            first_s=min(pace.first_s, other.first_s),
        )
    return pace


def _certain(pace: Pace) -> bool:
    """Whether a machine without other load would be judged the same."""
    least = Pace(real_time_factor=pace.real_time_factor / _BUSY, first_s=pace.first_s / _BUSY)
    return (pace.fast_enough, pace.bearable) == (least.fast_enough, least.bearable)


def _round(synthesizer: Synthesizer, language: str, threads: int, watch: Stopwatch) -> Pace:
    clause, sentence = _TEXTS[language]
    voice = Voice(language=language)
    first_s = _timed(lambda: sum(len(piece) for piece in synthesizer.synthesize(clause, voice)), threads, watch)
    samples = 0

    def speak() -> None:
        nonlocal samples
        samples = sum(len(piece) for piece in synthesizer.synthesize(sentence, voice))

    taken_s = _timed(speak, threads, watch)
    return Pace(real_time_factor=taken_s * synthesizer.sample_rate / max(samples, 1), first_s=first_s)


def _timed(work: Callable[[], object], threads: int, watch: Stopwatch) -> float:
    """Seconds that the work takes, estimated while the machine is busy."""
    wall, processor = watch.wall(), watch.processor()
    work()
    wall_s, own_s = watch.wall() - wall, (watch.processor() - processor) / threads
    return own_s * _BUSY_ALLOWANCE if wall_s > _BUSY * own_s else wall_s
