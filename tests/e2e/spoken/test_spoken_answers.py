"""A sensitive tool is approved and refused aloud: real speech models, an echo of Sori's voice in the room."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.settings import Language, Settings, VoiceSettings
from assistant.engine.voice_wiring import Engines, load_voice, paces_for
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.host.settings_file import read_settings
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Synthesizer, Voice
from tests.e2e.spoken.room import EchoPath, Pcm, Saying, converse
from tests.e2e.test_listen import configure
from tests.fakes.model_server.server import ModelServer, Reply, ScriptedCall
from tests.fakes.sound.human_speech import THREADS, recording
from tests.fakes.voices.kokoro import remember_words, write_pace

pytestmark = [pytest.mark.models, pytest.mark.timeout(270)]

WAIT_S = 2.0
"""Before each reply; the question's echo comes back in this time."""
CALL = '{"seconds": 300, "name": "tea"}'


def spoken(language: Language, said: dict[str, str], user: Synthesizer) -> list[Pcm]:
    """Words, each in its voice."""
    sounds = [
        np.concatenate([*user.synthesize(text, Voice(language=language, name=name))]) for text, name in said.items()
    ]
    return [resample(each, user.sample_rate, SAMPLE_RATE) for each in sounds]


@pytest.fixture(scope="module")
def user(model_path: Callable[[str], Path]) -> Iterator[Synthesizer]:
    """The engine of the voices with which the user answers."""
    kokoro = synthesizers().get("kokoro").create(model_path, THREADS)
    yield kokoro
    kokoro.close()


@pytest.fixture(scope="module", autouse=True)
def _words_synthesised_once() -> Iterator[None]:
    """Sori asks the same question before "yes" and before "no"."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        remember_words(monkeypatch)
        yield


@pytest.fixture(scope="module")
def engines(model_path: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Engines:
    """The engines of the default settings, loaded once: they serve both languages."""
    for model in ("whisper-base", "openwakeword", "smart-turn-v3", "piper-en-joe", "kokoro-82m"):
        model_path(model)
    settings = Settings(voice=VoiceSettings(wake_word="alexa", threads=THREADS))
    home, store = tmp_path_factory.mktemp("home"), open_store(default_home())
    write_pace(home)
    return asyncio.run(load_voice(settings, store.path, paces=paces_for(home, settings, store)))


@pytest.mark.parametrize(
    ("language", "request_clip", "said", "done", "echo"),
    [
        (
            "ko",
            "ko_lights_blue.wav",
            {"네 해 주세요": "kf_sori", "아니": "hf_alpha"},
            "알겠습니다.",
            EchoPath(gain_db=-12, delay_ms=150),
        ),
        (
            "en",
            "en_coffee_order.wav",
            {"yes please": "am_michael", "no thanks": "am_michael"},
            "All right then.",
            EchoPath(gain_db=-12, delay_ms=250),
        ),
    ],
    ids=["ko", "en"],
)
async def test_yes_runs_the_tool_no_does_not_and_sori_hears_no_answer_in_its_own_voice(
    tmp_path: Path,
    engines: Engines,
    user: Synthesizer,
    language: Language,
    request_clip: str,
    said: dict[str, str],
    done: str,
    echo: EchoPath,
) -> None:
    asks = Reply(text="", tool_calls=(ScriptedCall(name="set_timer", arguments=CALL),))
    home = tmp_path / "home"
    request = Saying(pcm=recording(request_clip), after_s=0.5)
    sayings = []
    for reply in spoken(language, said, user):
        sayings += [request, Saying(pcm=reply, after_s=WAIT_S)]
    async with ModelServer([asks, Reply(text=done)] * len(said)) as server:
        configure(home, server.base_url, language)
        heard = await converse(home, read_settings(home / "config.toml"), engines, sayings, echo=echo)
    assert heard.outcomes == ["yes", "no"]
    assert heard.ran == [{"seconds": 300, "name": "tea"}]
    assert heard.timers == 1
    listening = [event["t"] for event in heard.all("listening")]
    for question, answer in zip(heard.all("question"), heard.all("answer"), strict=True):
        heard_from = next(second for second in listening if second > question["t"])
        assert answer["t"] > heard_from + WAIT_S
