"""Whether a language model finds room in the memory of this machine."""

from assistant.core.updates import MemoryFit
from assistant.weights.manifest import Model

_REST_BYTES = 1_000_000_000
"""What listening and speaking take beside the model, as measured for ``host/needed_models.py``."""
_PER_BYTE = 1.25
_FIXED_BYTES = 570_000_000
"""An estimate that agrees with the one measured model of a useful size: 1.97 GB for 1.12 GB of weights."""


def memory_of(model: Model) -> int:
    """Bytes of memory that a language model takes while it is loaded: measured, or estimated from its weights."""
    return model.memory if model.memory is not None else round(model.size * _PER_BYTE) + _FIXED_BYTES


def fit_of(needed: int, *, total: int | None, free: int | None) -> MemoryFit:
    """Whether there is room.

    Args:
        needed: bytes that the model takes.
        total: bytes of memory of this machine; ``None`` when unknown.
        free: bytes that programs can take now; ``None`` when unknown.
    """
    if total is None:
        return MemoryFit.UNKNOWN
    if needed + _REST_BYTES > total:
        return MemoryFit.TOO_BIG
    return MemoryFit.TIGHT if free is not None and needed > free else MemoryFit.FITS
