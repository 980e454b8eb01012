"""Number of transcripts that contain a sentence twice, or that were rejected although somebody clearly spoke.

Every human clip is played to a whole session, followed by 1, 3 or 8 s of silence or low noise, and also with a voice
before it (a recording of a wake word). The requests to the model are counted.

    python benchmarks/voice/transcripts.py [--baseline-tree PATH] [--speech FOLDER]
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.audio.cards.recordings import read_recording
from benchmarks.voice.listening import (
    Arm,
    Clip,
    Heard,
    Pcm,
    arms,
    clips,
    letters,
    low_noise,
    parser_of,
    silence,
    times,
)
from benchmarks.voice.wav_files import written

BEHIND_S = (1.0, 3.0, 8.0)
REPLY = "Okay."
BEFORE = ("2", "37", "45")
"""Recordings of a wake word that are played 0.3 s before a clip, as another voice. Whisper has difficulty with these
three."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A recording to be played."""

    name: str
    clip: Clip
    before: Pcm
    behind: Pcm


@dataclass(slots=True)
class Count:
    """The outcomes of the cases."""

    cases: int = 0
    doubled: int = 0
    rejected: int = 0
    silent: int = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all cases and print the table."""
    chosen = parser_of(__doc__).parse_args(arguments)
    with arms(chosen.baseline_tree, REPLY) as (folder, running):
        counts = {name: Count() for name in running}
        for case in _cases(chosen.speech):
            path = written(folder / "heard.wav", case.before, case.clip.whole, case.behind)
            for name, arm in running.items():
                _add(counts[name], name, case, _hear(arm, path, case))
    print(f"\n{'':<10} {'cases':>6} {'doubled':>8} {'rejected':>9} {'without a word':>15}   human recordings")
    for name, count in counts.items():
        print(f"{name:<10} {count.cases:>6} {count.doubled:>8} {count.rejected:>9} {count.silent:>15}")
    return 0


def _cases(speech: Path) -> list[Case]:
    cases = []
    voices = {name: read_recording(speech / "alexa" / f"{name}.flac") for name in BEFORE}
    for clip in clips(speech):
        for seconds in BEHIND_S:
            for kind, behind in (("silence", silence(seconds)), ("noise", low_noise(seconds))):
                cases.append(
                    Case(name=f"{clip.name} + {seconds:g} s {kind}", clip=clip, before=silence(0.5), behind=behind)
                )
        for name, voice in voices.items():
            cases.append(Case(name=f"voice {name} + {clip.name}", clip=clip, before=voice, behind=silence(3)))
    return cases


def _hear(arm: Arm, path: Path, case: Case) -> Heard:
    return arm.hear(path, language=case.clip.language, no_wake=True)


def _add(count: Count, arm: str, case: Case, heard: Heard) -> None:
    count.cases += 1
    rejected = [event["reason"] for event in heard.all("speech_rejected")]
    repeated = [text for text in heard.asked if _is_doubled(text, case.clip)]
    count.doubled += bool(repeated)
    nothing = not heard.asked
    count.rejected += nothing
    count.silent += nothing and not heard.spoken
    if repeated or nothing:
        print(f"{arm:<8} {case.name:<36} {'; '.join(repeated) or 'rejected: ' + ', '.join(rejected)}", flush=True)


def _is_doubled(text: str, clip: Clip) -> bool:
    """Whether a text contains the end of a clip's sentence twice."""
    ending = letters(clip.said or text)[-6:]
    return letters(text).count(ending) > 1 or bool(clip.said and times(text, clip.said) > 1.6)


if __name__ == "__main__":
    raise SystemExit(main())
