import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.cues import read_cues
from assistant.core.errors import AudioDeviceError
from assistant.core.machine.effects import Cue
from tests.unit.audio.sounds import energy_db

SOUNDS = Path(__file__).parents[3] / "assistant" / "resources" / "sounds"


@pytest.mark.parametrize("cue", list(Cue))
def test_every_cue_is_short_quiet_and_begins_and_ends_without_a_click(cue: Cue) -> None:
    sound = read_cues(SOUNDS)[cue]

    assert len(sound) / 48_000 <= 1.5
    assert np.abs(sound).max() <= 32_767 * 10 ** (-13.9 / 20)
    assert energy_db(sound) > -50
    assert abs(int(sound[0])) < 50
    assert abs(int(sound[-1])) < 50


@pytest.mark.long
def test_the_cues_are_what_their_script_renders(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, str(SOUNDS.parents[2] / "packaging" / "render_sounds.py"), str(tmp_path)], check=True
    )

    for cue, sound in read_cues(tmp_path).items():
        assert np.abs(sound.astype(int) - read_cues(SOUNDS)[cue]).max() <= 1


def test_a_missing_cue_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(AudioDeviceError, match=r"awake\.wav"):
        read_cues(tmp_path)


def test_they_are_read_once_however_often_a_card_is_opened() -> None:
    assert read_cues(SOUNDS) is read_cues(SOUNDS)
