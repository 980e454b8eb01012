import asyncio
import base64
import sqlite3
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace
from typing import Any

import pytest

from assistant.agent.run import packets_of
from assistant.agent.tool_loop import MAX_ROUNDS
from assistant.chat.turn_request import TurnRequest
from assistant.core.errors import ErrorCode, ModelFileError, ProviderError, SoriError, StorageError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import TOOL_FAILED, Attachment, Completion, Message, Role
from assistant.core.packets import (
    AnswerDelta,
    Done,
    Failure,
    Packet,
    ReasoningDelta,
    Status,
    ToolCall,
    ToolResult,
)
from assistant.core.permissions import Category
from assistant.core.settings import Language, LlmSettings
from assistant.core.texts import Texts
from assistant.llm.backend import Finish, Finished, TextDelta, Usage
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.storage.conversation_list import ConversationList
from assistant.storage.database import Database
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, Piece, calls, fails, says, thinks
from tests.fakes.clock import FakeClock, pass_waits
from tests.unit.conftest import MakeWorld, World

TURN = TurnId("1")


def tool(name: str, answer: str = "fine", *, idempotent: bool = True) -> Tool:
    async def run(arguments: dict[str, Any], _call: RunningCall) -> str:
        return f"{answer} {arguments}" if arguments else answer

    return Tool(
        name=name,
        description=name,
        parameters={"type": "object", "properties": {"n": {"type": "integer"}}},
        category=Category.SAFE,
        idempotent=idempotent,
        run=run,
    )


async def ask(world: World, text: str = "안녕?", turn: TurnId = TURN, **options: Any) -> list[Packet]:
    packets = turn_packets(world.engine, turn, world.conversation, text, **options)
    return [packet async for packet in packets]


def answer_of(packets: list[Packet]) -> str:
    return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))


def only(packets: list[Packet], kind: type[Any]) -> list[Any]:
    return [packet for packet in packets if isinstance(packet, kind)]


async def stored(world: World) -> list[Message]:
    return list(await world.store.messages(world.conversation))


async def stored_answer(world: World) -> Message:
    """The answer as soon as any of it is stored."""
    for _ in range(500):
        if len(messages := await stored(world)) > 1:
            return messages[1]
        await asyncio.sleep(0.01)
    raise AssertionError("no answer was stored")


async def test_an_answer_streams_and_is_stored_with_the_question(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("안녕하세요 반가워요"))
    world = make_world(backend)
    packets = await ask(world)
    assert [packet.text for packet in only(packets, AnswerDelta)] == ["안녕하세요 ", "반가워요"]
    assert packets[-1] == Done(
        turn_index=1,
        finish="complete",
        provider="mine",
        model="m",
        first_token_ms=0.0,
        usage={"input": 10, "output": 2, "total": 12, "cached": 0, "cache_written": 0},
    )
    user, assistant = await stored(world)
    assert (user.role, user.text) == (Role.USER, "안녕?")
    assert (assistant.text, assistant.completion, assistant.model) == ("안녕하세요 반가워요", Completion.COMPLETE, "m")
    (request,) = backend.requests
    assert request.system.startswith("기본 프롬프트")
    assert request.messages[-1].text.endswith("안녕?")


async def test_the_next_turn_sends_the_same_beginning(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("하나"), says("둘"))
    world = make_world(backend)
    await ask(world, "첫째 질문")
    world.clock.advance(120)
    await ask(world, "둘째 질문", TurnId("2"))
    first, second = backend.requests
    assert second.system == first.system
    assert second.messages[: len(first.messages)] == first.messages
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]


IMAGE = Attachment(mime_type="image/png", name="a.png", data=b"\x89PNG")


async def test_a_file_is_kept_with_its_message_and_stays_at_that_point_for_the_model(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("고양이예요"), says("검은색이에요"))
    world = make_world(backend)
    await ask(world, "이거 뭐야?", attachments=(IMAGE,))
    await ask(world, "무슨 색이야?", TurnId("2"))
    kept, *others = [message.attachments for message in await stored(world)]
    assert [(each.mime_type, each.name, await asyncio.to_thread(each.read)) for each in kept] == [
        ("image/png", "a.png", IMAGE.data)
    ]
    assert others == [(), (), ()]
    first, second = backend.requests
    (sent,) = first.messages[-1].attachments
    assert (sent.mime_type, sent.name, base64.b64decode(sent.data)) == ("image/png", "a.png", IMAGE.data)
    assert second.messages[: len(first.messages)] == first.messages
    assert second.messages[-1].attachments == ()


