import asyncio
import json
import os
import re
import socket
import sys
import threading
import zipfile
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import keyring
import keyring.core
import pytest
from keyring.errors import KeyringLocked
from starlette.responses import Response

from assistant.app.command_line import main
from assistant.core.errors import ErrorCode
from assistant.core.records.egress import Egress
from assistant.core.records.usage import Exchange
from assistant.core.service.callers import Caller
from assistant.core.settings import Language
from assistant.engine.checks import language_model_checks, machine_checks, weight_checks
from assistant.engine.checks.check import Check, Grade
from assistant.engine.checks.examination import examine
from assistant.engine.checks.health import SoundDevices, sound_devices, sound_server, writable
from assistant.host import needed_models
from assistant.host.certificate import certificate_for, kept_certificate
from assistant.host.clock import SystemClock
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.host.tokens import TokenFile
from assistant.remote.http.phone.door import PhoneDoor
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from assistant.storage.records.usage import UsageStore
from assistant.weights.manifest import Model, WeightFile
from tests.fakes.front.engine_service import FakeEngineService
from tests.fakes.model_server.server import serve_in_thread
from tests.fakes.system.keyring_backend import MemoryKeyring

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
    monkeypatch.setattr(weight_checks, "needed_models", lambda _: ["voice"])
    file = WeightFile(name="a.onnx", size=0, sha256=EMPTY_SUM, parts=(), url="")
    voice = Model(name="voice", title="", purpose="tts", licence="MIT", languages=("ko",), home="", files=(file,))
    monkeypatch.setattr(weight_checks, "open_store", lambda home: open_store(home, manifest={"voice": voice}))
    (folder / "models" / "voice").mkdir(parents=True)
    (folder / "models" / "voice" / "a.onnx").touch()
    return folder


def line(home: Path, name: str) -> Check:
    return next(each for each in examine(Places(home), ENGLISH) if each.name == name)


def test_a_whole_model_is_ok_a_missing_one_a_warning_an_altered_one_a_failure(home: Path) -> None:
    path = home / "models" / "voice" / "a.onnx"
    assert line(home, "models").verdict is Grade.OK
    path.write_bytes(b"x")
    assert line(home, "models").verdict is Grade.FAIL
    assert "a.onnx" in line(home, "models").detail
    korean = next(each for each in examine(Places(home), load_texts("ko")) if each.name == "models")
    assert "a.onnx (잘림)" in korean.detail
    path.unlink()
    assert line(home, "models").verdict is Grade.WARN
    assert "sori models pull voice" in line(home, "models").remedy


def test_bad_settings_fail_with_their_line_and_the_rest_is_examined_all_the_same(home: Path) -> None:
    (home / "config.toml").write_text("nonsense = 1\n")
    check = line(home, "config")
    assert check.verdict is Grade.FAIL
    assert "config.toml:1" in check.detail
    assert line(home, "models").verdict is Grade.OK


def test_a_database_is_examined_whoever_answers(home: Path) -> None:
    assert not [each for each in examine(Places(home), ENGLISH) if each.name == "database"]
    database = Places(home).database
    database.mkdir()
    broken = line(home, "database")
    assert (broken.verdict, broken.code) == (Grade.FAIL, "storage")
    assert broken.remedy
    database.rmdir()
    database.write_bytes(b"no database" * 1000)
    damaged = line(home, "database")
    assert damaged.verdict is Grade.WARN
    assert "sori.db.damaged-" in damaged.detail
    assert line(home, "database").verdict is Grade.OK


def test_damaged_permissions_are_told(home: Path) -> None:
    assert not [each for each in examine(Places(home), ENGLISH) if each.name == "grants"]
    Places(home).grants.write_text("{")
    told = line(home, "grants")
    assert told.verdict is Grade.WARN
    assert str(Places(home).grants) in told.detail
    assert told.remedy


