"""Several conversations in the window: an answer goes on while another conversation is open, and is there again."""

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.states import NO_TURN
from assistant.core.messages import Completion
from assistant.core.permissions import Category
from assistant.core.records.conversations import ConversationMark
from assistant.core.service.requests.conversations import DeleteConversation, NewConversation, OpenConversation
from assistant.core.service.requests.turns import AnswerAgain, GiveAnswer, StopTurn
from assistant.core.settings import VoiceSettings
from assistant.engine.rooms import tools as tool_room
from assistant.host.places import default_home, models_folder
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool
from tests.e2e.conversation.running_engine import SLOW, Client, Shown, begun, finished, opened, running, settings_for
from tests.fakes.model_server.server import RecordedRequest, Reply, ScriptedCall, serve_in_thread
from tests.fakes.sound.portaudio import FakeDevice, FakePortAudio

STORY = Reply(text="옛날 옛적에 호랑이가 담배를 피우던 시절 이야기를 하나 해 드릴게요." * 3, tokens_per_second=25)
SHORT = Reply(text="여기는 다른 곳이에요.")

pytestmark = pytest.mark.models


@pytest.fixture(autouse=True)
def _computer(monkeypatch: pytest.MonkeyPatch, model_path: Callable[[str], Path]) -> None:
    """No sound card; the weights that all tests share."""
    for model in ("openwakeword", "smart-turn-v3"):
        model_path(model)
    monkeypatch.setitem(sys.modules, "sounddevice", FakePortAudio([]).module())
    monkeypatch.setenv("SORI_MODELS", str(models_folder(default_home())))


def by_words(**replies: Reply) -> Callable[[RecordedRequest], Reply]:
    """Replies chosen by a word of the newest message."""

    def reply(request: RecordedRequest) -> Reply:
        newest = str([each for each in request.body["messages"] if each["role"] == "user"][-1]["content"])
        return next((each for word, each in replies.items() if word in newest), SHORT)

    return reply


def text_since(shown: Shown, update: up.Update, conversation: str) -> str:
    """The answer's text in the packets of a conversation after ``update``."""
    later = shown.updates[shown.updates.index(update) + 1 :]
    shows = [each for each in later if isinstance(each, up.PacketEmitted) and each.conversation == conversation]
    return "".join(each.packet.text for each in shows if isinstance(each.packet, pk.AnswerDelta))


def marks(shown: Shown, conversation: str) -> list[ConversationMark]:
    return [each.mark for each in shown.all(up.ConversationMarked) if each.conversation == conversation]


def leave(client: Client, shown: Shown, conversation: str) -> up.ConversationOpened:
    """Open a new conversation."""
    client.send(NewConversation())
    return shown.until(up.ConversationOpened, lambda each: each.conversation != conversation)


def come_back(client: Client, shown: Shown, conversation: str) -> up.ConversationOpened:
    """Open a conversation once more."""
    before = len(shown.all(up.ConversationOpened))
    client.send(OpenConversation(conversation=conversation))
    shown.until(
        up.ConversationOpened,
        lambda each: each in shown.all(up.ConversationOpened)[before:] and each.conversation == conversation,
    )
    return [each for each in shown.all(up.ConversationOpened) if each.conversation == conversation][-1]


def until_done(shown: Shown, conversation: str) -> pk.Done:
    packet = shown.until(up.PacketEmitted, lambda each: finished(each) and each.conversation == conversation).packet
    assert isinstance(packet, pk.Done)
    return packet