async def test_a_file_is_put_into_the_form_that_models_are_sent_once_a_turn(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("look", {})), calls(("look", {})), says("고양이예요"))
    world = make_world(backend, tools=(tool("look"),))
    await ask(world, "이거 뭐야?", attachments=(IMAGE,))
    sent = [request.messages[0].attachments[0] for request in backend.requests]
    assert sent[0] is sent[1] is sent[2]


async def test_a_message_may_be_nothing_but_a_file(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("고양이예요"))
    world = make_world(backend)
    assert answer_of(await ask(world, "", attachments=(IMAGE,))) == "고양이예요"
    assert len(backend.requests[0].messages[-1].attachments) == 1


async def test_a_plain_command_beside_a_file_is_the_models_to_answer(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("시계는 세 시예요")))
    assert answer_of(await ask(world, "지금 몇 시야?", attachments=(IMAGE,))) == "시계는 세 시예요"


async def test_reasoning_and_answer_are_blocks_of_their_own(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(thinks("흠", *says("답"))))
    packets = await ask(world)
    assert [(type(packet), packet.turn_index) for packet in packets] == [
        (ReasoningDelta, 0),
        (AnswerDelta, 1),
        (Done, 2),
    ]


async def test_nothing_is_shown_before_the_question_is_safe_and_the_end_comes_after_the_answer_is(
    make_world: MakeWorld,
) -> None:
    told: list[tuple[TurnId, Message]] = []

    def note(_: str, turn: TurnId, message: Message) -> None:
        told.append((turn, message))

    world = make_world(FakeBackend(says("답")))
    async with aclosing(turn_packets(world.engine, TURN, world.conversation, "질문", Origin.VOICE, note)) as packets:
        await anext(packets)
        (question, *_) = await stored(world)
        assert question.text == "질문"
        async for packet in packets:
            if isinstance(packet, Done):
                break
    (user, assistant) = await stored(world)
    assert assistant.completion is Completion.COMPLETE
    assert told == [(TURN, user)]


@pytest.mark.parametrize(
    ("text", "said"), [("", "보낼 내용이 없어요."), ("  \n", "보낼 내용이 없어요."), ("가" * 60_001, "60001자")]
)
async def test_a_message_that_cannot_be_sent_is_refused_and_not_stored(
    make_world: MakeWorld, text: str, said: str
) -> None:
    backend = FakeBackend(says("답"))
    world = make_world(backend)
    failure, done = await ask(world, text)
    assert isinstance(failure, Failure)
    assert (failure.code, done) == ("invalid_request", Done(turn_index=0, finish="failed"))
    assert said in failure.message
    assert await stored(world) == []
    assert backend.requests == []


async def test_an_unknown_conversation_is_refused(make_world: MakeWorld) -> None:
    world = make_world()
    world.conversation = "gone"
    failure, _ = await ask(world)
    assert isinstance(failure, Failure)
    assert failure.message == "이 대화는 더 이상 없어요."


async def test_a_message_to_a_deleted_conversation_is_not_stored(make_world: MakeWorld, database: Database) -> None:
    world = make_world()
    await ConversationList(database, FakeClock()).delete(world.conversation)
    failure, _ = await ask(world)
    assert isinstance(failure, Failure)
    assert failure.message == "이 대화는 더 이상 없어요."
    assert await stored(world) == []


