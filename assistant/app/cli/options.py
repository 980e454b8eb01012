"""Parsed options of the subcommands."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from assistant.core.service.requests.turns import TurnOptions
from assistant.core.settings import ReasoningEffort


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenOptions:
    """Options of a voice session on a recording.

    Attributes:
        input: wav file for the microphone.
        output: wav file for the speaker; ``None`` to discard its sound.
        pace: ``realtime``, or ``fast`` for the speed of the machine.
        language: language of the user's speech; ``None`` as in the settings.
        no_wake: listen from the start, without a wake word.
        echo_gain_db: level of the echo relative to the output, in dB; ``None`` for no echo.
        echo_delay_ms: delay of the echo in milliseconds.
        cues: whether the output includes the cue sounds.
        trace: JSON file for the events of the session; ``None`` to write none.
        project: name or id of the project that the conversation is about; ``None`` for none.
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
    project: str | None = None
    provider: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatOptions:
    """Options of one typed message and its answer, or of the conversation in the terminal.

    Attributes:
        text: the message; empty for a conversation.
        typed: what of it stood on the command line; ``None`` for all of it.
        newest: whether to go on with the conversation that has the newest message.
        conversation: title or beginning of the id of the conversation to go on with; ``None`` for a new one.
        provider: name of the language model's provider; ``None`` as in the settings.
        json: whether to print one packet per line instead of the answer's text.
        images: image files to attach to the message.
        files: files of any type to attach after the images.
        model: reference of the model (see ``LlmSettings``); ``None`` as in the settings.
        reasoning: whether the model thinks before it answers; ``None`` as in the settings, or as ``reasoning_effort``
            implies.
        reasoning_effort: effort of the thinking; ``None`` as in the settings.
        temperature: sampling temperature; ``None`` as in the settings.
        tools: whether the model may use tools.
        project: id or name of the project that the conversation is about from now on; ``None`` to leave it.
    """

    text: str
    project: str | None = None
    typed: str | None = None
    newest: bool = False
    conversation: str | None = None
    provider: str | None = None
    json: bool = False
    images: tuple[Path, ...] = ()
    files: tuple[Path, ...] = ()
    model: str | None = None
    reasoning: bool | None = None
    reasoning_effort: ReasoningEffort | None = None
    temperature: float | None = None
    tools: bool = True

    @property
    def turn(self) -> TurnOptions:
        """What the turns are told in place of the settings."""
        return TurnOptions(
            provider=self.provider or "",
            reasoning=self.reasoning,
            reasoning_effort=self.reasoning_effort,
            temperature=self.temperature,
            tools=self.tools,
        )
