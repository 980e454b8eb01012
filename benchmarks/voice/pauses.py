"""Pauses inside sentences: share in which Sori answers too early, compared with an equally fast silence timeout.

Sentences are cut at their quietest points between words, and a pause of 0.4, 0.7 or 1.0 s is inserted, filled with
noise as quiet as the recording's own. Each sentence is played to a whole session in audio time (``--pace fast``). These
arms alternate, with the same models and the same scripted model server:

- ours: the present version;
- timeout: the present version with a fixed silence, the mean silence of "ours" at the true ends of the same sentences;
- before (with ``--baseline-tree``): another checkout of Sori.

"Talked into" means that an answer's first sound came before the end of the sentence. "Halves" means that the
conversation does not contain exactly one message of the user. A delay is the silence after which the end of the whole
sentence was decided.

Human recordings and synthetic speech (``--synthetic``: English, piper) are counted separately. The policy's numbers
were chosen on other synthetic sentences and on the recordings in ``CHOSEN_ON``.

    python benchmarks/voice/pauses.py [--home DIR] [--cuts 4] [--baseline-tree DIR] [--synthetic]
        [--turn-taking fast|balanced|patient]
"""

import argparse
import asyncio
import json
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import wave
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
SPEECH = ROOT / "tests" / "data" / "speech"
PAUSES_S = (0.4, 0.7, 1.0)
LISTEN_ON_S = 6.0
RATE = 16_000
HUMAN = (
    ("ko_lights_blue", "ko"),
    ("ko_read_sentence", "ko"),
    ("ko_hotel_question", "ko"),
    ("en_coffee_order", "en"),
    ("en_read_sentence", "en"),
)
CHOSEN_ON = frozenset({"ko_lights_blue", "en_coffee_order"})
SYNTHETIC = (
    "Could you remind me to water the plants in the garden tomorrow?",
    "Turn on the small lamp beside the sofa in the study.",
    "What is the best way to get from London to Paris?",
    "Add two bottles of orange juice to the shopping list.",
    "Please call my sister and ask her about the party on Sunday.",
    "How much does it cost to send a letter to Canada?",
    "I want to listen to some jazz while I cook dinner.",
    "Set the temperature in the bedroom to nineteen degrees.",
    "Who was the first person to walk on the moon?",
    "Move my appointment with the dentist to next Tuesday morning.",
)
"""Sentences that were not used to choose the policy's numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A recording to be played.

    Attributes:
        path: path of the wav.
        kind: category for the counts.
        pause_s: length of the inserted pause in seconds; 0 without one.
        end_s: end of speech in seconds.
        label: printed name.
    """

    path: Path
    language: str
    kind: str
    pause_s: float
    end_s: float
    label: str


