from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.discovery import Discovery
from assistant.speech.wake import registry
from assistant.speech.wake.detector import WakeDetector, WakeEngine, WakeOptions


def engine(name: str) -> WakeEngine:
    def create(path_of: Callable[[str], Path], options: WakeOptions) -> WakeDetector:
        raise AssertionError

    return WakeEngine(id=name, models=(name,), words=lambda files: tuple(sorted(files)), create=create)


@pytest.fixture
def path_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Two engines, of which the second has the word ``sori``; a third one's model is not here."""
    found = Discovery(engines={each: engine(each) for each in ("absent", "first", "second")}, unavailable={})
    monkeypatch.setattr(registry, "wake_engines", lambda: found)
    for name, word in (("first", "alexa"), ("second", "sori")):
        (tmp_path / name).mkdir()
        (tmp_path / name / word).touch()

    def path(model: str) -> Path:
        if model == "absent":
            raise ModelFileError("not here", model=model, message_key="model_missing")
        return tmp_path / model

    return path


def test_the_engine_that_has_the_word_is_chosen(path_of: Callable[[str], Path]) -> None:
    assert registry.wake_engine_for("sori", path_of).id == "second"
    assert registry.wake_engine_for("alexa", path_of).id == "first"


def test_a_word_that_no_engine_has_is_left_to_the_first_to_refuse(path_of: Callable[[str], Path]) -> None:
    assert registry.wake_engine_for("nobody", path_of).id == "absent"


def test_without_an_engine_it_says_so(path_of: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> None:
    broken = EngineError("mine", "cannot be imported")
    monkeypatch.setattr(registry, "wake_engines", lambda: Discovery(engines={}, unavailable={"mine": broken}))
    with pytest.raises(EngineError, match="cannot be imported"):
        registry.wake_engine_for("sori", path_of)