async def test_a_turn_goes_to_the_database_three_times(
    make_world: MakeWorld, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each way to the database's thread and back delays the answer."""
    world = make_world(FakeBackend([*says("네."), Usage(input=10, output=2), Finished(reason=Finish.STOP)]))
    works = list[object]()
    run = Database._run

    async def counted(self: Database, work: Callable[[sqlite3.Connection], Any]) -> Any:
        works.append(work)
        return await run(self, work)

    monkeypatch.setattr(Database, "_run", counted)
    over = len(works)
    async for packet in turn_packets(world.engine, TURN, world.conversation, "안녕?"):
        if isinstance(packet, Done):
            over = len(works)
    # The question with the conversation; usage before the request; the answer with its usage.
    assert over == 3


# Plain commands


async def test_a_plain_command_is_answered_without_a_model_and_stored(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("모델"))
    world = make_world(backend)
    assert await ask(world, "지금 몇 시야?") == [
        Status(turn_index=0, status="command", detail="Time"),
        AnswerDelta(turn_index=0, text="지금은 오후 3시 5분이에요."),
        Done(turn_index=1, finish="complete"),
    ]
    assert [message.text for message in await stored(world)] == ["지금 몇 시야?", "지금은 오후 3시 5분이에요."]
    assert backend.requests == []


async def test_yes_by_itself_is_for_the_model(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("네?"))
    assert answer_of(await ask(make_world(backend), "네")) == "네?"


# Tools


async def test_tool_results_go_back_to_the_model_until_it_answers(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("one", {"n": 1}), ("two", {}), text="찾아볼게요. "), says("다 됐어요"))
    world = make_world(backend, tools=(tool("one", "하나"), tool("two", "둘")))
    packets = await ask(world)
    shape = [(type(packet).__name__, packet.turn_index) for packet in packets if not isinstance(packet, Status)]
    assert shape == [
        ("AnswerDelta", 0),
        ("ToolCall", 1),
        ("ToolResult", 1),
        ("ToolCall", 2),
        ("ToolResult", 2),
        ("AnswerDelta", 3),
        ("AnswerDelta", 3),
        ("Done", 4),
    ]
    assert only(packets, ToolCall)[0].arguments == {"n": 1}
    assert [result.text for result in only(packets, ToolResult)] == ["하나 {'n': 1}", "둘"]
    assert [schema.name for schema in backend.requests[0].tools] == ["one", "two"]
    added = backend.requests[1].messages[1:]
    assert [message.role for message in added] == ["assistant", "tool", "tool"]
    assert (added[0].text, [call.id for call in added[0].tool_calls]) == ("찾아볼게요. ", ["call-1", "call-2"])
    assert [message.tool_call_id for message in added[1:]] == ["call-1", "call-2"]
    messages = await stored(world)
    assert [message.role for message in messages] == [Role.USER, Role.ASSISTANT, Role.TOOL, Role.TOOL, Role.ASSISTANT]
    assert [use.name for use in messages[1].tool_uses] == ["one", "two"]
    assert {message.completion for message in messages} == {Completion.COMPLETE}


async def test_after_ten_rounds_the_model_is_told_to_answer(make_world: MakeWorld) -> None:
    backend = FakeBackend(*[calls(("one", {}), first_id=number) for number in range(MAX_ROUNDS)], says("여기까지예요"))
    world = make_world(backend, tools=(tool("one"),))
    packets = await ask(world)
    assert len(only(packets, ToolResult)) == MAX_ROUNDS
    assert answer_of(packets) == "여기까지예요"
    last = backend.requests[-1]
    assert len(backend.requests) == MAX_ROUNDS + 1
    assert last.tools == ()
    assert (last.messages[-1].role, "도구 호출이 너무 많아요" in last.messages[-1].text) == ("user", True)


async def test_a_model_is_reminded_to_cite_after_a_search_and_only_in_that_turn(
    make_world: MakeWorld, all_texts: dict[Language, Texts]
) -> None:
    backend = FakeBackend(calls(("one", {})), calls(("look_up", {})), says("찾았어요 [1]."), says("네"))
    world = make_world(backend, tools=(tool("one"), replace(tool("look_up"), searches=True)))
    await ask(world)
    await ask(world, "고마워", TurnId("2"))
    reminder, section = map(all_texts["ko"], ("context.citation_reminder", "context.citations"))
    told = [(each.messages[-1].text == reminder, section in each.system) for each in backend.requests]
    assert told == [(False, False), (False, False), (True, True), (False, False)]


async def test_a_model_that_never_stops_calling_tools_ends_with_an_error(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(calls(("one", {}))), tools=(tool("one"),))
    packets = await ask(world)
    (failure,) = only(packets, Failure)
    assert failure.code == "tool_loop"
    assert len(only(packets, ToolResult)) == MAX_ROUNDS


async def test_a_failing_tool_is_the_models_to_explain(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("nothing", {})), says("그런 도구가 없네요"))
    world = make_world(backend, tools=(tool("one"),))
    packets = await ask(world)
    (result,) = only(packets, ToolResult)
    assert result.is_error
    (kept,) = [message for message in await stored(world) if message.role is Role.TOOL]
    assert (kept.error, kept.text) == (TOOL_FAILED, result.text)
    (done,) = only(packets, Done)
    assert done.finish == "complete"


