"""Updates name what they are about, so that a window of one conversation shows nothing of another."""

from dataclasses import fields, is_dataclass

import pytest

from assistant.core import updates as up

ABOUT_A_TURN = frozenset({"turn", "packet", "message", "snapshot"})
UPDATES = [each for each in vars(up).values() if is_dataclass(each) and each.__module__ == up.__name__]


@pytest.mark.parametrize("update", UPDATES, ids=lambda update: update.__name__)
def test_what_is_about_a_turn_names_the_turn_and_its_conversation(update: type) -> None:
    names = {field.name for field in fields(update)}
    if names & ABOUT_A_TURN:
        assert "conversation" in names
        # The snapshot of a state has the turn in itself.
        assert names & {"turn", "snapshot"}