@dataclass(slots=True)
class Count:
    """Counts of an arm for some sentences."""

    sentences: int = 0
    talked_into: int = 0
    halves: int = 0
    delays_ms: list[float] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--home", type=Path, help="the folder with the models")
    parser.add_argument("--cuts", type=int, default=4, help="how many places of each sentence get the pause, in turn")
    parser.add_argument("--baseline-tree", type=Path, help="another checkout, to compare with")
    parser.add_argument("--synthetic", action="store_true", help="synthetic English besides the human recordings")
    parser.add_argument("--turn-taking", choices=("fast", "balanced", "patient"), default="balanced")
    parser.add_argument("--worker", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--timeout-ms", type=int, default=0, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.worker is not None:
        asyncio.run(_work(chosen.worker, chosen.turn_taking, chosen.timeout_ms))
        return 0
    with tempfile.TemporaryDirectory() as folder, _server() as url:
        _compare(chosen, Path(folder), url)
    return 0


def _compare(chosen: argparse.Namespace, folder: Path, url: str) -> None:
    sys.path.insert(0, str(ROOT))
    from assistant.host.places import default_home

    home = chosen.home or default_home()
    sentences = _sentences(folder, home, chosen.cuts, synthetic=chosen.synthetic)
    whole = [each for each in sentences if not each.pause_s]
    paused = [each for each in sentences if each.pause_s]
    trees = {"ours": ROOT, "timeout": ROOT}
    if chosen.baseline_tree is not None:
        trees["before"] = chosen.baseline_tree.resolve()
    counts: dict[str, dict[tuple[str, float], Count]] = {arm: defaultdict(Count) for arm in trees}
    with _arm(ROOT, url, chosen.turn_taking) as ours:
        for sentence in whole:
            _take(counts["ours"], sentence, ours(sentence))
    delay_ms = statistics.fmean(_ends(counts["ours"]))
    print(f"mean silence of ours at {len(whole)} true ends: {delay_ms:.0f} ms, which is the timeout's", flush=True)
    with (
        _arm(ROOT, url, chosen.turn_taking) as ours,
        _arm(ROOT, url, chosen.turn_taking, round(delay_ms)) as timeout,
        _arm(trees.get("before", ROOT), url, chosen.turn_taking) as before,
    ):
        arms = {"ours": ours, "timeout": timeout, "before": before}
        for sentence in whole:
            for arm in [each for each in trees if each != "ours"]:
                _take(counts[arm], sentence, arms[arm](sentence))
        for sentence in paused:
            heard = {arm: arms[arm](sentence) for arm in trees}
            row = {arm: _take(counts[arm], sentence, heard[arm]) for arm in trees}
            marks = "  ".join(f"{arm} {'INTO' if into else '-':<4}" for arm, into in row.items())
            print(f"{sentence.kind:<12} {sentence.pause_s:.1f} s  {marks}  {sentence.label}", flush=True)
            if len(heard["ours"]["said"]) != 1:
                print(f"{'':<12} left in the conversation: {heard['ours']['said']}", flush=True)
    _print(counts)


def _ends(counts: dict[tuple[str, float], Count]) -> list[float]:
    return [delay for (_, pause_s), count in counts.items() if not pause_s for delay in count.delays_ms]


def _take(counts: dict[tuple[str, float], Count], sentence: Sentence, heard: dict[str, Any]) -> bool:
    count = counts[sentence.kind, sentence.pause_s]
    count.sentences += 1
    into = any(event["t"] < sentence.end_s for event in heard["events"] if event["event"] == "first_audio")
    count.talked_into += into
    count.halves += len(heard["said"]) != 1
    ends = [event for event in heard["events"] if event["event"] == "speech_ended"]
    if ends:
        count.delays_ms.append(float(ends[-1]["silence_ms"]))
    return into


def _print(counts: dict[str, dict[tuple[str, float], Count]]) -> None:
    kinds = sorted({kind for kind, _ in counts["ours"]})
    print(f"\n{'':<14} {'arm':<8} {'n':>4} {'delay ms':>9} {'talked into, by pause':>28} {'all':>7} {'halves':>7}")
    for kind in [*kinds, "all"]:
        for arm, by_kind in counts.items():
            mine = {key: count for key, count in by_kind.items() if kind in (key[0], "all")}
            by_pause = {pause: [c for (_, p), c in mine.items() if p == pause] for pause in PAUSES_S}
            shares = " ".join(f"{_share(by_pause[pause]):>9.2f}" for pause in PAUSES_S)
            every = [count for pause in PAUSES_S for count in by_pause[pause]]
            delay = statistics.fmean(_ends(mine)) if _ends(mine) else float("nan")
            total = sum(count.sentences for count in every)
            halves = sum(count.halves for count in every)
            print(f"{kind:<14} {arm:<8} {total:>4} {delay:>9.0f} {shares} {_share(every):>7.2f} {halves:>7}")
    for arm in [each for each in counts if each != "ours"]:
        ours, other = (_share([count for (_, pause), count in counts[each].items() if pause]) for each in ("ours", arm))
        print(f"ours / {arm}: talked into {ours / other:.2f}" if other else f"{arm} never talked into a sentence")


def _share(counts: Sequence[Count]) -> float:
    total = sum(count.sentences for count in counts)
    return sum(count.talked_into for count in counts) / total if total else 0.0


# Sentences


def _sentences(folder: Path, home: Path, cuts: int, *, synthetic: bool) -> list[Sentence]:
    from assistant.host.model_store import open_store
    from benchmarks.voice.batch_pipeline import load_whisper

    store = open_store(home)
    os.environ["SORI_MODELS"] = str(store.folder)
    whisper = load_whisper(store.path("whisper-base"), os.cpu_count() or 2)
    sentences = human_sentences(folder, SPEECH, cuts, PAUSES_S, whisper)
    if synthetic:
        for number, pcm in enumerate(_spoken(store)):
            sentences += _variants(folder, _trimmed(pcm), f"piper_{number}", "en", "en piper", cuts, PAUSES_S, whisper)
    return sentences


def human_sentences(folder: Path, speech: Path, cuts: int, pauses: Sequence[float], whisper: Any) -> list[Sentence]:
    """The human recordings of ``speech``, whole and with each pause at their quietest places, written to ``folder``."""
    from assistant.audio.cards.recordings import read_recording

    sentences: list[Sentence] = []
    for name, language in HUMAN:
        kind = f"{language} {'tuned on' if name in CHOSEN_ON else 'held out'}"
        pcm = _trimmed(read_recording(speech / f"{name}.wav"))
        sentences += _variants(folder, pcm, name, language, kind, cuts, pauses, whisper)
    return sentences


def _variants(
    folder: Path,
    pcm: NDArray[np.int16],
    name: str,
    language: str,
    kind: str,
    cuts: int,
    pauses: Sequence[float],
    whisper: Any,
) -> Iterator[Sentence]:
    yield _written(folder, pcm, name, language, kind, 0.0, name)
    for place, said in _quietest_places(pcm, language, whisper)[:cuts]:
        for pause_s in pauses:
            cut = np.concatenate((pcm[:place], _room(pcm, pause_s), pcm[place:]))
            yield _written(folder, cut, f"{name}_{place}_{pause_s}", language, kind, pause_s, f"{name}: {said}|")


def _written(
    folder: Path, pcm: NDArray[np.int16], name: str, language: str, kind: str, pause_s: float, label: str
) -> Sentence:
    path = folder / f"{name}.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(np.concatenate((_room(pcm, 0.5), pcm, _room(pcm, LISTEN_ON_S))).tobytes())
    end_s = 0.5 + len(pcm) / RATE
    return Sentence(path=path, language=language, kind=kind, pause_s=pause_s, end_s=end_s, label=label)


def _quietest_places(pcm: NDArray[np.int16], language: str, whisper: Any) -> list[tuple[int, str]]:
    """Boundaries between words by Whisper's alignment, quietest first, with the word before each."""
    segments, _ = whisper.transcribe(
        pcm.astype(np.float32) / 32768, language=language, word_timestamps=True, beam_size=5
    )
    words = [word for segment in segments for word in segment.words]
    window, near = RATE * 3 // 100, RATE * 12 // 100
    places: list[tuple[float, int, str]] = []
    for word, after in pairwise(words):
        low = max(0, round(word.end * RATE) - near)
        part = pcm[low : round(max(word.end, after.start) * RATE) + near].astype(np.float64)
        if len(part) <= window:
            continue
        power = np.convolve(np.square(part), np.ones(window) / window, "valid")
        place = low + int(np.argmin(power)) + window // 2
        if RATE // 2 <= place <= len(pcm) - RATE * 4 // 10:
            places.append((float(power.min()), place, word.word.strip()))
    chosen: list[tuple[int, str]] = []
    for _, place, said in sorted(places):
        if all(abs(place - other) > RATE // 4 for other, _ in chosen):
            chosen.append((place, said))
    return chosen


def _trimmed(pcm: NDArray[np.int16]) -> NDArray[np.int16]:
    """The recording from the beginning to the end of its speech."""
    level = np.sqrt(np.convolve(np.square(pcm.astype(np.float64)), np.ones(320) / 320, "same"))
    loud = np.flatnonzero(level > 0.05 * level.max())
    return pcm[max(0, int(loud[0]) - RATE // 10) : int(loud[-1]) + RATE // 20]


def _room(pcm: NDArray[np.int16], seconds: float) -> NDArray[np.int16]:
    """Noise as quiet as the quietest 50 ms of a recording."""
    power = np.convolve(np.square(pcm.astype(np.float64)), np.ones(800) / 800, "valid")
    level = min(30.0, max(2.0, float(np.sqrt(power.min()))))
    noise = np.random.default_rng(len(pcm)).standard_normal(round(seconds * RATE))
    return (noise * level).astype(np.int16)


def _spoken(store: Any) -> Iterator[NDArray[np.int16]]:
    from assistant.speech.tts import piper
    from assistant.speech.tts.synthesizer import Voice

    engine = piper.ENGINE.create(store.path, os.cpu_count() or 2)
    for text in SYNTHETIC:
        pcm = np.concatenate(list(engine.synthesize(text, Voice(language="en")))).astype(np.float64)
        seconds = len(pcm) / engine.sample_rate
        times = np.arange(0, seconds, 1 / RATE)
        yield np.interp(times, np.arange(len(pcm)) / engine.sample_rate, pcm).astype(np.int16)


# Arms, each a process of its own


@contextmanager
def _arm(tree: Path, url: str, turn_taking: str, timeout_ms: int = 0) -> Iterator[Any]:
    """Run a process that plays sentences to the Sori in ``tree``; yields a function that plays one."""
    command = [sys.executable, str(Path(__file__).resolve()), "--worker", str(tree), "--turn-taking", turn_taking]
    command += ["--timeout-ms", str(timeout_ms)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=os.environ | {"SORI_BENCH_URL": url}
    )

    def play(sentence: Sentence) -> dict[str, Any]:
        if process.stdin is None or process.stdout is None:
            raise RuntimeError("the arm has no pipes")
        print(json.dumps([str(sentence.path), sentence.language]), file=process.stdin, flush=True)
        heard: dict[str, Any] = json.loads(process.stdout.readline())
        return heard

    try:
        yield play
    finally:
        process.terminate()
        process.wait()


async def _work(tree: Path, turn_taking: str, timeout_ms: int) -> None:
    """Play the sentences named on standard input, one per line."""
    sys.path.insert(0, str(tree))
    from assistant.app.cli.options import ListenOptions
    from assistant.app.commands import listen
    from assistant.engine import voice_wiring
    from assistant.speech.endpoint.policy import EndpointPolicy

    loaded: dict[str, Any] = {}

    async def load_once(settings: Any, *arguments: Any, **options: Any) -> Any:
        if settings.language not in loaded:
            loaded[settings.language] = await voice_wiring.load_voice(settings, *arguments, **options)
        return loaded[settings.language]

    with ExitStack() as patches:
        patches.enter_context(patch.object(listen, "load_voice", load_once))
        if timeout_ms:
            patches.enter_context(patch.object(EndpointPolicy, "decide", _silence_alone(timeout_ms)))
        for line in iter(sys.stdin.readline, ""):
            path, language = json.loads(line)
            with tempfile.TemporaryDirectory() as folder:
                options = ListenOptions(
                    input=Path(path), output=Path(folder) / "answer.wav", pace="fast", no_wake=True, language=language
                )
                events = await listen.hear(Path(folder), _settings(language, turn_taking), options, lambda _event: None)
                said = _said(Path(folder))
            print(json.dumps({"events": events, "said": said}), flush=True)


def _silence_alone(timeout_ms: int) -> Any:
    from assistant.speech.endpoint.policy import Belief, Decision

    def decide(_self: Any, evidence: Any) -> Decision:
        end = evidence.silence_ms >= timeout_ms
        return Decision(end=end, required_ms=timeout_ms, probable=False, sound=Belief.NONE, words=Belief.NONE)

    return decide


def _settings(language: Any, turn_taking: Any) -> Any:
    from assistant.core.settings import LlmSettings, Provider, Settings, VoiceSettings

    return Settings(
        language=language,
        llm=LlmSettings(provider="scripted", model="scripted-model"),
        providers=(Provider(name="scripted", kind="openai", base_url=os.environ["SORI_BENCH_URL"]),),
        # The voice does not matter, so the fastest is used.
        voice=VoiceSettings(cues=False, tts="espeak", turn_taking=turn_taking),
    )


def _said(home: Path) -> list[str]:
    """The user's messages in the conversation that are not superseded."""
    with closing(sqlite3.connect(home / "sori.db")) as connection:
        rows = connection.execute("SELECT text FROM messages WHERE role = 'user' AND superseded = 0 ORDER BY added")
        return [text for (text,) in rows]


@contextmanager
def _server() -> Iterator[str]:
    """A scripted model server."""
    command = [sys.executable, "-m", "tests.fakes.model_server.server", "--port", "0"]
    command += ["--text", "Sure, that is done. Is there anything else that you would like to have?"]
    process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip() if process.stdout else ""
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    sys.exit(main())
