"""How often a called name is missed, and how often other speech wakes an agent (V-06).

Ten Korean and five English names are said alone and with a request in the same breath. These calls are synthetic
(Kokoro and piper voices, with noise), apart from the recordings of people who say "Alexa". The other speech consists
of human recordings, cut at their pauses and also every 0.4 s, of synthetic sentences, of sentences about the names,
and of calls of other names. Human voices in a room are harder than synthetic ones, so the synthetic rates are lower
limits. The arms judge the same onset:

    transcript     the greedy transcript, compared by its sounds (the way before); the baseline
    five           the transcript and the five best of a beam
    both           the transcripts in Korean and in English
    likelihood     the transcript, and how well the name itself fits the sound

Each name is also enrolled: one voice says it at three speeds. Then the spellings that this adds count (``transcript``),
or the spellings and the enrolled sound (``likelihood``). The limits were chosen with ``--cast tuning``: other names,
other voices, other sentences. A few were refined after a look at the reported names, and again at ``looked-at``. So
``--cast held-out`` has names and sentences that were written afterwards. With ``--seconds`` and ``--keep`` the onsets
are heard in several runs.

    python benchmarks/voice/waking/spoken_names.py [--styles DIR] [--keep FILE] [--sounds DIR] [--seconds 280]
"""

import argparse
import base64
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np

from assistant.chat.agents.calling import called_by_sound
from assistant.core.audio import SAMPLE_RATE
from assistant.core.records.agents import AgentId
from assistant.host.places import default_home, models_folder
from assistant.speech.stt.faster_whisper import MODEL, SHORT_WINDOW, FasterWhisper, padded
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.speech.text.names.calls import alike, called
from assistant.speech.text.names.enrolment import TAKES, enrolled, resembles
from assistant.speech.text.names.likelihood import LEAST, POSSIBLE, over_silence, writings
from assistant.speech.wake.likeness import EnrolledSound, Steps, enrolled_sound, nearest, normalised
from assistant.speech.wake.word_sound import WordSound, create
from assistant.voice.waking.own_takes import noisy
from benchmarks.voice.waking.called_sounds import (
    CALL,
    CALL_KO,
    CALL_OTHER,
    ENROLMENT,
    HUMAN,
    HUMAN_CALL,
    HUMAN_CALL_KO,
    HUMAN_CUT,
    SENTENCE,
    TALK,
    Pcm,
    Said,
    Voices,
    human,
    synthetic,
)
from benchmarks.voice.waking.casts import CASTS, Cast

NOISE_DB = (25.0, 12.0)
_NUMBERS = 96
_SOME = 3
"""Names of a usual user, for the cost of weighing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One onset and what was made of it.

    Attributes:
        kind, phrase, language, voice, label: what was said, by which voice.
        text: the greedy transcript.
        five: the transcripts of the beam.
        english: the transcript in English.
        fits, continued: as in ``Weighed``.
        cost_s: processor seconds of each way.
        word, whole: the sound of the word and of the whole onset, as base64 of half-precision numbers.
    """

    kind: str
    phrase: str
    language: str
    voice: str
    label: str
    text: str
    five: list[str]
    english: str
    fits: dict[str, float]
    continued: dict[str, str]
    cost_s: dict[str, float]
    word: str
    whole: str


