import subprocess
import sys
from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.host.extras import ensure_extra
from assistant.host.texts import load_texts
from assistant.setup.environment import Environment
from tests.unit.setup.conftest import lock

TEXTS = load_texts("en")


def ensure(project: Path, module: str = "sparkline") -> list[str]:
    """Install the group ``plot``; returns the addresses that were recorded."""
    recorded: list[str] = []
    ensure_extra("plot", module, Environment(project), TEXTS, recorded.append)
    return recorded


@pytest.fixture
def inside(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, as if this process ran in its environment."""
    monkeypatch.setattr(sys, "prefix", str(Environment(project).folder))
    return project


def test_what_is_missing_is_installed_and_the_user_is_told(
    inside: Path, packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lock(inside, packages, "sparkline", "plot")
    ensure(inside)
    command = [str(Environment(inside).python), "-c", "import sparkline; print(sparkline.VALUE)"]
    assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == "1\n"
    assert "sparkline, which is installed now" in capsys.readouterr().err


def test_what_is_there_is_not_installed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ensure(project, "json") == []
    assert capsys.readouterr().err == ""


def test_offline_it_says_that_the_package_server_cannot_be_reached(
    inside: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock(inside, packages, "sparkline", "plot")
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.delenv("PIP_FIND_LINKS")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_RETRIES", "0")
    with pytest.raises(SoriError) as caught:
        ensure(inside)
    assert caught.value.message_key == "error.extra_failed"
    assert "could not reach the package server" in str(caught.value.values["reason"])


def test_whom_pip_asks_is_recorded_before_it_asks(
    inside: Path, packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock(inside, packages, "sparkline", "plot")
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    assert "http://127.0.0.1:9/simple" in ensure(inside)


def test_outside_soris_own_environment_the_command_is_told(project: Path) -> None:
    with pytest.raises(SoriError) as caught:
        ensure(project)
    told = TEXTS(caught.value.message_key, **caught.value.values)
    assert sys.executable in told
    assert str(project / "requirements" / "plot.txt") in told
