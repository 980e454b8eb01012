"""Conversations that grow too long: whole turns over an answering model and a light one."""

import asyncio
import base64
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from assistant.agent.profile import LOCAL_PROFILE
from assistant.agent.summaries import summarizer
from assistant.core.errors import ErrorCode
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Message, Role, Summary, ToolUse
from assistant.core.packets import AnswerDelta, Done, Packet, Status
from assistant.core.settings import ContextSettings, Language, LlmSettings, ModelFacts, Provider, Settings
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, Finished, ModelDelta, ModelRequest, TextDelta
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, Piece, fails, says
from tests.unit.conftest import MakeWorld, World

TOO_LONG = ErrorCode.CONTEXT_TOO_LONG
SHORT = "- 사용자는 매운 음식을 좋아함"
FIRST = "#0 " + "가" * 197
"""The part of the first question that a summary quotes."""
BEGAN = ["context_compressing"]
COMPRESSED = [*BEGAN, "context_compressed"]
TRIMMED = ["context_trimmed"]


class Models:
    """Two providers: ``big`` answers, ``small`` summarises."""

    def __init__(self, big: FakeBackend, small: FakeBackend | None = None) -> None:
        self.big, self.small = big, small or FakeBackend(says(SHORT))

    def backend_for(self, provider: Provider) -> FakeBackend:
        return self.small if provider.name == "small" else self.big


class Held(FakeBackend):
    """Says when it is asked. By itself it begins a summary and never ends it."""

    def __init__(self, *replies: list[Piece]) -> None:
        super().__init__(*(replies or [[*says("- 반")[:1], asyncio.Event()]]))
        self.asked = asyncio.Event()

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        self.asked.set()
        async with aclosing(super().stream(provider, request)) as deltas:
            async for delta in deltas:
                yield delta


PROVIDERS = tuple(
    Provider(name=name, kind="openai", base_url=f"http://127.0.0.1:1/{name}") for name in ("big", "small")
)


def settings(*facts: ModelFacts, **llm: Any) -> Settings:
    chosen = {"provider": "big", "model": "b", "light_model": "small/s", "routing": "off", **llm}
    return Settings(llm=LlmSettings(**chosen), providers=PROVIDERS, models=facts)


async def seed(world: World, messages: int, size: int = 200) -> None:
    """Fill the conversation with numbered messages of the user and Sori in turn."""
    for number in range(messages):
        role = Role.ASSISTANT if number % 2 else Role.USER
        await world.store.add(world.conversation, Message(role=role, text=f"#{number} " + "가" * size))


@pytest.fixture
def begin(make_world: MakeWorld) -> Any:
    async def begin(models: Models, chosen: Settings | None = None, *, messages: int = 12, size: int = 200) -> World:
        world = make_world(models)
        world.answerer.exchange.live.change(chosen or settings())
        await seed(world, messages, size)
        return world

    return begin


async def turn(world: World, text: str = "그래서 어떻게 생각해?", **options: Any) -> list[Packet]:
    number = str(len(await world.store.messages(world.conversation)) + 1)
    return [packet async for packet in turn_packets(world.engine, number, world.conversation, text, **options)]


def statuses(packets: list[Packet]) -> list[str]:
    return [packet.status for packet in packets if isinstance(packet, Status)]


def answer_of(packets: list[Packet]) -> str:
    return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))


def numbers(request: ModelRequest) -> list[str]:
    """The numbers of the seeded messages in a request, as they stand in its messages."""
    return [found for message in request.messages for found in re.findall(r"#\d+", message.text)[:1]]


async def test_a_context_too_long_for_the_server_is_summarised_by_the_light_model_and_sent_again(begin: Any) -> None:
    models = Models(FakeBackend(fails(TOO_LONG), says("좋아요")))
    world = await begin(models)
    packets = await turn(world)
    assert (answer_of(packets), statuses(packets)) == ("좋아요", COMPRESSED)
    (asked,) = models.small.requests
    assert (asked.model, asked.tools, asked.purpose, asked.system) == ("s", (), "summary", "요약하세요")
    before, after = models.big.requests
    assert len(before.messages) == 13
    assert after.system == f"{before.system}\n\n이전 대화 요약: - 사용자의 첫 질문: “{FIRST}…”\n{SHORT}"
    assert 5 <= len(after.messages) < 13
    kept = numbers(after)
    assert kept == numbers(before)[-len(kept) :]
    # Every message is either in the summary or sent.
    gone = numbers(before)[: -len(kept)]
    assert all(f"{number} " in asked.messages[0].text for number in gone)
    assert not any(f"{number} " in asked.messages[0].text for number in kept)


