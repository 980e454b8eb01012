"""Spoken conversations that begin with the name of an agent (V-06), in audio time."""

import asyncio
from pathlib import Path
from typing import Literal

import pytest

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import EngineError
from assistant.core.machine.states import InteractionState, SessionState
from assistant.core.messages import Role
from assistant.core.records.agents import AgentId
from assistant.core.settings import VoiceSettings
from assistant.voice.waking.allowance import EVERY_MS, MOST
from tests.e2e.stage import Stage, perform
from tests.fakes.backend import says
from tests.fakes.clock import FakeClock
from tests.fakes.sound.scene import Scene

SORI = AgentId()
HEDGEHOG = AgentId(name="hedgehog")
SECRETARY = AgentId(workspace="work", name="secretary")


@pytest.fixture
def agents(tmp_path: Path) -> Workspaces:
    workspaces = Workspaces(tmp_path / "workspaces", FakeClock(), lambda: 2_000)
    workspaces.add_workspace("work")
    workspaces.add_agent(HEDGEHOG, {"wake_phrase": "도치야"})
    workspaces.add_agent(SECRETARY, {"wake_phrase": "김비서"})
    return workspaces


def asked(stage: Stage) -> list[str]:
    return [message.text for message in stage.newest if message.role is Role.USER]


async def test_a_name_and_a_request_in_one_breath(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2.5).silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), workspaces=agents)
    assert stage.names()[:2] == ["wake", "listening"]
    assert stage.first("wake")["agent"] == "default/hedgehog"
    assert asked(stage) == ["오늘 뭐 입을까?"]
    assert stage.agent == HEDGEHOG
    assert not stage.messages
    assert stage.voices.said == ["코트요."]
    assert max(stage.recognizer.calls) >= 2.5 * SAMPLE_RATE, "the request is transcribed with its name"


@pytest.mark.parametrize(
    ("scene", "wanted"),
    [
        (Scene().silence(1).says("지금 몇 시야, 도치야?", 1.4), "지금 몇 시야?"),
        (Scene().silence(1).says("내일 아침에 부산에 비가 올까, 도치야?", 3.5), "내일 아침에 부산에 비가 올까?"),
        (Scene().silence(1).says("지금 몇 시야?", 1).silence(0.3).says("도치야?", 0.5), "지금 몇 시야?"),
        (
            Scene().silence(1).says("지금 몇 시야?", 1).silence(1).says("도치야?", 0.5).silence(1).says("불 꺼 줘."),
            "불 꺼 줘.",
        ),
        (Scene().silence(1).says("다음 소식입니다. 도치야, 몇 시야?", 2.5), "몇 시야?"),
        (Scene().silence(1).says("What time is it, 도치야?", 1.5), "What time is it?"),
    ],
)
async def test_a_name_at_the_end_of_the_request_or_in_its_middle(
    tmp_path: Path, agents: Workspaces, scene: Scene, wanted: str
) -> None:
    stage = await perform(scene.silence(3), tmp_path, says("세 시요."), workspaces=agents)
    assert (stage.agent, asked(stage)) == (HEDGEHOG, [wanted])


async def test_a_stop_word_before_the_wake_word_is_a_stop_word(tmp_path: Path) -> None:
    stopped: list[bool] = []

    def prepare(stage: Stage) -> None:
        stage.session.stopped.add(lambda: stopped.append(True))

    scene = Scene().wake_word().silence(1).says("그만, 자비스", 1.2).silence(2)
    stage = await perform(scene, tmp_path, says("?"), prepare=prepare)
    assert (asked(stage), stopped) == ([], [True])


@pytest.mark.parametrize(
    ("said", "wanted"), [("지금 몇 시야, 자비스?", ["지금 몇 시야?"]), ("다음 소식입니다, 헤이 자비스", [])]
)
async def test_a_request_that_the_wake_word_ends_is_heard(tmp_path: Path, said: str, wanted: list[str]) -> None:
    scene = Scene().silence(1).says(said, 1.2).wake_word().silence(4)
    stage = await perform(scene, tmp_path, says("세 시요."))
    assert asked(stage) == wanted


