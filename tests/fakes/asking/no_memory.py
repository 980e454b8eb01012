"""Memories that are switched off, and those of one conversation."""

from pathlib import Path

from assistant.agent.remembering.memories import Memories
from assistant.agent.workspaces.directory import Workspaces
from assistant.core.messages import Message
from assistant.core.records.agents import AgentId
from assistant.core.settings import MemorySettings
from assistant.memory.personal import PersonalMemory
from tests.fakes.clock import FakeClock

_NOWHERE = Path("/nonexistent")


async def _sori(_: str) -> AgentId:
    return AgentId()


async def _nothing_said(_: str) -> Message | None:
    return None


def no_memory() -> PersonalMemory:
    """A memory that the settings switch off; it has no file."""
    return PersonalMemory(_NOWHERE / "user.md", FakeClock(), lambda: MemorySettings(personal=False))


def memories_in(folder: Path, personal: PersonalMemory | None = None) -> Memories:
    """The memories of the default agent in a folder."""
    return Memories(
        personal=personal or PersonalMemory(folder / "user.md", FakeClock(), MemorySettings),
        workspaces=Workspaces(folder / "workspaces", FakeClock(), lambda: 4_000),
        agent_of=_sori,
        newest_request=_nothing_said,
    )


def no_memories() -> Memories:
    """Memories that the settings switch off, for tools."""
    return memories_in(_NOWHERE, no_memory())
