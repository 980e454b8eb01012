import ast
import runpy
import sys
from pathlib import Path

import pytest

from assistant.host.places import PROJECT
from assistant.setup.old_python import explain

READ_BY_OLD_PYTHONS = [
    "main.py",
    "assistant/__init__.py",
    "assistant/app/__init__.py",
    "assistant/setup/__init__.py",
    "assistant/setup/old_python.py",
]


@pytest.mark.parametrize("name", READ_BY_OLD_PYTHONS)
def test_what_an_old_python_reads_before_it_is_told_off_has_old_syntax(name: str) -> None:
    ast.parse((PROJECT / name).read_text(encoding="utf-8"), feature_version=(3, 6))


def test_an_old_python_is_told_in_korean_what_to_type() -> None:
    words = explain((3, 8, 10, "final", 0), (3, 11), "linux", {"LANG": "ko_KR.UTF-8"})
    assert "Python 3.11 이상이 필요해요" in words
    assert "3.8.10" in words
    assert "sudo apt install python3.11" in words


@pytest.mark.parametrize(("platform", "remedy"), [("darwin", "brew install"), ("win32", "winget install")])
def test_an_old_python_is_told_in_english_what_to_type_elsewhere(platform: str, remedy: str) -> None:
    words = explain((3, 9, 1), (3, 11), platform, {"LANG": "en_US.UTF-8"})
    assert "needs Python 3.11 or newer" in words
    assert remedy in words


def test_main_ends_with_an_error_on_an_old_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = runpy.run_path(str(Path(PROJECT / "main.py")))["main"]
    monkeypatch.setattr(sys, "version_info", (3, 8, 10, "final", 0))
    assert main() == 1
    assert "3.8.10" in capsys.readouterr().err
