"""Decides which models are small: those that work better with a short prompt and short tool descriptions.

A fact from the table or the user comes first, then the number of parameters in the model's file, then the size in the
model's name. The result does not depend on where the model runs. Pure.
"""

import re

SMALL_BELOW = 4e9
"""Parameters. Models of 3 billion and fewer imitate their prompt and lose track of a long one. From 4 billion on they
follow instructions and write tool calls in the form of their template."""

_SIZE = re.compile(r"(?<![a-z0-9.])(\d+(?:[.p]\d+)?)\s?([bm])(?![a-z0-9])")


def parameters_in(name: str) -> float | None:
    """The number of parameters in a model's name (``qwen2.5-coder-1.5b``, ``smollm2-135m``), or ``None``.

    If there are several sizes, as with mixtures of experts (``qwen3-30b-a3b``), the largest counts.
    """
    sizes = [
        float(number.replace("p", ".")) * (1e9 if unit == "b" else 1e6)
        for number, unit in _SIZE.findall(name.lower().replace("_", "-"))
    ]
    return max(sizes, default=None)


def is_small(name: str, counted: float | None = None) -> bool:
    """Whether a model is small. A model of unknown size is not.

    Args:
        name: the model's name.
        counted: its number of parameters from its file, which overrides the name.
    """
    parameters = parameters_in(name) if counted is None else counted
    return parameters is not None and parameters < SMALL_BELOW
