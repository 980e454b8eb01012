"""Speech over an answer: what must interrupt it, what must not, and how fast.

While an answer in the English voice is played, somebody speaks 0.2 to 3 s after the answer's first sound, at full level
or 10 dB weaker. The answer is ducked, paused, resumed and stopped by the listener's events, and its echo changes with
it. The listener is new in each case, so the answer is its first; this is the hardest case, because the presence of an
echo is still unknown. Four tables:

- interruptions: human recordings. Korean and English sentences are also cut at each of their pauses, which gives more
  beginnings; English also has wake words of many speakers. Times are from the first sound of the person. ``silent`` is
  the pause or the end of the answer. ``first word``: the transcript begins as that of the piece alone. With
  ``--called``, the wake word is a name of Sori's; it is then not part of the transcript.
- words of agreement: synthetic, in the voices of Kokoro. The answer must go on.
- coughs and scraps: synthetic coughs, and 180 ms of the human voices. The answer must go on.
- stop words: synthetic, in the same voices. The answer must end.

    python benchmarks/voice/barge_in/interruption.py [--baseline-tree PATH] [--every 4] [--room-db -75]

Audio time stands still while the recogniser works: add its duration (0.2 to 0.4 s on two cores) to the time after which
an answer goes on. The arms alternate in each case.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from assistant.audio.cards.recordings import read_recording
from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt import faster_whisper
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.speech.tts import kokoro, piper
from assistant.speech.tts.synthesizer import Synthesizer, Voice
from benchmarks.voice.json_worker import JsonWorker
from benchmarks.voice.listening import ROOT, Pcm, clips, letters, parser_of, percentile, silence, trimmed
from benchmarks.voice.wav_files import written
from tests.fakes.sound.human_speech import character_error_rate
from tests.unit.audio.sounds import coughs

REPLY = (
    "Let me tell you about the garden. It has seven old apple trees and a little pond. "
    "In the morning the birds sing there. In the evening the neighbours come for tea."
)
WORKER = ROOT / "benchmarks" / "voice" / "barge_in" / "interruption_worker.py"
NAME = "Alexa"
"""The wake word of the recordings."""
ROOMS: dict[str, dict[str, Any] | None] = {
    "no echo": None,
    "echo 0 dB": {"gain_db": 0.0},
    "echo -6 dB": {"gain_db": -6.0},
    "echo -12 dB": {"gain_db": -12.0},
    "echo -12 dB, reverberant": {"gain_db": -12.0, "reverberation_s": 0.25},
    "echo -12 dB, drifting": {"gain_db": -12.0, "drift_ppm": 100.0},
    "echo -20 dB": {"gain_db": -20.0},
}
INTO_ANSWER_S = (0.2, 0.5, 1.0, 3.0)
LEVELS_DB = (0.0, -10.0)
BEFORE_S = 3.5
ROOM_DB = -75.0
SHORT_S = 0.18
YIELDED_WITHIN_S = 2.0
"""A later event does not count as an interruption."""
PAUSE_MS = 80
ONSET_MS = 200
NAMES_CALLED = "ko_wake_words"
"""A recording with jingles between its words."""
AGREEMENTS = {
    "ko": ("네.", "응.", "음.", "아.", "그래.", "그렇지.", "맞아요.", "그렇구나."),
    "en": ("Uh-huh.", "Right.", "Yeah.", "Okay.", "I see.", "Mm-hmm."),
}
STOP_WORDS = {
    "ko": ("그만.", "잠깐.", "멈춰.", "조용.", "그만해.", "잠깐만."),
    "en": ("Stop.", "Wait.", "Stop it.", "Enough."),
}
SPEAKERS = {"ko": ("kf_sori", "hm_omega"), "en": ("af_heart", "am_michael")}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What happened after somebody began to speak; times in seconds from then on, ``None`` for what did not happen.

    Attributes:
        ducked_s: until the voice was lowered, paused or stopped.
        silent_s: until it was paused or stopped.
        yielded_s: until the answer ended.
        early: whether it was paused or stopped before anybody spoke.
        text: the words of the interruption.
    """

    ducked_s: float | None
    silent_s: float | None
    yielded_s: float | None
    early: bool
    text: str