def test_an_answer_goes_on_in_the_conversation_that_is_left_and_streams_on_where_it_is_opened_again(
    tmp_path: Path,
) -> None:
    with serve_in_thread(by_words(호랑이=STORY)) as server:
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            first = opened(shown).conversation
            client.say("호랑이 이야기 해 줘")
            turn = shown.until(up.PacketEmitted, begun).turn
            second = leave(client, shown, first)
            assert second.messages == ()
            marked = shown.until(up.ConversationMarked, lambda each: each.turn == turn)
            assert (marked.conversation, marked.mark) == (first, ConversationMark.ANSWERING)
            client.say("거기는 어때?")
            until_done(shown, second.conversation)
            assert text_since(shown, second, second.conversation) == SHORT.text
            again = come_back(client, shown, first)
            assert [message.text for message in again.messages] == ["호랑이 이야기 해 줘"]
            assert until_done(shown, first).finish == "complete"
            assert text_since(shown, again, first) == STORY.text
            assert marks(shown, first)[-1] is ConversationMark.NONE
            assert ConversationMark.UNREAD not in marks(shown, first)
        with running(tmp_path, settings_for(server.base_url)) as (_, shown):
            assert [message.text for message in opened(shown).messages] == ["호랑이 이야기 해 줘", STORY.text]


def test_an_answer_that_ends_while_another_conversation_is_open_is_unread_until_it_is_opened(tmp_path: Path) -> None:
    with (
        serve_in_thread(by_words(호랑이=STORY)) as server,
        running(tmp_path, settings_for(server.base_url)) as (
            client,
            shown,
        ),
    ):
        first = opened(shown).conversation
        client.say("호랑이 이야기 해 줘")
        shown.until(up.PacketEmitted, begun)
        leave(client, shown, first)
        shown.until(up.ConversationMarked, lambda each: each.mark is ConversationMark.UNREAD)
        again = come_back(client, shown, first)
        assert [message.text for message in again.messages] == ["호랑이 이야기 해 줘", STORY.text]
        shown.until(up.ConversationMarked, lambda each: each.mark is ConversationMark.NONE)
        assert marks(shown, first)[-2:] == [ConversationMark.UNREAD, ConversationMark.NONE]
        assert text_since(shown, again, first) == ""


def test_an_answer_in_the_background_is_stopped_where_its_conversation_is_opened_again(tmp_path: Path) -> None:
    with serve_in_thread([SLOW]) as server:
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            first = opened(shown).conversation
            client.say("길게 말해 줘")
            shown.until(up.PacketEmitted, begun)
            leave(client, shown, first)
            again = come_back(client, shown, first)
            marked = shown.until(up.ConversationMarked, lambda each: each.turn != NO_TURN)
            client.send(StopTurn(turn=marked.turn))
            assert until_done(shown, first).finish == "cancelled"
            read = text_since(shown, again, first)
            assert marks(shown, first)[-1] is ConversationMark.NONE
        with running(tmp_path, settings_for(server.base_url)) as (_, shown):
            answer = opened(shown).messages[1]
    assert (answer.text, answer.completion) == (read, Completion.CANCELLED)


def test_a_new_message_waits_for_the_answer_in_the_background(tmp_path: Path) -> None:
    with (
        serve_in_thread(by_words(길게=SLOW)) as server,
        running(tmp_path, settings_for(server.base_url)) as (
            client,
            shown,
        ),
    ):
        first = opened(shown).conversation
        client.say("길게 말해 줘")
        old = shown.until(up.PacketEmitted, begun).turn
        leave(client, shown, first)
        come_back(client, shown, first)
        client.say("됐고, 짧게")
        assert until_done(shown, first).finish == "complete"
        new = shown.until(up.PacketEmitted, lambda each: finished(each) and each.turn != old)
        assert isinstance(new.packet, pk.Done)
        assert (new.conversation, new.packet.finish) == (first, "complete")


def test_an_answer_that_came_in_the_background_is_asked_for_again(tmp_path: Path) -> None:
    with serve_in_thread([STORY, SHORT]) as server:
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            first = opened(shown).conversation
            client.say("호랑이 이야기 해 줘")
            old = shown.until(up.PacketEmitted, begun).turn
            leave(client, shown, first)
            come_back(client, shown, first)
            until_done(shown, first)
            client.send(AnswerAgain(turn=client.connection.new_turn(), conversation=client.conversation))
            shown.until(up.PacketEmitted, lambda each: finished(each) and each.turn != old)
        with running(tmp_path, settings_for(server.base_url)) as (_, shown):
            messages = opened(shown).messages
    assert [(message.text, message.superseded) for message in messages] == [
        ("호랑이 이야기 해 줘", False),
        (STORY.text, True),
        (SHORT.text, False),
    ]


