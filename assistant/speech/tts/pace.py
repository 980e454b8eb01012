"""Whether an engine speaks fast enough on this machine: measured once, and kept by whoever implements ``Paces``."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

from assistant.speech.tts.synthesizer import Synthesizer, Voice

MOST_REAL_TIME_FACTOR: Final = 0.6
"""Above it a voice is too slow: the rest of the machine is at work on the answer's next words meanwhile, which takes
about half of it."""
MOST_FIRST_S: Final = 1.2
"""Longest time to the first words: people take a silence of about a second for a fault."""
HURRIED_FIRST_S: Final = 0.6
"""From this time on the first words of an answer are made shorter."""
_ROUNDS: Final = 3
_BUSY: Final = 1.5
"""A machine does something else too when an engine takes so many times the processor time that it uses."""
_BUSY_ALLOWANCE: Final = 1.25
"""What is guessed for such a machine: its processor time and a quarter more."""
_TEXTS: Final = {
    "ko": ("네, 알겠습니다.", "내일은 대체로 맑고 낮 기온은 이십 도까지 오르겠습니다."),
    "en": ("Yes, I see.", "Tomorrow will be mostly clear, with temperatures of up to twenty degrees."),
}
"""A first clause and a sentence of ordinary length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast an engine speaks.

    Attributes:
        real_time_factor: time to make speech, as a share of the time that it lasts.
        first_s: seconds until the sound of a first clause of about a second is there.
        guessed: whether the machine was too busy to tell, so that it has to be measured again.
    """

    real_time_factor: float
    first_s: float
    guessed: bool = False

    @property
    def fast_enough(self) -> bool:
        """Whether it keeps ahead of what is heard, and begins soon enough."""
        return self.real_time_factor <= MOST_REAL_TIME_FACTOR and self.first_s <= MOST_FIRST_S

    @property
    def hurried(self) -> bool:
        """Whether first words have to be short, so that they come soon."""
        return self.first_s > HURRIED_FIRST_S


class Paces(Protocol):
    """Remembers how fast engines are on this machine."""

    def known(self, engine: str) -> Pace | None:
        """What was measured; ``None`` when it has to be measured (again)."""
        ...

    def keep(self, engine: str, pace: Pace) -> None:
        """Remember what was measured just now."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopwatch:
    """Two clocks, in seconds from any start.

    Attributes:
        wall: goes on always.
        processor: goes on while this process computes, once for each of its threads.
    """

    wall: Callable[[], float] = time.perf_counter
    processor: Callable[[], float] = time.process_time


def measure(synthesizer: Synthesizer, language: str, *, threads: int, stopwatch: Stopwatch | None = None) -> Pace:
    """Let a loaded engine speak, and tell how fast it was at its best.

    A machine that is busy for a moment makes an engine slow, never fast: rounds end with the first that is fast enough.
    Where it stays busy, the processor's time tells what the engine needs by itself.

    Args:
        synthesizer: the engine.
        language: one that it speaks; texts are known in ``ko`` and ``en``.
        threads: threads that it computes with.
        stopwatch: the clocks; the system's by default.

    Raises:
        EngineError: it cannot speak.
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
    """Seconds that some work takes here, and whether that had to be guessed."""
    wall, processor = watch.wall(), watch.processor()
    work()
    wall_s, own_s = watch.wall() - wall, (watch.processor() - processor) / threads
    if wall_s > _BUSY * own_s:
        return own_s * _BUSY_ALLOWANCE, True
    return wall_s, False
