"""Settings that devices have in common: only what is declared so, and only what is valid here."""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from pathlib import Path

import pytest

from assistant.core.configuration.catalogue import Value, all_settings
from assistant.core.errors import StorageError
from assistant.core.settings import Settings
from assistant.engine.domains.sync.shared_settings import SharedSettings
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import read_settings, written_settings
from assistant.storage.sync.differences import SyncDifferences
from assistant.storage.sync.text_bases import TextBase, TextBases, TextKind
from assistant.sync.store import Change
from tests.fakes.sync.account import KEYS, Home, MemoryAccount


class Device:
    """A home with a settings file."""

    home: Home

    def __init__(self, path: Path) -> None:
        path.mkdir()
        self.config = path / "config.toml"
        self.config.write_text("")
        self.changes: list[dict[str, Value]] = []
        self.full = False

    @classmethod
    async def open(cls, path: Path, account: MemoryAccount) -> "Device":
        device = cls(path)
        settings = SharedSettings(partial(written_settings, device.config), device.take)
        device.home = await Home.open(path, account, sources=[settings])
        return device

    async def take(self, values: Mapping[str, Value]) -> None:
        if self.full:
            raise StorageError("config.toml", "the disk is full")
        self.changes.append(dict(values))
        change_settings(self.config, values)

    def set(self, name: str, value: Value) -> None:
        change_settings(self.config, {name: value})

    @property
    def settings(self) -> Settings:
        return read_settings(self.config)


@pytest.fixture
def account() -> MemoryAccount:
    return MemoryAccount()


@pytest.fixture
async def pair(tmp_path: Path, account: MemoryAccount) -> AsyncIterator[tuple[Device, Device]]:
    devices = await Device.open(tmp_path / "one", account), await Device.open(tmp_path / "two", account)
    await sync(*devices)
    yield devices
    for each in devices:
        await each.home.database.close()


async def sync(*devices: Device) -> None:
    for each in devices:
        await each.home.sync()


async def sent(account: MemoryAccount, name: str, text: str) -> None:
    """Put a value into the account, as a newer Sori would."""
    identity = KEYS.identity("value", name)
    plain = f'{{"kind": "value", "name": "{name}", "text": {text}}}'.encode()
    await account.push([Change(identity=identity, based_on=0, content=KEYS.seal(identity, plain))])


async def test_a_chosen_setting_is_used_on_the_other_device_and_its_reset_too(pair: tuple[Device, Device]) -> None:
    one, two = pair
    one.set("voice.speed", 1.5)
    one.set("context.reminder", "짧게")
    await sync(one, two)
    assert (two.settings.voice.speed, two.settings.context.reminder) == (1.5, "짧게")
    one.set("voice.speed", None)
    await sync(one, two)
    assert two.settings.voice.speed == 1.0
    assert two.changes[-1] == {"voice.speed": None}


async def test_a_device_that_joins_takes_over_what_the_account_has_at_its_default(
    tmp_path: Path, account: MemoryAccount
) -> None:
    one = await Device.open(tmp_path / "one", account)
    await sync(one)
    two = await Device.open(tmp_path / "two", account)
    two.set("language", "en")
    two.set("desktop.theme", "dark")
    two.set("voice.input_device", "headset")
    await sync(two, one)
    assert one.changes == []
    assert two.settings.desktop.theme == "system"
    assert "language" not in two.config.read_text()
    assert two.settings.voice.input_device == "headset"
    beside = {(each.name, each.ours["text"]) for each in await SyncDifferences(two.home.database).all()}
    assert beside == {("setting/language", '"en"'), ("setting/desktop.theme", '"dark"')}
    two.set("desktop.theme", "dark")
    await sync(two, one)
    assert one.settings.desktop.theme == "dark"
    for each in (one, two):
        await each.home.database.close()


async def test_a_device_that_cannot_give_up_its_settings_sends_none_and_tries_again(
    tmp_path: Path, account: MemoryAccount
) -> None:
    one = await Device.open(tmp_path / "one", account)
    await sync(one)
    two = await Device.open(tmp_path / "two", account)
    two.set("desktop.theme", "dark")
    two.full = True
    with pytest.raises(StorageError, match="the disk is full"):
        await sync(two)
    two.full = False
    await sync(two, one)
    assert one.changes == []
    assert two.settings.desktop.theme == "system"
    for each in (one, two):
        await each.home.database.close()


async def test_the_desktop_s_language_stays_its_own_until_the_user_chooses_one(pair: tuple[Device, Device]) -> None:
    one, two = pair
    two.set("desktop.theme", "dark")
    await sync(one, two, one)
    assert "language" not in one.config.read_text() + two.config.read_text()
    one.set("language", "ko")  # the catalogue's default, chosen all the same
    await sync(one, two)
    assert 'language = "ko"' in two.config.read_text()