async def test_calls_of_a_reply_that_was_cut_off_are_not_run(make_world: MakeWorld) -> None:
    cut: list[Piece] = [TextDelta(text="잠시만요"), *calls(("one", {}))[:-1]]
    packets, waits = await ask_through(make_world(FakeBackend(cut), tools=(tool("one"),)))
    assert waits == [0.25, 0.75]
    assert only(packets, ToolCall) == []
    (failure,) = only(packets, Failure)
    assert failure.code == "incomplete"


async def test_the_placeholder_gets_no_tools_and_a_short_prompt(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("Hi."))
    world = make_world(backend, tools=(tool("one"),), llm=LlmSettings(embedded_model=PLACEHOLDER_MODEL))
    packets = await ask(world)
    assert backend.requests[0].tools == ()
    assert backend.requests[0].system == "short"
    assert [message.text for message in backend.requests[0].messages] == ["안녕?"]
    assert isinstance(packets[-1], Done)
    assert packets[-1].provider == "embedded"


# Errors


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (ErrorCode.TIMEOUT, "응답 시간 초과"),
        (ErrorCode.AUTHENTICATION, "API 키를 확인하세요"),
        (ErrorCode.MODEL_NOT_FOUND, "다른 모델"),
        (ErrorCode.QUOTA, "한도"),
    ],
)
async def test_an_error_is_told_in_the_users_words_and_not_repeated(
    make_world: MakeWorld, code: ErrorCode, said: str
) -> None:
    backend = FakeBackend(fails(code))
    world = make_world(backend)
    failure, done = await ask(world)
    assert isinstance(failure, Failure)
    assert failure.code == code
    assert said in failure.message
    assert done == Done(turn_index=0, finish="failed", provider="mine", model="m")
    assert len(backend.requests) == 1
    assert [(message.completion, message.error) for message in await stored(world)][1] == (Completion.FAILED, code)


async def test_every_error_code_has_words_in_both_languages(all_texts: dict[str, Any]) -> None:
    for texts in all_texts.values():
        assert {f"error.{code}" for code in ErrorCode} <= texts.keys


async def test_an_empty_answer_is_an_error(make_world: MakeWorld) -> None:
    failure, _ = (await ask(make_world(FakeBackend(says(" ")))))[-2:]
    assert isinstance(failure, Failure)
    assert failure.code == "empty_response"
    assert failure.message.startswith("응답을 생성하지 못했어요")
    assert failure.retryable


async def test_a_refusal_is_an_error(make_world: MakeWorld) -> None:
    packets = await ask(make_world(FakeBackend(says("아니", finish=Finish.REFUSED))))
    assert only(packets, Failure)[0].code == "content_refused"


async def test_an_answer_at_its_longest_length_is_kept_and_said_to_be_cut(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("아주 긴", finish=Finish.LENGTH)))
    packets = await ask(world)
    assert only(packets, Failure) == []
    assert [status.status for status in only(packets, Status)] == ["cut_at_length"]
    assert isinstance(packets[-1], Done)
    assert packets[-1].finish == "incomplete"
    assert (await stored(world))[1].completion is Completion.INCOMPLETE


async def ask_through(world: World, *args: Any, **options: Any) -> tuple[list[Packet], list[float]]:
    """The packets of a turn, and the waits that were in it."""
    asking = asyncio.create_task(ask(world, *args, **options))
    waits = await pass_waits(world.clock, asking)
    return await asking, waits


async def test_a_connection_lost_in_the_middle_is_asked_again_and_what_was_shown_stays_marked(
    make_world: MakeWorld,
) -> None:
    backend = FakeBackend(fails(ErrorCode.NETWORK, after="여기까지는 "), says("처음부터 다시"), says("네"))
    world = make_world(backend)
    packets, waits = await ask_through(world)
    assert waits == [0.25]
    assert [(packet.turn_index, packet.text) for packet in only(packets, AnswerDelta)] == [
        (0, "여기까지는 "),
        (1, "처음부터 "),
        (1, "다시"),
    ]
    (status,) = only(packets, Status)
    assert (status.status, status.wait_s) == ("asked_again", 0.25)
    assert "도중에 끊겼어요" in status.detail
    assert only(packets, Failure) == []
    _, broken, whole = await stored(world)
    assert (broken.text, broken.completion, broken.error) == ("여기까지는 ", Completion.INCOMPLETE, "network")
    assert broken.superseded
    assert (whole.text, whole.completion, whole.superseded) == ("처음부터 다시", Completion.COMPLETE, False)
    await ask(world, "다음", TurnId("2"))
    assert [message.text.rpartition("\n\n")[2] for message in backend.requests[2].messages] == [
        "안녕?",
        "처음부터 다시",
        "다음",
    ]


