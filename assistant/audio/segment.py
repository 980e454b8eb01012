"""The prepared sound of one sentence, which can go back to the beginning of an interrupted word."""

from collections import deque
from typing import Final

import numpy as np

from assistant.audio.resampling import RATIO, Samples, TwinResampler
from assistant.core.audio import FRAME_MS, FRAME_SAMPLES, SAMPLE_RATE

BACK_MS: Final = 600
"""Longest way back: a long word. Longer words go on in their middle."""
REST_MS: Final = 30
"""Shortest rest between words. Most words follow each other without one; then a group of words begins anew."""
REST_SHARE: Final = 0.1
"""Level of a rest as a share of the loudest level in the way back: -20 dB."""
BEFORE_MS: Final = 20
"""Part of the rest that is played again."""


class Segment:
    """The prepared sound of one segment. Positions count samples of the reference ("ticks").

    Args:
        number: the segment's number.
        rate: samples per second of its sound as it comes.
    """

    def __init__(self, number: int, rate: int) -> None:
        self.number = number
        self.rate = rate
        self.resampler = TwinResampler(rate)
        self.finished = False
        self.begun = False
        self.starved = False
        self.ready = 0
        self._pieces: deque[tuple[Samples, Samples]] = deque()
        self._offset = 0
        self._read: tuple[Samples, Samples] = (np.zeros(0, np.int16), np.zeros(0, np.int16))

    def append(self, played: Samples, reference: Samples) -> None:
        """Add sound at both rates."""
        if len(reference):
            self._pieces.append((played, reference))
            self.ready += len(reference)

    def read(self, played: Samples, reference: Samples) -> int:
        """Copy the ready samples that fit; return the number of ticks."""
        done = 0
        while done < len(reference) and self._pieces:
            piece_played, piece_reference = self._pieces[0]
            count = min(len(reference) - done, len(piece_reference) - self._offset)
            start, end = self._offset, self._offset + count
            played[done * RATIO : (done + count) * RATIO] = piece_played[start * RATIO : end * RATIO]
            reference[done : done + count] = piece_reference[start:end]
            done += count
            self._offset = end
            if end == len(piece_reference):
                self._pieces.popleft()
                self._offset = 0
        self.ready -= done
        self._keep(played[: done * RATIO], reference[:done])
        return done

    def _keep(self, played: Samples, reference: Samples) -> None:
        longest = BACK_MS * SAMPLE_RATE // 1000
        before_played, before = self._read
        self._read = (
            np.concatenate((before_played, played))[-longest * RATIO :],
            np.concatenate((before, reference))[-longest:],
        )

    def go_back(self) -> int:
        """Let the next read begin with the word whose middle was read last; return the number of ticks."""
        played, reference = self._read
        ticks = _since_rest(reference)
        if ticks:
            self._read = played[: -ticks * RATIO], reference[:-ticks]
            if self._offset:
                first_played, first = self._pieces.popleft()
                self._pieces.appendleft((first_played[self._offset * RATIO :], first[self._offset :]))
                self._offset = 0
            self._pieces.appendleft((played[-ticks * RATIO :], reference[-ticks:]))
            self.ready += ticks
        return ticks


def _since_rest(sound: Samples) -> int:
    """The samples since shortly before the end of the last rest; 0 if there is none, or if it lasts till the end."""
    frames = sound[len(sound) % FRAME_SAMPLES :].reshape(-1, FRAME_SAMPLES).astype(np.float64)
    if not len(frames):
        return 0
    levels = np.sqrt(np.mean(np.square(frames), axis=1))
    quiet = levels < REST_SHARE * levels.max()
    run = 0
    for since, rests in enumerate(quiet[::-1]):
        run = run + 1 if rests else 0
        if run * FRAME_MS == REST_MS:
            first = since + 1 - run
            return first * FRAME_SAMPLES + BEFORE_MS * SAMPLE_RATE // 1000 if first else 0
    return 0
