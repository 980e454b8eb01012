"""A sound card: a microphone and a speaker that share one clock.

``devices.DeviceCard`` is a real card; ``files.FileCard`` reads and writes wav files. A listener takes frames from
``frames()``. A speaker puts sound into the ``Playback`` that was passed to the card, and the card pulls from it.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol

from assistant.core.audio import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardFrame:
    """10 ms of microphone sound and the sound played at the same time.

    Attributes:
        heard: the microphone's frame.
        played: the same 10 ms of the sound sent to the speaker, at ``SAMPLE_RATE`` in the same format. It is the
            reference for echo cancellation.
    """

    heard: Frame
    played: bytes


class SoundCard(Protocol):
    """A microphone and a speaker. Either may be missing."""

    @property
    def microphone(self) -> str:
        """Name of the microphone in use; empty when there is none."""
        ...

    @property
    def speaker(self) -> str:
        """Name of the speaker in use; empty when there is none."""
        ...

    @property
    def delay_ms(self) -> int:
        """Estimated time from a sample leaving ``Playback`` to its echo in ``frames()``."""
        ...

    async def open(self) -> None:
        """Start the directions that exist.

        Raises:
            AudioDeviceError: neither direction can be opened.
        """
        ...

    def frames(self) -> AsyncIterator[HeardFrame]:
        """Yield microphone frames until the card is closed or the medium ends.

        Raises:
            AudioDeviceError: the microphone was disconnected or delivers no sound.
        """
        ...

    async def close(self) -> None:
        """Stop both directions. Safe to call twice."""
        ...