async def test_a_connection_that_stays_lost_ends_as_a_network_error_with_what_had_arrived(
    make_world: MakeWorld,
) -> None:
    backend = FakeBackend(fails(ErrorCode.NETWORK, after="여기까지는 "), fails(ErrorCode.NETWORK))
    world = make_world(backend)
    packets, waits = await ask_through(world)
    assert waits == [0.25, 0.75]
    assert answer_of(packets) == "여기까지는 "
    (failure,) = only(packets, Failure)
    assert failure.message.startswith("네트워크 오류")
    assert failure.offers == ("continue", "retry", "other_model")
    assert isinstance(packets[-1], Done)
    assert packets[-1].finish == "incomplete"
    (_, message) = await stored(world)
    assert (message.text, message.completion, message.error) == ("여기까지는 ", Completion.INCOMPLETE, "network")
    assert not message.superseded
    assert len(backend.requests) == 3


async def test_an_answer_that_is_heard_is_not_begun_twice(make_world: MakeWorld) -> None:
    backend = FakeBackend(fails(ErrorCode.NETWORK, after="여기까지는 "), says("처음부터"))
    world = make_world(backend)
    request = TurnRequest(turn=TURN, conversation=world.conversation, text="안녕?", origin=Origin.VOICE, aloud=True)
    packets = [packet async for packet in packets_of(world.engine.turn(request))]
    assert answer_of(packets) == "여기까지는 "
    assert only(packets, Failure)[0].code == "network"
    assert len(backend.requests) == 1


async def test_trouble_before_the_first_word_is_tried_again_and_said(make_world: MakeWorld) -> None:
    backend = FakeBackend(fails(ErrorCode.NETWORK), fails(ErrorCode.OVERLOADED), says("이제 됐어요"))
    world = make_world(backend)
    asking = asyncio.create_task(ask(world))
    for wait_s in (0.25, 0.75):
        await world.clock.until_sleeping()
        world.clock.advance(wait_s)
    packets = await asking
    assert [status.status for status in only(packets, Status)] == ["retrying", "retrying"]
    assert "연결되지 않아요" in only(packets, Status)[0].detail
    assert answer_of(packets) == "이제 됐어요"
    assert [message.text for message in await stored(world)] == ["안녕?", "이제 됐어요"]


async def test_a_cancel_during_the_wait_before_another_try_ends_the_turn_without_one(make_world: MakeWorld) -> None:
    backend = FakeBackend(fails(ErrorCode.RATE_LIMITED, retry_after_s=30.0), says("늦은 답"))
    world = make_world(backend)
    asking = asyncio.create_task(ask(world))
    await world.clock.until_sleeping()
    world.engine.cancel(TURN)
    packets = await asking
    assert packets[-1].type == "done"
    assert only(packets, Done)[0].finish == "cancelled"
    assert only(packets, Failure) == []
    world.clock.advance(60)
    await world.engine.afterwards.settle()
    assert len(backend.requests) == 1
    assert world.clock.sleeping == 0


async def test_after_a_tool_with_effects_nothing_is_tried_again(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("send", {})), fails(ErrorCode.NETWORK), says("다시"))
    packets = await ask(make_world(backend, tools=(tool("send", idempotent=False),)))
    assert only(packets, Failure)[0].code == "network"
    assert len(backend.requests) == 2


async def test_a_context_too_long_for_the_model_is_shortened_and_said(make_world: MakeWorld) -> None:
    backend = FakeBackend(says("답 " * 300))
    world = make_world(backend)
    for number in range(2, 10):
        await ask(world, f"질문 {number}", TurnId(str(number)))
    long = FakeBackend(fails(ErrorCode.CONTEXT_TOO_LONG), says(""), says("짧게"))
    world.answerer.exchange.router = long
    packets = await ask(world, "마지막", TurnId("20"))
    assert answer_of(packets) == "짧게"
    assert [status.status for status in only(packets, Status)] == ["context_compressing", "context_trimmed"]
    assert len(long.requests[2].messages) < len(long.requests[0].messages)
    assert long.requests[2].messages[-1].text.startswith("마지막")


