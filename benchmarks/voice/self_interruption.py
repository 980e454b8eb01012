"""How often Sori interrupts its own first answer, by voice, room, delay and loudspeaker.

Every voice speaks an answer, and the microphone hears nothing but its echo and faint noise. The listener is new in each
case, so the answer is its first. A linear loudspeaker is heard in a room without and with 0.25 s of reverberation. A
distorting one (``tanh``, see ``DRIVE``) is heard in the same rooms. The delay of the reverberant echo also jumps in the
middle of the answer.

    python benchmarks/voice/self_interruption.py [--baseline-tree PATH] [--every 3] [--skip 1]

The arms alternate in each case.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.app.host.model_store import open_store
from assistant.app.host.places import default_home
from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Voice
from benchmarks.voice.interruption import WORKER, Ears
from benchmarks.voice.listening import ROOT, Pcm, low_noise
from benchmarks.voice.wav_files import written
from tests.unit.audio.sounds import in_room

ANSWERS = {
    "ko": "정원에는 오래된 사과나무 일곱 그루와 작은 연못이 있어요. 아침에는 새들이 노래해요.",
    "en": "Let me tell you about the garden. It has seven old apple trees and a little pond. "
    "In the morning the birds sing there.",
}
ECHOES_DB = (-6.0, -12.0, -20.0)
DELAYS_MS = (20, 40, 60, 100, 150, 230)
DISTORTED_DELAYS_MS = (20, 60, 150)
JUMPS_MS = ((60, 120), (150, 100))
REVERBERATIONS_S = (0.0, 0.25)
DRIVE = 3.0
"""Factor of the loudest sample before ``tanh``. At 3, the part that a linear gain cannot explain is 13 to 16 dB below
the echo."""
BEFORE_S = 1.0
AFTER_S = 0.5
ROOM_DB = -75.0

Echo = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One answer through one loudspeaker in one room.

    Attributes:
        reverberation_s: time in which the room's response decays by 60 dB; 0 for the direct sound alone.
        then_ms: delay of the answer's second half; ``None`` without a jump.
    """

    voice: str
    echo_db: float
    delay_ms: int
    reverberation_s: float
    distorted: bool = False
    then_ms: int | None = None

    @property
    def table(self) -> str:
        """The name of the table's row."""
        speaker = "distorting" if self.distorted else "linear"
        jump = "" if self.then_ms is None else ", delay jumps"
        return f"{speaker} loudspeaker, reverberation {self.reverberation_s:g} s{jump}"


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
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arms = {name: stack.enter_context(Ears(WORKER, tree)) for name, tree in trees.items()}
        for name, row in rows.items():
            _report(name, row[chosen.skip :: chosen.every], answers, arms, folder)
    return 0


def cases(voices: Sequence[str]) -> Iterator[Case]:
    """Every combination, row by row."""
    for room, level, delay, voice in product(REVERBERATIONS_S, ECHOES_DB, DELAYS_MS, voices):
        yield Case(voice=voice, echo_db=level, delay_ms=delay, reverberation_s=room)
        if delay in DISTORTED_DELAYS_MS:
            yield Case(voice=voice, echo_db=level, delay_ms=delay, reverberation_s=room, distorted=True)
    for level, (before, after), voice in product(ECHOES_DB, JUMPS_MS, voices):
        yield Case(voice=voice, echo_db=level, delay_ms=before, reverberation_s=0.25, then_ms=after)


def spoken_answers() -> dict[str, Pcm]:
    """The answer in the voices of every synthesiser, at 16 kHz, by voice."""
    store = open_store(default_home())
    found = {}
    for declared in synthesizers().engines.values():
        store.ensure(declared.models)
        engine = declared.create(store.path, 1)
        for named in declared.voices:
            voice = Voice(language=named.language, name=named.name)
            pcm = np.concatenate(list(engine.synthesize(ANSWERS[named.language], voice)))
            found[named.name] = resample(pcm, engine.sample_rate, SAMPLE_RATE)
        engine.close()
    return found


def signals(case: Case, answer: Pcm) -> tuple[Pcm, Pcm]:
    """The microphone's sound and the played sound of a case."""
    played = np.concatenate((_silence(BEFORE_S), answer, _silence(AFTER_S)))
    emitted = _distorted(played) if case.distorted else played
    heard = low_noise(len(played) / SAMPLE_RATE, ROOM_DB)[: len(played)] + _echo(case, emitted, case.delay_ms)
    if case.then_ms is not None:
        half = len(played) // 2
        heard[half:] = low_noise(len(played) / SAMPLE_RATE, ROOM_DB)[half : len(played)]
        heard[half:] += _echo(case, emitted, case.then_ms)[half:]
    return np.clip(heard, -32_768, 32_767).astype(np.int16), played


def _report(name: str, row: list[Case], answers: dict[str, Pcm], arms: dict[str, Ears], folder: Path) -> None:
    found: dict[str, list[Case]] = {arm: [] for arm in arms}
    for case in row:
        heard, played = signals(case, answers[case.voice])
        files = written(folder / "heard.wav", heard), written(folder / "played.wav", played)
        for arm, ears in arms.items():
            if ears.interrupted_at_s(*files) is not None:
                found[arm].append(case)
    for arm, interrupted in found.items():
        which = ", ".join(f"{each.voice} {each.echo_db:g} dB {each.delay_ms} ms" for each in interrupted)
        print(f"{arm:<8} {name}: interrupted itself {len(interrupted)} of {len(row)}  {which}", flush=True)


def _distorted(played: Pcm) -> Pcm:
    loudest = float(np.abs(played.astype(np.float64)).max())
    driven: Pcm = np.rint(loudest * np.tanh(DRIVE * played / loudest) / np.tanh(DRIVE)).astype(np.int16)
    return driven


def _echo(case: Case, emitted: Pcm, delay_ms: int) -> Echo:
    if case.reverberation_s:
        return in_room(emitted, delay_ms=delay_ms, gain_db=case.echo_db, reverberation_s=case.reverberation_s)
    late = delay_ms * SAMPLE_RATE // 1000
    direct: Echo = np.concatenate((np.zeros(late), emitted[:-late].astype(np.float64))) * 10 ** (case.echo_db / 20)
    return direct


def _silence(seconds: float) -> Pcm:
    return np.zeros(round(seconds * SAMPLE_RATE), np.int16)


if __name__ == "__main__":
    raise SystemExit(main())