async def test_a_name_and_the_request_after_a_pause(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("도치야", 0.6).silence(1).says("오늘 뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), workspaces=agents)
    assert asked(stage) == ["오늘 뭐 입을까?"]
    assert stage.first("wake")["t"] == pytest.approx(1.9, abs=0.1)
    assert len(stage.all("transcript")) == 1


async def test_an_agent_of_another_workspace_is_called(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("김비서, 일정 알려 줘.", 2).silence(2)
    stage = await perform(scene, tmp_path, says("없어요."), workspaces=agents)
    assert (stage.agent, asked(stage)) == (SECRETARY, ["일정 알려 줘."])


async def test_the_agent_of_the_open_conversation_goes_on_in_it(tmp_path: Path, agents: Workspaces) -> None:
    agents.edit_agent(SORI, {"wake_phrase": "소리야"})
    scene = Scene().silence(1).says("소리야, 오늘 뭐 입을까?", 2).silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), workspaces=agents)
    assert stage.agent == SORI
    assert stage.messages == stage.newest
    assert asked(stage) == ["오늘 뭐 입을까?"]


async def test_a_name_counts_for_the_conversation_that_was_opened_while_sori_listened(
    tmp_path: Path, agents: Workspaces
) -> None:
    agents.edit_agent(SORI, {"wake_phrase": "소리야"})
    opening: list[asyncio.Future[None]] = []

    def open_other(stage: Stage, second: float) -> None:
        if second == 2.5:
            assert stage.session.snapshot.interaction is InteractionState.LISTENING
            assert stage.session.calls is not None
            opening.append(asyncio.ensure_future(stage.session.calls.answer_by(HEDGEHOG)))  # as a click does

    scene = Scene().wake_word().silence(3).says("소리야, 오늘 뭐 입을까?", 2).silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), workspaces=agents, on_frame=open_other)
    assert len(opening) == 1
    assert (stage.agent, asked(stage)) == (SORI, ["오늘 뭐 입을까?"])


@pytest.mark.parametrize("words", ["오늘 날씨가 참 좋네", "도치는 어제 뭐 했대?", ""])
async def test_the_name_of_nobody_does_nothing(tmp_path: Path, agents: Workspaces, words: str) -> None:
    scene = Scene().silence(1).says(words, 2.5).silence(2)
    stage = await perform(scene, tmp_path, says("?"), workspaces=agents)
    assert stage.names() == []
    assert len(stage.recognizer.calls) == 2, "the beginning, and the whole for a name at the end"
    assert not stage.backend.requests
    assert stage.session.snapshot.session is SessionState.INACTIVE


async def test_a_click_is_not_transcribed(tmp_path: Path, agents: Workspaces) -> None:
    stage = await perform(Scene().silence(1).noise(0.1).silence(2), tmp_path, workspaces=agents)
    assert not stage.recognizer.calls


async def test_without_wake_phrases_nothing_is_transcribed(tmp_path: Path, agents: Workspaces) -> None:
    for agent in (HEDGEHOG, SECRETARY):
        agents.edit_agent(agent, {"wake_phrase": ""})
    stage = await perform(Scene().silence(1).says("도치야").silence(2), tmp_path, workspaces=agents)
    assert not stage.recognizer.calls
    assert stage.names() == []


async def test_a_false_wake_ends_with_silence_and_asks_no_model(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("도치야", 0.6).silence(12)
    stage = await perform(scene, tmp_path, says("?"), workspaces=agents)
    assert stage.names() == ["wake", "listening", "idle"]
    assert not stage.backend.requests
    assert not stage.newest
    assert not stage.played.any()


async def test_soris_own_speech_calls_nobody(tmp_path: Path, agents: Workspaces) -> None:
    def read_aloud(stage: Stage, second: float) -> None:
        if second == 0.5:
            stage.write("안녕", aloud=True)

    answer = "도치야라고 부르면 고슴도치가 대답해요. 그래서 이 답은 꽤 오래 읽어요."
    scene = Scene().silence(1).says("도치야", 0.6).silence(1)
    stage = await perform(scene, tmp_path, says(answer), workspaces=agents, on_frame=read_aloud)
    assert not stage.all("wake")
    assert not stage.all("interrupted")
    assert stage.agent == SORI


async def test_the_wake_word_still_wakes_beside_names(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).wake_word().silence(0.3).says("내일 뭐 입을까?").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), workspaces=agents)
    assert (stage.agent, asked(stage)) == (SORI, ["내일 뭐 입을까?"])
    assert len(stage.all("wake")) == 1


