"""Human speech is dictated into a text editor of another process, and read back from it (D-08)."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.audio.cards.card import HeardFrame
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, Frame
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.engine.session_wiring import VoiceThreads
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.speech.stt.registry import recognizers
from assistant.tasks import TaskSupervisor
from assistant.voice.dictation import Dictation
from assistant.voice.ears import Ears
from assistant.voice.work import Work
from tests.fakes.front.x_keyboard import x_server
from tests.fakes.sound.human_speech import SAID, THREADS, character_error_rate, recording, silence
from tests.unit.desktop.dictation.test_x11_typing import typed


async def dictated(recognizer: Recognizer, name: str) -> list[tuple[int, str]]:
    """The changes at the cursor for a recording that is said while the key is held."""
    work = Work()
    threads, changes, over = VoiceThreads(work), list[tuple[int, str]](), list[bool]()
    async with TaskSupervisor() as jobs:
        ears = Ears(
            voice=VoiceActivity(),
            unprocessed_voice=VoiceActivity(),
            recognizer=recognizer,
            recognizer_thread=threads.recognizer,
            wake=None,
            turn_end=None,
            turn_end_thread=threads.turn_end,
            echo=None,
        )
        dictation = Dictation(
            ears,
            LiveSettings(Settings()),
            work,
            jobs,
            on_level=lambda _: None,
            on_partial=lambda _text, _stable: None,
            on_edit=lambda edit, _: changes.append((edit.erased, edit.text)),
            on_over=lambda: over.append(True),
        )
        sound = recording(name)
        whole = np.concatenate([silence(0.5), sound[: len(sound) // FRAME_SAMPLES * FRAME_SAMPLES], silence(0.5)])
        for index, pcm in enumerate(whole.reshape(-1, FRAME_SAMPLES)):
            if index * FRAME_SAMPLES >= len(sound):
                dictation.end()  # half a second before the words have been heard
            frame = Frame(index=index * FRAME_SAMPLES, pcm=pcm.tobytes())
            dictation.hear(HeardFrame(heard=frame, played=bytes(FRAME_BYTES)))
            await work.wait_until_idle()
        await jobs.settle()
    threads.close()
    assert over == [True]
    return changes


@pytest.mark.models
@pytest.mark.long
@pytest.mark.parametrize("name", ["ko_read_sentence.wav", "en_read_sentence.wav"])
async def test_a_sentence_stands_in_another_program(model_path: Callable[[str], Path], name: str) -> None:
    recognizer = recognizers().get("faster_whisper").create(model_path, RecognizerOptions(threads=THREADS))
    changes = await dictated(recognizer, name)
    recognizer.close()
    with x_server() as (screen, _):
        text, clipboard = typed(screen, changes)
    assert character_error_rate(text, SAID[name][1]) < 0.25
    assert text.endswith(".")
    assert clipboard == "former"
