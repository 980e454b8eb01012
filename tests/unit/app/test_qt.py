import linecache
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest


def test_the_sources_of_modules_are_not_kept_beside_qt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "PySide6.QtCore" in sys.modules
    (tmp_path / "imported_later.py").write_text("import imported_by_it", encoding="utf-8")
    (tmp_path / "imported_by_it.py").write_text("LATER = True", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert import_module("imported_later").imported_by_it.LATER
    assert not [each for each in linecache.cache if each.startswith(str(tmp_path))]


def test_python_keeps_its_own_import_where_only_the_addresses_for_phones_need_qt() -> None:
    """Else two threads that import SDKs disturb each other, and an engine without a window answers nothing."""
    told = (
        "import builtins; own = builtins.__import__\n"
        "from assistant.app.phone.line import addresses_of_this_computer\n"
        "addresses_of_this_computer(); assert builtins.__import__ is own"
    )
    subprocess.run([sys.executable, "-c", told], check=True)
