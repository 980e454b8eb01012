"""Each cue has a setting of its own, and one setting is for all of them (V-20)."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Cue
from assistant.core.settings import Settings, VoiceSettings
from assistant.host.texts import load_texts
from assistant.voice.session.speech import SessionSpeech

ALL = {Cue.AWAKE, Cue.HEARD, Cue.ERROR, Cue.TIMER}


class Played:
    """Takes cues as ``Playback`` does."""

    def __init__(self) -> None:
        self.cues: list[int] = []

    def cue(self, pcm: np.ndarray[Any, np.dtype[np.int16]]) -> None:
        self.cues.append(len(pcm))


def heard(voice: VoiceSettings) -> set[Cue]:
    """The cues that are played after the settings have changed to these."""
    playback, speaker = Played(), SimpleNamespace()
    live = LiveSettings(Settings())
    speech = SessionSpeech(live, lambda _event: None, load_texts("ko"))
    live.change(Settings(voice=voice))
    attach: Any = speech.attach
    attach(speaker, playback, {cue: np.zeros(number, np.int16) for number, cue in enumerate(Cue)})
    for cue in Cue:
        speech.cue(cue)
    return {list(Cue)[length] for length in playback.cues}


@pytest.mark.parametrize("cue", [Cue.AWAKE, Cue.HEARD, Cue.ERROR])
def test_each_cue_can_be_turned_off_alone(cue: Cue) -> None:
    off: Any = {f"cue_{cue.value}": False}
    assert heard(VoiceSettings(**off)) == ALL - {cue}


def test_all_cues_can_be_turned_off_at_once_and_an_alarm_is_none_of_them() -> None:
    assert heard(VoiceSettings()) == ALL
    assert heard(VoiceSettings(cues=False)) == {Cue.TIMER}
