"""Requests for the engine itself."""

from dataclasses import dataclass
from typing import ClassVar

from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class EndEngine(Request[None]):
    """End the engine. The reply comes before it ends."""

    right: ClassVar[Right] = Right.OWN
