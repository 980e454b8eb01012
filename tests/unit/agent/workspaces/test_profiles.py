import pytest

from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.files import FileProblem
from assistant.agent.workspaces.profiles import AgentProfiles
from assistant.core.permissions import REMOTE_CALLER, Category
from assistant.core.records.agents import AgentId

COACH, COOK = AgentId(name="coach"), AgentId(workspace="home", name="cook")
OWNER = {"coach's": COACH, "cook's": COOK}


async def agent_of(conversation: str) -> AgentId:
    return OWNER.get(conversation, AgentId())


@pytest.fixture
async def kitchen(workspaces: Workspaces) -> Workspaces:
    """Two workspaces with an agent each, and a fact in every memory."""
    workspaces.add_workspace("home")
    workspaces.add_agent(COACH, {"model": "acme/strong", "voice": "v"}, persona="a coach", prompt="be brief")
    workspaces.add_agent(COOK, {"permitted": ("safe", "sensitive"), "tools": ("look",)})
    await workspaces.workspace_memory("default").add("shared by default")
    await workspaces.workspace_memory("home").add("shared at home")
    for agent in (COACH, COOK):
        await workspaces.agent_memory(agent).add(f"known to {agent.name}")
    return workspaces


async def test_a_profile_has_its_own_memories_and_no_others(kitchen: Workspaces) -> None:
    profiles = AgentProfiles(kitchen, agent_of)
    coach = await profiles.of_conversation("coach's")
    cook = await profiles.of_conversation("cook's")
    own = await profiles.of_conversation("another")
    assert (coach.workspace_memory, coach.agent_memory) == (("shared by default",), ("known to coach",))
    assert (cook.workspace_memory, cook.agent_memory) == (("shared at home",), ("known to cook",))
    assert (own.workspace_memory, own.agent_memory) == (("shared by default",), ())
    assert (coach.called, own.called) == ("coach", "")


async def test_a_profile_is_what_the_files_say_now(kitchen: Workspaces) -> None:
    profiles = AgentProfiles(kitchen, agent_of)
    coach = await profiles.of(COACH)
    assert (coach.persona, coach.prompt, coach.prompt_replaces) == ("a coach", "be brief", False)
    assert (coach.model, coach.voice, coach.agent) == ("acme/strong", "v", COACH)
    assert coach.permissions.categories == {Category.SAFE}
    kitchen.edit_agent(COACH, {"placement": "replace"}, persona="a better coach")
    kitchen.agent_memory(COACH).path.write_text("- written by hand\n", "utf-8")
    later = await profiles.of(COACH)
    assert (later.persona, later.prompt_replaces, later.agent_memory) == ("a better coach", True, ("written by hand",))


async def test_a_caller_with_fewer_rights_gets_what_both_allow(kitchen: Workspaces) -> None:
    cook = await AgentProfiles(kitchen, agent_of).of(COOK)
    assert cook.permissions.categories == {Category.SAFE, Category.SENSITIVE}
    remote = cook.narrowed(REMOTE_CALLER)
    assert remote.permissions.remote
    assert remote.permissions.categories == {Category.SAFE}
    assert not remote.permissions.unasked
    assert remote.tools == {"look"}


async def test_a_removed_agent_is_replaced_by_the_default_one_of_its_workspace(kitchen: Workspaces) -> None:
    profiles = AgentProfiles(kitchen, agent_of)
    kitchen.remove_agent(COOK)
    assert (await profiles.of_conversation("cook's")).agent == AgentId(workspace="home")
    kitchen.remove_workspace("home")
    assert (await profiles.of_conversation("cook's")).agent == AgentId()


async def test_each_problem_is_told_once_until_it_changes(kitchen: Workspaces) -> None:
    told: list[FileProblem] = []
    profiles = AgentProfiles(kitchen, agent_of, has_model=lambda _: False, on_problem=told.append)
    assert (await profiles.of(COACH)).model == ""
    await profiles.of(COACH)
    assert [(each.error.problem, each.error.line) for each in told] == [("agent_model", 4)]
    (kitchen.agent(COACH).folder / "agent.toml").write_text("voice = 1", "utf-8")
    await profiles.of(COACH)
    await profiles.of(COACH)
    assert [each.error.problem for each in told] == ["agent_model", "not_str"]


async def test_a_memory_that_cannot_be_read_costs_no_answer(kitchen: Workspaces) -> None:
    kitchen.agent_memory(COACH).path.write_bytes(b"\xff")
    coach = await AgentProfiles(kitchen, agent_of).of(COACH)
    assert coach.agent_memory == ()
    assert coach.workspace_memory == ("shared by default",)


async def test_a_profile_names_the_lines_that_nobody_approved(kitchen: Workspaces) -> None:
    await kitchen.agent_memory(COACH).add("noted of a talk", unasked=True)
    await kitchen.workspace_memory("home").add("noted elsewhere", unasked=True)
    assert (await AgentProfiles(kitchen, agent_of).of(COACH)).unapproved == ("noted of a talk",)
