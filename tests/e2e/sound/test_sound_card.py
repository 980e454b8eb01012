import asyncio
import contextlib
import json
import sys
from collections.abc import AsyncIterator, Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.audio.echo.canceller import EchoCanceller
from tests.e2e.sound.event_process import ROOT, EventProcess, event_process
from tests.e2e.sound_server import SoundServer

pytestmark = pytest.mark.sound

SPEECH = ROOT / "tests" / "data" / "speech"
ANSWER = SPEECH / "en_read_sentence.wav"

Samples = NDArray[np.int16]


class Session:
    """The other side of ``card_session``."""

    def __init__(self, process: EventProcess, folder: Path) -> None:
        self._process = process
        self._folder = folder
        self.tell = process.tell

    async def wait_for(self, name: str) -> dict[str, Any]:
        """The next event of that name. Others before it are passed over."""
        return await self._process.next_event(lambda event: event["event"] == name)

    async def stop(self) -> dict[str, Any]:
        await self.tell("stop")
        return await self.wait_for("done")

    @property
    def heard(self) -> Samples:
        return np.asarray(np.load(self._folder / "heard.npy"), np.int16)

    @property
    def played(self) -> Samples:
        return np.asarray(np.load(self._folder / "played.npy"), np.int16)


@contextlib.asynccontextmanager
async def session(server: SoundServer, folder: Path, *options: str) -> AsyncIterator[Session]:
    files = (str(folder / "heard.npy"), str(folder / "played.npy"), *options)
    async with event_process(
        "tests.e2e.card_session", *files, environment=server.environment, ends_within_s=60
    ) as process:
        yield Session(process, folder)


async def error_after(loss: Callable[[], object], server: SoundServer, folder: Path) -> dict[str, Any]:
    """The error that a running session reports after the loss."""
    async with session(server, folder) as card:
        await card.wait_for("ready")
        await asyncio.to_thread(loss)
        error = await card.wait_for("error")
        await card.wait_for("done")
    return error


def position(part: Samples, whole: Samples) -> tuple[int, float]:
    """Where ``part`` is found in ``whole``, and how alike they are there (1 the same)."""
    count = 1 << (len(part) + len(whole)).bit_length()
    spectrum = np.fft.rfft(whole.astype(float), count) * np.conj(np.fft.rfft(part.astype(float), count))
    last = max(len(whole) - len(part), 0) + 1
    squares = np.concatenate(([0.0], np.cumsum(np.square(whole.astype(float)))))
    energies = squares[len(part) : len(part) + last] - squares[:last]
    likeness = np.fft.irfft(spectrum, count)[:last] / np.sqrt(np.maximum(energies, 1) * energy(part) * len(part))
    at = int(np.argmax(likeness))
    return at, float(likeness[at])


def found_pieces(original: Samples, recorded: Samples, rate: int) -> tuple[list[bool], Samples]:
    """Which audible twentieths of a second of the original are in the recording, in their order, and what follows them.

    So a pause that a busy computer makes costs the piece it falls into, however long it is, and nothing that follows.
    A piece is looked for in the second that follows the one before it.
    """
    length = rate // 20
    pieces = [original[at : at + length] for at in range(0, len(original) - length + 1, length)]
    loud = np.flatnonzero(np.abs(recorded.astype(int)) > 100)
    rest = recorded[max(int(loud[0]) - length, 0) if loud.size else len(recorded) :]
    found = []
    for piece in (each for each in pieces if energy(each) > 10_000):
        near = rest[: length + rate]
        at, likeness = position(piece, near) if len(near) >= length else (0, 0.0)
        found.append(likeness > 0.95)
        if found[-1]:
            rest = rest[at + length :]
    return found, rest


def energy(sound: Samples) -> float:
    return float(np.mean(sound.astype(float) ** 2))


async def test_what_is_said_in_the_room_is_heard_whole(sound_server: SoundServer, tmp_path: Path) -> None:
    said = SPEECH / "ko_lights_blue.wav"
    async with session(sound_server, tmp_path) as card:
        ready = await card.wait_for("ready")
        await sound_server.say(read_recording(said, 48_000))
        done = await card.stop()
    assert ready["microphone"]
    assert ready["speaker"]
    found, _ = found_pieces(read_recording(said), card.heard, 16_000)
    assert np.mean(found) > 0.9, found
    assert done["gaps"] == 0


async def test_what_is_played_comes_out_of_the_speaker_whole(sound_server: SoundServer, tmp_path: Path) -> None:
    recorder = sound_server.record()
    async with session(sound_server, tmp_path) as card:
        await card.wait_for("ready")
        await card.tell(f"play {ANSWER}")
        await card.wait_for("ended")
        await asyncio.to_thread(recorder.record_more, 0.3)
        done = await card.stop()
    found, _ = found_pieces(read_recording(ANSWER, 48_000), recorder.stop(), 48_000)
    assert np.mean(found) > 0.8, found
    assert done["underruns"] == 0


