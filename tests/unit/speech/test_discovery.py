import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from assistant.core.errors import EngineError
from assistant.speech.discovery import discover
from assistant.speech.stt.recognizer import RecognizerEngine

GOOD = """
from assistant.speech.stt.recognizer import RecognizerEngine
ENGINE = RecognizerEngine(id="good", models=(), create=lambda path_of, threads: None)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    folder = tmp_path / "some_engines"
    folder.mkdir()
    files = {
        "__init__": "",
        "good": GOOD,
        "needs_more": "import a_library_that_is_not_there",
        "broken": "1 / 0",
        "wrong": "ENGINE = 'not a declaration'",
        "helper": "VALUE = 1",
        "registry": "raise AssertionError('must not be imported')",
    }
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield import_module("some_engines")
    for name in [each for each in sys.modules if each.startswith("some_engines")]:
        del sys.modules[name]


def test_modules_that_declare_an_engine_are_found(package: ModuleType) -> None:
    found = discover(package, RecognizerEngine, skip=("registry",))
    assert list(found.engines) == ["good"]
    assert found.get("good").id == "good"


def test_a_module_that_fails_is_unavailable_with_its_reason_and_harms_no_other(package: ModuleType) -> None:
    found = discover(package, RecognizerEngine, skip=("registry",))
    assert set(found.unavailable) == {"needs_more", "broken", "wrong"}
    with pytest.raises(EngineError, match="a_library_that_is_not_there"):
        found.get("needs_more")
    with pytest.raises(EngineError, match="expected RecognizerEngine"):
        found.get("wrong")


def test_an_unknown_name_is_answered_with_the_known_ones(package: ModuleType) -> None:
    with pytest.raises(EngineError, match="good"):
        discover(package, RecognizerEngine, skip=("registry",)).get("other")
