from dataclasses import replace
from pathlib import Path
from typing import Any

from assistant.agent.profile import LOCAL_PROFILE, AgentProfile, MemoryScope
from assistant.agent.run import packets_of
from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.profiles import AgentProfiles
from assistant.chat.turn_request import TurnRequest
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Summary
from assistant.core.permissions import Category, Permissions
from assistant.core.records.agents import AgentId
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool
from tests.fakes.backend import FakeBackend, calls, says
from tests.fakes.clock import FakeClock
from tests.unit.conftest import MakeWorld, World

GUEST = AgentProfile(name="guest", instructions={"ko": "손님을 맞는다."}, tools={"look"}, model="other-model")


def tool(name: str, category: Category) -> Tool:
    async def run(_: dict[str, Any], _call: RunningCall) -> str:
        return "done"

    return Tool(name=name, description=name, parameters={"type": "object"}, category=category, idempotent=True, run=run)


TOOLS = (tool("look", Category.SAFE), tool("search", Category.SAFE), tool("set_volume", Category.SENSITIVE))


async def ask(world: World, number: int, profile: AgentProfile | None) -> None:
    request = TurnRequest(
        turn=TurnId(str(number)),
        conversation=world.conversation,
        text=f"{number}번째 질문이에요",
        origin=Origin.TEXT,
        profile=profile,
    )
    _ = [packet async for packet in packets_of(world.engine.turn(request))]


async def test_two_requests_of_one_conversation_are_answered_by_different_agents(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("네."), says("네."), says("네."))
    world = make_world(backend, tools=TOOLS)
    for number, profile in enumerate((LOCAL_PROFILE, GUEST, LOCAL_PROFILE), start=1):
        await ask(world, number, profile)
    own, guest, again = backend.requests
    assert own.system.startswith("기본 프롬프트")
    assert [each.name for each in own.tools] == ["look", "search", "set_volume"]
    assert guest.system.startswith("손님을 맞는다.")
    assert [each.name for each in guest.tools] == ["look"]
    assert guest.model == "other-model"
    assert (again.model, again.tools) == (own.model, own.tools)


async def test_an_agent_without_the_scope_of_the_conversation_is_told_the_request_alone(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("네."), says("네."), says("네."))
    world = make_world(backend)
    await ask(world, 1, LOCAL_PROFILE)
    first = (await world.store.messages(world.conversation))[0]
    await world.store.keep_summary(world.conversation, Summary(text="앞의 이야기", until=first.id))
    await ask(world, 2, GUEST)
    await ask(world, 3, replace(GUEST, memory=frozenset({MemoryScope.CONVERSATION})))
    _, forgetful, remembering = backend.requests
    assert [message.role for message in forgetful.messages] == ["user"]
    assert "앞의 이야기" not in forgetful.system
    assert "앞의 이야기" in remembering.system
    assert "2번째" in remembering.messages[-3].text


async def test_a_tool_outside_the_profile_is_not_run_even_if_a_model_calls_it(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("search", {}), ("set_volume", {}), ("look", {})), says("네."))
    world = make_world(backend, tools=TOOLS)
    await ask(world, 1, replace(GUEST, tools=None, permissions=Permissions()))
    results = [message.text for message in backend.requests[-1].messages if message.role == "tool"]
    assert [text == "done" for text in results] == [True, False, True]
    await ask(world, 2, GUEST)


async def test_a_model_of_the_request_goes_before_that_of_the_profile(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("네."))
    world = make_world(backend)
    request = TurnRequest(
        turn=TurnId("1"),
        conversation=world.conversation,
        text="질문이에요",
        origin=Origin.TEXT,
        profile=GUEST,
        model="once",
    )
    _ = [packet async for packet in packets_of(world.engine.turn(request))]
    assert backend.requests[0].model == "once"


async def test_no_request_has_the_memory_of_another_agent(make_world: MakeWorld, tmp_path: Path) -> None:
    workspaces = Workspaces(tmp_path / "workspaces", FakeClock(), lambda: 4_000)
    workspaces.add_workspace("home")
    owners = {
        "coach": AgentId(name="coach"),
        "cook": AgentId(name="cook"),
        "guest": AgentId(workspace="home", name="cook"),
    }
    secrets = {}
    backend = FakeBackend(*[says("네.") for _ in owners])
    world = make_world(backend)
    world.answerer.profile_of = AgentProfiles(workspaces, world.store.agent_of).of
    for name, owner in owners.items():
        workspaces.add_agent(owner, {}, persona=f"persona-{name}", prompt=f"prompt-{name}")
        await workspaces.agent_memory(owner).add(f"secret-{name}")
        await workspaces.workspace_memory(owner.workspace).add(f"shared-{owner.workspace}")
        secrets[name] = f"secret-{name}"
    for number, (name, owner) in enumerate(owners.items()):
        await ask(replace(world, conversation=await world.store.create(owner)), number, None)
        request = backend.requests[-1]
        told = request.system + "".join(message.text for message in request.messages)
        assert {each for each, secret in secrets.items() if secret in told} == {name}
        assert f"persona-{name}" in request.system
        assert [f"prompt-{name}" in message.text for message in request.messages][-2:] == [True, False]
        assert [each for each in ("default", "home") if f"shared-{each}" in told] == [owner.workspace]


async def test_the_users_choice_for_a_conversation_goes_before_the_model_of_its_agent(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("네."), says("네."))
    world = make_world(backend)
    agent = replace(LOCAL_PROFILE, agent=AgentId(name="coach"), model="of-the-agent")
    await ask(world, 1, agent)
    await world.store.choose_model(world.conversation, "mine/chosen")
    await ask(world, 2, agent)
    assert [request.model for request in backend.requests] == ["of-the-agent", "chosen"]
