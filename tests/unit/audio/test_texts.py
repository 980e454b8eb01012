import re
import tomllib
from pathlib import Path

import pytest

from assistant.core.errors import AudioDeviceError
from assistant.core.texts import Texts, flatten

ROOT = Path(__file__).parents[3]
KEYS = {
    f"error.audio.{match}"
    for folder in ("audio", "engine")
    for path in (ROOT / "assistant" / folder).rglob("*.py")
    for match in re.findall(r'"audio\.(\w+)"', path.read_text(encoding="utf-8"))
} | {
    *(f"error.audio.recording_{each}" for each in ("missing", "unreadable", "truncated", "empty")),
    *(f"error.audio.microphone_{each}" for each in ("missing", "refused", "lost", "stalled", "silent")),
    *(f"error.audio.speaker_{each}" for each in ("missing", "refused", "lost")),
}


def texts(language: str) -> Texts:
    path = ROOT / "assistant" / "resources" / "translations" / language / "audio.toml"
    return Texts(language, flatten(tomllib.loads(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_error_has_words(language: str) -> None:
    assert texts(language).keys == KEYS


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("key", sorted(KEYS))
def test_every_text_can_be_filled_in_from_its_error(language: str, key: str) -> None:
    error = AudioDeviceError("question.wav", "detail", message_key=key.removeprefix("error."))

    said = texts(language)(error.message_key, **error.values)

    assert said
    assert ("question.wav" in said) == any(each in key for each in ("recording", "output", "chosen"))


@pytest.mark.parametrize("language", ["ko", "en"])
def test_reasons_why_there_is_no_device_need_nothing_filled_in(language: str) -> None:
    for key in KEYS:
        if "microphone" in key or "speaker" in key or "portaudio" in key or "system" in key:
            assert texts(language)(key)
