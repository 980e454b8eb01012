from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.app.cli.options import ListenOptions
from assistant.app.commands import demo
from assistant.app.commands.listen import LoadVoice, TraceEvent
from assistant.core.settings import Settings
from assistant.engine.voice_wiring import Engines
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

    async def hear(home: Path, settings: Settings, options: ListenOptions, *_: object, **more: Any) -> list[TraceEvent]:
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


def heard_as(words: Callable[[demo.Recording], str]) -> Callable[..., Any]:
    """Hearing in which each recording becomes these words and is answered 0.5 s after its end."""

    async def hear(
        home: Path, settings: Settings, options: ListenOptions, *_: object, **__: object
    ) -> list[TraceEvent]:
        (recording,) = (each for each in demo.RECORDINGS if each.name == options.input.name)
        return [
            {"event": "speech_ended", "t": 3.0, "silence_ms": 400},
            {"event": "transcript", "t": 3.1, "text": words(recording)},
            {"event": "first_audio", "t": 3.1},
        ]

    return hear


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (lambda recording: recording.said.upper().replace(",", ""), 0),
        (lambda recording: recording.said[: len(recording.said) // 2], 1),
        (lambda _: "Thank you.", 1),
    ],
    ids=["all of it", "half of it", "something else"],
)
def test_a_recording_that_is_misheard_fails_the_demonstration(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: Callable[[demo.Recording], str],
    status: int,
) -> None:
    monkeypatch.setattr(demo, "hear", heard_as(words))
    assert demo.run(tmp_path, Settings(language="en")) == status
    printed = capsys.readouterr().out
    assert printed.count("misheard") == (len(demo.RECORDINGS) if status else 0)
    assert printed.count("first sound 0.50 s") == len(demo.RECORDINGS)
