import json
import os
import socket
import sys
from pathlib import Path

import keyring
import keyring.core
import pytest

from assistant.app import doctor
from assistant.app.command_line import main
from assistant.app.doctor import Check, Verdict, examine
from assistant.app.health import SoundDevices, reachable, sound_devices, sound_server, writable
from assistant.app.manifest import Model, WeightFile
from assistant.app.models import ModelStore
from assistant.app.places import Places
from assistant.app.texts import load_texts

ENGLISH = load_texts("en")
EMPTY_SUM = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("SORI_HOME", str(folder))
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.delenv("SORI_MODELS", raising=False)
    monkeypatch.setattr(doctor, "needed_models", lambda _: ["voice"])
    file = WeightFile(name="a.onnx", size=0, sha256=EMPTY_SUM, parts=(), url="")
    voice = Model(name="voice", title="", purpose="tts", licence="MIT", languages=("ko",), home="", files=(file,))
    monkeypatch.setattr(doctor, "ModelStore", lambda home: ModelStore(home, manifest={"voice": voice}))
    (folder / "models" / "voice").mkdir(parents=True)
    (folder / "models" / "voice" / "a.onnx").touch()
    return folder


def line(home: Path, name: str) -> Check:
    return next(each for each in examine(Places(home), ENGLISH) if each.name == name)


def test_a_whole_model_is_ok_a_missing_one_a_warning_an_altered_one_a_failure(home: Path) -> None:
    path = home / "models" / "voice" / "a.onnx"
    assert line(home, "models").verdict is Verdict.OK
    path.write_bytes(b"x")
    assert line(home, "models").verdict is Verdict.FAIL
    assert "a.onnx" in line(home, "models").detail
    path.unlink()
    assert line(home, "models").verdict is Verdict.WARN
    assert "sori models pull voice" in line(home, "models").remedy


def test_bad_settings_fail_with_their_line_and_the_rest_is_examined_all_the_same(home: Path) -> None:
    (home / "config.toml").write_text("nonsense = 1\n")
    check = line(home, "config")
    assert check.verdict is Verdict.FAIL
    assert "config.toml:1" in check.detail
    assert line(home, "models").verdict is Verdict.OK


def provider(home: Path, url: str, more: str = "") -> Check:
    (home / "config.toml").write_text(
        f'[llm]\nprovider = "mine"\n[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "{url}"\n{more}'
    )
    return line(home, "provider")


def test_a_provider_that_answers_is_ok_and_one_that_does_not_fails(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/v1"
        assert provider(home, url).verdict is Verdict.OK
    assert provider(home, url).verdict is Verdict.FAIL


def test_a_provider_without_its_key_fails_and_names_the_variable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINE_KEY", raising=False)
    check = provider(home, "", 'api_key_env = "MINE_KEY"\n')
    assert check.verdict is Verdict.FAIL
    assert "MINE_KEY" in check.detail
    monkeypatch.setenv("MINE_KEY", "s3cret-value")
    check = provider(home, "", 'api_key_env = "MINE_KEY"\n')
    assert check.verdict is Verdict.OK
    assert "s3cret" not in check.detail


def test_a_provider_that_is_not_defined_fails(home: Path) -> None:
    (home / "config.toml").write_text('[llm]\nprovider = "ghost"\n')
    assert line(home, "provider").verdict is Verdict.FAIL


def test_the_placeholder_is_a_warning(home: Path) -> None:
    assert line(home, "provider").verdict is Verdict.WARN


def test_a_machine_without_devices_display_and_keyring_is_warned_not_failed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "sound_devices", lambda: SoundDevices(reason="no PortAudio"))
    monkeypatch.setattr(doctor, "has_display", lambda: False)
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    try:
        found = {each.name: each for each in examine(Places(home), ENGLISH)}
    finally:
        keyring.set_keyring(before)
    for name in ("microphone", "speaker", "display", "keyring"):
        assert found[name].verdict is Verdict.WARN
        assert found[name].remedy
    assert "no PortAudio" in found["microphone"].detail


def test_devices_are_told_by_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "sound_devices", lambda: SoundDevices(microphone="Mic A", speaker="Speaker B"))
    assert (line(home, "microphone").verdict, line(home, "microphone").detail) == (Verdict.OK, "Mic A")
    assert line(home, "speaker").detail == "Speaker B"


def test_a_home_that_cannot_be_written_fails(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check = line(tmp_path / "file" / "home", "home")
    assert check.verdict is Verdict.FAIL
    assert "SORI_HOME" in check.remedy


@pytest.mark.parametrize(("free", "verdict"), [(5e9, Verdict.OK), (5e8, Verdict.WARN), (5e7, Verdict.FAIL)])
def test_little_disk_space_warns_and_none_fails(
    home: Path, monkeypatch: pytest.MonkeyPatch, free: float, verdict: Verdict
) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("Usage", (), {"free": int(free)}))
    assert line(home, "disk").verdict is verdict


def test_the_exit_status_tells_whether_something_fails(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    (home / "models" / "voice" / "a.onnx").write_bytes(b"x")
    assert main(["doctor"]) == 1
    assert "fail" in capsys.readouterr().out


def test_json_has_every_line(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["doctor", "--json"])
    lines = json.loads(capsys.readouterr().out)
    assert {each["verdict"] for each in lines} <= {"ok", "warn", "fail"}
    assert {"python", "environment", "models", "config", "disk"} <= {each["name"] for each in lines}


def test_what_cannot_be_reached_says_why() -> None:
    assert "refused" in reachable("http://127.0.0.1:9/v1")
    assert reachable("nonsense")
    assert reachable("http://127.0.0.1:99999999/")


def test_a_sound_server_is_found_by_its_socket(tmp_path: Path) -> None:
    environment = {"XDG_RUNTIME_DIR": str(tmp_path), "PULSE_SERVER": f"unix:{tmp_path}/native"}
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "native"))
        server.listen()
        assert sound_server(environment) == "PulseAudio"


def test_a_socket_that_nobody_listens_on_is_no_sound_server(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "pipewire-0"))
    assert sound_server({"XDG_RUNTIME_DIR": str(tmp_path)}) != "PipeWire"


def test_asking_for_devices_never_fails_and_restores_the_error_stream() -> None:
    before = os.fstat(2).st_ino
    devices = sound_devices()
    assert isinstance(devices.microphone, str)
    assert os.fstat(2).st_ino == before


def test_a_library_that_is_missing_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sounddevice", None)
    assert "sounddevice" in sound_devices().reason


def test_a_writable_folder_has_no_trouble_and_keeps_no_trace(tmp_path: Path) -> None:
    assert writable(tmp_path / "new") == ""
    assert list((tmp_path / "new").iterdir()) == []
