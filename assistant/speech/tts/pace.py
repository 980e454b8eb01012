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
    """

    real_time_factor: float
    first_s: float

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


def measure(synthesizer: Synthesizer, language: str, stopwatch: Callable[[], float] = time.perf_counter) -> Pace:
    """Let a loaded engine speak, and tell how fast it was at its best.

    A machine that is busy for a moment makes an engine slow, never fast: rounds end with the first that is fast enough.
    The engine has spoken once afterwards, so that its first sentence is no slower than the others.

    Args:
        synthesizer: the engine.
        language: one that it speaks; texts are known in ``ko`` and ``en``.
        stopwatch: seconds from any start.

    Raises:
        EngineError: it cannot speak.
    """
    clause, sentence = _TEXTS[language]
    voice = Voice(language=language)
    best = _round(synthesizer, clause, sentence, voice, stopwatch)
    for _ in range(_ROUNDS - 1):
        if best.fast_enough and not best.hurried:
            break
        again = _round(synthesizer, clause, sentence, voice, stopwatch)
        best = Pace(
            real_time_factor=min(best.real_time_factor, again.real_time_factor),
            first_s=min(best.first_s, again.first_s),
        )
    return best


def _round(synthesizer: Synthesizer, clause: str, sentence: str, voice: Voice, stopwatch: Callable[[], float]) -> Pace:
    begun = stopwatch()
    next(iter(synthesizer.synthesize(clause, voice)), None)
    first_s = stopwatch() - begun
    begun = stopwatch()
    samples = sum(len(piece) for piece in synthesizer.synthesize(sentence, voice))
    taken_s = stopwatch() - begun
    return Pace(real_time_factor=taken_s * synthesizer.sample_rate / max(samples, 1), first_s=first_s)
