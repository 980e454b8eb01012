"""What names gain by the enrolment that Sori makes with its own voices.

All names of the cast are enrolled, as for 15 agents, by the voices that Sori has apart from the one that calls. Then
``Enrolments`` and ``AgentCalls`` decide as in the voice loop, without the enrolment (``without``) and with it. The
calls are synthetic and the voices are of the same families, so the rates of missed calls are optimistic. With
``--keep`` it reads what ``spoken_names.py --keep FILE`` has heard, and hears nothing.

    python benchmarks/voice/waking/self_enrolment.py [--cast eighth] [--voices NAME ...] [--keep FILE ...] [--list]
"""

import argparse
import contextlib
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from assistant.chat.agents.calling import NOT_COMPARED, Called, called_in, undecided
from assistant.chat.agents.enrolments import EnrolledWords, Enrolments
from assistant.core.records.agents import AgentId
from assistant.host.places import default_home, models_folder
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.speech.text.names.calls import alike
from assistant.speech.text.names.enrolment import enrolled, resembles
from assistant.speech.text.names.evidence import Enroller
from assistant.speech.text.names.likelihood import LEAST, POSSIBLE
from assistant.speech.wake.likeness import Steps
from benchmarks.voice.waking.called_sounds import ENROLMENT, Voices
from benchmarks.voice.waking.casts import CASTS, Cast
from benchmarks.voice.waking.spoken_names import NOISE_DB, Heard, hear_all, steps_of

WITHOUT, WITH = "without", "Sori's own voices"


class Agents:
    """Agents with the names of a cast.

    Args:
        cast: the names.
        heard: the onsets; those of enrolments are the words of Sori's voices.
    """

    def __init__(self, cast: Cast, heard: Sequence[Heard]) -> None:
        self._phrases = [(AgentId(name=f"agent{index}"), name) for index, name in enumerate(cast.every_name)]
        self._takes: Mapping[str, list[Heard]] = defaultdict(list)
        for each in heard:
            if each.kind == ENROLMENT and _is_phrase(each.phrase, each):
                self._takes[each.phrase].append(each)
        self._steps = {id(take): steps_of(take.word) for takes in self._takes.values() for take in takes}
        self._known: dict[str, Enrolments] = {}

    def called(self, heard: Heard, name: str, *, enrolled_: bool) -> bool:
        """Whether an onset calls the agent of a name, if it is the only agent that can be called."""
        found = self._called(heard, [each for each in self._phrases if each[1] == name], enrolled_=enrolled_)
        return found is not None

    def _called(self, heard: Heard, phrases: Sequence[tuple[AgentId, str]], *, enrolled_: bool) -> Called | None:
        """As ``NameHearing`` decides."""
        known = self._enrolments(heard.voice) if enrolled_ else Enrolments()
        transcript = Transcript(text=heard.text, language=heard.language, samples=0)
        fits = {name: heard.fits.get(name, LEAST - 9) for _, name in phrases}
        weighed = Weighed(transcript=transcript, fits=fits, continued=heard.continued)
        found = called_in(weighed, phrases, known, NOT_COMPARED, "")
        if undecided(weighed, found, known):
            found = called_in(weighed, phrases, known, known.compare(self._whole(heard), weighed), "")
        return found

    def _whole(self, heard: Heard) -> Steps:
        if id(heard) not in self._steps:
            self._steps[id(heard)] = steps_of(heard.whole)
        return self._steps[id(heard)]

    def _enrolments(self, caller: str) -> Enrolments:
        """What all voices apart from the caller's know."""
        voices = {take.voice for takes in self._takes.values() for take in takes}
        key = caller if caller in voices else ""
        if key not in self._known:
            words, own = [], []
            for agent, name in self._phrases:
                takes = [take for take in self._takes[name] if take.voice != key]
                if takes:
                    steps = [self._steps[id(take)] for take in takes]
                    words.append(EnrolledWords(phrase=name, enroller=Enroller.SORI, takes=steps, only=True))
                    texts = [take.text for take in takes if resembles(name, take.text)]
                    others = [other for _, other in self._phrases if other != name]
                    own.append((agent, name, enrolled(name, texts, others).spellings))
            self._known[key] = Enrolments(words=words, own=own)
        return self._known[key]