class Ears(JsonWorker):
    """The listener of one source tree, in a process of its own."""

    def events(self, **job: Any) -> list[tuple[float, str]]:
        """The events of a job; see ``interruption_worker``."""
        return [(at_s, name) for at_s, name in self.answer(job)["events"]]

    def interrupted(self, human: Path, into_s: float, **job: Any) -> Outcome:
        """Let a person speak ``into_s`` after the beginning of the answer."""
        answer = self.answer({"human": str(human), "at_s": into_s, **job})
        begins_s = BEFORE_S + into_s
        events = [(at_s - begins_s, name) for at_s, name in answer["events"]]
        silent = [at_s for at_s, name in events if name in {"OverlapHeard", "OverlapConfirmed"}]
        yielded = [at_s for at_s, name in events if name == "OverlapConfirmed"]
        ducked = [at_s for at_s, name in events if name.startswith("Overlap") and name != "OverlapDismissed"]
        return Outcome(
            ducked_s=_first(ducked),
            silent_s=_first(silent),
            yielded_s=_first(yielded),
            early=any(at_s < 0 for at_s in silent),
            text=answer["text"] or "",
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--wake-words", type=int, default=8, help="how many recordings of a wake word, besides")
    parser.add_argument("--room-db", type=float, default=ROOM_DB, help="level of the noise behind the microphone")
    parser.add_argument("--every", type=int, default=1, help="take every n-th case of a row")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first cases of a row, to take others")
    parser.add_argument("--called", action="store_true", help="the wake word of the recordings is a name of Sori's")
    parser.add_argument("--room", action="append", choices=list(ROOMS), help="only this room; may be repeated")
    chosen = parser.parse_args(arguments)
    trees = {"now": ROOT} if chosen.baseline_tree is None else {"before": chosen.baseline_tree.resolve(), "now": ROOT}
    voices = human_voices(chosen.speech, chosen.wake_words)
    everybody = [piece for pieces in voices.values() for piece in pieces]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arms = {name: stack.enter_context(Ears(WORKER, tree)) for name, tree in trees.items()}
        part = slice(chosen.skip, None, chosen.every)
        bench = _Bench(folder, arms, chosen.room_db, part, called=chosen.called)
        for room in chosen.room or ROOMS:
            for language, pieces in voices.items():
                bench.interrupt(f"{language} interruptions", pieces, room, language)
                bench.interrupt(f"{language} stop words", spoken(language, STOP_WORDS), room, language, words=False)
                bench.survive(f"{language} agreement", spoken(language, AGREEMENTS), room, language)
            bench.survive("coughs", _coughs(), room)
            bench.survive("scraps of 0.18 s", [piece[: round(SHORT_S * SAMPLE_RATE)] for piece in everybody], room)
    return 0


@dataclass(slots=True)
class _Row:
    outcomes: list[Outcome] = field(default_factory=list)
    first_words: int = 0


class _Bench:
    def __init__(
        self, folder: Path, arms: dict[str, Ears], room_db: float, part: slice, *, called: bool = True
    ) -> None:
        self._called = called
        self._folder = folder
        self._arms = arms
        self._room_db = room_db
        self._part = part
        self._answer = written(folder / "answer.wav", spoken_answer())

    def interrupt(self, name: str, pieces: list[Pcm], room: str, language: str, *, words: bool = True) -> None:
        """Let every piece interrupt the answer, at several moments."""
        rows, count = {arm: _Row() for arm in self._arms}, 0
        for pcm, into_s in self._cases(pieces):
            count += 1
            for arm, outcome in self._hear(pcm, into_s, room, language):
                rows[arm].outcomes.append(outcome)
                rows[arm].first_words += words and _begins_alike(outcome.text, _alone(pcm.tobytes()))
        for arm, row in rows.items():
            silent = [each.silent_s for each in row.outcomes if each.silent_s is not None and not each.early]
            ducked = [each.ducked_s for each in row.outcomes if each.ducked_s is not None and each.ducked_s >= 0]
            yielded = sum(each.yielded_s is not None and each.yielded_s < YIELDED_WITHIN_S for each in row.outcomes)
            early = sum(each.early for each in row.outcomes)
            first = f"; first word {row.first_words}" if words else ""
            print(
                f"{arm:<7}{room:<26}{name:<18} yielded {yielded:>3} of {count}; ducked {_times(ducked)}, "
                f"silent {_times(silent)}{first}; before anybody spoke {early}",
                flush=True,
            )

    def survive(self, name: str, pieces: list[Pcm], room: str, language: str = "ko") -> None:
        """Play sounds that must not end the answer."""
        kept, paused, count = dict.fromkeys(self._arms, 0), dict.fromkeys(self._arms, 0), 0
        for pcm, into_s in self._cases(pieces):
            count += 1
            for arm, outcome in self._hear(pcm, into_s, room, language):
                kept[arm] += outcome.yielded_s is None
                paused[arm] += outcome.yielded_s is None and outcome.silent_s is not None
        for arm, survived in kept.items():
            print(
                f"{arm:<7}{room:<26}{name:<18} survived {survived:>3} of {count}, {paused[arm]} after a pause",
                flush=True,
            )

    def _cases(self, pieces: list[Pcm]) -> Iterator[tuple[Pcm, float]]:
        """Each piece at each moment, with alternating levels."""
        found = []
        for number, piece in enumerate(pieces):
            for turn, into_s in enumerate(INTO_ANSWER_S):
                level_db = LEVELS_DB[(number + turn) % len(LEVELS_DB)]
                found.append(((piece * 10 ** (level_db / 20)).astype(np.int16), into_s))
        yield from found[self._part]

    def _hear(self, pcm: Pcm, into_s: float, room: str, language: str) -> Iterator[tuple[str, Outcome]]:
        human = written(self._folder / "human.wav", pcm)
        for name, ears in self._arms.items():
            job: dict[str, Any] = {"answer": str(self._answer), "saying": REPLY, "echo": ROOMS[room]}
            job |= {"room_db": self._room_db, "names": [NAME] if self._called else []}
            yield name, ears.interrupted(human, into_s, language=language, **job)


def human_voices(folder: Path, wake_words: int) -> dict[str, list[Pcm]]:
    """The interrupting recordings, by language."""
    found: dict[str, list[Pcm]] = {"ko": [], "en": []}
    for clip in [each for each in clips(folder) if each.name != NAMES_CALLED]:
        found[clip.language] += [clip.pcm[start : start + 2 * SAMPLE_RATE] for start in _beginnings(clip.pcm)]
    words = sorted((folder / "alexa").glob("*.flac"))
    found["en"] += [trimmed(read_recording(path)) for path in words[:: max(1, len(words) // wake_words)][:wake_words]]
    return found


@cache
def _speech(language: str, text: str, name: str) -> Pcm:
    pcm = np.concatenate(list(_kokoro().synthesize(text, Voice(language=language, name=name))))
    return trimmed(resample(pcm, _kokoro().sample_rate, SAMPLE_RATE))


def spoken(language: str, words: dict[str, tuple[str, ...]]) -> list[Pcm]:
    """Synthetic words of a language in the voices of Kokoro, as loud as the recordings."""
    return [_speech(language, text, name) for text in words[language] for name in SPEAKERS[language]]


@cache
def _kokoro() -> Synthesizer:
    store = open_store(default_home())
    store.ensure(kokoro.ENGINE.models)
    return kokoro.ENGINE.create(store.path, 2)


def spoken_answer() -> Pcm:
    """The answer in the voice of Piper, at 16 kHz; the same in every run."""
    onnxruntime.set_seed(1)
    store = open_store(default_home())
    store.ensure(piper.ENGINE.models)
    engine = piper.ENGINE.create(store.path, 1)
    pcm = np.concatenate(list(engine.synthesize(REPLY, Voice(language="en"))))
    return resample(pcm, engine.sample_rate, SAMPLE_RATE)


def _coughs() -> list[Pcm]:
    whole = coughs(9.0)
    return [whole[4_000 + at * SAMPLE_RATE :][:4_800] for at in range(8)]


def _beginnings(pcm: Pcm) -> list[int]:
    """Indices at which speech begins: the start, and the ends of pauses before 0.5 s with a loud onset."""
    block = SAMPLE_RATE // 100
    levels = np.sqrt(np.mean(np.square(pcm[: len(pcm) // block * block].reshape(-1, block).astype(np.float64)), axis=1))
    loud = levels > 0.05 * levels.max()
    found, quiet = [0], 0
    for number in range(len(loud) - 50):
        if loud[number] and quiet * 10 >= PAUSE_MS and loud[number : number + ONSET_MS // 10].mean() > 0.8:
            found.append(number * block)
        quiet = 0 if loud[number] else quiet + 1
    return found


@cache
def _alone(pcm: bytes) -> str:
    """The transcript of a piece alone."""
    sound = np.concatenate((silence(0.3), np.frombuffer(pcm, "<i2"), silence(0.7)))
    return _recognizer().transcribe(sound, language=None).text


@cache
def _recognizer() -> Recognizer:
    store = open_store(default_home())
    store.ensure(("whisper-base",))
    return faster_whisper.ENGINE.create(store.path, RecognizerOptions(threads=1))


def _begins_alike(heard: str, alone: str) -> bool:
    """Whether two transcripts begin with the same word, with at most half of its letters changed."""
    if not alone.split() or not letters(heard):
        return False
    word = letters(alone.split()[0])
    return bool(word) and character_error_rate(letters(heard)[: len(word)], word) <= 0.5


def _first(times_s: list[float]) -> float | None:
    return times_s[0] if times_s else None


def _times(values_s: list[float]) -> str:
    return f"{percentile(values_s, 50):.2f}/{percentile(values_s, 95):.2f} s"


if __name__ == "__main__":
    raise SystemExit(main())
