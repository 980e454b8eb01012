"""``sori test`` on a small suite of its own."""

from pathlib import Path

import pytest

from assistant.app.commands.test_run import run_tests
from assistant.app.host.places import Places

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


def test_the_whole_suite_has_failed_when_its_first_part_has(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = sound\naddopts = -p no:pytest-qt\n", encoding="utf-8")
    (tmp_path / "test_small.py").write_text(SUITE, encoding="utf-8")
    monkeypatch.setattr("assistant.app.commands.test_run.PROJECT", tmp_path)
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    monkeypatch.setenv("PATH", "")  # No screen is needed.
    assert run_tests(Places(home=tmp_path / "home"), []) == 1
    assert (tmp_path / "heard").exists()
