import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.host.places import PROJECT
from assistant.setup import display

_COMMAND_LINE = """
import sys
import tiny
def main(arguments):
    print("ran", list(arguments), tiny.VALUE)
    return 7
"""


@pytest.fixture
def checkout(project: Path) -> Path:
    """The project with the real ``main.py`` and set-up, and a command line that tells that it ran."""
    shutil.copy(PROJECT / "main.py", project)
    shutil.copytree(PROJECT / "assistant" / "setup", project / "assistant" / "setup")
    shutil.copytree(
        PROJECT / "assistant" / "resources" / "translations", project / "assistant" / "resources" / "translations"
    )
    for package in ("assistant", "assistant/app"):
        (project / package).mkdir(exist_ok=True)
        (project / package / "__init__.py").touch()
    for module in ("app/start.py", "app/leaving.py"):
        shutil.copy(PROJECT / "assistant" / module, project / "assistant" / module)
    (project / "assistant" / "app" / "command_line.py").write_text(_COMMAND_LINE)
    return project


def run_main(checkout: Path, *arguments: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "LC_ALL")}
    return subprocess.run(
        [getattr(sys, "_base_executable", sys.executable), checkout / "main.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**kept, "LANG": "en_US.UTF-8", "HOME": str(checkout), **environment},
    )


def test_a_first_start_sets_up_and_then_runs_sori_in_the_environment(checkout: Path) -> None:
    answer = run_main(checkout, "chat", "안녕")
    assert answer.stdout == "ran ['chat', '안녕'] 1\n"
    assert answer.returncode == 7
    assert "Python packages" in answer.stderr


def test_a_second_start_says_nothing_of_the_set_up(checkout: Path) -> None:
    run_main(checkout)
    answer = run_main(checkout)
    assert answer.stdout == "ran [] 1\n"
    assert answer.stderr == ""


def test_the_command_sori_equals_main(checkout: Path) -> None:
    run_main(checkout)
    answer = subprocess.run(
        [checkout / ".venv" / "bin" / "sori", "doctor"], capture_output=True, text=True, check=False, cwd="/"
    )
    assert answer.stdout == "ran ['doctor'] 1\n"
    assert answer.returncode == 7


def test_a_start_without_network_ends_with_words_and_an_error(checkout: Path) -> None:
    answer = run_main(
        checkout,
        LANG="ko_KR.UTF-8",
        PIP_NO_INDEX="0",
        PIP_FIND_LINKS="",
        PIP_INDEX_URL="http://127.0.0.1:9/simple",
    )
    assert answer.returncode == 1
    assert "패키지 서버에 연결하지 못해" in answer.stderr
    assert "Traceback" not in answer.stderr


def test_after_a_failed_start_the_next_one_goes_on(checkout: Path) -> None:
    run_main(checkout, PIP_FIND_LINKS=str(checkout))
    assert run_main(checkout).returncode == 7


def test_the_set_up_imports_nothing_that_has_to_be_installed(tmp_path: Path) -> None:
    program = f"""
import importlib, pkgutil, sys
sys.path.insert(0, {str(PROJECT)!r})
import assistant.setup as package
for module in pkgutil.iter_modules(package.__path__):
    importlib.import_module(f"assistant.setup.{{module.name}}")
others = {{name.partition(".")[0] for name in sys.modules}} - set(sys.stdlib_module_names) - {{"__main__"}}
print(sorted(others))
"""
    answer = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert answer.stdout == "['assistant']\n"


@pytest.mark.parametrize(
    ("variables", "there"), [({"DISPLAY": ":0"}, True), ({"WAYLAND_DISPLAY": "wayland-0"}, True), ({}, False)]
)
def test_a_display_is_one_of_x11_or_wayland(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], *, there: bool
) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert display.has_display() is there


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_macos_and_windows_always_have_a_display(monkeypatch: pytest.MonkeyPatch, platform: str) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    assert display.has_display()
