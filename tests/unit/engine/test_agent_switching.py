import asyncio

import pytest

from assistant.core import updates as up
from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.records.agents import AgentId
from assistant.engine.agent_switching import AgentCalled, AgentSwitching


class Stage:
    def __init__(self) -> None:
        self.shown: list[up.Update] = []
        self.begun = 0
        self.switching = AgentSwitching(self.shown.append)
        self.switching.begin_with(self._begin)

    def _begin(self) -> None:
        self.begun += 1

    def now(self, state: InteractionState, question: str = "") -> None:
        snapshot = Snapshot(interaction=state, question=question)
        self.switching.publish(up.StateChanged(conversation="c", snapshot=snapshot))


def test_a_new_conversation_begins_at_once_where_nothing_is_answered() -> None:
    stage = Stage()
    stage.switching.switched(AgentId())
    assert stage.begun == 1


@pytest.mark.parametrize("end", [InteractionState.IDLE, InteractionState.LISTENING])
def test_a_new_conversation_begins_once_the_answer_was_given(end: InteractionState) -> None:
    stage = Stage()
    stage.now(InteractionState.PROCESSING)
    stage.switching.switched(AgentId())
    stage.now(InteractionState.SPEAKING)
    assert stage.begun == 0
    stage.now(end)
    stage.now(InteractionState.IDLE)
    assert stage.begun == 1
    assert len(stage.shown) == 4


def test_a_turn_that_waits_for_the_answer_to_its_question_is_not_over() -> None:
    stage = Stage()
    stage.now(InteractionState.PROCESSING)
    stage.switching.switched(AgentId())
    stage.now(InteractionState.LISTENING, question="q")
    assert stage.begun == 0
    stage.now(InteractionState.PROCESSING)
    stage.now(InteractionState.LISTENING)
    assert stage.begun == 1


async def test_a_call_ends_once_and_with_its_error() -> None:
    loop = asyncio.get_running_loop()
    opened, failed = (AgentCalled(AgentId(), loop.create_future()) for _ in range(2))
    opened.end()
    opened.end(OSError())
    failed.end(OSError("no disk"))
    await opened.answers
    with pytest.raises(OSError, match="no disk"):
        await failed.answers
