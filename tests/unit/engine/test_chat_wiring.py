import asyncio
import struct
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.agent.model_choice import EMBEDDED
from assistant.agent.profile import LOCAL_PROFILE
from assistant.chat.turn_request import TurnRequest
from assistant.core import updates as up
from assistant.core.errors import SettingsError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta
from assistant.core.settings import LlmSettings, MemorySettings, Provider, Settings, ShellSettings
from assistant.engine.chat_wiring import build_chat
from assistant.engine.models.fetches import ModelFetches
from assistant.host.places import RESOURCES, Places
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelToolCall
from assistant.llm.embedded.prompt_states import SYSTEM, PromptStates, StateKey, fingerprint
from assistant.llm.router import BackendRegistry
from assistant.terminal.line_history import LineHistory
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, says
from tests.fakes.clock import FakeClock
from tests.fakes.front.terminal import FilesOnly
from tests.fakes.recording_backend import ABILITIES, RecordingBackend
from tests.fakes.system.volume import FakeVolume

TEXTS = load_texts("ko")


class PreparedBackend(FakeBackend):
    """Remembers for whom it was made ready."""

    def __init__(self) -> None:
        super().__init__([])
        self.prepared: list[str] = []

    async def prepare(self, provider: Provider, model: str = "") -> None:
        self.prepared.append(provider.name)


async def weights_are_here(_fetches: ModelFetches, _name: str) -> None:
    """Fetch nothing."""


async def test_every_ability_of_a_backend_survives_the_wiring(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    backend = RecordingBackend()
    registry = BackendRegistry(dict.fromkeys(("local", "openai"), backend))
    monkeypatch.setattr(BackendRegistry, "discovered", lambda _needs: registry)
    monkeypatch.setattr(ModelFetches, "ensure", weights_are_here)
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=FakeClock(), volume=FakeVolume())
    elsewhere = Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1")
    hidden = [
        (ability, provider.name)
        for ability in ABILITIES
        for provider in (EMBEDDED, elsewhere)
        for backends in (chat.answers.answerer.exchange.router, chat.models.router)
        if not await backend.is_reached(backends.backend_for(provider), ability, provider)
    ]
    await chat.close()
    assert hidden == []


async def test_a_shell_folder_without_the_sandbox_is_reported_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apt = tmp_path / "apt-get"
    apt.touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    notices: list[up.Update] = []
    settings = LiveSettings(replace(Settings(), shell=ShellSettings(folder="/srv/work")))
    chat = await build_chat(tmp_path, settings, TEXTS, notices.append, clock=FakeClock(), volume=FakeVolume())
    await chat.close()
    (notice,) = (each for each in notices if isinstance(each, up.NoticePosted))
    assert notice.severity is up.Severity.WARNING
    told = TEXTS(notice.key, **notice.values)
    assert "/srv/work" in told
    assert "sudo apt-get install -y --no-install-recommends bubblewrap" in told


async def test_what_is_needed_is_joined_and_what_happens_is_published(tmp_path: Path) -> None:
    (tmp_path / "sori.db").write_bytes(b"not a database at all " * 300)
    updates: list[up.Update] = []
    chat = await build_chat(
        tmp_path, LiveSettings(Settings()), TEXTS, updates.append, clock=FakeClock(), volume=FakeVolume()
    )
    notice, model = updates
    assert isinstance(notice, up.NoticePosted)
    assert notice.key == "notice.storage_set_aside"
    assert TEXTS(notice.key, **notice.values)
    assert model == up.ModelChosen(provider="embedded", model="qwen2.5-coder-1.5b", placeholder=False)

    conversation = await chat.storage.conversations.create()
    request = TurnRequest(turn=TurnId("1"), conversation=conversation, text="소리 키워줘", origin=Origin.VOICE)
    chat.answers.board.begin(request)
    packets = [emitted.packet async for emitted in chat.answers.board.follow(request.turn)]
    assert AnswerDelta(turn_index=0, text="볼륨을 50퍼센트로 맞췄어요.") in packets
    (added,) = [each for each in updates if isinstance(each, up.MessageAdded)]
    assert (added.turn, added.message.text) == ("1", "소리 키워줘")
    assert {
        schema.name for schema in chat.answers.answerer.exchange.tools.permitted(LOCAL_PROFILE.permissions).offered()
    } == {
        "current_time",
        "calculate",
        "set_timer",
        "list_timers",
        "cancel_timers",
        "set_alarm",
        "list_alarms",
        "cancel_alarms",
        "get_volume",
        "set_volume",
        "remember",
        "forget",
        "search_memory",
        "search_project",
        "list_project_files",
        "read_project_file",
        "keep_page",
        "open_url",
        "switch_agent",
        "switch_workspace",
        "create_note",
        "append_to_note",
        "list_notes",
        "read_note",
        "search_notes",
        "delete_note",
        "read_clipboard",
        "write_clipboard",
        "open_application",
        "open_in_browser",
        "control_media",
        "whats_playing",
        "get_settings",
        "change_setting",
        "schedule_request",
        "list_scheduled_requests",
        "change_scheduled_request",
        "find_person",
        "keep_person",
    }
    await chat.close()


