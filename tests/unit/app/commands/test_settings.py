import json
import re
from pathlib import Path

import pytest

from assistant.app.cli.settings_page import PAGES, settings_page
from assistant.core.configuration.catalogue import single_settings
from assistant.host.texts import load_texts
from tests.e2e.in_process import Outcome, run_command


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    path = tmp_path / "config.toml"
    path.write_text('language = "en" # mine\n[voice]\nspeed = 1.25 # pace\n', encoding="utf-8")
    return path


def sori(*words: str) -> Outcome:
    return run_command("settings", *words)


def text(config: Path) -> str:
    return config.read_text(encoding="utf-8")


def test_settings_are_listed_with_those_in_the_file_marked(config: Path) -> None:
    listed = sori("list")
    assert listed.status == 0
    assert re.search(r"voice\.speed +1\.25 \* +Speed", listed.printed)
    assert re.search(r"voice\.cues +true +Sounds", listed.printed)
    assert "llm.temperature" not in listed.printed
    assert "llm.temperature" in sori("list", "--all").printed


def test_a_list_as_json_holds_every_setting(config: Path) -> None:
    rows = json.loads(sori("list", "--all", "--json").printed)
    assert [each["name"] for each in rows] == list(single_settings())
    assert [each["name"] for each in rows if each["in_file"]] == ["language", "voice.speed"]
    speed = next(each for each in rows if each["name"] == "voice.speed")
    assert (speed["value"], speed["default"], speed["low"], speed["high"], speed["acts"]) == (1.25, 1.0, 0.5, 2, "now")


def test_words_are_in_the_language_of_the_user(config: Path) -> None:
    sori("set", "language", "ko")
    assert "말하는 속도" in sori("list").printed
    assert "0.5부터 2까지" in sori("get", "voice.speed").printed


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (("voice.speed", "1.5"), "speed = 1.5 # pace"),
        (("voice.cues", "off"), "cues = false"),
        (("voice.cues", "끔"), "cues = false"),
        (("llm.temperature", "0"), "temperature = 0.0"),
        (("voice.threads", "4"), "threads = 4"),
        (("desktop.talk_key", "f6"), 'talk_key = "F6"'),
        (("desktop.theme", "Dark"), 'theme = "dark"'),
        (("language", "ko"), 'language = "ko" # mine'),
        (("files.folders", "~/a", "/나의 것"), 'folders = ["~/a", "/나의 것"]'),
        (("files.folders",), None),
        (("context.reminder", 'say "yes" \\ no'), 'reminder = "say \\"yes\\" \\\\ no"'),
        (("desktop.global_talk", ""), 'global_talk = ""'),
        (("llm.fallbacks", "embedded"), 'fallbacks = ["embedded"]'),
    ],
)
def test_a_setting_is_changed_where_it_stands(config: Path, words: tuple[str, ...], line: str | None) -> None:
    assert sori("set", *words).status == 0
    assert line is None or line in text(config).splitlines()
    assert "# mine" in text(config)
    assert "# pace" in text(config)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("voice.speed", "9"), "from 0.5 to 2"),
        (("voice.speed", "fast"), "is not a number"),
        (("voice.speed", "1", "2"), "one value"),
        (("voice.speed",), "one value"),
        (("voice.cues", "perhaps"), "true or false"),
        (("desktop.theme", "pink"), "system, light, dark"),
        (("desktop.talk_key", "F2"), "F1, F3"),
        (("llm.provider", "ghost"), "ghost"),
        (("voice.wake_word", "hey_sori"), "hey_jarvis"),
        (("speed", "1"), "voice.speed"),
        (("voice.sped", "1"), "voice.speed"),
        (("providers.kind", "openai"), "entry of a list"),
        (("nonsense", "1"), "no setting nonsense"),
    ],
)
def test_what_is_not_possible_is_told_and_changes_nothing(config: Path, words: tuple[str, ...], told: str) -> None:
    before = text(config)
    outcome = sori("set", *words)
    assert outcome.status in {1, 2}
    assert told in outcome.errors
    assert text(config) == before


def test_a_reset_takes_the_setting_out_and_keeps_its_comment(config: Path) -> None:
    assert "voice.speed = 1.0" in sori("reset", "voice.speed").printed
    assert text(config) == 'language = "en" # mine\n[voice]\n# pace\n'
    assert sori("reset", "voice.cues").status == 0


def test_a_first_setting_comes_below_the_commented_settings(config: Path) -> None:
    config.unlink()
    assert sori("set", "voice.speed", "1.5").status == 0
    assert text(config).endswith("\n[voice]\nspeed = 1.5\n")
    assert "# [desktop]" in text(config)


def test_a_file_with_a_mistake_is_mended_by_the_setting_that_has_it(config: Path) -> None:
    config.write_text('language = "en"\n[voice]\nspeed = 9\n', encoding="utf-8")
    assert sori("list").status == 2
    assert sori("set", "voice.cues", "off").status == 2
    assert sori("set", "voice.speed", "1.5").status == 0
    assert sori("list").status == 0


def test_what_is_set_to_nothing_is_told_as_not_set(config: Path) -> None:
    assert "llm.temperature = (not set)" in sori("get", "llm.temperature").printed


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_page_of_the_settings_is_current(language: str) -> None:
    written = PAGES[language].read_text(encoding="utf-8")
    assert written == settings_page(load_texts(language)), "run python -m assistant.app.cli.settings_page"
