"""Several clients of one engine: each sees the same conversation grow, and whoever comes back sees all of it."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.messages import Role
from assistant.core.service.request import Refusal
from assistant.core.service.requests.conversations import (
    CreateConversation,
    FollowConversation,
    LoadMessages,
    OpenConversation,
    UnfollowConversation,
)
from assistant.core.service.requests.turns import BeginTurn, FollowTurn, StopTurn
from assistant.host.places import default_home, models_folder
from tests.e2e.conversation.running_engine import Client, Shown, begun, finished, running, settings_for
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread
from tests.fakes.sound.portaudio import FakePortAudio

pytestmark = pytest.mark.models
STORY = Reply(text="옛날 옛적에 호랑이가 담배를 피우던 시절 이야기를 하나 해 드릴게요." * 3, tokens_per_second=25)


@pytest.fixture(autouse=True)
def _computer(monkeypatch: pytest.MonkeyPatch, model_path: Callable[[str], Path]) -> None:
    """No sound card; the weights that all tests share."""
    for model in ("openwakeword", "smart-turn-v3"):
        model_path(model)
    monkeypatch.setitem(sys.modules, "sounddevice", FakePortAudio([]).module())
    monkeypatch.setenv("SORI_MODELS", str(models_folder(default_home())))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_in_thread([STORY, Reply(text="또 다른 이야기예요.")]) as served:
        yield served


def numbers(shown: Shown, turn: TurnId) -> list[int]:
    return [each.number for each in shown.all(up.PacketEmitted) if each.turn == turn]


def text_of(shown: Shown, turn: TurnId) -> str:
    packets = [each.packet for each in shown.all(up.PacketEmitted) if each.turn == turn]
    return "".join(each.text for each in packets if isinstance(each, pk.AnswerDelta))


def test_two_clients_see_one_conversation_grow_and_one_that_comes_back_sees_all_of_it(
    tmp_path: Path, server: ModelServer
) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (window, seen):
        terminal = Client(window.engine, Shown(), "terminal")
        terminal.shown.until(up.ConversationOpened)
        turn = window.say("호랑이 이야기 해 줘")
        said = terminal.shown.until(up.MessageAdded)
        assert (said.turn, said.message.role, said.message.text) == (turn, Role.USER, "호랑이 이야기 해 줘")
        terminal.shown.until(up.PacketEmitted, begun)
        terminal.connection.close()  # in the middle of the answer

        back = Client(window.engine, Shown(), "terminal")
        for shown in (seen, back.shown):
            shown.until(up.PacketEmitted, lambda each: each.turn == turn and finished(each))
            assert text_of(shown, turn) == STORY.text
        (opened,) = back.shown.all(up.ConversationOpened)
        assert [each.text for each in opened.messages] in (["호랑이 이야기 해 줘"], [])
        assert numbers(seen, turn) == list(range(1, len(numbers(seen, turn)) + 1))
        assert numbers(back.shown, turn) == sorted(set(numbers(back.shown, turn)))

        late = Client(window.engine, Shown(), "browser")
        picture = late.shown.until(up.ConversationOpened)
        assert [each.text for each in picture.messages] == ["호랑이 이야기 해 줘", STORY.text]


def test_whoever_has_a_part_of_a_turn_gets_the_rest(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (window, seen):
        turn = window.say("호랑이 이야기 해 줘")
        seen.until(up.PacketEmitted, lambda each: each.number == 5)
        other = Shown()
        connection = window.engine.connect(lambda delivery: other.publish(delivery.event), name="browser")
        connection.ask(FollowTurn(turn=turn, after=5), other.publish)
        other.until(up.PacketEmitted, finished)
        seen.until(up.PacketEmitted, finished)
        assert numbers(other, turn)[0] > 5
        rest = [each.packet.text for each in seen.all(up.PacketEmitted)[5:] if isinstance(each.packet, pk.AnswerDelta)]
        assert text_of(other, turn) == "".join(rest)
        connection.ask(FollowTurn(turn=TurnId("nobody")), other.publish)
        assert other.until(Refusal).reason == "unknown_turn"


def test_a_client_may_talk_elsewhere_while_the_voice_session_stays(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (window, seen):
        here = window.conversation
        browser = Client(window.engine, Shown(), "browser")
        browser.send(UnfollowConversation())
        elsewhere = browser.result(CreateConversation())
        browser.send(FollowConversation(conversation=elsewhere))
        turn = browser.say("호랑이 이야기 해 줘", conversation=elsewhere)
        browser.shown.until(up.PacketEmitted, begun)
        marked = seen.until(up.ConversationMarked, lambda each: each.conversation == elsewhere)
        assert marked.turn == turn
        browser.send(StopTurn(turn=turn))
        over = browser.shown.until(up.PacketEmitted, finished)
        assert isinstance(over.packet, pk.Done)
        assert over.packet.finish == "cancelled"
        assert not [each for each in seen.all(up.PacketEmitted) if each.conversation == elsewhere]
        assert window.conversation == here

        browser.send(OpenConversation(conversation=elsewhere))
        assert seen.until(up.ConversationOpened, lambda each: each.conversation == elsewhere).messages
        page = browser.result(LoadMessages(conversation=elsewhere))
        assert page.messages[0].text == "호랑이 이야기 해 줘"


def test_the_same_turn_is_begun_once_and_a_bad_one_is_refused_to_its_sender_alone(
    tmp_path: Path, server: ModelServer
) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (window, seen):
        other = Client(window.engine, Shown())
        turn = window.connection.new_turn()
        request = BeginTurn(turn=turn, conversation=window.conversation, text="호랑이 이야기 해 줘")
        for _ in range(3):
            window.send(request)
        window.send(BeginTurn(turn=window.connection.new_turn(), conversation=window.conversation, text="  "))
        assert seen.until(Refusal).reason == "empty_message"
        seen.until(up.PacketEmitted, finished)
        other.shown.until(up.PacketEmitted, finished)
        assert len(seen.all(up.MessageAdded)) == len(other.shown.all(up.MessageAdded)) == 1
        assert other.shown.all(Refusal) == []
    assert len(server.chats) == 1


def test_every_client_is_told_of_the_end_of_the_engine(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (window, _):
        others = [Client(window.engine, Shown(), name) for name in ("terminal", "browser", "tray")]
        for each in others:
            each.shown.until(up.ConversationOpened)
    for each in others:
        each.shown.until(up.EngineStopped)
        each.send(FollowConversation())
        assert each.shown.until(Refusal).reason == "engine_gone"
