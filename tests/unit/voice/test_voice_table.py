"""The table of the voice benchmarks, and the counting of early answers and gaps."""

from importlib.util import find_spec
from pathlib import Path

import pytest

from assistant.audio.playback import Mark
from benchmarks.voice.table import PARTS, command_of, main
from benchmarks.voice.turn.early_answers import Count, lines
from benchmarks.voice.turn.embedded import gaps_ms
from benchmarks.voice.turn.embedded import lines as embedded_lines


@pytest.mark.parametrize("name", PARTS)
def test_each_part_is_a_script(name: str) -> None:
    command = command_of(PARTS[name], full=False, baseline=None)
    assert find_spec(command[2]) is not None


def test_a_baseline_is_passed_on_only_where_it_can_run() -> None:
    assert command_of(PARTS["pauses"], full=True, baseline=Path("/old"))[-2:] == ["--baseline-tree", "/old"]
    assert "--baseline-tree" not in command_of(PARTS["wake"], full=True, baseline=Path("/old"))


def test_the_list_runs_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--part", "wake", "idle"]) == 0
    shown = capsys.readouterr().out
    assert "== wake: recall" in shown
    assert "took" not in shown


def test_a_guess_is_right_if_the_turn_takes_its_answer() -> None:
    count = Count()
    count.take(
        [
            {"t": 1.0, "event": "probable_end", "text": "Turn on"},
            {"t": 1.2, "event": "went_on"},
            {"t": 2.0, "event": "probable_end", "text": "Turn on the lamp."},
            {"t": 2.5, "event": "speech_ended"},
            {"t": 2.5, "event": "transcript", "text": "Turn on the lamp."},
            {"t": 2.6, "event": "first_audio"},
        ],
        requests=2,
    )
    assert (count.turns, count.guesses, count.right, count.requests) == (1, 2, 1, 2)
    assert count.first_audio_s == {True: [pytest.approx(0.1)], False: []}
    assert "(50%; wanted 80 %), +1.00 extra requests" in lines({"now": count})[0]


def test_a_turn_without_a_guess_counts_apart() -> None:
    count = Count()
    count.take(
        [
            {"t": 2.0, "event": "speech_ended"},
            {"t": 2.4, "event": "transcript", "text": "Turn on the lamp."},
            {"t": 3.0, "event": "first_audio"},
        ],
        requests=1,
    )
    assert (count.guesses, count.right) == (0, 0)
    assert count.first_audio_s == {True: [], False: [pytest.approx(1.0)]}


def test_a_gap_is_the_time_between_two_sentences() -> None:
    marks = [
        Mark(segment=1, kind="started", block=100),
        Mark(segment=1, kind="ended", block=200),
        Mark(segment=2, kind="started", block=200),
        Mark(segment=2, kind="ended", block=300),
        Mark(segment=3, kind="started", block=340),
    ]
    assert gaps_ms(marks) == [0, 400]


def test_only_later_turns_of_a_conversation_are_measured() -> None:
    steps: list[tuple[str, float]] = [("first_audio", 2.0)]
    turns = [
        {"delay_s": delay, "steps": steps, "gaps_ms": gaps, "underruns": 0, "said": "Yes."}
        for delay, gaps in ((9.0, [900]), (8.0, [800]), (2.0, [0, 100]), (1.0, [0]), (None, []))
    ]
    assert embedded_lines("en", turns)[-1] == (
        "en: end of speech to first sound p50 1.50 s (wanted 2.0), 1 never; "
        "gaps between sentences p95 90 ms of 3 (wanted 300), 0 underruns"
    )
