"""10 ms of what is heard, with what is known of the echo in it."""

from dataclasses import dataclass

from assistant.audio.echo.presence import Echo


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardSound:
    """A frame.

    Attributes:
        heard: what the microphone gave.
        cleaned: the same after echo cancellation.
        speech: whether somebody speaks in ``cleaned``.
        played: what was played meanwhile.
        echo: whether what is played comes back.
    """

    heard: bytes
    cleaned: bytes
    speech: bool
    played: bytes
    echo: Echo