async def test_a_summary_is_kept_and_sent_with_the_next_turn_after_the_same_beginning(begin: Any) -> None:
    models = Models(FakeBackend(fails(TOO_LONG), says("좋아요")))
    world = await begin(models)
    await turn(world)
    packets = await turn(world, "또 하나")
    assert statuses(packets) == []
    assert len(models.small.requests) == 1
    _, first, second = models.big.requests
    assert second.system == first.system
    assert second.messages[: len(first.messages)] == first.messages
    # Nothing is lost: the messages themselves stay stored.
    assert len(await world.store.messages(world.conversation)) == 16


async def test_an_earlier_summary_is_folded_into_the_next(begin: Any) -> None:
    models = Models(
        FakeBackend(fails(TOO_LONG), says("좋아요"), fails(TOO_LONG), says("네")),
        FakeBackend(says(SHORT), says("- 둘을 합친 요약")),
    )
    world = await begin(models)
    await turn(world)
    await seed(world, 8)
    assert statuses(await turn(world)) == COMPRESSED
    folded = models.small.requests[1].messages[0].text
    assert folded.startswith(f"이전 대화 요약: {SHORT}\n\n대화:\n")
    assert "#0 " not in folded.split("대화:\n")[1].split("\n")[0]
    assert (await world.store.summary(world.conversation)).text == "- 둘을 합친 요약"
    assert models.big.requests[-1].system.endswith("”\n- 둘을 합친 요약")


@pytest.mark.parametrize("tokens", [None, 3_000])
async def test_what_is_known_to_be_too_long_is_summarised_before_it_is_sent(begin: Any, tokens: int | None) -> None:
    models = Models(FakeBackend(says("네")))
    facts = (ModelFacts(model="b", provider="big", context_tokens=tokens),) if tokens else ()
    size = 200 if tokens else settings().context.max_size // 10
    world = await begin(models, settings(*facts), size=size)
    assert statuses(await turn(world)) == COMPRESSED
    (request,) = models.big.requests
    assert SHORT in request.system
    assert 5 <= len(request.messages) < 13
    # There is room for some more turns.
    assert statuses(await turn(world, "또")) == []
    assert len(models.small.requests) == 1


@pytest.mark.parametrize(("tokens", "guessed"), [(3_000, True), (1_000_000, False), (None, False)])
async def test_only_where_estimated_tokens_decide_the_warning_says_so(
    begin: Any, all_texts: dict[Language, Texts], tokens: int | None, *, guessed: bool
) -> None:
    facts = (ModelFacts(model="b", provider="big", context_tokens=tokens),) if tokens else ()
    size = 200 if guessed else settings().context.max_size // 10
    world = await begin(
        Models(FakeBackend(says("네")), FakeBackend(fails(ErrorCode.NETWORK))), settings(*facts), size=size
    )
    (told,) = [each.detail for each in await turn(world) if isinstance(each, Status) and each.status in TRIMMED]
    assert told == all_texts["ko"]("chat.trimmed_by_estimate" if guessed else "chat.trimmed")


@pytest.mark.parametrize(
    "reply",
    [
        fails(ErrorCode.NETWORK),
        fails(ErrorCode.OVERLOADED, after="- 반만 "),
        says(""),
        says(" \n"),
        says("긴 " * 600),
        says("잘린 요약", finish=Finish.LENGTH),
        says("안 돼요", finish=Finish.REFUSED),
    ],
    ids=["network", "broken off", "empty", "blank", "longer than half", "cut off", "refused"],
)
async def test_without_a_good_summary_the_oldest_are_left_out_with_a_warning(begin: Any, reply: list[Piece]) -> None:
    models = Models(FakeBackend(fails(TOO_LONG), says("짧게")), FakeBackend(reply))
    world = await begin(models)
    packets = await turn(world)
    assert (answer_of(packets), statuses(packets)) == ("짧게", BEGAN + TRIMMED)
    # One inference, no second try, nobody steps in.
    assert len(models.small.requests) == 1
    before, after = models.big.requests
    assert after.system == before.system
    assert 5 <= len(after.messages) < len(before.messages)
    assert await world.store.summary(world.conversation) == Summary()