def main(arguments: Sequence[str] | None = None) -> int:
    """Hear all onsets and print the rates; status 3 if onsets are left for another run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, default=models_folder(default_home()), help="folder of the models")
    parser.add_argument("--styles", type=Path, help="folder with further style files of Kokoro")
    parser.add_argument("--noise", type=float, nargs="+", default=NOISE_DB, help="signal to noise in dB, in turn")
    parser.add_argument("--keep", type=Path, help="file of what was heard; what is in it is not heard anew")
    parser.add_argument("--sounds", type=Path, help="folder where synthesised onsets are kept for further runs")
    parser.add_argument("--arms", nargs="+", choices=list(ARMS), default=list(ARMS), help="the ways to hear with")
    parser.add_argument("--voices", nargs="+", help="only these voices, and no recordings; human for the recordings")
    parser.add_argument("--threads", type=int, default=2, help="threads of the recogniser")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no onset after this time")
    parser.add_argument("--cast", choices=list(CASTS), default="reported")
    chosen = parser.parse_args(arguments)
    cast = CASTS[chosen.cast]
    heard: list[Heard] = []
    if chosen.keep is not None and chosen.keep.exists():
        heard = [Heard(**json.loads(line)) for line in chosen.keep.read_text("utf-8").splitlines()]
    until = time.monotonic() + chosen.seconds
    known = {(each.kind, each.phrase, each.label) for each in heard}
    voices = Voices(chosen.models, chosen.styles, chosen.sounds)
    for each in hear_all(chosen.models, chosen.threads, voices, chosen.noise, cast, chosen.arms, known, chosen.voices):
        heard.append(each)
        if chosen.keep is not None:
            with chosen.keep.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(each), ensure_ascii=False) + "\n")
        if time.monotonic() > until:
            print(f"{len(heard)} onsets heard; run again for the rest")
            return 3
    voices.close()
    for arm in chosen.arms:
        print(f"\n{arm}")
        _report(heard, cast, ARMS[arm])
    _report_costs(heard)
    _report_enrolment(heard, cast)
    return 0


def hear_all(
    models: Path,
    threads: int,
    voices: Voices,
    noise: Sequence[float],
    cast: Cast,
    arms: Sequence[str],
    known: set[tuple[str, str, str]],
    wanted: Sequence[str] | None,
) -> Iterator[Heard]:
    """Hear the onsets of a cast that are not ``known``; of the ``wanted`` voices, if any."""
    recognizer, word_sound = FasterWhisper(models / MODEL, threads=threads), create(lambda name: models / name)
    ears = _Ears(recognizer, word_sound, cast.every_name, arms)
    ears.hear(Said(kind="", phrase="", language="ko", text=""), np.zeros(SAMPLE_RATE, np.int16))
    for said, pcm in human() if wanted is None or "human" in wanted else ():
        if (said.kind, said.phrase, said.label) not in known:
            yield ears.hear(said, pcm)
    for index, said in enumerate(synthetic(cast)):
        if wanted is not None and (said.voice or said.engine) not in wanted:
            continue
        if (said.kind, said.phrase, said.label) in known or not voices.can(said):
            continue
        # Two kinds of calls follow each other, so the noise alternates name by name as well.
        level = noise[0] if said.kind == ENROLMENT else noise[(index + index // 5) % len(noise)]
        random = np.random.default_rng(crc32(f"{said.phrase}{said.label}".encode()))
        yield ears.hear(said, noisy(voices.say(said), level, random))


class _Ears:
    """Hears an onset in each way of ``arms``."""

    def __init__(
        self, recognizer: FasterWhisper, word_sound: WordSound, names: Sequence[str], arms: Sequence[str]
    ) -> None:
        self._recognizer, self._word_sound, self._names, self._arms = recognizer, word_sound, names, arms

    def hear(self, said: Said, pcm: Pcm) -> Heard:
        language, costs = said.read_in or said.language, dict[str, float]()

        def timed(way: str, work: Callable[[], Any]) -> Any:
            began = time.process_time()
            result = work()
            costs[way] = time.process_time() - began
            return result

        read = self._recognizer.transcribe
        few = {name: writings(name, language) for name in self._names[:_SOME]}
        every = {name: writings(name, language) for name in self._names}
        if said.kind in {HUMAN, HUMAN_CUT}:
            timed("transcript", lambda: read(pcm, language=language, draft=True))
            timed(f"likelihood of {_SOME}", lambda: self._weigh(pcm, few, language))
        weighed = timed(f"likelihood of {len(every)}", lambda: self._weigh(pcm, every, language))
        text = weighed.transcript.text  # the same as that of a draft
        five, english = [], text
        if said.kind != ENROLMENT and "five" in self._arms:
            five = timed("five", lambda: self._five(pcm, language))
        if said.kind != ENROLMENT and language != "en" and "both" in self._arms:
            english = timed("both", lambda: read(pcm, language="en", draft=True)).text
        whole = timed("sound", lambda: self._word_sound.whole(pcm))
        return Heard(
            kind=said.kind,
            phrase=said.phrase,
            language=language,
            voice=said.voice or said.engine or said.text,
            label=said.label,
            text=text,
            five=five,
            english=english,
            fits={name: round(fit, 2) for name, fit in weighed.fits.items()},
            continued=dict(weighed.continued),
            cost_s={way: round(cost, 4) for way, cost in costs.items()},
            word=_written(self._word_sound.word(pcm)) if said.kind in {ENROLMENT, HUMAN_CALL} else "",
            whole=_written(whole),
        )

    def _weigh(self, pcm: Pcm, phrases: Mapping[str, Sequence[str]], language: str) -> Weighed:
        weighed = self._recognizer.weigh(pcm, phrases, language=language, least=POSSIBLE)
        return replace(weighed, fits=over_silence(weighed.fits, weighed.silent))

    def _five(self, pcm: Pcm, language: str) -> list[str]:
        """The five best transcripts of a beam, which no part of the product uses."""
        model: Any = self._recognizer._model  # noqa: SLF001
        tokenizer = model._tokenizers[language]  # noqa: SLF001
        result = model._model.generate(  # noqa: SLF001
            model.encode(model.features(padded(pcm, SHORT_WINDOW))),
            [model._numbers([*tokenizer.sot_sequence, tokenizer.no_timestamps])],  # noqa: SLF001
            beam_size=5,
            num_hypotheses=5,
            max_length=64,
            suppress_tokens=model._suppressed,  # noqa: SLF001
        )[0]
        return [model.text_of(model._numbers(each), language) for each in result.sequences_ids]  # noqa: SLF001


def _written(steps: Steps) -> str:
    return base64.b64encode(steps.astype("<f2").tobytes()).decode()


def steps_of(written: str) -> Steps:
    """The sound that an onset keeps as text."""
    return normalised(np.frombuffer(base64.b64decode(written), "<f2").reshape(-1, _NUMBERS).astype(np.float32))


# Arms


def _by_transcript(heard: Heard, name: str) -> bool:
    return called(heard.text, name) is not None


def _by_five(heard: Heard, name: str) -> bool:
    return any(called(text, name) is not None for text in (heard.text, *heard.five))


def _in_both(heard: Heard, name: str) -> bool:
    return any(called(text, name) is not None for text in (heard.text, heard.english))


def by_likelihood(heard: Heard, name: str, spellings: Sequence[str] = (), sound: EnrolledSound | None = None) -> bool:
    """As ``AgentCalls.find_in`` decides for an agent with this name."""
    found = next((call for each in (name, *spellings) if (call := called(heard.text, each)) is not None), None)
    fit = heard.fits.get(name, LEAST)
    if found is not None and (found.opened or fit >= LEAST):
        return True
    transcript = Transcript(text=heard.text, language=heard.language, samples=0)
    weighed = Weighed(transcript=transcript, fits={name: fit}, continued=heard.continued)
    return called_by_sound(weighed, [(AgentId(), name)], "", lambda _: _sounds_like(heard, sound)) is not None


def _sounds_like(heard: Heard, sound: EnrolledSound | None) -> bool:
    return sound is not None and nearest(sound.takes, steps_of(heard.whole)) <= sound.limit


Arm = Callable[[Heard, str], bool]
ARMS: Mapping[str, Arm] = {
    "transcript": _by_transcript,
    "five": _by_five,
    "both": _in_both,
    "likelihood": by_likelihood,
}


# Reports


def _report(heard: Sequence[Heard], cast: Cast, wakes: Arm) -> None:
    for kind in (CALL, CALL_KO, CALL_OTHER, HUMAN_CALL, HUMAN_CALL_KO):
        for language, names in cast.names.items():
            calls = [each for each in heard if each.kind == kind and each.phrase in names]
            if calls:
                _report_missed(f"{kind}, {language} names", calls, wakes)
    for kind in (HUMAN, HUMAN_CUT, SENTENCE, TALK, CALL, HUMAN_CALL):
        onsets = [each for each in heard if each.kind == kind]
        pairs = [(each, name) for each in onsets for name in cast.every_name if not alike(name, each.phrase)]
        wrong = [(each, name) for each, name in pairs if wakes(each, name)]
        woken = len({id(each) for each, _ in wrong})
        print(
            f"{kind}: {len(wrong)} of {len(pairs)} onset-name pairs wake wrongly; with all {len(cast.every_name)} "
            f"names {woken} of {len(onsets)} onsets"
        )
        for each, name in wrong:
            fit = each.fits.get(name, LEAST)
            print(f"    {each.label}: heard {each.text!r}, wakes {name} (fit {fit:.1f}, {each.continued.get(name)!r})")


def _report_missed(label: str, calls: Sequence[Heard], wakes: Arm) -> None:
    missed = [each for each in calls if not wakes(each, each.phrase)]
    print(f"{label}: missed {len(missed)} of {len(calls)} ({len(missed) / len(calls):.1%})")
    voices = dict.fromkeys(each.voice for each in calls)
    if len(voices) < len(calls) // 2:
        counts = (f"{voice} {sum(each.voice == voice for each in missed)}" for voice in voices)
        print(f"    of {len(calls) // len(voices)} each: {', '.join(counts)}")
    for each in missed:
        print(f"    {each.label}: heard {each.text!r} (fit {each.fits.get(each.phrase, LEAST):.1f})")


def _report_costs(heard: Sequence[Heard]) -> None:
    print("\nprocessor seconds for an onset, median and 95 of 100")
    for way in dict.fromkeys(way for each in heard for way in each.cost_s):
        costs = sorted(each.cost_s[way] for each in heard if way in each.cost_s)
        print(f"    {way}: {costs[len(costs) // 2]:.3f} {costs[int(len(costs) * 0.95)]:.3f}")


@dataclass(slots=True)
class _Counts:
    calls: int = 0
    missed: int = 0
    spelled: int = 0
    weighed: int = 0
    learnt: int = 0


def _report_enrolment(heard: Sequence[Heard], cast: Cast) -> None:
    """How many calls are missed, and how much other speech wakes, with and without enrolments."""
    print("\nenrolled")
    other = [each for each in heard if each.kind != ENROLMENT]
    for language, names in cast.names.items():
        counts = {"the same voice": _Counts(), "other voices": _Counts()}
        pairs = unlike = spellings = 0
        wrong = _Counts()
        calls = [each for each in heard if each.kind == CALL and each.phrase in names]
        for name in names:
            for voice in dict.fromkeys(each.voice for each in calls):
                takes = [each for each in heard if (each.kind, each.phrase, each.voice) == (ENROLMENT, name, voice)]
                added, sound = _enrolment(name, takes, cast)
                spellings, unlike = spellings + len(added), unlike + (sound is None)
                for each in (each for each in calls if each.phrase == name):
                    _count(
                        counts["the same voice" if each.voice == voice else "other voices"], each, name, added, sound
                    )
                for each in (each for each in other if not alike(name, each.phrase)):
                    pairs += 1
                    before = by_likelihood(each, name)
                    wrong.spelled += not _by_transcript(each, name) and _by_spellings(each, name, added)
                    wrong.learnt += not before and by_likelihood(each, name, added, sound)
        for whose, count in counts.items():
            print(
                f"{language} names, calls of {whose}: of {count.calls} missed by the transcript {count.missed}, with "
                f"spellings {count.spelled}, by likelihood {count.weighed}, with spellings and sound {count.learnt}"
            )
        print(
            f"    {spellings} spellings, {unlike} enrolments without a sound; of {pairs} pairs of other speech "
            f"{wrong.spelled} wake only by spellings, {wrong.learnt} only by spellings and sound"
        )
    _report_alexa(heard, cast)


def _count(count: _Counts, each: Heard, name: str, added: Sequence[str], sound: EnrolledSound | None) -> None:
    count.calls += 1
    count.missed += not _by_transcript(each, name)
    count.spelled += not _by_spellings(each, name, added)
    count.weighed += not by_likelihood(each, name)
    count.learnt += not by_likelihood(each, name, added, sound)


def _report_alexa(heard: Sequence[Heard], cast: Cast) -> None:
    """Every three people enrol the name for all others."""
    people = [each for each in heard if each.kind == HUMAN_CALL]
    if "Alexa" not in cast.every_name or len(people) <= TAKES:
        return
    total = _Counts()
    for start in range(len(people) - TAKES + 1):
        added, sound = _enrolment("Alexa", people[start : start + TAKES], cast)
        for each in people[:start] + people[start + TAKES :]:
            _count(total, each, "Alexa", added, sound)
    print(
        f"Alexa enrolled by three other people: of {total.calls} missed by the transcript {total.missed}, with "
        f"spellings {total.spelled}, by likelihood {total.weighed}, with spellings and sound {total.learnt}"
    )


def _enrolment(name: str, takes: Sequence[Heard], cast: Cast) -> tuple[tuple[str, ...], EnrolledSound | None]:
    texts = [each.text for each in takes if resembles(name, each.text)]
    others = [each for each in cast.every_name if each != name]
    added = enrolled(name, texts, others).spellings
    good = [each for each in takes if resembles(name, each.text) or each.fits.get(name, LEAST) >= POSSIBLE]
    if len(good) < TAKES:
        return added, None
    return added, enrolled_sound(name, [steps_of(each.word) for each in good], [steps_of(each.whole) for each in good])


def _by_spellings(heard: Heard, name: str, spellings: Sequence[str]) -> bool:
    return any(called(heard.text, each) is not None for each in (name, *spellings))


if __name__ == "__main__":
    sys.exit(main())
