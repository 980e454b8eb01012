"""Engines whose calls hang are replaced, and the user is told (V-19) of them and of voices that cannot be used."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from assistant.core import updates as up
from assistant.core.settings import Language
from assistant.engine.session_wiring import VoiceThreads
from assistant.engine.voice_wiring import Engines
from assistant.host.texts import load_texts
from assistant.speech.tts.choice import SynthesizerSet
from assistant.voice.ears import Ears
from assistant.voice.threads.model_thread import EngineHungError
from assistant.voice.work import Work


def engines(tmp_path: Path) -> Engines:
    names = iter(("first", "second", "third"))

    def recognizer() -> str:
        return f"recognizer {next(names)}"

    made: Any = {"recognizer": recognizer(), "turn_end": "judge"}
    voices = SynthesizerSet("espeak", lambda _name: tmp_path, 1)
    voice = Engines(wake=None, synthesizers=voices, missing=[], **made)
    new: Any = (recognizer, lambda: "new judge")
    voice.new_recognizer, voice.new_turn_end = new
    return voice


async def test_a_renewal_gives_the_listener_and_later_listeners_another_engine(tmp_path: Path) -> None:
    threads, voice = VoiceThreads(Work()), engines(tmp_path)
    parts: Any = dict.fromkeys(("voice", "unprocessed_voice", "wake", "echo"))
    ears = Ears(
        recognizer=voice.recognizer,
        recognizer_thread=threads.recognizer,
        turn_end=voice.turn_end,
        turn_end_thread=threads.turn_end,
        **parts,
    )
    threads.replace_hung(voice, ears, lambda _update: None)
    for thread in (threads.recognizer, threads.turn_end):
        assert thread._renewal is not None
        await asyncio.to_thread(thread._renewal)
    threads.close()
    after: list[object] = [ears.recognizer, voice.recognizer, ears.turn_end, voice.turn_end]
    assert after == ["recognizer second", "recognizer second", "new judge", "new judge"]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("given_up", [False, True])
async def test_the_user_is_told_which_part_hung_in_words(tmp_path: Path, language: Language, given_up: bool) -> None:
    threads, told = VoiceThreads(Work()), list[up.Update]()
    threads.replace_hung(engines(tmp_path), None, told.append)
    for thread in (threads.recognizer, threads.turn_end, threads.synthesizer):
        thread._on_hung(EngineHungError("engine", 30, given_up=given_up))
    threads.close()
    texts = load_texts(language)
    notices = [texts(notice.key, **notice.values) for notice in told if isinstance(notice, up.NoticePosted)]
    assert len(set(notices)) == 3
    assert all("30" in notice for notice in notices) is not given_up
