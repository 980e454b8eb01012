"""Memories that a fact has made too large: whole turns over an answering model and a light one (M-04)."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from assistant.agent.summaries.memory_room import MemoryRoom
from assistant.core.errors import StorageError
from assistant.core.records.memory import Scope
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from tests.fakes.backend import FakeBackend, Piece, says
from tests.fakes.clock import FakeClock
from tests.unit.agent.summaries.test_summarizer import Models, settings, turn
from tests.unit.conftest import MakeWorld, World

MOST = 1_000


class Full:
    """A memory that is nearly full, and a conversation that a model has answered."""

    def __init__(self, world: World, path: Path) -> None:
        self.world, self.told, self.failures = world, list[tuple[str, int]](), list[StorageError]()
        world.answerer.exchange.live.change(settings())
        self.file = MemoryFile(path, FakeClock(), lambda: MOST)
        self.room = MemoryRoom(
            world.store,
            world.answerer.summarizer,
            on_room=lambda how, count: self.told.append((how, count)),
            on_failure=self.failures.append,
        )
        self.room.watch(self.file)

    async def fill(self) -> None:
        """Add facts until the file is too large, after one turn."""
        await turn(self.world)
        for number in range(30):
            assert (await self.file.add(f"책 {number}권은 서재 {number}번 칸에 꽂혀 있다")).archived == ()
        assert len(self.file.path.read_text("utf-8")) > MOST

    async def found(self) -> list[str]:
        return [fact.text for fact in await self.file.search("서재")]


MakeFull = Callable[[Sequence[Piece]], Full]


@pytest.fixture
def full(make_world: MakeWorld, tmp_path: Path) -> MakeFull:
    def make(reply: Sequence[Piece]) -> Full:
        return Full(make_world(Models(FakeBackend(says("네")), FakeBackend(reply))), tmp_path / "user.md")

    return make


async def test_a_model_makes_room_and_every_line_is_still_found(full: MakeFull) -> None:
    it = full(says("- 책은 서재에 있다"))
    await it.fill()
    await it.room.make(it.world.conversation)
    assert it.told == [("shortened", 30)]
    assert [fact.text for fact in await it.file.facts()] == ["책은 서재에 있다", "책 29권은 서재 29번 칸에 꽂혀 있다"]
    assert len(await it.found()) == 31
    (copy,) = await it.file.snapshots()
    assert len(copy.facts) == 30


async def test_the_fact_that_has_made_a_memory_too_large_can_still_be_undone(full: MakeFull) -> None:
    it = full(says("- 책은 서재에 있다"))
    journal = MemoryJournal()
    journal.watch(it.file, Scope.PERSONAL)
    await it.fill()
    await it.room.make(it.world.conversation)
    undone = await journal.undo()
    assert undone is not None
    assert undone.text == "책 29권은 서재 29번 칸에 꽂혀 있다"
    assert undone.text not in await it.found()


@pytest.mark.parametrize("reply", [says("I cannot do that."), says("")])
async def test_without_a_usable_summary_the_oldest_lines_move_to_the_archive(
    full: MakeFull, reply: Sequence[Piece]
) -> None:
    it = full(reply)
    await it.fill()
    await it.room.make(it.world.conversation)
    ((how, count),) = it.told
    assert (how, count + len(await it.file.facts())) == ("archived", 30)
    assert len(it.file.path.read_text("utf-8")) <= MOST
    assert len(await it.found()) == 30
    await it.room.make(it.world.conversation)
    assert len(it.told) == 1


async def test_a_memory_that_cannot_be_changed_is_told(full: MakeFull) -> None:
    it = full(says("- 책은 서재에 있다"))
    await it.fill()
    it.file.path.unlink()
    it.file.path.mkdir()
    await it.room.make(it.world.conversation)
    assert [Path(each.path).name for each in it.failures] == ["user.md"]
