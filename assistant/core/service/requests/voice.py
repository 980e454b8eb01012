"""Requests for the voice session."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundAdvice:
    """What the user should change.

    Attributes:
        text: the advice in the user's words.
        setting: dotted name of the setting to change; empty when the remedy is no setting.
        value: the value for it.
    """

    text: str
    setting: str = ""
    value: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedSound:
    """What was measured of microphone and speaker.

    Attributes:
        good: whether both work.
        problems: why one of them does not, in the user's words.
        loud_db: level of the user's voice in dBFS; ``None`` without a microphone.
        quiet_db: level of the room's noise in dBFS.
        echo_ms: time after which the microphone hears the speaker; ``None`` when it does not hear it.
        echo_db: level of the echo relative to the played sound.
        advice: what should be changed, most important first.
    """

    good: bool
    problems: tuple[str, ...]
    loud_db: float | None = None
    quiet_db: float | None = None
    echo_ms: float | None = None
    echo_db: float | None = None
    advice: tuple[SoundAdvice, ...] = ()


class CheckSound(Request[CheckedSound], right=Right.OWN):
    """Measure microphone and speaker: hear the user, play a test sound and hear it, and play the user's voice back.

    ``SoundCheckProgressed`` tells what the user should do, ``LevelMeasured`` the level. Sori hears nothing meanwhile.
    """


class TryVoice(Request[None], right=Right.OWN):
    """Say a sample sentence with a voice on the speaker. The reply comes when it was said.

    Attributes:
        voice: name of the voice; empty for that of the settings.
        language: ``ko`` or ``en``, the language of the sentence.
    """

    voice: str
    language: str


class ReadAloud(Request[None], right=Right.MANAGE):
    """Read a text aloud on the speaker, once nobody speaks and no turn runs. ``Stop`` ends it, as does another text.

    ``ReadingChanged`` tells how far it is, and ``SteerReading`` steers it. Speech over it ends it.

    Attributes:
        text: the text, as it is written.
    """

    text: str


class ReadingStep(StrEnum):
    """What happens to a text that is read aloud."""

    PAUSE = "pause"
    GO_ON = "go_on"
    NEXT = "next"
    """The next sentence; after the last one it ends."""
    PREVIOUS = "previous"
    AGAIN = "again"
    """The present sentence from its beginning, as after a change of ``voice.speed``."""
    STOP = "stop"


class SteerReading(Request[None], right=Right.MANAGE):
    """Steer the text that is read aloud by ``ReadAloud``. Without one, nothing happens."""

    step: ReadingStep


class SetMuted(Request[None], right=Right.OWN):
    """Mute or unmute the microphone. A muted microphone does not detect the wake word either."""

    muted: bool


class TypeDictation(Request[None], right=Right.OWN):
    """Offer to type: this client gets ``DictationChanged`` and ``DictationWritten`` until it leaves.

    The client that has offered it last types. A dictation that another one types is ended.
    """


class HoldDictation(Request[None], right=Right.OWN):
    """The user holds the key for dictation, or releases it. Refused where no client types."""

    held: bool


class ToggleDictation(Request[None], right=Right.OWN):
    """Begin or end a dictation. Refused where no client types."""
