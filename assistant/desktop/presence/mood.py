"""What the voice presence shows of the engine's state."""

from enum import StrEnum

from assistant.core.machine.states import InteractionState, Snapshot
from assistant.desktop.kit.theme import Theme


class Mood(StrEnum):
    """What a person should see at a glance."""

    IDLE = "idle"
    LISTENING = "listening"
    THINKING = "thinking"
    SPEAKING = "speaking"
    MUTED = "muted"
    ERROR = "error"


_MOODS = {
    InteractionState.LISTENING: Mood.LISTENING,
    InteractionState.PROCESSING: Mood.THINKING,
    InteractionState.SPEAKING: Mood.SPEAKING,
}
_COLORS = {
    Mood.IDLE: "dim",
    Mood.LISTENING: "accent",
    Mood.THINKING: "thinking",
    Mood.SPEAKING: "speaking",
    Mood.MUTED: "dim",
    Mood.ERROR: "warning",
}


def mood_of(snapshot: Snapshot | None, *, muted: bool = False, broken: bool = False) -> Mood:
    """The mood of a state.

    Args:
        snapshot: the machine's state; ``None`` before the engine is up.
        muted: whether the user has turned the microphone off.
        broken: whether the engine has ended, or the microphone cannot be used.
    """
    doing = Mood.IDLE if snapshot is None else _MOODS.get(snapshot.interaction, Mood.IDLE)
    if doing is not Mood.IDLE:
        return doing
    return Mood.ERROR if broken else Mood.MUTED if muted else Mood.IDLE


def mood_color(theme: Theme, mood: Mood) -> str:
    """Colour of a mood, as ``#RRGGBB``."""
    return str(getattr(theme.colors, _COLORS[mood]))
