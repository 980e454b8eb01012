"""A tool: one typed function that a model may call (X-01)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from assistant.core.permissions import Category
from assistant.llm.backend import ANY_REQUEST, Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """What is known of a tool.

    Attributes:
        name: unique, ``[a-z0-9_]``.
        description: what the model is told.
        parameters: JSON Schema of its arguments, an object.
        category: how much it can do.
        idempotent: whether running it twice does no more than running it once.
        run: takes the arguments, returns a result that a person can read.
        evidence: what a request for it holds.
        generated: ``parameters`` were made by ``tool_of``, so they need no check when the tool is registered.
    """

    name: str
    description: str
    parameters: dict[str, Any]
    category: Category
    idempotent: bool
    run: Callable[[dict[str, Any]], Awaitable[str]]
    evidence: Evidence = ANY_REQUEST
    generated: bool = False


class ToolError(Exception):
    """A tool cannot do what it was asked; the text says why and is read by the model and the user."""
