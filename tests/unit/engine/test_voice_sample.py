"""A sample is said with exactly the voice that was asked for."""

from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.engine.speech.desk import SpeechDesk
from assistant.engine.speech.shared_voices import SharedVoices
from assistant.host.model_store import open_store
from assistant.host.texts import load_texts
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.work import Work


@pytest.mark.parametrize(("voice", "language"), [("M1", "ko"), ("F1", "ko"), ("alloy", "en")])
async def test_a_voice_that_is_not_here_is_not_replaced_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, voice: str, language: str
) -> None:
    monkeypatch.setenv("SORI_MODELS", str(tmp_path / "models"))
    voices = SharedVoices(lambda: pytest.fail("no voice is loaded"))
    thread = ModelThread("synthesizer", Work())
    desk = SpeechDesk(LiveSettings(Settings()), open_store(tmp_path), voices, thread)
    try:
        with pytest.raises(SoriError) as raised:
            await desk.sample("안녕", voice, language)
    finally:
        desk.close()
        thread.close()
    for each in ("ko", "en"):
        assert voice in load_texts(each)(raised.value.message_key, **raised.value.values)
