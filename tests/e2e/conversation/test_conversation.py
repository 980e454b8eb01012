"""Whole spoken conversations, on a script, in audio time."""

import asyncio
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.audio.segment import BACK_MS
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import EngineError, ErrorCode
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, SessionState
from assistant.core.messages import Completion, Role
from assistant.core.permissions import Category
from assistant.core.settings import VoiceSettings
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import calls, fails, says
from tests.fakes.plain_tool import counting_tool
from tests.fakes.sound.scene import Scene


def subsequence(wanted: list[str], found: list[str]) -> bool:
    rest = iter(found)
    return all(name in rest for name in wanted)


async def test_wake_word_question_answer(tmp_path: Path) -> None:
    scene = Scene().silence(0.5).wake_word().silence(0.3).says("내일 뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("따뜻하게 입으세요. 내일은 추워요."))
    names = stage.names()
    assert subsequence(["wake", "listening", "speech_started", "speech_ended", "transcript"], names)
    assert subsequence(["transcript", "first_token", "first_audio", "sentence", "done", "listening"], names)
    assert stage.first("transcript")["engine"]
    assert stage.first("done")["model"] == "m"
    assert stage.first("transcript")["text"] == "내일 뭐 입을까?"
    assert stage.voices.said == ["따뜻하게 입으세요.", "내일은 추워요."]
    assert [(m.role, m.text, m.completion) for m in stage.messages] == [
        (Role.USER, "내일 뭐 입을까?", Completion.COMPLETE),
        (Role.ASSISTANT, "따뜻하게 입으세요. 내일은 추워요.", Completion.COMPLETE),
    ]


async def test_words_right_after_the_wake_word_are_the_request(tmp_path: Path) -> None:
    scene = Scene().wake_word().says("내일 뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."))
    assert stage.first("transcript")["text"] == "내일 뭐 입을까?"


@pytest.mark.parametrize("rest_s", [0.1, 0.4])
async def test_the_rest_of_the_wake_word_is_nothing_that_was_said(tmp_path: Path, rest_s: float) -> None:
    scene = Scene().wake_word().says("Thank you.", rest_s).silence(12)
    stage = await perform(scene, tmp_path, says("You are welcome."))
    assert stage.names() == ["wake", "listening", "idle"]
    assert not stage.recognizer.calls
    assert not stage.backend.requests
    assert not stage.played.any()


async def test_after_the_rest_of_the_wake_word_the_question_is_asked_alone(tmp_path: Path) -> None:
    scene = Scene().wake_word().says("Thank you.", 0.3).silence(0.5).says("내일 뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."))
    assert [event["text"] for event in stage.all("transcript")] == ["내일 뭐 입을까?"]
    assert stage.voices.said == ["코트요."]


@pytest.mark.parametrize(("read", "asked"), [("헤이 자비스 불 꺼", ["불 꺼"]), ("Thank you.", []), ("Hey Jarvis.", [])])
async def test_a_word_in_the_wake_words_breath_counts_only_behind_the_wake_word(
    tmp_path: Path, read: str, asked: list[str]
) -> None:
    scene = Scene().wake_word().says(read, 0.6).silence(3)
    stage = await perform(scene, tmp_path, says("네."))
    assert [event["text"] for event in stage.all("transcript")] == asked
    assert len(stage.backend.requests) == len(asked)
    assert stage.voices.said == ["네."] * len(asked)


async def test_the_wake_word_is_taken_off_the_request_and_its_partials(tmp_path: Path) -> None:
    scene = Scene().wake_word().says("헤이 자비스 내일 뭐 입을까?", 3).silence(2)
    stage = await perform(scene, tmp_path, says("코트요."))
    assert stage.first("transcript")["text"] == "내일 뭐 입을까?"
    assert {event["text"] for event in stage.all("partial")} == {"내일 뭐 입을까?"}


