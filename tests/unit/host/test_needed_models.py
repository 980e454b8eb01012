"""Which model a machine gets, and which are needed with which settings."""

import shutil
from collections import namedtuple
from pathlib import Path
from typing import Literal

import pytest

from assistant.core.settings import LlmSettings, Provider, Settings, VoiceSettings
from assistant.host.needed_models import (
    answering_models,
    for_this_machine,
    needed_language_models,
    needed_speech_models,
    total_memory,
)
from assistant.llm.embedded.own_models import EMBEDDED_MODEL, PLACEHOLDER_MODEL

MINE = Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1")
Usage = namedtuple("Usage", ["free"])


@pytest.fixture(autouse=True)
def _own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SORI_MODELS", raising=False)


def given(home: Path, memory: int | None = 8_000_000_000) -> str:
    return for_this_machine(Settings(), home, memory_bytes=lambda: memory).llm.embedded_model


@pytest.mark.parametrize(
    ("memory", "model"),
    [
        (3_700_000_000, EMBEDDED_MODEL),
        (None, EMBEDDED_MODEL),
        (2_000_000_000, PLACEHOLDER_MODEL),
    ],
)
def test_memory_decides_which_model_a_machine_gets(tmp_path: Path, memory: int | None, model: str) -> None:
    assert given(tmp_path, memory) == model


def test_a_full_disk_gets_the_small_model_unless_the_other_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(free=1_000_000_000))
    assert given(tmp_path) == PLACEHOLDER_MODEL
    place = tmp_path / "models" / EMBEDDED_MODEL
    place.mkdir(parents=True)
    (place / "weights.gguf").touch()
    assert given(tmp_path) == EMBEDDED_MODEL


def test_what_the_user_has_chosen_stays(tmp_path: Path) -> None:
    chosen = Settings(llm=LlmSettings(embedded_model="my-own"))
    assert for_this_machine(chosen, tmp_path, memory_bytes=lambda: 1).llm.embedded_model == "my-own"


def test_the_limit_of_a_container_counts() -> None:
    assert total_memory(lambda _: "1000000\n") == 1_000_000
    assert (total_memory(lambda _: "max\n") or 0) > 1_000_000


@pytest.mark.parametrize(
    ("llm", "needed", "answering"),
    [
        (LlmSettings(provider="embedded"), [EMBEDDED_MODEL], [EMBEDDED_MODEL]),
        (LlmSettings(provider="mine", fallbacks=("embedded",)), [EMBEDDED_MODEL], []),
        (LlmSettings(provider="mine", light_model="embedded"), [EMBEDDED_MODEL], [EMBEDDED_MODEL]),
        (LlmSettings(provider="mine", light_model="embedded/qwen3-4b"), ["qwen3-4b"], ["qwen3-4b"]),
        (LlmSettings(light_model="embedded/smollm2-135m"), [PLACEHOLDER_MODEL, EMBEDDED_MODEL], None),
        (LlmSettings(provider="mine"), [], []),
    ],
)
def test_wherever_settings_name_soris_own_server_its_model_is_needed(
    llm: LlmSettings, needed: list[str], answering: list[str] | None
) -> None:
    settings = Settings(llm=llm, providers=(MINE,))
    assert needed_language_models(settings) == needed
    assert answering_models(settings) == (needed if answering is None else answering)


@pytest.mark.parametrize(
    ("tts", "voices"),
    [("auto", ["kokoro-82m", "piper-en-joe"]), ("piper", ["piper-en-joe"]), ("espeak", [])],
)
def test_what_listens_and_speaks_needs_the_models_that_its_engines_declare(tts: str, voices: list[str]) -> None:
    settings = Settings(voice=VoiceSettings(tts=tts))
    assert needed_speech_models(settings) == ["whisper-base", "openwakeword", "smart-turn-v3", *voices]


@pytest.mark.parametrize(
    ("size", "model"), [("auto", "whisper-base"), ("base", "whisper-base"), ("small", "whisper-small")]
)
def test_the_size_decides_which_recogniser_is_needed(size: Literal["auto", "base", "small"], model: str) -> None:
    needed = needed_speech_models(Settings(voice=VoiceSettings(stt_size=size)))
    assert [each for each in needed if each.startswith("whisper")] == [model]