async def test_where_a_summary_is_still_too_long_the_oldest_are_left_out_after_it(begin: Any) -> None:
    models = Models(FakeBackend(fails(TOO_LONG), fails(TOO_LONG), says("짧게")))
    world = await begin(models, messages=24)
    packets = await turn(world)
    assert (answer_of(packets), statuses(packets)) == ("짧게", COMPRESSED + TRIMMED)
    sizes = [len(request.messages) for request in models.big.requests]
    assert sizes[0] > sizes[1] > sizes[2] >= 5


async def test_after_a_summary_that_came_to_nothing_the_next_turns_do_not_wait_for_one(begin: Any) -> None:
    models = Models(FakeBackend(says("네")), FakeBackend(fails(ErrorCode.NETWORK), says(SHORT)))
    facts = ModelFacts(model="b", provider="big", context_tokens=3_000)
    world = await begin(models, settings(facts))
    assert statuses(await turn(world)) == BEGAN + TRIMMED
    assert statuses(await turn(world)) == TRIMMED
    assert len(models.small.requests) == 1
    await seed(world, 8)
    assert statuses(await turn(world)) == COMPRESSED


async def test_a_summary_that_takes_too_long_to_wait_for_is_made_after_the_turn(
    begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summarizer, "LIMIT_S", 0.01)
    facts = ModelFacts(model="b", provider="big", context_tokens=3_000)
    world = await begin(models := Models(FakeBackend(says("네")), Held()), settings(facts))
    packets = await turn(world)
    models.small = FakeBackend(says(SHORT))
    assert statuses(packets) == BEGAN + TRIMMED
    await world.engine.afterwards.settle()
    assert len(models.small.requests) == 1
    assert statuses(await turn(world)) == ["context_compressed"]
    assert SHORT in models.big.requests[-1].system


