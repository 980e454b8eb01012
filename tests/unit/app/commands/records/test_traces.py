import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.app.command_line import main
from assistant.core.machine.states import TurnId
from assistant.host.clock import SystemClock
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.records.traces import TraceStore

pytestmark = pytest.mark.usefixtures("home")

TURN: list[dict[str, Any]] = [
    {"t": 1.2, "event": "wake", "name": "alexa"},
    {"t": 3.0, "event": "speech_ended", "silence_ms": 340},
    {"t": 3.1, "event": "transcript", "text": "몇 시야"},
    {"t": 3.75, "event": "first_audio"},
    {"t": 5.0, "event": "done"},
]
Saved = Callable[..., None]


@pytest.fixture
def saved(home: Path) -> Saved:
    """Saves traces."""

    async def save(traces: tuple[list[dict[str, Any]], ...]) -> None:
        clock = SystemClock()
        database = await Database.open(home / "sori.db", clock)
        conversation = await ConversationStore(database, clock).create()
        for number, each in enumerate(traces):
            await TraceStore(database, clock).save(conversation, TurnId(f"turn-{number}"), each)
        await database.close()

    return lambda *traces: asyncio.run(save(traces))


def test_without_a_spoken_turn_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["traces"]) == 0
    assert "no spoken turn" in capsys.readouterr().out


def test_turns_are_listed_with_what_was_heard_and_the_wait_for_the_first_sound(
    saved: Saved, capsys: pytest.CaptureFixture[str]
) -> None:
    saved([{"t": 0.5, "event": "interrupted"}], TURN)
    assert main(["traces"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[2].endswith("interrupted")
    assert "몇 시야" in lines[3]
    assert "0.75 s" in lines[3]
    assert lines[3].endswith("done")


def test_one_is_shown_in_full(saved: Saved, capsys: pytest.CaptureFixture[str]) -> None:
    saved([], TURN)
    assert main(["traces", "2"]) == 0
    said = capsys.readouterr().out
    assert [line.split()[:2] for line in said.splitlines()[3:]] == [
        ["1.20", "wake"],
        ["3.00", "speech_ended"],
        ["3.10", "transcript"],
        ["3.75", "first_audio"],
        ["5.00", "done"],
    ]
    assert "silence_ms=340" in said


def test_json_tells_the_turn_and_its_events(saved: Saved, capsys: pytest.CaptureFixture[str]) -> None:
    saved(TURN)
    assert main(["traces", "1", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["id"], told["turn"], told["events"]) == (1, "turn-0", TURN)
    assert main(["traces", "--json"]) == 0
    assert [each["id"] for each in json.loads(capsys.readouterr().out)] == [1]


@pytest.mark.parametrize("number", ["7", "-7", "seven", "일곱", "²", "9" * 30])
def test_a_number_that_no_trace_has_is_told(number: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["traces", "--", number]) == 1
    assert f"There is no trace {number}" in capsys.readouterr().err
