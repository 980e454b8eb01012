"""What a name would gain if synthetic voices enrolled it before its user says it.

It reads what ``spoken_names.py --keep FILE`` has heard, so nothing is heard anew. Each name is enrolled by all voices
of its language apart from the one that calls. Recordings, and speech of other languages, are compared with all of them.
The calls are synthetic and the voices are of the same families, so the rates of missed calls are optimistic. Nothing
in the product enrols a name in this way yet.

    python benchmarks/voice/waking/self_enrolment.py --cast held-out --keep FILE [FILE ...]
"""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from assistant.speech.text.names.calls import alike
from assistant.speech.text.names.enrolment import enrolled, resembles
from assistant.speech.text.names.likelihood import CERTAIN, LEAST, POSSIBLE
from assistant.speech.wake.likeness import EnrolledSound, apart
from benchmarks.voice.waking.called_sounds import CALL, ENROLMENT, Cast
from benchmarks.voice.waking.spoken_names import CASTS, Heard, by_likelihood, steps_of

WAYS: Sequence[tuple[str, bool, float, float]] = (
    ("today", False, 0.0, 0.0),
    ("spellings", True, 0.0, 0.0),
    ("sound 0.07 from -13", False, POSSIBLE, 0.07),
    ("sound 0.10 from -10", False, -10.0, 0.10),
    ("spellings, sound 0.10 from -10", True, -10.0, 0.10),
    ("spellings, any sound from -8.5", True, -8.5, 2.0),
)
"""Ways to decide: their label, whether the spellings count, the least fit and the greatest distance of the sound."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pair:
    """An onset and a name.

    Attributes:
        heard, name: the two.
        spellings: those of the name's enrolment.
        distance: how far the onset is from the nearest word of the enrolment; infinite where it decides nothing.
    """

    heard: Heard
    name: str
    spellings: tuple[str, ...]
    distance: float

    def wakes(self, *, spelled: bool, least: float, farthest: float) -> bool:
        """Whether the onset calls the name."""
        near = self.distance <= farthest and self.heard.fits.get(self.name, LEAST) >= least
        # The comparison was made already, and a sound resembles itself.
        itself = (steps_of(self.heard.whole),) if near else ()
        sound = EnrolledSound(phrase=self.name, takes=itself, limit=farthest) if near else None
        return by_likelihood(self.heard, self.name, self.spellings if spelled else (), sound)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rates of each way."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, nargs="+", required=True, help="files of what was heard")
    parser.add_argument("--cast", choices=list(CASTS), default="reported")
    chosen = parser.parse_args(arguments)
    lines = [line for path in chosen.keep for line in path.read_text("utf-8").splitlines()]
    pairs = list(_pairs([Heard(**json.loads(line)) for line in lines], CASTS[chosen.cast]))
    for label, spelled, least, farthest in WAYS:
        print(f"\n{label}")
        woken = [pair for pair in pairs if pair.wakes(spelled=spelled, least=least, farthest=farthest)]
        _report(pairs, woken, CASTS[chosen.cast])
    return 0


def _pairs(heard: Sequence[Heard], cast: Cast) -> Iterator[_Pair]:
    for names in cast.names.values():
        for name in names:
            takes = [each for each in heard if (each.kind, each.phrase) == (ENROLMENT, name)]
            others = [each for each in cast.every_name if each != name]
            known: dict[str, tuple[str, ...]] = {}
            for each in heard:
                if each.kind == ENROLMENT or (each.phrase != name and alike(name, each.phrase)):
                    continue
                used = [take for take in takes if take.voice != each.voice]
                if each.voice not in known:
                    texts = [take.text for take in used if resembles(name, take.text)]
                    known[each.voice] = enrolled(name, texts, others).spellings
                yield _Pair(heard=each, name=name, spellings=known[each.voice], distance=_distance(each, name, used))


def _distance(heard: Heard, name: str, takes: Sequence[Heard]) -> float:
    if not POSSIBLE <= heard.fits.get(name, LEAST) < CERTAIN:
        return float("inf")
    good = (each for each in takes if resembles(name, each.text) or each.fits.get(name, LEAST) >= POSSIBLE)
    whole = steps_of(heard.whole)
    return min((apart(steps_of(each.word), whole) for each in good), default=float("inf"))


def _report(pairs: Sequence[_Pair], woken: Sequence[_Pair], cast: Cast) -> None:
    for language, names in cast.names.items():
        calls = sum(pair.heard.kind == CALL and pair.heard.phrase == pair.name and pair.name in names for pair in pairs)
        found = sum(pair.heard.kind == CALL and pair.heard.phrase == pair.name and pair.name in names for pair in woken)
        print(f"  {language}: missed {calls - found} of {calls} calls")
    for kind in dict.fromkeys(pair.heard.kind for pair in pairs):
        every = {id(pair.heard) for pair in pairs if pair.heard.kind == kind and pair.heard.phrase != pair.name}
        wrong = [pair for pair in woken if pair.heard.kind == kind and pair.heard.phrase != pair.name]
        names = ", ".join(sorted({pair.name for pair in wrong}))
        print(f"  {kind}: {len({id(pair.heard) for pair in wrong})} of {len(every)} onsets wake another name {names}")


if __name__ == "__main__":
    sys.exit(main())
