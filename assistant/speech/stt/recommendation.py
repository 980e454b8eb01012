"""Which model size, device and compute type a machine should use for speech recognition (V-09). Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

SIZES: Final[Mapping[str, str]] = {"base": "whisper-base", "small": "whisper-small"}
"""Names in ``weights/manifest.toml`` of the multilingual models by size, the least accurate first."""
FAST_ENOUGH: Final = 0.1
"""Largest real-time factor of a size that is recommended: a sentence of 5 s is transcribed in 0.5 s."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRecognizer:
    """The speed of a recogniser on this machine.

    Attributes:
        size: size of the model, such as ``base``.
        device: ``cpu`` or ``cuda``.
        compute_type: CTranslate2's name for the type of the numbers, such as ``int8``.
        real_time_factor: time of a final transcript divided by the length of the sound.
    """

    size: str
    device: str
    compute_type: str
    real_time_factor: float


def recommended(measured: Sequence[MeasuredRecognizer], sizes: Sequence[str]) -> MeasuredRecognizer | None:
    """The fastest variant of the most accurate size that is fast enough; if none is, the fastest of the smallest size.

    Args:
        measured: the measurements.
        sizes: the sizes, the least accurate first.

    Returns:
        ``None`` without a measurement of one of the sizes.
    """
    fastest = {
        size: min(variants, key=lambda each: each.real_time_factor)
        for size in sizes
        if (variants := [each for each in measured if each.size == size])
    }
    fitting = [each for each in fastest.values() if each.real_time_factor <= FAST_ENOUGH]
    return fitting[-1] if fitting else next(iter(fastest.values()), None)
