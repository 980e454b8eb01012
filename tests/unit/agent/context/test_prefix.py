"""From turn to turn a prompt begins with the bytes of the one before, so that servers reuse them (C-08)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from assistant.agent.context.context import compose
from assistant.agent.context.materials import Materials
from assistant.agent.context.prompts import load_prompts
from assistant.agent.context.window import outside_window, window
from assistant.core.messages import Message, Role, ToolUse
from assistant.core.permissions import LOCAL_ASSISTANT
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelToolCall
from assistant.tools.catalogue.enabled import Enabled
from assistant.tools.runner import ToolRunner
from tests.fakes.clock import START
from tests.unit.tools.test_registry import TOOLS

PROMPT = load_prompts(Path(__file__).parents[4] / "assistant" / "resources" / "prompts", "ko").system
TURNS = 50
LEAST = 30
QUESTION = "내일 오전에 부산에서 출발하는 기차를 알아봐 줄래?"
ANSWER = "네, 오전 아홉 시에 출발하는 기차가 있고 두 시간 반쯤 걸려요. 창가 자리도 아직 남아 있어요."


@dataclass
class Talk:
    """A conversation that goes on: every fifth turn uses a tool, and a fact is remembered three times.

    Attributes:
        enables_in: the turn in which the model enables two tools; -1 for none.
    """

    texts: Texts
    history: list[Message] = field(default_factory=list)
    facts: list[str] = field(default_factory=lambda: remembered(40))
    summary: str = ""
    gone: int = 0
    enables_in: int = -1
    enabled: Enabled = field(default_factory=Enabled)

    def requests(self) -> Iterator[bytes]:
        """The last request of each turn."""
        for turn in range(TURNS):
            if turn in (12, 25, 37):
                self.facts.append(f"나는 {turn}일에 이사했다")
            self._leave()
            self.enabled.begin_turn(120.0 * turn)
            if turn == self.enables_in:
                self.enabled.add(["read_clipboard", "control_media"])
            now = START + timedelta(minutes=2 * turn)
            self.history.append(Message(role=Role.USER, text=f"{QUESTION} {turn}", created_at=now.isoformat()))
            added = self._call(turn) if turn % 5 == 2 else ()
            yield self._request(added)
            self._store(added)
            self.history.append(Message(role=Role.ASSISTANT, text=f"{ANSWER} {turn}"))

    def _leave(self) -> None:
        """Put the messages that leave the window into the summary, as after a turn."""
        staying = self.history[self.gone :]
        leaving = outside_window(staying, sum(each.is_spoken for each in self.history), LEAST)
        if leaving:
            self.gone += leaving
            self.summary = f"- {self.gone}번째 메시지까지 기차 여행을 이야기했다. " + "부산 여행 계획. " * 20

    def _call(self, turn: int) -> tuple[ModelMessage, ...]:
        call = ModelToolCall(id=f"c{turn}", name="calculate", arguments={"expression": "9 + 2.5"})
        return (
            ModelMessage(role="assistant", text="", tool_calls=(call,)),
            ModelMessage(role="tool", text="11.5", tool_call_id=call.id),
        )

    def _store(self, added: tuple[ModelMessage, ...]) -> None:
        for message in added:
            uses = tuple(ToolUse(id=each.id, name=each.name, arguments=each.arguments) for each in message.tool_calls)
            role = Role(message.role)
            self.history.append(Message(role=role, text=message.text, tool_uses=uses, tool_use_id=message.tool_call_id))

    def _request(self, added: tuple[ModelMessage, ...]) -> bytes:
        materials = Materials(
            base_prompt=PROMPT,
            history=self.history[self.gone :],
            now=START,
            persona="여행을 좋아하는 친구처럼 편안하게 이야기합니다. " * 5,
            workspace_memory=remembered(40),
            agent_memory=remembered(20),
            personal_memory=self.facts,
            summary=self.summary,
        )
        context = compose(materials, self.texts, max_size=80_000)
        assert context.dropped == 0
        spoken = [each for each in context.talk if each.role != "tool" and not each.tool_calls]
        count = sum(each.is_spoken for each in self.history)
        # It begins with a question, so there may be one more.
        assert len(spoken) - window(count, LEAST) in (0, 1)
        return "\n".join([self._told(), context.system, *map(wire, (*context.messages, *added))]).encode()

    def _told(self) -> str:
        """The descriptions of the tools, which stand before the system prompt in a request."""
        tools = ToolRunner(TOOLS, self.texts).permitted(LOCAL_ASSISTANT, enabled=self.enabled)
        told = [[each.name, each.description, each.parameters] for each in tools.offer(request=QUESTION).tools]
        return json.dumps(told, ensure_ascii=False)


def remembered(count: int) -> list[str]:
    return [f"{year}년 전부터 동생과 함께 주말마다 등산을 다닌다" for year in range(count)]


def wire(message: ModelMessage) -> str:
    calls = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    told: dict[str, Any] = {"role": message.role, "content": message.text, "calls": calls, "id": message.tool_call_id}
    return json.dumps({key: value for key, value in told.items() if value}, ensure_ascii=False)


def shared(before: bytes, after: bytes) -> float:
    """The share of the bytes of one request with which the next one begins."""
    same = next((place for place, (one, other) in enumerate(zip(before, after, strict=False)) if one != other), None)
    return (min(len(before), len(after)) if same is None else same) / len(before)


def test_a_request_begins_with_nearly_all_of_the_one_before(all_texts: dict[Language, Texts]) -> None:
    requests = list(Talk(all_texts["ko"]).requests())
    shares = [shared(before, after) for before, after in pairwise(requests)]
    assert len(shares) == TURNS - 1
    assert mean(shares) >= 0.95
    assert sum(share == 1 for share in shares) > TURNS / 2


def test_a_tool_that_is_enabled_for_a_while_costs_one_reading_of_the_prompt(all_texts: dict[Language, Texts]) -> None:
    usual, enabling = (
        [shared(before, after) for before, after in pairwise(Talk(all_texts["ko"], enables_in=turn).requests())]
        for turn in (-1, 20)
    )
    assert [place for place, (one, other) in enumerate(zip(usual, enabling, strict=True)) if one - other > 0.1] == [19]
    assert mean(usual) - mean(enabling) < 0.02
