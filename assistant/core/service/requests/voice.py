"""Requests for the voice session."""

from dataclasses import dataclass

from assistant.core.machine.states import Snapshot
from assistant.core.service.request import Request, Right
from assistant.core.updates import VoiceAvailable


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionStatus:
    """What the voice session does, and with which devices.

    Attributes:
        conversation: id of the conversation in which it goes on.
        snapshot: its state.
        devices: the microphone and the speaker.
    """

    conversation: str
    snapshot: Snapshot
    devices: VoiceAvailable


class ShowStatus(Request[SessionStatus]):
    """Show what the voice session does. ``StateChanged`` and ``VoiceAvailable`` tell of changes."""


class Stop(Request[None]):
    """Stop what Sori does in the voice session: its turn, its speech, and ringing timers."""


class ToggleVoice(Request[None], right=Right.OWN):
    """Begin or end a spoken conversation. A muted microphone is unmuted."""


class HoldToTalk(Request[None], right=Right.OWN):
    """The user holds the key or button for talking, or releases it. The utterance lasts as long as it is held."""

    held: bool


class SetMuted(Request[None], right=Right.OWN):
    """Mute or unmute the microphone. A muted microphone does not detect the wake word either."""

    muted: bool
