"""Without screen and terminal, ``python main.py`` demonstrates itself on recordings, with real models throughout."""

import asyncio
import os
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.app.host.needed_models import needed_models
from assistant.app.host.places import default_home, models_folder
from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.settings import Settings

ROOT = Path(__file__).parents[2]
LIMIT_S = 240


@pytest.mark.models
@pytest.mark.timeout(LIMIT_S + 30)
async def test_the_demonstration_prints_a_timeline_and_speaks(
    tmp_path: Path, model_path: Callable[[str], Path]
) -> None:
    for model in needed_models(Settings()):
        model_path(model)
    environment = {**os.environ, "SORI_HOME": str(tmp_path), "SORI_MODELS": str(models_folder(default_home()))}
    for screen in ("DISPLAY", "WAYLAND_DISPLAY"):
        environment.pop(screen, None)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "main.py"),
        cwd=ROOT,
        env=environment,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(LIMIT_S):
            out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    printed = out.decode()
    assert process.returncode == 0, printed + errors.decode()
    assert "Traceback" not in printed + errors.decode()
    for event in ("listening", "speech_started", "speech_ended", "transcript", "first_token", "first_audio", "done"):
        assert printed.count(f" {event} ") >= 2, event
    assert printed.count(" wake ") == 1
    assert "americano" in printed.lower()
    assert "싱글룸" in printed
    assert "예약" in printed
    for name in ("ko_hotel_question", "en_alexa_coffee"):
        answer = tmp_path / "demo" / f"answer_{name}.wav"
        assert str(answer) in printed
        spoken = read_recording(answer, PLAYBACK_RATE)
        assert np.count_nonzero(np.abs(spoken.astype(np.int32)) > 500) > PLAYBACK_RATE // 4
