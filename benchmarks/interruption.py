"""How soon somebody who speaks over an answer is heard, without echo (headphones) and with echo.

A question is answered at length by the English voice. While it speaks, another human recording begins, 0.4 to 5 s after
the answer's first sound; the same is done with echoes of -6 to -20 dB. Then the answer is left alone with each echo, at
several delays, and must never interrupt itself.

    python benchmarks/interruption.py [--baseline-tree PATH] [--speech FOLDER]

Delays run from the first sound of the interrupting recording to the event ``interrupted``.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.listening import Arm, Clip, Heard, arms, clips, parser_of, percentile, silence, written

REPLY = (
    "Let me tell you about the garden. It has seven old apple trees and a little pond. "
    "In the morning the birds sing there. In the evening the neighbours come for tea. "
    "Nobody is ever in a hurry, and everybody brings something to eat. "
    "When it rains they sit under the roof and listen."
)
QUESTION = "en_coffee_order"
ECHOES_DB = (None, -6.0, -12.0, -20.0)
DELAYS_MS = (20, 60, 150)
INTO_ANSWER_S = (0.4, 2.0, 5.0)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--into", type=float, nargs="*", default=list(INTO_ANSWER_S), help="seconds into the answer")
    chosen = parser.parse_args(arguments)
    with arms(chosen.baseline_tree, REPLY) as (folder, running):
        bench = _Bench(folder, running, clips(chosen.speech), chosen.into)
        for language in ("ko", "en"):
            for echo_db in ECHOES_DB:
                bench.interrupt(language, echo_db)
        bench.leave_alone()
    return 0


class _Bench:
    def __init__(self, folder: Path, running: dict[str, Arm], recordings: list[Clip], into_s: Sequence[float]) -> None:
        self._into_s = into_s
        self._folder = folder
        self._arms = running
        self._clips = recordings
        self._question = next(clip for clip in recordings if clip.name == QUESTION)
        self._first_sound_s = {name: self._measure_first_sound(arm) for name, arm in running.items()}

    def _measure_first_sound(self, arm: Arm) -> float:
        """When an answer begins: in audio time the same every time."""
        path = written(self._folder / "question.wav", silence(0.5), self._question.pcm, silence(1))
        return float(arm.hear(path, no_wake=True).all("first_audio")[0]["t"])

    def interrupt(self, language: str, echo_db: float | None) -> None:
        """Every recording of a language over the answer, at several moments."""
        found: dict[str, list[float]] = {name: [] for name in self._arms}
        early = dict.fromkeys(self._arms, 0)
        cases = [(clip, into_s) for clip in self._clips if clip.language == language for into_s in self._into_s]
        for clip, into_s in cases:
            for name, arm in self._arms.items():
                begins_s = self._first_sound_s[name] + into_s
                heard = self._hear(arm, clip, begins_s, echo_db)
                times_s = [event["t"] - begins_s for event in heard.all("interrupted")]
                early[name] += bool(times_s) and times_s[0] < 0
                if times_s and 0 <= times_s[0] < len(clip.pcm) / 16_000 + 1:
                    found[name].append(times_s[0])
        echo = "no echo" if echo_db is None else f"echo {echo_db:g} dB"
        for name, delays_s in found.items():
            print(
                f"{name:<8} {language} {echo:<12} interrupted {len(delays_s):>2} of {len(cases)}, "
                f"median {percentile(delays_s, 50):.2f} s, p95 {percentile(delays_s, 95):.2f} s; "
                f"before anybody spoke {early[name]}",
                flush=True,
            )

    def _hear(self, arm: Arm, clip: Clip, begins_s: float, echo_db: float | None) -> Heard:
        before = (silence(0.5), self._question.pcm)
        wait = silence(begins_s - sum(map(len, before)) / 16_000)
        path = written(self._folder / "heard.wav", *before, wait, clip.pcm, silence(1))
        return arm.hear(path, no_wake=True, echo_gain_db=echo_db)

    def leave_alone(self) -> None:
        """The answer with nobody speaking over it."""
        path = written(self._folder / "alone.wav", silence(0.5), self._question.pcm, silence(1))
        for name, arm in self._arms.items():
            runs = interruptions = lowered = 0
            for echo_db in ECHOES_DB:
                for delay_ms in DELAYS_MS if echo_db is not None else DELAYS_MS[:1]:
                    heard = arm.hear(path, no_wake=True, echo_gain_db=echo_db, echo_delay_ms=delay_ms)
                    runs += 1
                    interruptions += bool(heard.all("interrupted")) or len(heard.asked) > 1
                    lowered += bool(heard.all("resumed"))
            print(f"{name:<8} left alone {runs} times: interrupted itself {interruptions}, lowered its voice {lowered}")


if __name__ == "__main__":
    raise SystemExit(main())
