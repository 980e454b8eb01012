"""What the subcommands were asked to do."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assistant.core.settings import ReasoningEffort


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenOptions:
    """A whole voice session on a recording.

    Attributes:
        input: wav file that is the microphone.
        output: wav file that is the speaker; ``None`` keeps nothing.
        pace: ``realtime``, or ``fast`` for as fast as the machine can.
        language: language listened for; ``None`` as in the settings.
        no_wake: listen from the start, without a wake word.
        echo_gain_db: level at which what is played is heard again, in dB; ``None`` for no echo.
        echo_delay_ms: how much later it is heard.
        cues: whether the output holds the cue sounds too.
        trace: JSON file for the events of the session.
        provider: name of the language model's provider; ``None`` as in the settings.
    """

    input: Path
    output: Path | None = None
    pace: Literal["realtime", "fast"] = "fast"
    language: Literal["ko", "en"] | None = None
    no_wake: bool = False
    echo_gain_db: float | None = None
    echo_delay_ms: int = 60
    cues: bool = False
    trace: Path | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """One typed message and its answer.

    Attributes:
        text: the message.
        provider: name of the language model's provider; ``None`` as in the settings.
        json: whether to print one packet a line instead of the answer's text.
        images: image files that go with the message.
        files: files of any type that go with it, after the images.
        model: reference of the model (``LlmSettings`` says what that is); ``None`` as in the settings.
        reasoning: whether the model thinks before it answers; ``None`` as in the settings, or with an effort.
        reasoning_effort: how hard; ``None`` as in the settings.
        temperature: sampling temperature; ``None`` as in the settings.
        tools: whether the model may use tools.
    """

    text: str
    provider: str | None = None
    json: bool = False
    images: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    model: str | None = None
    reasoning: bool | None = None
    reasoning_effort: ReasoningEffort | None = None
    temperature: float | None = None
    tools: bool = True
