import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.speech.tts.espeak import Espeak
from assistant.speech.tts.piper import Piper
from assistant.speech.tts.synthesizer import Voice

KO, EN = Voice(language="ko"), Voice(language="en")


def spoken(engine: Espeak, text: str, voice: Voice) -> int:
    """Number of samples of a text. The voice has random jitter, so no two utterances have equal samples."""
    return len(np.concatenate(list(engine.synthesize(text, voice))))


def test_two_threads_do_not_mix_their_voices() -> None:
    texts = {KO: "하나 둘 셋", EN: "one two three four five six seven eight nine ten"}
    alone = {voice: spoken(Espeak(), text, voice) for voice, text in texts.items()}
    together: dict[Voice, list[int]] = {voice: [] for voice in texts}

    def speak(voice: Voice) -> None:
        together[voice].extend(spoken(Espeak(), texts[voice], voice) for _ in range(5))

    threads = [threading.Thread(target=speak, args=(voice,)) for voice in texts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for voice, lengths in together.items():
        assert lengths == pytest.approx([alone[voice]] * 5, rel=0.02)


def test_leaving_early_ends_the_speaking_thread() -> None:
    pieces = Espeak().synthesize("아주 긴 문장입니다. " * 400, KO)
    next(pieces)
    del pieces
    assert not [thread for thread in threading.enumerate() if thread.name == "espeak"]


def test_the_speed_of_one_utterance_does_not_stay_for_the_next() -> None:
    engine = Espeak()
    before = spoken(engine, "안녕하세요", KO)
    spoken(engine, "안녕하세요", Voice(language="ko", speed=2.0))
    assert spoken(engine, "안녕하세요", KO) == pytest.approx(before, rel=0.02)


def test_languages_beyond_the_two_are_spoken_as_well() -> None:
    assert spoken(Espeak(), "Guten Morgen", Voice(language="de")) > 10_000


@pytest.mark.models
def test_pipers_copy_of_the_library_does_not_disturb_this_one(model_path: Callable[[str], Path]) -> None:
    engine, piper = Espeak(), Piper(model_path("piper-en-joe"), 1)
    before = spoken(engine, "안녕하세요", KO)
    assert sum(map(len, piper.synthesize("Good morning.", EN))) > 5_000
    assert spoken(engine, "안녕하세요", KO) == pytest.approx(before, rel=0.02)
    assert sum(map(len, piper.synthesize("Good morning.", EN))) > 5_000
    piper.close()
