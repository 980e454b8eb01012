"""Human recordings for tests, and their words."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording

FOLDER = Path(__file__).parents[2] / "data" / "speech"

SAID = {
    "ko_lights_blue.wav": ("ko", "모든 불을 파란색으로 다 바꿔 줘."),
    "ko_read_sentence.wav": ("ko", "그는 이리저리 피하면서 길 한 옆으로 걸어갔다."),
    "en_read_sentence.wav": (
        "en",
        "Mr. Quilter is the apostle of the middle classes, and we are glad to welcome his gospel.",
    ),
    "en_coffee_order.wav": ("en", "Can I have a medium double shot americano?"),
}
"""Language and words of the recordings whose words are known."""

THREADS = 1
"""Threads of an engine in tests. Tests run in one process for each processor. With more threads, a transcript costs a
third more processor time, because the threads wait for each other."""

ALEXA = sorted((FOLDER / "alexa").glob("*.flac"))
"""Recordings of many people who say one wake word."""


def recording(name: str) -> NDArray[np.int16]:
    """A recording at 16 kHz."""
    return read_recording(FOLDER / name)


def silence(seconds: float) -> NDArray[np.int16]:
    return np.zeros(round(seconds * 16_000), dtype=np.int16)


def character_error_rate(heard: str, said: str) -> float:
    """Edits from the transcript to the spoken text, per character of the spoken text; spaces and punctuation do not
    count."""
    heard, said = ["".join(filter(str.isalnum, each.lower())) for each in (heard, said)]
    row = list(range(len(heard) + 1))
    for index, wanted in enumerate(said, start=1):
        before, row[0] = row[0], index
        for column, letter in enumerate(heard, start=1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != wanted))
    return row[-1] / len(said)