def online(home: Path, number: int = 0) -> Check:
    """A line about providers, with their servers asked."""
    return [each for each in examine(Places(home), ENGLISH, online=True) if each.name == "provider"][number]


def egress(home: Path) -> tuple[Egress, ...]:
    async def read() -> tuple[Egress, ...]:
        database = await Database.open(Places(home).database, SystemClock())
        rows = await EgressStore(database, SystemClock()).rows(local=True)
        await database.close()
        return rows

    return asyncio.run(read())


def exchanged(home: Path, outcome: str) -> None:
    """The provider was asked, and it ended so."""
    exchange = Exchange(
        conversation="c",
        provider="mine",
        model="m",
        input=None,
        output=None,
        cached=None,
        total=None,
        first_token_ms=None,
        total_ms=1.0,
        requests=1,
        tool_calls=0,
        outcome=outcome,
    )

    async def record() -> None:
        database = await Database.open(Places(home).database, SystemClock())
        await UsageStore(database, SystemClock()).record(exchange)
        await database.close()

    asyncio.run(record())


def provider(home: Path, url: str, more: str = "") -> Check:
    (home / "config.toml").write_text(
        f'[llm]\nprovider = "mine"\n[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "{url}"\n{more}'
    )
    return line(home, "provider")


def test_a_provider_is_asked_only_when_that_was_wanted_and_it_is_written_down(home: Path) -> None:
    with serve_in_thread(models=("a", "b")) as server:
        assert provider(home, server.base_url).verdict is Grade.OK
        assert server.connections == 0
        check = online(home)
        assert (check.verdict, len(server.requests)) == (Grade.OK, 1)
    assert "2 models" in check.detail
    (row,) = egress(home)
    assert (row.purpose, row.provider) == ("list_models", "mine")


def test_a_server_that_does_not_answer_fails_and_one_that_was_not_chosen_is_a_warning(home: Path) -> None:
    provider(home, "http://127.0.0.1:9/v1")
    assert online(home).verdict is Grade.FAIL
    config = home / "config.toml"
    config.write_text(config.read_text().replace('provider = "mine"', 'provider = ""'))
    assert online(home, 1).verdict is Grade.WARN


def test_how_the_last_exchange_failed_is_told_until_one_goes_well(home: Path) -> None:
    provider(home, "http://127.0.0.1:9/v1")
    exchanged(home, "quota")
    assert any("quota" in each.detail for each in examine(Places(home), ENGLISH) if each.name == "provider")
    exchanged(home, "cancelled")
    assert not any("quota" in each.detail for each in examine(Places(home), ENGLISH) if each.name == "provider")
    exchanged(home, "quota")
    exchanged(home, "complete")
    assert not any("quota" in each.detail for each in examine(Places(home), ENGLISH) if each.name == "provider")


def test_an_exchange_that_was_interrupted_says_nothing_of_its_provider(home: Path) -> None:
    provider(home, "http://127.0.0.1:9/v1")
    exchanged(home, "quota")
    exchanged(home, "interrupted")
    told = [each.detail for each in examine(Places(home), ENGLISH) if each.name == "provider"]
    assert any("quota" in each for each in told)
    assert not any("interrupted" in each for each in told)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("code", [*(each for each in ErrorCode if each != "cancelled"), "of_a_newer_sori"])
def test_a_failure_is_told_in_words_with_a_remedy_and_its_code_is_for_programs(
    home: Path, capsys: pytest.CaptureFixture[str], code: str, language: str
) -> None:
    provider(home, "http://127.0.0.1:9/v1")
    config = home / "config.toml"
    config.write_text(f'language = "{language}"\n{config.read_text()}')
    exchanged(home, code)
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    (at,) = [number for number, each in enumerate(shown.splitlines()) if "(m, 20" in each]
    said, remedy = shown.splitlines()[at : at + 2]
    assert remedy.startswith("      ")
    assert (
        bool(re.search("[가-힣]", said.partition(": ")[2])) is bool(re.search("[가-힣]", remedy)) is (language == "ko")
    )
    # Where there are words, the code itself is not among them; some codes are plain words.
    assert "_" not in code or f"doctor.failure.{code}.reason" not in ENGLISH or code not in said
    main(["doctor", "--json"])
    assert code in [each["code"] for each in json.loads(capsys.readouterr().out)]


