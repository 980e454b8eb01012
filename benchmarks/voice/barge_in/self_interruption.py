"""How often Sori pauses or interrupts its own answer, by voice, room, delay and loudspeaker.

Every voice speaks an answer, and the microphone hears nothing but its echo and faint noise. The listener is new in each
case, so the answer is its first. A linear loudspeaker is heard in a room without and with 0.25 s of reverberation. A
distorting one (``tanh``, see ``EchoSpec.drive``) is heard in the same rooms. In further rows the delay jumps in
the middle of the answer, or drifts because the clocks of loudspeaker and microphone differ.

    python benchmarks/voice/barge_in/self_interruption.py [--baseline-tree PATH] [--every 3] [--skip 1]

The arms alternate in each case. The last line gives the whole time of speech.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import ModelFileError
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Voice
from benchmarks.voice.barge_in.interruption import BEFORE_S, WORKER, Ears
from benchmarks.voice.listening import ROOT, Pcm
from benchmarks.voice.wav_files import written

ANSWERS = {
    "ko": "정원에는 오래된 사과나무 일곱 그루와 작은 연못이 있어요. 아침에는 새들이 노래해요.",
    "en": "Let me tell you about the garden. It has seven old apple trees and a little pond. "
    "In the morning the birds sing there.",
}
ECHOES_DB = (0.0, -6.0, -12.0, -20.0)
DELAYS_MS = (20, 40, 60, 100, 150, 230)
DISTORTED_DELAYS_MS = (20, 60, 150)
JUMPS_MS = ((60, 120), (150, 100))
REVERBERATIONS_S = (0.0, 0.25)
DRIFTS_PPM = (50.0, 100.0)
DRIVE = 3.0
ROOM_DB = -75.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One answer through one loudspeaker in one room.

    Attributes:
        reverberation_s: time in which the room's response decays by 60 dB; 0 for the direct sound alone.
        then_ms: delay of the answer's second half; ``None`` without a jump.
        drift_ppm: difference of the clocks in parts per million.
    """

    voice: str
    echo_db: float
    delay_ms: int
    reverberation_s: float
    distorted: bool = False
    then_ms: int | None = None
    drift_ppm: float = 0.0

    @property
    def table(self) -> str:
        """The name of the table's row."""
        speaker = "distorting" if self.distorted else "linear"
        jump = "" if self.then_ms is None else ", delay jumps"
        drift = f", drift {self.drift_ppm:g} ppm" if self.drift_ppm else ""
        return f"{speaker} loudspeaker, reverberation {self.reverberation_s:g} s{jump}{drift}"

    def echo(self, length_s: float) -> dict[str, Any]:
        """The fields of ``EchoSpec`` for an answer of this length."""
        delays = [(0.0, self.delay_ms)]
        if self.then_ms is not None:
            delays.append((BEFORE_S + length_s / 2, self.then_ms))
        return {
            "gain_db": self.echo_db,
            "delays": delays,
            "drift_ppm": self.drift_ppm,
            "reverberation_s": self.reverberation_s,
            "drive": DRIVE if self.distorted else 0.0,
        }


@dataclass(frozen=True, slots=True)
class SpokenAnswer:
    """The sound of an answer at 16 kHz, and its language."""

    pcm: Pcm
    language: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--baseline-tree", type=Path, help="a checkout of an earlier version, run beside this one")
    parser.add_argument("--every", type=int, default=1, help="take every n-th case of a row")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first cases of a row, to take others")
    chosen = parser.parse_args(arguments)
    trees = {"now": ROOT} if chosen.baseline_tree is None else {"before": chosen.baseline_tree.resolve(), "now": ROOT}
    answers = spoken_answers()
    rows: dict[str, list[Case]] = {}
    for case in cases(list(answers)):
        rows.setdefault(case.table, []).append(case)
    seconds = 0.0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arms = {name: stack.enter_context(Ears(WORKER, tree)) for name, tree in trees.items()}
        for name, row in rows.items():
            seconds += _report(name, row[chosen.skip :: chosen.every], answers, arms, folder)
    print(f"{seconds / 60:.1f} minutes of speech")
    return 0


def cases(voices: Sequence[str]) -> Iterator[Case]:
    """Every combination, row by row."""
    for room, level, delay, voice in product(REVERBERATIONS_S, ECHOES_DB, DELAYS_MS, voices):
        yield Case(voice=voice, echo_db=level, delay_ms=delay, reverberation_s=room)
        if delay in DISTORTED_DELAYS_MS:
            yield Case(voice=voice, echo_db=level, delay_ms=delay, reverberation_s=room, distorted=True)
    for level, (before, after), voice in product(ECHOES_DB, JUMPS_MS, voices):
        yield Case(voice=voice, echo_db=level, delay_ms=before, reverberation_s=0.25, then_ms=after)
    for drift, level, delay, voice in product(DRIFTS_PPM, ECHOES_DB, DISTORTED_DELAYS_MS, voices):
        yield Case(voice=voice, echo_db=level, delay_ms=delay, reverberation_s=0.25, drift_ppm=drift)


def spoken_answers() -> dict[str, SpokenAnswer]:
    """The answer in the voices of every synthesiser on this machine, by voice."""
    store = open_store(default_home())
    found = {}
    for declared in (each for each in synthesizers().engines.values() if not each.remote):
        try:
            store.ensure(declared.models)
        except ModelFileError as error:
            print(f"{declared.id} is left out: {error.detail}")
            continue
        engine = declared.create(store.path, 1)
        for named in declared.voices:
            voice = Voice(language=named.language, name=named.name)
            pcm = np.concatenate(list(engine.synthesize(ANSWERS[named.language], voice)))
            found[named.name] = SpokenAnswer(resample(pcm, engine.sample_rate, SAMPLE_RATE), named.language)
        engine.close()
    return found


def _report(name: str, row: list[Case], answers: dict[str, SpokenAnswer], arms: dict[str, Ears], folder: Path) -> float:
    """Print a row; return its seconds of speech."""
    ended: dict[str, list[Case]] = {arm: [] for arm in arms}
    paused = dict.fromkeys(arms, 0)
    seconds = 0.0
    for case in row:
        answer = answers[case.voice]
        length_s = len(answer.pcm) / SAMPLE_RATE
        seconds += length_s
        sound = written(folder / "answer.wav", answer.pcm)
        job = {"answer": str(sound), "saying": ANSWERS[answer.language], "language": answer.language}
        for arm, ears in arms.items():
            events = ears.events(human=None, at_s=0.0, echo=case.echo(length_s), room_db=ROOM_DB, **job)
            paused[arm] += sum(event == "OverlapHeard" for _, event in events)
            if any(event == "OverlapConfirmed" for _, event in events):
                ended[arm].append(case)
    for arm, interrupted in ended.items():
        which = ", ".join(f"{each.voice} {each.echo_db:g} dB {each.delay_ms} ms" for each in interrupted)
        print(
            f"{arm:<8} {name}: ended itself {len(interrupted)} of {len(row)}, paused {paused[arm]} times; {which}",
            flush=True,
        )
    return seconds


if __name__ == "__main__":
    raise SystemExit(main())