async def test_where_a_summary_took_too_long_the_next_turns_do_not_wait_for_one(
    begin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(summarizer, "LIMIT_S", 0.01)
    facts = ModelFacts(model="b", provider="big", context_tokens=3_000)
    world = await begin(Models(FakeBackend(says("네")), Held()), settings(facts))
    assert statuses(await turn(world)) == BEGAN + TRIMMED
    assert statuses(await turn(world)) == TRIMMED


async def test_the_stand_in_is_asked_for_no_summary_and_is_sent_none(begin: Any) -> None:
    models = Models(FakeBackend(fails(TOO_LONG), says("ok")))
    small = {"embedded_model": PLACEHOLDER_MODEL}
    world = await begin(models, settings(provider="", model="", light_model="embedded", **small))
    await world.store.keep_summary(world.conversation, Summary(text="- 앞의 일", until="gone"))
    packets = await turn(world)
    assert "context_trimmed" in statuses(packets)
    assert done_of(packets).model == PLACEHOLDER_MODEL
    assert len(models.big.requests) == 2
    assert all("앞의 일" not in request.system for request in models.big.requests)
    assert models.small.requests == []


def done_of(packets: list[Packet]) -> Done:
    done = packets[-1]
    assert isinstance(done, Done)
    return done


async def test_cancelling_while_a_summary_is_made_ends_the_turn_and_keeps_none(begin: Any) -> None:
    held = Held()
    models = Models(FakeBackend(fails(TOO_LONG), says("never")), held)
    world = await begin(models)

    async def ask() -> list[Packet]:
        return [packet async for packet in turn_packets(world.engine, "stopped", world.conversation, "그래서?")]

    asking = asyncio.create_task(ask())
    await held.asked.wait()
    world.engine.cancel(TurnId("stopped"))
    assert done_of(await asking).finish == "cancelled"
    assert held.closed_early == 1
    assert len(models.big.requests) == 1
    assert await world.store.summary(world.conversation) == Summary()
    # It does not count as a failure: the next turn may have one.
    models.small = FakeBackend(says(SHORT))
    models.big = FakeBackend(fails(TOO_LONG), says("네"))
    assert statuses(await turn(world)) == COMPRESSED


async def test_a_summary_is_counted_as_an_exchange_of_its_own(begin: Any) -> None:
    models = Models(FakeBackend(fails(TOO_LONG), says("좋아요")))
    world = await begin(models)
    packets = await turn(world)
    used = {each.provider: each for each in await world.usage.exchanges()}
    assert (used["small"].model, used["small"].requests, used["small"].outcome) == ("s", 1, "complete")
    assert used["small"].input == 10
    assert (used["big"].requests, used["big"].outcome) == (2, "complete")
    assert done_of(packets).usage["input"] == 10


async def test_an_answer_that_is_heard_does_not_wait_and_the_summary_is_made_for_the_next(begin: Any) -> None:
    models = Models(FakeBackend(fails(TOO_LONG), says("좋아요")))
    world = await begin(models)
    packets = await turn(world, aloud=True)
    assert (answer_of(packets), statuses(packets)) == ("좋아요", TRIMMED)
    await world.engine.afterwards.settle()
    assert len(models.small.requests) == 1
    assert statuses(await turn(world, aloud=True)) == ["context_compressed"]
    assert statuses(await turn(world, aloud=True)) == []
    assert SHORT in models.big.requests[-1].system
    assert 5 <= len(models.big.requests[-1].messages) < 13


async def test_what_leaves_the_window_is_in_the_summary_before_it_does(begin: Any) -> None:
    models = Models(FakeBackend(says("네")))
    world = await begin(models, messages=40)
    await turn(world)
    await world.engine.afterwards.settle()
    assert models.small.requests == []
    await turn(world)
    await world.engine.afterwards.settle()
    (asked,) = models.small.requests
    assert "#13 " in asked.messages[0].text
    assert "#14 " not in asked.messages[0].text
    await turn(world)
    request = models.big.requests[-1]
    assert numbers(request)[0] == "#14"
    assert request.system.endswith(SHORT)
    await world.engine.afterwards.settle()
    assert len(models.small.requests) == 1


async def test_what_the_summary_has_changed_is_read_by_soris_own_server_before_the_next_message(begin: Any) -> None:
    own = FakeBackend(says("네"), says(SHORT), says("네"))
    own.has_read.set()
    chosen = settings(provider="embedded", model="qwen2.5-coder-1.5b", light_model="")
    world = await begin(Models(own, own), chosen, messages=42, size=60)
    await turn(world)
    await world.engine.afterwards.settle()
    ((before, read),) = own.read
    assert [request.purpose for request in own.requests[:before]] == ["answer", "summary"]
    await turn(world)
    asked = own.requests[-1]
    assert SHORT in read.system == asked.system
    assert numbers(read)[0] == "#14"
    assert read.messages[:-1] == asked.messages[: len(read.messages) - 1]


async def test_the_next_turn_stops_a_summary_in_the_background_and_it_is_made_later(begin: Any) -> None:
    held = Held()
    models = Models(FakeBackend(says("네")), held)
    world = await begin(models, messages=42)
    await turn(world)
    await held.asked.wait()
    models.small = FakeBackend(says(SHORT))
    await turn(world)
    assert held.closed_early == 1
    await world.engine.afterwards.settle()
    (asked,) = models.small.requests
    assert all(f"#{number} " in asked.messages[0].text for number in range(10))


async def test_a_turn_that_waits_for_the_one_before_it_runs_beside_no_summary(begin: Any) -> None:
    first_ends, second_ends, held = asyncio.Event(), asyncio.Event(), Held()
    stop = Finished(reason=Finish.STOP)
    answering = Held([TextDelta(text="네"), first_ends, stop], [TextDelta(text="둘"), second_ends, stop])
    world = await begin(Models(answering, held), messages=42)
    first = asyncio.create_task(turn(world))
    await answering.asked.wait()
    answering.asked.clear()
    second = asyncio.create_task(turn(world, "그럼 둘째는?"))
    await database_is_idle(world)
    first_ends.set()
    assert answer_of(await first) == "네"
    await answering.asked.wait()
    await database_is_idle(world)
    assert not held.asked.is_set()
    second_ends.set()
    assert answer_of(await second) == "둘"
    await held.asked.wait()
    await world.engine.close()


async def database_is_idle(world: World) -> None:
    """Wait until whatever goes on by reading one thing after another has come to its end."""
    for _ in range(20):
        await world.store.count(world.conversation)


async def test_a_defect_in_the_background_is_logged_and_hurts_nobody(
    begin: Any, caplog: pytest.LogCaptureFixture
) -> None:
    models = Models(FakeBackend(says("네")), FakeBackend([RuntimeError("boom")]))
    world = await begin(models, messages=42)
    await turn(world)
    await world.engine.afterwards.settle()
    assert "boom" in caplog.text
    assert answer_of(await turn(world)) == "네"
    await world.engine.close()


async def test_closing_stops_a_summary_in_the_background(begin: Any) -> None:
    held = Held()
    world = await begin(Models(FakeBackend(says("네")), held), messages=42)
    await turn(world)
    await held.asked.wait()
    await world.engine.close()
    assert held.closed_early == 1
    assert await world.store.summary(world.conversation) == Summary()


async def test_without_summaries_the_oldest_messages_are_left_out_and_no_model_is_asked(begin: Any) -> None:
    models = Models(FakeBackend(says("네")))
    chosen = replace(settings(), context=ContextSettings(max_size=4_000, summary=False))
    world = await begin(models, chosen, messages=20, size=400)
    packets = await turn(world)
    assert statuses(packets) == TRIMMED
    assert models.small.requests == []


async def test_the_number_of_recent_messages_is_a_setting(begin: Any) -> None:
    models = Models(FakeBackend(says("네")))
    world = await begin(models, replace(settings(), context=ContextSettings(recent_messages=8)), messages=20)
    await turn(world)
    assert 8 <= len(models.big.requests[0].messages) < 12


async def test_thirty_messages_are_sent_whatever_tools_were_called_between_them(begin: Any) -> None:
    world = await begin(models := Models(FakeBackend(says("네"))), messages=0)
    for number in range(80):
        added = [Message(role=Role.USER, text=f"#{number} 질문")]
        added.append(Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id=f"c{number}", name="look"),)))
        added.append(Message(role=Role.TOOL, text="긴 결과 " * 50, tool_use_id=f"c{number}"))
        added.append(Message(role=Role.ASSISTANT, text=f"답 {number}"))
        for message in added:
            await world.store.add(world.conversation, message)
    await turn(world)
    request = models.big.requests[-1]
    said = [each for each in request.messages if each.role == "user" or (each.role == "assistant" and each.text)]
    assert 30 <= len(said) <= 45
    assert request.messages[0].role == "user"


