from typing import Any

import pytest

from assistant.llm.reply.argument_check import check_schema, problems

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "city": {"type": "string", "minLength": 1, "maxLength": 5},
        "days": {"type": "integer", "minimum": 1, "maximum": 7},
        "unit": {"type": "string", "enum": ["c", "f"]},
        "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "ratio": {"type": ["number", "null"]},
    },
    "required": ["city"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"city": "서울"},
        {"city": "서울", "days": 3.0, "unit": "c", "tags": ["a"], "ratio": 0.5},
        {"city": "s", "ratio": None},
    ],
)
def test_fitting_arguments_have_no_problems(arguments: dict[str, Any]) -> None:
    assert problems(SCHEMA, arguments) == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "arguments.city is missing"),
        ([], "arguments must be object, not array"),
        ({"city": 3}, "arguments.city must be string, not integer"),
        ({"city": "s", "days": True}, "must be integer, not boolean"),
        ({"city": "s", "days": "3"}, "must be integer, not string"),
        ({"city": "s", "days": 0}, "must be at least 1"),
        ({"city": "s", "days": 8}, "must be at most 7"),
        ({"city": "s", "unit": "k"}, "must be one of 'c', 'f'"),
        ({"city": "s", "tags": ["a", 1]}, "arguments.tags[1] must be string"),
        ({"city": "s", "tags": []}, "at least 1 items"),
        ({"city": ""}, "at least 1 length"),
        ({"city": "s" * 6}, "at most 5 length"),
        ({"city": "s", "ratio": "x"}, "must be number or null"),
        ({"city": "s", "town": "t"}, "arguments.town is unknown"),
    ],
)
def test_each_fault_is_named(arguments: Any, said: str) -> None:
    (problem,) = problems(SCHEMA, arguments)
    assert said in problem


REFERRING: dict[str, Any] = {
    "type": "object",
    "properties": {
        "from": {"$ref": "#/$defs/place"},
        "when": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"}]},
        "tree": {"$ref": "#/$defs/node"},
    },
    "$defs": {
        "place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}}},
    },
}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"from": {}}, ["arguments.from.city is missing"]),
        ({"from": {"city": 3}}, ["arguments.from.city must be string, not integer"]),
        ({"tree": {"next": {"next": 1}}}, ["arguments.tree.next.next must be object, not integer"]),
        ({"when": -1}, ["arguments.when fits none", "must be at least 0", "must be string, not integer"]),
        ({"when": "noon"}, ["arguments.when fits none", "must be integer, not string", "must match the pattern"]),
    ],
)
def test_references_and_alternatives_are_checked(arguments: dict[str, Any], said: list[str]) -> None:
    (problem,) = problems(REFERRING, arguments)
    assert all(each in problem for each in said)


@pytest.mark.parametrize(
    "arguments", [{"from": {"city": "서울"}}, {"when": 3}, {"when": "12:30"}, {"tree": {"next": {}}}]
)
def test_references_and_alternatives_that_fit_are_no_problem(arguments: dict[str, Any]) -> None:
    assert problems(REFERRING, arguments) == ()


def test_several_faults_are_all_named() -> None:
    schema = {"type": "object", "properties": {}, "required": ["a", "b"], "additionalProperties": False}
    assert set(problems(schema, {"c": 1, "d": 2})) == {
        "arguments.c is unknown; known are: none.",
        "arguments.d is unknown; known are: none.",
        "arguments.a is missing.",
        "arguments.b is missing.",
    }


def test_arguments_nested_deeper_than_can_be_followed_are_a_problem() -> None:
    nested: dict[str, Any] = {}
    for _ in range(100_000):
        nested = {"next": nested}
    assert problems(REFERRING, {"tree": nested}) == ("arguments are nested too deeply.",)


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "string"}, "must have the type object"),
        ({"type": "object", "properties": {"n": {"type": "number of days"}}}, "number of days"),
        ({"type": "object", "properties": {"n": {"$ref": "#/$defs/gone"}}}, "defs/gone refers to nothing"),
        ({"type": "object", "properties": {"n": {"$ref": "http://127.0.0.1:9/n.json"}}}, "refers to nothing"),
        ({"type": "object", "$ref": "#"}, "refers to itself"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(schema: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_schema(schema)


def test_a_schema_with_references_can_be_used() -> None:
    check_schema(REFERRING)