async def test_a_speaker_that_rested_plays_its_next_sound_whole(sound_server: SoundServer, tmp_path: Path) -> None:
    async def rests() -> None:
        async with asyncio.timeout(30):
            while "Corked: yes" not in await asyncio.to_thread(sound_server.control, "list", "sink-inputs"):
                pass

    recorder = sound_server.record()
    async with session(sound_server, tmp_path, "0.2") as card:
        await card.wait_for("ready")
        await rests()
        await card.tell(f"play {ANSWER}")
        await card.wait_for("ended")
        await rests()
        done = await card.stop()
    found, _ = found_pieces(read_recording(ANSWER, 48_000), recorder.stop(), 48_000)
    assert np.mean(found) > 0.8, found
    assert done["underruns"] == 0
    paired, _ = found_pieces(read_recording(ANSWER), card.played, 16_000)
    assert np.mean(paired) > 0.8, paired


async def test_cleared_speech_stops_at_the_speaker_too(sound_server: SoundServer, tmp_path: Path) -> None:
    answer = read_recording(ANSWER, 48_000)
    recorder = sound_server.record()
    async with session(sound_server, tmp_path) as card:
        await card.wait_for("ready")
        await card.tell(f"play {ANSWER}")
        await card.tell("clear 1.5")
        await card.wait_for("cleared")
        await asyncio.to_thread(recorder.record_more, 0.5)
        done = await card.stop()
    assert done["heard_s"] < len(answer) / 48_000 - 1
    audible = round(done["heard_s"] * 48_000)
    found, rest = found_pieces(answer[: audible - 192], recorder.stop(), 48_000)
    assert np.mean(found) > 0.8, found
    assert any(found[-6:]), found
    later, _ = found_pieces(answer[audible + 2_400 :], rest, 48_000)
    assert not any(later)
    assert np.abs(rest[-9_600:].astype(int)).max() <= 2


async def echo_removed_db(server: SoundServer, folder: Path) -> list[float]:
    """By how much an answer is weaker after the canceller, second by second."""
    async with session(server, folder) as card:
        ready = await card.wait_for("ready")
        for _ in range(2):
            await card.tell(f"play {ANSWER}")
        await card.wait_for("ended")
        await card.wait_for("ended")
        await card.stop()
    canceller = EchoCanceller(ready["delay_ms"])
    heard, played = card.heard, card.played
    left = np.frombuffer(
        b"".join(
            canceller.process(heard[at : at + 160].tobytes(), played[at : at + 160].tobytes())
            for at in range(0, len(heard), 160)
        ),
        np.int16,
    )
    return [
        float(10 * np.log10((energy(heard[at : at + 16_000]) + 1) / (energy(left[at : at + 16_000]) + 1)))
        for at in range(0, len(heard) - 16_000, 16_000)
        if energy(played[at : at + 16_000]) > 100_000
    ]


async def test_a_speaker_heard_by_the_microphone_is_cancelled_with_the_cards_own_reference(
    sound_server: SoundServer, tmp_path: Path
) -> None:
    """A busy machine makes hiccups, and after each the canceller adapts for seconds: two seconds in a row will do."""
    sound_server.control("set-default-source", "speaker.monitor")
    for _ in range(3):
        removed_db = await echo_removed_db(sound_server, tmp_path)
        assert len(removed_db) >= 8
        if any(min(pair) > 25 for pair in pairwise(removed_db)):
            return
    pytest.fail(f"the echo was never weaker by 25 dB for two seconds: {removed_db}")


async def test_a_microphone_that_is_unplugged_is_an_error_in_words_and_no_hang(
    sound_server: SoundServer, tmp_path: Path
) -> None:
    error = await error_after(sound_server.unplug_everything, sound_server, tmp_path)
    assert error["key"] == error["reason"] == "error.audio.microphone_lost"


async def test_a_sound_server_that_dies_is_an_error_in_words_and_no_hang(
    sound_server: SoundServer, tmp_path: Path
) -> None:
    error = await error_after(sound_server.stop, sound_server, tmp_path)
    assert error["key"] == "error.audio.microphone_lost"


async def test_the_sound_check_measures_the_echo_of_the_card(sound_server: SoundServer, tmp_path: Path) -> None:
    sound_server.control("set-default-source", "speaker.monitor")
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "assistant.app.command_line", "audio-check", "--json", "--seconds", "1"),
        cwd=ROOT,
        env={**sound_server.environment, "SORI_HOME": str(tmp_path)},
        stdout=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(60):
        printed, _ = await process.communicate()
    told = json.loads(printed)
    assert process.returncode == 0
    assert told["microphone"]
    assert told["speaker"]
    assert told["measured"]["echo"]["gain_db"] == pytest.approx(0, abs=3)
    assert -200 < told["measured"]["echo"]["delay_ms"] < 500
