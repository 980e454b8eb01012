"""The sound card at run time: failures, returning devices, and what the user reads of them (V-18, V-19)."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.audio.cards.device_changes import Devices, Present
from assistant.audio.cards.device_signal import DeviceSignal
from assistant.core import updates as up
from assistant.core.errors import AudioDeviceError, ModelFileError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import InteractionState
from assistant.core.settings import Settings, VoiceSettings
from assistant.engine import device_watch, hearing
from assistant.engine.device_watch import DeviceWatch
from assistant.engine.hearing import Hearing
from assistant.engine.session_wiring import VoiceThreads
from assistant.host.texts import load_texts
from assistant.voice.work import Work
from tests.fakes.clock import FakeClock


def failure(key: str, device: str = "Headset") -> AudioDeviceError:
    return AudioDeviceError(device, key, message_key=f"audio.{key}")


class Card:
    """A card that fails or ends when a test says so."""

    def __init__(self, options: dict[str, Any], opening: AudioDeviceError | None) -> None:
        self.options = options
        self.microphone_error = options["silent_microphone"]
        self.speaker_error = options["unusable_speaker"]
        self.microphone = "" if self.microphone_error else "Laptop"
        self.speaker = "" if self.speaker_error else "Laptop"
        self.opening = opening
        self.closed, self.woken = False, 0
        self.failing: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def wake_speaker(self) -> None:
        self.woken += 1

    async def open(self) -> None:
        if self.opening is not None:
            raise self.opening

    async def close(self) -> None:
        self.closed = True


class Session:
    """A session that hears until its card fails."""

    muted = False
    busy = False
    attentive = False
    why_deaf = ""

    def __init__(self) -> None:
        self.snapshot = SimpleNamespace(interaction=InteractionState.IDLE)
        self.polls = 0

    async def run_card(self, card: Card) -> None:
        await card.failing

    def deaf_because(self, reason: str) -> None:
        self.why_deaf = reason

    def poll_speech(self) -> None:
        self.polls += 1

    def detach(self) -> None:
        """Nothing is attached."""


class Signal(DeviceSignal):
    """A sound server that tells of changes when a test says so."""

    number = 0

    @property
    def connection(self) -> int:
        return self.number

    async def run(self) -> None:
        """There is no program to run."""


@dataclass
class House:
    """A running ``Hearing``, its cards, and what the user reads."""

    clock: FakeClock
    session: Session
    signal: "Signal"
    cards: list[Card] = field(default_factory=list)
    openings: list[AudioDeviceError | None] = field(default_factory=list)
    there: Devices | None = None
    shown: list[up.VoiceAvailable] = field(default_factory=list)
    told: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    looks: int = 0
    hearing: Any = None
    live: LiveSettings = field(default_factory=lambda: LiveSettings(Settings()))

    async def settle(self) -> None:
        for _ in range(30):
            await asyncio.sleep(0)

    async def pass_s(self, seconds: float) -> None:
        """Let audio time pass in steps of a second."""
        for _ in range(round(seconds)):
            self.clock.advance(1)
            await self.settle()

    async def fail(self, error: AudioDeviceError) -> None:
        """Let the current card fail."""
        self.cards[-1].failing.set_exception(error)
        await self.settle()


@asynccontextmanager
async def house(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    *,
    voice: VoiceSettings | None = None,
    opening: Any = (),
    load: Callable[[Hearing], Any] | None = None,
) -> AsyncIterator[House]:
    clock = FakeClock()
    it = House(clock, Session(), Signal(clock.sleep), openings=list(opening))

    def make_card(_playback: object, **options: Any) -> Any:
        it.cards.append(Card(options, it.openings.pop(0) if it.openings else None))
        return it.cards[-1]

    async def look() -> Devices | None:
        it.looks += 1
        return it.there

    def publish(update: up.Update) -> None:
        if isinstance(update, up.VoiceAvailable):
            it.shown.append(update)
        elif isinstance(update, up.NoticePosted):
            it.notices.append(update.key)

    def tell_of(error: SoriError) -> None:
        it.told.append(error.message_key)

    async def loaded(_self: Hearing) -> Any:
        return SimpleNamespace(wake=None)

    monkeypatch.setattr(hearing, "attach_voice", lambda *_, **__: None)
    monkeypatch.setattr(device_watch, "cards", lambda: "")
    monkeypatch.setattr(Hearing, "_load_voice", load or loaded)
    live = LiveSettings(Settings(language="en", voice=voice or VoiceSettings()))
    more: dict[str, Any] = {"make_card": make_card, "watch": DeviceWatch(it.clock, look, it.signal)}
    threads = VoiceThreads(Work())
    hearing_ = Hearing(
        tmp_path, live, load_texts("en"), threads, publish=publish, tell_of=tell_of, clock=it.clock, **more
    )
    it.hearing, it.live = hearing_, live
    session: Any = it.session
    running = asyncio.create_task(hearing_.run(session))
    await it.settle()
    try:
        yield it
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        threads.close()


def devices(*names: str, default: str) -> Devices:
    there = Present(names=frozenset(names), default=default)
    return {"input": there, "output": there}


async def test_a_lost_microphone_is_shown_and_the_card_is_opened_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        await it.fail(failure("microphone_lost"))
        assert "unplugged" in it.shown[-1].microphone_reason
        assert it.cards[0].closed
        await it.pass_s(2)
        assert len(it.cards) == 1
        await it.pass_s(1)
        assert len(it.cards) == 2
        assert (it.shown[-1].microphone, it.shown[-1].microphone_reason) == ("Laptop", "")


@pytest.mark.parametrize(("attentive", "polls"), [(False, 5), (True, 50)])
async def test_without_a_microphone_playback_is_checked_often_only_while_something_happens(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, attentive: bool, polls: int
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        it.session.attentive = attentive
        await it.fail(failure("microphone_silent"))
        before = it.session.polls
        for _ in range(100):
            it.clock.advance(0.01)
            await it.settle()

        assert it.session.polls - before == pytest.approx(polls, abs=1)


async def test_a_silent_microphone_is_shown_until_its_first_sound_while_the_speaker_goes_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        await it.fail(failure("microphone_silent"))
        assert (it.shown[-1].microphone, it.shown[-1].speaker) == ("", "Laptop")
        assert "muted" in it.shown[-1].microphone_reason
        assert it.session.why_deaf == it.shown[-1].microphone_reason
        shown = len(it.shown)
        await it.pass_s(70)  # it is opened again twice, and the user reads nothing else meanwhile
        assert [card.options["silent_microphone"] is None for card in it.cards] == [True, False, False, False]
        assert len(it.shown) == shown
        assert it.session.polls
        it.session.snapshot.interaction = InteractionState.SPEAKING
        it.cards[-1].failing.set_result(None)  # a sound
        await it.pass_s(5)
        assert len(it.cards) == 4
        it.session.snapshot.interaction = InteractionState.IDLE
        await it.pass_s(1)
        assert it.cards[-1].options["silent_microphone"] is None
        assert (it.shown[-1].microphone, it.shown[-1].microphone_reason) == ("Laptop", "")
        assert not it.session.why_deaf


async def test_a_machine_without_devices_tells_of_each_by_itself(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        await it.fail(failure("microphone_missing"))
        shown = it.shown[-1]
        assert "no microphone" in shown.microphone_reason
        assert "no speaker" in shown.speaker_reason


async def test_a_stalled_speaker_is_opened_again_at_once_and_left_alone_when_it_stalls_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        await it.fail(failure("speaker_stalled"))
        assert it.told == ["error.audio.speaker_stalled"]
        assert (len(it.cards), it.cards[1].speaker) == (2, "Laptop")
        await it.pass_s(10)
        await it.fail(failure("speaker_stalled"))
        assert (it.cards[2].microphone, it.cards[2].speaker) == ("Laptop", "")
        assert "takes no sound" in it.shown[-1].speaker_reason
        await it.pass_s(61)
        assert it.cards[3].speaker == "Laptop"


async def test_a_speaker_that_stalls_once_a_day_is_never_left_alone(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        for _ in range(3):
            await it.fail(failure("speaker_stalled"))
            it.clock.advance(86_400)
            await it.settle()
        assert all(card.speaker for card in it.cards)


async def test_a_sound_system_that_does_not_answer_is_asked_less_and_less_often(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path, opening=[failure("system_stuck", "PortAudio")] * 4) as it:
        opened: list[int] = []
        for second in range(30):
            await it.pass_s(1)
            if len(it.cards) > len(opened) + 1:
                opened.append(second + 1)
        assert opened == [3, 9, 21]
        assert "does not answer" in it.shown[-1].microphone_reason


async def test_the_chosen_headset_is_used_again_when_it_returns_and_nobody_talks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    voice = VoiceSettings(input_device="Headset", output_device="Headset")
    async with house(monkeypatch, tmp_path, voice=voice) as it:
        it.there = devices("Laptop", default="Laptop")
        await it.pass_s(31)
        assert len(it.cards) == 1
        it.session.busy = True
        it.there = devices("Laptop", "Headset", default="Laptop")
        await it.pass_s(31)
        assert len(it.cards) == 1
        it.session.busy = False
        await it.pass_s(2)
        assert len(it.cards) == 2
        assert it.cards[1].options["input_device"] == "Headset"


async def test_another_default_device_is_followed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with house(monkeypatch, tmp_path) as it:
        it.there = devices("Laptop", "Screen", default="Laptop")
        await it.pass_s(16)
        it.there = None
        await it.pass_s(15)
        assert len(it.cards) == 1
        it.there = devices("Laptop", "Screen", default="Screen")
        await it.pass_s(15)
        assert len(it.cards) == 2


async def test_a_change_that_the_sound_server_tells_is_looked_at_within_seconds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        it.there = devices("Laptop", default="Laptop")
        await it.pass_s(16)
        it.there = devices("Laptop", "Headset", default="Headset")
        it.signal.tell()
        await it.pass_s(2)
        assert it.cards[0].woken == 1  # its device may have gone while it rested
        assert len(it.cards) == 2


async def test_while_a_sound_server_would_tell_of_changes_nobody_looks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        it.signal.number = 1
        it.there = devices("Laptop", default="Laptop")
        await it.pass_s(100)
        assert it.looks == 1
        it.signal.number = 2  # the server was away for a moment
        await it.pass_s(100)
        assert it.looks == 2
        it.signal.number = 0
        await it.pass_s(100)
        assert it.looks > 6


async def test_a_card_that_is_opened_again_with_the_same_devices_needs_no_look(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        it.there, it.signal.number = devices("Laptop", default="Laptop"), 1
        await it.pass_s(20)
        await it.fail(failure("speaker_lost"))
        await it.pass_s(60)
        assert (len(it.cards), it.looks) == (2, 1)
        it.there = devices("Laptop", "Screen", default="Screen")
        it.signal.tell()
        await it.pass_s(3)
        assert len(it.cards) == 3


async def test_a_speaker_that_does_not_start_after_a_rest_is_replaced_at_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with house(monkeypatch, tmp_path) as it:
        await it.fail(failure("speaker_lost"))
        assert len(it.cards) == 2
        assert it.cards[1].options["unusable_speaker"] is None


async def test_a_voice_that_never_loads_is_given_up_in_words(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async def fetched(*_: object) -> None:
        """Everything is here."""

    async def hang(*_: object, **__: object) -> Any:
        await asyncio.Event().wait()

    for name, replacement in {
        "open_store": lambda _home: SimpleNamespace(path=None),
        "needed_speech_models": lambda _settings: [],
        "paces_for": lambda *_: None,
        "fetch_models": fetched,
        "load_voice": hang,
        "LOAD_LIMIT_S": 0,
    }.items():
        monkeypatch.setattr(hearing, name, replacement)
    shown, told, given_up = list[up.Update](), list[str](), asyncio.Event()
    live, threads = LiveSettings(Settings(language="en")), VoiceThreads(Work())
    session: Any = Session()

    def tell_of(error: SoriError) -> None:
        told.append(error.message_key)
        given_up.set()

    hearing_ = Hearing(tmp_path, live, load_texts("en"), threads, publish=shown.append, tell_of=tell_of)
    running = asyncio.create_task(hearing_.run(session))
    await given_up.wait()
    await asyncio.sleep(0)
    available = shown[-1]
    assert isinstance(available, up.VoiceAvailable)
    assert "Typing works" in available.microphone_reason
    given_up.clear()
    changing = asyncio.create_task(hearing_.changes.make(lambda voice: voice))
    await given_up.wait()  # A change of a setting is a reason to try again.
    assert told == ["error.voice_load_hung"] * 2
    for task in (changing, running):
        task.cancel()
    await asyncio.gather(changing, running, return_exceptions=True)
    threads.close()


async def test_a_voice_whose_models_no_server_sent_is_loaded_when_the_network_is_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    attempts = [ModelFileError("no way", model="whisper-base", message_key="model_no_network")] * 2

    async def load(_self: Hearing) -> Any:
        if attempts:
            raise attempts.pop()
        return SimpleNamespace(wake=None)

    async with house(monkeypatch, tmp_path, load=load) as it:
        assert it.told == ["error.model_no_network"]
        assert "by myself" in it.shown[-1].microphone_reason
        assert not it.cards
        await it.pass_s(15)
        assert it.told == ["error.model_no_network"], "the same failure is told once"
        assert not it.cards
        await it.pass_s(30)
        assert it.shown[-1].microphone == "Laptop"
        assert it.notices == ["notice.fetch.voice_here"]


@pytest.mark.parametrize("reason", ["model_unavailable", "model_disk_full", "model_wrong_sum"])
async def test_a_voice_that_only_the_user_can_have_tried_again_waits_for_the_user(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, reason: str
) -> None:
    values = {"needed": "1 GB", "free": "0 B", "folder": "/models"}
    attempts = [ModelFileError("[Errno]", model="whisper-base", message_key=reason, values=values)]

    async def load(_self: Hearing) -> Any:
        if attempts:
            raise attempts.pop()
        return SimpleNamespace(wake=None)

    async with house(monkeypatch, tmp_path, load=load) as it:
        await it.pass_s(1000)
        assert not it.cards
        assert "Errno" not in it.shown[-1].microphone_reason
        it.hearing.try_again()
        await it.settle()
        assert it.shown[-1].microphone == "Laptop"


async def test_a_changed_engine_is_used_when_nobody_talks(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with house(monkeypatch, tmp_path) as it:
        it.session.snapshot = SimpleNamespace(interaction=InteractionState.SPEAKING)
        wake = SimpleNamespace(name="alexa")
        change: Any = lambda voice: SimpleNamespace(**{**vars(voice), "wake": wake})  # noqa: E731
        changing = asyncio.create_task(it.hearing.changes.make(change))
        await it.pass_s(5)
        assert (len(it.cards), changing.done()) == (1, False)
        it.session.snapshot = SimpleNamespace(interaction=InteractionState.IDLE)
        await it.pass_s(1)
        assert it.cards[0].closed
        assert (len(it.cards), changing.done()) == (2, True)
        assert it.shown[-1].wake_word == "alexa"
        assert it.shown[-1].called == "Alexa"
        await it.fail(failure("speaker_lost"))
        assert it.shown[-1].wake_word == "alexa"


@pytest.mark.parametrize(
    "name", ["소리야", "도치야", "하늘", "친구야", "빅스", "Poppy", "Hey Sori", "Computer", "Jane", "Robin"]
)
async def test_the_name_of_the_agent_goes_before_the_wake_word(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    async def load(_self: Hearing) -> Any:
        return SimpleNamespace(wake=SimpleNamespace(name="hey_jarvis"))

    async with house(monkeypatch, tmp_path, load=load) as it:
        await it.settle()
        assert it.shown[-1].called == "Hey Jarvis"
        it.hearing.show_name(name)
        assert it.shown[-1].called == name
        await it.fail(failure("speaker_lost"))
        assert it.shown[-1].called == name
        it.hearing.show_name("")
        assert it.shown[-1].called == "Hey Jarvis"


async def test_a_chosen_device_is_opened_when_it_changes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with house(monkeypatch, tmp_path) as it:
        it.live.change(Settings(language="en", voice=VoiceSettings(input_device="Headset")))
        changing = asyncio.create_task(it.hearing.changes.make(lambda voice: voice))
        await it.settle()
        assert changing.done()
        assert it.cards[-1].options["input_device"] == "Headset"


async def test_without_a_card_a_change_is_taken_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    opening = [failure("system_not_started")] * 9
    async with house(monkeypatch, tmp_path, opening=opening) as it:
        changing = asyncio.create_task(it.hearing.changes.make(lambda voice: voice))
        await it.pass_s(hearing.REOPEN_CARD_S)
        assert changing.done()


def absent(count: int) -> list[AudioDeviceError | None]:
    return [failure("system_not_started") for _ in range(count)]


async def test_a_card_that_stays_away_is_sought_more_seldom(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    async with house(monkeypatch, tmp_path, opening=absent(40)) as it:
        await it.pass_s(300)
        # Each attempt starts the sound system anew; every three seconds there would be a hundred.
        assert len(it.cards) <= 300 / hearing.REOPEN_LONGEST_S + 4


@pytest.mark.parametrize("change", ["card", "server", "device"])
@pytest.mark.parametrize("after_s", [1, 40, 200])
async def test_a_card_that_comes_is_opened_within_seconds(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, change: str, after_s: int
) -> None:
    listed = [" 0 [PCH]"]
    async with house(monkeypatch, tmp_path, opening=absent(60)) as it:
        monkeypatch.setattr(device_watch, "cards", lambda: listed[-1])
        await it.pass_s(hearing.REOPEN_CARD_S)
        await it.pass_s(after_s)
        tried = len(it.cards)
        if change == "card":
            listed.append(" 0 [PCH] 1 [Headset]")
        elif change == "server":
            it.signal.number += 1
        else:
            it.signal.tell()
        await it.pass_s(hearing.REOPEN_CARD_S)
        assert len(it.cards) > tried
        # What has just come may not be ready: the next attempt is soon as well.
        await it.pass_s(hearing.REOPEN_CARD_S + 1)
        assert len(it.cards) > tried + 1
