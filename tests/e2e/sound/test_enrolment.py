"""``sori agents enroll`` with a microphone: a real sound server, real models, recordings of people."""

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.app.parts.workspaces import workspaces_of
from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.host.places import Places, default_home, models_folder
from assistant.speech.wake.likeness import unpacked
from tests.e2e.sound.event_process import ROOT
from tests.e2e.sound_server import SoundServer

ALEXA = AgentId(name="alexa")
SAID = "alexa/1.flac"


@pytest.mark.sound
@pytest.mark.models
async def test_a_name_is_learnt_from_the_microphone(
    sound_server: SoundServer, tmp_path: Path, model_path: Callable[[str], Path]
) -> None:
    for model in ("whisper-base", "openwakeword"):
        model_path(model)
    workspaces = workspaces_of(Places(tmp_path), Settings())
    workspaces.add_agent(ALEXA, {"wake_phrase": "Alexa"})
    environment = {
        **sound_server.environment,
        "SORI_HOME": str(tmp_path),
        "SORI_MODELS": str(models_folder(default_home())),
        "LC_ALL": "en_US.UTF-8",
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "main.py", "agents", "enroll", "alexa"),
        cwd=ROOT,
        env=environment,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout
    said = read_recording(ROOT / "tests" / "data" / "speech" / SAID, PLAYBACK_RATE)
    async with asyncio.timeout(120):
        while line := await process.stdout.readline():
            if line.startswith(b"Say "):
                await sound_server.say(said)
        assert await process.wait() == 0
    sound = unpacked(workspaces.wake_sound(ALEXA))
    assert sound is not None
    assert (sound.phrase, len(sound.takes)) == ("Alexa", 3)
