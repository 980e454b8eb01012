"""The measured table of voice: each row's benchmark, one after another, with what is wanted of it.

    python -m benchmarks.voice.table [--part turns guesses …] [--full] [--baseline-tree DIR] [--list]

Without ``--full`` each part takes few recordings and at most about five minutes on two cores. A part is a script of its
own and has more options there. Every part runs its baseline in the same run. Nothing else should run on the computer.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A row of the table.

    Attributes:
        wanted: what is wanted.
        module: the benchmark, in ``benchmarks.voice``.
        brief: arguments for a short run.
        full: arguments for the whole run.
        takes_baseline: whether the benchmark can also run another checkout.
    """

    wanted: str
    module: str
    brief: tuple[str, ...] = ()
    full: tuple[str, ...] = ()
    takes_baseline: bool = True


PARTS: dict[str, Part] = {
    "turns": Part(
        wanted="end of speech to first sound, first and later turns: p50 at most 0.25 of B0, 0.5 of B1, below pipecat; "
        "p95 at most 0.6 of B1",
        module="voice_latency",
        brief=("--part", "turns", "--clips", "2"),
        full=("--part", "turns", "--rounds", "3"),
    ),
    "cuts": Part(
        wanted="sentences taken for ended in a pause: no more than B1",
        module="voice_latency",
        brief=("--part", "cuts", "--clips", "2"),
        full=("--part", "cuts"),
    ),
    "interruptions": Part(
        wanted="beginning of an interruption to silence: p50 at most 0.2 s, p95 0.35 s",
        module="voice_latency",
        brief=("--part", "interruptions", "--arms", "pipecat", "Sori"),
        full=("--part", "interruptions", "--arms", "pipecat", "Sori", "--rounds", "3"),
    ),
    "guesses": Part(
        wanted="right guesses: confirmation to first sound p50 at most 0.1 s; at least 80 % right; at most 0.7 extra "
        "requests a turn",
        module="turn.early_answers",
        brief=("--cuts", "1", "--pauses", "0.7"),
        full=("--cuts", "4", "--pauses", "0.4", "0.7", "1.0"),
    ),
    "pauses": Part(
        wanted="sentences talked into: at most 0.65 of a silence timeout with the same mean delay",
        module="pauses",
        brief=("--cuts", "2"),
        full=("--cuts", "4", "--synthetic"),
    ),
    "recogniser": Part(
        wanted="after the end of speech at most 0.15 of batch transcribe(); character error at most 0.5 points more",
        module="recogniser_keeps_up",
        takes_baseline=False,
    ),
    "barge-in": Part(
        wanted="duck at most 0.12 s; silence p50 at most 0.2 s, p95 0.35 s; yielded 95 %; agreements and coughs "
        "survived 80 %",
        module="barge_in.interruption",
        brief=("--every", "8"),
    ),
    "self-interruption": Part(
        wanted="answers that end themselves: 0 in 30 minutes of speech",
        module="barge_in.self_interruption",
    ),
    "wake": Part(
        wanted="recall within 1 point of the detector that scores always; false accepts at most 0.5 an hour; at most "
        "0.15 of its cost, 10 ms a second in silence",
        module="waking.wake_word",
        brief=("--sensitivity", "0.5", "--read-minutes", "10"),
        full=("--sensitivity", "0.5", "0.3", "--read-minutes", "120"),
        takes_baseline=False,
    ),
    "names": Part(
        wanted="false rejects below 5 %, false accepts below 2.5 % of other onsets (synthetic onsets, and human ones)",
        module="waking.self_enrolment",
        brief=("--voices", "kf_sori", "hf_alpha", "hm_omega"),
        takes_baseline=False,
    ),
    "embedded": Part(
        wanted="Sori's own model, from the third turn on: end of speech to first sound p50 at most 2.0 s; gaps between "
        "sentences p95 at most 0.3 s",
        module="turn.embedded",
        brief=("--turns", "5"),
        full=("--turns", "10"),
    ),
    "idle": Part(
        wanted="everything on, nobody speaks: at most 1.5 % of a core",
        module="turn.idle",
        brief=("--seconds", "60"),
        full=("--seconds", "600"),
        takes_baseline=False,
    ),
    "long": Part(
        wanted="a long conversation ends as healthy as it began",
        module="long_conversation",
        brief=("--minutes", "4"),
        full=("--minutes", "60"),
        takes_baseline=False,
    ),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen parts; exit status 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--full", action="store_true", help="take all recordings; the whole table then takes hours")
    parser.add_argument("--baseline-tree", type=Path, help="another checkout, for the parts that can run one")
    parser.add_argument("--list", action="store_true", help="only print the parts and what is wanted")
    chosen = parser.parse_args(arguments)
    failed = []
    for name in chosen.part:
        part = PARTS[name]
        print(f"\n== {name}: {part.wanted}", flush=True)
        if chosen.list:
            continue
        command = command_of(part, full=chosen.full, baseline=chosen.baseline_tree)
        began = time.monotonic()
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            failed.append(name)
        print(f"-- {name} took {time.monotonic() - began:.0f} s", flush=True)
    if failed:
        print(f"\nfailed: {', '.join(failed)}")
    return 1 if failed else 0


def command_of(part: Part, *, full: bool, baseline: Path | None) -> list[str]:
    """The command of a part."""
    command = [sys.executable, "-m", f"benchmarks.voice.{part.module}", *(part.full if full else part.brief)]
    if baseline is not None and part.takes_baseline:
        command += ["--baseline-tree", str(baseline.resolve())]
    return command


if __name__ == "__main__":
    sys.exit(main())
