"""What the settings allow, and what holds when nothing is said."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest

from assistant.core.errors import SettingsError
from assistant.core.settings import Settings, parse_settings


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
    with pytest.raises(SettingsError, match=r"line 2: voice\.max_utterance_s: 29\.0 is out of range"):
        parse_settings("[voice]\nmax_utterance_s = 29")


def test_a_kind_of_provider_that_there_is_not_is_named_with_its_line_and_the_choice() -> None:
    text = '[[providers]]\nname = "a"\nkind = "openai"\n\n[[providers]]\nname = "b"\nkind = "opanai"\n'
    with pytest.raises(SettingsError, match=r"line 7: providers\[1\]\.kind: 'opanai' is not possible\. ") as raised:
        parse_settings(text, kinds={"openai", "anthropic"})
    assert raised.value.remedy == "Choose one of anthropic, openai."
    assert parse_settings(text).providers[1].kind == "opanai"


def test_a_key_that_is_no_text_is_not_shown() -> None:
    with pytest.raises(SettingsError, match=r"line 4: providers\[0\]\.api_key: this is not a text") as raised:
        parse_settings('[[providers]]\nname = "a"\nkind = "openai"\napi_key = 1234567890')
    assert "1234567890" not in str(raised.value)


_ENTRY = '[[providers]]\nname = "a"\nkind = "openai"\n'


def test_parameters_of_an_api_are_kept_as_they_are_written() -> None:
    (provider,) = parse_settings(_ENTRY + 'extra = { top_k = 40, stop = ["끝"], options = { seed = 1 } }\n').providers
    assert provider.extra == {"top_k": 40, "stop": ["끝"], "options": {"seed": 1}}


@pytest.mark.parametrize(
    ("text", "line", "problem"),
    [
        (_ENTRY + _ENTRY, 5, "twice"),
        (_ENTRY.replace('"a"', '"a/b"'), 2, "name"),
        (_ENTRY.replace('"a"', '""'), 2, "name"),
        (_ENTRY + 'base_url = "127.0.0.1:11434/v1"\n', 4, "address"),
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
