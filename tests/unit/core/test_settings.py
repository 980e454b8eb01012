"""The values that the settings accept, and their defaults."""

import dataclasses
import re
from collections.abc import Iterator
from typing import Any

import pytest

from assistant.core.configuration.parsing import parse_settings
from assistant.core.errors import SettingsError
from assistant.core.settings import Settings
from assistant.host.texts import load_texts


def _numbers(table: Any, path: str = "") -> Iterator[tuple[str, float]]:
    for each in dataclasses.fields(table):
        value = getattr(table, each.name)
        if dataclasses.is_dataclass(value):
            yield from _numbers(value, f"{path}{each.name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield f"{path}{each.name}", value


@pytest.mark.parametrize(("path", "value"), list(_numbers(Settings())))
def test_every_default_may_be_written_down(path: str, value: float) -> None:
    table, _, key = path.rpartition(".")
    assert parse_settings(f"[{table}]\n{key} = {value}") == Settings()


def test_a_number_out_of_range_is_named_with_its_line() -> None:
    with pytest.raises(SettingsError, match=r"line 2: range: path voice\.max_utterance_s, value 29, low 2, high 28"):
        parse_settings("[voice]\nmax_utterance_s = 29")


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("[voice]\nthreads = 257", ("257", "0", "256")),
        ("[llm]\nmax_output_tokens = 1000001", ("1000001", "1", "1000000")),
        ("[llm]\nfirst_byte_timeout_s = 0.05", ("0.05", "0.1", "600")),
        ("[llm]\ntemperature = nan", ("nan", "0", "2")),
        ("[llm]\ntemperature = inf", ("inf", "0", "2")),
        (f"[llm]\ntemperature = {10**400}", (str(10**400), "0", "2")),
        (f"[llm]\nthreads = -{10**400}", (str(-(10**400)), "0", "256")),
    ],
)
def test_a_number_out_of_range_is_told_with_the_range_as_one_would_type_it(
    text: str, span: tuple[str, str, str]
) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_settings(text)
    assert (raised.value.line, raised.value.problem) == (2, "range")
    assert tuple(raised.value.values[name] for name in ("value", "low", "high")) == span


@pytest.mark.parametrize("text", ["[llm]\nthreads = 0.5", '[voice]\nspeed = "fast"', "[llm]\ntemperature = true"])
def test_what_is_no_number_is_told_with_the_range_too(text: str) -> None:
    with pytest.raises(SettingsError, match=r"line 2: not_(int|float): ") as raised:
        parse_settings(text)
    assert {"low", "high"} <= raised.value.values.keys()
    remedy = load_texts("en")(raised.value.remedy_key, **raised.value.values)
    assert re.fullmatch(r"Give a (whole )?number from [0-9.]+ to [0-9]+\.", remedy)


@pytest.mark.parametrize(("text", "line"), [("x = [", 1), ('language = "ko"\nx = [\n\n', 2), ("a = 1\nb c\n", 2)])
def test_bad_toml_is_told_with_its_line_even_where_it_is_the_end_that_is_missing(text: str, line: int) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_settings(text)
    assert (raised.value.line, raised.value.problem) == (line, "toml")


