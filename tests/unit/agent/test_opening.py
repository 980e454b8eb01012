from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from assistant.agent.agent_request import AgentRequest
from assistant.agent.context.prompts import Prompts
from assistant.agent.model_choice import EMBEDDED, ModelChoice
from assistant.agent.open_model import OpenModel
from assistant.agent.opening import Opening
from assistant.agent.profile import AgentProfile, MemoryScope
from assistant.agent.summaries.summarizer import History
from assistant.core.messages import Message, Role, Summary
from assistant.core.permissions import Category
from assistant.core.settings import ContextSettings, Language, LlmSettings, ModelFacts, Provider, Settings
from assistant.core.texts import Texts
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.memory.facts import Fact
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from tests.fakes.backend import FakeBackend
from tests.fakes.clock import FakeClock
from tests.unit.agent.citing.test_sent_passages import LargeProject

LARGE = ModelChoice(provider=Provider(name="vendor", kind="openai"), model="m")
SMALL = ModelChoice(provider=EMBEDDED, model="mine")
PLACEHOLDER = ModelChoice(provider=EMBEDDED, model=PLACEHOLDER_MODEL)


async def ring(_: dict[str, Any], _call: RunningCall) -> str:
    raise AssertionError("no tool runs here")


TIMER = Tool(
    name="set_timer",
    description="Sets a timer. It rings.",
    parameters={"type": "object"},
    category=Category.SAFE,
    idempotent=True,
    run=ring,
)
FRIEND = AgentProfile(name="friend", memory=frozenset({MemoryScope.PERSONAL}))
STRANGER = AgentProfile(name="stranger", memory=frozenset({MemoryScope.CONVERSATION}))


CAT_AND_DOG = (Fact(text="The user has a cat."), Fact(text="The user has a dog."))
NOVA = {"en": "You are Nova."}
MANY = tuple(Fact(text=f"Fact number {number:03}.") for number in range(100))


async def system_prompt(
    texts: Texts,
    choice: ModelChoice,
    profile: AgentProfile = FRIEND,
    facts: tuple[Fact, ...] = CAT_AND_DOG,
    **options: Any,
) -> str:
    return (await opened(texts, choice, profile, facts, **options)).compose(80_000).system


def opening_of(texts: Texts, profile: AgentProfile, facts: tuple[Fact, ...] = CAT_AND_DOG, **options: Any) -> Opening:
    asked = (Message(role=Role.USER, text="Hello"),)
    talk = History(
        conversation="c",
        messages=asked,
        files={},
        summary=Summary(text="- a talk"),
        count=1,
        unsummarised=1,
        own_prompts=options.pop("own_prompts", {}),
    )
    options.setdefault("prompts", Prompts(system="You are Sori.", small="Sori", placeholder="Sori", summary=""))
    return Opening(
        request=AgentRequest(profile=profile, history=talk, facts=facts),
        settings=Settings(language="en", context=ContextSettings(reminder="Be brief.")),
        texts=texts,
        tools=ToolRunner((TIMER,), texts),
        clock=FakeClock(),
        parameters_of=lambda _: 1.5e9,
        **options,
    )


async def opened(
    texts: Texts, choice: ModelChoice, profile: AgentProfile, facts: tuple[Fact, ...] = CAT_AND_DOG, **options: Any
) -> OpenModel:
    return await opening_of(texts, profile, facts, **options).opened(choice, FakeBackend())


@pytest.mark.parametrize("choice", [LARGE, SMALL], ids=["large", "small"])
async def test_a_model_is_told_what_is_remembered_before_the_summary(
    all_texts: dict[Language, Texts], choice: ModelChoice
) -> None:
    system = await system_prompt(all_texts["en"], choice)
    cat, dog, summary = map(system.index, ("- The user has a cat.", "- The user has a dog.", "- a talk"))
    assert cat < dog < summary


async def test_a_small_model_is_told_in_korean_that_anything_else_is_unknown(all_texts: dict[Language, Texts]) -> None:
    assert "모르겠어요" in await system_prompt(all_texts["ko"], SMALL)
    assert "모르겠어요" not in await system_prompt(all_texts["ko"], LARGE)


async def test_only_an_agent_with_the_right_is_told(all_texts: dict[Language, Texts]) -> None:
    assert "cat" not in await system_prompt(all_texts["en"], LARGE, STRANGER)
    assert "cat" not in await system_prompt(all_texts["en"], PLACEHOLDER)


async def test_a_small_model_is_told_the_newest_facts_only(all_texts: dict[Language, Texts]) -> None:
    assert "number 000" in await system_prompt(all_texts["en"], LARGE, facts=MANY)
    told = await system_prompt(all_texts["en"], SMALL, facts=MANY)
    assert "number 000" not in told
    assert "number 099" in told


async def test_the_users_own_base_prompt_replaces_the_packaged_one_for_large_models(
    all_texts: dict[Language, Texts],
) -> None:
    assert (await system_prompt(all_texts["en"], LARGE, own_prompts=NOVA)).startswith("You are Nova.")
    assert (await system_prompt(all_texts["en"], SMALL, own_prompts=NOVA)).startswith("Sori")
    agent = AgentProfile(name="agent", instructions={"en": "You are a poet."})
    assert (await system_prompt(all_texts["en"], LARGE, agent, own_prompts=NOVA)).startswith("You are a poet.")
    assert (await system_prompt(all_texts["ko"], LARGE, own_prompts=NOVA)).startswith("You are Sori.")