async def test_another_agent_is_called_during_a_conversation(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2).silence(4)
    scene = scene.says("김비서, 일정 알려 줘.", 2).silence(4).says("내일은?").silence(2)
    replies = says("코트요."), says("없어요."), says("회의요.")
    stage = await perform(scene, tmp_path, *replies, workspaces=agents)
    assert (stage.agent, asked(stage)) == (SECRETARY, ["일정 알려 줘.", "내일은?"])
    assert [event["agent"] for event in stage.all("wake")] == ["default/hedgehog", "work/secretary"]
    assert stage.names().count("idle") == 1, "the first session has ended"
    assert stage.voices.said == ["코트요.", "없어요.", "회의요."]


async def test_another_agent_is_called_while_sori_speaks(tmp_path: Path, agents: Workspaces) -> None:
    long = "오늘은 꽤 추우니까 두꺼운 코트를 입고 장갑도 끼고 나가는 게 좋겠어요. 저녁에는 눈도 온대요."
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2).silence(3).says("김비서, 일정 알려 줘.", 2).silence(3)
    stage = await perform(scene, tmp_path, says(long), says("없어요."), workspaces=agents)
    assert len(stage.all("interrupted")) == 1
    assert (stage.agent, asked(stage)) == (SECRETARY, ["일정 알려 줘."])
    assert stage.voices.said[-1] == "없어요."


@pytest.mark.parametrize("pause_s", [0.6, 1.5])
async def test_another_agent_whose_short_name_ends_an_answer_gets_the_request_behind_it(
    tmp_path: Path, agents: Workspaces, pause_s: float
) -> None:
    long = "오늘은 꽤 추우니까 두꺼운 코트를 입고 장갑도 끼고 나가는 게 좋겠어요. 저녁에는 눈도 온대요."
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2).silence(2.5)
    scene = scene.says("김비서!", 0.5).silence(pause_s).says("일정 알려 줘.", 1).silence(3)
    stage = await perform(scene, tmp_path, says(long), says("없어요."), workspaces=agents)
    assert len(stage.all("interrupted")) == 1
    assert (stage.agent, asked(stage)) == (SECRETARY, ["일정 알려 줘."])
    assert stage.voices.said[-1] == "없어요."


async def test_the_agents_own_short_name_ends_an_answer_and_is_no_part_of_the_request(
    tmp_path: Path, agents: Workspaces
) -> None:
    long = "오늘은 꽤 추우니까 두꺼운 코트를 입고 장갑도 끼고 나가는 게 좋겠어요. 저녁에는 눈도 온대요."
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2).silence(2.5)
    scene = scene.says("도치야!", 0.5).silence(0.6).says("일정 알려 줘.", 1).silence(3)
    stage = await perform(scene, tmp_path, says(long), says("없어요."), workspaces=agents)
    assert len(stage.all("interrupted")) == 1
    assert (stage.agent, asked(stage)[-1]) == (HEDGEHOG, "일정 알려 줘.")


async def test_the_agents_own_name_does_not_hide_a_stop_word(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2.5).silence(3).says("도치야, 그만", 1.2).silence(2)
    stopped: list[bool] = []

    def prepare(stage: Stage) -> None:
        stage.session.stopped.add(lambda: stopped.append(True))

    stage = await perform(scene, tmp_path, says("코트요."), says("네?"), workspaces=agents, prepare=prepare)
    assert (asked(stage), stopped) == (["오늘 뭐 입을까?"], [True])


async def test_an_agent_that_is_called_alone_during_a_conversation_listens(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2).silence(4).says("김비서!").silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), workspaces=agents)
    assert (stage.agent, asked(stage)) == (SECRETARY, [])
    assert stage.session.snapshot.session is SessionState.ACTIVE


async def test_the_agents_own_name_during_a_conversation_is_part_of_the_request(
    tmp_path: Path, agents: Workspaces
) -> None:
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2).silence(4).says("도치야, 그럼 내일은?", 2).silence(2)
    stage = await perform(scene, tmp_path, says("코트요."), says("외투요."), workspaces=agents)
    assert asked(stage) == ["오늘 뭐 입을까?", "도치야, 그럼 내일은?"]
    assert len(stage.all("wake")) == 1


async def test_a_television_is_seldom_transcribed(tmp_path: Path, agents: Workspaces) -> None:
    scene, seconds = Scene().silence(1), 36
    for index in range(round(seconds / 1.5)):
        scene = scene.says(f"다음 소식 {index}", 1.0).silence(0.5)
    stage = await perform(scene, tmp_path, workspaces=agents)
    assert MOST <= len(stage.recognizer.calls) <= MOST + seconds * 1000 / EVERY_MS
    assert not stage.backend.requests