async def test_warming_up_makes_the_model_of_general_conversation_ready(tmp_path: Path) -> None:
    providers = tuple(Provider(name=name, kind="openai", base_url="http://127.0.0.1:1/v1") for name in ("a", "b"))
    settings = Settings(llm=LlmSettings(provider="a", model="m", light_model="b/small"), providers=providers)
    updates: list[up.Update] = []
    chat = await build_chat(
        tmp_path, LiveSettings(settings), TEXTS, updates.append, clock=FakeClock(), volume=FakeVolume()
    )
    assert up.ModelChosen(provider="b", model="small", placeholder=False) in updates
    backend = PreparedBackend()
    chat.answers.answerer.exchange.router = backend
    await chat.warm_up(await chat.storage.conversations.create())
    assert backend.prepared == ["b"]
    await chat.close()


async def test_warming_up_lets_soris_own_model_read_the_conversation(tmp_path: Path) -> None:
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=FakeClock(), volume=FakeVolume())
    chat.answers.answerer.exchange.router = backend = PreparedBackend()
    backend.has_read.set()
    conversation = await chat.storage.conversations.create()
    await chat.storage.conversations.add(conversation, Message(role=Role.USER, text="우산이 필요할까?"))
    await chat.warm_up(conversation)
    await chat.answers.engine.afterwards.settle()
    ((_, request),) = backend.read
    assert "우산이 필요할까?" in request.messages[0].text
    await chat.close()


async def test_what_changes_something_says_so_and_runs_unasked_where_it_is_told_what_to_do(tmp_path: Path) -> None:
    volume = FakeVolume()
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=FakeClock(), volume=volume)
    calls = (
        ModelToolCall(id="1", name="set_timer", arguments={"minutes": 3}),
        ModelToolCall(id="2", name="set_volume", arguments={"percent": 30}),
        ModelToolCall(id="3", name="cancel_timers", arguments={}, readable=False),
        ModelToolCall(id="4", name="cancel_timers", arguments={}),
    )
    outcomes = [
        outcome
        async for outcome in chat.answers.answerer.exchange.tools.permitted(LOCAL_PROFILE.permissions).run(calls)
    ]
    assert [outcome.is_error for outcome in outcomes] == [False, False, True, True]
    assert await volume.level() == 30
    (timer,) = await chat.tools.timers.running()
    assert timer.language == "ko"
    await chat.close()


def states_of(home: Path) -> list[str]:
    return sorted(path.name.partition(".")[0] for path in (home / "prompt-states").glob("*"))


def keep_state(home: Path, owner: str) -> None:
    """What a model has read of ``owner``, on disk."""
    states = PromptStates(Places(home).prompt_states, most=8, most_bytes=1000, free_bytes=lambda _: 1 << 40)
    part = states.part(5)
    (states.folder / part).write_bytes(b"state")
    states.admit(part, StateKey(owner=owner, model=fingerprint("m"), text=fingerprint("t")), 5)


async def test_what_a_model_has_read_goes_with_its_conversation(tmp_path: Path) -> None:
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=FakeClock(), volume=FakeVolume())
    kept, deleted = [await chat.storage.conversations.create() for _ in range(2)]
    for owner in (kept, deleted, SYSTEM):
        keep_state(tmp_path, owner)
    await chat.storage.conversation_list.delete(deleted)
    assert len(states_of(tmp_path)) == 3
    await chat.storage.conversation_list.purge()
    assert states_of(tmp_path) == sorted([kept, SYSTEM])
    await chat.close()


async def test_what_was_typed_in_the_terminal_goes_with_its_conversation(tmp_path: Path) -> None:
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=FakeClock(), volume=FakeVolume())
    history = LineHistory(FilesOnly(tmp_path))
    history.store_string("secret")
    history.store_string("kept")
    deleted = await chat.storage.conversations.create()
    await chat.storage.conversations.add(deleted, Message(role=Role.USER, text="secret"))
    await chat.storage.conversation_list.delete(deleted)
    await chat.storage.conversation_list.purge()
    assert list(history.load_history_strings()) == ["kept"]
    await chat.close()


async def test_what_a_model_has_read_of_a_conversation_that_is_gone_is_removed_at_the_start(tmp_path: Path) -> None:
    keep_state(tmp_path, "gone")
    (tmp_path / "prompt-states" / "part-0123").write_bytes(b"half")
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=FakeClock(), volume=FakeVolume())
    assert states_of(tmp_path) == []
    await chat.close()


