"""What is shown of an utterance while it grows: words that disappear, half characters, and how much is settled.

The human recordings are played to the listener, alone and one after another without a pause. Both arms get the same
readings of the recogniser:

- before: the reading as it is, behind the words on which three readings of at least 0.4 s more sound agreed;
- after: what the product shows.

A word is lost if a partial has fewer words than the one before it. Of the letters that are shown after ``--at`` seconds
of speech, the share of settled ones is printed; settled words that the final transcript does not have at their place
are counted. The sound's own time runs as in ``recogniser_keeps_up``.

    python benchmarks/voice/partials.py [--at 5] [--folder DIR] [--noises none 12] [--real-time]
"""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import FRAME_SAMPLES, to_seconds
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt.faster_whisper import MODEL, FasterWhisper
from assistant.speech.stt.partials import Partial
from assistant.speech.stt.recognizer import Transcript
from benchmarks.voice import recogniser_keeps_up as playing
from benchmarks.voice.final_transcript import pink
from tests.fakes.sound.human_speech import FOLDER, silence

RECORDINGS = (
    ("ko_hotel_question.wav",),
    ("ko_read_sentence.wav", "ko_hotel_question.wav"),
    ("ko_hotel_question.wav", "ko_lights_blue.wav", "ko_read_sentence.wav"),
    ("en_read_sentence.wav",),
    ("en_coffee_order.wav",),
    ("en_read_sentence.wav", "en_coffee_order.wav"),
)
"""Recordings that are played one after another, as one utterance."""
AGREEING = 3
COUNTS_AFTER_S = 0.4


@dataclass
class Arm:
    """The partials of one arm, each with the seconds of sound that it covers."""

    shown: list[tuple[float, Partial]] = field(default_factory=list)

    @property
    def lost(self) -> int:
        """Number of words by which partials are shorter than those before them."""
        counts = [len(partial.text.split()) for _, partial in self.shown]
        return sum(max(0, one - other) for one, other in pairwise(counts))

    @property
    def halves(self) -> int:
        """Number of partials with a half character."""
        return sum("\ufffd" in partial.text for _, partial in self.shown)

    def settled_at(self, at_s: float) -> tuple[int, int]:
        """The settled and the shown letters after so much sound."""
        partial = next((each for heard_s, each in reversed(self.shown) if heard_s <= at_s), Partial(text="", stable=0))
        return len(_letters(partial.settled)), len(_letters(partial.text))

    def changed(self, final: str) -> int:
        """Number of settled words that another settled text or the final transcript lacks at their place."""
        texts = [*(partial.settled for _, partial in self.shown), *filter(None, [final])]
        return sum(
            not _letters(other).startswith(_letters(" ".join(one.split()[: count + 1])))
            for one, other in pairwise(texts)
            for count in range(len(one.split()))
        )


@dataclass
class Readings(Arm):
    """The arm before: readings of the recogniser, and words settled by agreement of three."""

    settled: list[str] = field(default_factory=list)
    counted: list[list[str]] = field(default_factory=list)
    counted_s: float = 0.0
    heard_s: float = 0.0

    def read(self, text: str, heard_s: float) -> None:
        """Take the next reading."""
        self.heard_s = heard_s
        words = text.split()
        tail = words[len(self.settled) :]
        if heard_s - self.counted_s >= COUNTS_AFTER_S:
            self.counted_s = heard_s
            if [*map(_letters, words[: len(self.settled)])] == [*map(_letters, self.settled)]:
                agreed = self._agreed(tail[:-1]) if len(self.counted) == AGREEING - 1 else 0
                self.settled += tail[:agreed]
                tail = tail[agreed:]
                self.counted = [*self.counted, words][1 - AGREEING :]
        settled = " ".join(self.settled)
        self.shown.append((heard_s, Partial(text=" ".join([*self.settled, *tail]), stable=len(settled))))

    def _agreed(self, tail: list[str]) -> int:
        for count, word in enumerate(tail):
            place = len(self.settled) + count
            if any(len(each) <= place or _letters(each[place]) != _letters(word) for each in self.counted):
                return count
        return len(tail)


class Recorded(FasterWhisper):
    """A recogniser that also gives its readings of a growing utterance to the first arm."""

    before: Readings

    def transcribe(self, pcm: Any, **asked: Any) -> Transcript:
        """Transcribe, and keep the reading."""
        transcript = super().transcribe(pcm, **asked)
        if transcript.text:
            self.before.read(transcript.text, to_seconds(pcm.size))
        return transcript


def main(arguments: Sequence[str] | None = None) -> int:
    """Play all recordings and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--at", type=float, default=5.0)
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--noises", nargs="+", default=["none"])
    parser.add_argument("--real-time", action="store_true")
    asked = parser.parse_args(arguments)
    store = open_store(default_home())
    store.ensure([MODEL])
    whisper = Recorded(store.path(MODEL), 1)
    print(
        f"{'recording':60}{'':8}{'partials':>9}{'lost':>6}{'halves':>8}{f'settled at {asked.at:g} s':>18}{'changed':>9}"
    )
    for name, sound in _sounds(asked.folder, asked.noises):
        before, after = Readings(), Arm()
        whisper.before = before

        def show(text: str, stable: int, after: Arm = after, before: Readings = before) -> None:
            after.shown.append((before.heard_s, Partial(text=text, stable=stable)))

        heard = asyncio.run(playing.listen(whisper, sound, real_time=asked.real_time, on_partial=show)).text
        for arm, result in (("before", before), ("after", after)):
            settled, shown = result.settled_at(asked.at)
            at = f"{settled} of {shown}"
            row = f"{len(result.shown):>9}{result.lost:>6}{result.halves:>8}{at:>18}{result.changed(heard):>9}"
            print(f"{name:60}{arm:8}{row}", flush=True)
    return 0


def _sounds(folder: Path, noises: Sequence[str]) -> Iterator[tuple[str, playing.Sound]]:
    random = np.random.default_rng(7)
    for names in RECORDINGS:
        for noise in noises:
            pcm = np.concatenate([*(_voiced(folder / name) for name in names), silence(playing.BEHIND_S)])
            end = playing.last_voiced(pcm)
            if noise != "none":
                level = np.sqrt(np.mean(np.square(pcm[: end * FRAME_SAMPLES].astype(np.float64))))
                noisy = pcm + pink(random, pcm.size) * level * 10 ** (-int(noise) / 20)
                pcm = np.clip(noisy, -32768, 32767).astype(np.int16)
            label = " + ".join(name.removesuffix(".wav") for name in names)
            yield (
                f"{label} {'' if noise == 'none' else noise}",
                playing.Sound(pcm=pcm, language=names[0][:2], said="", end=end),
            )


def _voiced(path: Path) -> Any:
    """A recording up to its last voiced sample."""
    pcm = read_recording(path)
    return pcm[: (playing.last_voiced(pcm) + 1) * FRAME_SAMPLES]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


if __name__ == "__main__":
    sys.exit(main())
