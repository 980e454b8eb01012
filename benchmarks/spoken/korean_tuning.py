"""Compares styles and symbols for Kokoro's Korean by a loss that is finer than the character error.

Each sentence of ``korean_tuning_sentences.txt`` is synthesised twice, as Sori does and with the given options, and
Whisper base is aligned with the right words. The loss is one minus the probability of each token, averaged over a
sentence. The output has both losses, and their difference with its standard error. Decisions use only these sentences;
reported results are measured on ``korean_sentences.txt``.

    python benchmarks/spoken/korean_tuning.py --style hf_alpha=0.7,jm_kumo=0.3 [--swap ɒ=ʌ] [--speed 1.0] [--voices DIR]
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from numpy.typing import NDArray

from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE, to_samples
from assistant.host.places import default_home, models_folder
from assistant.speech.onnx import open_session
from assistant.speech.stt.faster_whisper import MODEL as WHISPER
from assistant.speech.tts.kokoro import MODEL as KOKORO
from assistant.speech.tts.kokoro import SAMPLE_RATE as KOKORO_RATE
from assistant.speech.tts.kokoro_korean import korean_symbols
from assistant.speech.tts.kokoro_sound import finished
from assistant.speech.tts.kokoro_symbols import LONGEST, PAD, numbers_of
from assistant.speech.tts.kokoro_voices import VOICES

SENTENCES: Final = Path(__file__).with_name("korean_tuning_sentences.txt")
_WINDOW_S: Final = 30.0
_SILENCE_S: Final = 0.5


class Listener:
    """Whisper base, which gives the probability of known words."""

    def __init__(self, models: Path) -> None:
        from faster_whisper import WhisperModel
        from faster_whisper.tokenizer import Tokenizer

        self._whisper: Any = WhisperModel(
            str(models / WHISPER), device="cpu", compute_type="int8", cpu_threads=1, local_files_only=True
        )
        self._tokenizer: Any = Tokenizer(self._whisper.hf_tokenizer, True, task="transcribe", language="ko")

    def disbelief(self, pcm: NDArray[np.int16], words: str) -> float:
        """One minus the mean probability of the words' tokens, each after the right earlier tokens; 0 is certainty."""
        sound = np.zeros(to_samples(_WINDOW_S), np.float32)
        start = to_samples(_SILENCE_S)
        sound[start : start + pcm.size] = pcm / 32_768
        encoded = self._whisper.encode(self._whisper.feature_extractor(sound, padding=0))
        tokens = self._tokenizer.encode(f" {words}")
        aligned = self._whisper.model.align(encoded, list(self._tokenizer.sot_sequence), [tokens], 3000)[0]
        return 1.0 - float(np.mean(aligned.text_token_probs))


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare a variant with Sori's present Korean."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, default=models_folder(default_home()), help="folder of the models")
    parser.add_argument("--voices", type=Path, help="folder of style files; the model's own by default")
    parser.add_argument("--style", default="", help="style files and weights, as in hf_alpha=0.7,jf_alpha=0.3")
    parser.add_argument("--swap", action="append", default=[], help="a symbol and what is said instead, as in ɒ=ʌ")
    parser.add_argument("--speed", type=float, default=1.0)
    parser.add_argument("--sentences", type=int, default=48, help="how many")
    chosen = parser.parse_args(arguments)
    voices = chosen.voices or chosen.models / KOKORO / "voices"
    present = next(voice.parts for voice in VOICES.values() if voice.language == "ko")
    asked = {name: float(weight) for name, weight in (each.split("=") for each in chosen.style.split(",") if each)}
    swaps = [each.partition("=")[::2] for each in chosen.swap]
    session = open_session(chosen.models / KOKORO / "model.onnx", model=KOKORO, threads=1)
    listener = Listener(chosen.models)
    losses = []
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    for sentence in [line for line in lines if line and not line.startswith("#")][: chosen.sentences]:
        symbols = other = korean_symbols(sentence)
        for symbol, instead in swaps:
            other = other.replace(symbol, instead)
        ours = _said(session, symbols, _styles(voices, present), 1.0)
        theirs = _said(session, other, _styles(voices, asked or present), chosen.speed)
        losses.append((listener.disbelief(ours, sentence), listener.disbelief(theirs, sentence)))
        print("{:.3f} {:.3f}".format(*losses[-1]), sentence, flush=True)
    now, then = np.mean(losses, axis=0)
    differences = np.diff(losses, axis=1)
    print(f"{len(losses)} sentences: {now:.3f} as it is, {then:.3f} as asked")
    print(f"difference {differences.mean():+.3f} ± {differences.std() / len(losses) ** 0.5:.3f}, below 0 is clearer")
    return 0


def _styles(folder: Path, parts: Mapping[str, float]) -> NDArray[np.float32]:
    styles = [weight * np.fromfile(folder / f"{name}.bin", np.float32) for name, weight in parts.items()]
    mixed: NDArray[np.float32] = np.sum(styles, axis=0, dtype=np.float32).reshape(LONGEST, 1, -1)
    return mixed


def _said(session: Any, symbols: str, styles: NDArray[np.float32], speed: float) -> NDArray[np.int16]:
    numbers = numbers_of(symbols)
    inputs = {
        "tokens": np.array([[PAD, *numbers, PAD]], dtype=np.int64),
        "style": styles[len(numbers) - 1],
        "speed": np.array([speed], dtype=np.float32),
    }
    sound = finished(
        session.run(None, inputs)[0], KOKORO_RATE, pauses=symbols[:-1].count(",") + symbols[:-1].count(".")
    )
    return resample(sound, KOKORO_RATE, SAMPLE_RATE)


if __name__ == "__main__":
    sys.exit(main())