async def test_a_context_that_cannot_be_shortened_is_an_error(make_world: MakeWorld) -> None:
    packets = await ask(make_world(FakeBackend(fails(ErrorCode.CONTEXT_TOO_LONG))))
    assert only(packets, Failure)[0].code == "context_too_long"


async def test_a_defect_inside_is_an_error_with_words_too(
    make_world: MakeWorld, caplog: pytest.LogCaptureFixture
) -> None:
    world = make_world(FakeBackend([TextDelta(text="여기 "), RuntimeError("oops")]))
    packets = await ask(world)
    assert only(packets, Failure)[0].code == "internal"
    assert "oops" in caplog.text
    assert (await stored(world))[1].completion is Completion.INCOMPLETE


async def test_no_answer_in_time_is_told_as_such(make_world: MakeWorld) -> None:
    backend = FakeBackend([asyncio.Event(), *says("늦었다")])
    world = make_world(backend, llm=LlmSettings(provider="mine", model="m", first_byte_timeout_s=0.05))
    failure, done = await ask(world)
    assert isinstance(failure, Failure)
    assert failure.code == "timeout"
    assert "응답 시간 초과" in failure.message
    assert isinstance(done, Done)
    assert backend.closed_early == 1


async def test_a_provider_that_does_not_exist_is_told(make_world: MakeWorld) -> None:
    failure, _ = await ask(make_world(llm=LlmSettings(provider="ghost")))
    assert isinstance(failure, Failure)
    assert failure.code == "settings"
    assert "ghost" in failure.message