async def test_the_tools_of_a_step_are_described_and_none_when_there_are_none(
    all_texts: dict[Language, Texts],
) -> None:
    model = await opened(all_texts["en"], LARGE, FRIEND)
    assert "  - set_timer: Sets a timer\n" in model.compose(80_000).system
    assert "set_timer" not in model.compose(80_000, last=True).system
    no_tools = AgentProfile(name="quiet", tools=())
    assert "set_timer" not in (await opened(all_texts["en"], LARGE, no_tools)).compose(80_000).system


async def test_a_memory_outside_the_scopes_of_the_profile_is_not_told(all_texts: dict[Language, Texts]) -> None:
    filled = AgentProfile(
        name="a", workspace_memory=("We ship on Friday.",), agent_memory=("The user runs.",), persona="A coach."
    )
    for scope, words in ((MemoryScope.WORKSPACE, "Friday"), (MemoryScope.AGENT, "runs")):
        told = await system_prompt(all_texts["en"], LARGE, replace(filled, memory=frozenset({scope})))
        assert "A coach." in told
        assert [each for each in ("Friday", "runs", "cat") if each in told] == [words]
    assert "Friday" not in await system_prompt(
        all_texts["en"], PLACEHOLDER, replace(filled, memory=frozenset(MemoryScope))
    )


async def test_a_small_model_is_told_the_name_of_its_agent(all_texts: dict[Language, Texts]) -> None:
    prompts = Prompts(system="System.", small="You are {name}.", placeholder="", summary="")
    for profile, name in ((FRIEND, "소리"), (replace(FRIEND, called="Dodam"), "Dodam")):
        assert (await system_prompt(all_texts["en"], SMALL, profile, prompts=prompts)).startswith(f"You are {name}.")


async def test_a_small_model_is_told_a_part_of_every_memory(all_texts: dict[Language, Texts]) -> None:
    long = tuple(f"Long line {number:03}" for number in range(100))
    scopes = frozenset({MemoryScope.WORKSPACE, MemoryScope.AGENT, MemoryScope.PERSONAL})
    profile = AgentProfile(name="a", memory=scopes, workspace_memory=long, agent_memory=("The user runs.",))
    told = await system_prompt(all_texts["en"], SMALL, profile)
    assert "The user runs." in told
    assert "a cat" in told
    assert ("Long line 099" in told, "Long line 050" in told) == (True, False)


async def test_the_users_reminder_is_the_last_message_and_for_a_small_model_the_end_of_it(
    all_texts: dict[Language, Texts],
) -> None:
    for choice, expected in (
        (LARGE, ["Hello", "Be brief."]),
        (SMALL, ["Hello\n\nBe brief."]),
        (PLACEHOLDER, ["Hello"]),
    ):
        model = await opened(all_texts["en"], choice, FRIEND)
        request = model.request(LlmSettings(), model.compose(80_000))
        assert [message.text.rpartition("</context>")[2].strip() for message in request.messages] == expected


class Counting(FakeBackend):
    """Has a tokenizer that makes one token of each four characters."""

    async def count_tokens(self, provider: Provider, model: str, text: str) -> int | None:
        return len(text) // 4


@pytest.mark.parametrize("counts", [True, False], ids=["counted", "estimated"])
async def test_a_context_fills_the_tokens_that_the_models_tokenizer_counts(
    all_texts: dict[Language, Texts], counts: bool
) -> None:
    asked = tuple(Message(role=Role.USER, text=f"{number} " + "가나다라 " * 40) for number in range(20))
    talk = History(conversation="c", messages=asked, files={}, summary=Summary(), count=20, unsummarised=20)
    settings = Settings(models=(ModelFacts(model="m", context_tokens=2_000),))
    opening = Opening(
        request=AgentRequest(profile=AgentProfile(name="a", tools=()), history=talk),
        settings=settings,
        texts=all_texts["ko"],
        tools=ToolRunner((), all_texts["ko"]),
        prompts=Prompts(system="소리", small="", placeholder="", summary=""),
        clock=FakeClock(),
        parameters_of=lambda _: None,
    )
    model = await opening.opened(LARGE, Counting() if counts else FakeBackend())
    context = model.fitting(LlmSettings(), 80_000)
    tokens = sum(len(message.text) for message in context.messages) // 4
    assert (tokens > 900) == counts
    assert tokens < 1_500
    assert (model.token_scale is None) != counts


def test_the_gate_is_told_the_lines_that_nobody_approved_and_whether_a_model_is_elsewhere(
    all_texts: dict[Language, Texts],
) -> None:
    noted = (Fact(text="asked for"), Fact(text="noted", unasked=True))
    opening = opening_of(all_texts["en"], replace(FRIEND, unapproved=("shared",)), noted)
    taint = opening.taint_before((SMALL,))
    assert (taint.unapproved, taint.leaves, taint.lines) == (("shared", "noted"), False, True)
    assert opening.taint_before((SMALL, LARGE)).leaves
    assert opening_of(all_texts["en"], STRANGER, noted).taint_before((SMALL,)).unapproved == ()


class CountingClock(FakeClock):
    """Counts how often it was asked for the time, which a context tells."""

    asked = 0

    def now(self) -> datetime:
        self.asked += 1
        return super().now()


@pytest.mark.parametrize("limit", [None, 8_000], ids=["no limit", "a limit"])
async def test_one_context_tells_the_tokens_and_the_room_for_a_project(
    all_texts: dict[Language, Texts], limit: int | None
) -> None:
    clock = CountingClock()
    opening = opening_of(all_texts["en"], FRIEND)
    opening = replace(
        opening,
        clock=clock,
        request=replace(opening.request, project=LargeProject("The meeting is on Tuesday.")),
        settings=Settings(models=(ModelFacts(model="m", context_tokens=limit),)),
    )
    model = await opening.opened(LARGE, FakeBackend())
    assert clock.asked == 1
    assert "The meeting is on Tuesday." in model.compose(80_000).messages[-2].text
