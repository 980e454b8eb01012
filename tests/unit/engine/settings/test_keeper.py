"""The settings follow the file, whoever changes it and however it is written."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core import updates as up
from assistant.core.errors import EngineError, SettingsError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Language, Settings
from assistant.engine.settings.keeper import LOOK_EVERY_S, SETTLE_S, SettingsKeeper
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from tests.fakes.clock import FakeClock

TEXT = 'language = "ko"\n\n[voice]\nspeed = 1.0 # pace\n'


class Home:
    """A settings file that is followed."""

    def __init__(self, config: Path, language: str = "en", live: LiveSettings | None = None) -> None:
        self.config, self.clock = config, FakeClock()
        self.live = live or LiveSettings(read_settings(config))
        self.news: list[up.Update] = []
        self.keeper = SettingsKeeper(
            config, self.live, load_texts(language), self.news.append, clock=self.clock, read=read_settings
        )
        self._running = asyncio.create_task(self.keeper.run())

    async def pass_time(self, seconds: float = LOOK_EVERY_S + SETTLE_S) -> None:
        """Let time pass until the next look has ended."""
        await self.clock.until_sleeping()
        passed = 0.0
        while passed < seconds:
            step = self.clock.next_s
            self.clock.advance(step)
            passed += step
            await self.clock.until_sleeping()

    @property
    def changed(self) -> list[tuple[str, ...]]:
        return [each.names for each in self.news if isinstance(each, up.SettingsChanged)]

    @property
    def notices(self) -> list[str]:
        return [each.key for each in self.news if isinstance(each, up.NoticePosted)]

    async def end(self) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        await self.keeper.close()


@pytest.fixture
async def home(tmp_path: Path) -> AsyncIterator[Home]:
    save(tmp_path / "config.toml", TEXT)
    home = Home(tmp_path / "config.toml")
    await home.clock.until_sleeping()
    yield home
    await home.end()


def save(config: Path, text: str) -> None:
    config.write_text(text, encoding="utf-8")


def written(config: Path) -> str:
    return config.read_text(encoding="utf-8")


def _in_place(config: Path, text: str) -> None:
    save(config, text)


def _by_rename(config: Path, text: str) -> None:
    save(config.with_suffix(".new"), text)
    config.with_suffix(".new").rename(config)


def _by_backup(config: Path, text: str) -> None:
    config.rename(config.with_suffix(".toml~"))
    save(config, text)


def _with_crlf(config: Path, text: str) -> None:
    config.write_bytes(text.replace("\n", "\r\n").encode())


def _with_mark(config: Path, text: str) -> None:
    config.write_bytes(b"\xef\xbb\xbf" + text.encode())


def _as_utf16(config: Path, text: str) -> None:
    config.write_bytes(text.encode("utf-16"))


def _without_end(config: Path, text: str) -> None:
    save(config, text.rstrip("\n"))


def _same_time(config: Path, text: str) -> None:
    status = config.stat()
    save(config, text)
    os.utime(config, ns=(status.st_atime_ns, status.st_mtime_ns))


def _through_link(config: Path, text: str) -> None:
    save(config.with_name("elsewhere.toml"), text)
    config.unlink()
    config.symlink_to(config.with_name("elsewhere.toml"))


WAYS = [_in_place, _by_rename, _by_backup, _with_crlf, _with_mark, _as_utf16, _without_end, _same_time, _through_link]


@pytest.mark.parametrize("way", WAYS)
async def test_a_hand_edit_is_followed_however_it_is_written(home: Home, way: Callable[[Path, str], None]) -> None:
    way(home.config, TEXT.replace("1.0", "1.5") + '\n[desktop]\ntheme = "dark"\n')
    await home.pass_time()
    assert (home.live.current.voice.speed, home.live.current.desktop.theme) == (1.5, "dark")
    assert home.changed == [("voice.speed", "desktop.theme")]
    assert home.notices == []


@pytest.mark.parametrize(
    "text",
    [
        TEXT.replace("1.0", "1.5"),
        "voice.speed = 1.5 # dotted\n",
        "voice = { speed = 1.5 }\n",
        '["voice"]\n"speed" = 1.5\n',
        "[voice]\nspeed=1.5",
        "[ voice ]\nspeed\t=\t15e-1\n",
    ],
)
async def test_every_way_to_write_a_value_is_followed(home: Home, text: str) -> None:
    save(home.config, text)
    await home.pass_time()
    assert home.live.current.voice.speed == 1.5


@pytest.mark.parametrize(
    ("text", "where", "problem"),
    [
        (f"{TEXT}nonsense\n", ":5", "TOML"),
        (f"{TEXT}\n[voice]\ncues = false\n", ":6", "occurs twice"),
        (TEXT.replace("1.0", "9"), ":4", "out of range"),
        (TEXT.replace("speed", "spede"), ":4", "unknown key"),
        (TEXT.replace("1.0", '"fast"'), ":4", "not a number"),
        (f'{TEXT}voice = "nobody"\n', ":5", "no voice"),
        (f"{TEXT}speed = 1.5\n", ":5", "TOML"),
        ("[voice]\nspeed = \n", ":2", "TOML"),
        ("voice = 3\n", ":1", "must be a table"),
        ('[[providers]]\nname = "a"\n', ":1", "is missing"),
    ],
)
async def test_a_broken_edit_changes_nothing_and_its_place_is_told_until_it_is_mended(
    home: Home, text: str, where: str, problem: str
) -> None:
    before = home.live.current
    save(home.config, text)
    await home.pass_time(3 * LOOK_EVERY_S)
    assert home.live.current == before
    (notice,) = home.news
    assert isinstance(notice, up.NoticePosted)
    assert (notice.key, notice.severity) == ("notice.settings_fault", up.Severity.WARNING)
    assert notice.values["where"] == f"{home.config}{where}"
    assert problem in notice.values["problem"]
    assert notice.values["remedy"]
    save(home.config, TEXT.replace("1.0", "1.25"))
    await home.pass_time()
    assert home.notices == ["notice.settings_fault", "notice.settings_mended"]
    assert {each.about for each in home.news if isinstance(each, up.NoticePosted)} == {notice.about}
    assert home.live.current.voice.speed == 1.25


async def test_a_look_that_fails_is_not_the_last_one(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> Settings:
        raise RuntimeError("a defect")

    with monkeypatch.context() as patched:
        patched.setattr(home.keeper, "_read", fail)
        save(home.config, TEXT.replace("1.0", "1.5"))
        await home.pass_time()
    save(home.config, TEXT.replace("1.0", "1.25"))
    await home.pass_time(2 * LOOK_EVERY_S)
    assert home.live.current.voice.speed == 1.25


async def test_another_fault_is_told_anew(home: Home) -> None:
    save(home.config, f"{TEXT}nonsense\n")
    await home.pass_time()
    save(home.config, TEXT.replace("1.0", "9"))
    await home.pass_time()
    assert home.notices == ["notice.settings_fault"] * 2


async def test_a_file_that_is_still_being_written_is_not_read(home: Home) -> None:
    save(home.config, "")
    await home.clock.until_sleeping()
    home.clock.advance(LOOK_EVERY_S)
    await home.clock.until_sleeping()
    assert home.clock.next_s == pytest.approx(SETTLE_S)
    save(home.config, 'language = "ko"\n\n[voi')
    home.clock.advance(SETTLE_S)
    await home.clock.until_sleeping()
    save(home.config, TEXT.replace("1.0", "1.5"))
    await home.pass_time()
    assert home.changed == [("voice.speed",)]
    assert home.notices == []


async def test_a_file_that_is_deleted_leaves_the_defaults_and_is_told(home: Home) -> None:
    save(home.config, TEXT.replace("1.0", "1.5"))
    await home.pass_time()
    home.config.unlink()
    await home.pass_time()
    assert home.live.current.voice.speed == 1.0
    assert home.notices == ["notice.settings_gone"]
    save(home.config, TEXT.replace("1.0", "1.25"))
    await home.pass_time()
    assert home.live.current.voice.speed == 1.25


async def test_a_folder_in_place_of_the_file_is_a_fault(home: Home) -> None:
    home.config.unlink()
    home.config.mkdir()
    await home.pass_time()
    assert home.notices == ["notice.settings_fault"]
    assert home.live.current.voice.speed == 1.0


async def test_options_of_a_command_stay_when_something_else_changes(tmp_path: Path) -> None:
    save(tmp_path / "config.toml", TEXT)
    home = Home(tmp_path / "config.toml")
    home.live.change(Settings(language="en"))
    await home.clock.until_sleeping()
    save(home.config, TEXT.replace("1.0", "1.5"))
    await home.pass_time()
    assert (home.live.current.language, home.live.current.voice.speed) == ("en", 1.5)
    await home.end()


async def _started_with(config: Path, language: Language) -> Home:
    """A program that reads the file, whose option overrides the language, and that follows the file a while later."""
    in_file = read_settings(config)
    return Home(config, live=LiveSettings(replace(in_file, language=language), in_file=in_file))


@pytest.mark.parametrize("language", ["ko", "en"])
async def test_what_changed_since_the_start_read_the_file_is_followed_and_options_stay(
    tmp_path: Path, language: Language
) -> None:
    save(tmp_path / "config.toml", TEXT)
    home = await _started_with(tmp_path / "config.toml", language)
    save(home.config, TEXT.replace("1.0", "1.5"))
    await home.pass_time()
    assert (home.live.current.language, home.live.current.voice.speed) == (language, 1.5)
    assert home.changed == [("voice.speed",)]
    await home.end()


async def test_a_file_that_is_as_the_start_read_it_changes_nothing(tmp_path: Path) -> None:
    save(tmp_path / "config.toml", TEXT)
    home = await _started_with(tmp_path / "config.toml", "en")
    await home.pass_time()
    assert (home.live.current.language, home.news) == ("en", [])
    await home.end()


async def test_a_mistake_made_since_the_start_is_told_and_its_correction_leaves_options(tmp_path: Path) -> None:
    save(tmp_path / "config.toml", TEXT)
    home = await _started_with(tmp_path / "config.toml", "en")
    save(home.config, f"{TEXT}nonsense\n")
    await home.pass_time()
    save(home.config, TEXT.replace("1.0", "1.5"))
    await home.pass_time()
    assert (home.live.current.language, home.live.current.voice.speed) == ("en", 1.5)
    assert home.notices == ["notice.settings_fault", "notice.settings_mended"]
    await home.end()


async def test_a_change_by_the_program_before_the_first_look_takes_along_what_changed_since_the_start(
    tmp_path: Path,
) -> None:
    save(tmp_path / "config.toml", TEXT)
    home = await _started_with(tmp_path / "config.toml", "en")
    save(home.config, f"{TEXT}cues = false\n")
    await home.keeper.change("voice.speed", ("1.5",))
    now = home.live.current
    assert (now.language, now.voice.speed, now.voice.cues) == ("en", 1.5, False)
    await home.end()


async def test_a_file_that_is_deleted_after_the_start_read_it_leaves_the_defaults(tmp_path: Path) -> None:
    save(tmp_path / "config.toml", TEXT.replace("1.0", "1.5"))
    home = await _started_with(tmp_path / "config.toml", "en")
    home.config.unlink()
    await home.pass_time()
    assert (home.live.current.language, home.live.current.voice.speed) == ("en", 1.0)
    await home.end()


async def test_keys_of_providers_are_not_in_the_event(home: Home) -> None:
    save(home.config, f'{TEXT}\n[[providers]]\nname = "a"\nkind = "openai"\napi_key = "sk-very-secret"\n')
    await home.pass_time()
    assert home.changed == [("providers",)]
    assert "sk-very-secret" not in repr(home.news)


async def test_a_change_by_the_program_is_told_once_and_keeps_the_file(home: Home) -> None:
    await home.keeper.change("voice.speed", ("1.5",))
    await home.pass_time(3 * LOOK_EVERY_S)
    assert home.changed == [("voice.speed",)]
    assert written(home.config) == TEXT.replace("1.0", "1.5")
    await home.keeper.change("voice.speed", None)
    assert home.live.current.voice.speed == 1.0
    assert "# pace" in written(home.config)


async def test_a_change_takes_a_hand_edit_along_that_nobody_has_looked_at_yet(home: Home) -> None:
    save(home.config, f"{TEXT}cues = false\n")
    await home.keeper.change("voice.speed", ("1.5",))
    assert (home.live.current.voice.speed, home.live.current.voice.cues) == (1.5, False)


async def test_changes_at_the_same_time_all_stay(home: Home) -> None:
    await asyncio.gather(
        home.keeper.change("voice.speed", ("1.5",)),
        home.keeper.change("voice.cues", ("off",)),
        home.keeper.change("desktop.theme", ("dark",)),
    )
    now = read_settings(home.config)
    assert (now.voice.speed, now.voice.cues, now.desktop.theme) == (1.5, False, "dark")
    assert home.live.current == now


async def test_a_read_only_file_is_not_replaced(home: Home) -> None:
    home.config.chmod(0o444)
    with pytest.raises(StorageError):
        await home.keeper.change("voice.speed", ("1.5",))
    assert (written(home.config), home.live.current.voice.speed) == (TEXT, 1.0)


async def test_a_value_that_is_not_possible_leaves_everything_as_it_is(home: Home) -> None:
    for words in (("9",), ("fast",), (), ("1", "2")):
        with pytest.raises(SettingsError):
            await home.keeper.change("voice.speed", words)
    assert (written(home.config), home.news) == (TEXT, [])


async def test_a_part_that_cannot_follow_keeps_the_former_value_and_the_user_is_told(home: Home) -> None:
    applied = list[float]()

    async def apply(settings: Settings) -> None:
        if settings.voice.speed > 1.4:
            raise EngineError("tts", "too fast")
        applied.append(settings.voice.speed)

    home.keeper.follow(("voice.speed",), apply)
    save(home.config, TEXT.replace("1.0", "1.5"))
    await home.pass_time()
    await home.keeper.settled()
    assert home.notices == ["notice.setting_not_applied"]
    save(home.config, TEXT.replace("1.0", "1.3"))
    await home.pass_time()
    await home.keeper.settled()
    assert applied == [1.3]


@pytest.mark.parametrize(("before", "applied"), [({}, []), ({"voice.speed": 1.0}, []), ({"voice.speed": 0.9}, [1.0])])
async def test_a_part_that_was_made_with_other_values_follows_at_once(
    home: Home, before: dict[str, float], applied: list[float]
) -> None:
    seen = list[float]()

    async def apply(settings: Settings) -> None:
        seen.append(settings.voice.speed)

    home.keeper.follow(("voice.speed",), apply, before)
    await home.keeper.settled()
    assert seen == applied


async def test_of_changes_that_wait_for_a_part_the_newest_is_applied(home: Home) -> None:
    goes_on, applied = asyncio.Event(), list[float]()

    async def apply(settings: Settings) -> None:
        await goes_on.wait()
        applied.append(settings.voice.speed)

    home.keeper.follow(("voice.speed",), apply)
    for speed in ("1.1", "1.2", "1.3"):
        save(home.config, TEXT.replace("1.0", speed))
        await home.pass_time()
    goes_on.set()
    await home.keeper.settled()
    assert applied == [1.1, 1.3]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_notice_has_words(language: str) -> None:
    texts = load_texts(language)
    fault = {"where": "c:3", "path": "c", "problem": "p", "remedy": "r"}
    for key in ("settings_fault", "settings_mended", "settings_gone"):
        assert texts(f"notice.{key}", **fault)
    assert texts("notice.setting_not_applied", settings="s", reason="r")