@pytest.mark.parametrize("text", [f"[llm]\nthreads = {'9' * 5000}", "x = " + "[" * 5000])
def test_what_the_toml_reader_cannot_take_is_bad_toml(text: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_settings(text)
    assert raised.value.problem == "toml"


def test_a_kind_of_provider_that_there_is_not_is_named_with_its_line_and_the_choice() -> None:
    text = '[[providers]]\nname = "a"\nkind = "openai"\n\n[[providers]]\nname = "b"\nkind = "opanai"\n'
    with pytest.raises(SettingsError, match=r"line 7: choice: .*'opanai'") as raised:
        parse_settings(text, choices={"providers.kind": {"openai", "anthropic"}})
    told = {"value": "'opanai'", "choices": "anthropic, openai", "path": "providers[1].kind", "line": "7"}
    assert raised.value.values == told
    assert parse_settings(text).providers[1].kind == "opanai"


def test_a_text_that_other_parts_of_the_program_do_not_know_is_refused_with_those_that_they_do() -> None:
    text = '[voice]\nspeed = 1.0\ntts = "robot"\n'
    with pytest.raises(SettingsError, match=r"line 3: choice: ") as raised:
        parse_settings(text, choices={"voice.tts": {"piper", "auto"}})
    told = {"value": "'robot'", "choices": "auto, piper", "path": "voice.tts", "line": "3"}
    assert raised.value.values == told
    assert parse_settings(text).voice.tts == "robot"


def test_a_key_that_is_no_text_is_not_shown() -> None:
    with pytest.raises(SettingsError, match=r"line 4: not_str: .*value …") as raised:
        parse_settings('[[providers]]\nname = "a"\nkind = "openai"\napi_key = 1234567890')
    assert "1234567890" not in str(raised.value)


_ENTRY = '[[providers]]\nname = "a"\nkind = "openai"\n'


def test_parameters_of_an_api_are_kept_as_they_are_written() -> None:
    (provider,) = parse_settings(_ENTRY + 'extra = { top_k = 40, stop = ["끝"], options = { seed = 1 } }\n').providers
    assert provider.extra == {"top_k": 40, "stop": ["끝"], "options": {"seed": 1}}


@pytest.mark.parametrize("table", ["llm", "a.b"])
def test_a_table_that_is_there_twice_is_named(table: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_settings(f"[{table}]\n\n[{table}]\n")
    assert (raised.value.line, raised.value.problem, raised.value.values["table"]) == (3, "table_twice", table)


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (_ENTRY + _ENTRY, 5, "twice"),
        (_ENTRY.replace('"a"', '"a/b"'), 2, "name"),
        (_ENTRY.replace('"a"', '""'), 2, "name"),
        (_ENTRY + 'base_url = "127.0.0.1:11434/v1"\n', 4, "address"),
        (_ENTRY + 'base_url = "http://127.0.0.1:114340/v1"\n', 4, "address"),
        (_ENTRY + "extra = 3\n", 4, "table"),
        (_ENTRY + "extra = { since = 2026-01-01 }\n", 4, "parameters"),
        (_ENTRY + "extra = { top_p = nan }\n", 4, "parameters"),
        ('[[models]]\nmodel = "m"\nprice_input = -1\n', 3, "range"),
        ('[[models]]\nmodel = "m"\ncontext_tokens = 0\n', 3, "range"),
    ],
)
def test_what_no_request_could_go_by_is_refused_with_its_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_settings(text)
    assert (raised.value.line, raised.value.problem) == (line, problem)


def test_a_reminder_that_is_too_long_is_refused_with_its_line() -> None:
    assert parse_settings('[context]\nreminder = "Be brief."').context.reminder == "Be brief."
    with pytest.raises(SettingsError) as refused:
        parse_settings(f'[context]\nreminder = "{"x" * 2_001}"')
    assert (refused.value.line, refused.value.problem) == (2, "length")
    assert refused.value.values["most"] == "2000"


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        ('[desktop]\nglobal_talk = "space"', 2, "keys"),
        ('[desktop]\nglobal_toggle = "ctrl+alt+kk"', 2, "keys"),
        ('[desktop]\nglobal_toggle = "Alt+Ctrl+Space"', 1, "same_keys"),
        ('[desktop]\nglobal_toggle = "f9"\nglobal_talk = "F9"', 3, "same_keys"),
    ],
)
def test_keys_that_no_shortcut_can_have_are_named_with_their_line(text: str, line: int, problem: str) -> None:
    with pytest.raises(SettingsError) as raised:
        parse_settings(text)
    assert (raised.value.line, raised.value.problem) == (line, problem)


def test_shortcuts_may_have_no_keys() -> None:
    desktop = parse_settings('[desktop]\nglobal_toggle = ""\nglobal_talk = ""').desktop
    assert (desktop.global_toggle, desktop.global_talk) == ("", "")
