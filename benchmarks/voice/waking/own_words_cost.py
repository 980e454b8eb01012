"""What the enrolment of a name by Sori's own voices costs: processor time, bytes, and the comparison at an onset.

python benchmarks/voice/waking/own_words_cost.py [NAME ...]
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np

from assistant.core.audio import SAMPLE_RATE
from assistant.core.settings import Settings
from assistant.engine.names.own_voices import OwnVoices
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt.faster_whisper import MODEL, FasterWhisper
from assistant.speech.tts.every_voice import EveryVoice
from assistant.speech.wake.likeness import nearest
from assistant.speech.wake.own_words import packed
from assistant.speech.wake.word_sound import create
from assistant.voice.waking.own_takes import OwnTakes, onset_of, sayings

_ONSETS = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Enrol the names and print what it cost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", nargs="*", default=["도치야", "김비서", "꼬마 요정", "Jarvis"])
    chosen = parser.parse_args(arguments)
    store = open_store(default_home())
    own = OwnVoices(store, Settings())
    recognizer, word_sound = FasterWhisper(store.path(MODEL), threads=1), create(store.path)
    recognizer.transcribe(np.zeros(SAMPLE_RATE, np.int16), language="ko")
    for name in chosen.names:
        takes, voices = OwnTakes(phrase=name), EveryVoice(own.engines, store.path)
        wanted = sayings(own.voices(takes.language))
        said_s, heard_s = 0.0, 0.0
        for each in wanted:
            began = time.process_time()
            said = voices.say(takes.text, each.voice, takes.language, each.speed)
            pcm = None if said is None else onset_of(said[0], said[1], f"{name} {each.voice.name} {each.speed}")
            said_s += time.process_time() - began
            began = time.process_time()
            if pcm is not None:
                takes.hear(pcm, recognizer, word_sound)
            heard_s += time.process_time() - began
        voices.close()
        words = takes.result(own.made_from(takes.language))
        if words is None:
            print(f"{name}: no word of {len(wanted)} was understood")
            continue
        whole = word_sound.whole(np.random.default_rng(0).integers(-900, 900, round(1.9 * SAMPLE_RATE), np.int16))
        began = time.process_time()
        for _ in range(_ONSETS):
            nearest(words.takes, whole)
        compared_ms = (time.process_time() - began) / _ONSETS * 1000
        print(
            f"{name}: {len(words.takes)} of {len(wanted)} words understood, heard as {', '.join(words.heard)}; "
            f"said {said_s:.1f} s, heard {heard_s:.1f} s of the processor; {len(packed(words))} bytes; "
            f"an onset is compared in {compared_ms:.1f} ms"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
