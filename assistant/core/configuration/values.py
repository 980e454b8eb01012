"""Values of settings as people type them, and as they are shown."""

import json
from collections.abc import Sequence
from typing import Any

from assistant.core.configuration.catalogue import Kind, Setting, Value
from assistant.core.configuration.parsing import span_of
from assistant.core.errors import SettingsError

_TRUE = ("true", "on", "yes", "1", "켜기", "켬", "예")
_FALSE = ("false", "off", "no", "0", "끄기", "끔", "아니요")


def typed_value(setting: Setting, words: Sequence[str]) -> Value:
    """The value that was typed for a setting. Its bounds and choices are checked when the file is read.

    Args:
        setting: a setting that is one value.
        words: the words; a list of texts takes any number of them, another setting exactly one.

    Raises:
        SettingsError: the words are no such value.
    """
    if setting.kind is Kind.TEXTS:
        return tuple(words)
    if len(words) != 1:
        raise _error(setting, "one_value", value=" ".join(words))
    plain = words[0].strip()
    if setting.kind is Kind.FLAG:
        if plain.casefold() not in (*_TRUE, *_FALSE):
            raise _error(setting, "not_bool", value=repr(plain))
        return plain.casefold() in _TRUE
    if setting.kind is Kind.CHOICE:
        return next((each for each in setting.choices if each.casefold() == plain.casefold()), plain)
    if setting.kind not in {Kind.WHOLE, Kind.NUMBER}:
        return plain
    try:
        return int(plain) if setting.kind is Kind.WHOLE else float(plain)
    except ValueError as error:
        key = "not_int" if setting.kind is Kind.WHOLE else "not_float"
        span = span_of(setting.declared)
        raise _error(setting, key, value=repr(plain), **span) from error


def json_value(value: Value) -> Any:
    """The JSON form of a value."""
    return [*value] if isinstance(value, tuple) else value


def value_from_json(setting: Setting, value: Any) -> Value:
    """The value of a setting in its JSON form. Its type and bounds are checked when the file is read.

    Raises:
        SettingsError: it is no value of a setting.
    """
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return tuple(value)
    if setting.kind is Kind.NUMBER and type(value) is int:
        return float(value)
    if isinstance(value, str | int | float):
        return value
    raise _error(setting, "one_value", value="…")


def shown_value(value: object) -> str:
    """A value as it stands in the settings file; empty for a value that is left open."""
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(shown_value, value))}]"
    return json.dumps(value, ensure_ascii=False)


def _error(setting: Setting, problem: str, **values: str) -> SettingsError:
    return SettingsError(problem, line=0, path=setting.name, **values)
