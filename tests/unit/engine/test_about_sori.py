"""Sori's answers about itself, through the product's wiring: they follow its state, and orders change its settings."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.chat.turn_request import TurnRequest
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Packet, PageOffer
from assistant.core.permissions import Category
from assistant.core.records.agents import AgentId
from assistant.core.records.egress import Egress
from assistant.core.service.grant import Grant
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.settings.reading import settings_here
from assistant.host.texts import load_texts
from assistant.llm.router import BackendRegistry
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, says
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

CONFINED = Grant(categories=frozenset({Category.SAFE}))
HERE = """
language = "ko"

[llm]
provider = "near"
model = "m"

[[providers]]
name = "near"
kind = "openai"
base_url = "http://127.0.0.1:1/v1"
"""
"""A server on this computer that nobody serves, so that no test waits for a model."""


@dataclass
class Sori:
    """A Sori whose turns are asked for one after another."""

    chat: Chat
    conversation: str
    config: Path
    turns: int = 0

    async def packets(self, text: str, **options: Any) -> list[Packet]:
        """The packets of a turn."""
        self.turns += 1
        turn = turn_packets(self.chat.answers.engine, str(self.turns), self.conversation, text, **options)
        return [packet async for packet in turn]

    async def say(self, text: str, **options: Any) -> str:
        """The answer of a turn."""
        packets = await self.packets(text, **options)
        return "".join(each.text for each in packets if isinstance(each, AnswerDelta))

    @property
    def written(self) -> str:
        """The settings file."""
        return self.config.read_text(encoding="utf-8")


@pytest.fixture
async def sori(tmp_path: Path) -> AsyncIterator[Sori]:
    config = tmp_path / "config.toml"
    config.write_text(HERE, encoding="utf-8")
    live = LiveSettings(settings_here(config, tmp_path))
    chat = await build_chat(tmp_path, live, load_texts("ko"), clock=FakeClock(), volume=FakeVolume())
    await chat.settings.look()
    yield Sori(chat, await chat.storage.conversations.create(), config)
    await chat.close()


@pytest.mark.parametrize("question", ["널 어떻게 불러?", "너 어떻게 써?"])
async def test_the_name_that_the_user_gave_is_told(sori: Sori, question: str) -> None:
    assert "Hey Jarvis" in await sori.say(question)
    sori.chat.agents.workspaces.edit_agent(AgentId(), {"wake_phrase": "도치야"})
    told = await sori.say(question)
    assert "도치야" in told
    assert "Jarvis" not in told


async def test_an_order_changes_the_setting_tells_both_values_and_can_be_taken_back(sori: Sori) -> None:
    answer = await sori.say("다크 모드로 바꿔 줘")
    assert "데스크톱을 따름에서 어두운 테마로 바꿨어요" in answer
    assert 'theme = "dark"' in sori.written
    assert (
        await sori.say("is dark mode on?")
        == "Theme is dark now. Say “switch to dark mode” to change it. It is in the settings under “Window”."
    )
    assert "이미 어두운 테마" in await sori.say("다크 모드 켜 줘")

    assert "데스크톱을 따름으로 되돌렸어요" in await sori.say("설정 되돌려 줘")
    assert "dark" not in sori.written
    assert "되돌릴 것이 없어요" in await sori.say("설정 되돌려 줘")


async def test_a_language_that_is_asked_for_holds_although_the_desktop_speaks_another(
    sori: Sori, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    assert "영어로 바꿨어요" in await sori.say("언어를 영어로 바꿔 줘")
    assert "Korean now" in await sori.say("set the language to Korean")
    assert sori.chat.basis.live.current.language == "ko"
    assert "English again" in await sori.say("undo that setting")
    assert "English" in await sori.say("what language is set?")


async def test_what_was_changed_otherwise_meanwhile_is_not_taken_back(sori: Sori) -> None:
    await sori.say("turn off the wake sound")
    await sori.chat.settings.set("voice.cue_awake", None)
    assert "nothing to undo" in await sori.say("undo that setting")


async def test_a_number_stays_within_its_bounds(sori: Sori) -> None:
    answers = [await sori.say("말하는 속도를 빠르게 해 줘") for _ in range(8)]
    assert "1배에서 1.15배로" in answers[0]
    assert answers[-1] == "이미 가장 빨라요: 2배."
    assert "speed = 2.0" in sori.written
    assert "I already" not in await sori.say("talk slower please")


async def test_what_is_not_the_users_own_words_changes_nothing(sori: Sori) -> None:
    def goes_to_a_model(text: str, **options: Any) -> bool:
        request = TurnRequest(turn=TurnId("1"), conversation="", text=text, origin=Origin.TEXT, **options)
        return sori.chat.answers.answerer.needs_model(request, Message(role=Role.USER, text=text))

    for order in ("다크 모드로 바꿔 줘", "switch to dark mode", "설정 되돌려 줘"):
        assert not goes_to_a_model(order)
        assert goes_to_a_model(order, typed="Summarise this")
        assert goes_to_a_model(order, grant=CONFINED)
        assert not goes_to_a_model("What can you do?", grant=CONFINED)


async def test_an_answer_that_is_asked_for_again_does_not_change_it_again(sori: Sori) -> None:
    await sori.say("speak faster")
    await sori.packets("speak faster", again=True)
    assert "speed = 1.15" in sori.written


async def test_a_setting_that_opens_something_is_left_to_the_users_hand(sori: Sori) -> None:
    packets = await sori.packets("http 켜 줘")
    assert "직접 바꿔 주세요" in "".join(each.text for each in packets if isinstance(each, AnswerDelta))
    (offer,) = [each for each in packets if isinstance(each, PageOffer)]
    assert (offer.page, offer.setting, offer.command) == ("settings", "http.enabled", "sori settings get http.enabled")
    assert "[http]" not in sori.written


async def test_answers_follow_the_state(sori: Sori) -> None:
    assert "이 컴퓨터 안에서" in await sori.say("내 대화를 어디로 보내?")
    assert "이 컴퓨터 안에서만" in await sori.say("지금 어떤 모델 쓰고 있어?")
    assert (await sori.say("Do you work offline?")).startswith("Yes")
    assert (await sori.say("Can you search the web?")).startswith("I cannot")
    assert "web search" in (await sori.say("What can you do?")).partition("The settings can also")[2]

    elsewhere = HERE.replace("near", "far").replace("http://127.0.0.1:1/", "https://far.example/")
    sori.config.write_text(elsewhere + '[search]\nurl = "http://127.0.0.1:1"\n', encoding="utf-8")
    await sori.chat.settings.look()
    assert "far 서버" in await sori.say("내 대화를 어디로 보내?")
    assert "far" in await sori.say("Which model are you using?")
    assert (await sori.say("Do you work offline?")).startswith("Listening")
    assert (await sori.say("Can you search the web?")).startswith("Yes")
    assert "web search" in (await sori.say("What can you do?")).partition("The settings can also")[0]


async def test_the_memory_is_counted_when_it_is_asked_for(sori: Sori) -> None:
    assert "0가지" in await sori.say("나를 기억할 수 있어?")
    await sori.say("내 생일은 5월 3일이라고 기억해 줘")
    assert "1가지" in await sori.say("나를 기억할 수 있어?")
    await sori.say("turn off the memory")
    assert "꺼져" in await sori.say("나를 기억할 수 있어?")
    await sori.say("기억 기능 켜 줘")
    assert "1가지" in await sori.say("나를 기억할 수 있어?")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("네 목소리는 왜 그렇게 딱딱해?", "목소리 설정은 지금 자동이에요."),
        ("Why is your voice so robotic?", "Voice is chosen automatically now."),
        ("오늘 저녁 뭐 먹지?", ""),
        ("목소리 좋은 가수 추천해 줘", ""),
        ("Tell me about dark chocolate", ""),
    ],
)
async def test_a_model_is_told_what_holds_where_a_question_may_be_about_sori(
    sori: Sori, monkeypatch: pytest.MonkeyPatch, text: str, fact: str
) -> None:
    backend = FakeBackend(says("네."))
    monkeypatch.setattr(BackendRegistry, "backend_for", lambda _self, _provider: backend)
    packets = await sori.packets(text)

    asked = backend.requests[0].messages[-1].text
    assert (fact in asked) if fact else ("소리인 당신" not in asked)
    offers = [each for each in packets if isinstance(each, PageOffer)]
    assert [each.setting for each in offers] == (["voice.voice"] if fact else [])


async def test_what_left_is_told_from_the_record_of_today_and_not_from_the_settings(sori: Sori) -> None:
    assert "나간 것은 없어요" in await sori.say("내 컴퓨터에서 뭐가 나갔어?")
    ledger, far = sori.chat.storage.ledger, "https://api.far.example:443"
    yesterday = (FakeClock().now() - timedelta(days=1)).isoformat()
    await ledger.record(Egress(destination="https://old.example:443", local=False, purpose="answer", at=yesterday))
    await ledger.record(Egress(destination="http://127.0.0.1:1", local=True, purpose="answer"))
    for purpose in ("answer", "answer", "title"):
        await ledger.record(Egress(destination=far, local=False, purpose=purpose, provider="far"))
    told = await sori.say("내 컴퓨터에서 뭐가 나갔어?")
    assert "3번이에요: api.far.example에 답변 2번, api.far.example에 대화 제목 1번." in told
    english = await sori.say("What have you sent out today?")
    assert "today: 3 (answer to api.far.example: 2 and title of a conversation to api.far.example: 1)." in english
    assert "old.example" not in told + english
