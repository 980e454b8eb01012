"""What a model finds in the messages about transfers that code leaves to it: right, incomplete, wrong, and how long.

    python -m benchmarks.flows.transfer_model [--model REFERENCE] [--rounds 1]

The messages are the rows marked ``model`` of the table of turns, and others that no prompt and no reader was made with.
The agent is that of the service: the model's reply follows its schema, and code lets in only what the message
supports. Sori's own model answers unless another one is named. A message is ``right`` if the operations are those that
are meant, ``incomplete`` if some of them are missing, so that the user is asked, and ``wrong`` if there is another one.
Each is then said to the whole service, where money must not move without a yes.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.people import Person
from assistant.core.settings import Settings
from assistant.engine.chat_wiring import build_chat
from assistant.flows.context import ExecutionContext
from assistant.flows.memory import FlowMemory
from assistant.flows.model import FlowModel, TurnModel
from assistant.flows.services.transfer.agents.slot_filler.agent import TransferSlotFiller, situation_of
from assistant.flows.services.transfer.reading.reader import read
from assistant.flows.services.transfer.state.models import TransferState
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelMessage
from tests.fakes.flows.model import ScriptedModel
from tests.unit.flows.transfer.dialogue import Dialogue
from tests.unit.flows.transfer.turns import NOW, PEOPLE, Turn, operation_text, same, turns

UNSEEN = """new | 철수한테 회비 삼만 원 송금해 줘 | model; recipient=김철수; amount=30000; memo=회비
new | 동생 용돈으로 이만 원만 좀 부쳐 줄래 | model; recipient=동생; amount=20000; memo=용돈
new | 아빠한테 어제 빌린 돈 칠만 원 갚아야 해 | model; recipient=아빠; amount=70000
new | 엄마한테 병원비 하라고 십만 원 보내 줘 | model; recipient=엄마; amount=100000
new | 집주인한테 관리비 조금 보내 줘 | model; recipient=집주인
new | 철수랑 저녁 먹은 거 반반 나누자 | model
much | 적당히 알아서 | model
much | 지난번만큼 | model
new | send Sarah her share of the rent, 300,000 won | model; recipient=Sarah Lee; amount=300000
new | pay dad back the 40,000 won I borrowed | model; recipient=dad; amount=40000
new | wire mom some money for groceries | model; recipient=mom
much | whatever you think is right | model
"""
"""More rows, in the form of the table."""


@dataclass
class Recorded(ScriptedModel):
    """A real model, which is asked for slots, once for each prompt. What the agent that talks would say is left out."""

    real: FlowModel = field(kw_only=True)
    kept: dict[tuple[str, ...], str] = field(default_factory=dict)

    async def complete(self, system: str, messages: Sequence[ModelMessage], **options: Any) -> str:
        """The reply of the real model."""
        if "operations" not in options["schema"]["properties"]:
            return json.dumps({"action": "ASK", "message": "?"})
        prompt = (system, *(each.text for each in messages))
        if prompt not in self.kept:
            self.kept[prompt] = await self.real.complete(system, messages, **options)
        return self.kept[prompt]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one message."""

    turn: Turn
    found: tuple[str, ...]
    seconds: float
    moved: bool

    @property
    def grade(self) -> str:
        """``right``, ``incomplete`` or ``wrong``."""
        if same(self.found, self.turn.meant):
            return "right"
        known = all(any(same([each], [other]) for other in self.turn.meant) for each in self.found)
        return "incomplete" if known else "wrong"

    @property
    def moves_right(self) -> bool:
        """Whether all but the memo is right, so that the right money goes to the right person."""
        found, meant = (
            [each for each in part if not each.startswith("memo=")] for part in (self.found, self.turn.meant)
        )
        return same(found, meant)


async def known() -> tuple[Person, ...]:
    """The people of the table."""
    return PEOPLE


async def measured(model: FlowModel, turn: Turn, folder: Path) -> Result:
    """Ask the agent, and then say the message to the whole service."""
    await asyncio.to_thread(folder.mkdir)
    dialogue = Dialogue(folder)
    model = dialogue.model = Recorded([], real=model)
    if turn.situation == "much":
        await dialogue.events("엄마한테 돈 보내 줘" if turn.language == "ko" else "send mom money", strict=False)
    stored = await dialogue.store.load("s", "transfer")
    context = ExecutionContext(
        session="s",
        service="transfer",
        user_message=turn.message,
        state=TransferState() if stored is None else TransferState.model_validate(stored.state),
        memory=FlowMemory() if stored is None else FlowMemory.model_validate(stored.memory),
        language="ko" if turn.language == "ko" else "en",
        now=NOW,
    )
    agent = TransferSlotFiller(model, known)
    if read(turn.message, situation_of(context, PEOPLE)).whole:
        raise SystemExit(f"code reads {turn.message!r} itself")
    began = time.perf_counter()
    try:
        delta = await agent.run(context)
    except SoriError as error:  # As for a user: nothing is understood.
        print(f"           {error}")
        delta = agent.unread()
    seconds = time.perf_counter() - began
    if delta["operations"]:
        await dialogue.events(turn.message, strict=False)
    return Result(turn, tuple(map(operation_text, delta["operations"])), seconds, bool(dialogue.sent))


async def run(rounds: int, reference: str) -> list[Result]:
    """The results of all messages."""
    rows = [each for each in turns() if each.for_model] + turns(UNSEEN)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        chat = await build_chat(home, LiveSettings(Settings()), load_texts("ko"))
        model = TurnModel(
            aside=chat.answers.exchange.aside(), conversation=await chat.storage.conversations.create(), model=reference
        )
        try:
            await chat.answers.exchange.backend(chat.answers.answerer.choice)
            results = []
            for at, turn in enumerate(rows * rounds):
                each = await measured(model, turn, home / str(at))
                print(f"{each.grade:10} {each.seconds:5.1f} s  {turn.message}  {'; '.join(each.found)}", flush=True)
                results.append(each)
            return results
        finally:
            await chat.close()


def main() -> None:
    """Measure and print one line for each message, and the sums."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--model", default="")
    arguments = parser.parse_args()
    results = asyncio.run(run(arguments.rounds, arguments.model))
    seen = {each.message for each in turns()}
    for name, part in (
        ("table", [each for each in results if each.turn.message in seen]),
        ("unseen", [each for each in results if each.turn.message not in seen]),
    ):
        grades, seconds = Counter(each.grade for each in part), sorted(each.seconds for each in part)
        print(
            f"{name}: {grades['right']} right, {grades['incomplete']} incomplete, {grades['wrong']} wrong"
            f" of {len(part)}, {sum(each.moves_right for each in part)} right but for the memo;"
            f" money moved without a yes: {sum(each.moved for each in part)};"
            f" median {statistics.median(seconds):.1f} s, longest {seconds[-1]:.1f} s"
        )


if __name__ == "__main__":
    main()
