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
        guessed: whether the machine was too busy for a measurement, so that another one is needed.
    """

    real_time_factor: float
    first_s: float
    guessed: bool = False

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

    Other load can make an engine look slow but never fast, so the rounds end with the first that is fast enough. If the
    machine stays busy, the pace is estimated from the processor time.

    Args:
        synthesizer: the engine.
        language: a language that it speaks, ``ko`` or ``en``.
        threads: number of threads that the engine uses.
        stopwatch: the clocks; the system's by default.

    Raises:
        EngineError: the engine cannot speak.
    """
    watch = stopwatch or Stopwatch()
    rounds: list[Pace] = []
    while len(rounds) < _ROUNDS and not any(each.fast_enough and not each.hurried for each in rounds):
        rounds.append(_round(synthesizer, language, threads, watch))
    return Pace(
        real_time_factor=min(each.real_time_factor for each in rounds),
        first_s=min(each.first_s for each in rounds),
        guessed=all(each.guessed for each in rounds),
    )


def _round(synthesizer: Synthesizer, language: str, threads: int, watch: Stopwatch) -> Pace:
    clause, sentence = _TEXTS[language]
    voice = Voice(language=language)
    first_s, first_guessed = _timed(
        lambda: sum(len(piece) for piece in synthesizer.synthesize(clause, voice)), threads, watch
    )
    samples = 0

    def speak() -> None:
        nonlocal samples
        samples = sum(len(piece) for piece in synthesizer.synthesize(sentence, voice))

    taken_s, guessed = _timed(speak, threads, watch)
    return Pace(
        real_time_factor=taken_s * synthesizer.sample_rate / max(samples, 1),
        first_s=first_s,
        guessed=first_guessed or guessed,
    )


def _timed(work: Callable[[], object], threads: int, watch: Stopwatch) -> tuple[float, bool]:
    """Seconds that the work takes, and whether they are an estimate."""
    wall, processor = watch.wall(), watch.processor()
    work()
    wall_s, own_s = watch.wall() - wall, (watch.processor() - processor) / threads
    if wall_s > _BUSY * own_s:
        return own_s * _BUSY_ALLOWANCE, True
    return wall_s, False
