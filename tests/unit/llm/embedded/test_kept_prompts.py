"""When what the embedded server has read is saved, and when it is restored."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

from assistant.llm.backend import Finish, Finished, ModelDelta, ModelMessage, ModelRequest, TextDelta, ToolSchema, Usage
from assistant.llm.embedded.kept_prompts import KeptPrompts
from assistant.llm.embedded.prompt_states import PromptStates, fingerprint
from tests.fakes.clock import FakeClock
from tests.fakes.model_server.slots import FakeSlots

HELLO = ModelRequest(
    model="m", system="Be kind.", messages=(ModelMessage(role="user", text="Hello"),), kept_as="conversation"
)
SUMMARY = replace(HELLO, purpose="summary", kept_as=None, aside=True)
NOBODYS = replace(HELLO, kept_as=None)
CHOICE = replace(HELLO, aside=True)


class World:
    """One home, in which servers come and go."""

    def __init__(self, folder: Path, *, most: int = 8) -> None:
        self.states = PromptStates(folder, most=most, most_bytes=1_000_000, free_bytes=lambda _: 1 << 40)
        self.slots = FakeSlots(folder)
        self.clock = FakeClock()
        self.trouble: list[str] = []
        self.kept = self._kept()

    def _kept(self) -> KeptPrompts:
        return KeptPrompts(
            self.states,
            lambda: self.slots,
            lambda: fingerprint("model"),
            clock=self.clock,
            on_trouble=self.trouble.append,
        )

    def start_anew(self) -> None:
        """Another process, whose server has read nothing."""
        self.kept = self._kept()
        self.slots.content = self.slots.aside = b"nothing"

    async def ask(self, request: ModelRequest = HELLO, *, read: int = 500, cached: int = 0) -> bytes:
        """Ask the server, which reads so many tokens; what it held when it was asked."""
        held = b""

        async def answer() -> AsyncGenerator[ModelDelta, None]:
            nonlocal held
            reads = f"{request.kept_as} {read}".encode()
            if request.aside:
                held, self.slots.aside = self.slots.aside, reads
            else:
                held, self.slots.content = self.slots.content, reads
            yield TextDelta(text="Hi")
            yield Usage(input=read, output=1, cached=cached)
            yield Finished(reason=Finish.STOP)

        async with self.kept.serving(request) as served:
            async for delta in answer():
                served.heard(delta)
        return held

    async def rest(self) -> None:
        """Nobody asks anything for a while."""
        await self.clock.until_sleeping()
        self.clock.advance(10)
        await self.settle()

    async def settle(self) -> None:
        """Wait for what is being saved, if anything is."""
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        while saving := [task for task in asyncio.all_tasks() if task.get_name() == "save a prompt state"]:
            await asyncio.wait(saving)

    def files(self) -> list[str]:
        """Whose states there are."""
        return sorted(path.name.partition(".")[0] for path in self.states.folder.glob("*"))


async def test_after_a_rest_what_was_read_is_saved_and_a_new_process_begins_with_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    assert await world.ask() == b"nothing"
    assert world.slots.saves == 0
    await world.rest()
    assert world.files() == ["conversation"]
    world.start_anew()
    assert await world.ask() == b"conversation 500"


async def test_little_is_saved_only_at_the_end(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask(read=100)
    assert world.clock.sleeping == 0
    await world.kept.close()
    assert world.files() == ["conversation"]


async def test_what_was_not_read_anew_is_not_saved_again(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.kept.close()
    world.start_anew()
    await world.ask(cached=499)
    await world.kept.close()
    assert world.slots.saves == 1


async def test_a_request_puts_the_saving_off(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.clock.until_sleeping()
    world.clock.advance(2)
    await world.ask()
    await world.settle()
    world.clock.advance(2)
    await world.settle()
    assert world.slots.saves == 0
    world.clock.advance(1)
    await world.settle()
    assert world.slots.saves == 1


async def test_a_conversation_is_saved_before_a_prompt_of_nobodys_replaces_it(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.ask(NOBODYS)
    assert world.files() == ["conversation"]
    world.start_anew()
    assert await world.ask() == b"conversation 500"


async def test_a_tool_choice_and_a_summary_leave_the_conversation_in_its_slot(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.ask(CHOICE)
    await world.ask(SUMMARY)
    assert await world.ask(read=501, cached=500) == b"conversation 500"
    await world.kept.close()
    assert (world.slots.saves, world.files()) == (1, ["conversation"])


async def test_a_tool_choice_in_a_new_process_begins_with_the_system_prompt_on_disk(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask(replace(HELLO, kept_as=""))
    await world.kept.save()
    await world.ask(read=800)
    await world.kept.close()
    world.start_anew()
    assert await world.ask(CHOICE) == b" 500"
    assert await world.ask() == b"conversation 800"
    world.slots.aside = b"a later choice"
    assert await world.ask(CHOICE) == b"a later choice"


async def test_a_first_tool_choice_begins_with_what_the_conversation_has_read_in_the_same_process(
    tmp_path: Path,
) -> None:
    world = World(tmp_path)
    await world.ask()
    assert await world.ask(CHOICE) == b"conversation 500"
    assert await world.ask(CHOICE) == b"conversation 500"
    assert world.slots.saves == 1


async def test_a_tool_choice_finds_the_system_prompt_in_a_conversation_where_none_alone_is_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.kept.close()
    world.start_anew()
    assert await world.ask(CHOICE) == b"conversation 500"


async def test_a_state_that_has_no_room_beside_the_conversation_is_not_removed(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.kept.close()
    world.start_anew()
    world.slots.refuses_restoring = True
    assert await world.ask(CHOICE) == b"nothing"
    assert world.files() == ["conversation"]


async def test_a_summary_itself_is_nobodys_and_is_not_saved(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask(SUMMARY)
    await world.kept.close()
    assert world.files() == []


async def test_a_system_prompt_alone_serves_every_new_conversation(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask(replace(HELLO, kept_as=""))
    await world.kept.close()
    assert world.files() == ["system"]
    world.start_anew()
    assert await world.ask() == b" 500"


async def test_a_server_that_has_read_something_is_given_only_the_conversations_own(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.kept.close()
    world.start_anew()
    await world.ask(replace(HELLO, kept_as="other"), read=1000)
    assert await world.ask(replace(HELLO, kept_as="third")) == b"other 1000"
    assert await world.ask() == b"conversation 500"


async def test_what_the_server_cannot_use_is_removed_and_the_request_goes_on(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.kept.close()
    world.start_anew()
    world.slots.refuses_restoring = True
    assert await world.ask() == b"nothing"
    assert world.files() == []


async def test_a_full_disk_is_told_once_and_leaves_nothing(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.slots.full = True
    for _ in range(3):
        await world.ask()
        await world.kept.save()
    assert world.trouble == ["Unable to save slot"]
    assert world.slots.saves == 1
    assert world.files() == []


async def test_a_file_that_did_not_become_whole_is_not_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.slots.half = True
    await world.ask()
    await world.kept.close()
    assert len(world.trouble) == 1
    assert world.files() == []


async def test_a_deleted_conversation_leaves_nothing_and_is_not_saved_any_more(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask()
    await world.kept.save()
    await world.ask(read=1500, cached=500)
    world.states.forget("conversation")
    await world.kept.close()
    assert world.files() == []


async def test_a_request_that_was_stopped_before_it_began_leaves_unknown_what_the_server_holds(tmp_path: Path) -> None:
    world = World(tmp_path)
    never = asyncio.Event()

    async def silent() -> AsyncGenerator[ModelDelta, None]:
        await never.wait()
        yield TextDelta(text="")

    async def ask() -> None:
        async with world.kept.serving(replace(HELLO, kept_as="")) as served:
            async for delta in silent():
                served.heard(delta)

    await world.ask(replace(HELLO, kept_as="other"))
    asking = asyncio.create_task(ask())
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    await world.kept.close()
    assert "system" not in world.files()


async def test_switched_off_nothing_is_written(tmp_path: Path) -> None:
    world = World(tmp_path / "states", most=0)
    await world.ask()
    await world.kept.close()
    assert not world.states.folder.exists()


async def test_a_conversation_whose_id_is_no_files_name_is_not_kept(tmp_path: Path) -> None:
    world = World(tmp_path)
    await world.ask(replace(HELLO, kept_as="../../etc/passwd"))
    await world.kept.close()
    assert world.files() == []


async def test_which_of_the_tools_that_the_prompt_tells_of_may_be_called_makes_no_other_prompt(tmp_path: Path) -> None:
    world = World(tmp_path)
    clock = ToolSchema(name="clock", description="", parameters={})
    await world.ask(replace(HELLO, tools=(clock,), tools_told=True))
    await world.rest()
    world.start_anew()
    assert await world.ask(replace(HELLO, tools_told=True)) == b"conversation 500"
