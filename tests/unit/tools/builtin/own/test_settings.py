import asyncio
from pathlib import Path

import pytest

from assistant.core.configuration.catalogue import single_settings
from assistant.core.errors import EngineError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.engine.settings.keeper import APPLIED_WITHIN_S, SettingsKeeper
from assistant.engine.settings.tool_book import ToolSettings
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.tools.builtin.own.settings import settings_tools
from assistant.tools.tool import Tool, ToolError
from tests.fakes.asking.served_call import served_call
from tests.fakes.clock import FakeClock

TEXT = """# mine
language = "ko"

[voice] # how
speed = 1.0 # pace
# cues = true

[[providers]]
name = "a"
kind = "openai"
"""


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def written(config: Path) -> str:
    return config.read_text(encoding="utf-8")


def save(config: Path, text: str) -> None:
    config.write_text(text, encoding="utf-8")


class Room:
    """Sori's settings, and the tools that change them."""

    def __init__(self, config: Path) -> None:
        self.live = LiveSettings(read_settings(config))
        self.clock = FakeClock()
        self.keeper = SettingsKeeper(
            config, self.live, load_texts("en"), lambda _: None, clock=self.clock, read=read_settings
        )
        book = ToolSettings(self.keeper, load_texts("en"))
        self._tools: dict[str, Tool] = {each.name: each for each in settings_tools(book)}

    async def change(self, name: str, value: str) -> str:
        return str(await self._tools["change_setting"].run({"name": name, "value": value}, served_call()))

    async def told(self) -> str:
        return str(await self._tools["get_settings"].run({}, served_call()))


async def test_a_setting_is_changed_in_the_file_and_at_once(config: Path) -> None:
    room = Room(config)
    assert await room.change("voice.speed", "1.5") == "voice.speed was 1.0 and is 1.5 from now on."
    assert room.live.current.voice.speed == 1.5
    assert written(config) == TEXT.replace("speed = 1.0", "speed = 1.5")
    await room.change("voice.cues", "off")
    assert not room.live.current.voice.cues
    assert "voice.cues = false" in await room.told()


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("voice.speed", "9", "setting_refused"),
        ("voice.speed", "fast", "number"),
        ("voice.cues", "perhaps", "true or false"),
        ("desktop.theme", "pink", "setting_refused"),
        ("voice.voice", "nobody", "setting_refused"),
        ("providers", "x", "setting_unknown"),
        ("files.folders", "/", "setting_unknown"),
        ("http.enabled", "true", "setting_unknown"),
        ("voice.stt_model", "a/m", "setting_unknown"),
    ],
)
async def test_what_is_not_allowed_changes_nothing(config: Path, name: str, value: str, why: str) -> None:
    room = Room(config)
    before = room.live.current
    with pytest.raises(ToolError, match=why):
        await room.change(name, value)
    assert written(config) == TEXT
    assert room.live.current == before


async def test_tools_are_told_exactly_the_settings_that_are_declared_for_them(config: Path) -> None:
    told = [line.partition(" = ")[0] for line in (await Room(config).told()).splitlines()]
    assert told == [each.name for each in single_settings().values() if each.declared.tool]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("voice.speed", "1"),
        ("voice.speed", "1.00"),
        ("language", "ko"),
        ("voice.cues", "yes"),
        ("voice.cues", "TRUE"),
        ("voice.cues", "켜기"),
        ("desktop.theme", "system"),
        ("voice.turn_taking", "balanced"),
        ("voice.wake_sensitivity", "0.5"),
        ("voice.voice", " "),
        ("memory.personal", "on"),
    ],
)
async def test_a_change_that_changes_nothing_is_refused(config: Path, name: str, value: str) -> None:
    room = Room(config)
    before = room.live.current
    with pytest.raises(ToolError, match="setting_same"):
        await room.change(name, value)
    assert room.live.current == before


async def test_a_setting_whose_part_takes_it_when_nobody_talks_is_not_called_in_force(config: Path) -> None:
    room, taken = Room(config), asyncio.Event()

    async def apply(_: Settings) -> None:
        await taken.wait()

    room.keeper.follow(("voice.wake_sensitivity",), apply)
    waits = "voice.wake_sensitivity = 0.7 as soon as nobody talks; until then 0.5 stays in force"
    changing = asyncio.create_task(room.change("voice.wake_sensitivity", "0.7"))
    await room.clock.until_sleeping()
    room.clock.advance(APPLIED_WITHIN_S)
    assert await changing == f"{waits}."
    assert waits in await room.told()
    taken.set()
    await room.keeper.settled()
    assert "voice.wake_sensitivity = 0.7\n" in await room.told()
    await room.keeper.close()


async def test_a_setting_that_its_part_cannot_use_is_told_with_the_reason(config: Path) -> None:
    room = Room(config)

    async def apply(settings: Settings) -> None:
        if settings.voice.wake_sensitivity == 0.7:
            raise EngineError("wake", "no model")

    room.keeper.follow(("voice.wake_sensitivity",), apply)
    with pytest.raises(ToolError, match=r"setting_waits .*written=0\.7 in_force=0\.5 .*no model"):
        await room.change("voice.wake_sensitivity", "0.7")
    assert "0.5 stays in force" in await room.told()
    assert (
        await room.change("voice.wake_sensitivity", "0.6") == "voice.wake_sensitivity was 0.5 and is 0.6 from now on."
    )
    await room.keeper.close()


async def test_a_setting_that_was_edited_by_hand_is_in_force_before_it_is_told(config: Path) -> None:
    room = Room(config)
    await room.keeper.look()
    save(config, TEXT.replace("speed = 1.0", "speed = 1.25"))
    assert "voice.speed = 1.25\n" in await room.told()
    assert room.live.current.voice.speed == 1.25


async def test_a_broken_file_is_not_changed_and_told(config: Path) -> None:
    room = Room(config)
    await room.keeper.look()
    save(config, f"{TEXT}nonsense\n")
    with pytest.raises(ToolError, match="setting_refused"):
        await room.change("voice.speed", "1.5")
    assert written(config) == f"{TEXT}nonsense\n"
    assert room.live.current.voice.speed == 1.0
