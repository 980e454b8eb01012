"""Somebody speaks to the running product in a room: a real sound server, real models, real HTTP."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import PLAYBACK_RATE
from assistant.host.places import default_home, models_folder
from assistant.speech.stt.recognizer import RecognizerOptions
from assistant.speech.stt.registry import recognizers
from tests.e2e.sound.event_process import ROOT, EventProcess, event_process
from tests.e2e.sound_server import SoundServer
from tests.fakes.model_server.server import ModelServer, Reply
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.sound.human_speech import THREADS
from tests.fakes.voices.kokoro import write_pace

QUESTION = ROOT / "assistant" / "resources" / "recordings" / "en_alexa_coffee.wav"
REPLY = "Of course. One large coffee with milk is coming right away."


def product(home: Path, server: SoundServer) -> AbstractAsyncContextManager[EventProcess]:
    """The engine in a process of its own. Its events are the updates that it publishes."""
    environment = {**server.environment, "SORI_MODELS": str(models_folder(default_home()))}
    return event_process("tests.e2e.engine_session", str(home), environment=environment, ends_within_s=90)


def configure(home: Path, base_url: str) -> None:
    home.mkdir(parents=True, exist_ok=True)
    voice = f"""
[voice]
wake_word = "alexa"
cues = false
tts = "piper"
threads = {THREADS}
"""
    (home / "config.toml").write_text(scripted_settings(base_url, voice, language="en"), encoding="utf-8")


@pytest.mark.sound
@pytest.mark.models
async def test_a_spoken_question_is_answered_aloud(
    sound_server: SoundServer, tmp_path: Path, model_path: Callable[[str], Path]
) -> None:
    for model in ("whisper-base", "openwakeword", "smart-turn-v3", "piper-en-joe"):
        model_path(model)
    async with ModelServer([Reply(text=REPLY)]) as model_server:
        configure(tmp_path, model_server.base_url)
        write_pace(tmp_path)
        async with product(tmp_path, sound_server) as sori:
            await sori.next_event(lambda update: update["update"] == "voice" and update["microphone"] != "")
            recorder = sound_server.record()
            saying = asyncio.create_task(sound_server.say(read_recording(QUESTION, PLAYBACK_RATE)))
            await sori.next_event(lambda update: update.get("interaction") == "listening")
            heard = await sori.next_event(lambda update: update["update"] == "message")
            await sori.next_event(lambda update: update.get("interaction") == "speaking")
            await sori.next_event(lambda update: update.get("interaction") == "listening")
            await saying
            spoken = recorder.stop()
    assert "medium" in heard["text"].lower()
    # A request that was begun before the end of speech was certain is asked again if more was said.
    assert str(model_server.requests[-1].body["messages"][-1]["content"]).endswith(heard["text"])
    text = transcribed(spoken, model_path)
    assert "coffee" in text.lower()
    assert "right away" in text.lower()


def transcribed(pcm48: np.ndarray[Any, np.dtype[np.int16]], model_path: Callable[[str], Path]) -> str:
    """What a listener understands of what came out of the speaker."""
    audible = np.flatnonzero(np.abs(pcm48.astype(np.int32)) > 500)
    speech = pcm48[audible[0] : audible[-1] + 1]
    recognizer = recognizers().get("faster_whisper").create(model_path, RecognizerOptions(threads=THREADS))
    try:
        return recognizer.transcribe(speech[::3].copy(), language="en").text
    finally:
        recognizer.close()