async def test_when_the_answer_cannot_be_saved_the_user_is_told(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(FakeBackend(says("답")))
    save = world.store.save

    async def full(messages: Any, **others: Any) -> None:
        if messages[0].role is Role.ASSISTANT:
            raise StorageError("/home/sori.db", "full", message_key="storage_full")
        await save(messages, **others)

    monkeypatch.setattr(world.store, "save", full)
    packets = await ask(world)
    assert answer_of(packets) == "답"
    assert only(packets, Failure)[0].message == (
        "디스크가 가득 차서 저장하지 못했어요: /home/sori.db. 공간을 비우고 다시 시도해 주세요."
    )
    assert [each.outcome for each in await world.usage.exchanges()] == ["complete"]


# Stopping


def endless(*before: str) -> FakeBackend:
    return FakeBackend([*[TextDelta(text=text) for text in before], asyncio.Event()])


async def test_stopping_ends_the_turn_and_keeps_what_had_arrived(make_world: MakeWorld) -> None:
    backend = endless("하나 ", "둘 ")
    world = make_world(backend)
    packets: list[Packet] = []
    async for packet in turn_packets(world.engine, TURN, world.conversation, "세어 봐"):
        packets.append(packet)
        if packet == AnswerDelta(turn_index=0, text="둘 "):
            world.engine.cancel(TURN)
    assert packets[-1] == Done(turn_index=1, finish="cancelled", provider="mine", model="m", first_token_ms=0.0)
    message = (await stored(world))[1]
    assert (message.text, message.completion) == ("하나 둘 ", Completion.CANCELLED)
    assert backend.closed_early == 1


async def test_cancelling_who_consumes_cancels_the_turn_and_waits_for_the_saving(make_world: MakeWorld) -> None:
    backend = endless("하나 ")
    world = make_world(backend)
    seen = asyncio.Event()

    async def consume() -> None:
        async for _ in turn_packets(world.engine, TURN, world.conversation, "세어 봐"):
            seen.set()

    consumer = asyncio.create_task(consume())
    await seen.wait()
    consumer.cancel()
    with pytest.raises(asyncio.CancelledError):
        await consumer
    assert [(message.text, message.completion) for message in await stored(world)] == [
        ("세어 봐", Completion.COMPLETE),
        ("하나 ", Completion.CANCELLED),
    ]
    assert backend.closed_early == 1


async def test_closing_the_packets_cancels_the_turn(make_world: MakeWorld) -> None:
    world = make_world(endless("하나 "))
    async with aclosing(turn_packets(world.engine, TURN, world.conversation, "세어 봐")) as packets:
        await anext(packets)
    assert (await stored(world))[1].completion is Completion.CANCELLED


async def test_a_backend_that_does_not_heed_its_cancellation_does_not_hold_up_the_stop(make_world: MakeWorld) -> None:
    release = asyncio.Event()

    class Stubborn(FakeBackend):
        async def stream(self, provider: Any, request: Any) -> Any:
            yield TextDelta(text="하나 ")
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue

    world = make_world(Stubborn([]))
    async for packet in turn_packets(world.engine, TURN, world.conversation, "세어 봐"):
        if isinstance(packet, AnswerDelta):
            world.engine.cancel(TURN)
    assert isinstance(packet, Done)
    assert packet.finish == "cancelled"
    assert (await stored(world))[1].text == "하나 "
    release.set()


async def test_stopping_while_a_tool_runs_leaves_a_conversation_that_goes_on(make_world: MakeWorld) -> None:
    started = asyncio.Event()

    async def wait(_: dict[str, Any], _call: RunningCall) -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    slow = Tool(
        name="slow", description="", parameters={"type": "object"}, category=Category.SAFE, idempotent=True, run=wait
    )
    backend = FakeBackend(calls(("slow", {}), ("slow", {})), says("네"))
    world = make_world(backend, tools=(slow,))
    asking = asyncio.create_task(ask(world))
    await started.wait()
    world.engine.cancel(TURN)
    packets = await asking
    assert len(only(packets, ToolCall)) == 1
    await ask(world, "다음", TurnId("2"))
    roles = [message.role for message in backend.requests[1].messages]
    assert roles == ["user", "assistant", "tool", "tool", "user"]


async def test_half_a_surrogate_pair_reaches_no_request_wherever_it_came_from(make_world: MakeWorld) -> None:
    backend = FakeBackend(calls(("look", {}), text="음 \ud83d"), says("네"))
    world = make_world(backend, tools=(tool("look", "찾음 \ud83d"),))
    named = Attachment(mime_type="image/png", name="사진\udcff.png", data=b"\x89PNG")
    assert answer_of(await ask(world, "봐 \ud83d", attachments=(named,))).endswith("네")
    assert len(backend.requests) == 2
    for message in backend.requests[1].messages:
        assert f"{message.text}{[each.name for each in message.attachments]}".encode()


async def test_turns_of_one_conversation_run_one_after_another(make_world: MakeWorld) -> None:
    go = asyncio.Event()
    world = make_world(FakeBackend([TextDelta(text="하나"), go, *says(" 끝")], says("둘")))
    first = asyncio.create_task(ask(world, "첫째", TurnId("1")))
    second = asyncio.create_task(ask(world, "둘째", TurnId("2")))
    await asyncio.sleep(0.05)
    go.set()
    await asyncio.gather(first, second)
    assert [message.text for message in await stored(world)] == ["첫째", "하나 끝", "둘째", "둘"]


# Interruption


async def test_what_was_heard_of_a_cancelled_answer_is_what_the_model_is_told(make_world: MakeWorld) -> None:
    backend = endless("옛날 옛적에 ", "호랑이가 살았어요. ")
    world = make_world(backend)
    asking = asyncio.create_task(ask(world, "이야기해 줘"))
    await stored_answer(world)
    await world.engine.mark_interrupted(TURN, "옛날 옛적에")
    assert isinstance((await asking)[-1], Done)
    message = (await stored(world))[1]
    assert (message.text, message.heard) == ("옛날 옛적에 호랑이가 살았어요. ", "옛날 옛적에")
    assert message.completion is Completion.INTERRUPTED
    world.answerer.exchange.router = after = FakeBackend(says("네"))
    await ask(world, "그래서?", TurnId("2"))
    _, heard, next_question = after.requests[0].messages
    assert heard.text == "옛날 옛적에"
    assert "그 뒤는 듣지 못했어요" in next_question.text


async def test_an_answer_that_was_whole_but_not_heard_whole_is_marked_too(make_world: MakeWorld) -> None:
    world = make_world(
        FakeBackend(calls(("one", {}), text="찾아볼게요. "), says("비가 와요. 우산 챙기세요.")), tools=(tool("one"),)
    )
    await ask(world)
    await world.engine.mark_interrupted(TURN, "찾아볼게요. 비가 와요.")
    heard = {message.text: (message.completion, message.heard) for message in await stored(world)}
    assert heard["찾아볼게요. "] == (Completion.COMPLETE, None)
    assert heard["비가 와요. 우산 챙기세요."] == (Completion.INTERRUPTED, "비가 와요.")


async def test_interrupting_a_turn_that_nobody_knows_or_that_said_nothing_changes_nothing(
    make_world: MakeWorld,
) -> None:
    world = make_world(FakeBackend(fails(ErrorCode.AUTHENTICATION)))
    await world.engine.mark_interrupted(TurnId("99"), "무엇")
    await ask(world)
    await world.engine.mark_interrupted(TURN, "")
    assert (await stored(world))[1].completion is Completion.FAILED


async def test_growing_text_is_saved_while_it_grows(make_world: MakeWorld) -> None:
    world = make_world(endless("하나 "))
    asking = asyncio.create_task(ask(world))
    message = await stored_answer(world)
    assert (message.text, message.completion) == ("하나 ", Completion.STREAMING)
    world.engine.cancel(TURN)
    await asking


def test_an_answerer_knows_its_model(make_world: MakeWorld) -> None:
    choice = make_world().answerer.choice
    assert (choice.provider.name, choice.model, choice.placeholder) == ("mine", "m", False)


async def outcomes(world: World) -> list[tuple[str, str, int, int | None]]:
    return [(each.model, each.outcome, each.requests, each.total) for each in await world.usage.exchanges()]


async def test_what_a_model_used_is_kept_however_the_turn_ends(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("네."), fails(ErrorCode.QUOTA), fails(ErrorCode.NETWORK, after="반")))
    for turn in range(1, 4):
        await ask_through(world, turn=TurnId(str(turn)))
    assert await outcomes(world) == [("m", "complete", 1, 11), ("m", "quota", 1, None), ("m", "network", 3, None)]
    assert {each.conversation for each in await world.usage.exchanges()} == {world.conversation}


