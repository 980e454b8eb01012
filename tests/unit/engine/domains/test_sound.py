"""The test of microphone and speaker in the engine, with a scripted room."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from typing_extensions import override

from assistant.audio.cards.card import HeardFrame
from assistant.audio.playback import Playback
from assistant.audio.resampling import Samples
from assistant.core import updates as up
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, Frame
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import SessionState, Snapshot
from assistant.core.service.requests.voice import CheckedSound, CheckSound, TryVoice
from assistant.core.settings import Settings, VoiceSettings
from assistant.core.updates import SoundCheckStage
from assistant.engine.domains.sound import LISTEN_S, SoundTests
from assistant.host.texts import load_texts
from assistant.voice.session.lending import Borrower, Lending
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.unit.audio.sounds import tone

SILENCE = bytes(FRAME_BYTES)
AVAILABLE = up.VoiceAvailable(microphone="Mic", microphone_reason="", speaker="Box", speaker_reason="", muted=False)


class NoWait(FakeClock):
    """A clock on which no time is waited for."""

    @override
    async def sleep(self, seconds: float) -> None:
        self.advance(seconds)


class Room:
    """A session in a room: the user says ``voice``, and the microphone hears the speaker if ``echo``.

    Attributes:
        lent_for: frames after which the microphone goes away; ``None`` for never.
    """

    def __init__(self, voice: NDArray[np.int16], *, echo: bool = True) -> None:
        self.hears = self.can_speak = True
        self.snapshot = Snapshot()
        self.events: list[ev.Event] = []
        self.lent_for: int | None = None
        self.played: list[Samples] = []
        self._voice, self._echo = voice, echo
        self._playback, self._lending = Playback(), Lending()
        self._feeding: asyncio.Task[None] | None = None

    def tell(self, event: ev.Event) -> None:
        self.events.append(event)

    def play(self, sound: Samples) -> bool:
        if self.can_speak:
            self.played.append(sound)
            self._playback.cue(sound)
        return self.can_speak

    def lend_microphone(self, borrower: Borrower, on_lost: Callable[[], None]) -> None:
        self._lending.lend(borrower, on_lost)
        self._feeding = asyncio.create_task(self._feed())

    def take_back_microphone(self) -> None:
        self._lending.take_back()

    @property
    def lent(self) -> bool:
        return self._lending.lent

    async def _feed(self) -> None:
        for number, said in enumerate(self._frames()):
            if number == self.lent_for:
                self._lending.lose()
            block = self._playback.pull().reference.tobytes()
            heard = block if self._echo and any(block) else said
            if not self._lending.hear(HeardFrame(heard=Frame(index=number * FRAME_SAMPLES, pcm=heard), played=block)):
                return
            await asyncio.sleep(0)

    def _frames(self) -> Iterator[bytes]:
        spoken = self._voice.tobytes()
        for at in range(0, len(spoken), FRAME_BYTES):
            yield spoken[at : at + FRAME_BYTES]
        while True:
            yield SILENCE


class Stand:
    """The domain in a room, and what it tells."""

    def __init__(self, room: Room, devices: up.VoiceAvailable = AVAILABLE, **voice: Any) -> None:
        self.room, self.updates, self.read = room, list[up.Update](), list[tuple[str, str, str]]()
        live = LiveSettings(Settings(language="ko", voice=VoiceSettings(**voice)))
        self.domain = SoundTests(
            room,
            lambda: devices,
            live,
            load_texts("ko"),
            self._read,
            publish=self.updates.append,
            clock=NoWait(),
        )

    async def _read(self, text: str, voice: str, language: str) -> Samples:
        self.read.append((text, voice, language))
        return np.ones(2_400, np.int16)

    async def check(self) -> CheckedSound:
        return await ask(self.domain, CheckSound())

    @property
    def stages(self) -> list[SoundCheckStage]:
        return [each.stage for each in self.updates if isinstance(each, up.SoundCheckProgressed)]


def talking(level: float = 0.3) -> NDArray[np.int16]:
    """Three seconds, in the second of which somebody speaks."""
    sound = np.zeros(round(LISTEN_S * 16_000), np.int16)
    sound[16_000:32_000] = (tone(300, 1, 16_000) * level).astype(np.int16)[:16_000]
    sound[::160] += 1  # a room is never digitally silent
    return sound


async def test_the_user_is_heard_hears_a_sound_and_hears_what_was_said() -> None:
    stand = Stand(Room(talking()))
    checked = await stand.check()
    assert checked.good
    assert stand.stages == [SoundCheckStage.SPEAK, SoundCheckStage.SOUND, SoundCheckStage.REPLAY]
    assert any(isinstance(each, up.LevelMeasured) and each.level_db > -40 for each in stand.updates)
    assert checked.loud_db is not None
    assert checked.quiet_db is not None
    assert checked.loud_db > checked.quiet_db + 20
    assert checked.echo_ms == pytest.approx(0, abs=15)
    assert checked.echo_db == pytest.approx(0, abs=2)
    sound, replay = stand.room.played
    assert len(replay) == pytest.approx(LISTEN_S * 48_000, abs=500)
    assert np.abs(replay[48_000:96_000]).max() > 1000, "what was said is played back"
    assert len(sound) == 96_000
    assert not stand.room.lent


async def test_advice_names_the_setting_to_change() -> None:
    checked = await Stand(Room(talking()), echo_cancellation=False).check()
    (advice, *_) = checked.advice
    assert (advice.setting, advice.value) == ("voice.echo_cancellation", True)
    assert "에코" in advice.text


async def test_a_silent_microphone_is_a_fault() -> None:
    checked = await Stand(Room(np.zeros(48_000, np.int16), echo=False)).check()
    assert not checked.good
    assert "무음" in checked.advice[0].text


async def test_without_a_speaker_the_voice_alone_is_measured() -> None:
    room = Room(talking())
    room.can_speak = False
    stand = Stand(room, up.VoiceAvailable(**{**_fields(AVAILABLE), "speaker": "", "speaker_reason": "없어요."}))
    checked = await stand.check()
    assert (checked.good, checked.problems, checked.echo_ms) == (False, ("없어요.",), None)
    assert checked.loud_db is not None


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"microphone_reason": "연결이 끊겼어요."}, "연결이 끊겼어요."),
        ({"muted": True}, "마이크가 꺼져 있어요"),
        ({"microphone": ""}, "마이크"),
    ],
)
async def test_why_there_is_no_microphone_is_told(change: dict[str, Any], words: str) -> None:
    room = Room(talking())
    room.hears = False
    stand = Stand(room, up.VoiceAvailable(**{**_fields(AVAILABLE), **change}))
    checked = await stand.check()
    assert not checked.good
    assert words in " ".join(checked.problems)
    assert not stand.stages


async def test_a_microphone_that_goes_away_ends_the_test() -> None:
    room = Room(talking())
    room.lent_for = 100
    checked = await Stand(room).check()
    assert not checked.good
    assert checked.problems
    assert not room.lent


async def test_a_spoken_conversation_ends_before_the_test() -> None:
    room = Room(talking())
    room.snapshot = Snapshot(session=SessionState.ACTIVE)
    await Stand(room).check()
    assert room.events == [ev.VoiceToggled()]


@pytest.mark.parametrize(("language", "word"), [("ko", "소리예요"), ("en", "I am Sori")])
async def test_a_voice_is_tried_with_a_sentence_of_its_language(language: str, word: str) -> None:
    stand = Stand(Room(talking()))
    await ask(stand.domain, TryVoice(voice="nara", language=language))
    ((text, voice, spoken),) = stand.read
    assert word in text
    assert (voice, spoken) == ("nara", language)
    assert [len(each) for each in stand.room.played] == [4_800], "at the rate of the card"


async def test_a_voice_without_a_speaker_is_refused_with_the_reason() -> None:
    room = Room(talking())
    room.can_speak = False
    stand = Stand(room, up.VoiceAvailable(**{**_fields(AVAILABLE), "speaker_reason": "없어요."}))
    with pytest.raises(SoriError) as raised:
        await ask(stand.domain, TryVoice(voice="", language="ko"))
    assert "없어요." in load_texts("ko")(raised.value.message_key, **raised.value.values)
    assert not stand.read


def _fields(available: up.VoiceAvailable) -> dict[str, Any]:
    return {name: getattr(available, name) for name in available.__dataclass_fields__}
