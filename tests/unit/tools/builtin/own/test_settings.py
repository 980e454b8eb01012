from pathlib import Path

import pytest
from assistant.host.changed_setting import CHANGEABLE, ChangeableSettings, with_setting

from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings, parse_settings
from assistant.speech.tts.registry import synthesizers
from assistant.tools.builtin.own.settings import settings_tools
from assistant.tools.tool import Tool, ToolError
from tests.fakes.asking.served_call import served_call

TEXT = """# mine
language = "ko"

[voice] # how
speed = 1.0
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


def tools(config: Path, live: LiveSettings) -> dict[str, Tool]:
    return {each.name: each for each in settings_tools(ChangeableSettings(config, live))}


@pytest.mark.parametrize(
    ("name", "value", "changed"),
    [
        ("voice.speed", 1.2, ("speed = 1.0", "speed = 1.2")),
        ("voice.cues", False, ("[voice] # how", "[voice] # how\ncues = false")),
        ("language", "en", ('language = "ko"', 'language = "en"')),
        ("desktop.theme", "dark", (TEXT, f'{TEXT}\n[desktop]\ntheme = "dark"\n')),
    ],
)
def test_only_the_line_of_the_setting_changes(name: str, value: str | float, changed: tuple[str, str]) -> None:
    assert with_setting(TEXT, name, value) == TEXT.replace(*changed)
    parse_settings(with_setting(TEXT, name, value))


async def test_a_setting_is_changed_in_the_file_and_at_once(config: Path) -> None:
    live = LiveSettings(parse_settings(TEXT))
    told = await tools(config, live)["change_setting"].run({"name": "voice.speed", "value": "1.5"}, served_call())
    assert told == "voice.speed was 1.0 and is 1.5 from the next sentence on."
    assert live.current.voice.speed == 1.5
    assert parse_settings(written(config)).voice.speed == 1.5
    await tools(config, live)["change_setting"].run({"name": "voice.cues", "value": "off"}, served_call())
    assert not live.current.voice.cues
    assert "voice.cues = false" in str(await tools(config, live)["get_settings"].run({}, served_call()))


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("voice.speed", "9", "was not changed"),
        ("voice.speed", "fast", "number"),
        ("voice.cues", "perhaps", "true or false"),
        ("desktop.theme", "pink", "was not changed"),
        ("providers", "x", "No tool can change"),
        ("files.folders", "/", "No tool can change"),
    ],
)
async def test_what_is_not_allowed_changes_nothing(config: Path, name: str, value: str, why: str) -> None:
    live = LiveSettings(parse_settings(TEXT))
    with pytest.raises(ToolError, match=why):
        await tools(config, live)["change_setting"].run({"name": name, "value": value}, served_call())
    assert written(config) == TEXT
    assert live.current == parse_settings(TEXT)


def test_no_changeable_setting_holds_a_secret_or_opens_something() -> None:
    assert not [name for name in CHANGEABLE if name.split(".")[0] in ("providers", "files", "shell", "llm")]
    assert set(ChangeableSettings(Path("x"), LiveSettings(Settings())).states()) == set(CHANGEABLE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("voice.speed", "1"),
        ("voice.speed", "1.00"),
        ("language", "ko"),
        ("voice.cues", "yes"),
        ("voice.cues", "TRUE"),
        ("desktop.theme", "system"),
        ("voice.turn_taking", "balanced"),
        ("voice.wake_sensitivity", "0.5"),
        ("voice.voice", " "),
        ("memory.personal", "on"),
    ],
)
async def test_a_change_that_changes_nothing_is_refused(config: Path, name: str, value: str) -> None:
    with pytest.raises(ToolError, match="Nothing was changed"):
        await tools(config, LiveSettings(parse_settings(TEXT)))["change_setting"].run(
            {"name": name, "value": value}, served_call()
        )
    assert written(config) == TEXT


@pytest.mark.parametrize(
    ("name", "value", "before"),
    [("voice.wake_sensitivity", "0.7", "0.5"), ("desktop.theme", "dark", "system"), ("voice.voice", "", "")],
)
async def test_what_is_built_at_the_start_acts_after_a_restart_and_is_told_so(
    config: Path, name: str, value: str, before: str
) -> None:
    ours = tools(config, LiveSettings(parse_settings(TEXT)))
    value = value or next(iter(synthesizers().engines.values())).voices[0].name
    told = str(await ours["change_setting"].run({"name": name, "value": value}, served_call()))
    assert told == f"{name} = {value} after a restart of Sori; until then {before or chr(34) * 2} stays in force."
    assert f"{name} = {value} after a restart" in str(await ours["get_settings"].run({}, served_call()))
    again = tools(config, LiveSettings(parse_settings(written(config))))
    assert f"{name} = {value}\n" in str(await again["get_settings"].run({}, served_call())) + "\n"
    assert "again" in str(await ours["change_setting"].run({"name": name, "value": before}, served_call()))


async def test_a_voice_that_no_engine_has_is_refused(config: Path) -> None:
    with pytest.raises(ToolError, match="was not changed"):
        await tools(config, LiveSettings(parse_settings(TEXT)))["change_setting"].run(
            {"name": "voice.voice", "value": "nobody"}, served_call()
        )
    assert written(config) == TEXT


async def test_a_setting_that_was_edited_by_hand_is_not_called_in_force(config: Path) -> None:
    live = LiveSettings(parse_settings(TEXT.replace("speed = 1.0", "speed = 1.5")))
    ours = tools(config, live)
    assert "voice.speed = 1.0 after a restart of Sori; until then 1.5" in str(
        await ours["get_settings"].run({}, served_call())
    )
    told = await ours["change_setting"].run({"name": "voice.speed", "value": "1.0"}, served_call())
    assert told == "voice.speed was 1.5 and is 1.0 from the next sentence on."
    assert (live.current.voice.speed, written(config)) == (1.0, TEXT)
