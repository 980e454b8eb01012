"""Shared parts of the listening benchmarks: sessions of two source trees on the same recordings, and the clips.

Time is audio time (``--pace fast``) unless a job says otherwise, so the results do not depend on the machine.
"""

import argparse
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import SAMPLE_RATE
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt import faster_whisper
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.speech.text.korean_sound.hangul import has_syllables
from benchmarks.voice.json_worker import JsonWorker
from tests.fakes.model_server.server import ModelServer, RecordedRequest, Reply, Script, serve_in_thread
from tests.fakes.sound.human_speech import SAID, character_error_rate

ROOT = Path(__file__).resolve().parents[2]
SPEECH = ROOT / "tests" / "data" / "speech"
WORKER = ROOT / "benchmarks" / "voice" / "listening_worker.py"
MODELS = ("whisper-base", "openwakeword", "smart-turn-v3", "piper-en-joe")
MUSIC_BEFORE_S = {"ko_wake_words": 1.3}
"""Seconds at the start of a recording with a jingle as loud as speech."""
Pcm = NDArray[np.int16]

_LEADS_S = (0.0, 0.1, 0.2, 0.3, 0.5, 0.8)
_TAILS_S = (0.0, 0.1, 0.3, 0.5, 0.7, 1.0)

_NOTE = re.compile(r"\s*(?:<context>.*?</context>|\[[^\]]*\])\s*", re.DOTALL)
"""The time that different versions add before or after a message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The results of one session.

    Attributes:
        events: the session's trace.
        asked: the messages sent to the model, one text per request.
    """

    events: list[dict[str, Any]]
    asked: list[str]

    def all(self, name: str) -> list[dict[str, Any]]:
        """All events of this name."""
        return [event for event in self.events if event["event"] == name]

    @property
    def spoken(self) -> str:
        """The spoken text of all answers."""
        return " ".join(event["text"] for event in self.all("sentence"))


class Arm(JsonWorker):
    """Sessions of one source tree, in a process of its own."""

    def __init__(self, tree: Path, home: Path, server: ModelServer) -> None:
        super().__init__(WORKER, tree, home, environment={"SORI_MODELS": str(open_store(default_home()).folder)})
        self._server = server
        self._folder = home

    def hear(self, recording: Path, **job: Any) -> Heard:
        """Run a session. The job's fields are those of ``listening_worker``; each has a default."""
        before = len(self._server.chats)
        usual = {
            "input": str(recording),
            "output": str(self._folder / "answer.wav"),
            "base_url": self._server.base_url,
            "language": "en",
            "wake_word": "alexa",
            "no_wake": False,
            "tts": "piper",
            "echo_gain_db": None,
            "echo_delay_ms": 60,
            "pace": "fast",
            "early_answers": "always",
        }
        answer = self.answer({**usual, **job})
        asked = [_message_of(each.body["messages"][-1]["content"]) for each in self._server.chats[before:]]
        return Heard(events=answer["events"], asked=asked)


@contextmanager
def arms(baseline: Path | None, reply: str | Script) -> Iterator[tuple[Path, dict[str, Arm]]]:
    """Yield a folder for recordings and the arms: ``before`` if a baseline's tree is given, and ``now``.

    Args:
        baseline: another checkout, or none.
        reply: the model's reply to every request, or a script.
    """
    script: Script = [Reply(text=reply)] if isinstance(reply, str) else reply
    open_store(default_home()).ensure(MODELS)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        trees = {"now": ROOT} if baseline is None else {"before": baseline.resolve(), "now": ROOT}
        running = {}
        for name, tree in trees.items():
            home = folder / name
            home.mkdir()
            server = stack.enter_context(serve_in_thread(script))
            running[name] = stack.enter_context(Arm(tree, home, server))
        yield folder, running


