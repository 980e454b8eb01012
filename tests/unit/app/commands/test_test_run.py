"""``sori test`` on a small suite of its own."""

from pathlib import Path

import pytest

from assistant.app.commands.test_run import _QUICK, run_tests
from assistant.app.host.places import PROJECT, Places

QUICK_SUITE = """\
import pathlib, pytest

def test_unit():
    pathlib.Path("ran").touch()

def test_unwanted():
    assert False

@pytest.mark.models
def test_with_weights():
    assert False
"""

SUITE = """\
import os, pathlib, pytest

def test_quick():
    assert "PYTEST_XDIST_WORKER" not in os.environ

@pytest.mark.sound
def test_sound():
    assert "PYTEST_XDIST_WORKER" not in os.environ
    pathlib.Path("heard").touch()
"""
"""One test that fails where several processors share the work, and one that runs alone."""


def test_the_quick_part_is_of_units_without_weights_or_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of its folders is there, and further arguments reach pytest."""
    monkeypatch.setenv("PATH", "")
    assert all((PROJECT / each).is_dir() for each in _QUICK if each.startswith("tests/"))
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\nmarkers = sound\n models\n network\naddopts = -p no:pytest-qt\n", encoding="utf-8"
    )
    for folder in (each for each in _QUICK if each.startswith("tests/")):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "tests/unit/core/test_small.py").write_text(QUICK_SUITE, encoding="utf-8")
    monkeypatch.setattr("assistant.app.commands.test_run.PROJECT", tmp_path)
    assert run_tests(Places(home=tmp_path / "home"), ["--quick", "-k", "not unwanted"]) == 0
    assert (tmp_path / "ran").exists()


def test_the_whole_suite_has_failed_when_its_first_part_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = sound\naddopts = -p no:pytest-qt\n", encoding="utf-8")
    (tmp_path / "test_small.py").write_text(SUITE, encoding="utf-8")
    monkeypatch.setattr("assistant.app.commands.test_run.PROJECT", tmp_path)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("PATH", "")  # No screen is needed.
    assert run_tests(Places(home=tmp_path / "home"), []) == 1
    assert (tmp_path / "heard").exists()
