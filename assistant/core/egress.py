"""What leaves the machine, as it is written down for the user to read (P-25)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class DataClass(StrEnum):
    """What kind of the user's data a request carries."""

    CONVERSATION = "conversation"
    """What the user and Sori have said, the system prompt with it."""
    IMAGE = "image"
    AUDIO = "audio"
    DOCUMENT = "document"
    TOOL_RESULT = "tool_result"
    """What tools have found on this machine or elsewhere."""
    NONE = "none"
    """Nothing of the user's: a list of models, a download."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """One outbound request, before it is sent.

    Attributes:
        destination: scheme, host and port, such as ``https://api.openai.com:443``; never a path or a key.
        local: whether it stays on this machine (a loopback address).
        purpose: what for: ``answer``, ``summary``, ``title``, ``list_models``, ``model_facts``, ``discovery``,
            ``download``.
        provider: name of the provider as configured; empty where there is none.
        size: bytes of the body.
        data: what kinds of the user's data are in it.
        at: ISO 8601 with offset; empty before it is recorded.
    """

    destination: str
    local: bool
    purpose: str
    provider: str = ""
    size: int = 0
    data: tuple[DataClass, ...] = (DataClass.NONE,)
    at: str = ""


class EgressLedger(Protocol):
    """Where requests are written down."""

    async def record(self, egress: Egress) -> None:
        """Write down a request durably; whoever sends it waits for that, and does not send it when this raises.

        Raises:
            StorageError: it cannot be written.
        """
        ...