async def test_timers_ring_once_they_are_started(tmp_path: Path) -> None:
    clock = FakeClock()
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=clock, volume=FakeVolume())
    rung: list[str] = []
    chat.tools.timers.rung.add(lambda ring: rung.append(ring.text))
    await chat.tools.timers.set(3, "", "ko")
    chat.start_timers()
    await clock.until_sleeping()
    clock.advance(3)
    await clock.until_sleeping()
    assert rung == ["3초 타이머가 끝났어요."]
    await chat.close()


async def test_a_provider_that_does_not_exist_is_refused_before_anything_is_opened(tmp_path: Path) -> None:
    settings = Settings(llm=LlmSettings(provider="ghost"), providers=(Provider(name="mine", kind="openai"),))
    with pytest.raises(SettingsError, match="ghost"):
        await build_chat(tmp_path, LiveSettings(settings), TEXTS)
    assert not await asyncio.to_thread((tmp_path / "sori.db").exists)


async def test_a_model_of_ones_own_is_measured_by_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORI_MODELS", str(tmp_path / "models"))
    folder = tmp_path / "models" / "my-model"
    folder.mkdir(parents=True)
    label = "general.size_label"
    pair = struct.pack("<Q", len(label)) + label.encode() + struct.pack("<IQ", 8, 4) + b"1.7B"
    (folder / "it.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + pair)
    chat = await build_chat(tmp_path, LiveSettings(Settings()), TEXTS, clock=FakeClock(), volume=FakeVolume())
    try:
        assert chat.answers.answerer.exchange.parameters_of("my-model") == 1.7e9
        assert chat.answers.answerer.exchange.parameters_of("gone") is None
    finally:
        await chat.close()


async def test_another_language_and_another_model_hold_from_the_next_turn_on(tmp_path: Path) -> None:
    providers = tuple(Provider(name=name, kind="openai", base_url="http://127.0.0.1:1/v1") for name in ("a", "b"))
    live = LiveSettings(Settings(language="ko", llm=LlmSettings(provider="a", model="m"), providers=providers))
    chat = await build_chat(tmp_path, live, TEXTS, clock=FakeClock(), volume=FakeVolume())
    chat.answers.answerer.exchange.router = backend = FakeBackend(says("네."), says("Yes."))
    conversation = await chat.storage.conversations.create()
    _ = [packet async for packet in turn_packets(chat.answers.engine, TurnId("1"), conversation, "내일은 어때?")]
    llm = LlmSettings(provider="a", model="m", light_model="b/small")
    live.change(replace(live.written, language="en", llm=llm))
    _ = [packet async for packet in turn_packets(chat.answers.engine, TurnId("2"), conversation, "And the day after?")]
    before, after = backend.requests
    assert (before.model, after.model) == ("m", "small")
    assert "소리" in before.system
    assert after.system.startswith((RESOURCES / "prompts" / "system.en.md").read_text(encoding="utf-8").strip())
    assert "Context" in after.messages[0].text or "context" in after.messages[0].text
    await chat.close()


async def test_a_timer_of_a_model_rings_in_the_language_that_holds_when_it_is_set(tmp_path: Path) -> None:
    live = LiveSettings(Settings(language="ko"))
    chat = await build_chat(tmp_path, live, TEXTS, clock=FakeClock(), volume=FakeVolume())
    live.change(replace(live.written, language="en"))
    call = ModelToolCall(id="1", name="set_timer", arguments={"minutes": 3})
    assert [
        outcome.is_error
        async for outcome in chat.answers.answerer.exchange.tools.permitted(LOCAL_PROFILE.permissions).run([call])
    ] == [False]
    assert [timer.language for timer in await chat.tools.timers.running()] == ["en"]
    await chat.close()


async def test_a_full_memory_gets_room_right_after_the_turn_and_the_user_is_told(tmp_path: Path) -> None:
    settings = LiveSettings(replace(Settings(), memory=MemorySettings(max_size=200)))
    told = asyncio.Queue[up.NoticePosted]()
    chat = await build_chat(
        tmp_path,
        settings,
        TEXTS,
        lambda update: told.put_nowait(update) if isinstance(update, up.NoticePosted) else None,
        clock=FakeClock(),
        volume=FakeVolume(),
        wait_for_weights=False,
        works_on=True,
    )
    conversation = await chat.storage.conversations.create()
    for number in range(4):
        said = f"{number}번 상자는 창고 {number}번 칸에 있다고 기억해 줘"
        [_ async for _ in turn_packets(chat.answers.engine, TurnId(str(number)), conversation, said, Origin.TEXT)]
    # The clock stands still: a title waits for a rest of the user's, and this must not wait for the title.
    async with asyncio.timeout(30):
        notice = await told.get()
    assert notice.key == "memory.notice.archived"
    assert "보관함" in TEXTS(notice.key, **notice.values)
    undone = await chat.agents.journal.undo()
    await chat.close()
    assert undone is not None
    assert undone.text == "3번 상자는 창고 3번 칸에 있다"
