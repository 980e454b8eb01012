"""People speak over an answer, with real speech models, in audio time (V-15, V-16).

The rooms, the sound card and the listener are those of ``benchmarks/voice/barge_in``. The answer is a human recording
behind the product's cues, and the first one of the process.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.core.audio import SAMPLE_RATE
from assistant.speech.stt import faster_whisper
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from benchmarks.voice.barge_in.interruption import ROOMS
from benchmarks.voice.barge_in.interruption_worker import BEFORE_S, heard_of
from benchmarks.voice.listening import trimmed
from benchmarks.voice.wav_files import written
from tests.unit.audio.sounds import Samples, coughs, recording

pytestmark = [pytest.mark.models, pytest.mark.timeout(120)]

INTO_ANSWER_S = 1.0
ANSWER = recording("en_read_sentence")[9_600:73_600]
SAYING = "He hung up for his work that has won in many prizes and we are glad to welcome his gospel"
QUESTION = trimmed(recording("ko_lights_blue"))[: 2 * SAMPLE_RATE]
ORDER = trimmed(recording("en_coffee_order"))[: 2 * SAMPLE_RATE]
DRIFTING_IN_ROOM = {"gain_db": -6.0, "drift_ppm": 100.0, "reverberation_s": 0.25}


@pytest.fixture(scope="module")
def recognizer(model_path: Callable[[str], Path]) -> Recognizer:
    return faster_whisper.ENGINE.create(lambda _name: model_path("whisper-base"), RecognizerOptions(threads=1))


async def times(
    folder: Path, recognizer: Recognizer, echo: dict[str, Any] | None, said: Samples | None, language: str = "en"
) -> dict[str, float]:
    """When each event came first, in seconds from the beginning of the words on."""
    human = None if said is None else str(written(folder / "human.wav", said))
    answer = str(written(folder / "answer.wav", ANSWER))
    job = {"human": human, "at_s": INTO_ANSWER_S, "answer": answer, "saying": SAYING, "language": language}
    found = await heard_of({**job, "echo": echo, "room_db": -75.0}, recognizer)
    begins_s = BEFORE_S + INTO_ANSWER_S
    first: dict[str, float] = {}
    for at_s, name in found["events"]:
        first.setdefault(name, at_s - begins_s)
    return first


@pytest.mark.parametrize(
    ("room", "language"),
    [("no echo", "ko"), ("echo 0 dB", "en"), ("echo -12 dB, reverberant", "ko"), ("echo -12 dB, drifting", "en")],
)
async def test_an_interruption_lowers_pauses_and_ends_the_answer(
    tmp_path: Path, recognizer: Recognizer, room: str, language: str
) -> None:
    said = QUESTION if language == "ko" else ORDER

    first = await times(tmp_path, recognizer, ROOMS[room], said, language)

    assert 0 <= first["OverlapSuspected"] <= 0.2
    assert first["OverlapHeard"] <= 0.35
    assert first["OverlapConfirmed"] <= 1.5


@pytest.mark.parametrize("room", ["no echo", "echo -12 dB, reverberant"])
async def test_a_cough_does_not_end_the_answer(tmp_path: Path, recognizer: Recognizer, room: str) -> None:
    cough = coughs(1.0)[4_000:8_800]
    assert "OverlapConfirmed" not in await times(tmp_path, recognizer, ROOMS[room], cough)


@pytest.mark.parametrize("echo", [{"gain_db": 0.0}, DRIFTING_IN_ROOM])
async def test_an_answer_does_not_interrupt_itself(
    tmp_path: Path, recognizer: Recognizer, echo: dict[str, Any]
) -> None:
    assert "OverlapConfirmed" not in await times(tmp_path, recognizer, echo, None)


async def test_an_echo_that_comes_at_another_time_does_not_end_the_answer(
    tmp_path: Path, recognizer: Recognizer
) -> None:
    jump = {"gain_db": -6.0, "delays": [(0.0, 60.0), (BEFORE_S + 2.0, 120.0)], "reverberation_s": 0.25}
    first = await times(tmp_path, recognizer, jump, None)
    assert "OverlapConfirmed" not in first
