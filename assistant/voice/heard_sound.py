"""10 ms of microphone sound, with the state of the echo."""

from dataclasses import dataclass

from assistant.audio.echo.presence import Echo
from assistant.audio.echo.separation import Separated


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardSound:
    """One frame.

    Attributes:
        heard: the microphone signal.
        cleaned: the same after echo cancellation.
        speech: whether ``cleaned`` contains speech.
        played: the sound played at the same time.
        echo: whether the microphone picks up the played sound.
        separated: what is heard beside a recognised echo; ``None`` while it is not known.
        drift: by how much the echo's delay grows, as a share of the time.
    """

    heard: bytes
    cleaned: bytes
    speech: bool
    played: bytes
    echo: Echo
    separated: Separated | None = None
    drift: float = 0.0
