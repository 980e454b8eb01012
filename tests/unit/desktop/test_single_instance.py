import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.app.commands import toggle
from assistant.host.places import PROJECT
from assistant.host.single_instance import (
    ADDRESS_NAME,
    AlreadyRunningError,
    InstanceRequest,
    SingleInstance,
    is_running,
    send_request,
)

HOLDER = """
import sys, time
from pathlib import Path
from assistant.host.single_instance import SingleInstance
instance = SingleInstance(Path(sys.argv[1]), lambda request: print(request, flush=True))
print("holding", flush=True)
time.sleep(600)
"""


@pytest.fixture
def hold(tmp_path: Path) -> Callable[[], "subprocess.Popen[str]"]:
    """Starts another process that holds the home."""

    def start() -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDER, str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=PROJECT
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "holding\n"
        return process

    return start


def end(process: "subprocess.Popen[str]", how: signal.Signals = signal.SIGTERM) -> None:
    process.send_signal(how)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def test_requests_reach_the_one_that_runs(tmp_path: Path) -> None:
    heard: list[InstanceRequest] = []
    instance = SingleInstance(tmp_path, heard.append)
    try:
        answers = [send_request(tmp_path, request) for request in InstanceRequest]
    finally:
        instance.close()

    assert answers == [True, True]
    assert heard == list(InstanceRequest)


def test_a_second_process_is_refused_and_can_reach_the_first(
    tmp_path: Path, hold: Callable[[], "subprocess.Popen[str]"]
) -> None:
    process = hold()
    try:
        with pytest.raises(AlreadyRunningError):
            SingleInstance(tmp_path, lambda _: None)
        assert send_request(tmp_path, InstanceRequest.SHOW)
        assert process.stdout is not None
        assert process.stdout.readline() == "show\n"
    finally:
        end(process)


def test_what_a_killed_process_leaves_behind_stops_nobody(
    tmp_path: Path, hold: Callable[[], "subprocess.Popen[str]"]
) -> None:
    end(hold(), signal.SIGKILL)
    left = (tmp_path / ADDRESS_NAME).exists()

    reached = send_request(tmp_path, InstanceRequest.TOGGLE)
    SingleInstance(tmp_path, lambda _: None).close()

    assert left
    assert not reached
    assert not is_running(tmp_path)


def test_a_closed_instance_lets_the_next_one_in(tmp_path: Path) -> None:
    SingleInstance(tmp_path, lambda _: None).close()
    again = SingleInstance(tmp_path, lambda _: None)
    again.close()

    assert not (tmp_path / ADDRESS_NAME).exists()


def test_a_stranger_without_the_token_is_not_obeyed(tmp_path: Path) -> None:
    heard: list[InstanceRequest] = []
    instance = SingleInstance(tmp_path, heard.append)
    place = json.loads((tmp_path / ADDRESS_NAME).read_text(encoding="ascii"))
    try:
        for line in (b'{"token": "guess", "request": "toggle"}\n', b"GET / HTTP/1.1\r\n", b"\xff\n", b"[1]\n", b""):
            with socket.create_connection(("127.0.0.1", place["port"])) as stranger:
                stranger.sendall(line)
                stranger.shutdown(socket.SHUT_WR)
                assert stranger.recv(16) == b""
        assert send_request(tmp_path, InstanceRequest.TOGGLE)
    finally:
        instance.close()

    assert heard == [InstanceRequest.TOGGLE]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows keeps files of the user's profile to the user by itself.")
def test_the_address_is_for_the_user_alone(tmp_path: Path) -> None:
    instance = SingleInstance(tmp_path, lambda _: None)
    mode = (tmp_path / ADDRESS_NAME).stat().st_mode & 0o777
    instance.close()

    assert mode == 0o600


def test_a_home_under_a_very_long_path_is_held_like_any_other(tmp_path: Path) -> None:
    home = tmp_path.joinpath(*["long" * 12] * 4)
    home.mkdir(parents=True)
    instance = SingleInstance(home, lambda _: None)
    try:
        assert send_request(home, InstanceRequest.SHOW)
    finally:
        instance.close()


def test_toggle_reaches_the_one_that_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    heard: list[InstanceRequest] = []
    instance = SingleInstance(tmp_path, heard.append)
    try:
        status = toggle.run(tmp_path)
    finally:
        instance.close()

    assert status == 0
    assert heard == [InstanceRequest.TOGGLE]
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(("language", "words"), [("ko", "소리가 켜져 있지 않아요"), ("en", "Sori is not running")])
def test_toggle_says_so_when_nothing_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], language: str, words: str
) -> None:
    (tmp_path / "config.toml").write_text(f'language = "{language}"\n', encoding="utf-8")

    assert toggle.run(tmp_path) == 1
    assert words in capsys.readouterr().err


@pytest.mark.long
def test_toggle_says_so_when_the_one_that_runs_is_stuck(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    hold: Callable[[], "subprocess.Popen[str]"],
) -> None:
    (tmp_path / "config.toml").write_text('language = "en"\n', encoding="utf-8")
    process = hold()
    os.kill(process.pid, signal.SIGSTOP)
    os.waitpid(process.pid, os.WUNTRACED)
    try:
        status = toggle.run(tmp_path)
    finally:
        os.kill(process.pid, signal.SIGCONT)
        end(process)

    assert status == 1
    assert "does not respond" in capsys.readouterr().err
