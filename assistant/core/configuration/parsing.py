"""Parses ``config.toml`` and other TOML files whose keys are the fields of a dataclass.

Parsing is pure: it takes the text of the file and returns the dataclass, or raises ``SettingsError`` with the line.
Unknown keys are errors, so that a misspelt key is noticed.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from assistant.core.addresses import is_web_address
from assistant.core.errors import SettingsError
from assistant.core.formats.key_combination import Combination, read_combination
from assistant.core.formats.toml_text import line_of, parse_toml
from assistant.core.setting_declaration import Declaration, declaration_of
from assistant.core.settings import DesktopSettings, Language, Provider, Settings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_ANYTHING: Mapping[str, Collection[str]] = MappingProxyType({})

_hints = cache(get_type_hints)
"""The types of a table's entries. Agents' tables are read for each request."""
_Table = TypeVar("_Table", bound="DataclassInstance")


def number_words(value: float) -> str:
    """Format a number as a person types it: 36500 and 0.1, never 3.65e+04."""
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def span_of(declaration: Declaration) -> dict[str, str]:
    """The bounds of a number, for a text; empty for a setting that is no number."""
    if declaration.low is None or declaration.high is None:
        return {}
    return {"low": number_words(declaration.low), "high": number_words(declaration.high)}


def parse_settings(
    text: str, *, choices: Mapping[str, Collection[str]] = _ANYTHING, language: Language = "ko"
) -> Settings:
    """Parse the text of ``config.toml``.

    Args:
        text: the text of the file.
        choices: the possible values of text settings, by dotted path without indices, where only other parts of the
            program know them. Other text settings take any value.
        language: the language to use when the text names none.

    Raises:
        SettingsError: the text is not TOML, or a key or value is not valid. The error names the line.
    """
    tree = parse_toml(text)
    reader = _Reader(text, {path: sorted(possible) for path, possible in choices.items()})
    settings = reader.table(Settings, {"language": language, **tree}, "")
    reader.check_providers(settings.providers)
    reader.check_shortcuts(settings.desktop)
    return settings


def parse_table(kind: type[_Table], text: str) -> _Table:
    """Parse a TOML file whose keys are the attributes of the dataclass ``kind``.

    Raises:
        SettingsError: the text is not TOML, or a key or value is not valid. The error names the line.
    """
    return _Reader(text, {}).table(kind, parse_toml(text), "")


class _Reader:
    """Converts TOML tables to dataclasses and keeps the text for line numbers.

    Args:
        text: the text of the file.
        choices: the possible values of text settings, by dotted path without indices, where the type does not give
            them.
    """

    def __init__(self, text: str, choices: Mapping[str, Sequence[str]]) -> None:
        self._lines = text.splitlines()
        self._choices = choices

    def table(self, kind: type[_Table], tree: Mapping[str, Any], path: str) -> _Table:
        """Build ``kind`` from the TOML table at the dotted ``path``."""
        hints = _hints(kind)
        known = [each.name for each in fields(kind)]
        for key in tree:
            if key not in known:
                raise self._error(f"{path}{key}", "unknown", known=", ".join(known))
        for each in fields(kind):
            if each.default is MISSING and each.default_factory is MISSING and each.name not in tree:
                raise self._error(path.rstrip("."), "missing", name=each.name)
        declared = {each.name: declaration_of(each.metadata) for each in fields(kind)}
        values = {key: self._value(hints[key], value, f"{path}{key}", declared[key]) for key, value in tree.items()}
        return kind(**values)

    def _value(self, hint: Any, value: Any, path: str, declared: Declaration) -> Any:
        if is_dataclass(hint) and isinstance(hint, type):
            if not isinstance(value, dict):
                raise self._error(path, "table")
            return self.table(hint, value, f"{path}.")
        if get_origin(hint) is tuple:
            kind = get_args(hint)[0]
            return self._texts(value, path) if kind is str else self._tables(kind, value, path)
        if get_origin(hint) is dict:
            return self._parameters(value, path)
        return self._scalar(hint, value, path, declared)

    def _tables(self, kind: Any, value: Any, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._error(path, "tables")
        return tuple(self.table(kind, item, f"{path}[{index}].") for index, item in enumerate(value))

    def _texts(self, value: Any, path: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._error(path, "texts")
        return tuple(value)

    def _parameters(self, value: Any, path: str) -> dict[str, Any]:
        """Check API parameters, which are sent as JSON. TOML also has dates, and numbers that JSON lacks."""
        if not isinstance(value, dict):
            raise self._error(path, "table")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            raise self._error(path, "parameters") from None
        return value

    def _scalar(self, hint: Any, value: Any, path: str, declared: Declaration) -> Any:
        choices = get_args(hint) if get_origin(hint) is Literal else self._choices.get(re.sub(r"\[\d+\]", "", path))
        if choices is not None:
            if value not in choices:
                raise self._error(path, "choice", value=repr(value), choices=", ".join(choices))
            return value
        wanted = next(each for each in (get_args(hint) or (hint,)) if each is not NoneType)
        fitting = (int, float) if wanted is float else wanted
        span = span_of(declared)
        if not isinstance(value, fitting) or (isinstance(value, bool) and wanted is not bool):
            # The error is shown and logged, so it must not contain a key, not even one written without quotation marks.
            shown = "…" if declared.secret else repr(value)
            raise self._error(path, f"not_{wanted.__name__}", value=shown, **span)
        if isinstance(value, str) and declared.longest is not None and len(value) > declared.longest:
            raise self._error(path, "length", length=str(len(value)), most=str(declared.longest))
        if declared.low is None or declared.high is None:
            return value
        if not declared.low <= value <= declared.high:
            raise self._error(path, "range", value=number_words(value), **span)
        return wanted(value)

    def check_providers(self, providers: Sequence[Provider]) -> None:
        """Reject providers that cannot be addressed.

        Raises:
            SettingsError: two providers share a name, a name cannot be used in a reference, or an address is not valid.
        """
        names = set[str]()
        for index, each in enumerate(providers):
            path = f"providers[{index}]"
            if not each.name or "/" in each.name:
                raise self._error(f"{path}.name", "name", value=repr(each.name))
            if each.name in names:
                raise self._error(f"{path}.name", "twice", value=repr(each.name))
            names.add(each.name)
            if each.base_url and not is_web_address(each.base_url):
                # The address is not shown, because it may contain a key.
                raise self._error(f"{path}.base_url", "address")

    def check_shortcuts(self, desktop: DesktopSettings) -> None:
        """Reject keys that no shortcut can have.

        Raises:
            SettingsError: a text names no combination, or two shortcuts have the same one.
        """
        found = dict[Combination, str]()
        shortcuts = [each.name for each in fields(desktop) if each.name.startswith("global_") and each.type is str]
        for name in shortcuts:
            path, value = f"desktop.{name}", getattr(desktop, name)
            keys = read_combination(value)
            if value and keys is None:
                raise self._error(path, "keys", value=repr(value))
            if keys in found:
                raise self._error(path, "same_keys", other=found[keys])
            if keys is not None:
                found[keys] = name

    def _error(self, path: str, problem: str, **values: str) -> SettingsError:
        return SettingsError(problem, line=line_of(self._lines, path), path=path, **values)
