"""The engine on its thread: real chat over HTTP, real storage, and a computer without a sound card."""

import asyncio
import gc
import inspect
import sqlite3
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import pytest

from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.packets import Done, Failure
from assistant.core.records.conversations import ConversationMark
from assistant.core.service.every_request import REQUESTS
from assistant.core.service.request import Refusal, result_type
from assistant.core.service.requests.agents import AddAgent, ListTools, SwitchAgent
from assistant.core.service.requests.conversations import BranchConversation, NewConversation, ShowVersion
from assistant.core.service.requests.models import ChooseModel, ListModels
from assistant.core.service.requests.timers import (
    AddScheduledRequest,
    CancelTimer,
    ListSchedule,
    ListTimers,
    RunScheduledRequest,
)
from assistant.core.service.requests.turns import AnswerAgain, EditMessage
from assistant.core.service.requests.voice import HoldToTalk, SetMuted, Stop, ToggleVoice
from assistant.engine import hearing
from assistant.engine.rooms import models
from assistant.engine.serving.table import WithEvents
from assistant.engine.thread import EngineThread
from assistant.engine.voice_wiring import Engines
from assistant.host.places import Places, default_home, models_folder
from assistant.voice.session.session import Session
from tests.e2e.conversation.running_engine import (
    LIMIT_S,
    SLOW,
    TEXTS,
    Client,
    Shown,
    begun,
    finished,
    opened,
    running,
    settings_for,
)
from tests.fakes.files_sent import files_in
from tests.fakes.model_server.local_servers import OLLAMA, neighbours
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread
from tests.fakes.pictures import decoded, drawn, encoded
from tests.fakes.sound.portaudio import FakeDevice, FakePortAudio

pytestmark = pytest.mark.models
NOBODY = cast(Any, None)


@pytest.fixture(autouse=True)
def _computer(monkeypatch: pytest.MonkeyPatch, model_path: Callable[[str], Path]) -> None:
    """No sound card; the weights that all tests share."""
    for model in ("openwakeword", "smart-turn-v3"):
        model_path(model)
    monkeypatch.setitem(sys.modules, "sounddevice", FakePortAudio([]).module())
    monkeypatch.setenv("SORI_MODELS", str(models_folder(default_home())))


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_in_thread([Reply(text="반가워요. 무엇을 도와드릴까요?")]) as running:
        yield running


