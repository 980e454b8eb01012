from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.llm.google.schema import declared_parameters
from tests.fakes.model_server.wire_google import schema_error


def converted(schema: dict[str, Any], **beside: Any) -> Any:
    """One property's schema in Gemini's words."""
    whole = declared_parameters({"type": "object", "properties": {"it": schema}, **beside})
    assert whole is not None
    return whole["properties"]["it"]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "string", "description": "A city."}, {"type": "STRING", "description": "A city."}),
        ({"type": "integer", "minimum": 1, "maximum": 9}, {"type": "INTEGER", "minimum": 1, "maximum": 9}),
        ({"type": "string", "format": "date-time"}, {"type": "STRING", "format": "date-time"}),
        ({"type": "string", "format": "uri", "examples": ["x"]}, {"type": "STRING"}),
        ({"type": "string", "enum": ["on", "off"]}, {"type": "STRING", "enum": ["on", "off"]}),
        ({"enum": ["on", "off", None]}, {"type": "STRING", "enum": ["on", "off"], "nullable": True}),
        ({"const": "on"}, {"type": "STRING", "enum": ["on"]}),
        ({"enum": [1, 2]}, {"type": "INTEGER", "description": "One of: 1, 2."}),
        (
            {"type": "number", "enum": [0.5, 1], "description": "Pace."},
            {"type": "NUMBER", "description": "Pace. One of: 0.5, 1."},
        ),
        ({"type": ["string", "null"]}, {"type": "STRING", "nullable": True}),
        ({"type": ["string", "integer"]}, {"any_of": [{"type": "STRING"}, {"type": "INTEGER"}]}),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}], "description": "Minutes.", "default": 3},
            {"type": "INTEGER", "nullable": True, "description": "Minutes.", "default": 3},
        ),
        (
            {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
            {"any_of": [{"type": "STRING"}, {"type": "ARRAY", "items": {"type": "STRING"}}]},
        ),
        ({"type": "array"}, {"type": "ARRAY", "items": {"type": "STRING"}}),
        ({"type": "array", "items": {"type": "boolean"}}, {"type": "ARRAY", "items": {"type": "BOOLEAN"}}),
        ({"type": "object", "additionalProperties": True}, {"type": "OBJECT"}),
        ({"properties": {"x": {"type": "number"}}}, {"type": "OBJECT", "properties": {"x": {"type": "NUMBER"}}}),
        ({}, {"type": "STRING"}),
        (
            {"allOf": [{"type": "object", "properties": {"a": {}}}, {"properties": {"b": {}}, "required": ["b"]}]},
            {"type": "OBJECT", "properties": {"a": {"type": "STRING"}, "b": {"type": "STRING"}}, "required": ["b"]},
        ),
    ],
)
def test_a_schema_is_put_in_geminis_words(schema: dict[str, Any], expected: dict[str, Any]) -> None:
    assert converted(schema) == expected


def test_only_what_is_there_is_required() -> None:
    whole = declared_parameters({"type": "object", "properties": {"a": {}}, "required": ["a", "b", "a"]})
    assert whole == {"type": "OBJECT", "properties": {"a": {"type": "STRING"}}, "required": ["a"]}


def test_a_function_without_parameters_declares_none() -> None:
    assert declared_parameters({"type": "object", "properties": {}}) is None


def test_a_reference_is_followed() -> None:
    places = {"Place": {"type": "object", "properties": {"name": {"type": "string"}}, "description": "A place."}}
    assert converted({"$ref": "#/$defs/Place", "description": "Where to."}, **{"$defs": places}) == {
        "type": "OBJECT",
        "properties": {"name": {"type": "STRING"}},
        "description": "Where to.",
    }


def test_a_reference_that_goes_round_in_circles_ends() -> None:
    tree = {"type": "object", "properties": {"child": {"$ref": "#/$defs/Tree"}}}
    ringed = {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}
    assert schema_error(converted({"$ref": "#/$defs/Tree"}, **{"$defs": {"Tree": tree}}), "") == ""
    assert converted({"$ref": "#/$defs/A"}, **{"$defs": ringed}) == {"type": "STRING"}


def test_all_of_itself_ends() -> None:
    assert converted({"$ref": "#/$defs/A"}, **{"$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}})


SCHEMAS = st.recursive(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "number", "boolean", "null", "array", "object"]),
            "enum": st.lists(st.one_of(st.text(max_size=3), st.integers(), st.none(), st.booleans()), max_size=3),
            "format": st.sampled_from(["date-time", "email", "int32", "int64", "float"]),
            "additionalProperties": st.booleans(),
            "exclusiveMinimum": st.integers(),
            "nullable": st.booleans(),
        },
    ),
    lambda inner: st.one_of(
        st.fixed_dictionaries({"anyOf": st.lists(inner, max_size=3)}),
        st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
        st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(st.sampled_from("abc"), inner)},
            optional={"required": st.lists(st.sampled_from("abcd"), max_size=3)},
        ),
    ),
    max_leaves=8,
)


# Machines under load draw slowly.
@given(SCHEMAS)
def test_whatever_a_tool_declares_the_api_takes_it(schema: dict[str, Any]) -> None:
    assert schema_error(converted(schema), "it") == ""