async def test_long_speech_is_transcribed_once(tmp_path: Path, agents: Workspaces) -> None:
    scene = Scene().silence(1).says("다음 소식입니다", 10).silence(2)
    stage = await perform(scene, tmp_path, workspaces=agents)
    assert [count / SAMPLE_RATE for count in stage.recognizer.calls] == [pytest.approx(1.9, abs=0.05)]


async def test_a_recogniser_that_fails_wakes_nobody_and_hears_the_next_name(tmp_path: Path, agents: Workspaces) -> None:
    def fail(stage: Stage) -> None:
        stage.recognizer.failures.append(EngineError("tone", "broken"))

    scene = Scene().silence(1).says("도치야", 0.6).silence(1).says("도치야, 불 켜 줘", 2).silence(2)
    stage = await perform(scene, tmp_path, says("네."), workspaces=agents, prepare=fail)
    assert [event["event"] for event in stage.trace][:2] == ["error", "wake"]
    assert asked(stage) == ["불 켜 줘"]


@pytest.mark.parametrize(
    ("phrase", "language", "read"), [("도치야", "auto", "ko"), ("Jarvis", "auto", "en"), ("Jarvis", "ko", "ko")]
)
async def test_korean_names_are_read_in_korean_and_others_in_the_users_language(
    tmp_path: Path, agents: Workspaces, phrase: str, language: Literal["auto", "ko"], read: str
) -> None:
    for agent, text in ((HEDGEHOG, phrase), (SECRETARY, "")):
        agents.edit_agent(agent, {"wake_phrase": text})
    voice = VoiceSettings(cues=False, language=language)
    scene = Scene().silence(1).says(phrase, 0.6).silence(2)
    stage = await perform(scene, tmp_path, workspaces=agents, voice=voice, language="en")
    assert stage.recognizer.languages == [read]
    assert len(stage.all("wake")) == 1


async def test_each_agent_speaks_with_its_voice(tmp_path: Path, agents: Workspaces) -> None:
    agents.edit_agent(HEDGEHOG, {"voice": "hm_omega"})
    scene = Scene().silence(1).says("도치야, 오늘 뭐 입을까?", 2).silence(4)
    scene = scene.says("김비서, 일정 알려 줘.", 2).silence(2)
    stage = await perform(scene, tmp_path, says("코트요. 장갑도요."), says("없어요."), workspaces=agents)
    assert stage.voices.said == ["코트요.", "장갑도요.", "없어요."]
    assert stage.voices.names == ["hm_omega", "hm_omega", ""]


async def test_a_typed_question_is_answered_with_the_agents_voice(tmp_path: Path, agents: Workspaces) -> None:
    agents.edit_agent(SORI, {"voice": "hf_alpha"})

    def ask(stage: Stage, second: float) -> None:
        if second == 0.5:
            stage.write("안녕", aloud=True)

    stage = await perform(Scene().silence(2), tmp_path, says("반가워요."), workspaces=agents, on_frame=ask)
    assert stage.voices.names == ["hf_alpha"]


@pytest.mark.parametrize("lost_by", ["nothing", "muting", "toggling"])
async def test_while_the_microphone_is_lent_nobody_is_called(tmp_path: Path, agents: Workspaces, lost_by: str) -> None:
    scene = Scene().silence(1).says("도치야", 0.8).silence(2).says("도치야", 0.8).silence(2)
    frames: list[float] = []
    lost: list[float] = []
    moments = [1.9, 2.5]

    def lend(stage: Stage) -> None:
        stage.session.lend_microphone(
            lambda frame: frames.append(frame.heard.index / SAMPLE_RATE), lambda: lost.append(0)
        )

    def give_back(stage: Stage, second: float) -> None:
        if len(moments) == 2 and second >= moments[0]:
            moments.pop(0)
            assert stage.session.snapshot.session is SessionState.INACTIVE
            if lost_by == "muting":
                stage.session.set_muted(True)
                stage.session.set_muted(False)
            elif lost_by == "toggling":
                stage.session.toggle_voice()
                stage.session.toggle_voice()
            else:
                stage.session.take_back_microphone()

    stage = await perform(scene, tmp_path, says("네."), workspaces=agents, prepare=lend, on_frame=give_back)
    assert [frames[0], frames[-1]] == pytest.approx([0.0, 1.9], abs=0.03)
    assert len(lost) == (lost_by != "nothing")
    assert [event["t"] for event in stage.all("wake") if event.get("name") == "도치야"] == [pytest.approx(4.9, abs=0.2)]
