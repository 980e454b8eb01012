import re
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from assistant.core.configuration.parsing import parse_settings
from assistant.core.errors import EngineError, SettingsError, StorageError
from assistant.core.settings import Language, Settings
from assistant.host.added_provider import VENDORS, add_provider
from assistant.host.places import PROJECT, Places
from assistant.host.settings_edit import change_settings
from assistant.host.settings_file import interface_language, read_settings, settings_trouble, write_default
from assistant.host.texts import load_texts
from assistant.speech.discovery import Discovery
from assistant.speech.tts import registry
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import SynthesizerEngine


@pytest.fixture(autouse=True)
def _english_desktop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("LC_MESSAGES", raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_first_settings_file_names_the_language_in_a_comment_and_changes_nothing(
    tmp_path: Path, language: str
) -> None:
    path = tmp_path / "deep" / "config.toml"
    write_default(path, load_texts(language))
    assert f'\n# language = "{language}" ' in path.read_text(encoding="utf-8")
    assert read_settings(path) == Settings(language="en")


@pytest.mark.parametrize(
    ("desktop", "language"), [("ko_KR.UTF-8", "ko"), ("en_US.UTF-8", "en"), ("", "ko"), ("C.UTF-8", "ko"), ("C", "ko")]
)
def test_after_a_korean_first_start_the_language_follows_a_desktop_that_names_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, desktop: str, language: str
) -> None:
    path = tmp_path / "config.toml"
    write_default(path, load_texts("ko"))
    monkeypatch.setenv("LANG", desktop)
    assert (read_settings(path).language, interface_language(path)) == (language, language)
    path.write_text('language = "en"\n', encoding="utf-8")
    assert interface_language(path) == "en"


def test_a_damaged_record_of_the_first_language_counts_as_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Places(tmp_path).first_language.write_bytes(b"\xff")
    monkeypatch.delenv("LANG")
    assert interface_language(tmp_path / "config.toml") == "en"


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_line_of_the_first_settings_file_is_right_when_it_is_uncommented(tmp_path: Path, language: str) -> None:
    path = tmp_path / "config.toml"
    write_default(path, load_texts(language))
    body = path.read_text(encoding="utf-8").split("\n\n", 1)[1]
    settings = parse_settings(_uncommented(body))
    assert settings.language == language
    assert settings.providers[0].name == "mine"
    assert settings.voice.wake_word == "hey_jarvis"


def _uncommented(text: str) -> str:
    return "\n".join(line.removeprefix("# ") for line in text.splitlines())


def test_a_settings_file_is_never_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("nonsense [")
    write_default(path, load_texts("ko"))
    assert path.read_text() == "nonsense ["
    assert [each.name for each in tmp_path.iterdir()] == ["config.toml"]


def test_two_first_starts_at_once_make_one_whole_file(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    threads = [threading.Thread(target=write_default, args=(path, load_texts(each))) for each in ("ko", "en")]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert read_settings(path).language in ("ko", "en")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["config.toml", "first-language"]


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError) as caught:
        write_default(tmp_path / "file" / "config.toml", load_texts("en"))
    assert caught.value.message_key == "error.home"


