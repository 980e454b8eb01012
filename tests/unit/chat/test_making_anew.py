"""Turns that make a new version: an edited question, an answer made anew."""

import asyncio
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, StorageError
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Completion
from assistant.core.packets import AnswerDelta, Done, Failure, Packet
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, fails, says
from tests.unit.conftest import MakeWorld, World


async def ask(world: World, turn: str, text: str = "", **options: Any) -> list[Packet]:
    packets = turn_packets(world.engine, TurnId(turn), world.conversation, text, **options)
    return [packet async for packet in packets]


async def path(world: World) -> list[str]:
    return [each.text for each in await world.store.messages(world.conversation)]


def failure(packets: list[Packet]) -> str:
    return next(packet.reason for packet in packets if isinstance(packet, Failure))


async def test_an_edited_question_is_answered_without_the_former_one(make_world: MakeWorld) -> None:
    models = FakeBackend(says("서울은 맑아요"), says("네"), says("부산은 흐려요"))
    world = make_world(models)
    await ask(world, "1", "서울 날씨")
    await ask(world, "2", "고마워")
    question, *_ = await world.store.messages(world.conversation)
    await ask(world, "3", "부산 날씨", instead=question.id)
    assert await path(world) == ["부산 날씨", "부산은 흐려요"]
    assert "서울" not in str(models.requests[-1].messages)


async def test_an_edited_question_keeps_its_files(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("하나"), says("둘"), says("셋")))
    await ask(world, "1", "이게 뭐야?", attachments=(Attachment(mime_type="text/plain", name="a.txt", data=b"hello"),))
    question, _ = await world.store.messages(world.conversation)
    await ask(world, "2", "자세히", instead=question.id)
    edited, _ = await world.store.messages(world.conversation)
    assert [(each.name, each.read()) for each in edited.attachments] == [("a.txt", b"hello")]
    await ask(
        world,
        "3",
        "다시",
        instead=edited.id,
        attachments=(Attachment(mime_type="text/plain", name="b.txt", data=b"b"),),
    )
    newest, _ = await world.store.messages(world.conversation)
    assert [each.name for each in newest.attachments] == ["b.txt"]


async def test_an_answer_is_made_anew_without_the_former_one_and_what_followed(make_world: MakeWorld) -> None:
    models = FakeBackend(says("첫 답"), says("다음 답"), says("새 답"))
    world = make_world(models)
    await ask(world, "1", "질문")
    await ask(world, "2", "다음 질문")
    _, answer, *_ = await world.store.messages(world.conversation)
    packets = await ask(world, "3", again=True, instead=answer.id)
    assert "".join(each.text for each in packets if isinstance(each, AnswerDelta)) == "새 답"
    assert await path(world) == ["질문", "새 답"]
    assert "첫 답" not in str(models.requests[-1].messages)
    assert "다음" not in str(models.requests[-1].messages)


async def test_the_new_path_is_told_before_the_answer(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("첫 답"), says("새 답")))
    told: list[list[str]] = []

    async def on_path(conversation: str) -> None:
        assert conversation == world.conversation
        told.append(await path(world))

    world.engine.repathed.add(on_path)
    await ask(world, "1", "질문")
    assert told == []
    _, answer = await world.store.messages(world.conversation)
    await ask(world, "2", again=True, instead=answer.id)
    assert told == [["질문"]]


async def test_a_failed_answer_is_a_version_and_the_former_one_stays(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("첫 답"), fails(ErrorCode.AUTHENTICATION)))
    await ask(world, "1", "질문")
    _, answer = await world.store.messages(world.conversation)
    packets = await ask(world, "2", again=True, instead=answer.id)
    assert failure(packets)
    (_, failed), _ = await world.store.page(world.conversation, 10)
    assert failed.completion is Completion.FAILED
    assert failed.versions == (answer.id, failed.id)


async def test_an_answer_that_is_stopped_before_its_first_word_leaves_the_former_one(make_world: MakeWorld) -> None:
    begun = asyncio.Event()
    world = make_world(FakeBackend(says("첫 답"), [begun]))
    await ask(world, "1", "질문")
    _, answer = await world.store.messages(world.conversation)
    told: list[list[str]] = []

    async def on_path(_: str) -> None:
        told.append(await path(world))
        if len(told) == 1:
            asyncio.get_running_loop().call_soon(world.engine.cancel, TurnId("2"))

    world.engine.repathed.add(on_path)
    packets = await ask(world, "2", again=True, instead=answer.id)
    assert isinstance(packets[-1], Done)
    assert packets[-1].finish == "cancelled"
    assert told == [["질문"], ["질문", "첫 답"]]
    assert await path(world) == ["질문", "첫 답"]


async def test_only_shown_messages_of_the_right_author_have_new_versions(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("답")))
    await ask(world, "1", "질문")
    question, answer = await world.store.messages(world.conversation)
    assert failure(await ask(world, "2", "글", instead=answer.id)) == "unknown_message"
    assert failure(await ask(world, "3", "글", instead="nothing")) == "unknown_message"
    assert failure(await ask(world, "4", again=True, instead="nothing")) == "unknown_message"
    assert failure(await ask(world, "5", again=True, instead=question.id)) == "unknown_message"
    assert failure(await ask(world, "6", "  ", instead=question.id)) == "empty_message"
    assert await path(world) == ["질문", "답"]


async def test_a_command_with_an_effect_is_not_executed_again_for_another_answer(make_world: MakeWorld) -> None:
    world = make_world(FakeBackend(says("답")))
    await ask(world, "1", "5분 타이머 맞춰 줘")
    _, answer = await world.store.messages(world.conversation)
    await ask(world, "2", again=True, instead=answer.id)
    assert len(await world.timers.running()) == 1
    _, again = await world.store.messages(world.conversation)
    assert again.text != answer.text
    await ask(world, "5", again=True)
    assert len(await world.timers.running()) == 1
    await ask(world, "3", "지금 몇 시야?")
    *_, time = await world.store.messages(world.conversation)
    await ask(world, "4", again=True, instead=time.id)
    *_, anew = await world.store.messages(world.conversation)
    assert anew.text == time.text


async def test_a_command_is_executed_by_the_attempt_that_succeeds_and_by_no_later_one(
    make_world: MakeWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = make_world(FakeBackend(says("답")))

    async def fail(*_arguments: Any) -> None:
        raise StorageError("sori.db", "the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(world.timers, "set", fail)
        await ask(world, "1", "5분 타이머 맞춰 줘")
    assert len(await world.timers.running()) == 0
    await ask(world, "2", again=True)
    await ask(world, "3", again=True)
    assert len(await world.timers.running()) == 1
