"""The form of a server's question."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.tools.mcp.form import (
    MOST_FIELDS,
    Field,
    FieldKind,
    FormValue,
    UnknownFormError,
    WrongAnswerError,
    fields_of,
    read,
    shown,
)


def field(schema: dict[str, Any], *, required: bool = True) -> Field:
    (only,) = fields_of({"type": "object", "properties": {"f": schema}, "required": ["f"] if required else []})
    return only


CHOICE = {"type": "string", "oneOf": [{"const": "r", "title": "빨강"}, {"const": "b", "title": "파랑"}]}
CHOICES = {"type": "array", "items": {"type": "string", "enum": ["a", "b", "c"]}, "minItems": 1, "maxItems": 2}


@pytest.mark.parametrize(
    ("schema", "text", "value"),
    [
        ({"type": "string"}, " 부산 ", "부산"),
        ({"type": "string", "format": "email"}, "a@b.kr", "a@b.kr"),
        ({"type": "string", "format": "uri"}, "https://a.kr/b", "https://a.kr/b"),
        ({"type": "string", "format": "date"}, "2026-11-23", "2026-11-23"),
        ({"type": "string", "format": "date-time"}, "2026-11-23T09:00:00Z", "2026-11-23T09:00:00Z"),
        ({"type": "number", "maximum": 2}, "1.5", 1.5),
        ({"type": "integer"}, "1,234", 1234),
        ({"type": "boolean"}, "네.", True),
        ({"type": "boolean"}, "No", False),
        (CHOICE, "파랑", "b"),
        (CHOICE, "R", "r"),
        (CHOICE, "2번", "b"),
        (CHOICE, "파랑으로 해 줘.", "b"),
        ({"type": "string", "enum": ["x", "y"], "enumNames": ["첫째", "둘째"]}, "둘째", "y"),
        (CHOICES, "a, 3", ["a", "c"]),
        (CHOICES, "b and b", ["b"]),
        ({"type": "array", "items": {"anyOf": [{"const": "a", "title": "A"}]}}, "없음", []),
    ],
)
def test_an_answer_in_words_becomes_a_value(schema: dict[str, Any], text: str, value: FormValue) -> None:
    assert read(field(schema), text) == value


@pytest.mark.parametrize(
    ("schema", "text", "reason"),
    [
        ({"type": "string"}, "  ", "empty"),
        ({"type": "string", "minLength": 3}, "ab", "too_short"),
        ({"type": "string", "maxLength": 3}, "abcd", "too_long"),
        ({"type": "string", "format": "email"}, "a at b", "email"),
        ({"type": "string", "format": "uri"}, "a.kr", "uri"),
        ({"type": "string", "format": "date"}, "내일", "date"),
        ({"type": "string", "format": "date"}, "20261123", "date"),
        ({"type": "string", "format": "date-time"}, "2026-11-23T09:00:00", "date_time"),
        ({"type": "number"}, "many", "no_number"),
        ({"type": "number"}, "1e999", "no_number"),
        ({"type": "number", "minimum": 2}, "1", "too_small"),
        ({"type": "integer"}, "1.5", "no_integer"),
        ({"type": "integer", "maximum": 2}, "3", "too_large"),
        ({"type": "boolean"}, "maybe", "yes_or_no"),
        (CHOICE, "노랑", "no_option"),
        (CHOICE, "빨강 파랑", "no_option"),
        (CHOICE, "3", "no_option"),
        (CHOICES, "none", "too_few"),
        (CHOICES, "a, b, c", "too_many"),
    ],
)
def test_why_an_answer_does_not_fit(schema: dict[str, Any], text: str, reason: str) -> None:
    with pytest.raises(WrongAnswerError) as wrong:
        read(field(schema), text)
    assert wrong.value.key == reason


def test_what_may_be_left_open() -> None:
    assert not field({"type": "string"}).skippable
    assert field({"type": "string"}, required=False).skippable
    assert field({"type": "string", "default": "x"}).skippable
    assert field(CHOICE | {"default": "b"}).default == "b"
    for schema in (
        {"type": "integer", "default": "x"},
        {"type": "integer", "default": True},
        CHOICE | {"default": "x"},
    ):
        assert field(schema).default is None


def test_values_are_shown_in_the_words_of_the_form() -> None:
    assert shown(field(CHOICE), "b") == "파랑"
    assert shown(field(CHOICES), ["a", "c"]) == "a, c"
    assert shown(field({"type": "integer"}), 3) == "3"


@pytest.mark.parametrize("name", ["password", "API key", "비밀번호", "PIN", "access_token"])
def test_a_field_that_asks_for_a_secret_is_recognised(name: str) -> None:
    assert field({"type": "string", "title": name}).wants_secret
    assert not field({"type": "string", "title": "opinion"}).wants_secret


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"a": {"type": "object"}}},
        {"properties": {"a": {"type": "array", "items": {"type": "string"}}}},
        {"properties": {"a": "text"}},
        {"properties": [1]},
        {"properties": {}, "required": ["a"]},
        {"properties": {"a": {"type": "string", "enum": [1, 2]}}},
        {"properties": {"a": {"type": "string", "enum": "ab"}}},
        {"properties": {str(number): {"type": "string"} for number in range(MOST_FIELDS + 1)}},
    ],
)
def test_a_form_that_the_protocol_does_not_have_is_not_asked(schema: dict[str, Any]) -> None:
    with pytest.raises(UnknownFormError):
        fields_of(schema)


@given(st.sampled_from(list(FieldKind)), st.text(max_size=50))
def test_any_answer_gives_a_value_or_a_reason(kind: FieldKind, text: str) -> None:
    one = Field(name="f", kind=kind, title="f", options=(("a", "A"),))
    with suppress(WrongAnswerError):
        assert read(one, text) is not None