async def test_a_turn_that_was_stopped_has_used_what_it_used(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend([TextDelta(text="반"), asyncio.Event()]))
    async with aclosing(turn_packets(world.engine, TURN, world.conversation, "안녕?")) as packets:
        async for packet in packets:
            if isinstance(packet, AnswerDelta):
                world.engine.cancel(TURN)
    assert await outcomes(world) == [("m", "cancelled", 1, None)]


async def test_a_plain_command_is_no_exchange_with_a_model(make_world: MakeWorld) -> None:
    world = make_world()
    await ask(world, "지금 몇 시야?")
    assert await outcomes(world) == []


async def test_an_answer_stands_when_what_it_used_cannot_be_kept(make_world: MakeWorld, database: Database) -> None:
    await database.write(lambda connection: connection.execute("DROP TABLE exchanges"))
    world = make_world(FakeBackend(says("네.")))
    packets = await ask(world)
    assert isinstance(packets[-1], Done)
    assert packets[-1].finish == "complete"


async def test_a_tool_waits_while_somebody_speaks_although_another_of_the_same_reply_has_run(
    make_world: MakeWorld,
) -> None:
    ran: list[str] = []
    waits: list[bool] = []
    changed = asyncio.Event()

    def note(begins: bool) -> None:
        waits.append(begins)
        changed.set()

    async def first(_arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append("first")
        world.engine.hold_tools(TURN, note)
        return "fine"

    async def second(_arguments: dict[str, Any], _call: RunningCall) -> str:
        ran.append("second")
        return "fine"

    both = (
        replace(tool("first", idempotent=False), run=first),
        replace(tool("second", idempotent=False), run=second),
    )
    world = make_world(FakeBackend(calls(("first", {}), ("second", {})), says("네")), tools=both)
    turn = asyncio.create_task(ask(world))
    async with asyncio.timeout(20):
        await changed.wait()
    assert ran == ["first"]
    world.engine.hold_tools(TURN, None)
    await turn
    assert (ran, waits) == (["first", "second"], [True, False])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ProviderError(ErrorCode.AUTHENTICATION, "401", provider="mine"), "mine에서 이 키를 받지 않았어요."),
        (ProviderError(ErrorCode.QUOTA, "spent", provider="mine"), "mine의 사용 한도를 모두 썼어요."),
        (ProviderError(ErrorCode.INVALID_REQUEST, "400: no 'tools'", provider="mine"), "400: no 'tools'"),
        (ModelFileError("gone", model="qwen", message_key="model_missing"), "sori models pull qwen"),
    ],
)
async def test_the_reason_of_a_failed_answer_is_stored_as_it_was_told(
    make_world: MakeWorld, error: SoriError, told: str
) -> None:
    world = make_world(FakeBackend([error]))
    (failure,) = only(await ask(world), Failure)
    stored = [each for each in await world.store.messages(world.conversation) if each.role is Role.ASSISTANT]
    assert [(each.error, each.error_text) for each in stored] == [(failure.code, failure.message)]
    assert told in failure.message
