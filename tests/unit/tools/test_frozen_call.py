"""A call that the user has consented to is known again, and only that one."""

from typing import Any

import pytest

from assistant.llm.backend import ModelToolCall
from assistant.tools.frozen_call import FrozenCall


def digest(arguments: dict[str, Any]) -> str:
    return FrozenCall.of(ModelToolCall(id="1", name="send", arguments=arguments)).digest


def test_the_order_in_which_arguments_were_stored_does_not_count() -> None:
    assert digest({"to": {"name": "엄마", "bank": "국민"}, "amount": 3000}) == digest(
        {"amount": 3000, "to": {"bank": "국민", "name": "엄마"}}
    )


@pytest.mark.parametrize("other", [{"amount": 30000, "to": [1, 2]}, {"amount": 3000, "to": [2, 1]}, {"amount": "3000"}])
def test_another_value_is_another_call(other: dict[str, Any]) -> None:
    assert digest(other) != digest({"amount": 3000, "to": [1, 2]})
