"""How often the language of a short piece of speech is detected wrongly, with and without a likely language.

Pieces of 0.6 to 3.2 s are cut from the human recordings. Each is judged without a likely language, with the language
that is spoken as the likely one, and with the other language as the likely one (the user has just changed the
language).

    python benchmarks/voice/spoken_language.py [--speech FOLDER]
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import to_samples
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt.faster_whisper import MODEL, FasterWhisper
from assistant.speech.stt.spoken_language import LANGUAGES

PIECES_S = (0.6, 1.0, 1.6, 2.4, 3.2)
_STEP_S = 0.9
_LOUD = 0.15
"""A piece whose level is below this share of the recording's loudest piece is silence."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Judge all pieces and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--speech", type=Path, default=Path(__file__).parents[2] / "tests" / "data" / "speech")
    speech = parser.parse_args(arguments).speech
    store = open_store(default_home())
    store.ensure([MODEL])
    whisper = FasterWhisper(store.path(MODEL), 2)
    print(f"{'spoken':8}{'length':>8}{'pieces':>8}{'no likely':>12}{'likely':>8}{'other likely':>14}   (wrong)")
    for spoken in LANGUAGES:
        other = next(each for each in LANGUAGES if each != spoken)
        for length in PIECES_S:
            pieces = [piece for path in _recordings(speech, spoken) for piece in _pieces(read_recording(path), length)]
            wrong = [
                sum(whisper.detect_language(piece, likely=likely) != spoken for piece in pieces)
                for likely in (None, spoken, other)
            ]
            print(f"{spoken:8}{length:>7}s{len(pieces):>8}{wrong[0]:>12}{wrong[1]:>8}{wrong[2]:>14}")
    return 0


def _recordings(folder: Path, language: str) -> list[Path]:
    words = sorted(folder.glob("alexa/*.flac")) if language == "en" else []
    return [*sorted(folder.glob(f"{language}_*.wav")), *words]


def _pieces(sound: NDArray[np.int16], length_s: float) -> Iterator[NDArray[np.int16]]:
    """The pieces that are not silence."""
    size, step = to_samples(length_s), to_samples(_STEP_S)
    pieces = [sound[start : start + size] for start in range(0, max(1, len(sound) - size), step)]
    levels = [float(np.abs(piece.astype(np.int32)).mean()) for piece in pieces]
    return (piece for piece, level in zip(pieces, levels, strict=True) if level >= _LOUD * max(levels))


if __name__ == "__main__":
    sys.exit(main())