async def test_while_the_user_speaks_soris_own_model_reads_the_conversation(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3).says("내일 뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), embedded=True)
    (requests_before, read), *_ = stage.backend.read
    assert requests_before == 0
    assert read.system == stage.backend.requests[0].system


async def test_false_wake_calls_no_model_and_says_nothing(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(11)
    stage = await perform(scene, tmp_path, says("?"))
    assert stage.names() == ["wake", "listening", "idle"]
    assert stage.first("idle")["t"] == pytest.approx(10.5, abs=0.1)
    assert not stage.backend.requests
    assert not stage.played.any()


async def test_noise_does_not_keep_it_listening_for_ever(tmp_path: Path) -> None:
    scene = Scene().wake_word()
    for _ in range(6):
        scene = scene.silence(4).noise(0.1)
    stage = await perform(scene, tmp_path, says("?"))
    assert stage.first("idle")["t"] == pytest.approx(0.5 + 10, abs=2.5)
    assert not stage.backend.requests


async def test_a_television_that_ends_an_answer_leaves_the_user_the_whole_silence(tmp_path: Path) -> None:
    television = "시청해 주셔서 감사합니다"
    scene = Scene().wake_word().silence(9.2).says("이야기해 줘", 0.8).silence(1.5).says(television, 0.95).silence(12)
    stage = await perform(scene, tmp_path, says("하나는 이렇습니다. 둘은 저렇습니다. 셋은 그렇습니다."))
    assert "interrupted" in stage.names()
    assert stage.first("prompt")["t"] - stage.first("speech_rejected")["t"] >= 9


async def test_noise_never_becomes_a_message(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3).noise(0.08).silence(1).noise(0.1).silence(1)
    stage = await perform(scene, tmp_path, says("?"))
    assert not stage.messages
    assert not stage.backend.requests
    assert not stage.voices.said


async def test_conversation_goes_on_without_the_wake_word(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("첫 번째 질문이야").silence(4).says("두 번째 질문이야").silence(2)
    stage = await perform(scene, tmp_path, says("첫 답이에요."), says("둘째 답이에요."))
    assert [event["text"] for event in stage.all("transcript")] == ["첫 번째 질문이야", "두 번째 질문이야"]
    assert len(stage.all("wake")) == 1
    assert stage.voices.said == ["첫 답이에요.", "둘째 답이에요."]


async def test_silence_asks_whether_to_end_and_more_silence_ends(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("질문이 하나 있어").silence(26)
    stage = await perform(scene, tmp_path, says("네."))
    assert stage.voices.said == ["네.", "대화를 종료할까요?"]
    question, idle = stage.first("prompt")["t"], stage.first("idle")["t"]
    answered = stage.all("listening")[1]["t"]
    assert question == pytest.approx(answered + 10, abs=0.05)
    assert idle == pytest.approx(stage.all("listening")[2]["t"] + 10, abs=0.05)
    assert stage.session.snapshot.session is SessionState.INACTIVE


@pytest.mark.parametrize(("answer", "goes_on"), [("네", False), ("아니요", True)])
async def test_the_end_question_is_answered_in_words(tmp_path: Path, answer: str, goes_on: bool) -> None:
    scene = Scene().wake_word().silence(0.2).says("질문이 하나 있어").silence(14).says(answer, 0.5).silence(2)
    stage = await perform(scene, tmp_path, says("네."))
    assert "대화를 종료할까요?" in stage.voices.said
    assert (stage.session.snapshot.session is SessionState.ACTIVE) is goes_on
    assert len(stage.backend.requests) == 1


async def test_closing_words_end_the_session_without_a_model(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("대화 종료").silence(1)
    stage = await perform(scene, tmp_path, says("?"))
    assert stage.names()[-1] == "idle"
    assert not stage.backend.requests


async def test_plain_command_is_answered_without_a_model(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("지금 몇 시야?").silence(3)
    stage = await perform(scene, tmp_path, says("?"))
    assert stage.voices.said == ["지금은 오후 세 시 오 분이에요."]
    assert not stage.backend.requests


async def test_barge_in_silences_at_once_and_keeps_what_was_heard(tmp_path: Path) -> None:
    long = "하나는 이렇습니다. 둘은 저렇습니다. 셋은 그렇습니다. 넷은 아무렇지도 않습니다."
    scene = Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(1.5).says("다른 얘기를 해 줘").silence(3)
    stage = await perform(scene, tmp_path, says(long), says("알겠어요."))
    interrupted, paused = stage.first("interrupted"), stage.first("overlap")
    spoke_at = 0.5 + 0.2 + 1.0 + 1.5
    assert spoke_at < paused["t"] < spoke_at + 0.2
    assert paused["t"] < interrupted["t"] < spoke_at + 0.9
    assert long.startswith(interrupted["heard"])
    assert 0 < len(interrupted["heard"]) < len(long)
    answer = stage.messages[1]
    assert answer.completion is Completion.INTERRUPTED
    assert answer.heard == interrupted["heard"]
    assert answer.text == long
    silent = stage.played[round((paused["t"] + 0.03) * 48_000) : round((spoke_at + 1.0) * 48_000)]
    assert not silent.any()
    assert stage.all("transcript")[1]["text"] == "다른 얘기를 해 줘"
    assert stage.voices.said[-1] == "알겠어요."
    history = stage.backend.requests[1].messages
    assert not any("넷은" in message.text for message in history)


LONG = "하나는 이렇습니다. 둘은 저렇습니다. 셋은 그렇습니다. 넷은 또 다릅니다."


async def test_a_short_cough_ducks_and_resumes(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(1).noise(0.1).silence(4)
    stage = await perform(scene, tmp_path, says(LONG))
    assert "resumed" in stage.names()
    assert not {"interrupted", "overlap"} & set(stage.names())
    cough_end = 0.5 + 0.2 + 1.0 + 1.0 + 0.1
    during = stage.played[round((cough_end + 0.05) * 48_000) : round((cough_end + 0.15) * 48_000)]
    after = stage.played[round((cough_end + 0.8) * 48_000) : round((cough_end + 1.0) * 48_000)]
    assert 0 < np.abs(during).max() < 0.5 * np.abs(after).max()


@pytest.mark.parametrize(("word", "reason"), [("응", "agreement"), ("둘은 저렇습니다", "echo"), ("", "nothing")])
async def test_a_word_that_is_no_interruption_pauses_the_answer_and_loses_nothing_of_it(
    tmp_path: Path, word: str, reason: str
) -> None:
    opening = Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(3.2)
    scene = (opening.says(word, 0.6) if word else opening.noise(0.4)).silence(8)
    undisturbed = await perform(
        Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(8), tmp_path / "a", says(f"{LONG} {LONG}")
    )
    stage = await perform(scene, tmp_path / "b", says(f"{LONG} {LONG}"))
    assert stage.first("resumed")["reason"] == reason
    assert "interrupted" not in stage.names()
    assert len(stage.backend.requests) == 1
    assert stage.messages[1].heard in ("", None)
    pause = slice(
        *(round((stage.first(name)["t"] + late) * 48_000) for name, late in (("overlap", 0.03), ("resumed", 0)))
    )
    assert not stage.played[pause].any()
    # It goes on with the beginning of the word in which it was paused.
    again = np.count_nonzero(stage.played) - np.count_nonzero(undisturbed.played)
    assert -0.02 * 48_000 <= again <= (BACK_MS / 1000 + 0.02) * 48_000


@pytest.mark.parametrize("word", ["그만", "점간"])
async def test_a_stop_word_also_misspelt_ends_the_answer_at_once_and_asks_nobody(tmp_path: Path, word: str) -> None:
    scene = Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(2.5).says(word, 0.4).silence(4)
    stage = await perform(scene, tmp_path, says(LONG))
    spoken_until = 0.5 + 0.2 + 1.0 + 2.5 + 0.4
    assert stage.first("interrupted")["t"] < spoken_until + 0.3
    assert stage.all("transcript")[1]["text"] == word
    assert stage.all("transcript")[1]["t"] < spoken_until + 0.3
    assert len(stage.backend.requests) == 1
    assert not stage.played[round((stage.first("overlap")["t"] + 0.03) * 48_000) :].any()
    assert stage.session.snapshot.interaction is InteractionState.LISTENING


async def test_with_a_broken_recogniser_a_word_stops_the_answer(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(2.5).says("그만", 0.4).silence(4)

    def break_it(stage: Stage, second: float) -> None:
        stage.recognizer.failures = [EngineError("tone", "broken")] if 4 < second < 5 else []

    stage = await perform(scene, tmp_path, says(LONG), on_frame=break_it)
    assert "interrupted" in stage.names()
    assert not stage.played[round((stage.first("overlap")["t"] + 0.03) * 48_000) :][: 48_000 // 2].any()


async def test_a_word_of_agreement_while_it_thinks_does_not_cancel_the_turn(tmp_path: Path) -> None:
    slow = asyncio.Event()
    scene = Scene().wake_word().silence(0.2).says("첫 질문이야").silence(1.5).says("응", 0.4).silence(3)

    def answer(stage: Stage, second: float) -> None:
        if second > 4.5:
            slow.set()

    stage = await perform(scene, tmp_path, [slow, *says("답이에요.")], on_frame=answer, patience_s=0.005)
    assert stage.first("resumed")["reason"] == "agreement"
    assert stage.backend.closed_early == 0
    assert stage.voices.said == ["답이에요."]


async def test_speaking_while_it_thinks_cancels_the_turn(tmp_path: Path) -> None:
    never = asyncio.Event()
    scene = Scene().wake_word().silence(0.2).says("첫 질문이야").silence(1.5).says("아니 다른 걸 말해 줘").silence(3)
    stage = await perform(scene, tmp_path, [never], says("네."), patience_s=0.005)
    assert stage.all("transcript")[1]["text"] == "아니 다른 걸 말해 줘"
    assert stage.voices.said == ["네."]
    assert stage.backend.closed_early == 1


async def test_unintelligible_speech_is_asked_about_once(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3).noise(0.6).silence(5).noise(0.6).silence(2)
    stage = await perform(scene, tmp_path, says("?"))
    assert " ".join(stage.voices.said) == "잘 못 들었어요 다시 말해주세요."
    assert up.NoticePosted(key="prompt.misheard") in stage.updates
    assert not stage.backend.requests


async def test_a_failing_recogniser_is_asked_about_and_works_again(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.3).says("첫 번째 질문이야").silence(5).says("두 번째 질문이야").silence(2)

    def break_it(stage: Stage, second: float) -> None:
        stage.recognizer.failures = [EngineError("tone", "broken")] if second < 3 else []

    stage = await perform(scene, tmp_path, says("네."), on_frame=break_it)
    assert " ".join(stage.voices.said) == "잘 못 들었어요 다시 말해주세요. 네."


async def test_failure_of_the_model_is_said_aloud(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("질문이 하나 있어").silence(4)
    stage = await perform(scene, tmp_path, fails(ErrorCode.AUTHENTICATION))
    assert any("키를 확인하세요" in said for said in stage.voices.said)
    assert stage.first("error")["code"] == "authentication"
    assert stage.session.snapshot.interaction is InteractionState.LISTENING


async def test_tools_show_while_they_run(tmp_path: Path) -> None:
    async def look_up(_arguments: dict[str, Any], _call: RunningCall) -> str:
        return "맑음"

    tool = Tool(
        name="weather",
        description="The weather.",
        parameters={"type": "object", "properties": {}},
        category=Category.SAFE,
        idempotent=True,
        run=look_up,
    )
    scene = Scene().wake_word().silence(0.2).says("날씨 좀 알려 줘").silence(3)
    stage = await perform(scene, tmp_path, calls(("weather", {})), says("맑아요."), tools=(tool,))
    tools_shown = [u.snapshot.tool for u in stage.updates if isinstance(u, up.StateChanged)]
    assert "weather" in tools_shown
    assert stage.voices.said == ["맑아요."]


@pytest.mark.parametrize(("words", "runs"), [("응", True), ("아니 다른 걸 말해 줘", False)])
async def test_a_tool_waits_until_it_is_known_whether_the_user_interrupts(
    tmp_path: Path, words: str, runs: bool
) -> None:
    slow, ran = asyncio.Event(), list[str]()

    scene = Scene().wake_word().silence(0.2).says("우유를 적어 줘").silence(1.5).says(words, 0.4).silence(5)
    asked: list[int] = []

    def answer(stage: Stage, second: float) -> None:
        if stage.all("overlap") and not slow.is_set():
            slow.set()
            asked.append(len(ran))

    replies = ([slow, *calls(("note", {}))], says("적었어요."), says("네."))
    stage = await perform(scene, tmp_path, *replies, on_frame=answer, tools=(counting_tool(ran),), patience_s=0.005)
    assert asked == [0]
    assert bool(ran) is runs
    assert stage.session.snapshot.interaction is InteractionState.LISTENING


async def test_a_turn_whose_conversation_is_left_while_somebody_speaks_runs_its_tool(tmp_path: Path) -> None:
    called, ran = asyncio.Event(), list[str]()

    told: list[str] = []

    def drive(stage: Stage, second: float) -> None:
        if second >= 0.5 and not told:
            told.append("typed")
            stage.write("우유를 적어 줘")
        if stage.all("overlap") and len(told) == 1:
            told.append("spoken over")
            called.set()
        elif len(told) == 2 and second >= 1.5:
            assert ran == [], "it waits for the words"
            told.append("left")
            stage.session.tell(ev.ConversationLeft())

    replies = ([called, *calls(("note", {}))], says("적었어요."))
    scene = Scene().silence(1).noise(0.6).silence(3)
    await perform(
        scene,
        tmp_path,
        *replies,
        on_frame=drive,
        tools=(counting_tool(ran),),
        no_wake=True,
        speaks=False,
        patience_s=0.005,
    )
    assert told == ["typed", "spoken over", "left"]
    assert ran == ["ran"]


async def test_without_a_speaker_the_answer_is_text_and_listening_goes_on(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("질문이 하나 있어").silence(2)
    stage = await perform(scene, tmp_path, says("네."), speaks=False)
    assert stage.messages[1].text == "네."
    assert not stage.played.any()
    assert stage.session.snapshot.interaction is InteractionState.LISTENING


async def test_words_that_begin_while_an_answer_without_sound_ends_are_whole(tmp_path: Path) -> None:
    written = asyncio.Event()

    def write(_stage: Stage, second: float) -> None:
        if second >= 3.7:
            written.set()

    scene = (
        Scene().wake_word().silence(0.3).says("이야기해 줘", 0.8).silence(1.5).says("내일 날씨 알려 줘", 1.5).silence(3)
    )
    replies = ([written, *says("하나는 이렇습니다.")], says("맑아요."))
    stage = await perform(scene, tmp_path, *replies, speaks=False, on_frame=write, patience_s=0.005)
    first, second = stage.all("transcript")
    assert (first["text"], second["text"]) == ("이야기해 줘", "내일 날씨 알려 줘")
    assert stage.first("done")["t"] < second["t"]
    assert second["audio_s"] >= 1.9
    assert [message.text for message in stage.messages if message.role is Role.ASSISTANT] == [
        "하나는 이렇습니다.",
        "맑아요.",
    ]


async def test_broken_synthesis_leaves_the_text_and_says_so(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("질문이 하나 있어").silence(2)

    def break_voice(stage: Stage) -> None:
        stage.voices.failure = EngineError("tone", "no voice")

    stage = await perform(scene, tmp_path, says("네. 그래요."), prepare=break_voice)
    assert stage.messages[1].text == "네. 그래요."
    notices = [u.key for u in stage.updates if isinstance(u, up.NoticePosted)]
    assert notices == ["notice.speech_unavailable"]
    assert stage.session.snapshot.interaction is InteractionState.LISTENING


async def test_partials_grow_and_their_settled_part_never_changes(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("첫 마디", 2).says("둘째 마디", 2).says("셋째 마디", 2).silence(3)
    stage = await perform(scene, tmp_path, says("네."))
    partials = [u for u in stage.updates if isinstance(u, up.PartialHeard)]
    assert len(partials) >= 3
    for before, after in pairwise(partials):
        assert after.text.startswith(before.text[: before.stable])


async def test_a_pause_in_the_sentence_does_not_cut_it(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("거실에 있는", 1).silence(0.6).says("불을 꺼 줘", 1).silence(2)
    stage = await perform(scene, tmp_path, says("네."))
    assert [event["text"] for event in stage.all("transcript")] == ["거실에 있는 불을 꺼 줘"]


async def test_an_endless_utterance_is_cut(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("끝없이 말하는 중이야", 8).silence(2)
    stage = await perform(scene, tmp_path, says("네."), voice=VoiceSettings(cues=False, max_utterance_s=3))
    ended = stage.first("speech_ended")
    assert ended["reason"] == "cap"
    assert ended["t"] == pytest.approx(0.5 + 0.2 + 3.0, abs=0.3)


def _dictated(count: int) -> tuple[Scene, str]:
    """A request of many parts without a pause that could end it, and its words."""
    words = [f"{number}번째 문장을 말하고" for number in range(1, count)] + ["끝이야."]
    scene = Scene().wake_word().silence(0.2)
    for each in words:
        scene = scene.says(each, 1.7).silence(0.25)
    return scene.silence(3), " ".join(words)


@pytest.mark.parametrize("count", [3, 5, 9])
async def test_an_utterance_that_is_longer_than_a_transcript_goes_on_with_the_rest(tmp_path: Path, count: int) -> None:
    scene, words = _dictated(count)
    stage = await perform(scene, tmp_path, says("네."), voice=VoiceSettings(cues=False, max_utterance_s=4))
    assert [message.text for message in stage.messages if message.role is Role.USER] == [words]
    assert len(stage.backend.requests) == 1
    shown = [update.text for update in stage.updates if isinstance(update, up.PartialHeard)]
    assert words.startswith(shown[-1][:10])
    assert max(map(len, shown)) > len(words) * 0.6


async def test_what_a_recogniser_cannot_read_of_a_long_utterance_does_not_lose_the_rest(tmp_path: Path) -> None:
    scene, words = _dictated(5)

    def fail(stage: Stage) -> None:
        stage.recognizer.unclear = "끝이야."

    stage = await perform(
        scene, tmp_path, says("네."), voice=VoiceSettings(cues=False, max_utterance_s=4), prepare=fail
    )
    said = [message.text for message in stage.messages if message.role is Role.USER]
    assert said == [words.removesuffix(" 끝이야.")]


async def test_a_long_utterance_of_a_held_key_goes_on_with_the_rest(tmp_path: Path) -> None:
    scene, words = _dictated(5)

    def hold(stage: Stage, second: float) -> None:
        if second in (0.0, 11.0):
            stage.session.hold_to_talk(held=second == 0.0)

    voice = VoiceSettings(cues=False, max_utterance_s=4)
    stage = await perform(scene, tmp_path, says("네."), voice=voice, on_frame=hold)
    assert [message.text for message in stage.messages if message.role is Role.USER] == [words]


async def test_cues_sound_only_when_they_are_wanted(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(2)
    quiet = await perform(scene, tmp_path / "quiet", says("?"))
    loud = await perform(Scene().wake_word().silence(2), tmp_path / "loud", says("?"), voice=VoiceSettings())
    assert not quiet.played.any()
    assert loud.played.any()


async def test_typed_text_barges_in(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(5)
    typed: list[float] = []

    def type_over(stage: Stage, second: float) -> None:
        if second >= 3 and not typed:
            typed.append(second)
            stage.write("됐고, 다른 질문이 있어")

    stage = await perform(
        scene, tmp_path, says("하나는 이렇습니다. 둘은 저렇습니다. 셋은 그렇습니다."), says("네."), on_frame=type_over
    )
    assert "interrupted" in stage.names()
    assert [m.text for m in stage.messages if m.role is Role.USER] == ["길게 말해 줘", "됐고, 다른 질문이 있어"]
    assert stage.messages[-1].text == "네."


async def test_muting_ends_the_spoken_conversation(tmp_path: Path) -> None:
    scene = Scene().wake_word().silence(2).says("이건 들리지 않아").silence(2)
    muted: list[float] = []

    def mute(stage: Stage, second: float) -> None:
        if second >= 1 and not muted:
            muted.append(second)
            stage.session.set_muted(True)

    stage = await perform(scene, tmp_path, says("?"), on_frame=mute)
    assert not stage.messages
    assert stage.session.snapshot.session is SessionState.INACTIVE


@pytest.mark.parametrize(("pressed", "shown"), [(False, True), (True, False)])
async def test_only_speaking_over_an_answer_is_shown_as_such(tmp_path: Path, pressed: bool, shown: bool) -> None:
    scene = Scene().wake_word().silence(0.2).says("길게 말해 줘").silence(2)
    scene = scene.silence(2) if pressed else scene.says("잠깐 다른 얘기").silence(2)
    stopped: list[float] = []

    def press_stop(stage: Stage, second: float) -> None:
        if pressed and second >= 3 and not stopped:
            stopped.append(second)
            stage.session.tell(ev.StopPressed())

    long = "하나는 이렇습니다. 둘은 저렇습니다. 셋은 그렇습니다. 넷은 이렇습니다. 다섯은 저렇습니다."
    stage = await perform(scene, tmp_path, says(long), says("네."), on_frame=press_stop)
    assert any(isinstance(update, up.AnswerInterrupted) for update in stage.updates) is shown
    assert stage.messages[1].heard is not None
    assert len(stage.messages[1].heard) < len(long)


async def test_stopping_a_typed_turn_keeps_the_partial_as_it_was_read(tmp_path: Path) -> None:
    never = asyncio.Event()
    stopped: list[float] = []

    def drive(stage: Stage, second: float) -> None:
        if second == 0.1:
            stage.write("안녕하신가")
        if second >= 1 and not stopped:
            stopped.append(second)
            stage.session.tell(ev.StopPressed())

    reply = [*says("반가워요.")[:1], never]
    stage = await perform(Scene().silence(2), tmp_path, reply, on_frame=drive, patience_s=0.005)
    answer = stage.messages[1]
    assert (answer.completion, answer.text, answer.heard) == (Completion.CANCELLED, "반가워요.", None)


async def test_a_stopped_answer_is_shown_to_have_ended(tmp_path: Path) -> None:
    never = asyncio.Event()
    stopped: list[float] = []

    def drive(stage: Stage, second: float) -> None:
        if second == 0.1:
            stage.write("안녕하신가")
        if second >= 0.5 and not stopped:
            stopped.append(second)
            stage.session.tell(ev.StopPressed())

    reply = [*says("반가워요.")[:1], never]
    stage = await perform(Scene().silence(1), tmp_path, reply, on_frame=drive, patience_s=0.005)
    packets = [update.packet for update in stage.updates if isinstance(update, up.PacketEmitted)]
    assert [packet.finish for packet in packets if isinstance(packet, pk.Done)] == ["cancelled"]
    assert stage.backend.closed_early == 1


async def test_of_two_messages_at_once_both_are_answered_one_after_another(tmp_path: Path) -> None:
    def drive(stage: Stage, second: float) -> None:
        if second == 0.1:
            stage.write("첫째는 무엇인가")
            stage.write("둘째는 무엇인가")

    stage = await perform(Scene().silence(1), tmp_path, says("반가워요."), on_frame=drive)
    first, second = "첫째는 무엇인가", "둘째는 무엇인가"
    assert [message.text for message in stage.messages] == [first, "반가워요.", second, "반가워요."]
    shown = [update.message.text for update in stage.updates if isinstance(update, up.MessageAdded)]
    assert shown == ["첫째는 무엇인가", "둘째는 무엇인가"]


async def test_a_card_that_goes_away_before_the_first_sound_leaves_nothing_waiting(tmp_path: Path) -> None:
    gone: list[float] = []

    def unplug(stage: Stage, second: float) -> None:
        state = stage.session.snapshot
        about_to_speak = state.interaction is InteractionState.PROCESSING and state.turn
        if about_to_speak and stage.names()[-1] == "prompt" and not gone:
            gone.append(second)
            stage.session.detach()

    scene = Scene().wake_word().silence(0.3).noise(0.6).silence(3)
    stage = await perform(scene, tmp_path, says("?"), on_frame=unplug)
    assert gone
    assert stage.session.snapshot.interaction is InteractionState.IDLE


async def test_an_answer_that_is_only_shown_since_the_card_went_away_counts_as_read_when_it_is_stopped(
    tmp_path: Path,
) -> None:
    written, never = asyncio.Event(), asyncio.Event()

    def drive(stage: Stage, _second: float) -> None:
        if stage.session.can_speak and stage.session.snapshot.interaction is InteractionState.PROCESSING:
            stage.session.detach()
            written.set()
        elif stage.all("first_token"):
            stage.session.tell(ev.StopPressed())

    reply = [written, *says("맑아요.")[:1], never]
    scene = Scene().wake_word().silence(0.3).says("내일 날씨 어때?").silence(3)
    stage = await perform(scene, tmp_path, reply, on_frame=drive, patience_s=0.005)
    assert [message.text for message in stage.messages] == ["내일 날씨 어때?", "맑아요."]
    assert [message.heard for message in stage.messages] == [None, None]


async def test_a_timer_rings_and_is_announced_while_sori_listens_though_cues_are_off(tmp_path: Path) -> None:
    rung: list[float] = []

    def ring(stage: Stage, second: float) -> None:
        if second >= 1 and not rung:
            rung.append(second)
            stage.session.announce("라면 타이머가 끝났어요.")

    stage = await perform(Scene().wake_word().silence(2), tmp_path, says("?"), on_frame=ring)
    assert np.flatnonzero(stage.played)[0] == round(rung[0] * 48_000), "the cue sounds at once"
    assert stage.voices.said == ["라면 타이머가 끝났어요."]


async def test_what_rings_is_stopped_by_a_word_without_a_wake_word(tmp_path: Path) -> None:
    stopped: list[float] = []
    rung: list[float] = []

    def stop(stage: Stage) -> None:
        stopped.append(1)
        stage.session.end_announcement()

    def ring(stage: Stage, second: float) -> None:
        if second >= 0.5 and not rung:
            rung.append(second)
            stage.session.announce("라면 타이머가 끝났어요.")

    def prepare(stage: Stage) -> None:
        stage.session.stopped.add(lambda: stop(stage))

    scene = Scene().silence(5).says("그만").silence(2)
    stage = await perform(scene, tmp_path, says("?"), prepare=prepare, on_frame=ring)
    assert stage.voices.said == ["라면 타이머가 끝났어요."]
    assert len(stopped) == 1
    assert stage.backend.requests == []
    assert stage.session.snapshot.interaction is InteractionState.IDLE


async def test_a_ringing_timer_is_stopped_by_a_word_long_after_its_announcement(tmp_path: Path) -> None:
    """Neither the silence nor the television ends the listening, and the television is not answered."""
    rung: list[float] = []

    def ring(stage: Stage, second: float) -> None:
        if second >= 0.5 and not rung:
            rung.append(second)
            stage.session.set_ringing(True)
            stage.session.announce("라면 타이머가 끝났어요.")

    def stop(stage: Stage) -> None:
        stage.session.set_ringing(False)
        stage.session.end_announcement()

    def prepare(stage: Stage) -> None:
        stage.session.stopped.add(lambda: stop(stage))

    scene = Scene().silence(26).says("다음 소식입니다.").silence(5).says("그만").silence(2)
    stage = await perform(scene, tmp_path, says("?"), prepare=prepare, on_frame=ring)
    assert stage.voices.said == ["라면 타이머가 끝났어요."]
    assert stage.backend.requests == []
    assert stage.session.snapshot.interaction is InteractionState.IDLE


async def test_a_request_behind_the_wake_word_is_answered_although_a_timer_rings_for_long(tmp_path: Path) -> None:
    rung: list[float] = []

    def ring(stage: Stage, second: float) -> None:
        if second >= 0.5 and not rung:
            rung.append(second)
            stage.session.set_ringing(True)
            stage.session.announce("라면 타이머가 끝났어요.")
        elif len(stage.all("done")) > 1:
            stage.session.set_ringing(False)

    scene = Scene().silence(26).says("다음 소식입니다.").silence(3).says("헤이 자비스, 내일 비 와?").silence(3)
    stage = await perform(scene, tmp_path, says("네."), on_frame=ring)
    assert [message.text for message in stage.messages] == ["헤이 자비스, 내일 비 와?", "네."]


async def test_it_rings_again_while_nobody_talks(tmp_path: Path) -> None:
    def ring(stage: Stage, second: float) -> None:
        if second in {1.0, 2.0}:
            stage.session.ring()

    over_speech: list[float] = []

    def ring_over_speech(stage: Stage, second: float) -> None:
        if stage.names()[-1:] == ["speech_started"]:
            over_speech.append(second)
            stage.session.ring()

    quiet = await perform(Scene().silence(3), tmp_path / "a", says("?"))
    stage = await perform(Scene().silence(3), tmp_path / "b", says("?"), on_frame=ring)
    listening = await perform(Scene().wake_word().silence(3), tmp_path / "c", says("?"), on_frame=ring)
    question = "내일 아침에 강릉에 비가 올까, 아니면 모레 아침에 올까?"
    talking = await perform(Scene().wake_word().says(question), tmp_path / "d", says("?"), on_frame=ring_over_speech)
    assert not quiet.played.any()
    assert np.count_nonzero(stage.played) == 2 * 4_800
    assert listening.played.any()
    assert over_speech
    assert not talking.played.any()


async def test_patience_and_cues_that_are_changed_while_it_runs_hold_from_the_next_turn_on(tmp_path: Path) -> None:
    question = "내일 뭐 입을까?"
    scene = Scene().wake_word().silence(0.3).says(question).silence(6).says(question).silence(6)

    def change(stage: Stage, second: float) -> None:
        if second >= 5 and stage.live.current.voice.turn_taking == "fast":
            voice = replace(stage.live.written.voice, turn_taking="patient", cues=True)
            stage.live.change(replace(stage.live.written, voice=voice))

    voice = VoiceSettings(turn_taking="fast", cues=False)
    stage = await perform(scene, tmp_path, says("네."), voice=voice, on_frame=change)
    pauses = [
        ended["t"] - began["t"]
        for began, ended in zip(stage.all("speech_started"), stage.all("speech_ended"), strict=True)
    ]
    assert len(pauses) == 2
    assert pauses[1] - pauses[0] > 0.2