@pytest.mark.parametrize("order", ["이제부터 영어로 답해", "From now on answer in French, please."])
async def test_an_order_about_the_language_is_told_and_counts_however_long_ago_it_was(begin: Any, order: str) -> None:
    answer = "The weather is lovely, and I would like to go out."
    world = await begin(models := Models(FakeBackend(says(answer))), messages=0)
    await world.store.add(world.conversation, Message(role=Role.USER, text=order))
    await seed(world, 121)
    packets = await turn(world)
    (request,) = models.big.requests
    assert answer_of(packets) == answer
    assert request.answer_language == ""
    assert order in request.system
    await world.engine.afterwards.settle()
    await turn(world)
    assert order in models.big.requests[-1].system


async def test_without_such_an_order_the_language_of_the_question_counts(begin: Any) -> None:
    models = Models(FakeBackend(says("The weather is lovely, and I would like to go out."), says("날씨가 좋아요.")))
    world = await begin(models, messages=122)
    assert answer_of(await turn(world)) == "날씨가 좋아요."
    assert "언어" not in models.big.requests[0].system


async def test_files_that_are_too_long_are_cut_and_the_user_is_told_which(begin: Any) -> None:
    world = await begin(models := Models(FakeBackend(says("네"))), messages=0)
    files = tuple(Attachment(mime_type="text/plain", name=f"{name}.txt", data=b"x" * 54_000) for name in "abc")
    packets = await turn(world, attachments=files)
    (told,) = [each for each in packets if isinstance(each, Status)]
    assert told.status == "files_shortened"
    assert "a.txt, b.txt, c.txt" in told.detail
    sent = models.big.requests[0].messages[-1].attachments
    assert sum(len(base64.b64decode(each.data).decode()) for each in sent) <= settings().context.max_size


async def test_an_agent_without_the_conversation_is_told_nothing_of_what_was_said_before(begin: Any) -> None:
    world = await begin(models := Models(FakeBackend(says("네"))), messages=0)
    await world.store.add(world.conversation, Message(role=Role.USER, text="이제부터 영어로 답해"))
    await seed(world, 121)
    alone = replace(LOCAL_PROFILE, memory=frozenset())
    await turn(world, profile=alone)
    assert "영어로" not in models.big.requests[0].system
    await turn(world)
    assert "첫 질문: “이제부터 영어로 답해”" in models.big.requests[1].system
