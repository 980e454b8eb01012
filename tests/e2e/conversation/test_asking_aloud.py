"""A spoken turn asks aloud before a sensitive tool, and understands yes, no, silence, and its own voice."""

from pathlib import Path
from typing import Any

import pytest

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.audio import SAMPLE_RATE
from assistant.core.machine.states import InteractionState
from assistant.core.permissions import Category
from assistant.tools.attendant import Question, Reply, WordedReply
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool
from tests.e2e.stage import Stage, perform
from tests.fakes.asking.words_tool import WordsTool
from tests.fakes.backend import calls, says
from tests.fakes.sound.scene import Scene

QUESTION_S = 6.0
"""Longer than the question is."""
ECHO_S = 0.2
"""The last word of the question as it comes back."""


class Diary:
    """A sensitive tool that notes whether it ran."""

    def __init__(self) -> None:
        self.ran: list[dict[str, Any]] = []
        self.tool = Tool(
            name="read_diary",
            description="Reads the diary.",
            parameters={"type": "object", "properties": {"day": {"type": "string"}}},
            category=Category.SENSITIVE,
            idempotent=True,
            run=self._run,
        )

    async def _run(self, arguments: dict[str, Any], _call: RunningCall) -> str:
        self.ran.append(arguments)
        return "비가 왔다"


def opening() -> Scene:
    return Scene().wake_word().silence(0.2).says("어제 일기 읽어 줘")


async def play(scene: Scene, folder: Path, diary: Diary, **options: Any) -> Stage:
    replies = (calls(("read_diary", {"day": "어제"}), text="볼게요."), says("비가 왔대요."))
    return await perform(scene, folder, *replies, tools=(diary.tool,), **options)


def outcomes(stage: Stage) -> list[str]:
    packets = [each.packet for each in stage.updates if isinstance(each, up.PacketEmitted)]
    return [packet.outcome for packet in packets if isinstance(packet, pk.Answered)]


def click(stage: Stage) -> None:
    """Answer yes by hand to what is asked."""
    asks = [each for each in stage.updates if isinstance(each, up.PacketEmitted) and isinstance(each.packet, pk.Ask)]
    for each in asks:
        assert isinstance(each.packet, pk.Ask)
        stage.board.answer(each.turn, each.packet.question, pk.ANSWER_YES)


async def test_yes_runs_it_and_the_turn_goes_on_aloud(tmp_path: Path) -> None:
    diary = Diary()
    stage = await play(opening().silence(QUESTION_S).says("네").silence(4), tmp_path, diary)
    assert diary.ran == [{"day": "어제"}]
    assert stage.voices.said[0] == "볼게요."
    assert stage.voices.said[-1] == "비가 왔대요."
    asked = "".join(stage.voices.said[1:-1])
    assert asked.endswith("실행해도 될까요?")
    assert "어제" in asked
    assert [message.text for message in stage.messages if message.role == "user"] == ["어제 일기 읽어 줘"]
    turns = {each.turn for each in stage.updates if isinstance(each, up.PacketEmitted)}
    assert len(turns) == 1


async def test_the_states_go_the_allowed_way_and_the_turn_stays_the_same(tmp_path: Path) -> None:
    stage = await play(opening().silence(QUESTION_S).says("네").silence(4), tmp_path, Diary())
    shown = [each.snapshot for each in stage.updates if isinstance(each, up.StateChanged)]
    turn = next(each.turn for each in stage.updates if isinstance(each, up.PacketEmitted))
    states = [snapshot.interaction for snapshot in shown if snapshot.turn == turn]
    changes = [state for before, state in zip([None, *states], states, strict=False) if state is not before]
    listening, processing, speaking = (
        InteractionState.LISTENING,
        InteractionState.PROCESSING,
        InteractionState.SPEAKING,
    )
    assert changes == [listening, processing, speaking, listening, processing, speaking]


@pytest.mark.parametrize("word", ["아니요", "됐어요", "취소", "그만"])
async def test_no_runs_nothing(tmp_path: Path, word: str) -> None:
    diary = Diary()
    stage = await play(opening().silence(QUESTION_S).says(word).silence(4), tmp_path, diary)
    assert (diary.ran, outcomes(stage)) == ([], ["no"])
    assert stage.voices.said[-1] == "비가 왔대요."


async def test_silence_is_no_answer_after_thirty_seconds(tmp_path: Path) -> None:
    diary = Diary()
    stage = await play(opening().silence(33), tmp_path, diary)
    assert (diary.ran, outcomes(stage)) == ([], ["late"])
    heard = next(each for each in stage.all("listening") if each["t"] > stage.first("question")["t"])
    assert 29 <= stage.first("answer")["t"] - heard["t"] <= 31


async def test_anything_else_is_asked_about_once_more_and_then_no_answer(tmp_path: Path) -> None:
    diary = Diary()
    scene = opening().silence(QUESTION_S).says("글쎄 그게 뭐야").silence(9).says("내일 날씨는 어때").silence(4)
    stage = await play(scene, tmp_path, diary)
    assert (diary.ran, outcomes(stage)) == ([], ["late"])
    assert len([said for said in stage.voices.said if said.endswith("될까요?")]) == 2


async def test_a_yes_over_the_question_is_no_answer(tmp_path: Path) -> None:
    diary = Diary()
    stage = await play(opening().silence(2.2).says("네").silence(33), tmp_path, diary)
    assert stage.first("question")["t"] < stage.all("transcript")[-1]["t"]
    assert (diary.ran, outcomes(stage)) == ([], ["late"])


