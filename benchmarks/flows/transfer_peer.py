"""The table of transfer messages in LangGraph and in Sori, beside each other: right operations, model calls, time.

Both sides get the same scripted model, which answers each request with the operations that the table holds for the
message, so a difference is one of design and not of the model. The graph is LangGraph's usual form of this task: a node
that asks the model, a node that applies the operations, an ``interrupt`` before the transfer, and a checkpoint after
each node. It also plays a dialogue of three transfers with a correction.

The time of a message of the table is that of the graph with its checkpoint, and in Sori that of the readers alone. The
time of a turn of the dialogue is that of a whole turn on both sides; Sori's has the gate and the bank's file in it.

    python -m benchmarks.flows.transfer_peer sori
    VENV/bin/python benchmarks/flows/transfer_peer.py langgraph    # in an environment with langgraph alone
"""

import argparse
import asyncio
import itertools
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

TABLE = Path(__file__).parents[2] / "tests" / "data" / "flows" / "transfer_turns.txt"
DIALOGUE = (
    (
        "new",
        "엄마한테 삼만 원 아빠한테 오만 원 동생한테 만 원 보내 줘",
        "add 엄마 30000; add 아빠 50000; add 동생 10000",
    ),
    ("ready", "응", "confirm"),
    ("ready", "아니 사만 원으로", "amount=40000"),
    ("ready", "응", "confirm"),
    ("ready", "응", "confirm"),
)
SENT = [("엄마", 30_000), ("아빠", 40_000), ("동생", 10_000)]


@dataclass
class Told:
    """What one side did.

    Attributes:
        right: messages whose operations are those of the table.
        rows: messages.
        calls: calls of the model for the table.
        dialogue_calls: calls of the model in the dialogue.
        dialogue_right: whether exactly the three transfers were made.
        took_ms: milliseconds for each message of the table.
        turn_ms: milliseconds for a turn of the dialogue.
    """

    right: int = 0
    rows: int = 0
    calls: int = 0
    dialogue_calls: int = 0
    dialogue_right: bool = False
    took_ms: list[float] = field(default_factory=list)
    turn_ms: float = 0.0

    def __str__(self) -> str:
        return (
            f"right operations {self.right} of {self.rows}, model calls {self.calls}; dialogue of three transfers: "
            f"{'right' if self.dialogue_right else 'WRONG'}, model calls {self.dialogue_calls}; a message of the table "
            f"takes {statistics.median(self.took_ms):.2f} ms (median), a turn of the dialogue {self.turn_ms:.1f} ms "
            "of processor time without the model"
        )


def rows() -> list[tuple[str, str, list[str]]]:
    """The table: situation, message, operations."""
    lines = (each for each in TABLE.read_text(encoding="utf-8").splitlines() if "|" in each and each[0] != "#")
    parts = ([part.strip() for part in line.split("|")] for line in lines)
    return [
        (situation, message, sorted(each for each in re.split(r"\s*;\s*", meant) if each != "model"))
        for situation, message, meant in parts
    ]


class GraphState(TypedDict, total=False):
    """The state of the graph."""

    situation: str
    message: str
    operations: list[str]
    transfers: list[tuple[str, int]]
    sent: list[tuple[str, int]]


class ScriptedOperations:
    """The model: knows what each message means, and counts how often it is asked."""

    def __init__(self) -> None:
        self.meant = {(situation, message): meant for situation, message, meant in rows()}
        self.meant |= {(situation, message): meant.split("; ") for situation, message, meant in DIALOGUE}
        self.calls = 0

    def ask(self, situation: str, message: str) -> list[str]:
        """The operations of a message."""
        self.calls += 1
        return self.meant[situation, message]


