"""The wheel, built by the project's own backend and run beside the installed packages, far from any checkout."""

import email
import os
import re
import shutil
import subprocess
import sys
import zipfile
from configparser import ConfigParser
from pathlib import Path

import pytest

from assistant.core.version import VERSION
from assistant.host.places import PROJECT

pytestmark = [pytest.mark.network, pytest.mark.long]


def package_files(folder: Path) -> set[str]:
    """Everything below ``assistant/`` that is no product of Python's."""
    found = (path for path in (folder / "assistant").rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix() for path in found if "__pycache__" not in path.parts}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, which stays as it is."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("made")
    shutil.copytree(PROJECT / "assistant", source / "assistant", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(PROJECT / "requirements", source / "requirements")
    for name in ("pyproject.toml", "setup.py", "README.md", "CHANGELOG.md", "LICENSE"):
        shutil.copy(PROJECT / name, source)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(made), str(source)]
    subprocess.run(command, check=True)
    (path,) = made.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the content of the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


def run(installed: Path, home: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the installed package in an empty folder; its dependencies are those of this environment."""
    kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    home.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-P", "-m", "assistant.app.start", *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=home,
        env={**kept, "LANG": "ko_KR.UTF-8", "PYTHONPATH": str(installed), "SORI_HOME": str(home)},
    )


def test_the_wheel_holds_every_file_of_the_package(wheel: Path) -> None:
    inside = {each for each in zipfile.ZipFile(wheel).namelist() if each.startswith("assistant/")}
    assert inside == package_files(PROJECT) | {"assistant/CHANGELOG.md"}


def test_nothing_but_the_package_comes_into_the_environment(wheel: Path) -> None:
    tops = {each.partition("/")[0] for each in zipfile.ZipFile(wheel).namelist()}
    assert tops == {"assistant", f"sori-{VERSION}.dist-info"}


def test_the_wheel_requires_what_the_checkout_does_and_pip(wheel: Path) -> None:
    metadata = email.message_from_bytes(zipfile.ZipFile(wheel).read(f"sori-{VERSION}.dist-info/METADATA"))
    required = {
        re.split(r"[<=>!;\s]", each)[0] for each in metadata.get_all("Requires-Dist", ()) if "extra ==" not in each
    }
    lines = (PROJECT / "requirements" / "runtime.in").read_text(encoding="utf-8").splitlines()
    assert required == {re.split(r"[<=>!;\s]", line)[0] for line in lines if line[:1].isalnum()} | {"pip"}


def test_the_wheel_starts_by_commands_of_its_own(installed: Path) -> None:
    points = ConfigParser()
    points.read(installed / f"sori-{VERSION}.dist-info" / "entry_points.txt")
    start = "assistant.app.start:start_installed"
    assert (points["console_scripts"]["sori"], points["gui_scripts"]["sori-window"]) == (start, start)


def test_the_installed_package_tells_its_version(installed: Path, tmp_path: Path) -> None:
    assert run(installed, tmp_path / "home", "--version").stdout.split()[-1] == VERSION


def test_the_installed_package_answers_with_its_own_words(installed: Path, tmp_path: Path) -> None:
    answer = run(installed, tmp_path / "home", "prompt", "show")
    assert answer.stdout.startswith("당신은 소리"), answer.stderr
    assert not any(str(PROJECT) in each for each in (answer.stdout, answer.stderr))


def test_the_installed_package_says_where_the_tests_are(installed: Path, tmp_path: Path) -> None:
    answer = run(installed, tmp_path / "home", "test")
    assert (answer.returncode, "소스 폴더" in answer.stderr) == (1, True)


def test_the_installed_package_knows_that_pip_has_installed_it(installed: Path, tmp_path: Path) -> None:
    lines = run(installed, tmp_path / "home", "doctor").stdout.splitlines()
    assert any("pip로 설치했어요" in line for line in lines)
    assert not any("main.py" in line for line in lines)
