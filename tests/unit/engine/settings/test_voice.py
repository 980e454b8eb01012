"""The voice follows its settings; what cannot be loaded leaves the engines in use as they are."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from assistant.audio.cards.device_changes import Devices, Present
from assistant.core.configuration.catalogue import single_settings, with_value
from assistant.core.errors import AudioDeviceError, EngineError, SoriError
from assistant.core.settings import Settings
from assistant.engine.settings import voice as followed
from assistant.engine.settings.followers import Apply
from assistant.engine.settings.voice import FollowedVoice, VoiceChanges, prepare_chosen
from assistant.engine.voice_wiring import Engines
from assistant.speech.tts.choice import SynthesizerSet

LOUDSPEAKER = Present(names=frozenset({"Loudspeaker 2.0"}), default="Loudspeaker 2.0")
HEADSET = Present(names=frozenset({"Headset of mine"}), default="Headset of mine")
DEVICES: Devices = {"input": HEADSET, "output": LOUDSPEAKER}


class Loading:
    """What was loaded and what is in use."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
        self.fails: SoriError | None = None
        self.loaded: list[tuple[str, Settings]] = []
        nothing: Any = None
        self.voice = Engines(recognizer=nothing, wake=nothing, turn_end=nothing, synthesizers=nothing, missing=[])
        self.changes = VoiceChanges()
        self.rules: dict[str, Apply] = {}

        def loads(name: str) -> Callable[..., str]:
            def load(settings: Settings, *_: object) -> str:
                if self.fails is not None:
                    raise self.fails
                self.loaded.append((name, settings))
                return name

            return load

        async def fetch(*_: object) -> None:
            if isinstance(self.fails, SoriError):
                raise self.fails

        async def devices() -> Devices | None:
            return DEVICES

        monkeypatch.setattr(followed, "load_wake", loads("wake"))
        monkeypatch.setattr(followed, "load_recognizer", loads("recognizer"))
        monkeypatch.setattr(followed, "synthesizers_for", loads("speech"))
        monkeypatch.setattr(followed, "prepare_chosen", lambda *_: None)
        monkeypatch.setattr(followed, "fetch_models", fetch)
        served: Callable[[Engines], Engines] = lambda voice: replace(voice, recognizer=f"served {voice.recognizer}")  # type: ignore[arg-type] # noqa: E731
        FollowedVoice(home, self.changes, served, lambda _, __: None, devices).follow(self._follow)

    def _follow(self, names: Any, apply: Apply) -> None:
        self.rules.update(dict.fromkeys(names, apply))

    async def apply(self, name: str, value: object) -> None:
        await self.rules[name](with_value(Settings(), name, value))


@pytest.fixture
async def loading(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> AsyncIterator[Loading]:
    loading = Loading(monkeypatch, tmp_path)

    async def use() -> None:
        while True:
            await loading.changes.until_wanted()
            loading.voice = loading.changes.made(loading.voice)
            loading.changes.in_force()

    using = asyncio.create_task(use())
    yield loading
    using.cancel()


@pytest.mark.parametrize(
    ("name", "value", "part", "used"),
    [
        ("voice.wake_word", "alexa", "wake", "wake"),
        ("voice.wake_sensitivity", 0.4, "wake", "wake"),
        ("voice.wake_frames", 2, "wake", "wake"),
        ("voice.wake_cooldown_s", 1.0, "wake", "wake"),
        ("voice.stt", "openai_whisper", "recognizer", "served recognizer"),
        ("voice.stt_size", "small", "recognizer", "served recognizer"),
        ("voice.stt_device", "cpu", "recognizer", "served recognizer"),
        ("voice.stt_compute_type", "int8", "recognizer", "served recognizer"),
        ("voice.tts", "espeak", "synthesizers", "speech"),
        ("voice.voice", "af_heart", "synthesizers", "speech"),
    ],
)
async def test_the_engine_of_a_changed_setting_is_loaded_and_used(
    loading: Loading, name: str, value: object, part: str, used: str
) -> None:
    await loading.apply(name, value)
    assert getattr(loading.voice, part) == used
    ((_, settings),) = loading.loaded
    assert settings == with_value(Settings(), name, value)


@pytest.mark.parametrize("name", ["voice.wake_word", "voice.stt_size", "voice.tts"])
async def test_an_engine_that_cannot_be_loaded_changes_nothing(loading: Loading, name: str) -> None:
    loading.fails = EngineError("x", "no model")
    before = loading.voice
    with pytest.raises(EngineError):
        await loading.apply(name, "other")
    assert loading.voice == before


@pytest.mark.parametrize(("name", "value"), [("input_device", "Headset"), ("output_device", "Loudspeaker 2.0")])
async def test_a_device_that_is_there_is_used(loading: Loading, name: str, value: str) -> None:
    await loading.apply(f"voice.{name}", value)


@pytest.mark.parametrize("name", ["input_device", "output_device"])
async def test_a_device_that_is_not_there_is_told(loading: Loading, name: str) -> None:
    with pytest.raises(AudioDeviceError) as raised:
        await loading.apply(f"voice.{name}", "Gone")
    assert raised.value.message_key == "error.audio.chosen_gone"


def test_every_setting_of_the_voice_that_an_engine_is_made_of_is_followed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    read_at_use = {
        *("language", "speed", "turn_taking", "early_answers", "silence_timeout_s", "max_utterance_s"),
        *("cues", "cue_awake", "cue_heard", "cue_error"),
    }
    rules = Loading(monkeypatch, tmp_path).rules
    now = [each for each in single_settings().values() if each.section == "voice" and each.declared.acts == "now"]
    assert {each.name for each in now} - rules.keys() == {f"voice.{each}" for each in read_at_use}


def test_a_chosen_engine_that_speaks_here_no_language_is_refused_with_the_reason(tmp_path: Path) -> None:
    voices = SynthesizerSet("piper", lambda name: tmp_path / name)
    settings = with_value(Settings(), "voice.tts", "piper")
    with pytest.raises(SoriError) as raised:
        prepare_chosen(voices, settings)
    assert "piper" in str(raised.value)
