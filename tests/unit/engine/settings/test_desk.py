"""Requests for settings get typed results, and refusals that name the remedy."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from assistant.core.configuration.catalogue import single_settings
from assistant.core.errors import SettingsError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests.settings import GetSetting, ListSettings, ResetSetting, SetSetting
from assistant.engine.settings.desk import SettingsDesk
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.engine.settings.options import SettingOptions
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask
from tests.fakes.front.settings_engine import devices, models

TEXT = 'language = "ko" # mine\n\n[voice]\nspeed = 1.0 # pace\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(TEXT, encoding="utf-8")
    return path


def written(config: Path) -> str:
    return config.read_text(encoding="utf-8")


def save(config: Path, text: str) -> None:
    config.write_text(text, encoding="utf-8")


@pytest.fixture
async def desk(config: Path) -> AsyncIterator[SettingsDesk]:
    live, texts = LiveSettings(read_settings(config)), load_texts("ko")
    keeper = SettingsKeeper(config, live, texts, lambda _: None, clock=FakeClock(), read=read_settings)
    yield SettingsDesk(keeper, texts, SettingOptions(config.parent, live, texts, models, devices))
    await keeper.close()


async def test_every_setting_is_listed_with_its_words(desk: SettingsDesk) -> None:
    listed = await ask(desk, ListSettings())
    assert [each.name for each in listed.settings] == list(single_settings())
    assert listed.fault is None
    speed = next(each for each in listed.settings if each.name == "voice.speed")
    assert (speed.title, speed.value, speed.in_force, speed.low, speed.high) == ("말하는 속도", 1.0, 1.0, 0.5, 2)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("voice.speed", 1.5),
        ("voice.speed", 2),
        ("voice.cues", False),
        ("llm.temperature", 0.5),
        ("llm.fallbacks", ["embedded"]),
        ("files.folders", []),
        ("context.reminder", "짧게 말해 줘"),
        ("desktop.theme", "dark"),
    ],
)
async def test_a_setting_is_set_shown_and_reset(desk: SettingsDesk, config: Path, name: str, value: Any) -> None:
    default = (await ask(desk, GetSetting(name=name))).default
    changed = await ask(desk, SetSetting(name=name, value=value))
    assert (changed.value, changed.in_force, changed.trouble) == (value, value, "")
    assert await ask(desk, GetSetting(name=name)) == changed
    assert (await ask(desk, ResetSetting(name=name))).value == default
    assert "# mine" in written(config)
    assert "# pace" in written(config)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("voice.speed", 9),
        ("voice.speed", "fast"),
        ("voice.speed", True),
        ("voice.speed", None),
        ("voice.speed", {}),
        ("voice.speed", [1.5]),
        ("voice.speed", float("nan")),
        ("voice.cues", 1),
        ("voice.cues", "false"),
        ("desktop.theme", "pink"),
        ("files.folders", "/"),
        ("files.folders", [1]),
        ("voice.wake_word", "hey_sori"),
        ("llm.threads", 1.5),
    ],
)
async def test_what_is_not_possible_is_refused_and_changes_nothing(
    desk: SettingsDesk, config: Path, name: str, value: Any
) -> None:
    with pytest.raises(SettingsError):
        await ask(desk, SetSetting(name=name, value=value))
    assert written(config) == TEXT


@pytest.mark.parametrize("name", ["", "speed", "voice", "providers", "providers.api_key", "voice.speed.x", "__class__"])
async def test_a_name_without_a_setting_is_refused(desk: SettingsDesk, name: str) -> None:
    for request in (ask(desk, GetSetting(name=name)), ask(desk, SetSetting(name=name, value="x"))):
        with pytest.raises(SoriError) as raised:
            await request
        assert raised.value.reason == "setting_unknown"


async def test_a_mistake_in_the_file_is_told_with_its_line(desk: SettingsDesk, config: Path) -> None:
    await ask(desk, ListSettings())
    save(config, f"{TEXT}nonsense\n")
    fault = (await ask(desk, ListSettings())).fault
    assert fault is not None
    assert (fault.path, fault.line) == (str(config), 5)
    assert fault.remedy