async def test_the_reply_is_read_in_the_language_of_the_question_and_other_words_are_not(tmp_path: Path) -> None:
    stage = await play(opening().silence(QUESTION_S).says("네").silence(4), tmp_path, Diary())
    assert stage.recognizer.languages[0] is None
    assert stage.recognizer.languages[-1] == "ko"


@pytest.mark.parametrize("delay_s", [0.06, 0.15, 0.25])
async def test_an_echo_that_ends_after_the_question_approves_nothing_whatever_is_read_in_it(
    tmp_path: Path, delay_s: float
) -> None:
    asked = await play(opening().silence(40), tmp_path, Diary())
    end_s = next(e["t"] for e in asked.trace if e["event"] == "listening" and e["t"] > asked.first("question")["t"])
    diary, folder = Diary(), tmp_path / "echo"
    folder.mkdir()
    scene = opening()
    wait_s = end_s + delay_s - ECHO_S - len(scene.pcm) / SAMPLE_RATE
    stage = await play(scene.silence(wait_s).says("네", ECHO_S).silence(36), folder, diary)
    assert (diary.ran, outcomes(stage)) == ([], ["late"])


async def test_an_answer_by_hand_ends_the_question_that_is_spoken(tmp_path: Path) -> None:
    diary = Diary()

    stage = await play(opening().silence(6), tmp_path, diary, on_frame=lambda stage, _second: click(stage))
    assert (diary.ran, outcomes(stage)) == ([{"day": "어제"}], ["yes"])
    assert stage.voices.said[-1] == "비가 왔대요."


@pytest.mark.parametrize("before", ["그럼 일기를 볼게요.", ""])
@pytest.mark.parametrize("by_hand", [False, True])
async def test_what_was_heard_after_a_question_is_kept_without_the_question(
    tmp_path: Path, *, by_hand: bool, before: str
) -> None:
    told = "어제 일기에는 아침부터 저녁까지 비가 많이 왔다고 적혀 있고 우산을 잃어버렸다고도 적혀 있습니다."
    replies = (calls(("read_diary", {"day": "어제"}), text=before), says(told), says("네."))
    scene = opening().silence(4.5) if by_hand else opening().silence(9).says("네").silence(2)
    stage = await perform(
        scene.says("이제 그만 읽고 다른 거 하자").silence(4),
        tmp_path,
        *replies,
        tools=(Diary().tool,),
        on_frame=lambda stage, second: click(stage) if by_hand and second >= 4.5 else None,
    )
    heard = next(message.heard for message in stage.messages if message.text == told)
    assert heard is not None
    assert len(told) / 4 < len(heard) < len(told)
    assert stage.first("interrupted")["heard"] == f"{before} {heard}".strip()
    assert [message.text for message in stage.messages if message.heard is not None] == [told]


@pytest.mark.parametrize(
    ("reply", "words"), [("부산", WordedReply(Reply.YES, "부산")), ("아니요", WordedReply(Reply.NO))]
)
async def test_a_question_for_words_is_spoken_with_its_options_and_answered_aloud(
    tmp_path: Path, reply: str, words: WordedReply
) -> None:
    question = Question(text="날씨 서버가 물어봐요: 도시", options=("서울", "부산"))
    weather = WordsTool("read_weather", question, result="맑다")
    replies = (calls(("read_weather", {})), says("맑대요."))
    scene = opening().silence(QUESTION_S).says(reply).silence(4)
    stage = await perform(scene, tmp_path, *replies, tools=(weather.tool,))
    assert weather.answers == [words]
    assert any("서울, 부산" in said for said in stage.voices.said)
    assert [message.text for message in stage.messages if message.role == "user"] == ["어제 일기 읽어 줘"]


@pytest.mark.parametrize(("wait_s", "outcome"), [(25.0, "yes"), (35.0, "late")])
async def test_a_question_that_is_read_longer_than_its_time_has_its_time_after_the_reading(
    tmp_path: Path, wait_s: float, outcome: str
) -> None:
    days = {
        f"day_{number}": "그날은 아침부터 저녁까지 비가 오고 바람이 불었다고 했던 그 긴 하루" for number in range(12)
    }
    replies = (calls(("read_diary", days), text="볼게요."), says("비가 왔대요."))
    unanswered = await perform(opening().silence(90), tmp_path, *replies, tools=(Diary().tool,))
    asked_s = unanswered.first("question")["t"]
    heard_s = next(each["t"] for each in unanswered.all("listening") if each["t"] > asked_s)
    assert heard_s - asked_s > 32.0
    assert unanswered.first("answer")["t"] - heard_s == pytest.approx(30.0, abs=1.0)
    diary, scene, folder = Diary(), opening(), tmp_path / "answered"
    folder.mkdir()
    scene = scene.silence(heard_s - len(scene.pcm) / SAMPLE_RATE + wait_s).says("네").silence(4)
    stage = await perform(scene, folder, *replies, tools=(diary.tool,))
    assert (outcomes(stage), diary.ran) == ([outcome], [days] if outcome == "yes" else [])


@pytest.mark.parametrize(("wait_s", "reply"), [(60.0, Reply.YES), (110.0, Reply.YES)])
async def test_words_have_two_minutes_by_voice_too(tmp_path: Path, wait_s: float, reply: Reply) -> None:
    weather = WordsTool("read_weather", Question(text="날씨 서버가 물어봐요: 도시"), result="맑다")
    replies = (calls(("read_weather", {})), says("맑대요."))
    scene = opening().silence(QUESTION_S + wait_s).says("부산").silence(4)
    stage = await perform(scene, tmp_path, *replies, tools=(weather.tool,), longest_s=200.0)
    assert weather.answers == [WordedReply(reply, "부산")]
    assert outcomes(stage) == ["text"]
