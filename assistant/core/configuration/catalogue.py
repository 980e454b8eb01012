"""The table of all settings, made of their declarations in ``core/settings.py``."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, Literal, cast, get_args, get_origin, get_type_hints

from assistant.core.setting_declaration import Declaration, declaration_of
from assistant.core.settings import Settings

Value = str | int | float | bool | tuple[str, ...] | None
"""The value of a setting that is one value; ``None`` leaves it open."""


class Kind(StrEnum):
    """The form of a setting's value."""

    TEXT = "text"
    TEXTS = "texts"
    NUMBER = "number"
    WHOLE = "whole_number"
    FLAG = "flag"
    CHOICE = "choice"
    TABLES = "tables"
    PARAMETERS = "parameters"


_KINDS: dict[Any, Kind] = {str: Kind.TEXT, int: Kind.WHOLE, float: Kind.NUMBER, bool: Kind.FLAG, dict: Kind.PARAMETERS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One setting.

    Attributes:
        name: dotted name, such as ``voice.speed``; ``providers.kind`` for a key of each ``[[providers]]`` entry.
        kind: the form of its value.
        choices: the possible values of a choice.
        default: the default; ``None`` if it has none, or if it is left open.
        entry: whether it is a key of the entries of a list of tables.
        needed: whether it has no default.
        declared: what else is declared of it.
    """

    name: str
    kind: Kind
    choices: tuple[str, ...]
    default: Any
    entry: bool
    needed: bool
    declared: Declaration

    @property
    def section(self) -> str:
        """The name of its table; empty for the top level."""
        return self.name.rpartition(".")[0]

    @property
    def key(self) -> str:
        """Its name in its table."""
        return self.name.rpartition(".")[2]

    @property
    def title_key(self) -> str:
        """The key of its title in the user's texts."""
        return f"setting.{self.name}.title"

    @property
    def help_key(self) -> str:
        """The key of its help in the user's texts."""
        return f"setting.{self.name}.help"

    @property
    def alone(self) -> bool:
        """Whether it is one value that can be read and set by its name."""
        return not self.entry and self.kind is not Kind.TABLES


@cache
def all_settings() -> tuple[Setting, ...]:
    """All settings in the order of the settings file; the keys of entries follow their list."""
    return tuple(_settings(Settings, "", entry=False))


@cache
def single_settings() -> dict[str, Setting]:
    """The settings that are one value, by name."""
    return {each.name: each for each in all_settings() if each.alone}


def value_of(settings: Settings, name: str) -> Any:
    """The value of a setting that is no key of an entry.

    Raises:
        AttributeError: there is no such setting.
    """
    found: Any = settings
    for each in name.split("."):
        found = getattr(found, each)
    return found


def with_value(settings: Settings, name: str, value: Any) -> Settings:
    """The settings with another value of one of them; it is not checked."""
    table, _, key = name.rpartition(".")
    if not table:
        return cast("Settings", replace(cast("Any", settings), **{key: value}))
    changed: Any = replace(getattr(settings, table), **{key: value})
    return cast("Settings", replace(cast("Any", settings), **{table: changed}))


def changed_names(before: Settings, after: Settings) -> tuple[str, ...]:
    """The names of the settings whose values differ, in the order of the settings file."""
    names = (each.name for each in all_settings() if not each.entry)
    return tuple(name for name in names if value_of(before, name) != value_of(after, name))


def _settings(table: type[Any], path: str, *, entry: bool) -> Iterator[Setting]:
    hints = get_type_hints(table)
    for each in fields(table):
        hint, name = hints[each.name], f"{path}{each.name}"
        if is_dataclass(hint) and isinstance(hint, type):
            yield from _settings(hint, f"{name}.", entry=entry)
            continue
        kind, choices = _kind(hint)
        default = _default(each)
        yield Setting(
            name=name,
            kind=kind,
            choices=choices,
            default=None if default is MISSING else default,
            entry=entry,
            needed=default is MISSING,
            declared=declaration_of(each.metadata),
        )
        if kind is Kind.TABLES:
            yield from _settings(get_args(hint)[0], f"{name}.", entry=True)


def _default(each: Field[Any]) -> Any:
    return each.default if each.default_factory is MISSING else each.default_factory()


def _kind(hint: Any) -> tuple[Kind, tuple[str, ...]]:
    """The form of a value of this type, and the possible values."""
    if get_origin(hint) is Literal:
        return Kind.CHOICE, get_args(hint)
    if get_origin(hint) is tuple:
        return (Kind.TEXTS if get_args(hint)[0] is str else Kind.TABLES), ()
    if get_origin(hint) is dict:
        return Kind.PARAMETERS, ()
    wanted = next(each for each in (get_args(hint) or (hint,)) if each is not NoneType)
    return _KINDS[wanted], ()