class TransferGraph:
    """The nodes of LangGraph's form of the task. The model reads each message, also a yes."""

    def __init__(self, model: ScriptedOperations) -> None:
        self._model = model
        self.thread_ids = itertools.count()

    def built(self) -> Any:
        """The graph, with a checkpoint after each node."""
        from langgraph.checkpoint.memory import InMemorySaver
        from langgraph.graph import START, StateGraph

        builder = StateGraph(GraphState)
        for node in (self.extract, self.apply, self.confirm, self.execute):
            builder.add_node(node.__name__, node)
        for edge in ((START, "extract"), ("extract", "apply"), ("apply", "confirm"), ("execute", "confirm")):
            builder.add_edge(*edge)
        return builder.compile(checkpointer=InMemorySaver())

    def thread(self) -> Any:
        """A new conversation."""
        return {"configurable": {"thread_id": str(next(self.thread_ids))}}

    def extract(self, state: GraphState) -> GraphState:
        """Ask the model what the message means."""
        return {"operations": self._model.ask(state["situation"], state["message"])}

    def apply(self, state: GraphState) -> GraphState:
        """Apply the operations."""
        transfers = list(state.get("transfers", []))
        for each in state["operations"]:
            if added := re.fullmatch(r"add (\S+) (\d+)", each):
                transfers.append((added[1], int(added[2])))
            elif (changed := re.fullmatch(r"amount=(\d+)", each)) and transfers:
                transfers[0] = (transfers[0][0], int(changed[1]))
        return {"transfers": transfers}

    def confirm(self, state: GraphState) -> Any:
        """Wait for the user, and ask the model what the answer means."""
        from langgraph.graph import END
        from langgraph.types import Command, interrupt

        if not state.get("transfers"):
            return Command(goto=END)
        operations = self._model.ask("ready", interrupt(state["transfers"][0]))
        if operations == ["confirm"]:
            return Command(goto="execute")
        return Command(goto="apply", update={"operations": operations})

    def execute(self, state: GraphState) -> GraphState:
        """Make the first transfer."""
        first, *rest = state["transfers"]
        return {"transfers": rest, "sent": [*state.get("sent", []), first]}


def langgraph_side() -> Told:
    """LangGraph: the table, then the dialogue."""
    from langgraph.types import Command

    model, told = ScriptedOperations(), Told()
    nodes = TransferGraph(model)
    graph = nodes.built()
    for situation, message, meant in rows():
        began = time.process_time()
        state = graph.invoke({"situation": situation, "message": message}, nodes.thread())
        told.took_ms.append((time.process_time() - began) * 1_000)
        told.rows += 1
        told.right += sorted(state["operations"]) == meant
    told.calls, model.calls = model.calls, 0
    began = time.process_time()
    thread = nodes.thread()
    (situation, message, _), *answers = DIALOGUE
    graph.invoke({"situation": situation, "message": message}, thread)
    for _, answer, _ in answers:
        graph.invoke(Command(resume=answer), thread)
    told.turn_ms = (time.process_time() - began) * 1_000 / len(DIALOGUE)
    told.dialogue_calls = model.calls
    told.dialogue_right = list(map(tuple, graph.get_state(thread).values["sent"])) == SENT
    return told


def sori_side() -> Told:
    """Sori: code reads first, the model what is left; yes and no are code."""
    from tests.unit.flows.transfer.dialogue import Dialogue
    from tests.unit.flows.transfer.turns import meaning, same, turns

    model, told = ScriptedOperations(), Told()
    for turn in turns():
        began = time.process_time()
        got, reading = meaning(turn)
        told.took_ms.append((time.process_time() - began) * 1_000)
        if not reading.whole:
            got = tuple(model.ask(turn.situation, turn.message))
            got = tuple(each for each in got if each != "model")
        told.rows += 1
        told.right += same(got, turn.meant)
    told.calls = model.calls

    async def talk(folder: Path) -> tuple[int, bool]:
        dialogue = Dialogue(folder)
        for _, message, _ in DIALOGUE:
            await dialogue.say(message)
        return len(dialogue.model.asked), dialogue.sent == SENT

    for _ in range(2):  # The first dialogue loads what the gate needs.
        began = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            told.dialogue_calls, told.dialogue_right = asyncio.run(talk(Path(folder)))
        told.turn_ms = (time.process_time() - began) * 1_000 / len(DIALOGUE)
    return told


def main() -> int:
    """Run one side and print what it did."""
    parser = argparse.ArgumentParser(description=__doc__)
    sides: dict[str, Callable[[], Told]] = {"sori": sori_side, "langgraph": langgraph_side}
    parser.add_argument("side", choices=sorted(sides))
    side = parser.parse_args().side
    print(f"{side}: {sides[side]()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