def test_a_typed_message_is_answered_in_packets_and_kept(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        assert opened(shown).messages == ()
        client.say("  ")
        client.say("안녕하세요")
        shown.until(up.PacketEmitted, finished)
        assert shown.answer == "반가워요. 무엇을 도와드릴까요?"
        assert [(each.message.role, each.message.text) for each in shown.all(up.MessageAdded)] == [
            (Role.USER, "안녕하세요")
        ]
    with running(tmp_path, settings_for(server.base_url)) as (_, shown):
        assert [each.text for each in opened(shown).messages] == ["안녕하세요", "반가워요. 무엇을 도와드릴까요?"]
    assert len(server.chats) == 1


def test_every_request_has_an_owner_that_gives_its_result(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, _):
        table = client.engine._hub._table
    assert table is not None
    assert table.requests == frozenset(REQUESTS)
    for request in REQUESTS:
        hints = get_type_hints(inspect.unwrap(table.handler(request)))
        taken = next(iter(hints.values()))
        assert request in (taken, *get_args(taken))
        result = type(None) if result_type(request) is None else result_type(request)
        assert hints["return"] in (result, WithEvents), f"{request.__name__} names another result than its owner"


def files_of(message: Message) -> list[tuple[str, str, bytes]]:
    return [(each.mime_type, each.name, each.read()) for each in message.attachments]


def test_a_file_from_the_window_is_seen_by_the_model_and_kept_with_its_message(
    tmp_path: Path, server: ModelServer
) -> None:
    image = Attachment(mime_type="image/png", name="a.png", data=encoded(drawn()))
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.say("", (image,))
        shown.until(up.PacketEmitted, finished)
        assert [files_of(each.message) for each in shown.all(up.MessageAdded)] == [[("image/png", "a.png", image.data)]]
    ((_, data),) = files_in(server.chats[0].body)
    assert decoded(data).tobytes() == drawn().tobytes()
    with running(tmp_path, settings_for(server.base_url)) as (_, shown):
        assert [files_of(each) for each in opened(shown).messages] == [[("image/png", "a.png", image.data)], []]


def test_what_is_asked_before_the_engine_runs_is_done(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (_, shown):
        conversation = opened(shown).conversation
    shown = Shown()
    engine = EngineThread(tmp_path, settings_for(server.base_url), TEXTS, hears=False)
    Client(engine, shown).say("먼저 물어요", conversation=conversation)
    engine.start()
    shown.until(up.PacketEmitted, finished)
    assert shown.answer
    assert engine.stop(LIMIT_S)


def test_stop_ends_an_answer_and_keeps_what_was_read(tmp_path: Path) -> None:
    with serve_in_thread([SLOW]) as slow:
        with running(tmp_path, settings_for(slow.base_url)) as (client, shown):
            client.say("길게 말해 줘")
            shown.until(up.PacketEmitted, begun)
            client.send(Stop())
            shown.until(up.StateChanged, lambda each: each.snapshot.processing is None and len(shown.answer) > 0)
        with running(tmp_path, settings_for(slow.base_url)) as (_, again):
            answer = opened(again).messages[1]
    assert answer.completion is Completion.CANCELLED
    assert answer.text == shown.answer
    assert SLOW.text.startswith(answer.text)
    assert len(answer.text) < len(SLOW.text)


def test_quitting_in_the_middle_of_an_answer_keeps_what_was_read(tmp_path: Path) -> None:
    with serve_in_thread([SLOW]) as slow:
        with running(tmp_path, settings_for(slow.base_url)) as (client, shown):
            client.say("길게 말해 줘")
            shown.until(up.PacketEmitted, begun)
        with running(tmp_path, settings_for(slow.base_url)) as (_, again):
            question, answer = opened(again).messages
    assert question.text == "길게 말해 줘"
    assert answer.text
    assert SLOW.text.startswith(answer.text)
    assert answer.completion is not Completion.COMPLETE


def test_a_new_conversation_is_empty_and_the_model_knows_nothing_of_the_old(
    tmp_path: Path, server: ModelServer
) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        first = opened(shown).conversation
        client.say("비밀 얘기예요")
        first_turn = shown.until(up.PacketEmitted, finished).turn
        client.send(NewConversation())
        second = shown.until(up.ConversationOpened, lambda each: each.conversation != first)
        assert second.messages == ()
        client.say("처음 뵙겠습니다")
        shown.until(up.MessageAdded, lambda each: each.message.text == "처음 뵙겠습니다")
        shown.until(up.PacketEmitted, lambda each: each.turn != first_turn and finished(each))
    assert "비밀 얘기예요" in str(server.chats[0].body)
    assert "비밀 얘기예요" not in str(server.chats[1].body)


@pytest.mark.parametrize("asked", ["코치 에이전트로 바꿔 줘", SwitchAgent(agent="coach")])
def test_whoever_switched_to_an_agent_reaches_it_with_the_next_message(
    tmp_path: Path, server: ModelServer, asked: str | SwitchAgent
) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        first = client.conversation
        client.result(AddAgent(agent="coach", entries={"display_name": "코치"}, persona="You train runners."))
        client.say("안녕하세요")
        shown.until(up.PacketEmitted, finished)
        if isinstance(asked, str):
            switched = client.say(asked)
            shown.until(up.PacketEmitted, lambda each: each.turn == switched and finished(each))
        else:
            client.result(asked)
        second = client.conversation
        assert second != first
        client.say("오늘 뭐 하지?")
        shown.until(up.MessageAdded, lambda each: each.message.text == "오늘 뭐 하지?")
        shown.until(up.PacketEmitted, lambda each: each.conversation == second and finished(each))
        client.result(ListTimers())
        assert client.conversation == second, "one switch begins one conversation"
    assert "You train runners." in str(server.chats[-1].body)
    assert ["코치 에이전트로 바꿨어요" in shown.answer] == [isinstance(asked, str)]


def test_a_conversation_that_cannot_be_begun_is_told_and_the_engine_lives(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        shown.until(up.VoiceAvailable)
        client.say("지금 몇 시야?")
        first_turn = shown.until(up.PacketEmitted, finished).turn
        with sqlite3.connect(Places(tmp_path).database) as other:
            other.execute("CREATE TRIGGER full BEFORE INSERT ON conversations BEGIN SELECT RAISE(ABORT, 'full'); END")
        client.send(NewConversation())
        refusal = shown.until(Refusal, lambda each: each.reason == "storage")
        assert refusal.message == TEXTS("error.storage", **refusal.values)
        client.say("안녕하세요")
        shown.until(up.PacketEmitted, lambda each: each.turn != first_turn and finished(each))
        assert "반가워요" in shown.answer


def test_a_microphone_that_is_plugged_in_later_is_used(
    tmp_path: Path, server: ModelServer, model_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model_path("whisper-base")
    portaudio = FakePortAudio([FakeDevice("Loudspeaker", outputs=2)])
    monkeypatch.setitem(sys.modules, "sounddevice", portaudio.module())
    monkeypatch.setattr(hearing, "LOOK_FOR_MICROPHONE_S", 0.0)
    with running(tmp_path, settings_for(server.base_url, stt="faster_whisper")) as (_, shown):
        without = shown.until(up.VoiceAvailable, lambda each: each.speaker == "Loudspeaker")
        portaudio.devices.append(FakeDevice("Headset", inputs=1))
        shown.until(up.VoiceAvailable, lambda each: each.microphone == "Headset" and each.speaker == "Loudspeaker")
    assert without.microphone_reason


def test_a_part_that_fails_in_a_way_nobody_foresaw_is_told(
    tmp_path: Path, server: ModelServer, model_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    model_path("whisper-base")
    broken = FakePortAudio([]).module()
    vars(broken)["query_hostapis"] = lambda: 1 // 0
    monkeypatch.setitem(sys.modules, "sounddevice", broken)
    with running(tmp_path, settings_for(server.base_url, stt="faster_whisper")) as (client, shown):
        notice = shown.until(up.NoticePosted, lambda each: each.severity is up.Severity.ERROR)
        assert notice.key == "error.internal"
        client.say("안녕하세요")
        shown.until(up.PacketEmitted, finished)


def test_talking_without_a_microphone_is_answered_in_words(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.send(ToggleVoice())
        notice = shown.until(up.NoticePosted, lambda each: each.key == "notice.no_microphone")
    assert TEXTS(notice.key)


def test_whoever_wants_to_talk_reads_why_sori_cannot_hear(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        why = shown.until(up.VoiceAvailable, lambda each: bool(each.microphone_reason)).microphone_reason
        for control in (ToggleVoice(), HoldToTalk(held=True)):
            client.send(control)
            notice = shown.until(up.NoticePosted, lambda each: each.key == "notice.deaf")
            shown.updates.remove(notice)
            assert why in TEXTS(notice.key, **notice.values)


def test_muting_is_shown(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.send(SetMuted(muted=True))
        shown.until(up.VoiceAvailable, lambda each: each.muted)
        client.send(SetMuted(muted=False))
        shown.until(up.VoiceAvailable, lambda each: not each.muted and shown.all(up.VoiceAvailable)[0] is not each)


def test_whoever_wants_to_talk_is_heard_again(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.send(SetMuted(muted=True))
        muted = shown.until(up.VoiceAvailable, lambda each: each.muted)
        client.send(ToggleVoice())
        shown.until(up.NoticePosted, lambda each: each.key == "notice.no_microphone")
        after = shown.updates[shown.updates.index(muted) :]
        assert any(isinstance(each, up.VoiceAvailable) and not each.muted for each in after)


def test_what_is_remembered_is_told_to_the_model_after_a_restart_until_it_is_forgotten(
    tmp_path: Path, server: ModelServer
) -> None:
    def told(text: str, answer: str) -> None:
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            client.say(text)
            shown.until(up.PacketEmitted, lambda each: answer in str(each.packet))
            shown.until(up.PacketEmitted, finished)

    def asked() -> str:
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            client.say("내 이름이 뭐야?")
            shown.until(up.PacketEmitted, finished)
        return str(server.chats[-1].body)

    told("내 이름은 민수라고 기억해 줘", "기억했어요")
    assert not server.chats
    assert "- 내 이름은 민수" in asked()
    told("민수라는 거 잊어 줘", "잊었어요")
    assert "- 내 이름은 민수" not in asked()
    assert len(server.chats) == 2


def test_what_the_start_made_is_left_out_of_garbage_collections(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    frozen = threading.Event()
    monkeypatch.setattr(gc, "freeze", frozen.set)
    with running(tmp_path, settings_for(server.base_url)):
        assert frozen.wait(LIMIT_S)


async def test_the_engines_of_the_voice_are_left_out_too(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fetched(*_: object) -> None:
        return None

    async def loaded(*_: object, **__: object) -> Engines:
        return engines

    frozen = list[bool]()
    engines = Engines(recognizer=NOBODY, wake=None, turn_end=None, synthesizers=NOBODY, missing=[])
    monkeypatch.setattr(hearing, "fetch_models", fetched)
    monkeypatch.setattr(hearing, "load_voice", loaded)
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(True))
    live = LiveSettings(settings_for(server.base_url))
    hears = hearing.Hearing(tmp_path, live, TEXTS, NOBODY, publish=lambda _: None, tell_of=lambda _: None)
    assert await hears._load_voice() is engines
    assert frozen == [True]


def test_a_timer_rings_as_a_notice_and_writes_into_no_conversation(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.say("1초 타이머 맞춰줘")
        ring = shown.until(up.NoticePosted, lambda each: each.key == up.RINGS_NOTICE)
        assert "타이머" in str(ring.values["text"])
    with running(tmp_path, settings_for(server.base_url)) as (_, shown):
        assert len(opened(shown).messages) == 2  # the request and its answer
    assert not server.chats


def test_a_timer_is_shown_while_it_runs_and_what_rang_is_told_after_a_restart(
    tmp_path: Path, server: ModelServer
) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.say("라면 타이머 1초 맞춰줘")
        counted = shown.until(up.TimersChanged, lambda each: len(each.timers) == 1)
        assert [(timer.title, timer.ringing) for timer in counted.timers] == [("라면 타이머", False)]
        shown.until(up.TimersChanged, lambda each: any(timer.ringing for timer in each.timers))
    with running(tmp_path, settings_for(server.base_url)) as (_, shown):
        told = shown.until(up.NoticePosted, lambda each: each.key == up.RINGS_NOTICE)
        assert "울리는 동안 제가 꺼졌어요" in str(told.values["text"])
        assert not any(isinstance(each, up.TimersChanged) for each in shown.updates)


@pytest.mark.parametrize("stops", [lambda client: client.send(Stop()), lambda client: client.say("그만")])
def test_what_rings_is_stopped_by_whatever_stops_things(
    tmp_path: Path, server: ModelServer, stops: Callable[[Client], object]
) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.say("라면 타이머 1초 맞춰줘")
        rings = shown.until(up.TimersChanged, lambda each: any(timer.ringing for timer in each.timers))
        stops(client)
        shown.until(up.TimersChanged, lambda each: each.timers == ())
    assert len(rings.timers) == 1


def test_one_timer_of_several_is_cancelled(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.say("5분 타이머")
        shown.until(up.TimersChanged, lambda each: len(each.timers) == 1)
        client.say("10분 타이머")
        two = shown.until(up.TimersChanged, lambda each: len(each.timers) == 2)
        client.send(CancelTimer(timer=two.timers[0].id))
        shown.until(up.TimersChanged, lambda each: each.timers == two.timers[1:])


def test_the_voice_is_made_ready_in_steps_and_a_missing_card_is_named(
    tmp_path: Path, server: ModelServer, model_path: Callable[[str], Path]
) -> None:
    model_path("whisper-base")
    with running(tmp_path, settings_for(server.base_url, stt="faster_whisper")) as (client, shown):
        voice = shown.until(up.VoiceAvailable)
        client.send(SetMuted(muted=True))
        shown.until(up.VoiceAvailable, lambda each: each.muted and bool(each.microphone_reason))
    assert (voice.microphone, voice.speaker) == ("", "")
    assert voice.microphone_reason
    fractions = [each.fraction for each in shown.all(up.EngineProgressed) if each.part == "progress.speech_models"]
    assert (fractions, fractions[0], fractions[-1]) == (sorted(fractions), 0.0, 1.0)
    assert len(set(fractions)) > 3


def test_a_voice_that_cannot_be_loaded_is_told_and_typing_works(tmp_path: Path, server: ModelServer) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        voice = shown.until(up.VoiceAvailable)
        assert voice.microphone_reason
        assert shown.until(up.NoticePosted).severity is up.Severity.WARNING
        last = [each for each in shown.all(up.EngineProgressed) if each.part == "progress.speech_models"][-1]
        assert last.fraction == 1.0
        client.say("안녕하세요")
        shown.until(up.PacketEmitted, finished)


def test_the_tools_of_the_open_conversation_are_listed_and_without_hearing_no_voice_is_loaded(
    tmp_path: Path, server: ModelServer
) -> None:
    shown = Shown()
    engine = EngineThread(tmp_path, settings_for(server.base_url), TEXTS, hears=False)
    client = Client(engine, shown)
    engine.start()
    tools = {each.name: each for each in client.result(ListTools(conversation=client.conversation))}
    assert (tools["calculate"].offered, tools["calculate"].asks) == (True, False)
    assert tools["read_clipboard"].asks
    assert engine.stop(LIMIT_S)
    assert shown.all(up.VoiceAvailable) == []


def test_timers_ring_in_the_process_that_runs_alone(tmp_path: Path, server: ModelServer) -> None:
    shown = Shown()
    engine = EngineThread(tmp_path, settings_for(server.base_url), TEXTS, hears=False, alone=False)
    client = Client(engine, shown)
    engine.start()
    client.say("1초 타이머 맞춰줘")
    shown.until(up.PacketEmitted, finished)
    assert engine.stop(LIMIT_S)
    assert shown.all(up.TimersChanged) == []
    with running(tmp_path, settings_for(server.base_url)) as (_, alone):
        assert alone.until(up.NoticePosted, lambda each: each.key == up.RINGS_NOTICE)


def test_a_scheduled_request_is_carried_out_by_the_process_that_runs_alone_in_a_conversation_of_its_own(
    tmp_path: Path, server: ModelServer
) -> None:
    shown = Shown()
    engine = EngineThread(tmp_path, settings_for(server.base_url), TEXTS, hears=False, alone=False)
    client = Client(engine, shown)
    engine.start()
    added = client.result(AddScheduledRequest(words="오늘 할 일 읽어 줘", when="매일 아침 8시"))
    assert client.result(RunScheduledRequest(timer=added.id))
    assert engine.stop(LIMIT_S)
    assert not server.chats
    with running(tmp_path, settings_for(server.base_url)) as (alone, shown):
        told = shown.until(up.NoticePosted, lambda each: each.key.startswith(up.SCHEDULED_NOTICE))
        assert (told.key, told.values["what"]) == ("notice.scheduled.done", "오늘 할 일 읽어 줘")
        (item,) = alone.result(ListSchedule())
        assert (item.outcome, item.conversation != alone.conversation) == ("done", True)
        unread = [each for each in shown.all(up.ConversationMarked) if each.mark is ConversationMark.UNREAD]
        assert {each.conversation for each in unread} == {item.conversation}
    assert len(server.chats) == 1


def test_an_engine_that_hangs_is_told_and_what_it_still_does_is_not_shown(
    tmp_path: Path, server: ModelServer, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown, free = Shown(), threading.Event()

    def hang(*_: object) -> None:
        free.wait()  # on the loop of the engine

    monkeypatch.setattr(Session, "set_muted", hang)
    engine = EngineThread(tmp_path, settings_for(server.base_url), TEXTS, hears=False, hung_s=3.0)
    client = Client(engine, shown)
    engine.start()
    shown.until(up.ConversationOpened)
    client.send(SetMuted(muted=True))
    stopped = shown.until(up.EngineStopped)
    assert (stopped.hung, stopped.reason) == (True, TEXTS("error.engine_hung"))
    assert "free.wait()" in caplog.text
    assert not engine.stop(LIMIT_S)
    assert shown.until(Refusal).reason == "engine_gone"
    count = len(shown.updates)
    free.set()
    engine._thread.join(LIMIT_S)
    assert shown.updates[count:] == []


def test_a_call_into_a_library_that_still_runs_does_not_delay_the_end(tmp_path: Path, server: ModelServer) -> None:
    shown, free = Shown(), threading.Event()
    engine = EngineThread(tmp_path, settings_for(server.base_url), TEXTS, hears=False)
    Client(engine, shown)
    engine.start()
    shown.until(up.ConversationOpened)
    assert engine._loop is not None
    measured = asyncio.run_coroutine_threadsafe(asyncio.to_thread(free.wait), engine._loop)
    try:
        assert engine.stop(LIMIT_S)
        engine._thread.join(LIMIT_S)
        assert not engine._thread.is_alive()
        assert measured.cancelled()
    finally:
        free.set()


def test_a_database_that_cannot_be_opened_ends_the_engine_in_words(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.write_text("a file where the folder should be", encoding="utf-8")
    shown = Shown()
    engine = EngineThread(home, settings_for("http://127.0.0.1:9/v1"), TEXTS)
    Client(engine, shown)
    engine.start()
    stopped = shown.until(up.EngineStopped)
    assert str(home) in stopped.reason
    assert engine.stop(LIMIT_S)
    assert shown.all(up.EngineStopped) == [stopped]


def test_a_server_that_is_found_here_can_be_chosen_and_is_found_again_the_next_day(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    def chosen(update: up.ModelChosen) -> bool:
        return (update.provider, update.model) == ("ollama", "qwen3:8b")

    with neighbours(OLLAMA) as ports:
        monkeypatch.setattr(models, "PORTS", tuple(ports))
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            assert not any(offer.provider == "ollama" for each in shown.all(up.ModelsOffered) for offer in each.models)
            offered = client.result(ListModels(conversation=client.conversation))
            assert "ollama/gemma3:4b" in [offer.reference for offer in offered.models if offer.images and offer.local]
            assert offered.chosen == ""
            shown.until(up.ModelsOffered, lambda each: any(offer.provider == "ollama" for offer in each.models))
            client.send(ChooseModel(conversation=client.conversation, model="ollama/qwen3:8b"))
            shown.until(up.ModelChosen, chosen)
        with running(tmp_path, settings_for(server.base_url)) as (_, shown):
            assert shown.until(up.ModelChosen, chosen).reference == "ollama/qwen3:8b"


def test_a_model_file_that_was_added_while_sori_runs_is_offered_when_the_list_is_opened(
    tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORI_MODELS", str(tmp_path / "weights"))
    monkeypatch.setattr(models, "PORTS", ())
    with running(tmp_path, settings_for(server.base_url)) as (client, _):
        folder = tmp_path / "weights"
        folder.mkdir(exist_ok=True)
        (folder / "my-model.gguf").write_bytes(b"GGUF")
        offered = client.result(ListModels())
        assert "embedded/my-model" in [each.reference for each in offered.models]


def test_a_message_is_answered_again_by_the_model_that_is_asked_for_and_stored_once(tmp_path: Path) -> None:
    with serve_in_thread([Reply(text=""), Reply(text="이제 됐어요.")]) as server:
        with running(tmp_path, settings_for(server.base_url)) as (client, shown):
            client.say("뭐 하고 지내?")
            failed = shown.until(up.PacketEmitted, lambda update: isinstance(update.packet, Failure))
            assert isinstance(failed.packet, Failure)
            assert failed.packet.offers[0] == "retry"
            turn, conversation = client.connection.new_turn(), client.conversation
            client.send(AnswerAgain(turn=turn, conversation=conversation, model="mine/other-model"))
            shown.until(
                up.PacketEmitted,
                lambda update: isinstance(update.packet, Done) and update.packet.model == "other-model",
            )
            assert shown.answer == "이제 됐어요."
            assert len(shown.all(up.MessageAdded)) == 1
        assert [each.body["model"] for each in server.chats] == ["scripted-model", "other-model"]


@pytest.mark.parametrize("typed", ["mine/other-model", "other-model"])
def test_the_model_that_a_conversation_chose_answers_it(tmp_path: Path, server: ModelServer, typed: str) -> None:
    with running(tmp_path, settings_for(server.base_url)) as (client, shown):
        client.send(ChooseModel(conversation=client.conversation, model=typed))
        chosen = shown.until(up.ModelChosen, lambda update: update.model == "other-model")
        assert chosen.reference == "mine/other-model"
        client.say("뭐 하고 지내?")
        shown.until(up.PacketEmitted, finished)
        client.send(NewConversation())
        shown.until(up.ModelChosen, lambda update: update.conversation not in {"", chosen.conversation})
    assert [each.body["model"] for each in server.chats] == ["other-model"]


def test_a_typed_message_into_another_conversation_is_answered_beside_the_open_one(tmp_path: Path) -> None:
    replies = [SLOW, Reply(text="여기는 다른 곳이에요.")]
    with serve_in_thread(replies) as slow, running(tmp_path, settings_for(slow.base_url)) as (client, shown):
        first = opened(shown).conversation
        client.say("가을은 왜 짧아?")
        shown.until(up.PacketEmitted, begun)
        client.send(Stop())
        shown.until(up.PacketEmitted, finished)
        client.send(NewConversation())
        shown.until(up.ConversationOpened, lambda each: each.conversation != first)
        client.say("이어서 말해 줘", conversation=first)
        beside = shown.until(up.MessageAdded, lambda each: each.message.text == "이어서 말해 줘")
        assert beside.conversation == first
        done = shown.until(up.PacketEmitted, lambda each: each.turn == beside.turn and finished(each))
    assert done.conversation == first


def test_a_question_is_edited_its_answer_made_anew_and_a_branch_opened(tmp_path: Path) -> None:
    replies = [Reply(text=text) for text in ("하나예요.", "둘이에요.", "셋이에요.")]

    def shows(*texts: str) -> Callable[[up.ConversationOpened], bool]:
        return lambda each: tuple(message.text for message in each.messages) == texts

    with serve_in_thread(replies) as server, running(tmp_path, settings_for(server.base_url)) as (client, shown):
        first = opened(shown).conversation
        client.say("첫 물음")
        turn = shown.until(up.PacketEmitted, finished).turn
        question = shown.all(up.MessageAdded)[0].message.id
        edit = EditMessage(turn=client.connection.new_turn(), conversation=first, message=question, text="고친 물음")
        client.send(edit)
        edited = shown.until(up.ConversationOpened, shows("고친 물음")).messages[0]
        second = shown.until(up.PacketEmitted, lambda each: each.turn != turn and finished(each)).turn
        client.send(ShowVersion(conversation=first, message=question))
        answer = shown.until(up.ConversationOpened, shows("첫 물음", "하나예요.")).messages[1].id
        client.send(AnswerAgain(turn=client.connection.new_turn(), conversation=first, message=answer))
        shown.until(up.ConversationOpened, shows("첫 물음"))
        shown.until(up.PacketEmitted, lambda each: each.turn not in {turn, second} and finished(each))
        client.send(ShowVersion(conversation=first, message=edited.id))
        both = shown.until(up.ConversationOpened, shows("고친 물음", "둘이에요."))
        assert both.messages[0].versions == (question, edited.id)
        client.send(BranchConversation(conversation=first, message=edited.id))
        branch = shown.until(up.ConversationOpened, lambda each: each.conversation != first)
        assert [each.text for each in branch.messages] == ["고친 물음", "둘이에요."]
    assert "고친 물음" not in str(server.chats[2].body)
    with running(tmp_path, settings_for(server.base_url)) as (_, again):
        assert opened(again).conversation == branch.conversation
