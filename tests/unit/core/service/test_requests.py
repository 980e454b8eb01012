"""Every request is complete: it names its result, is known by its name alone, and cannot change on its way."""

import dataclasses
from typing import Any

import pytest

from assistant.core.machine.states import TurnId
from assistant.core.service.every_request import REQUESTS
from assistant.core.service.request import Request, Right, result_type
from assistant.core.service.requests.turns import AnswerAgain, BeginTurn, EditMessage


def test_names_are_unique() -> None:
    names = [each.__name__ for each in REQUESTS]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("request_type", REQUESTS, ids=lambda each: each.__name__)
class TestEvery:
    def test_names_its_result(self, request_type: type[Request[Any]]) -> None:
        result_type(request_type)

    def test_cannot_change_on_its_way(self, request_type: type[Request[Any]]) -> None:
        assert request_type.__dataclass_params__.frozen  # type: ignore[attr-defined]

    def test_says_what_it_does_and_what_it_needs(self, request_type: type[Request[Any]]) -> None:
        assert request_type.__doc__
        assert isinstance(request_type.right, Right)


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("BeginTurn", Right.USE),
        ("ListConversations", Right.USE),
        ("GiveAnswer", Right.USE),
        ("CreateConversation", Right.USE),
        ("DeleteConversation", Right.MANAGE),
        ("OpenConversation", Right.MANAGE),
        ("SwitchAgent", Right.MANAGE),
        ("RemoveModel", Right.MANAGE),
        ("SetSetting", Right.MANAGE),
        ("ToggleVoice", Right.OWN),
        ("HoldToTalk", Right.OWN),
        ("SetMuted", Right.OWN),
        ("StoreKey", Right.OWN),
        ("ApproveMcpServer", Right.OWN),
        ("EndEngine", Right.OWN),
    ],
)
def test_what_a_program_must_be_allowed_to_do(name: str, right: Right) -> None:
    (request,) = (each for each in REQUESTS if each.__name__ == name)
    assert request.right is right


@pytest.mark.parametrize("request_type", [BeginTurn, AnswerAgain, EditMessage], ids=lambda each: each.__name__)
def test_what_begins_a_turn_carries_the_turn_of_the_client_and_its_conversation(
    request_type: type[Request[Any]],
) -> None:
    fields = {each.name: each for each in dataclasses.fields(request_type)}
    assert fields["turn"].type is TurnId
    for name in ("turn", "conversation"):
        assert fields[name].default is dataclasses.MISSING
