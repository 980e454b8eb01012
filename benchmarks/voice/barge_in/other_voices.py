"""Somebody who does not speak to Sori, as a television: how often an answer pauses and ends, and stop words through it.

The others talk for six seconds, unless ``--quiet-before``. The user says a sentence that Sori understands. Then Sori
speaks for minutes, in answers of nine seconds, while human recordings play in the room, 12 to 20 dB weaker than the
user. In a second table the user says a stop word meanwhile.
The listener is new in each answer.

    python benchmarks/voice/barge_in/other_voices.py [--baseline-tree PATH] [--every 2]

The recordings are human, the stop words synthetic (Kokoro). The arms alternate in each case.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from assistant.core.audio import SAMPLE_RATE
from assistant.voice.overlap.user_level import loud_level_db
from benchmarks.voice.barge_in.interruption import (
    BEFORE_S,
    NAMES_CALLED,
    REPLY,
    ROOM_DB,
    ROOMS,
    STOP_WORDS,
    WORKER,
    YIELDED_WITHIN_S,
    Ears,
    spoken,
    spoken_answer,
)
from benchmarks.voice.listening import ROOT, Pcm, clips, parser_of
from benchmarks.voice.wav_files import written

USER = "ko_lights_blue"
LEVELS_DB = (-12.0, -16.0, -20.0)
HEARD_IN = ("no echo", "echo -12 dB", "echo -12 dB, reverberant")
EARLIER_S = 6
ANSWERS = 8
"""Answers of each level and room, each over another part of the recordings."""
STOPS_AT_S = (1.5, 3.0)


@dataclass(slots=True)
class _Row:
    pauses: int = 0
    ended: int = 0
    paused_s: float = 0.0
    stopped: int = 0


@dataclass(slots=True)
class _Bench:
    folder: Path
    arms: dict[str, Ears]
    part: slice
    others: Pcm
    user: Path
    answer: Path
    answer_s: float
    quiet_before: bool = False
    spoken_s: float = field(default=0.0, init=False)

    def leave_alone(self, room: str, level_db: float) -> None:
        """Let only the others speak."""
        rows = {name: _Row() for name in self.arms}
        cases = range(ANSWERS)[self.part]
        for number in cases:
            self.spoken_s += self.answer_s
            for name, events in self._hear(self._others(number, level_db), room, "ko"):
                rows[name].pauses += sum(event == "OverlapHeard" for _, event in events)
                rows[name].ended += any(event == "OverlapConfirmed" for _, event in events)
                rows[name].paused_s += sum(_pauses(events))
        for name, row in rows.items():
            print(
                f"{name:<7}{room:<26}others at {level_db:g} dB: ended {row.ended} of {len(cases)}, "
                f"paused {row.pauses} times, {row.paused_s:.1f} s",
                flush=True,
            )

    def stop(self, room: str, level_db: float) -> None:
        """Let the user say stop words while the others speak."""
        cases = [
            (language, word, at_s)
            for language in STOP_WORDS
            for word in spoken(language, STOP_WORDS)
            for at_s in STOPS_AT_S
        ][self.part][::2]
        rows = {name: _Row() for name in self.arms}
        for number, (language, word, at_s) in enumerate(cases):
            sound = self._others(number, level_db).astype(np.float64)
            begins = round((BEFORE_S + at_s) * SAMPLE_RATE)
            sound[begins : begins + len(word)] += word
            for name, events in self._hear(np.clip(sound, -32_768, 32_767).astype(np.int16), room, language):
                ends = [time_s - at_s for time_s, event in events if event == "OverlapConfirmed"]
                rows[name].stopped += bool(ends) and 0 <= ends[0] < YIELDED_WITHIN_S
                rows[name].ended += bool(ends) and ends[0] < 0
        for name, row in rows.items():
            print(
                f"{name:<7}{room:<26}others at {level_db:g} dB, stop words: stopped {row.stopped} of {len(cases)}, "
                f"ended before {row.ended}",
                flush=True,
            )

    def _others(self, number: int, level_db: float) -> Pcm:
        """What the others say in the case of this number, as loud as wanted."""
        start = number * 5 * SAMPLE_RATE % len(self.others)
        length = round((BEFORE_S + self.answer_s) * SAMPLE_RATE)
        sound: Pcm = (np.resize(np.roll(self.others, -start), length) * 10 ** (level_db / 20)).astype(np.int16)
        return sound

    def _hear(self, others: Pcm, room: str, language: str) -> Iterator[tuple[str, list[tuple[float, str]]]]:
        human = written(self.folder / "others.wav", others)
        job = {"answer": str(self.answer), "saying": REPLY, "echo": ROOMS[room], "room_db": ROOM_DB}
        if not self.quiet_before:
            job["earlier"] = str(written(self.folder / "earlier.wav", others[: EARLIER_S * SAMPLE_RATE]))
        for name, ears in self.arms.items():
            found = ears.events(human=str(human), at_s=-BEFORE_S, before=str(self.user), language=language, **job)
            yield name, [(at_s - BEFORE_S, event) for at_s, event in found]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--every", type=int, default=1, help="take every n-th case of a row")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first cases of a row, to take others")
    parser.add_argument("--quiet-before", action="store_true", help="the others begin right after the user")
    chosen = parser.parse_args(arguments)
    trees = {"now": ROOT} if chosen.baseline_tree is None else {"before": chosen.baseline_tree.resolve(), "now": ROOT}
    known = {clip.name: clip.pcm for clip in clips(chosen.speech) if clip.name != NAMES_CALLED}
    user = known.pop(USER)
    # Everybody as loud as the user.
    level_db = loud_level_db(user.tobytes())
    equal = [pcm * 10 ** ((level_db - loud_level_db(pcm.tobytes())) / 20) for pcm in known.values()]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        answer = spoken_answer()
        bench = _Bench(
            folder=folder,
            arms={name: stack.enter_context(Ears(WORKER, tree)) for name, tree in trees.items()},
            part=slice(chosen.skip, None, chosen.every),
            others=np.clip(np.concatenate(equal), -32_768, 32_767).astype(np.int16),
            user=written(folder / "user.wav", user),
            answer=written(folder / "answer.wav", answer),
            answer_s=len(answer) / SAMPLE_RATE,
            quiet_before=chosen.quiet_before,
        )
        for room, level in product(HEARD_IN, LEVELS_DB):
            bench.leave_alone(room, level)
            bench.stop(room, level)
        print(f"{bench.spoken_s / 60:.1f} minutes of speech that nobody spoke to")
    return 0


def _pauses(events: list[tuple[float, str]]) -> Iterator[float]:
    """The seconds of each pause that was over before the answer ended."""
    began: float | None = None
    for at_s, event in events:
        if event == "OverlapHeard":
            began = at_s
        elif event == "OverlapDismissed" and began is not None:
            yield at_s - began
            began = None


if __name__ == "__main__":
    raise SystemExit(main())
