from pathlib import Path
from typing import Any

import pytest

from assistant.app.cli.options import ListenOptions
from assistant.app.commands import demo
from assistant.app.commands.listen import Event, LoadVoice
from assistant.app.engine.voice_wiring import Engines
from assistant.core.settings import Settings
from assistant.speech.tts.choice import SynthesizerSet


def test_all_recordings_are_heard_by_engines_that_were_loaded_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    loaded: list[Settings] = []
    given: list[Engines] = []

    async def load_voice(settings: Settings, path_of: object, *, paces: object) -> Engines:
        loaded.append(settings)
        voices = SynthesizerSet("espeak", lambda _: tmp_path, 1)
        recognizer: Any = object()
        return Engines(recognizer=recognizer, wake=None, turn_end=None, synthesizers=voices, missing=[])

    async def hear(home: Path, settings: Settings, options: ListenOptions, *_: object, **more: Any) -> list[Event]:
        load: LoadVoice = more["load"]
        given.append(await load(settings, lambda _: tmp_path, paces=None))
        return []

    monkeypatch.setattr(demo, "load_voice", load_voice)
    monkeypatch.setattr(demo, "hear", hear)
    assert demo.run(tmp_path, Settings()) == 1
    assert len(given) == len(demo.RECORDINGS) > 1
    assert all(each is given[0] for each in given)
    assert [each.voice.wake_word for each in loaded] == ["alexa"]
    printed = capsys.readouterr().out
    assert all(recording.name in printed for recording in demo.RECORDINGS)
