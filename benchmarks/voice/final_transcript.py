"""The transcript after the end of speech: its time and its errors, beside faster-whisper's batch ``transcribe()``.

The human recordings whose words are known are played at three speeds, without and with pink noise of 20, 12 and 6 dB
below the speech. Three arms alternate with the same weights:

- batch: ``WhisperModel.transcribe``, 30 s window, beam of 5, temperature 0;
- greedy: Sori's short window without a beam, as for the drafts on the screen;
- ours: the short window with the beam of 5.

With several numbers of threads, ``ours`` is measured with each; ``--busy`` runs that many other programs beside it.

    python benchmarks/voice/final_transcript.py [--threads 2 | --threads 1 2] [--busy 1]
"""

import argparse
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt.faster_whisper import MODEL, FasterWhisper
from benchmarks.voice.batch_pipeline import load_whisper
from tests.fakes.sound.human_speech import SAID, character_error_rate, recording

SPEEDS = (0.9, 1.0, 1.12)
NOISES_DB = (None, 20, 12, 6)
"""Speech above the noise; ``None`` for no noise."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure all arms and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--threads", type=int, nargs="+", default=[2])
    parser.add_argument("--busy", type=int, default=0)
    asked = parser.parse_args(arguments)
    store = open_store(default_home())
    store.ensure([MODEL])
    engines = {threads: FasterWhisper(store.path(MODEL), threads) for threads in asked.threads}
    whisper, library = engines[asked.threads[-1]], load_whisper(store.path(MODEL), asked.threads[-1])
    arms: dict[str, Callable[[NDArray[np.int16], str], str]] = {
        "batch": lambda pcm, language: batch(library, pcm, language),
        "greedy": lambda pcm, language: whisper.transcribe(pcm, language=language, draft=True).text,
    }
    for threads, engine in engines.items():
        name = f"ours {threads}" if len(engines) > 1 else "ours"
        arms[name] = partial(_final, engine)
    with _busy_programs(asked.busy):
        _measure(arms)
    return 0


@contextmanager
def _busy_programs(count: int) -> Iterator[None]:
    """Keep ``count`` cores busy with programs of ordinary priority."""
    programs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


def _measure(arms: dict[str, Callable[[NDArray[np.int16], str], str]]) -> None:
    """Let the arms take turns at each sound, and print the table."""
    times: dict[str, list[float]] = {name: [] for name in arms}
    errors: dict[str, list[float]] = {name: [] for name in arms}
    for pcm, language, said in _sounds():
        for name, read in arms.items():
            began = time.perf_counter()
            text = read(pcm, language)
            times[name].append(time.perf_counter() - began)
            errors[name].append(character_error_rate(text, said))
    print(f"{'':8}{'n':>4}{'p50 s':>8}{'p95 s':>8}{'share of batch':>16}{'character errors':>18}")
    for name, taken in times.items():
        share = statistics.median(a / b for a, b in zip(taken, times["batch"], strict=True))
        p95 = float(np.percentile(taken, 95))
        wrong = statistics.mean(errors[name])
        print(f"{name:8}{len(taken):>4}{statistics.median(taken):>8.2f}{p95:>8.2f}{share:>16.2f}{wrong:>18.1%}")


def _final(whisper: FasterWhisper, pcm: NDArray[np.int16], language: str) -> str:
    return whisper.transcribe(pcm, language=language).text


def batch(whisper: Any, pcm: NDArray[np.int16], language: str) -> str:
    """The text of ``WhisperModel.transcribe`` with a beam of 5 at temperature 0."""
    sound = (pcm / 32768).astype(np.float32)
    segments, _ = whisper.transcribe(sound, beam_size=5, temperature=0, language=language)
    return "".join(segment.text for segment in segments).strip()


def _sounds() -> Iterator[tuple[NDArray[np.int16], str, str]]:
    """Each recording in all conditions, with its language and words."""
    random = np.random.default_rng(5)
    for name, (language, said) in SAID.items():
        speech = recording(name).astype(np.float64)
        level = np.sqrt(np.mean(np.square(speech)))
        for noise_db in NOISES_DB:
            for speed in SPEEDS:
                sound = np.interp(np.arange(0, len(speech), speed), np.arange(len(speech)), speech)
                if noise_db is not None:
                    sound += pink(random, len(sound)) * level * 10 ** (-noise_db / 20)
                yield np.clip(sound, -32768, 32767).astype(np.int16), language, said


def pink(random: np.random.Generator, samples: int) -> NDArray[np.float64]:
    """Pink noise with a level of 1."""
    spectrum = np.fft.rfft(random.standard_normal(samples))
    frequencies = np.maximum(np.arange(len(spectrum)), 1)
    noise: NDArray[np.float64] = np.fft.irfft(spectrum / np.sqrt(frequencies), samples)
    noise /= np.sqrt(np.mean(np.square(noise)))
    return noise


if __name__ == "__main__":
    sys.exit(main())
