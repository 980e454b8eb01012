"""Memories that leave no room in a context: whole turns over an answering model and a light one (C-20)."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.profile import LOCAL_PROFILE, AgentProfile
from assistant.agent.summaries.memory_shortening import MemoryStep, memory_files
from assistant.agent.workspaces.directory import Workspaces
from assistant.core.clock import Clock
from assistant.core.packets import Status
from assistant.core.records.agents import AgentId
from assistant.core.settings import ContextSettings, MemorySettings
from assistant.memory.memory_file import MemoryFile
from assistant.memory.personal import PersonalMemory
from tests.fakes.backend import FakeBackend, Piece, says
from tests.unit.agent.summaries.test_summarizer import Models, settings, statuses, turn
from tests.unit.conftest import MakeWorld, World

SHORTER = says("- 요약한 사실")


class Remembering:
    """A world whose agent has a memory of each kind, and a context of limited size."""

    def __init__(self, world: World, folder: Path, models: Models, sizes: dict[str, int]) -> None:
        self.world, self.models = world, models
        clock: Clock = world.clock
        self.workspaces = Workspaces(folder / "workspaces", clock, lambda: 100_000)
        self.personal = PersonalMemory(folder / "user.md", clock, MemorySettings)
        agent = AgentId()
        self.files: dict[str, MemoryFile] = {
            "workspace": self.workspaces.workspace_memory(agent.workspace),
            "agent": self.workspaces.agent_memory(agent),
            "personal": self.personal.file,
        }
        for name, file in self.files.items():
            file.path.parent.mkdir(parents=True, exist_ok=True)
            file.path.write_text(
                "".join(f"- {name} {number:03} {'가' * 40}\n" for number in range(sizes.get(name, 0))), "utf-8"
            )
        answerer = world.answerer
        answerer.exchange.live.change(replace(settings(), context=ContextSettings(max_size=4_000)))
        answerer.facts_about_user = self.personal.facts
        answerer.memory_files = memory_files(self.workspaces, self.personal)
        answerer.profile_of = self.profile

    async def profile(self, _: AgentId) -> AgentProfile:
        return replace(
            LOCAL_PROFILE,
            agent=AgentId(),
            workspace_memory=await self._told("workspace"),
            agent_memory=await self._told("agent"),
        )

    async def _told(self, name: str) -> tuple[str, ...]:
        return tuple(fact.text for fact in await self.files[name].facts())

    def shortened(self) -> list[str]:
        return [name for name, file in self.files.items() if file.path.with_name(file.path.name + ".snapshot").exists()]


@pytest.fixture
def remembering(make_world: MakeWorld, tmp_path: Path) -> Any:
    def make(sizes: dict[str, int], *replies: Sequence[Piece]) -> Remembering:
        models = Models(FakeBackend(says("네")), FakeBackend(*(replies or (SHORTER,))))
        return Remembering(make_world(models), tmp_path, models, sizes)

    return make


async def test_memories_that_fit_are_sent_whole_and_nobody_is_asked(remembering: Any) -> None:
    kept = remembering({"workspace": 20, "agent": 20, "personal": 20})
    assert statuses(await turn(kept.world)) == []
    assert kept.shortened() == []
    (asked,) = kept.models.big.requests
    assert all(f"{name} 000" in asked.system for name in kept.files)


async def test_the_memories_of_workspace_and_agent_are_shortened_before_the_personal_one(remembering: Any) -> None:
    kept = remembering({"workspace": 40, "agent": 40, "personal": 30})
    packets = await turn(kept.world)
    assert statuses(packets) == ["memory_compressing", "memory_compressed"]
    assert kept.shortened() == ["workspace", "agent"]
    assert {request.model for request in kept.models.small.requests} == {"s"}
    (asked,) = kept.models.big.requests
    assert asked.system.count("- 요약한 사실") == 2
    assert "personal 000" in asked.system
    assert [each.detail for each in packets if isinstance(each, Status)] == [
        kept.world.answerer.texts("chat.memory_compressing_shared"),
        kept.world.answerer.texts("chat.memory_compressed_shared"),
    ]


async def test_the_personal_memory_follows_if_the_context_is_still_too_large(remembering: Any) -> None:
    kept = remembering({"workspace": 30, "agent": 30, "personal": 100})
    assert statuses(await turn(kept.world)) == ["memory_compressing", "memory_compressed"] * 2
    assert kept.shortened() == ["workspace", "agent", "personal"]
    (asked,) = kept.models.big.requests
    assert asked.system.count("- 요약한 사실") == 3


async def test_a_memory_that_is_not_shortened_is_kept_its_oldest_facts_left_out_and_not_tried_again(
    remembering: Any,
) -> None:
    kept = remembering({"personal": 100}, says("요약할 수 없습니다."))
    before = kept.files["personal"].path.read_text("utf-8")
    assert statuses(await turn(kept.world)) == ["memory_compressing", "context_trimmed"]
    assert statuses(await turn(kept.world)) == ["context_trimmed"]
    assert len(kept.models.small.requests) == 1
    assert kept.files["personal"].path.read_text("utf-8") == before
    assert kept.shortened() == []
    system = kept.models.big.requests[-1].system
    assert ("personal 099" in system, "personal 000" in system) == (True, False)
    assert system.startswith("기본 프롬프트")


async def test_an_answer_that_is_heard_does_not_wait_and_the_memory_is_shortened_after_it(remembering: Any) -> None:
    kept = remembering({"personal": 100})
    assert statuses(await turn(kept.world, aloud=True)) == ["context_trimmed"]
    await kept.world.engine.afterwards.settle()
    assert kept.shortened() == ["personal"]
    assert statuses(await turn(kept.world, aloud=True)) == []


def test_only_memories_that_the_agent_may_use_are_shortened(remembering: Any) -> None:
    kept = remembering({})
    files = memory_files(kept.workspaces, kept.personal)
    assert list(files(AgentProfile(name="a", agent=AgentId()), MemoryStep.SHARED)) == []
    assert list(files(AgentProfile(name="a", agent=AgentId()), MemoryStep.PERSONAL)) == []
    assert list(files(LOCAL_PROFILE, MemoryStep.SHARED)) == []
    whole = replace(LOCAL_PROFILE, agent=AgentId())
    assert list(files(whole, MemoryStep.SHARED)) == [kept.files["workspace"], kept.files["agent"]]
