from pathlib import Path

import pytest

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.chat.agents.switching import AgentSwitch
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Intent, Recognised
from assistant.chat.timers import Timers
from assistant.core.errors import SoriError
from assistant.core.permissions import LOCAL_ASSISTANT, Permissions
from assistant.core.records.agents import AgentId
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelToolCall
from assistant.tools.auditing import CallContext
from assistant.tools.builtin.own.agents import agent_tools
from assistant.tools.runner import ToolRunner
from assistant.tools.taint import NO_TAINT, Taint
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.asking.served_call import served_call
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

COACH, COOK = AgentId(name="코치"), AgentId(workspace="home", name="cook")


class Place:
    def __init__(self, folder: Path) -> None:
        workspaces = Workspaces(folder / "workspaces", FakeClock(), lambda: 4_000)
        workspaces.add_workspace("home", "우리 집")
        workspaces.add_agent(COACH, {})
        workspaces.add_agent(COOK, {"display_name": "요리사"})
        self.current = CurrentAgent(folder / "current-agent.toml")
        self.switch = AgentSwitch(workspaces, self.current)
        self.switched: list[AgentId] = []
        self.switch.switched.add(self.switched.append)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


async def test_an_agent_of_another_workspace_is_found_too(place: Place) -> None:
    assert await place.switch.to_agent("요리사") == "요리사"
    assert place.current.get() == COOK
    assert await place.switch.to_agent("코치") == "코치"
    assert place.switched == [COOK, COACH]


async def test_the_agent_of_the_current_workspace_goes_first(place: Place) -> None:
    place.current.set(COOK)
    await place.switch.to_agent("sori")
    assert place.current.get() == AgentId(workspace="home")


async def test_a_workspace_is_entered_with_its_default_agent(place: Place) -> None:
    assert await place.switch.to_workspace("우리집") == "우리 집"
    assert place.switched == [AgentId(workspace="home")]


async def test_an_unknown_name_changes_nothing(place: Place) -> None:
    for attempt in (place.switch.to_agent("nobody"), place.switch.to_workspace("nowhere")):
        with pytest.raises(SoriError):
            await attempt
    assert place.switched == []
    assert place.switch.is_agent("코치")
    assert not place.switch.is_agent("nobody")
    assert place.switch.is_workspace("home")


async def test_the_command_switches_and_tells_it(
    place: Place, timers: Timers, all_texts: dict[Language, Texts]
) -> None:
    answers = CommandAnswers(FakeClock(), timers, FakeVolume(), all_texts, no_memory(), place.switch)

    async def said(intent: Intent, name: str, language: Language = "ko") -> str:
        return await answers.answer(Recognised(intent=intent, language=language, text=name))

    assert await said(Intent.SWITCH_AGENT, "코치") == "코치 에이전트로 바꿨어요. 새 대화를 시작할게요."
    assert (await said(Intent.SWITCH_WORKSPACE, "home", "en")).startswith("I switched to the workspace 우리 집.")
    assert (
        await said(Intent.SWITCH_AGENT, "작가")
        == "이런 이름의 에이전트가 없어요: 작가. 있는 에이전트: sori, 코치, 요리사"
    )
    assert place.switched == [COACH, AgentId(workspace="home")]
    assert (answers.named("코치"), answers.named("우리 집")) == (Intent.SWITCH_AGENT, Intent.SWITCH_WORKSPACE)
    assert answers.named("작가") is None


async def test_a_model_switches_by_the_same_names(place: Place) -> None:
    agent, workspace = agent_tools(place.switch)
    assert "코치" in str(await agent.run({"name": "코치"}, served_call()))
    assert "우리 집" in str(await workspace.run({"name": "home"}, served_call()))
    for tool, name, known in ((agent, "nobody", "요리사"), (workspace, "nowhere", "우리 집")):
        with pytest.raises(SoriError) as failure:
            await tool.run({"name": name}, served_call())
        assert known in failure.value.values["known"]
    assert place.switched == [COACH, AgentId(workspace="home")]


async def test_outside_content_cannot_switch_and_remote_callers_cannot_either(
    place: Place, all_texts: dict[Language, Texts]
) -> None:
    runner = ToolRunner(agent_tools(place.switch), all_texts["ko"])
    call = ModelToolCall(id="1", name="switch_agent", arguments={"name": "코치"})
    for permissions, taint in ((LOCAL_ASSISTANT, Taint(outside=True)), (Permissions(), NO_TAINT)):
        (outcome,) = [each async for each in runner.permitted(permissions).run((call,), (), CallContext(taint=taint))]
        assert outcome.is_error
    assert place.switched == []
    (outcome,) = [each async for each in runner.permitted(LOCAL_ASSISTANT).run((call,))]
    assert not outcome.is_error
    assert place.switched == [COACH]