async def test_a_file_that_was_invalid_from_the_start_resets_nothing(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    one, two = pair
    one.set("desktop.theme", "dark")
    await sync(one, two)
    one.config.write_text("[desktop\n")
    one.home.sources[:] = [SharedSettings(partial(written_settings, one.config), one.take)]
    await one.home.join(account)
    with pytest.raises(StorageError, match=r"config\.toml"):
        await sync(one)
    await sync(two)
    assert two.settings.desktop.theme == "dark"


async def test_the_first_device_keeps_its_settings_where_the_first_answer_was_lost(
    tmp_path: Path, account: MemoryAccount
) -> None:
    one = await Device.open(tmp_path / "one", account)
    one.set("language", "en")
    account.failing = ["", "after"]
    with pytest.raises(StorageError):
        await sync(one)
    assert account.records
    await sync(one)
    assert one.settings.language == "en"
    await one.home.database.close()


async def test_a_device_that_ends_within_its_first_exchange_still_takes_over_the_account_s_settings(
    tmp_path: Path, account: MemoryAccount
) -> None:
    one = await Device.open(tmp_path / "one", account)
    one.set("voice.speed", 1.5)
    await sync(one)
    two = await Device.open(tmp_path / "two", account)
    two.set("desktop.theme", "dark")
    account.failing = ["", "before"]
    with pytest.raises(StorageError):
        await sync(two)
    await two.home.join(account)  # As at its next start.
    await sync(two, one)
    assert (two.settings.desktop.theme, two.settings.voice.speed) == ("system", 1.5)
    assert one.changes == []
    for each in (one, two):
        await each.home.database.close()


async def test_the_first_device_that_ends_within_its_first_exchange_takes_over_nothing(
    tmp_path: Path, account: MemoryAccount
) -> None:
    one = await Device.open(tmp_path / "one", account)
    one.set("desktop.theme", "dark")
    account.failing = ["", "before"]
    with pytest.raises(StorageError):
        await sync(one)
    two = await Device.open(tmp_path / "two", account)
    await one.home.join(account)
    await sync(one, two)
    assert (one.settings.desktop.theme, two.settings.desktop.theme) == ("dark", "dark")
    for each in (one, two):
        await each.home.database.close()


def test_nothing_of_the_machine_and_nothing_that_opens_a_way_out_travels() -> None:
    travelling = [each for each in all_settings() if each.declared.travels]
    own = ("llm", "providers", "models", "files", "search", "images", "shell", "http", "telegram", "sync")
    for each in travelling:
        assert each.alone
        assert not each.declared.leaves
        assert not each.declared.secret
        assert each.section not in own
    names = {each.name for each in travelling}
    machine = {"voice.input_device", "voice.output_device", "desktop.start_at_login", "desktop.global_talk"}
    assert not names & (machine | {"memory.personal", "memory.automatic", "voice.stt_model", "voice.tts_model"})
    assert {"language", "desktop.theme", "voice.speed"} <= names


@pytest.mark.parametrize("name", ["http.enabled", "memory.personal", "search.provider", "no.such"])
async def test_a_setting_that_does_not_travel_is_not_taken_from_afar(
    pair: tuple[Device, Device], account: MemoryAccount, name: str
) -> None:
    one, _ = pair
    await sent(account, f"setting/{name}", '"true"')
    await sync(one)
    assert one.changes == []
    held = await TextBases(one.home.database, one.home.clock, TextKind.HELD).all()
    assert held == {f"value:setting/{name}": TextBase(number=1, text="true")}


@pytest.mark.parametrize("text", ['"99"', '"\\"fast\\""', '"{broken"', '"[1]"'])
async def test_a_value_that_is_not_valid_here_changes_nothing_and_the_rest_comes(
    pair: tuple[Device, Device], account: MemoryAccount, text: str
) -> None:
    one, two = pair
    await sent(account, "setting/voice.speed", text)
    two.set("desktop.theme", "dark")
    await sync(two, one)
    assert (one.settings.voice.speed, one.settings.desktop.theme) == (1.0, "dark")


async def test_a_mistake_in_the_file_resets_nothing_elsewhere(pair: tuple[Device, Device]) -> None:
    one, two = pair
    one.set("desktop.theme", "dark")
    await sync(one, two)
    text = one.config.read_text()
    one.config.write_text("[desktop\n")
    two.set("voice.speed", 1.2)
    await sync(one, two, one, two)
    assert two.settings.desktop.theme == "dark"
    one.config.write_text(text)
    await sync(one, two)
    assert (one.settings.voice.speed, one.settings.desktop.theme) == (1.2, "dark")
