"""What the session tells the user on behalf of its listener and its speaker."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.chat.board import TurnBoard
from assistant.core import updates as up
from assistant.core.errors import EngineError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.events import Meaning
from assistant.core.machine.states import TurnId
from assistant.core.settings import DesktopSettings, Settings
from assistant.host.texts import load_texts
from assistant.voice.session.session import Session
from assistant.voice.threads.model_thread import EngineHungError
from assistant.voice.work import Work

TEXTS = load_texts("ko")


@dataclass
class Told:
    """A session without a microphone, and what it shows."""

    session: Session
    live: LiveSettings
    shown: list[up.Update] = field(default_factory=list)

    def notices(self) -> list[str]:
        return [TEXTS(each.key, **each.values) for each in self.shown if isinstance(each, up.NoticePosted)]


@pytest.fixture
async def told() -> AsyncIterator[Told]:
    shown: list[up.Update] = []
    live = LiveSettings(Settings(language="ko"))
    chat: Any = SimpleNamespace(new_turn=lambda: TurnId("1"))
    session = Session(
        TurnBoard(chat, shown.append),
        chat,
        live,
        TEXTS,
        meaning=lambda _text, _ending: Meaning.REQUEST,
        publish=shown.append,
        work=Work(),
        conversation="c",
    )
    yield Told(session, live, shown)
    await session.close()


@pytest.mark.parametrize(
    ("error", "count"), [(EngineError("tone", "no sound"), 1), (EngineHungError("tone", 30, given_up=False), 0)]
)
async def test_what_cannot_be_said_is_told_unless_the_user_knows_that_its_engine_hangs(
    told: Told, error: SoriError, count: int
) -> None:
    told.session.cannot_say(error)
    assert len(told.notices()) == count
    assert all("no sound" in each for each in told.notices())


async def test_an_agents_voice_that_cannot_be_used_is_told_once(told: Told) -> None:
    for name in ("유나", "유나", "Amy", "유나"):
        told.session.other_voice(name)
    assert [name for name in ("유나", "Amy") for each in told.notices() if name in each] == ["유나", "Amy"]


@pytest.mark.parametrize("wanted", [True, False])
async def test_the_level_meter_can_be_turned_off(told: Told, wanted: bool) -> None:
    told.live.change(Settings(desktop=DesktopSettings(level_meter=wanted)))
    told.session.show_level(-30.0)
    assert told.shown == [up.LevelMeasured(level_db=-30.0)] * wanted


async def test_the_level_of_a_steady_room_is_told_once_while_nobody_is_listened_to(told: Told) -> None:
    for level in (-50.0, -51.0, -49.0, -50.0, -20.0, -50.0, -50.0):
        told.session.show_level(level)
    assert told.shown == [up.LevelMeasured(level_db=level) for level in (-50.0, -20.0, -50.0)]
