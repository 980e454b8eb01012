"""What is asked while the model is being fetched is answered once it is here."""

import asyncio
from itertools import count

import pytest

from assistant.chat.board import TurnBoard
from assistant.core.machine.states import TurnId
from assistant.core.packets import Done, Failure
from assistant.engine.waiting_requests import WaitingRequests
from tests.fakes.asking.scripted_turns import Script, ScriptedTurns, asking_for, words


def fails(reason: str) -> list[Failure | Done]:
    return [
        Failure(turn_index=0, code="model_file", message="", reason=reason),
        Done(turn_index=0, finish="failed"),
    ]


class Desk:
    def __init__(self) -> None:
        scripts: dict[str, Script] = {
            "가을은?": fails("model_on_its_way"),
            "겨울은?": fails("model_on_its_way_soon"),
            "오프라인이야?": fails("model_waits_for_network"),
            "망가졌어?": fails("timeout"),
            "몇 시야?": words("한 시예요."),
            "": words("짧아요."),
        }
        self.turns = ScriptedTurns(**scripts)
        self.board = TurnBoard(self.turns, lambda _: None)
        numbers = count(1)
        self.waiting = WaitingRequests(self.board, lambda: TurnId(f"later {next(numbers)}"))
        self._asked = count(1)

    async def ask(self, text: str, conversation: str = "here", *, again: bool = False) -> None:
        turn = TurnId(f"{next(self._asked)}")
        self.board.begin(asking_for(text, turn, conversation, again=again))
        await self._over(turn)

    async def answered(self) -> list[tuple[str, str, bool]]:
        """Conversation, text and whether it is answered where it stands, of the turns that begin now."""
        before = len(self.turns.begun)
        self.waiting.answer()
        for _ in range(5):
            await asyncio.sleep(0)
        return [(each.conversation, each.text, each.again) for each in self.turns.begun[before:]]

    async def _over(self, turn: TurnId) -> None:
        async for _ in self.board.follow(turn):
            pass
        await asyncio.sleep(0)


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ([], []),
        (["가을은?"], [("here", "", True)]),
        (["겨울은?"], [("here", "", True)]),
        (["오프라인이야?"], [("here", "", True)]),
        (["망가졌어?"], []),
        (["몇 시야?"], []),
        (["가을은?", "겨울은?"], [("here", "", True)]),
        (["몇 시야?", "가을은?"], [("here", "", True)]),
        (["가을은?", "몇 시야?"], [("here", "가을은?", False)]),
        (["가을은?", "망가졌어?"], [("here", "가을은?", False)]),
        (["가을은?", "몇 시야?", "겨울은?"], [("here", "", True)]),
        (["가을은?", "겨울은?", "몇 시야?"], [("here", "겨울은?", False)]),
    ],
)
async def test_the_newest_request_that_waits_is_answered_below_what_followed_it(
    asked: list[str], answered: list[tuple[str, str, bool]]
) -> None:
    desk = Desk()
    for text in asked:
        await desk.ask(text)
    desk.turns.scripts = dict.fromkeys(desk.turns.scripts, words("짧아요."))
    assert await desk.answered() == answered
    assert await desk.answered() == []


async def test_each_conversation_has_a_request_of_its_own() -> None:
    desk = Desk()
    await desk.ask("가을은?", "here")
    await desk.ask("겨울은?", "there")
    await desk.ask("몇 시야?", "there")
    assert await desk.answered() == [("here", "", True), ("there", "겨울은?", False)]


async def test_a_message_that_was_answered_again_in_vain_waits_on() -> None:
    desk = Desk()
    desk.turns.scripts[""] = fails("model_on_its_way")
    await desk.ask("가을은?")
    await desk.ask("", again=True)
    assert await desk.answered() == [("here", "", True)]
    assert await desk.answered() == [("here", "", True)]
