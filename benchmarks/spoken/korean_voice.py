"""Intelligibility, speed and evenness of Sori's Korean voices.

Every Korean voice says every sentence of ``korean_sentences.txt``; the voices alternate sentence by sentence. Whisper
base transcribes them (``korean_ruler.py``). For each voice the table has: mean and median character error; the error of
sounds instead of letters; the error of Sori's own recogniser; real-time factor; median time to the first sound of a
sentence's first clause; syllables a second; gaps within phrases; falling endings; loudness; clicks. The last row
measures human recordings with the same ruler. Times are valid only on an idle machine.

    python benchmarks/spoken/korean_voice.py [--models DIR] [--sentences 60] [--text FILE] [--threads 1]
        [--output DIR] [--all]
"""

import argparse
import sys
import time
import wave
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np

from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.host.places import default_home, models_folder
from assistant.speech.text.first_words import growing_parts
from assistant.speech.text.korean_sound.hangul import is_syllable
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Synthesizer, Voice
from benchmarks.spoken.korean_ruler import Heard, KoreanRuler
from benchmarks.spoken.speech_shape import Pcm, Shape, shape_of
from tests.fakes.sound.human_speech import SAID, recording

SENTENCES = Path(__file__).with_name("korean_sentences.txt")
_PAUSES = frozenset(",.!?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One sentence, said by one voice.

    Attributes:
        heard: the ruler's results.
        taken_s: time of synthesis.
        first_s: time to the first sound of its first clause.
        length_s: duration of the sound.
        syllables: number of syllables.
        gaps: number of silences within phrases, without those at punctuation.
        shape: other measurements of the sound.
        falls: whether the pitch falls at the end; ``None`` for a question.
    """

    heard: Heard
    taken_s: float
    first_s: float
    length_s: float
    syllables: int
    gaps: int
    shape: Shape
    falls: bool | None


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all voices and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, default=models_folder(default_home()), help="folder of the models")
    parser.add_argument("--text", type=Path, default=SENTENCES, help="file of sentences, one a line")
    parser.add_argument("--threads", type=int, default=1, help="threads of each voice")
    parser.add_argument("--sentences", type=int, default=60, help="how many sentences, spread over the file")
    parser.add_argument("--output", type=Path, help="folder for what the voices say")
    parser.add_argument("--all", action="store_true", help="print what was heard of each sentence")
    chosen = parser.parse_args(arguments)
    sentences = _sentences(chosen.text, chosen.sentences)
    ruler = KoreanRuler(chosen.models, 2)
    here = [
        engine
        for engine in synthesizers().engines.values()
        if "ko" in engine.languages
        and not engine.remote
        and all((chosen.models / each).is_dir() for each in engine.models)
    ]
    engines = {engine.id: engine.create(lambda name: chosen.models / name, chosen.threads) for engine in here}
    voices = [(engine.id, voice.name) for engine in here for voice in engine.voices if voice.language == "ko"]
    for engine in engines.values():  # the first inference of a process is slower
        list(engine.synthesize("네.", Voice(language="ko")))
    said: dict[str, list[Said]] = {name: [] for _, name in voices}
    for number, sentence in enumerate(sentences):
        for engine_id, name in voices:
            output = None if chosen.output is None else chosen.output / f"{name}-{number + 1:02d}.wav"
            said[name].append(_say(engines[engine_id], name, sentence, ruler, output))
            if chosen.all:
                heard = said[name][-1].heard
                print(f"{heard.error:5.2f} {name:10} {sentence} | {heard.text}", flush=True)
    _print_table(said, len(sentences))
    _print_people(ruler)
    return 0


def _sentences(path: Path, count: int) -> list[str]:
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    return lines if count >= len(lines) else [lines[index * len(lines) // count] for index in range(count)]


def _say(engine: Synthesizer, name: str, sentence: str, ruler: KoreanRuler, output: Path | None) -> Said:
    voice = Voice(language="ko", name=name)
    clause = growing_parts(sentence)[0]
    begun = time.perf_counter()
    next(iter(engine.synthesize(clause, voice)))
    first_s = time.perf_counter() - begun
    begun = time.perf_counter()
    pieces = list(engine.synthesize(sentence, voice))
    taken_s = time.perf_counter() - begun
    pcm = np.concatenate(pieces)
    if output is not None:
        _write(output, pcm, engine.sample_rate)
    shape = shape_of(pieces, engine.sample_rate)
    inner_pauses = sum(letter in _PAUSES for letter in sentence.rstrip(".!? "))
    return Said(
        heard=ruler.heard(resample(pcm, engine.sample_rate, SAMPLE_RATE), sentence),
        taken_s=taken_s,
        first_s=first_s,
        length_s=len(pcm) / engine.sample_rate,
        syllables=sum(map(is_syllable, sentence)),
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
    table = {name: _cells(rows) for name, rows in said.items()}
    heads = next(iter(table.values()))
    print("  ".join(f"{head:>10}" for head in ("voice", *heads)))
    for name, cells in table.items():
        print("  ".join(f"{cell:>10}" for cell in (name, *cells.values())))


def _cells(rows: list[Said]) -> dict[str, str]:
    loudness = [each.shape.loudness_db for each in rows]
    statements = [each.falls for each in rows if each.falls is not None]
    length_s = sum(each.length_s for each in rows)
    return {
        "error": f"{np.mean([each.heard.error for each in rows]):.3f}",
        "median": f"{np.median([each.heard.error for each in rows]):.3f}",
        "over .3": str(sum(each.heard.error > 0.3 for each in rows)),
        "sounds": f"{np.mean([each.heard.sound_error for each in rows]):.3f}",
        "by Sori": f"{np.mean([each.heard.own_error for each in rows]):.3f}",
        "RTF": f"{sum(each.taken_s for each in rows) / length_s:.3f}",
        "first s": f"{np.median([each.first_s for each in rows]):.2f}",
        "syll/s": f"{sum(each.syllables for each in rows) / length_s:.2f}",
        "gaps": str(sum(each.gaps for each in rows)),
        "falls": f"{sum(statements)}/{len(statements)}",
        "loud dB": f"{np.mean(loudness):.1f}",
        "spread": f"{np.std(loudness):.1f}",
        "edge": str(max(each.shape.edge for each in rows)),
        "clip": str(sum(each.shape.clipped for each in rows)),
    }


def _print_people(ruler: KoreanRuler) -> None:
    """Print the ruler's error on human recordings."""
    clips = {name: words for name, (language, words) in SAID.items() if language == "ko"}
    heard = [ruler.heard(recording(name), words) for name, words in clips.items()]
    letters, sounds, own = (
        float(np.mean([getattr(each, kind) for each in heard])) for kind in ("error", "sound_error", "own_error")
    )
    print(f"people, {len(clips)} recordings: error {letters:.3f}, sounds {sounds:.3f}, by Sori {own:.3f}")


if __name__ == "__main__":
    sys.exit(main())
