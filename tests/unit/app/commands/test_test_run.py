"""``sori test`` on a small suite of its own."""

from pathlib import Path

import pytest

from assistant.app.commands.test_run import _QUICK, run_tests
from assistant.host.places import PROJECT, Places

QUICK_SUITE = """\
import pathlib, pytest

def test_unit():
    pathlib.Path("ran").touch()

def test_unwanted():
    assert False

@pytest.mark.models
def test_with_weights():
    assert False

@pytest.mark.long
def test_long():
    assert False
"""

UNITS = """\
import os, pathlib

def test_shared():
    assert "PYTEST_XDIST_WORKER" in os.environ
    pathlib.Path("shared").touch()

def test_broken():
    assert {works}
"""

SOUND = """\
import os, pathlib, pytest

@pytest.mark.sound
def test_sound():
    assert "PYTEST_XDIST_WORKER" not in os.environ
    pathlib.Path("heard").touch()
    assert {works}
"""


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suites need no plugin but xdist, and no screen."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


def make_suite(folder: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
    (folder / "pytest.ini").write_text(
        "[pytest]\nmarkers = sound\n models\n network\n long\naddopts = -p xdist.plugin\n", encoding="utf-8"
    )
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    monkeypatch.setattr("assistant.app.commands.test_run.PROJECT", folder)


def test_the_quick_part_is_of_units_without_weights_or_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its folders is there, and further arguments reach pytest."""
    folders = [each for each in _QUICK if each.startswith("tests/")]
    assert all((PROJECT / each).is_dir() for each in folders)
    for folder in folders:
        (tmp_path / folder).mkdir(parents=True)
    make_suite(tmp_path, monkeypatch, {"tests/unit/core/test_small.py": QUICK_SUITE})
    assert run_tests(Places(home=tmp_path / "home"), ["--quick", "-k", "not unwanted"]) == 0
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(("units_work", "sound_works"), [(True, False), (False, True)])
def test_the_whole_suite_has_failed_when_one_of_its_parts_has(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    units_work: bool,
    sound_works: bool,
) -> None:
    """Units share the processors; sound tests run beside them in a process of their own and are reported last."""
    files = {
        "tests/test_units.py": UNITS.format(works=units_work),
        "tests/e2e/sound/test_sound.py": SOUND.format(works=sound_works),
    }
    make_suite(tmp_path, monkeypatch, files)
    assert run_tests(Places(home=tmp_path / "home"), []) == 1
    assert (tmp_path / "shared").exists()
    assert (tmp_path / "heard").exists()
    report = capfd.readouterr().out
    assert report.index("test_units.py" if not units_work else "2 passed") < report.rindex("test_sound.py")