def test_quitting_keeps_what_was_written_in_every_conversation(tmp_path: Path) -> None:
    with serve_in_thread([SLOW]) as server:
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            first = opened(shown).conversation
            client.say("길게 말해 줘")
            shown.until(up.PacketEmitted, begun)
            second = leave(client, shown, first).conversation
            client.say("여기서도 길게")
            shown.until(up.PacketEmitted, lambda each: begun(each) and each.conversation == second)
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            kept = [opened(shown).messages, come_back(client, shown, first).messages]
    for question, answer in kept:
        assert question.text in {"여기서도 길게", "길게 말해 줘"}
        assert answer.text
        assert SLOW.text.startswith(answer.text)
        assert answer.completion is not Completion.COMPLETE


def test_a_deleted_conversation_is_answered_no_more(tmp_path: Path) -> None:
    with serve_in_thread([SLOW]) as server, running(tmp_path, settings_for(server.base_url)) as (client, shown):
        first = opened(shown).conversation
        client.say("길게 말해 줘")
        shown.until(up.PacketEmitted, begun)
        leave(client, shown, first)
        client.send(DeleteConversation(conversation=first))
        assert until_done(shown, first).finish == "cancelled"
        assert ConversationMark.UNREAD not in marks(shown, first)


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


def test_a_question_of_a_conversation_that_was_left_marks_it_and_is_answered_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    diary = Diary()
    monkeypatch.setattr(tool_room, "built_in_tools", lambda _needs: (diary.tool,))
    call = ScriptedCall(name="read_diary", arguments='{"day": "어제"}')
    script = [replace(STORY, text="잠시만요. 일기를 찾아볼게요. " * 3, tool_calls=(call,)), Reply(text="비가 왔대요.")]
    with serve_in_thread(script) as server, running(tmp_path, settings_for(server.base_url)) as (client, shown):
        first = opened(shown).conversation
        client.say("어제 일기 읽어 줘")
        shown.until(up.PacketEmitted, begun)
        leave(client, shown, first)
        asked = shown.until(up.ConversationMarked, lambda each: each.mark is ConversationMark.ASKING)
        assert asked.conversation == first
        again = come_back(client, shown, first)
        later = shown.updates[shown.updates.index(again) :]
        asks = [each for each in later if isinstance(each, up.PacketEmitted) and isinstance(each.packet, pk.Ask)]
        ask = asks[0].packet
        assert isinstance(ask, pk.Ask)
        client.send(GiveAnswer(turn=asks[0].turn, question=ask.question, choice=pk.ANSWER_YES))
        assert until_done(shown, first).finish == "complete"
        assert diary.ran == [{"day": "어제"}]
        assert text_since(shown, again, first).endswith("비가 왔대요.")


def test_an_answer_that_is_read_aloud_stops_and_its_end_is_shown_where_it_belongs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_path: Callable[[str], Path]
) -> None:
    model_path("whisper-base")
    portaudio = FakePortAudio([FakeDevice("Loudspeaker", outputs=2)])
    monkeypatch.setitem(sys.modules, "sounddevice", portaudio.module())
    with serve_in_thread([SLOW]) as server:
        settings = settings_for(server.base_url)
        settings = replace(settings, voice=VoiceSettings(stt="faster_whisper", tts="espeak", speak_typed=True))
        with running(tmp_path, settings) as (client, shown):
            first = opened(shown).conversation
            shown.until(up.VoiceAvailable, lambda each: each.speaker == "Loudspeaker")
            client.say("길게 말해 줘")
            shown.until(up.PacketEmitted, begun)
            new = leave(client, shown, first)
            ended = shown.until(up.PacketEmitted, finished)
            assert shown.updates.index(ended) < shown.updates.index(new)
            assert isinstance(ended.packet, pk.Done)
            assert ended.packet.finish == "cancelled"
            assert not [
                each for each in shown.updates[shown.updates.index(new) :] if isinstance(each, up.PacketEmitted)
            ]
