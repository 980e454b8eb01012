import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.llm.reply.tool_arguments import read_tool_arguments

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=5)


@given(OBJECTS)
@pytest.mark.long
def test_valid_json_is_untouched(arguments: dict[str, object]) -> None:
    assert read_tool_arguments(json.dumps(arguments)) == arguments
    assert read_tool_arguments(json.dumps(arguments, ensure_ascii=False, indent=2)) == arguments


@given(OBJECTS)
@pytest.mark.long
def test_code_fences_are_taken_off(arguments: dict[str, object]) -> None:
    text = json.dumps(arguments)
    assert read_tool_arguments(f"```json\n{text}\n```") == arguments
    assert read_tool_arguments(f"```\n{text}\n```") == arguments


@given(st.text() | st.text(alphabet='{}[]",:\\ \n`tfn0e+-.가'))
def test_anything_at_all_gives_an_object_or_none(text: str) -> None:
    assert isinstance(read_tool_arguments(text), dict | None)


@given(OBJECTS, st.data())
@pytest.mark.long
def test_a_text_cut_anywhere_keeps_the_values_before_the_cut(arguments: dict[str, object], data: st.DataObject) -> None:
    text = json.dumps(arguments)
    cut = data.draw(st.integers(1, len(text)))
    whole = list(arguments)[:-1]
    before_last = len(json.dumps({key: arguments[key] for key in whole})) if whole else 0
    found = read_tool_arguments(text[:cut]) or {}
    if cut > before_last:
        assert {key: found.get(key) for key in whole} == {key: arguments[key] for key in whole}


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('{"city": "Seoul"', {"city": "Seoul"}),
        ('{"city": "Seo', {"city": "Seo"}),
        ('{"list": [1, 2', {"list": [1, 2]}),
        ('{"a": {"b": ["c"', {"a": {"b": ["c"]}}),
        ('{"a": 1, "b', {"a": 1}),
        ('{"a": 1, "b":', {"a": 1}),
        ('{"a": 1, "b": tr', {"a": 1}),
        ('{"a": 1,', {"a": 1}),
        ('{"path": "C:\\\\', {"path": "C:\\"}),
        ('{"quote": "\\', {"quote": ""}),
        ('```json\n{"label": "라면', {"label": "라면"}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ("", {}),
        ("null", {}),
        ("{}", {}),
        ("[1, 2]", None),
        ("42", None),
        ("call the clock", None),
        ("[" * 100_000, None),
        ('{"a":' * 100_000, None),
        ("9" * 10_000, None),
    ],
)
def test_what_is_not_whole_is_repaired_or_left_empty(text: str, arguments: dict[str, object]) -> None:
    assert read_tool_arguments(text) == arguments


def test_what_cannot_be_read_is_warned_of_without_being_quoted(caplog: pytest.LogCaptureFixture) -> None:
    read_tool_arguments("my secret is 1234")
    assert "17 characters" in caplog.text
    assert "secret" not in caplog.text


@pytest.mark.parametrize("number", ["NaN", "-Infinity", "1e999"])
def test_numbers_that_no_json_can_hold_are_none(number: str) -> None:
    assert read_tool_arguments(f'{{"a": {number}}}') is None


@pytest.mark.parametrize("half", ["\\ud83d", "\ud83d"])
def test_half_a_surrogate_pair_does_not_keep_the_call_from_being_sent_back(half: str) -> None:
    arguments = read_tool_arguments(f'{{"text": "안녕 {half}"}}')
    assert arguments == {"text": "안녕 ?"}
    assert json.dumps(arguments, ensure_ascii=False).encode()
