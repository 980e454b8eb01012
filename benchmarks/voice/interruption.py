"""Time until a user who speaks over an answer is noticed, with and without echo, and sounds that must not interrupt.

While an answer in the English voice is played, a human recording begins 0.2 to 3 s after the answer's first sound, at
full level or 10 dB weaker. Korean and English sentences are also cut at each of their pauses, which gives more
beginnings; English also has wake words of many speakers. The listener is new in each case, so the answer is its first.
This is the hardest case, because the presence of an echo is still unknown. Two further tests must not interrupt: 180 ms
of the same voices, shorter than a word; and the answer alone, with echoes at several delays.

    python benchmarks/voice/interruption.py [--baseline-tree PATH] [--speech FOLDER] [--wake-words 16] [--room-db -75]

A delay is from the first sound of the interrupting recording to the event that stops the answer, in audio time. The
arms alternate in each case.
"""

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.app.host.model_store import open_store
from assistant.app.host.places import default_home
from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import SAMPLE_RATE
from assistant.speech.tts import piper
from assistant.speech.tts.synthesizer import Voice
from benchmarks.voice.json_worker import JsonWorker
from benchmarks.voice.listening import ROOT, Pcm, clips, low_noise, parser_of, percentile, trimmed
from benchmarks.voice.wav_files import written

REPLY = (
    "Let me tell you about the garden. It has seven old apple trees and a little pond. "
    "In the morning the birds sing there. In the evening the neighbours come for tea."
)
WORKER = ROOT / "benchmarks" / "voice" / "interruption_worker.py"
ECHOES_DB = (None, -6.0, -12.0, -20.0)
DELAYS_MS = (20, 60, 150)
ECHO_DELAY_MS = 60
INTO_ANSWER_S = (0.2, 0.5, 1.0, 3.0)
LEVELS_DB = (0.0, -10.0)
BEFORE_S = 1.0
AFTER_S = 1.0
ROOM_DB = -75.0
SHORT_S = 0.18
LONGEST_S = 1.5
"""A later event does not count as an interruption, in seconds."""
PAUSE_MS = 80
ONSET_MS = 200
NAMES_CALLED = "ko_wake_words"
"""A recording with jingles between its words."""


class Ears(JsonWorker):
    """The listener of one source tree, in a process of its own."""

    def interrupted_at_s(self, heard: Path, played: Path) -> float | None:
        """Seconds until the interruption was confirmed; ``None`` without one."""
        answer = self.answer({"heard": str(heard), "played": str(played)})
        times = [at_s for at_s, name in answer["events"] if name == "OverlapConfirmed"]
        return times[0] if times else None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--wake-words", type=int, default=16, help="how many recordings of a wake word, besides")
    parser.add_argument("--room-db", type=float, default=ROOM_DB, help="level of the noise behind the microphone")
    chosen = parser.parse_args(arguments)
    trees = {"now": ROOT} if chosen.baseline_tree is None else {"before": chosen.baseline_tree.resolve(), "now": ROOT}
    voices = _voices(chosen.speech, chosen.wake_words)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        arms = {name: stack.enter_context(Ears(WORKER, tree)) for name, tree in trees.items()}
        bench = _Bench(folder, arms, _answer(), chosen.room_db)
        for language, pieces in voices.items():
            for echo_db in ECHOES_DB:
                bench.interrupt(language, pieces, echo_db)
        for echo_db in ECHOES_DB:
            bench.cough([piece for pieces in voices.values() for piece in pieces], echo_db)
        bench.leave_alone()
    return 0


