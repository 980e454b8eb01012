"""Composes contexts for tests."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from assistant.agent.context.context import Context, compose
from assistant.agent.context.materials import Materials
from assistant.core.messages import Message
from assistant.core.texts import Texts


def composed(
    base_prompt: str,
    history: Sequence[Message],
    texts: Texts,
    now: datetime,
    *,
    max_size: int = 80_000,
    **materials: Any,
) -> Context:
    """A context of these materials."""
    return compose(Materials(base_prompt=base_prompt, history=history, now=now, **materials), texts, max_size=max_size)
