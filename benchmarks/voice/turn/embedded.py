"""A spoken conversation with Sori's own model: the delay of each turn from the third on, and the gaps in its answers.

A human recording begins, and questions in a voice of Kokoro follow, in real time, each one second after the answer
before. The few human recordings ask for nothing that the model answers in several sentences. Everything runs in one
process as in ``sori listen``, with the model's server beside it. The delay is from the end of the recording to the
first sound in the written wav. A gap is the time for which the player waits for the next sentence of an answer; an
underrun is a sentence of which the rest is not there in time. The pauses that belong to the voices are no gaps.

    python -m benchmarks.voice.turn.embedded [--languages en ko] [--turns 5] [--baseline-tree DIR] [--keep DIR]

Each conversation runs in a process of its own; a baseline's alternate with this tree's.
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest.mock import patch

# Another checkout is named by PYTHONPATH, which comes first.
sys.path.append(str(Path(__file__).resolve().parents[3]))

import numpy as np
from numpy.typing import NDArray

from assistant.app.cli.options import ListenOptions
from assistant.app.commands import listen
from assistant.audio.cards.files import FileCard
from assistant.audio.cards.recordings import read_recording
from assistant.audio.playback import Mark, Playback
from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.machine.states import InteractionState
from assistant.core.settings import LlmSettings, Settings, VoiceSettings
from assistant.host.places import default_home, models_folder
from assistant.speech.tts import kokoro
from assistant.speech.tts.synthesizer import Voice
from benchmarks.voice.listening import SPEECH, trimmed
from benchmarks.voice.wav_files import first_sound_s

ROOT = Path(__file__).resolve().parents[3]
FIRST = {"en": "en_coffee_order", "ko": "ko_hotel_question"}
"""The human recording that begins the conversation."""
VOICES = {"en": "am_michael", "ko": "hm_omega"}
QUESTIONS = {
    "en": (
        "What can I see in London in one day?",
        "Why is the sky blue?",
        "How do I make a good cup of tea?",
        "Tell me a short story about a cat.",
        "What is good for a cold?",
    ),
    "ko": (
        "서울에서 하루 동안 뭘 볼 수 있어?",
        "하늘은 왜 파란색이야?",
        "차를 맛있게 끓이는 방법을 알려 줘.",
        "고양이 이야기를 짧게 해 줘.",
        "감기에는 뭐가 좋아?",
    ),
}
MEASURED_FROM = 2
"""The first measured turn, counted from 0."""
MOST_TOKENS = 90
"""About four sentences; a longer answer is cut off, so that a run takes no longer than it must."""
PAUSE_TICKS = 100
"""Ticks of 10 ms between an answer and the next question."""
ANSWERED_WITHIN_TICKS = 2_000
"""Ticks after which an answer is no longer awaited."""
Turn = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the conversations and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--languages", nargs="+", choices=list(FIRST), default=list(FIRST))
    parser.add_argument("--turns", type=int, default=5, help="turns of a conversation")
    parser.add_argument("--baseline-tree", type=Path, help="another checkout, run beside this one")
    parser.add_argument("--keep", type=Path, help="folder for the recorded conversations")
    parser.add_argument("--one", nargs=2, metavar=("LANGUAGE", "OUTPUT"), help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.one is not None:
        language, output = chosen.one
        print(json.dumps(asyncio.run(_converse(language, Path(output), chosen.turns)), ensure_ascii=False))
        return 0
    trees = {"now": ROOT} if chosen.baseline_tree is None else {"before": chosen.baseline_tree.resolve(), "now": ROOT}
    for language in chosen.languages:
        for name, tree in trees.items():
            with tempfile.TemporaryDirectory() as folder:
                kept = Path(folder) if chosen.keep is None else chosen.keep
                kept.mkdir(parents=True, exist_ok=True)
                turns = _in_process(tree, language, kept / f"{language}_{name}.wav", chosen.turns)
            print("\n".join(lines(f"{language} {name}", turns)), flush=True)
    return 0


def lines(title: str, turns: Sequence[Turn]) -> list[str]:
    """The table of one conversation."""
    found = []
    for number, turn in enumerate(turns, start=1):
        steps = " ".join(f"{name} {at_s:+.2f}" for name, at_s in turn["steps"])
        found.append(f"{title} turn {number}: {steps}; gaps {turn['gaps_ms']} ms, {turn['underruns']} underruns")
        found.append(f"    {turn['said']}")
    measured = turns[MEASURED_FROM:]
    delays = [turn["delay_s"] for turn in measured if turn["delay_s"] is not None]
    gaps = [gap for turn in measured for gap in turn["gaps_ms"]]
    p50 = f"{statistics.median(delays):.2f} s" if delays else "never"
    p95 = f"{np.percentile(gaps, 95):.0f} ms of {len(gaps)}" if gaps else "none"
    found.append(
        f"{title}: end of speech to first sound p50 {p50} (wanted 2.0), {len(measured) - len(delays)} never; "
        f"gaps between sentences p95 {p95} (wanted 300), {sum(turn['underruns'] for turn in measured)} underruns"
    )
    return found


def _in_process(tree: Path, language: str, output: Path, turns: int) -> list[Turn]:
    command = [sys.executable, str(Path(__file__).resolve()), "--one", language, str(output), "--turns", str(turns)]
    environment = os.environ | {"PYTHONPATH": str(tree), "SORI_MODELS": str(models_folder(default_home()))}
    done = subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: list[Turn] = json.loads(done.stdout.splitlines()[-1])
    return found


async def _converse(language: Any, output: Path, turns: int) -> list[Turn]:
    questions = [trimmed(read_recording(SPEECH / f"{FIRST[language]}.wav")), *_asked(language)]
    questions = [questions[number % len(questions)] for number in range(turns)]
    talks: list[Talk] = []

    def talk(options: ListenOptions, playback: Playback, session: Any, _work: Any) -> FileCard:
        talks.append(Talk(questions, options.output, playback, lambda: session.snapshot.interaction))
        return talks[0]

    with ExitStack() as patches, tempfile.TemporaryDirectory() as home:
        patches.enter_context(patch.object(listen, "_card", talk))
        options = ListenOptions(input=Path("questions"), output=output, pace="realtime", no_wake=True)
        settings = Settings(
            language=language,
            llm=LlmSettings(max_output_tokens=MOST_TOKENS),
            voice=VoiceSettings(cues=False),
        )
        events = await listen.hear(Path(home), settings, options, lambda _event: None)
    return talks[0].turns(events, output)


def _asked(language: str) -> list[NDArray[np.int16]]:
    """The questions as sound."""
    engine = kokoro.ENGINE.create(lambda name: models_folder(default_home()) / name, 2)
    voice = Voice(language=language, name=VOICES[language])
    spoken = [np.concatenate(list(engine.synthesize(text, voice))) for text in QUESTIONS[language]]
    engine.close()
    return [trimmed(resample(pcm, engine.sample_rate, SAMPLE_RATE)) for pcm in spoken]


class Talk(FileCard):
    """A card in whose room somebody asks the next question when the answer before it has ended.

    Args:
        questions: the recordings.
        output: the wav for what is played.
        playback: the player, whose marks and underruns are noted.
        state: gives the state of the conversation.
    """

    def __init__(
        self,
        questions: list[NDArray[np.int16]],
        output: Path | None,
        playback: Playback,
        state: Callable[[], InteractionState],
    ) -> None:
        async def idle() -> None:
            """In real time nothing is awaited."""

        super().__init__(
            None,
            output,
            playback,
            pace="realtime",
            echo_gain_db=None,
            echo_delay_ms=0,
            wait_until_idle=idle,
            tail=self._more,
        )
        self._questions = list(questions)
        self._player = playback
        self._state = state
        self._answered = True
        self._quiet = 0
        self._ends: list[int] = []
        self._underruns: list[int] = []
        self._marks: list[Mark] = []
        take = playback.take_marks

        def take_marks() -> list[Mark]:
            marks = list(take())
            self._marks += marks
            return marks

        playback.take_marks = take_marks  # type: ignore[method-assign]

    @property
    def microphone(self) -> str:
        """Without a name there would be no microphone."""
        return "questions"

    def _more(self) -> bool:
        """Called every 10 ms of audio time while nobody asks: whether to go on."""
        listens = self._state() is InteractionState.LISTENING
        self._answered = self._answered or not listens
        self._quiet = self._quiet + 1 if listens else 0
        if self._quiet < (PAUSE_TICKS if self._answered else ANSWERED_WITHIN_TICKS):
            return True
        self._underruns.append(self._player.underruns)
        if not self._questions:
            return False
        self._quiet, self._answered = 0, False
        before = np.zeros(self._player.blocks * SAMPLE_RATE // 100, np.int16)
        self._recording = np.concatenate((before, self._questions.pop(0)))
        self._ends.append(len(self._recording))
        return True

    def turns(self, events: Sequence[dict[str, Any]], output: Path) -> list[Turn]:
        """What happened after each question."""
        ends_s = [end / SAMPLE_RATE for end in self._ends]
        found = []
        for number, end_s in enumerate(ends_s):
            until_s = ends_s[number + 1] if number + 1 < len(ends_s) else float("inf")
            mine = [event for event in events if end_s - 0.5 < event["t"] < until_s]
            found.append(
                {
                    "delay_s": first_sound_s(output, end_s, None if until_s == float("inf") else until_s - end_s),
                    "steps": [(each["event"], each["t"] - end_s) for each in mine if each["event"] in _STEPS],
                    "gaps_ms": gaps_ms([mark for mark in self._marks if end_s < mark.block / 100 < until_s]),
                    "underruns": self._underruns[number + 1] - self._underruns[number],
                    "said": " | ".join(each["text"] for each in mine if each["event"] == "sentence"),
                }
            )
        return found


_STEPS = {"probable_end", "went_on", "speech_ended", "transcript", "first_token", "first_audio", "done"}


def gaps_ms(marks: Sequence[Mark]) -> list[int]:
    """Times between the end of each sentence and the start of the next."""
    gaps: list[int] = []
    ended: int | None = None
    for mark in sorted(marks, key=lambda mark: (mark.block, mark.kind)):
        if mark.kind == "ended":
            ended = mark.block
        elif ended is not None:
            gaps.append(10 * (mark.block - ended))
    return gaps


if __name__ == "__main__":
    sys.exit(main())
