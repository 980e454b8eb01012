from typing import Any

import pytest

from assistant.llm.reply.argument_check import problems

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
