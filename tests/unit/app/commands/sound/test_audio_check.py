"""``sori audio-check``: what it prints, recommends and writes."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.app.command_line import main
from assistant.app.commands.sound import audio_check
from assistant.app.commands.sound.audio_check import meter_line
from assistant.audio.playback import Playback
from assistant.core.errors import AudioDeviceError
from tests.fakes.sound.echo_card import EchoCard
from tests.fakes.sound.portaudio import FakeDevice, FakePortAudio

Place = Callable[..., None]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("SORI_HOME", str(folder))
    return folder


@pytest.fixture
def write(home: Path) -> Callable[[str], None]:
    """Writes the settings of ``[voice]``."""

    def settings(language: str, voice: str = "") -> None:
        (home / "config.toml").write_text(f'language = "{language}"\n[voice]\n{voice}\n', encoding="utf-8")

    return settings


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch) -> Place:
    """Place a card in a room where somebody speaks, or leave a part of it out."""

    def put(
        *,
        microphone: str = "Laptop",
        speaker: str = "Laptop",
        gain_db: float = -6.0,
        voice: bool = True,
        microphone_error: AudioDeviceError | None = None,
        speaker_error: AudioDeviceError | None = None,
    ) -> None:
        rng = np.random.default_rng(5)
        room = rng.standard_normal(16_000) * np.repeat([20.0, 1_500.0 if voice else 20.0], 8_000)
        if not voice:
            room *= 0

        def card(playback: Playback, **_options: object) -> Any:
            made: Any = EchoCard(playback, room.astype(np.int16), gain_db=gain_db, delay_frames=9, speaker=speaker)
            made.microphone = microphone
            made.microphone_error, made.speaker_error = microphone_error, speaker_error
            return made

        portaudio = FakePortAudio([FakeDevice("Laptop", inputs=1, outputs=2), FakeDevice("Screen", outputs=2)])
        monkeypatch.setitem(sys.modules, "sounddevice", portaudio.module())
        monkeypatch.setattr(audio_check, "DeviceCard", card)

    return put


def failure(key: str) -> AudioDeviceError:
    return AudioDeviceError("Laptop", key, message_key=f"audio.{key}")


def test_devices_levels_and_echo_are_shown_and_all_is_well(
    write: Place, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    write("ko")
    place()
    assert main(["audio-check", "--seconds", "2"]) == 0
    shown = capsys.readouterr().out
    assert "Laptop (First) [기본]" in shown
    assert "Screen (First)" in shown
    assert "90 ms" in shown
    assert "-6 dB" in shown
    assert "█" in shown
    assert shown.endswith("마이크와 스피커를 쓸 수 있어요.\n")


def test_a_recommended_setting_is_explained_and_written_only_when_asked(
    write: Place, place: Place, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("en", "# mine\necho_cancellation = false")
    place()
    before = (home / "config.toml").read_text(encoding="utf-8")
    assert main(["audio-check", "--seconds", "2"]) == 0
    shown = capsys.readouterr().out
    assert "voice.echo_cancellation = true" in shown
    assert "sori audio-check --apply" in shown
    assert (home / "config.toml").read_text(encoding="utf-8") == before
    assert main(["audio-check", "--seconds", "2", "--apply"]) == 0
    assert (home / "config.toml").read_text(encoding="utf-8") == before.replace("false", "true")
    assert str(home / "config.toml") in capsys.readouterr().out


def test_a_silent_microphone_is_a_fault_in_words(
    write: Place, place: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    write("en")
    place(voice=False, gain_db=-200)
    assert main(["audio-check", "--seconds", "1"]) == 1
    assert "Unmute it" in capsys.readouterr().out


def test_a_chosen_device_that_is_away_stays_chosen(
    write: Place, place: Place, home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("en", 'output_device = "Headset"')
    place()
    assert main(["audio-check", "--seconds", "2", "--apply"]) == 0
    assert 'voice.output_device = "Laptop"' in capsys.readouterr().out
    assert 'output_device = "Headset"' in (home / "config.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"speaker": "", "speaker_error": failure("speaker_missing")}, "There is no speaker"),
        ({"microphone": "", "microphone_error": failure("microphone_refused")}, "is Sori not allowed to"),
    ],
)
def test_a_missing_or_forbidden_device_is_a_fault_in_words(
    write: Place,
    place: Place,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    parts: dict[str, Any],
    words: str,
) -> None:
    monkeypatch.setattr(audio_check, "SOUND_S", 0.0)
    monkeypatch.setattr(audio_check, "AFTERWARDS_S", 0.0)
    write("en")
    place(**parts)
    assert main(["audio-check", "--seconds", "1"]) == 1
    shown = capsys.readouterr().out
    assert words in shown
    assert "Typing works" in shown


def test_without_a_sound_system_the_remedy_is_shown(
    write: Place, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write("en")
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    assert main(["audio-check"]) == 1
    assert "Install PortAudio" in capsys.readouterr().out


def test_the_result_as_data(write: Place, place: Place, capsys: pytest.CaptureFixture[str]) -> None:
    write("en", "echo_cancellation = false")
    place()
    assert main(["audio-check", "--seconds", "2", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["good"], told["microphone"], told["faults"]) == (True, "Laptop", [])
    assert told["advice"][0]["setting"] == "voice.echo_cancellation"
    assert round(told["measured"]["echo"]["delay_ms"]) == 90


def test_the_meter_grows_with_the_level() -> None:
    lengths = [meter_line(level).count("█") for level in (-96.0, -60.0, -30.0, 0.0, 3.0)]
    assert lengths == [0, 4, 14, 24, 24]
