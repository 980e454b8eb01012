"""Requests that were taken for whole too early: the halves become one message, and one answer follows."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assistant.core import updates as up
from assistant.core.audio import SAMPLE_RATE
from assistant.core.messages import Completion, Role
from assistant.core.permissions import Category
from assistant.core.settings import Language, VoiceSettings
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import calls, says
from tests.fakes.sound.scene import Scene

LONG = "하나는 이렇습니다. 둘은 저렇습니다. 셋은 그렇습니다. 넷은 이렇습니다. 다섯은 저렇습니다. 여섯은 그렇습니다."
PAUSE_S = 1.4
"""Longer than a bare noun is waited for, so that its answer has begun."""


def halves(first: str, second: str, pause_s: float = PAUSE_S) -> Scene:
    return Scene().wake_word().silence(0.3).says(first).silence(pause_s).says(second).silence(3)


def shown(stage: Stage, kind: type[up.Update]) -> int:
    return sum(isinstance(update, kind) for update in stage.updates)


def conversation(stage: Stage) -> list[tuple[Role, str]]:
    return [(message.role, message.text) for message in stage.messages]


async def test_both_halves_are_one_message_with_one_answer(tmp_path: Path) -> None:
    stage = await perform(halves("내일 서울", "날씨 어때?"), tmp_path, says(LONG), says("맑아요."))
    assert conversation(stage) == [(Role.USER, "내일 서울 날씨 어때?"), (Role.ASSISTANT, "맑아요.")]
    assert stage.messages[1].completion is Completion.COMPLETE
    assert stage.voices.said[-1] == "맑아요."
    sent = [message.text for message in stage.backend.requests[-1].messages]
    assert len(sent) == 1
    assert "내일 서울 날씨 어때?" in sent[0]


async def test_the_first_answer_is_taken_off_the_screen_and_is_no_interrupted_one(tmp_path: Path) -> None:
    stage = await perform(halves("내일 서울", "날씨 어때?"), tmp_path, says(LONG), says("맑아요."))
    assert shown(stage, up.AnswerInterrupted) == 0
    withdrawn = next(update for update in stage.updates if isinstance(update, up.TurnWithdrawn))
    first, second = (update for update in stage.updates if isinstance(update, up.MessageAdded))
    assert withdrawn.turn == first.turn
    assert second.message.text == "내일 서울 날씨 어때?"
    assert stage.updates.index(withdrawn) < stage.updates.index(second)


async def test_a_request_that_goes_on_before_the_model_has_answered_is_whole(tmp_path: Path) -> None:
    never = asyncio.Event()
    stage = await perform(halves("내일 서울", "날씨 어때?"), tmp_path, [never], says("맑아요."), patience_s=0.005)
    assert conversation(stage) == [(Role.USER, "내일 서울 날씨 어때?"), (Role.ASSISTANT, "맑아요.")]


async def test_three_parts_are_one_message(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3)
    for part in ("내일", "오후 서울", "날씨 어때?"):
        scene = scene.says(part).silence(PAUSE_S)
    stage = await perform(scene.silence(2), tmp_path, says(LONG), says(LONG), says("맑아요."))
    assert conversation(stage) == [(Role.USER, "내일 오후 서울 날씨 어때?"), (Role.ASSISTANT, "맑아요.")]


@pytest.mark.parametrize("second", ["몇 시야?", "잠깐 다른 얘기"])
async def test_a_new_thought_after_a_whole_sentence_stays_a_barge_in(tmp_path: Path, second: str) -> None:
    stage = await perform(halves("길게 말해 줘.", second), tmp_path, says(LONG), says("네."))
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["길게 말해 줘.", second]
    assert shown(stage, up.AnswerInterrupted) == 1
    assert shown(stage, up.TurnWithdrawn) == 0


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("Can I have a tea", ["Can I have a tea We will try it"]),
        ("Can I have a tea.", ["Can I have a tea.", "We will try it"]),
    ],
)
async def test_english_that_could_be_whole_goes_on_where_both_are_read_as_one_sentence(
    tmp_path: Path, first: str, said: list[str]
) -> None:
    voice = VoiceSettings(cues=False, language="en")
    stage = await perform(
        halves(first, "We will try it"),
        tmp_path,
        says("Let me think of it. " * 5),
        says("Yes."),
        voice=voice,
        language="en",
    )
    assert [text for role, text in conversation(stage) if role is Role.USER] == said


async def test_english_that_could_be_whole_goes_on_when_the_speaker_does_at_once(tmp_path: Path) -> None:
    voice = VoiceSettings(cues=False, language="en")
    stage = await perform(
        halves("Can I have a tea.", "We will try it", 0.8),
        tmp_path,
        says("Let me think of it. " * 5),
        says("Yes."),
        voice=voice,
        language="en",
    )
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["Can I have a tea. We will try it"]
    assert shown(stage, up.TurnWithdrawn) == 1


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("택시 불러 줘.", "서울역으로", "택시 불러 줘 서울역으로"),
        ("노래 틀어 줘.", "조용한 걸로", "노래 틀어 줘 조용한 걸로"),
        ("날씨 말해 줘.", "주말에 제주도", "날씨 말해 줘 주말에 제주도"),
    ],
)
async def test_a_korean_afterthought_belongs_to_its_sentence(
    tmp_path: Path, first: str, second: str, joined: str
) -> None:
    stage = await perform(halves(first, second, 0.8), tmp_path, says(LONG), says("네."))
    said = [text for role, text in conversation(stage) if role is Role.USER]
    assert [text.replace(".", "") for text in said] == [joined]


async def test_a_request_goes_on_after_a_short_answer_that_has_ended(tmp_path: Path) -> None:
    stage = await perform(halves("내일 서울", "날씨 어때?", 1.9), tmp_path, says("네?"), says("맑아요."))
    assert conversation(stage) == [(Role.USER, "내일 서울 날씨 어때?"), (Role.ASSISTANT, "맑아요.")]
    assert (shown(stage, up.TurnWithdrawn), shown(stage, up.AnswerInterrupted)) == (1, 0)


@pytest.mark.parametrize(
    ("first", "second", "pause_s"),
    [
        ("내일 서울", "감사합니다", 1.9),
        ("커피 적어 줘.", "그리고 빵도 적어 줘.", 1.9),
        ("내일 서울", "날씨 어때?", 3.2),
    ],
)
async def test_what_follows_a_short_answer_is_mostly_a_message_of_its_own(
    tmp_path: Path, first: str, second: str, pause_s: float
) -> None:
    stage = await perform(halves(first, second, pause_s), tmp_path, says("네?"), says("네."))
    assert [text for role, text in conversation(stage) if role is Role.USER] == [first, second]
    assert shown(stage, up.TurnWithdrawn) == 0


async def test_what_was_said_before_the_session_ended_does_not_go_on_in_the_next(tmp_path: Path) -> None:
    scene = halves("내일 서울", "그만할게", 1.9).wake_word().silence(0.3).says("날씨 어때?").silence(3)
    stage = await perform(scene, tmp_path, says("네?"), says("맑아요."))
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["내일 서울", "날씨 어때?"]


async def test_an_answer_heard_to_its_end_that_has_done_something_stays_whole(tmp_path: Path) -> None:
    async def order(_arguments: dict[str, Any], _call: RunningCall) -> str:
        return "주문했습니다"

    tool = Tool(
        name="order",
        description="Orders.",
        parameters={"type": "object", "properties": {}, "additionalProperties": False},
        category=Category.SAFE,
        idempotent=False,
        run=order,
    )
    replies = calls(("order", {})), says("네."), says("두 잔이요.")
    stage = await perform(halves("커피 한 잔", "아니 두 잔", 1.9), tmp_path, *replies, tools=(tool,))
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["커피 한 잔", "아니 두 잔"]
    assert (shown(stage, up.TurnWithdrawn), shown(stage, up.AnswerInterrupted)) == (0, 0)


async def test_what_is_said_over_an_answer_heard_for_a_while_stays_a_barge_in(tmp_path: Path) -> None:
    stage = await perform(halves("내일 서울", "날씨 어때?", 4.0), tmp_path, says(LONG), says("맑아요."))
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["내일 서울", "날씨 어때?"]
    assert stage.messages[1].heard is not None
    assert shown(stage, up.AnswerInterrupted) == 1


async def test_a_stop_word_is_never_a_second_half(tmp_path: Path) -> None:
    stage = await perform(halves("내일 서울", "그만"), tmp_path, says(LONG), says("?"))
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["내일 서울"]
    assert len(stage.backend.requests) == 1
    assert shown(stage, up.TurnWithdrawn) == 0


async def test_a_sentence_that_begins_with_and_goes_on(tmp_path: Path) -> None:
    stage = await perform(halves("우유를 적어 줘.", "그리고 빵도 적어 줘."), tmp_path, says(LONG), says("네."))
    assert conversation(stage) == [(Role.USER, "우유를 적어 줘. 그리고 빵도 적어 줘."), (Role.ASSISTANT, "네.")]


async def test_what_a_tool_has_done_stays_told_and_is_not_done_twice(tmp_path: Path) -> None:
    orders: list[dict[str, Any]] = []

    async def order(arguments: dict[str, Any], _call: RunningCall) -> str:
        orders.append(arguments)
        return "주문했습니다"

    tool = Tool(
        name="order",
        description="Orders.",
        parameters={"type": "object", "properties": {}, "additionalProperties": False},
        category=Category.SAFE,
        idempotent=False,
        run=order,
    )
    replies = calls(("order", {})), says(LONG), says("네, 두 잔이에요.")
    stage = await perform(halves("커피 한 잔", "아니 두 잔"), tmp_path, *replies, tools=(tool,))
    assert len(orders) == 1
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["커피 한 잔", "아니 두 잔"]
    assert (Role.TOOL, "주문했습니다") in conversation(stage)
    told = [call.name for message in stage.backend.requests[-1].messages for call in message.tool_calls]
    assert told == ["order"]
    assert shown(stage, up.TurnWithdrawn) == 0
    assert shown(stage, up.AnswerInterrupted) == 1


async def test_a_timer_that_was_set_stays_set_once(tmp_path: Path) -> None:
    scene = halves("십 분 타이머 맞춰 줘.", "그리고 창문도 닫아 줘.")
    stage = await perform(scene, tmp_path, says("창문은 못 닫아요."))
    asked = [text for role, text in conversation(stage) if role is Role.USER]
    assert asked == ["십 분 타이머 맞춰 줘.", "그리고 창문도 닫아 줘."]


async def test_a_timer_that_was_set_stays_set_once_although_its_request_goes_on_twice(tmp_path: Path) -> None:
    timer, window, light = "십 분 타이머 맞춰 줘.", "그리고 창문도 닫아 줘.", "그리고 불도 꺼 줘."
    scene = Scene().wake_word().silence(0.3).says(timer).silence(0.7).says(window).silence(PAUSE_S).says(light)
    stage = await perform(scene.silence(3), tmp_path, says(LONG), says("못 꺼요."))
    asked = [text for role, text in conversation(stage) if role is Role.USER]
    assert asked == [timer, "그리고 창문도 닫아 줘 그리고 불도 꺼 줘."]


async def test_a_mumble_after_the_first_half_leaves_its_answer_interrupted(tmp_path: Path) -> None:
    stage = await perform(halves("내일 서울", ""), tmp_path, says(LONG))
    assert [text for role, text in conversation(stage) if role is Role.USER] == ["내일 서울"]
    assert shown(stage, up.AnswerInterrupted) == 1
    assert shown(stage, up.TurnWithdrawn) == 0


async def test_a_second_half_that_is_understood_only_with_the_first_counts(tmp_path: Path) -> None:
    def limit(stage: Stage) -> None:
        stage.recognizer.unclear = "날씨 어때?"

    stage = await perform(halves("내일 서울", "날씨 어때?"), tmp_path, says(LONG), says("맑아요."), prepare=limit)
    assert conversation(stage) == [(Role.USER, "내일 서울 날씨 어때?"), (Role.ASSISTANT, "맑아요.")]


async def test_of_a_second_half_that_is_understood_only_with_the_first_nothing_is_done_twice(tmp_path: Path) -> None:
    def limit(stage: Stage) -> None:
        stage.recognizer.unclear = "그리고 창문도 닫아 줘."

    scene = halves("십 분 타이머 맞춰 줘.", "그리고 창문도 닫아 줘.")
    stage = await perform(scene, tmp_path, says("창문은 못 닫아요."), prepare=limit)
    asked = [text for role, text in conversation(stage) if role is Role.USER]
    assert asked == ["십 분 타이머 맞춰 줘.", "그리고 창문도 닫아 줘."]


async def test_halves_that_cannot_be_read_together_are_put_together_as_they_were_read(tmp_path: Path) -> None:
    def limit(stage: Stage) -> None:
        stage.recognizer.longest = 3 * SAMPLE_RATE  # each half is shorter, both together are not

    stage = await perform(halves("내일 서울.", "날씨 어때?"), tmp_path, says(LONG), says("맑아요."), prepare=limit)
    assert conversation(stage)[0] == (Role.USER, "내일 서울 날씨 어때?")


SOFTER = (
    ("I'd like a 12-ounce double shot mocha", "with brown sugar and some almond milk", "en", 1.8, 0.8),
    ("Can I have a large latte", "and a blueberry muffin", "en", 1.2, 1.4),
    ("Remind me to call Anna", "before the meeting on Friday", "en", 1.0, 0.8),
    ("Send a message to Anna", "that I will be late", "en", 1.0, 1.4),
    ("What is the weather", "in Seoul tomorrow", "en", 0.9, 0.9),
    ("Add milk to my list", "two bottles", "en", 0.6, 0.8),
    ("Recommend a film for tonight", "something funny for the children", "en", 2.3, 2.2),
    ("내일 서울", "날씨 어때?", "ko", 1.0, 1.4),
    ("따뜻한 라떼 한 잔", "시럽 빼고 포장해 줘", "ko", 1.6, 1.4),
    ("커피 적어 줘.", "그리고 빵이랑 우유도 적어 줘.", "ko", 2.4, 1.4),
    ("우유를 적어 줘.", "두 개", "ko", 0.5, 0.8),
    ("거실 조명", "파란색으로 바꿔 줘.", "ko", 0.8, 2.0),
)
"""A request, the rest of it, its language, the length of the rest and of the pause before it in seconds."""


@pytest.mark.parametrize("below_db", [6, 10, 14])
@pytest.mark.parametrize(("first", "second", "language", "seconds", "pause_s"), SOFTER)
async def test_a_second_half_that_is_softer_is_answered_together_with_the_first(
    tmp_path: Path, first: str, second: str, language: Language, seconds: float, pause_s: float, below_db: float
) -> None:
    scene = Scene().wake_word().silence(0.3).says(first, 1.2, below_db=0).silence(pause_s)
    scene = scene.says(second, seconds, below_db=below_db).silence(4)
    answers = says(LONG if language == "ko" else "Let me think of it for a while. " * 5), says("네.")
    voice = VoiceSettings(cues=False, language=language)
    stage = await perform(scene, tmp_path, *answers, voice=voice, language=language)
    assert " ".join(text for role, text in conversation(stage) if role is Role.USER).endswith(second)
    assert len(stage.all("interrupted")) == 1