def parser_of(doc: str | None) -> argparse.ArgumentParser:
    """A parser with the common arguments of these benchmarks."""
    parser = argparse.ArgumentParser(description=(doc or "").splitlines()[0])
    parser.add_argument("--baseline-tree", type=Path, help="a checkout of an earlier version, run beside this one")
    parser.add_argument("--speech", type=Path, default=SPEECH, help="recordings: ko_*.wav, en_*.wav, alexa/*.flac")
    return parser


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A human recording.

    Attributes:
        name: name of its file.
        language: spoken language, ``ko`` or ``en``.
        pcm: sound from the beginning to the end of speech.
        whole: the whole recording.
        said: its words; empty if unknown.
    """

    name: str
    language: str
    pcm: Pcm
    whole: Pcm
    said: str


def clips(folder: Path) -> list[Clip]:
    """The recordings of sentences in a folder."""
    found = []
    for path in sorted(folder.glob("[ke][on]_*.wav")):
        whole = read_recording(path)
        found.append(
            Clip(
                name=path.stem,
                language=path.stem[:2],
                pcm=trimmed(whole[round(MUSIC_BEFORE_S.get(path.stem, 0.0) * SAMPLE_RATE) :]),
                whole=whole,
                said=SAID.get(path.name, ("", ""))[1],
            )
        )
    return found


def trimmed(pcm: Pcm) -> Pcm:
    """Trim a recording to its speech: 10 ms windows above a twentieth of the loudest level.

    At the beginning most of 150 ms must be as loud, so that a click before the speech is cut off.
    """
    levels = np.sqrt(np.convolve(np.square(pcm.astype(np.float64)), np.ones(160) / 160, "same"))
    loud = levels > 0.05 * levels.max()
    often = np.convolve(loud, np.ones(2400) / 2400)[2399:] > 0.5
    first = int(np.flatnonzero(loud & often)[0])
    return pcm[max(0, first - 160) : int(np.flatnonzero(loud)[-1]) + 1]


def silence(seconds: float) -> Pcm:
    """Digital silence."""
    return np.zeros(round(seconds * SAMPLE_RATE), np.int16)


def low_noise(seconds: float, level_db: float = -60.0) -> Pcm:
    """White noise at ``level_db`` relative to full scale, always the same."""
    scale = 32_768 * 10 ** (level_db / 20)
    count = round(seconds * SAMPLE_RATE)
    return np.random.default_rng(seed=1).normal(0, scale, count).astype(np.int16)


def letters(text: str) -> str:
    """The letters and digits of a text, in lower case."""
    return "".join(filter(str.isalnum, text.lower()))


def readings_alone(clip: Clip) -> list[str]:
    """Transcripts of a recording alone, with various lengths of silence around it; each text once.

    Whisper's transcript of a recording depends on the sound's position in its window. So the recording alone gives
    several texts. None of them contains anything of the sounds that a benchmark adds to the recording.
    """
    recognizer = _recognizer()
    found: dict[str, None] = {}
    for lead_s, tail_s in product(_LEADS_S, _TAILS_S):
        sound = np.concatenate((silence(lead_s), clip.pcm, silence(tail_s)))
        found.setdefault(recognizer.transcribe(sound, language=None).text)
    return list(found)


@cache
def _recognizer() -> Recognizer:
    return faster_whisper.ENGINE.create(open_store(default_home()).path, RecognizerOptions(threads=os.cpu_count() or 2))


def is_question(asked: str, readings: Sequence[str]) -> bool:
    """Whether a message is the question as in one of ``readings``, and nothing more.

    Fifteen edits in a hundred letters are allowed, but no other letters before the question's beginning.
    """
    return any(_is_reading(asked, reading) for reading in readings)


def _is_reading(asked: str, reading: str) -> bool:
    if not asked or character_error_rate(asked, reading) > 0.15:
        return False
    return letters(asked)[:3] == letters(reading)[:3] or len(letters(asked)) <= len(letters(reading)) + 1


def times(text: str, said: str) -> float:
    """Approximate number of times that ``text`` contains ``said``, by length."""
    return len(letters(text)) / max(1, len(letters(said)))


def percentile(values: Sequence[float], share: float) -> float:
    """A percentile of the values; NaN without values."""
    return float(np.percentile(values, share)) if values else float("nan")


def language_asked(request: RecordedRequest) -> str:
    """The language of a request's last message: ``ko`` or ``en``."""
    return "ko" if has_syllables(str(request.body["messages"][-1]["content"])) else "en"


def _message_of(content: Any) -> str:
    """The user's words, without the time that different versions add before or after them."""
    text = content if isinstance(content, str) else " ".join(part.get("text", "") for part in content)
    return _NOTE.sub("", text).strip()
