"""Detection of a repeating transcript and of the end of a sound. Pure functions.

A Whisper decoder whose window ends shortly after the speech may miss the end of the text. It then writes the sentence
again, once or until the token limit. The first copy is right. Only a second decoding can tell such a loop from a person
who says the sentence twice.
"""

import re
from difflib import SequenceMatcher
from typing import Final

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE

SHORTEST_COPY_LETTERS: Final = 6
"""A word said twice is speech (네 네, no no). A loop repeats a longer text."""
COPY_SHARE: Final = 0.6
"""Share of a sentence that the copy must contain. The token limit may stop the decoder in the middle of a copy."""
ALIKE: Final = 0.8
"""Similarity (``difflib`` ratio) from which two sentences count as one sentence transcribed twice."""
KEPT_BEHIND_MS: Final = 300
"""Sound kept after the last loud frame, because final consonants and fading vowels are weak."""
_CLEAR_DB: Final = 15.0
"""Level difference between speech and noise below which the level cannot show the end of the sound."""
_END_FRAMES: Final = 30
"""Number of 10 ms frames at the end that give the room's noise level."""
_SENTENCE: Final = re.compile(r"[^.?!。？！]+[.?!。？！]*\s*")


def first_copy(text: str) -> str | None:
    """The text before the point where its end starts to repeat earlier text.

    Returns:
        The text without the repetition, or ``None`` when the text does not repeat itself at its end.
    """
    return _copied_sentence(text) or _copied_letters(text)


def before_restart(text: str) -> str | None:
    """The text before a sentence that is the beginning of the text once more, cut off where the decoder was stopped.

    Returns:
        The text without that sentence, or ``None`` when its last sentence does not begin like the text.
    """
    sentences = _SENTENCE.findall(text)
    begun = "".join(filter(str.isalnum, sentences[-1].lower())) if sentences else ""
    before = "".join(sentences[:-1]).strip()
    whole = "".join(filter(str.isalnum, before.lower()))
    return before if len(begun) >= SHORTEST_COPY_LETTERS and whole.startswith(begun) else None


def _copied_letters(text: str) -> str | None:
    places = [index for index, letter in enumerate(text) if letter.isalnum()]
    letters = [text[index].lower() for index in places]
    for period in range(SHORTEST_COPY_LETTERS, len(letters)):
        same = 0
        while same < len(letters) - period and letters[-1 - same] == letters[-1 - same - period]:
            same += 1
        if same >= max(SHORTEST_COPY_LETTERS, COPY_SHARE * period):
            return text[: places[len(letters) - same]].strip()
    return None


def _copied_sentence(text: str) -> str | None:
    """Remove sentences at the end that repeat the sentence before them with small differences; ``None`` if none do."""
    sentences = _SENTENCE.findall(text)
    kept = len(sentences)
    while kept > 1 and _alike(*sentences[kept - 2 : kept]):
        kept -= 1
    return "".join(sentences[:kept]).strip() if kept < len(sentences) else None


def _alike(one: str, other: str) -> bool:
    first, second = ("".join(filter(str.isalnum, each.lower())) for each in (one, other))
    long_enough = min(len(first), len(second)) >= SHORTEST_COPY_LETTERS
    return long_enough and SequenceMatcher(None, first, second).ratio() >= ALIKE


def without_end_silence(pcm: NDArray[np.int16]) -> NDArray[np.int16]:
    """Cut 16 kHz sound ``KEPT_BEHIND_MS`` after its last frame that is clearly louder than its end.

    The sound is returned whole when its loud and its last frames differ by less than ``_CLEAR_DB``: the speaker may not
    have finished, or the noise is as loud as the voice.
    """
    frames = pcm[: pcm.size - pcm.size % FRAME_SAMPLES].reshape(-1, FRAME_SAMPLES).astype(np.float64)
    if not frames.size:
        return pcm
    levels_db = 10 * np.log10(np.mean(np.square(frames), axis=1) + 1.0)
    end_db, loud_db = float(np.median(levels_db[-_END_FRAMES:])), float(np.percentile(levels_db, 95))
    if loud_db - end_db < _CLEAR_DB:
        return pcm
    loud = np.flatnonzero(levels_db > end_db + (loud_db - end_db) / 3)
    return pcm[: (int(loud[-1]) + 1) * FRAME_SAMPLES + KEPT_BEHIND_MS * SAMPLE_RATE // 1000]
