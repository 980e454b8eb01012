"""How well Korean is understood when Sori's voices say it, and how fast and how evenly they say it.

Every voice that speaks Korean says every sentence of ``korean_sentences.txt``, one voice after the other sentence by
sentence, and Whisper base writes down what it hears. Printed: mean and median character error (numbers compared as they
are spoken), real-time factor, time to the first sound, gaps within phrases, endings that fall, loudness, clicks.

    python benchmarks/korean_voice.py [--models DIR] [--sentences FILE] [--threads 1] [--most 60] [--output DIR]
"""

import argparse
import sys
import time
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from assistant.app.places import default_home, models_folder
from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.stt.registry import recognizers
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Synthesizer, Voice
from benchmarks.heard_numbers import spoken_numbers
from benchmarks.speech_shape import Pcm, Shape, shape_of
from tests.fakes.human_speech import character_error_rate

SENTENCES = Path(__file__).with_name("korean_sentences.txt")
_PAUSES = frozenset(",.!?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One sentence as one voice said it.

    Attributes:
        error: character error of what was heard, at most 1.
        heard: what was heard.
        taken_s: time to make it.
        first_s: time to its first sound.
        length_s: how long it lasts.
        gaps: silences within phrases, those at punctuation taken away.
        shape: the rest that can be measured.
        falls: whether it is a statement whose pitch falls at the end; ``None`` for a question.
    """

    error: float
    heard: str
    taken_s: float
    first_s: float
    length_s: float
    gaps: int
    shape: Shape
    falls: bool | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Let all voices say all sentences and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, default=models_folder(default_home()), help="folder of the models")
    parser.add_argument("--sentences", type=Path, default=SENTENCES, help="one a line")
    parser.add_argument("--threads", type=int, default=1, help="threads of each voice")
    parser.add_argument("--most", type=int, default=60, help="how many sentences")
    parser.add_argument("--output", type=Path, help="folder for what the voices say")
    parser.add_argument("--all", action="store_true", help="print what was heard of each sentence")
    chosen = parser.parse_args(arguments)
    lines = chosen.sentences.read_text(encoding="utf-8").splitlines()
    sentences = [line for line in lines if line and not line.startswith("#")][: chosen.most]
    recognizer = recognizers().get("faster_whisper").create(lambda name: chosen.models / name, 2)
    engines = {
        engine.id: engine.create(lambda name: chosen.models / name, chosen.threads)
        for engine in synthesizers().engines.values()
        if "ko" in engine.languages
    }
    voices = [
        (engine.id, voice.name)
        for engine in synthesizers().engines.values()
        for voice in engine.voices
        if voice.language == "ko"
    ]
    for engine in engines.values():  # the first inference of a process is slower
        list(engine.synthesize("네.", Voice(language="ko")))
    said: dict[str, list[Said]] = {name: [] for _, name in voices}
    for number, sentence in enumerate(sentences):
        for engine_id, name in voices:
            output = None if chosen.output is None else chosen.output / f"{name}-{number + 1:02d}.wav"
            said[name].append(_say(engines[engine_id], name, sentence, recognizer, output))
            if chosen.all:
                print(f"{said[name][-1].error:5.2f} {name:10} {sentence} | {said[name][-1].heard}", flush=True)
    _print_table(said, len(sentences))
    return 0


def _say(engine: Synthesizer, name: str, sentence: str, recognizer: Recognizer, output: Path | None) -> Said:
    begun = time.perf_counter()
    pieces: list[Pcm] = []
    first_s = 0.0
    for piece in engine.synthesize(sentence, Voice(language="ko", name=name)):
        first_s = first_s or time.perf_counter() - begun
        pieces.append(piece)
    taken_s = time.perf_counter() - begun
    pcm = np.concatenate(pieces)
    if output is not None:
        _write(output, pcm, engine.sample_rate)
    heard = recognizer.transcribe(resample(pcm, engine.sample_rate, SAMPLE_RATE), language="ko").text
    shape = shape_of(pieces, engine.sample_rate)
    inner_pauses = sum(letter in _PAUSES for letter in sentence.rstrip(".!? "))
    return Said(
        error=min(1.0, character_error_rate(spoken_numbers(heard), spoken_numbers(sentence))),
        heard=heard,
        taken_s=taken_s,
        first_s=first_s,
        length_s=len(pcm) / engine.sample_rate,
        gaps=max(0, shape.gaps - inner_pauses),
        shape=shape,
        falls=None if sentence.endswith("?") else shape.fall > 0,
    )


def _write(path: Path, pcm: Pcm, rate: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, rate, 0, "NONE", "not compressed"))
        file.writeframes(pcm.astype("<i2").tobytes())


def _print_table(said: dict[str, list[Said]], count: int) -> None:
    print(f"{count} sentences, read back by Whisper base")
    heads = (
        "voice",
        "error",
        "median",
        "over .3",
        "RTF",
        "first s",
        "gaps",
        "falls",
        "loud dB",
        "spread",
        "edge",
        "clip",
    )
    print("  ".join(f"{head:>10}" for head in heads))
    for name, rows in said.items():
        loudness = [each.shape.loudness_db for each in rows]
        statements = [each.falls for each in rows if each.falls is not None]
        cells = (
            name,
            f"{np.mean([each.error for each in rows]):.3f}",
            f"{np.median([each.error for each in rows]):.3f}",
            str(sum(each.error > 0.3 for each in rows)),
            f"{sum(each.taken_s for each in rows) / sum(each.length_s for each in rows):.3f}",
            f"{np.median([each.first_s for each in rows]):.2f}",
            str(sum(each.gaps for each in rows)),
            f"{sum(statements)}/{len(statements)}",
            f"{np.mean(loudness):.1f}",
            f"{np.std(loudness):.1f}",
            str(max(each.shape.edge for each in rows)),
            str(sum(each.shape.clipped for each in rows)),
        )
        print("  ".join(f"{cell:>10}" for cell in cells))


if __name__ == "__main__":
    sys.exit(main())