def test_every_way_an_exchange_can_fail_has_words_of_its_own() -> None:
    """Devices are nothing that a model is asked with; what is inside Sori has the words for all that is."""
    without = {ErrorCode.CANCELLED, ErrorCode.AUDIO_DEVICE, ErrorCode.INTERNAL}
    assert {code for code in ErrorCode if f"doctor.failure.{code}.reason" not in ENGLISH} == without


def test_a_server_that_was_just_asked_is_not_told_of_twice(home: Path) -> None:
    provider(home, "http://127.0.0.1:9/v1")
    for outcome, lines in (("network", 1), ("quota", 2)):
        exchanged(home, outcome)
        found = [each for each in examine(Places(home), ENGLISH, online=True) if each.name == "provider"]
        assert len(found) == lines
    assert "key: none needed" in found[0].detail


def test_a_server_that_does_not_answer_is_told_with_the_code_for_programs(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    provider(home, "http://127.0.0.1:9/v1")
    assert main(["doctor", "--online", "--json"]) == 1
    assert "network" in [each["code"] for each in json.loads(capsys.readouterr().out)]


def roles_told(home: Path, llm: str) -> list[tuple[Grade, str]]:
    (home / "config.toml").write_text(
        f'[llm]\nprovider = "mine"\n{llm}\n[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "http://127.0.0.1:9/v1"\n'
    )
    return [(each.verdict, each.detail) for each in examine(Places(home), ENGLISH) if each.name == "roles"]


def test_who_does_which_work_is_told(home: Path) -> None:
    assert roles_told(home, 'model = "m"') == [(Grade.OK, "Every answer: mine/m")]
    assert roles_told(home, 'strong_model = "s"\nfallbacks = ["mine/f", "mine/g"]') == [
        (Grade.OK, "Conversation: mine, its only model"),
        (Grade.OK, "Analysis, code, mathematics: mine/s"),
        (Grade.OK, "Summaries: the model that answers"),
        (Grade.OK, "If that fails: mine/f, mine/g"),
    ]


@pytest.mark.parametrize(
    ("llm", "words"),
    [
        ("", 'model = "m" answers nothing: light_model and strong_model do all the work'),
        ('routing = "strong"', 'model = "m" answers nothing: routing = "strong" lets another model do all the work'),
    ],
)
def test_a_model_that_is_given_no_work_is_a_warning_with_its_remedy(home: Path, llm: str, words: str) -> None:
    told = roles_told(home, f'model = "m"\nlight_model = "l"\nstrong_model = "s"\n{llm}')
    assert told[-1] == (Grade.WARN, words)
    assert [verdict for verdict, _ in told[:-1]] == [Grade.OK] * 3
    (warned,) = [each for each in examine(Places(home), ENGLISH) if each.name == "roles" and each.remedy]
    assert "take model" in warned.remedy


def test_of_a_provider_that_is_not_there_only_that_is_told(home: Path) -> None:
    (home / "config.toml").write_text('[llm]\nprovider = "ghost"\n')
    checks = examine(Places(home), ENGLISH)
    assert [each for each in checks if each.name == "roles"] == []
    assert any(each.verdict is Grade.FAIL and "'ghost'" in each.detail for each in checks if each.name == "config")


def test_keys_in_a_file_that_others_can_read_are_a_warning(home: Path) -> None:
    provider(home, "", 'api_key = "s3cret-in-the-file"\n')
    config = home / "config.toml"
    config.chmod(0o644)
    assert line(home, "config_mode").verdict is Grade.WARN
    config.chmod(0o600)
    checks = examine(Places(home), ENGLISH)
    assert "config_mode" not in [each.name for each in checks]
    assert "from config.toml" in next(each.detail for each in checks if each.name == "provider")
    assert "s3cret" not in repr(checks)


def test_a_keyring_that_is_locked_is_named(home: Path, memory_keyring: MemoryKeyring) -> None:
    memory_keyring.error = KeyringLocked("the collection is locked")
    provider(home, "", 'api_key_env = "MINE_KEY"\n')
    found = [each.detail for each in examine(Places(home), ENGLISH) if each.name == "keyring"]
    assert any("the collection is locked" in each for each in found)


def test_a_provider_without_its_key_fails_and_names_the_variable(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MINE_KEY", raising=False)
    check = provider(home, "", 'api_key_env = "MINE_KEY"\n')
    assert check.verdict is Grade.FAIL
    assert "MINE_KEY" in check.detail
    monkeypatch.setenv("MINE_KEY", "s3cret-value")
    check = provider(home, "", 'api_key_env = "MINE_KEY"\n')
    assert check.verdict is Grade.OK
    assert "s3cret" not in check.detail


def test_a_provider_that_is_not_defined_fails_with_its_line(home: Path) -> None:
    (home / "config.toml").write_text('[llm]\nprovider = "ghost"\n')
    found = line(home, "config")
    assert found.verdict is Grade.FAIL
    assert "config.toml:2" in found.detail
    assert "embedded" in found.remedy


def test_a_reference_that_nearly_names_a_provider_is_a_warning(home: Path) -> None:
    entry = '[[providers]]\nname = "claude"\nkind = "anthropic"\n'
    (home / "config.toml").write_text(
        f'[llm]\nprovider = "claude"\nfallbacks = ["claud", "claude", "claude/m", "qwen3:8b"]\n{entry}'
    )
    found = [each for each in examine(Places(home), ENGLISH) if each.detail.startswith("claud:")]
    assert [each.verdict for each in found] == [Grade.WARN]
    assert "provider claude" in found[0].remedy
    assert not any(
        each.detail.startswith(("claude:", "claude/m:", "qwen3:8b:")) for each in examine(Places(home), ENGLISH)
    )


def test_the_built_in_model_may_be_named_as_the_provider(home: Path) -> None:
    (home / "config.toml").write_text('[llm]\nprovider = "embedded"\n')
    assert not any(each.name == "provider" for each in examine(Places(home), ENGLISH))


def test_the_stand_in_of_a_small_machine_is_a_warning(home: Path) -> None:
    (home / "config.toml").write_text('[llm]\nembedded_model = "smollm2-135m"\n')
    assert line(home, "provider").verdict is Grade.WARN


def test_soris_own_model_is_named_and_nothing_to_warn_of(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needed_models, "total_memory", lambda: 8_000_000_000)
    found = line(home, "provider")
    assert found.verdict is Grade.OK
    assert "qwen2.5-coder-1.5b" in found.detail


def test_a_machine_without_devices_display_and_keyring_is_warned_not_failed(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_checks, "sound_devices", lambda: SoundDevices(reason="no PortAudio"))
    monkeypatch.setattr(machine_checks, "has_display", lambda: False)
    before = keyring.get_keyring()
    keyring.set_keyring(keyring.core.load_keyring("keyring.backends.fail.Keyring"))
    try:
        found = {each.name: each for each in examine(Places(home), ENGLISH)}
    finally:
        keyring.set_keyring(before)
    for name in ("microphone", "speaker", "display", "keyring"):
        assert found[name].verdict is Grade.WARN
        assert found[name].remedy
    assert "no PortAudio" in found["microphone"].detail


def test_devices_are_told_by_name(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_checks, "sound_devices", lambda: SoundDevices(microphone="Mic A", speaker="Speaker B"))
    assert (line(home, "microphone").verdict, line(home, "microphone").detail) == (Grade.OK, "Mic A")
    assert line(home, "speaker").detail == "Speaker B"


def test_a_home_that_cannot_be_written_fails(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    check = line(tmp_path / "file" / "home", "home")
    assert check.verdict is Grade.FAIL
    assert "SORI_HOME" in check.remedy


@pytest.mark.parametrize(("free", "verdict"), [(5e9, Grade.OK), (5e8, Grade.WARN), (5e7, Grade.FAIL)])
def test_little_disk_space_warns_and_none_fails(
    home: Path, monkeypatch: pytest.MonkeyPatch, free: float, verdict: Grade
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


@pytest.mark.parametrize(("taken", "words"), [(250_000_000, "loaded, 250.0 MB of memory"), (0, "not loaded")])
def test_the_memory_of_the_built_in_model_is_told(
    home: Path, monkeypatch: pytest.MonkeyPatch, taken: int, words: str
) -> None:
    monkeypatch.setattr(language_model_checks, "embedded_memory", lambda: taken)
    (line,) = [each.detail for each in examine(Places(home), ENGLISH) if each.name == "embedded"]
    assert line.startswith(words)


def agents(home: Path, language: Language = "en") -> list[Check]:
    return [each for each in examine(Places(home), load_texts(language)) if each.name == "agents"]


def test_without_workspaces_nothing_is_said_of_agents_and_good_files_are_counted(home: Path) -> None:
    assert agents(home) == []
    folder = home / "workspaces" / "work" / "agents" / "coach"
    folder.mkdir(parents=True)
    (folder / "agent.toml").write_text('display_name = "Coach"\n')
    (check,) = agents(home)
    assert (check.verdict, check.detail) == (Grade.OK, "workspaces: 2, agents: 3")


def test_bad_files_of_agents_are_named_with_line_and_remedy(home: Path) -> None:
    work = home / "workspaces" / "work"
    coach = work / "agents" / "coach"
    coach.mkdir(parents=True)
    (work / "workspace.toml").write_text('\nnmae = "Work"\n')
    (work / "memory.md").write_bytes(b"- fine\n- \xff\n")
    (coach / "agent.toml").write_text('display_name = "Coach"\nmodel = "gone/model"\n')
    (coach / "persona.md").write_bytes(b"\xff")
    found = {each.detail: each for each in agents(home)}
    assert all(each.verdict is Grade.WARN and each.remedy for each in found.values())
    named = [detail.split(": ")[0] for detail in found]
    assert named == [
        f"{work / 'workspace.toml'}:2",
        f"{coach / 'persona.md'}:1",
        f"{coach / 'agent.toml'}:2",
        f"{work / 'memory.md'}:2",
    ]
    assert "UTF-8" in agents(home, "ko")[1].remedy


def test_the_search_provider_is_checked_for_its_key(home: Path, memory_keyring: MemoryKeyring) -> None:
    names = [each.name for each in examine(Places(home), ENGLISH)]
    assert not {"search", "images"} & set(names)
    (home / "config.toml").write_text('[search]\nprovider = "brave"\n')
    check = line(home, "search")
    assert check.verdict is Grade.WARN
    assert "sori keys set brave" in check.remedy
    memory_keyring.entries["sori", "brave"] = "k"
    assert line(home, "search").verdict is Grade.OK


def test_shell_commands_need_a_sandbox_and_a_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "shell" not in [each.name for each in examine(Places(home), ENGLISH)]
    programs, folder = home / "bin", home / "work"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    (home / "config.toml").write_text(f"[shell]\nfolder = {json.dumps(str(folder))}\n")
    assert (line(home, "shell").verdict, "bubblewrap" in line(home, "shell").remedy) == (Grade.WARN, True)
    (programs / "bwrap").write_text("#!/bin/sh\n")
    (programs / "bwrap").chmod(0o700)
    assert str(folder) in line(home, "shell").detail
    folder.mkdir()
    assert line(home, "shell").verdict is Grade.OK


def test_programs_that_may_call_are_named_while_http_is_on(home: Path) -> None:
    tokens = TokenFile(Places(home).tokens, SystemClock())
    tokens.add(Caller(name="editor"))
    assert "http" not in [each.name for each in examine(Places(home), ENGLISH)]
    (home / "config.toml").write_text("[http]\nenabled = true\n")
    assert (line(home, "http").verdict, "editor" in line(home, "http").detail) == (Grade.OK, True)
    tokens.revoke("editor")
    assert (line(home, "http").verdict, "sori tokens add" in line(home, "http").remedy) == (Grade.WARN, True)
    Places(home).tokens.write_text("{")
    assert line(home, "http").verdict is Grade.FAIL


def test_the_model_of_pictures_is_named_unless_it_makes_none(home: Path) -> None:
    provider = '[[providers]]\nname = "draw"\nkind = "openai"\nbase_url = "http://127.0.0.1:1/v1"\n'
    (home / "config.toml").write_text(f'[images]\nmodel = "draw/sd"\n{provider}')
    assert (line(home, "images").verdict, line(home, "images").detail) == (Grade.OK, "draw/sd")
    (home / "config.toml").write_text('[images]\nmodel = "embedded"\n')
    assert line(home, "images").verdict is Grade.WARN


def test_the_transcription_server_is_named_unless_it_transcribes_nothing(home: Path) -> None:
    assert "transcription" not in [each.name for each in examine(Places(home), ENGLISH)]
    for kind, url, verdict, words in (
        ("openai", "http://127.0.0.1:1/v1", Grade.OK, "on this computer"),
        ("openai", "https://example.com/v1", Grade.OK, "is sent there"),
        ("anthropic", "https://example.com", Grade.WARN, "cannot transcribe"),
    ):
        provider = f'[[providers]]\nname = "ear"\nkind = "{kind}"\nbase_url = "{url}"\n'
        (home / "config.toml").write_text(f'[voice]\nstt_model = "ear/whisper-1"\n{provider}')
        check = line(home, "transcription")
        assert (check.verdict, words in check.detail) == (verdict, True)


def test_servers_that_find_files_are_named_with_what_goes_there(home: Path) -> None:
    assert not {"meanings", "passage_index"} & {each.name for each in examine(Places(home), ENGLISH, loads=False)}
    for kind, url, host, verdict, words in (
        ("openai", "http://127.0.0.1:1/v1", "127.0.0.1", Grade.OK, "on this computer"),
        ("openai", "https://example.com/v1", "db.example.com", Grade.OK, "there"),
        ("anthropic", "https://example.com", "localhost", Grade.WARN, "cannot compute meanings"),
    ):
        provider = f'[[providers]]\nname = "mine"\nkind = "{kind}"\nbase_url = "{url}"\n'
        files = f'[files]\nmeanings = "mine/bge-m3"\nindex = "postgresql://u@{host}/sori"\n'
        (home / "config.toml").write_text(f"{files}{provider}")
        checks = {each.name: each for each in examine(Places(home), ENGLISH, loads=False)}
        assert (checks["meanings"].verdict, words in checks["meanings"].detail) == (verdict, True)
        assert ("on this computer" in checks["passage_index"].detail) == (host != "db.example.com")


def test_a_voice_on_a_server_is_named_with_what_goes_there(home: Path) -> None:
    for kind, url, model, verdict, words in (
        ("openai", "http://127.0.0.1:1/v1", "", Grade.OK, "on this computer"),
        ("openai", "https://example.com/v1", "mine/kokoro", Grade.OK, "are sent there"),
        ("anthropic", "https://example.com", "mine/claude", Grade.WARN, "cannot speak"),
        ("anthropic", "https://example.com", "", Grade.WARN, "no server is named"),
    ):
        provider = f'[[providers]]\nname = "mine"\nkind = "{kind}"\nbase_url = "{url}"\n'
        (home / "config.toml").write_text(f'[voice]\ntts = "openai"\ntts_model = "{model}"\n{provider}')
        check = line(home, "speech_server")
        assert (check.verdict, words in check.detail) == (verdict, True)


def test_a_wake_word_is_loaded_and_one_that_cannot_be_is_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check = line(home, "wake_word")
    assert (check.verdict, "hey_jarvis" in check.detail) == (Grade.WARN, True)
    assert "models/openwakeword" in check.remedy
    engine = SimpleNamespace(create=lambda _path_of, options: options.word)
    monkeypatch.setattr(weight_checks, "wake_engine_for", lambda _word, _path_of: engine)
    assert line(home, "wake_word").verdict is Grade.OK


def test_the_diagnostics_are_printed_and_written_as_they_are(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "diagnostics.zip"
    assert main(["doctor", "--export", str(path)]) == 0
    printed = capsys.readouterr().out
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            assert f"--- {name}\n{archive.read(name).decode()}" in printed
    assert str(home) not in printed


def test_diagnostics_that_cannot_be_written_are_an_error(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--export", str(home / "missing" / "d.zip")]) != 0
    assert "missing" in capsys.readouterr().err


def phone_lines(home: Path) -> list[Check]:
    return [each for each in examine(Places(home), ENGLISH, loads=False) if each.name == "phone"]


def test_the_page_for_phones_is_told_with_the_phones_and_how_it_is_mended(home: Path) -> None:
    places, clock = Places(home), SystemClock()
    assert [(each.verdict, each.detail) for each in phone_lines(home)] == [(Grade.OK, "off")]
    with socket.create_server(("127.0.0.7", 0)) as other:
        port = other.getsockname()[1]
        places.config.write_text(f"[phone]\nenabled = true\nport = {port}\n")
        (never,) = phone_lines(home)
        assert (never.verdict, bool(never.remedy)) == (Grade.WARN, True)
        certificate = certificate_for(places.phone_certificate, ["127.0.0.7"], clock.now())
        answering = threading.Thread(target=lambda: other.accept()[0].close())
        answering.start()
        (foreign,) = phone_lines(home)
        answering.join()
        assert "another program" in foreign.detail
        assert "phone.port" in foreign.remedy
    (closed,) = phone_lines(home)
    assert (closed.verdict, str(port) in closed.detail) == (Grade.WARN, True)

    tokens = TokenFile(places.phones, clock, notes_use=True)
    tokens.caller_of(tokens.add(Caller(name="Galaxy")))
    page = PhoneDoor(FakeEngineService(), tokens, ENGLISH, Response(), lambda _: None)
    page.open(["127.0.0.7"], port, certificate.path)
    try:
        stands, phones = phone_lines(home)
    finally:
        page.close()
    ends = kept_certificate(certificate.path)
    assert ends is not None
    assert stands.verdict is Grade.OK
    assert f"https://127.0.0.7:{port}/" in stands.detail
    assert f"{ends.until.astimezone():%Y-%m-%d}" in stands.detail
    assert "1 signed in: Galaxy" in phones.detail
    assert str(clock.now().year) in phones.detail


def test_what_keeps_phones_out_is_told(home: Path) -> None:
    places = Places(home)
    places.config.write_text("[phone]\nenabled = true\n")
    places.phones.write_text("{")
    certificate_for(places.phone_certificate, ["127.0.0.7"], SystemClock().now() - timedelta(days=400))
    damaged, ended = phone_lines(home)
    assert (damaged.verdict, "sori phone code" in damaged.remedy) == (Grade.FAIL, True)
    assert (ended.verdict, bool(ended.remedy)) == (Grade.WARN, True)
    places.phone_certificate.write_text("nonsense")
    unread = phone_lines(home)[-1]
    assert (unread.verdict, str(places.phone_certificate) in unread.detail) == (Grade.FAIL, True)
    assert places.phone_certificate.read_text() == "nonsense", "a check changes nothing"
