"""Every setting is declared whole, and the table tells what the file accepts."""

import dataclasses
import math
from collections.abc import Iterator
from typing import Any, get_args, get_type_hints

import pytest

from assistant.core.configuration.catalogue import (
    Kind,
    Setting,
    all_settings,
    changed_names,
    single_settings,
    value_of,
    with_value,
)
from assistant.core.configuration.parsing import parse_settings
from assistant.core.configuration.values import shown_value
from assistant.core.errors import SettingsError
from assistant.core.setting_declaration import Acts, Refers
from assistant.core.settings import Settings
from assistant.host.texts import load_texts

EVERY = pytest.mark.parametrize("setting", all_settings(), ids=lambda each: each.name)


def _places(table: type, path: str = "") -> Iterator[str]:
    for name, hint in get_type_hints(table).items():
        kinds = get_args(hint) or (hint,)
        nested = next((each for each in kinds if isinstance(each, type) and dataclasses.is_dataclass(each)), None)
        if nested is None or hint is not nested:
            yield f"{path}{name}"
        if nested is not None:
            yield from _places(nested, f"{path}{name}.")


def test_every_field_is_in_the_table() -> None:
    assert [each.name for each in all_settings()] == list(_places(Settings))


@EVERY
@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_setting_has_title_and_help(setting: Setting, language: str) -> None:
    texts = load_texts(language)
    assert texts(setting.title_key)
    assert texts(setting.help_key)
    assert texts(f"setting_section.{setting.section or 'general'}")
    assert (f"setting.{setting.name}.why" in texts) == (setting.declared.acts is Acts.RESTART)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_text_is_about_a_setting_that_there_is_not(language: str) -> None:
    known = {key for each in all_settings() for key in (each.title_key, each.help_key, f"setting.{each.name}.why")}
    assert {key for key in load_texts(language).keys if key.startswith("setting.")} <= known


@EVERY
def test_numbers_and_only_numbers_have_bounds(setting: Setting) -> None:
    assert (setting.declared.low is not None) == (setting.kind in {Kind.NUMBER, Kind.WHOLE})


@EVERY
def test_what_a_tool_may_change_holds_no_secret_and_opens_nothing(setting: Setting) -> None:
    opening = ("providers", "models", "llm", "files", "search", "images", "shell", "http")
    if setting.declared.tool:
        assert setting.alone
        assert not setting.declared.secret
        assert setting.section not in opening
        assert setting.declared.refers in {None, Refers.VOICE}


@EVERY
def test_a_key_is_the_only_secret(setting: Setting) -> None:
    assert setting.declared.secret == (setting.key == "api_key")


def _entry(setting: Setting, value: object) -> str:
    needed = {"providers": 'name = "a"\nkind = "openai"', "models": 'model = "m"'}
    header = f"[[{setting.section}]]\n{needed[setting.section]}" if setting.entry else f"[{setting.section}]"
    return f"{header}\n{setting.key} = {value}\n"


def _steps(setting: Setting) -> tuple[Any, Any, Any, Any]:
    """The bounds, and the values just outside of them."""
    low, high = setting.declared.low, setting.declared.high
    assert low is not None
    assert high is not None
    if setting.kind is Kind.WHOLE:
        return int(low), int(high), int(low) - 1, int(high) + 1
    return float(low), float(high), math.nextafter(low, -math.inf), math.nextafter(high, math.inf)


@pytest.mark.parametrize(
    "setting", [each for each in all_settings() if each.declared.low is not None], ids=lambda each: each.name
)
def test_bounds_are_possible_and_the_next_value_is_not(setting: Setting) -> None:
    low, high, below, above = _steps(setting)
    for value in (low, high):
        parse_settings(_entry(setting, value))
    for value in (below, above):
        with pytest.raises(SettingsError) as raised:
            parse_settings(_entry(setting, f"{value!r}"))
        assert raised.value.problem == "range"


@pytest.mark.parametrize("setting", single_settings().values(), ids=lambda each: each.name)
def test_every_default_may_be_written_and_is_then_the_value(setting: Setting) -> None:
    text = shown_value(setting.default)
    header = f"[{setting.section}]\n" if setting.section else ""
    settings = parse_settings(f"{header}{setting.key} = {text}\n" if text else "")
    assert value_of(settings, setting.name) == setting.default == value_of(Settings(), setting.name)


@pytest.mark.parametrize("setting", single_settings().values(), ids=lambda each: each.name)
def test_a_changed_value_is_told_by_its_name(setting: Setting) -> None:
    changed = with_value(Settings(), setting.name, "another")
    assert changed_names(Settings(), changed) == (setting.name,)
    assert value_of(changed, setting.name) == "another"
