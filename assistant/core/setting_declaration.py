"""The declaration of a setting, which stands with its field in ``core/settings.py``."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

_KEY = "setting"


class Acts(StrEnum):
    """When a change of a setting acts in a Sori that runs."""

    NOW = "now"
    NEXT = "next_turn"
    RESTART = "restart"


class Refers(StrEnum):
    """What a text names that other parts of the program know."""

    PROVIDER = "provider"
    MODEL = "model"
    VOICE = "voice"
    PROVIDER_KIND = "provider_kind"
    RECOGNIZER = "recognizer"
    SYNTHESIZER = "synthesizer"
    WAKE_WORD = "wake_word"
    MICROPHONE = "microphone"
    SPEAKER = "speaker"
    FOLDER = "folder"
    KEYS = "keys"
    """A combination of keys, such as ``ctrl+alt+space``."""


class Measure(StrEnum):
    """The unit of a number."""

    SECONDS = "s"
    HOURS = "h"
    MILLISECONDS = "ms"
    MEGABYTES = "mb"
    TOKENS = "tokens"
    CHARACTERS = "characters"
    MESSAGES = "messages"
    TIMES = "times"
    """A pace relative to the normal one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What is declared of a setting beside its type and its default.

    Its title and help are texts of ``setting``; of one that acts after a restart also the reason, ``why``.

    Attributes:
        acts: when a change acts.
        low: smallest number; ``None`` for a setting that is no number.
        high: largest number.
        unit: the unit of a number; ``None`` for a number without one.
        longest: maximum length of a text in characters; ``None`` for any.
        tool: whether a tool may change it: it holds no secret, sends nothing and opens no folder.
        expert: whether it is left out where only common settings are shown.
        refers: what a text names; ``None`` for any text.
        example: value in the settings file of the first start; the default if ``None``.
        secret: whether the value is never shown.
        leaves: whether it decides what leaves this computer, or who may ask for something from outside.
        travels: whether all devices of the account have the same value. It is nothing of this machine, and opens
            nothing: what leaves, what tools may do and what is found on this machine are never changed from afar.
    """

    acts: Acts = Acts.NEXT
    low: float | None = None
    high: float | None = None
    unit: Measure | None = None
    longest: int | None = None
    tool: bool = False
    expert: bool = False
    refers: Refers | None = None
    example: object = None
    secret: bool = False
    leaves: bool = False
    travels: bool = False


def setting(
    default: Any, acts: Acts = Acts.NEXT, *, between: tuple[float, float] | None = None, **attributes: Any
) -> Any:
    """The field of a setting.

    Args:
        default: its default value.
        acts: when a change acts.
        between: the smallest and the largest number.
        attributes: further attributes of ``Declaration``.
    """
    low, high = between or (None, None)
    declaration = Declaration(acts=acts, low=low, high=high, **attributes)
    more: dict[str, Any] = {"repr": False} if declaration.secret else {}
    return field(default=default, metadata={_KEY: declaration}, **more)


def declared(**attributes: Any) -> dict[str, Any]:
    """The metadata of a field with the attributes of ``Declaration``, for a setting without a fixed default."""
    return {_KEY: Declaration(**attributes)}


def declaration_of(metadata: Mapping[str, Any]) -> Declaration:
    """The declaration in a field's metadata; one without limits for a field that is no setting."""
    found: Declaration = metadata.get(_KEY, _NONE)
    return found


_NONE = Declaration()