class _Bench:
    def __init__(self, folder: Path, arms: dict[str, Ears], answer: Pcm, room_db: float) -> None:
        self._folder = folder
        self._arms = arms
        self._answer = answer
        self._room_db = room_db

    def interrupt(self, language: str, pieces: list[Pcm], echo_db: float | None) -> None:
        """Play every piece over the answer, at several moments."""
        found: dict[str, list[float]] = {name: [] for name in self._arms}
        early = dict.fromkeys(self._arms, 0)
        cases = list(_cases(pieces))
        for pcm, into_s in cases:
            begins_s = BEFORE_S + into_s
            for name, at_s in self._hear(pcm, into_s, echo_db):
                early[name] += at_s is not None and at_s < begins_s
                if at_s is not None and 0 <= at_s - begins_s < LONGEST_S:
                    found[name].append(at_s - begins_s)
        for name, delays_s in found.items():
            print(
                f"{name:<8} {language} {_named(echo_db):<12} interrupted {len(delays_s):>3} of {len(cases)}, "
                f"median {percentile(delays_s, 50):.2f} s, p95 {percentile(delays_s, 95):.2f} s; "
                f"before anybody spoke {early[name]}",
                flush=True,
            )

    def cough(self, pieces: list[Pcm], echo_db: float | None) -> None:
        """Play sounds of a voice that are too short for a word."""
        counts = dict.fromkeys(self._arms, 0)
        cases = list(_cases([piece[: round(SHORT_S * SAMPLE_RATE)] for piece in pieces]))
        for pcm, into_s in cases:
            for name, at_s in self._hear(pcm, into_s, echo_db):
                counts[name] += at_s is not None
        for name, count in counts.items():
            print(
                f"{name:<8} {SHORT_S} s of a voice, {_named(echo_db):<12} interrupted {count} of {len(cases)}",
                flush=True,
            )

    def leave_alone(self) -> None:
        """Play the answer without another voice."""
        cases = [(echo_db, delay_ms) for echo_db in ECHOES_DB if echo_db is not None for delay_ms in DELAYS_MS]
        counts = dict.fromkeys(self._arms, 0)
        for echo_db, delay_ms in cases:
            nobody = low_noise(len(self._answer) / SAMPLE_RATE, self._room_db)
            for name, at_s in self._hear(nobody, 0.0, echo_db, delay_ms):
                counts[name] += at_s is not None
        for name, count in counts.items():
            print(f"{name:<8} left alone {len(cases)} times: interrupted itself {count}")

    def _hear(
        self, pcm: Pcm, into_s: float, echo_db: float | None, delay_ms: int = ECHO_DELAY_MS
    ) -> list[tuple[str, float | None]]:
        length_s = BEFORE_S + into_s + len(pcm) / SAMPLE_RATE + AFTER_S
        played = np.zeros(round(length_s * SAMPLE_RATE), np.int16)
        start = round(BEFORE_S * SAMPLE_RATE)
        part = self._answer[: len(played) - start]
        played[start : start + len(part)] = part
        heard = low_noise(length_s, self._room_db).astype(np.float64)[: len(played)]
        at = round((BEFORE_S + into_s) * SAMPLE_RATE)
        heard[at : at + len(pcm)] += pcm
        if echo_db is not None:
            late = delay_ms * SAMPLE_RATE // 1000
            heard[late:] += played[:-late] * 10 ** (echo_db / 20)
        sound = written(self._folder / "heard.wav", np.clip(heard, -32_768, 32_767).astype(np.int16))
        answer = written(self._folder / "played.wav", played)
        return [(name, ears.interrupted_at_s(sound, answer)) for name, ears in self._arms.items()]


def _cases(pieces: list[Pcm]) -> Iterator[tuple[Pcm, float]]:
    """Each piece at each moment, with alternating levels."""
    for number, piece in enumerate(pieces):
        for turn, into_s in enumerate(INTO_ANSWER_S):
            level_db = LEVELS_DB[(number + turn) % len(LEVELS_DB)]
            yield (piece * 10 ** (level_db / 20)).astype(np.int16), into_s


def _voices(folder: Path, wake_words: int) -> dict[str, list[Pcm]]:
    """The interrupting recordings, by language."""
    found: dict[str, list[Pcm]] = {"ko": [], "en": []}
    for clip in [each for each in clips(folder) if each.name != NAMES_CALLED]:
        found[clip.language] += [clip.pcm[start : start + 2 * SAMPLE_RATE] for start in _beginnings(clip.pcm)]
    words = sorted((folder / "alexa").glob("*.flac"))
    found["en"] += [trimmed(read_recording(path)) for path in words[:: max(1, len(words) // wake_words)][:wake_words]]
    return found


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


def _answer() -> Pcm:
    store = open_store(default_home())
    store.ensure(("piper-en-joe",))
    engine = piper.ENGINE.create(store.path, 1)
    pcm = np.concatenate(list(engine.synthesize(REPLY, Voice(language="en")))).astype(np.float64)
    times_s = np.arange(0, len(pcm) / engine.sample_rate, 1 / SAMPLE_RATE)
    answer: Pcm = np.interp(times_s, np.arange(len(pcm)) / engine.sample_rate, pcm).astype(np.int16)
    return answer


def _named(echo_db: float | None) -> str:
    return "no echo" if echo_db is None else f"echo {echo_db:g} dB"


if __name__ == "__main__":
    raise SystemExit(main())
