"""Which models are small: those that do better with a short prompt and few words on each tool.

A fact that the table or the user tells comes first; else what the model's file says, where that is here; else the size
that the model's own name tells. It holds for a model wherever it runs. Pure.
"""

import re

SMALL_BELOW = 4e9
"""Parameters. Models of 3 billion and fewer imitate what stands in their prompt and lose the thread of a long one;
from 4 billion on they follow instructions and write tool calls in their template's own form."""

_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:[.p]\d+)?)\s?([bm])(?![a-z0-9])")


def parameters_in(name: str) -> float | None:
    """How many parameters a model has by its name (``qwen2.5-coder-1.5b``, ``smollm2-135m``); ``None`` if untold.

    Of several sizes, as with mixtures of experts (``qwen3-30b-a3b``), the largest.
    """
    sizes = [
        float(number.replace("p", ".")) * (1e9 if unit == "b" else 1e6)
        for number, unit in _SIZE.findall(name.lower().replace("_", "-"))
    ]
    return max(sizes, default=None)


def is_small(name: str, counted: float | None = None) -> bool:
    """Whether a model is small; one of which nothing is told is not.

    Args:
        name: the model's.
        counted: how many parameters it has by its file, which a name may not tell, or tell wrongly.
    """
    parameters = parameters_in(name) if counted is None else counted
    return parameters is not None and parameters < SMALL_BELOW