def test_without_a_file_the_desktop_decides_the_language(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read_settings(tmp_path / "none.toml").language == "en"
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    assert read_settings(tmp_path / "none.toml").language == "ko"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_file_that_notepad_has_saved_is_read_and_changed(tmp_path: Path, encoding: str) -> None:
    path, text = tmp_path / "config.toml", '\ufefflanguage = "ko"\r\n# 나의 것\r\n[voice]\r\nspeed = 1.5\r\n'
    path.write_bytes(text.removeprefix("" if encoding[-2:] in ("le", "be") else "\ufeff").encode(encoding))
    assert (read_settings(path).voice.speed, interface_language(path, {"LANG": "C"})) == (1.5, "ko")
    change_settings(path, {"voice.speed": 1.25})
    assert path.read_bytes().decode() == 'language = "ko"\r\n# 나의 것\r\n[voice]\r\nspeed = 1.25\r\n'
    assert add_provider(path, "openai").kind == "openai"


def test_vendors_and_settings_that_are_written_at_the_same_time_all_stay(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text('language = "ko"\n')
    works: list[Callable[[], object]] = [
        *(partial(add_provider, path, kind) for kind in VENDORS),
        partial(change_settings, path, {"voice.speed": 1.25}),
        partial(change_settings, path, {"desktop.theme": "dark"}),
    ]
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = read_settings(path)
    assert {each.name for each in written.providers} == set(VENDORS)
    assert (written.voice.speed, written.desktop.theme) == (1.25, "dark")


def test_text_that_is_not_utf8_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes('language = "ko"\n# 소리\n'.encode() + "# 설정".encode("euc-kr"))
    with pytest.raises(SettingsError) as caught:
        read_settings(path)
    assert caught.value.line == 3


@pytest.mark.parametrize(
    ("content", "language"),
    [
        ('language = "ko"', "ko"),
        ('language = "ko"\nnonsense', "ko"),
        ("language = 'ko' # mine", "ko"),
        ('# [llm] stands below\nlanguage = "ko"', "ko"),
        ('# [llm] stands below\nlanguage = "ko"\nnonsense', "ko"),
        ('"language" = "ko"', "ko"),
        ('[voice]\nlanguage = "ko"', "en"),
        ('[voice]\nlanguage = "ko"\nnonsense', "en"),
        ('language = "de"', "en"),
        ("", "en"),
    ],
)
def test_the_interface_speaks_as_the_settings_say_even_with_mistakes_elsewhere(
    tmp_path: Path, content: str, language: str
) -> None:
    path = tmp_path / "config.toml"
    path.write_text(content)
    assert interface_language(path) == language


def test_a_file_of_another_encoding_still_says_its_language(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes('language = "ko"\n# 설정'.encode("euc-kr"))
    assert interface_language(path) == "ko"


@pytest.mark.parametrize("desktop", ["ko_KR.UTF-8", "en_US.UTF-8", "de_DE.UTF-8", "C", ""])
@pytest.mark.parametrize("content", [None, "", "[voice]\nspeed = 1.0\n", 'language = "ko"\n', 'language = "en"\n'])
def test_commands_and_conversation_speak_one_language_whatever_the_file_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, desktop: str
) -> None:
    monkeypatch.setenv("LANG", desktop)
    path = tmp_path / "config.toml"
    if content is not None:
        path.write_text(content)
    said = {'language = "ko"\n': "ko", 'language = "en"\n': "en"}.get(content or "")
    wanted = said or ("ko" if desktop.startswith("ko") else "en")
    assert (read_settings(path).language, interface_language(path)) == (wanted, wanted)


_WRONG = [
    '[llm]\nprovider = "ghost"',
    '[llm]\nlight_model = "ghost/m"',
    '[voice]\nvoice = "ghost"',
    "[",
    "nonsense = 1",
    "llm = 1",
    "models = 1",
    "[llm]\nfallbacks = 1",
    "[[models]]\nprice_input = 1",
    'language = "de"',
    "[llm]\nprovider = 1",
    "[llm]\nthreads = 0.5",
    '[voice]\nspeed = "fast"',
    "[voice]\ncues = 1",
    "[voice]\nspeed = 3",
    '[[providers]]\nname = ""\nkind = "openai"',
    '[[providers]]\nname = "a"\nkind = "openai"\n[[providers]]\nname = "a"\nkind = "openai"',
    '[[providers]]\nname = "a"\nkind = "openai"\nbase_url = "a"',
]


@pytest.mark.parametrize("text", [*_WRONG, "소리"])
def test_every_mistake_has_words_in_both_languages(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config.toml"
    path.write_text(text, encoding="utf-16" if text == "소리" else "utf-8")
    with pytest.raises(SettingsError) as caught:
        read_settings(path)
    korean, english = (settings_trouble(caught.value, load_texts(language)) for language in ("ko", "en"))
    assert all(re.search("[가-힣]", words) for words in korean)
    assert not re.search("[가-힣]", english[1])
    assert "{" not in "".join((*korean, *english))


@pytest.mark.parametrize(
    ("line", "known"),
    [
        ('tts = "supersonic"', ("auto", "espeak", "piper")),
        ('tts = ""', ("auto",)),
        ('stt = "whisper"', ("faster_whisper",)),
        ('wake_word = "hey_sori"', ("alexa", "hey_jarvis", "hey_mycroft", "hey_rhasspy")),
    ],
)
def test_what_no_engine_knows_is_refused_with_its_line_and_what_there_is(
    tmp_path: Path, line: str, known: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORI_MODELS", str(tmp_path / "none"))
    config = tmp_path / "config.toml"
    config.write_text(f"[voice]\ncues = true\n{line}\n", encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        read_settings(config)
    assert raised.value.line == 3
    assert set(known) <= set(raised.value.values["choices"].split(", "))
    assert "melspectrogram" not in raised.value.values["choices"]


@pytest.mark.parametrize("engine", [*synthesizers().engines, "auto"])
def test_every_synthesiser_can_be_chosen(tmp_path: Path, engine: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[voice]\ntts = "{engine}"\nstt = "faster_whisper"\n', encoding="utf-8")
    assert read_settings(config).voice.tts == engine


def test_a_wake_word_of_ones_own_can_be_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SORI_MODELS", str(tmp_path / "models"))
    folder = tmp_path / "models" / "openwakeword"
    folder.mkdir(parents=True)
    (folder / "hey_sori_v1.2.onnx").touch()
    config = tmp_path / "config.toml"
    config.write_text('[voice]\nwake_word = "hey_sori"\n', encoding="utf-8")
    assert read_settings(config).voice.wake_word == "hey_sori"


_MINE = '[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n'
_VENDOR = '[[providers]]\nname = "claude"\nkind = "anthropic"\n'


@pytest.mark.parametrize(
    ("text", "line", "known"),
    [
        ('[voice]\ncues = true\nvoice = "af_hart"', 3, "af_heart"),
        ('[voice]\nvoice = "hf_alpha, af_hart"', 2, "af_heart"),
        (f'[llm]\ntemperature = 1\nprovider = "main"\n{_MINE}', 3, "mine"),
        ('[llm]\nprovider = "openai"', 2, "embedded"),
        ('llm.provider = "ghost"', 1, "embedded"),
        ('[llm]\nlight_model = "main/small"', 2, "embedded/qwen2.5-coder-1.5b"),
        ('[llm]\nstrong_model = "claude"', 2, "embedded"),
        ('[llm]\nlight_model = "embedded/qwen-9"', 2, "embedded/qwen2.5-coder-1.5b"),
        (f'[llm]\nfallbacks = [\n  "mine",\n  "main/m",\n]\n{_MINE}', 4, "mine"),
        (f'[llm]\nprovider = "claude"\nfallbacks = ["mine/m", "main/m"]\n{_MINE}{_VENDOR}', 3, "mine, claude"),
    ],
)
def test_a_name_that_leads_to_nobody_is_refused_with_its_line_and_those_that_there_are(
    tmp_path: Path, text: str, line: int, known: str
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError) as raised:
        read_settings(config)
    assert raised.value.line == line
    assert known in raised.value.values["known"]
    for language in ("ko", "en"):
        assert known in settings_trouble(raised.value, load_texts(language))[1]


@pytest.mark.parametrize(
    "text",
    [
        '[voice]\nvoice = " hf_alpha ,af_heart,"',
        '[llm]\nprovider = "embedded"\nlight_model = "embedded"\nfallbacks = ["embedded/smollm2-135m"]',
        '[llm]\nlight_model = "smollm2-135m"\nstrong_model = "grown-here"',
        f'[llm]\nprovider = "mine"\nlight_model = "google/gemma-3"\nstrong_model = "some-model"\n{_MINE}',
        f'[llm]\nprovider = "claude"\nlight_model = "mine/google/gemma-3"\nfallbacks = ["x"]\n{_MINE}{_VENDOR}',
        '[llm]\nprovider = "g"\nlight_model = "models/gemini-3"\n[[providers]]\nname = "g"\nkind = "google"',
    ],
)
def test_names_that_lead_somewhere_or_that_only_a_server_knows_are_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("SORI_MODELS", str(tmp_path / "models"))
    (tmp_path / "models" / "grown-here").mkdir(parents=True)
    (tmp_path / "models" / "grown-here" / "own.gguf").write_bytes(b"GGUF")
    config = tmp_path / "config.toml"
    config.write_text(text, encoding="utf-8")
    read_settings(config)


def test_a_voice_is_not_refused_while_an_engine_cannot_say_which_voices_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines: dict[str, SynthesizerEngine] = {}
    broken = EngineError("kokoro", "no library")
    without = Discovery(engines=engines, unavailable={"kokoro": broken})
    monkeypatch.setattr(registry, "synthesizers", lambda: without)
    config = tmp_path / "config.toml"
    config.write_text('[voice]\nvoice = "af_heart"\n', encoding="utf-8")
    assert read_settings(config).voice.voices == ("af_heart",)


def _problems() -> set[str]:
    """The problems that the source names for its errors."""
    named = r'(?:SettingsError|EntryError|_error)\(\s*(?:[^,"()]+,\s*|f?"[^"]*",\s*)?"(\w+)"'
    source = (each.read_text(encoding="utf-8") for each in (PROJECT / "assistant").rglob("*.py"))
    return {problem for text in source if "SettingsError" in text for problem in re.findall(named, text)}


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_problem_and_its_remedy_have_words(language: Language) -> None:
    texts, problems = load_texts(language), _problems()
    assert {"utf8", "range", "mcp_value", "agent_model", "one_value", "wake_twice"} <= problems
    lacking = [
        each for each in sorted(problems) if {f"settings.{each}.problem", f"settings.{each}.remedy"} - texts.keys
    ]
    assert lacking == []