def _is_phrase(name: str, take: Heard) -> bool:
    return resembles(name, take.text) or take.fits.get(name, LEAST - 9) >= POSSIBLE


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the rates of both ways."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", type=Path, nargs="+", help="files of what was heard; nothing is heard anew")
    parser.add_argument("--cast", choices=list(CASTS), default="eighth")
    parser.add_argument("--models", type=Path, default=models_folder(default_home()), help="folder of the models")
    parser.add_argument("--voices", nargs="+", help="hear only these voices, and no recordings; human for those")
    parser.add_argument("--list", action="store_true", help="also list missed calls and false wakes")
    chosen = parser.parse_args(arguments)
    heard = _kept(chosen.keep) if chosen.keep else _heard(chosen.models, CASTS[chosen.cast], chosen.voices)
    agents = Agents(CASTS[chosen.cast], heard)
    onsets = [each for each in heard if each.kind != ENROLMENT]
    for way in (WITHOUT, WITH):
        print(f"\n{way}")
        _report_calls(onsets, CASTS[chosen.cast], agents, enrolled_=way == WITH, shown=chosen.list)
        _report_wrong(onsets, CASTS[chosen.cast], agents, enrolled_=way == WITH, shown=chosen.list)
    return 0


def _kept(paths: Sequence[Path]) -> list[Heard]:
    lines = {line for path in paths for line in path.read_text("utf-8").splitlines()}
    return [Heard(**json.loads(line)) for line in sorted(lines)]


def _heard(models: Path, cast: Cast, wanted: Sequence[str] | None) -> list[Heard]:
    with contextlib.closing(Voices(models, None, None)) as voices:
        return list(hear_all(models, 2, voices, NOISE_DB, cast, ["likelihood"], set(), wanted))


def _report_calls(heard: Sequence[Heard], cast: Cast, agents: Agents, *, enrolled_: bool, shown: bool) -> None:
    for kind in dict.fromkeys(each.kind for each in heard):
        for language, names in cast.names.items():
            calls = [each for each in heard if each.kind == kind and each.phrase in names]
            missed = [each for each in calls if not agents.called(each, each.phrase, enrolled_=enrolled_)]
            if not calls:
                continue
            print(f"  {language}: missed {len(missed)} of {len(calls)} ({kind})")
            voices = dict.fromkeys(each.voice for each in calls)
            if len(voices) < len(calls) // 2:
                print("     ", ", ".join(f"{voice} {sum(each.voice == voice for each in missed)}" for voice in voices))
            for each in missed if shown else ():
                print(f"      {each.label}: {each.text!r}, fit {each.fits.get(each.phrase, LEAST - 9):.1f}")


def _report_wrong(heard: Sequence[Heard], cast: Cast, agents: Agents, *, enrolled_: bool, shown: bool) -> None:
    for kind in dict.fromkeys(each.kind for each in heard):
        onsets = [each for each in heard if each.kind == kind]
        pairs = [(each, name) for each in onsets for name in cast.every_name if not _same(name, each.phrase)]
        wrong = [(each, name) for each, name in pairs if agents.called(each, name, enrolled_=enrolled_)]
        names = ", ".join(sorted({name for _, name in wrong}))
        onsets_ = len({id(each) for each, _ in wrong})
        print(
            f"  {kind}: {onsets_} of {len(onsets)} onsets and {len(wrong)} of {len(pairs)} pairs wake another {names}"
        )
        for each, name in wrong if shown else ():
            print(f"      {each.label}: {each.text!r}, wakes {name}, fit {each.fits.get(name, LEAST - 9):.1f}")


def _same(name: str, phrase: str) -> bool:
    return name == phrase or (bool(phrase) and alike(name, phrase))


if __name__ == "__main__":
    sys.exit(main())
