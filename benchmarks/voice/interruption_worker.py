"""Plays recordings to the listener of a source tree during an answer, in a process of its own.

Without a recogniser and a model: the benchmark measures when the user's voice is noticed. Each recording gets a new
listener, so its answer is the first of a process. Reads one job per line and writes one answer per line:

    {"heard": a wav, "played": a wav of the same length}
    {"events": [[seconds, "OverlapConfirmed"], …]}
"""

import asyncio
import json
import sys
from dataclasses import fields
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = sys.argv[1]

from assistant.audio.cards.card import HeardFrame
from assistant.audio.cards.recordings import read_recording
from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE, Frame
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.events import Event, Meaning
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.settings import Settings
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.trace import Trace
from assistant.voice.work import Work
from tests.fakes.sound.scene import Scene, ToneRecognizer

SPEAKING = Snapshot(
    interaction=InteractionState.SPEAKING,
    session=SessionState.ACTIVE,
    processing=ProcessingState.STREAMING,
    turn=TurnId("1"),
)


def main() -> int:
    """Answer jobs until the input ends."""
    for line in sys.stdin:
        print(json.dumps({"events": asyncio.run(_run(json.loads(line)))}), flush=True)
    return 0


async def _run(job: dict[str, Any]) -> list[tuple[float, str]]:
    work = Work()
    threads = ModelThread("recognizer", work), ModelThread("turn-end", work)
    # A tree that also judges the microphone signal has a second detector for it.
    voices = {each.name: VoiceActivity() for each in fields(Ears) if each.name in {"voice", "unprocessed_voice"}}
    ears = Ears(
        **voices,
        recognizer=ToneRecognizer(Scene().texts),
        recognizer_thread=threads[0],
        wake=None,
        turn_end=None,
        turn_end_thread=threads[1],
        echo=EchoCanceller(),
    )
    try:
        return _hear(ears, job)
    finally:
        ears.close()


def _hear(ears: Ears, job: dict[str, Any]) -> list[tuple[float, str]]:
    found: list[tuple[float, str]] = []
    at = 0

    def report(event: Event) -> None:
        found.append((at / SAMPLE_RATE, type(event).__name__))

    listener = Listener(
        ears,
        LiveSettings(Settings()),
        report=report,
        meaning=lambda _text, _ending: Meaning.REQUEST,
        on_partial=lambda _turn, _text, _stable: None,
        on_level=lambda _level_db: None,
        trace=Trace(lambda: 0.0),
    )
    listener.follow(SPEAKING)
    heard, played = (read_recording(Path(job[name])) for name in ("heard", "played"))
    for start in range(0, len(heard) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        at = start + FRAME_SAMPLES
        frame = Frame(index=start, pcm=heard[start:at].tobytes())
        listener.hear(HeardFrame(heard=frame, played=played[start:at].tobytes()))
        if found and found[-1][1] == "OverlapConfirmed":
            break
    listener.close()
    return found


if __name__ == "__main__":
    raise SystemExit(main())
