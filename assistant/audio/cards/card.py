"""A sound card: a microphone and a speaker that share one clock.

``devices.DeviceCard`` is a real one, ``files.FileCard`` one whose medium is a wav file. Whoever listens takes frames
from ``frames()``; whoever speaks puts sound into the ``Playback`` that the card was given and that the card pulls from.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from assistant.core.audio import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardFrame:
    """What the microphone heard in 10 ms, and what the speaker played meanwhile.

    Attributes:
        heard: the microphone's frame.
        played: the same 10 ms of what was sent to the speaker, at ``SAMPLE_RATE``, in the same format: the reference
            for echo cancellation.
    """

    heard: Frame
    played: bytes


class SoundCard(Protocol):
    """A microphone and a speaker; either may be missing."""

    @property
    def microphone(self) -> str:
        """Name of the microphone in use, empty when there is none."""
        ...

    @property
    def speaker(self) -> str:
        """Name of the speaker in use, empty when there is none."""
        ...

    @property
    def delay_ms(self) -> int:
        """Estimated time from a sample leaving ``Playback`` to its echo reaching ``frames()``."""
        ...

    async def open(self) -> None:
        """Start both directions that exist.

        Raises:
            AudioDeviceError: neither direction can be opened.
        """
        ...

    def frames(self) -> AsyncIterator[HeardFrame]:
        """What is heard, frame after frame, until the card is closed or the medium ends.

        Raises:
            AudioDeviceError: the microphone went away or delivers nothing.
        """
        ...

    async def close(self) -> None:
        """Stop both directions; safe to call twice."""
        ...
