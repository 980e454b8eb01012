"""Cues: the short sounds that tell the user what happened (V-20)."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from assistant.audio.cards.recordings import read_recording
from assistant.audio.resampling import Samples
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.machine.effects import Cue


@cache
def read_cues(folder: Path) -> Mapping[Cue, Samples]:
    """Read all cues, ready for ``Playback.cue``: ``<cue>.wav`` in ``folder``, at any sample rate.

    They are read once in a process, because a card may be opened again every few seconds. Do not modify them.

    Raises:
        AudioDeviceError: a file is missing or is not a recording; the error names the file.
    """
    return {cue: read_recording(folder / f"{cue.value}.wav", PLAYBACK_RATE) for cue in Cue}
