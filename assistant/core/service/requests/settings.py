"""Requests for settings. ``SettingsChanged`` tells everybody of changes, whoever makes them."""

from dataclasses import dataclass
from typing import Any

from assistant.core.configuration.catalogue import Kind
from assistant.core.service.request import Request, Right
from assistant.core.setting_declaration import Acts, Measure, Refers


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingShown:
    """A setting with its value, and what is declared of it.

    Attributes:
        name: its dotted name, such as ``voice.speed``.
        section: the name of its table; empty for the top level.
        title: its title in the user's language.
        help: its help in the user's language.
        elsewhere: title and help in the other languages, for a search.
        kind: the form of its value.
        value: the value in the file or its default; a list of texts for ``texts``, ``None`` for one that is left open.
        in_force: the value with which Sori works now.
        trouble: why ``value`` is not in force, in the user's words; empty if it is, or will be.
        default: the default.
        choices: the possible values of a choice.
        choice_titles: their names in the user's language.
        refers: what a text names; ``ListOptions`` lists what it can be.
        unit: the unit of a number.
        longest: maximum length of a text in characters.
        secret: whether its value is never shown.
        low: smallest number; ``None`` for a setting that is no number.
        high: largest number.
        acts: when a change acts.
        tool: whether a model's tool may change it.
        leaves: whether it decides what leaves this computer.
        travels: whether all devices of the account have the same value.
        expert: whether it is left out where only common settings are shown.
    """

    name: str
    section: str
    title: str
    help: str
    elsewhere: str
    kind: Kind
    value: Any
    in_force: Any
    trouble: str
    default: Any
    choices: tuple[str, ...]
    choice_titles: tuple[str, ...]
    refers: Refers | None
    unit: Measure | None
    longest: int | None
    secret: bool
    low: float | None
    high: float | None
    acts: Acts
    tool: bool
    leaves: bool
    travels: bool
    expert: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsFault:
    """The mistake in the settings file; the settings before stay in force.

    Attributes:
        path: the file.
        line: its line; 0 for the whole file.
        problem: what is wrong, in the user's words.
        remedy: what to do, in the user's words.
    """

    path: str
    line: int
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsList:
    """The settings that are one value, and the mistake in their file if there is one."""

    settings: tuple[SettingShown, ...]
    fault: SettingsFault | None


class ListSettings(Request[SettingsList]):
    """List the settings in the order of the file, without the lists of providers and of facts about models."""


class GetSetting(Request[SettingShown]):
    """Show the setting of this name."""

    name: str


class SetSetting(Request[SettingShown], right=Right.MANAGE):
    """Change a setting in the file and use it. The result tells whether it is in force.

    Attributes:
        name: its dotted name.
        value: the new value, in the form of ``SettingShown.value``.
    """

    name: str
    value: Any


class ResetSetting(Request[SettingShown], right=Right.MANAGE):
    """Take the setting of this name out of the file, so that its default holds."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingOption:
    """A value that a setting can have.

    Attributes:
        value: the value.
        title: its name for a person.
        note: where it comes from, such as the provider of a model; empty for nothing.
        language: the language that a voice speaks; empty for what has none.
    """

    value: str
    title: str
    note: str = ""
    language: str = ""


class ListOptions(Request[tuple[SettingOption, ...]]):
    """List what the text of a setting can name on this computer, such as voices; empty for any other setting."""

    name: str
