"""A wake word and a question: checks that the model gets the question and nothing else.

40 people say "Alexa", followed by a question 0 to 2 s after the word's end. All sounds are human recordings, joined by
this script. Then all recordings of the wake word are played alone, with 12 s of silence or low noise around them; these
must not be answered.

    python benchmarks/voice/wake_question.py [--baseline-tree PATH] [--speech FOLDER] [--words 40] [--gaps 0 0.25 …]

A message counts as the question if it equals one of the recogniser's transcripts of the question alone, up to 15 edits
in a hundred letters (``listening.readings_alone``, ``listening.is_question``). Missed wake words are counted
separately.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
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
    is_question,
    low_noise,
    parser_of,
    readings_alone,
    silence,
    trimmed,
)
from benchmarks.voice.wav_files import written

GAPS_S = (0.0, 0.5, 1.0, 1.5, 2.0)
ALONE_S = 12.0
REPLY = "Okay."
QUESTIONS = ("en_coffee_order", "ko_lights_blue", "en_read_sentence", "ko_hotel_question", "ko_read_sentence")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all arms and print the tables."""
    parser = parser_of(__doc__)
    parser.add_argument("--words", type=int, default=40, help="how many recordings of the wake word")
    parser.add_argument("--gaps", type=float, nargs="*", default=list(GAPS_S), help="seconds before the question")
    parser.add_argument("--wake-word", default="alexa")
    chosen = parser.parse_args(arguments)
    paths = sorted((chosen.speech / "alexa").glob("*.flac"))
    step = max(1, len(paths) // chosen.words)
    every = {path.stem: read_recording(path) for path in paths}
    words = {path.stem: every[path.stem] for path in paths[::step][: chosen.words]}
    with arms(chosen.baseline_tree, REPLY) as (folder, running):
        questions = [clip for clip in clips(chosen.speech) if clip.name in QUESTIONS or chosen.speech.name != "speech"]
        readings = {clip.name: readings_alone(clip) for clip in questions}
        bench = _Bench(folder, running, chosen.wake_word)
        for gap_s in chosen.gaps:
            bench.ask(words, questions, readings, gap_s)
        bench.print_all()
        for room, around in (("silence", silence), ("low noise", low_noise)):
            bench.call(every, room, around)
    return 0


class _Bench:
    def __init__(self, folder: Path, running: dict[str, Arm], wake_word: str) -> None:
        self._folder = folder
        self._arms = running
        self._wake_word = wake_word
        self._all: dict[str, Counter[str]] = {name: Counter() for name in running}

    def ask(self, words: dict[str, Pcm], questions: list[Clip], readings: dict[str, list[str]], gap_s: float) -> None:
        """Play all wake words, each followed by one of the questions."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in self._arms}
        for number, (word, pcm) in enumerate(words.items()):
            clip = questions[number % len(questions)]
            sound = (silence(1), trimmed(pcm), silence(gap_s), clip.pcm, silence(2))
            for name, heard in self._hear(*sound):
                outcome = _outcome(heard, readings[clip.name])
                counts[name][outcome] += 1
                if outcome not in {"right", "never woke"}:
                    print(f"{name:<8} {gap_s:4.2f} s  alexa/{word} + {clip.name}: {outcome}: {heard.asked}", flush=True)
        for name, count in counts.items():
            _print_row(name, f"gap {gap_s:4.2f} s", count)
            self._all[name] += count

    def print_all(self) -> None:
        """Print the results of all gaps together."""
        for name, count in self._all.items():
            _print_row(name, "all gaps", count)

    def call(self, words: dict[str, Pcm], room: str, around: Callable[[float], Pcm]) -> None:
        """Play all wake words alone, with silence or noise around them."""
        counts: dict[str, Counter[str]] = {name: Counter() for name in self._arms}
        for word, pcm in words.items():
            for name, heard in self._hear(around(1), pcm, around(ALONE_S)):
                found = counts[name]
                found["woke"] += bool(heard.all("wake"))
                found["utterances"] += bool(heard.all("speech_started"))
                found["answered"] += bool(heard.asked or heard.spoken)
                if heard.asked or heard.spoken:
                    print(f"{name:<8} alexa/{word} alone: {heard.asked} {heard.spoken!r}", flush=True)
        for name, found in counts.items():
            print(
                f"{name:<8} alone, {ALONE_S:g} s of {room}: woke {found['woke']} of {len(words)}, "
                f"began an utterance {found['utterances']}, answered {found['answered']}",
                flush=True,
            )

    def _hear(self, *sound: Pcm) -> list[tuple[str, Heard]]:
        path = written(self._folder / "heard.wav", *sound)
        return [(name, arm.hear(path, wake_word=self._wake_word)) for name, arm in self._arms.items()]


def _print_row(name: str, label: str, count: Counter[str]) -> None:
    woke = count.total() - count["never woke"]
    others = ", ".join(f"{key} {value}" for key, value in sorted(count.items()) if key != "right")
    share = 100 * count["right"] / max(1, woke)
    print(f"{name:<8} {label}: right {count['right']:>3} of {woke} ({share:5.1f} %); {others}", flush=True)


def _outcome(heard: Heard, readings: list[str]) -> str:
    if not heard.all("wake"):
        return "never woke"
    right = [is_question(text, readings) for text in heard.asked]
    if right == [True]:
        return "right"
    if not heard.asked:
        return "lost"
    # If the first half was sent too early, the whole question is sent again and the first answer is withdrawn.
    beginnings = [text.rstrip(".?!, ") for text in heard.asked[:-1]]
    if right[-1] and all(any(each.startswith(begun) for each in readings) for begun in beginnings):
        return "right at second try"
    return "something else as well" if any(right) else "wrong"


if __name__ == "__main__":
    raise SystemExit(main())
