"""Answers that begin before the end of the turn is certain: how often the guess is right, and what it gains.

Human recordings go through whole sessions in real time, whole and with a pause inside the sentence, filled with noise
as quiet as the recording's own. The scripted model's first token comes after 300 ms. Two arms of the same version
alternate: with early answers, and without.

- a guess: the model is asked before the end is certain;
- a right guess: the answer that was begun with it is the answer of the turn;
- confirmation: the moment in which the end is certain (``speech_ended`` of the trace);
- extra requests: requests beyond one for each message of the user.

    python -m benchmarks.voice.turn.early_answers [--cuts N] [--pauses 0.4 0.7] [--speech DIR]
"""

import os
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from assistant.host.model_store import open_store
from assistant.host.places import default_home
from benchmarks.voice.batch_pipeline import load_whisper
from benchmarks.voice.listening import Arm, arms, language_asked, parser_of
from benchmarks.voice.pauses import Sentence, human_sentences
from tests.fakes.model_server.server import RecordedRequest, Reply

REPLIES = {"ko": "네, 알겠습니다. 지금 해 둘게요.", "en": "Sure, I can do that. It is done now."}
FIRST_TOKEN_S = 0.3
TOKENS_PER_SECOND = 40.0
Events = Sequence[dict[str, Any]]


@dataclass(slots=True)
class Count:
    """What an arm did.

    Attributes:
        turns: messages of the user.
        requests: requests to the model.
        guesses: answers begun before the end was certain.
        right: guesses whose answer was the answer of the turn.
        first_audio_s: from each confirmation to the first sound of its answer, by whether it was guessed.
    """

    turns: int = 0
    requests: int = 0
    guesses: int = 0
    right: int = 0
    first_audio_s: dict[bool, list[float]] = field(default_factory=lambda: {True: [], False: []})

    def take(self, events: Events, requests: int) -> None:
        """Add one session."""
        self.requests += requests
        guess: str | None = None
        ended_s, guessed = None, False
        for event in events:
            match event["event"]:
                case "probable_end":
                    guess = event["text"]
                    self.guesses += 1
                case "went_on":
                    guess = None
                case "speech_ended":
                    ended_s = event["t"]
                case "transcript":
                    self.turns += 1
                    guessed, guess = guess == event["text"], None
                    self.right += guessed
                case "first_audio" if ended_s is not None:
                    self.first_audio_s[guessed].append(event["t"] - ended_s)
                    ended_s = None
                case _:
                    pass


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all recordings and print the table."""
    parser = parser_of(__doc__)
    parser.add_argument("--cuts", type=int, default=2, help="how many places of each sentence get a pause")
    parser.add_argument("--pauses", type=float, nargs="+", default=[0.4, 0.7], help="length of the pauses, in turn")
    chosen = parser.parse_args(arguments)
    store = open_store(default_home())
    with arms(chosen.baseline_tree, reply_to) as (folder, running):
        whisper = load_whisper(store.path("whisper-base"), os.cpu_count() or 2)
        sentences = human_sentences(folder, chosen.speech, chosen.cuts, chosen.pauses, whisper)
        variants = {(tree, early): Count() for tree in running for early in ("always", "never")}
        for sentence in sentences:
            for (tree, early), count in variants.items():
                print(
                    f"{sentence.label:<40} {tree} {early:<7} {_play(running[tree], sentence, early, count)}", flush=True
                )
    print("\n".join(lines({f"{tree}, early answers: {early}": count for (tree, early), count in variants.items()})))
    return 0


def reply_to(request: RecordedRequest) -> Reply:
    """An answer in the language of the request."""
    return Reply(
        text=REPLIES[language_asked(request)], first_token_s=FIRST_TOKEN_S, tokens_per_second=TOKENS_PER_SECOND
    )


def _play(arm: Arm, sentence: Sentence, early: str, count: Count) -> str:
    """Play a sentence to an arm; returns what to print."""
    heard = arm.hear(
        sentence.path, pace="realtime", no_wake=True, language=sentence.language, tts="auto", early_answers=early
    )
    count.take(heard.events, len(heard.asked))
    shown = ("probable_end", "went_on", "speech_ended", "first_audio")
    return " ".join(
        f"{event['event']} {event['t'] - sentence.end_s:+.2f}" for event in heard.events if event["event"] in shown
    )


def lines(counts: dict[str, Count]) -> list[str]:
    """The table."""
    found = []
    for name, count in counts.items():
        turns = max(1, count.turns)
        found.append(
            f"{name}: {count.turns} turns, {count.guesses} guesses, {count.right} right "
            f"({count.right / max(1, count.guesses):.0%}; wanted 80 %), "
            f"{(count.requests - count.turns) / turns:+.2f} extra requests a turn (wanted at most 0.7)"
        )
        for guessed, title in ((True, "after a right guess"), (False, "without a guess")):
            if times := count.first_audio_s[guessed]:
                found.append(
                    f"    {title}: confirmation to first sound p50 {statistics.median(times):.2f} s, "
                    f"longest {max(times):.2f} s, n {len(times)}" + (" (wanted p50 0.10)" if guessed else "")
                )
    return found


if __name__ == "__main__":
    sys.exit(main())
