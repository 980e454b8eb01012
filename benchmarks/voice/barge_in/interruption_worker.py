"""Plays a person to the listener of a source tree during an answer, in a process of its own.

The answer is ducked, paused, resumed and stopped as the listener's events demand, and the echo of what is really played
comes back. Each job gets a new listener, so its answer is the first of a process. The recogniser is the real one; audio
time stands still while it works, so the results do not depend on the machine. Reads one job per line and writes one
answer per line:

    {"human": a wav or null, "at_s": when it begins, "answer": a wav, "saying": its words, "language": "ko",
     "echo": {…} or null, "room_db": -75, "names": names by which Sori can be called, "before": a wav, absent if the
     user has said nothing before, "earlier": a wav that is heard before that, absent if the room was quiet}
    {"events": [[seconds, "OverlapConfirmed"], …], "text": words of the interruption or null, "ends_s": 9.1}
"""

import asyncio
import json
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = sys.argv[1]
    sys.path.append(str(Path(__file__).resolve().parents[3]))

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.audio.cards.recordings import read_recording
from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE, Frame
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.events import Event, Meaning, UtteranceTranscribed
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.settings import Settings
from assistant.host.model_store import open_store
from assistant.host.places import RESOURCES, default_home
from assistant.speech.stt import faster_whisper
from assistant.speech.stt import recognizer as stt
from assistant.speech.stt.recognizer import Recognizer
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.trace import Trace
from assistant.voice.work import Work

BEFORE_S = 3.5
"""Time before the answer, in which the product plays its cues: awake, and heard once the request has ended."""
CUES_S = {"awake": 0.5, "heard": 2.0}
"""When the cues begin. Nobody speaks between them, so only the cues teach what is known about the echo."""
AFTER_S = 2.5
"""Sound after the person's last sample: the end of the utterance is found in it."""
DUCKED = 10 ** (-14 / 20)
SPEAKING = Snapshot(
    interaction=InteractionState.SPEAKING,
    session=SessionState.ACTIVE,
    processing=ProcessingState.STREAMING,
    turn=TurnId("1"),
)
LISTENING = Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=TurnId("2"))


class Answer:
    """The answer's sound, as the events change it."""

    def __init__(self, pcm: NDArray[np.int16]) -> None:
        self._pcm = np.concatenate((_before_the_answer(), pcm))
        self._at = 0
        self._gain = 1.0
        self.stopped = False

    @property
    def over(self) -> bool:
        """Whether nothing more will be played."""
        return self.stopped or self._at >= len(self._pcm)

    def take(self) -> bytes:
        """The next 10 ms."""
        if self.stopped or not self._gain:
            return bytes(2 * FRAME_SAMPLES)
        frame = np.zeros(FRAME_SAMPLES)
        part = self._pcm[self._at : self._at + FRAME_SAMPLES]
        frame[: len(part)] = part * self._gain
        self._at += FRAME_SAMPLES
        return frame.astype("<i2").tobytes()

    def obey(self, event: str) -> None:
        """Change the sound as the session would."""
        gains = {"OverlapSuspected": DUCKED, "OverlapHeard": 0.0, "OverlapDismissed": 1.0}
        self._gain = gains.get(event, self._gain)
        self.stopped |= event == "OverlapConfirmed"


def _before_the_answer() -> NDArray[np.int16]:
    sound = np.zeros(round(BEFORE_S * SAMPLE_RATE), np.int16)
    for name, at_s in CUES_S.items():
        cue = read_recording(RESOURCES / "sounds" / f"{name}.wav")
        sound[round(at_s * SAMPLE_RATE) :][: len(cue)] = cue
    return sound


def main() -> int:
    """Answer jobs until the input ends."""
    recognizer = faster_whisper.ENGINE.create(open_store(default_home()).path, _one_thread())
    for line in sys.stdin:
        print(json.dumps(asyncio.run(heard_of(json.loads(line), recognizer))), flush=True)
    return 0


def _one_thread() -> Any:
    """What the recogniser's ``create`` takes; an earlier version takes the number of threads."""
    return stt.RecognizerOptions(threads=1) if hasattr(stt, "RecognizerOptions") else 1


async def heard_of(job: dict[str, Any], recognizer: Recognizer) -> dict[str, Any]:
    """Do a job; see above."""
    work = Work()
    threads = ModelThread("recognizer", work), ModelThread("turn-end", work)
    ears = Ears(
        voice=VoiceActivity(),
        unprocessed_voice=VoiceActivity(),
        recognizer=recognizer,
        recognizer_thread=threads[0],
        wake=None,
        turn_end=None,
        turn_end_thread=threads[1],
        echo=EchoCanceller(),
    )
    try:
        return await _hear(ears, job, work)
    finally:
        ears.close()


async def _hear(ears: Ears, job: dict[str, Any], work: Work) -> dict[str, Any]:
    found: list[tuple[float, str]] = []
    texts: list[str] = []
    at = 0
    answer = Answer(read_recording(Path(job["answer"])))

    def report(event: Event) -> None:
        name = type(event).__name__
        found.append((at / SAMPLE_RATE, name))
        answer.obey(name)
        if name == "OverlapConfirmed":
            listener.follow(LISTENING)
            listener.begin(TurnId("2"), keep_onset=True)
        elif isinstance(event, UtteranceTranscribed):
            texts.append(event.text)

    listener = Listener(ears, LiveSettings(Settings(language=job["language"])), **_conversation(job, report))
    if "earlier" in job:
        await _hear_earlier(listener, work, read_recording(Path(job["earlier"])))
    if "before" in job:
        await _say_before(listener, work, read_recording(Path(job["before"])), texts)
        found.clear()
        texts.clear()
    listener.follow(SPEAKING)
    microphone = _Microphone(job)
    while not texts and not (answer.over and at > microphone.ends):
        played = answer.take()
        frame = Frame(index=at, pcm=microphone.take(played))
        at += FRAME_SAMPLES
        listener.hear(HeardFrame(heard=frame, played=played))
        await work.wait_until_idle()
    listener.close()
    return {"events": found, "text": texts[0] if texts else None, "ends_s": at / SAMPLE_RATE}


def _conversation(job: dict[str, Any], report: Callable[[Event], None]) -> dict[str, Any]:
    """What the listener of the source tree is given besides its engines and settings."""
    if "conversation" in signature(Listener).parameters:
        from tests.fakes.conversation import FakeConversation

        return {
            "conversation": FakeConversation(react=report, says=job["saying"], wake_phrases=job.get("names", ())),
        }
    return {  # an earlier version
        "report": report,
        "meaning": lambda _text, _ending: Meaning.REQUEST,
        "on_partial": lambda _turn, _text, _stable: None,
        "on_level": lambda _level_db: None,
        "trace": Trace(lambda: 0.0),
        "saying": lambda: job["saying"],
        "wake_phrases": lambda: job.get("names", ()),
    }


async def _hear_earlier(listener: Listener, work: Work, pcm: NDArray[np.int16]) -> None:
    """Let the listener hear the room while it waits for the wake word."""
    for start in range(0, len(pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        frame = Frame(index=start, pcm=pcm[start : start + FRAME_SAMPLES].astype("<i2").tobytes())
        listener.hear(HeardFrame(heard=frame, played=bytes(2 * FRAME_SAMPLES)))
    await work.wait_until_idle()


async def _say_before(listener: Listener, work: Work, pcm: NDArray[np.int16], texts: list[str]) -> None:
    """Let the user say something that Sori understands, which shows how loud the user speaks."""
    listener.follow(LISTENING)
    listener.begin(TurnId("0"), keep_onset=False)
    sound = np.concatenate((np.zeros(SAMPLE_RATE // 2, np.int16), pcm, np.zeros(5 * SAMPLE_RATE, np.int16)))
    for start in range(0, len(sound) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        frame = Frame(index=start, pcm=sound[start : start + FRAME_SAMPLES].astype("<i2").tobytes())
        listener.hear(HeardFrame(heard=frame, played=bytes(2 * FRAME_SAMPLES)))
        await work.wait_until_idle()
        if texts:
            return
    raise ValueError("the user was not understood")


class _Microphone:
    """Hears the person, the room's noise and the echo."""

    def __init__(self, job: dict[str, Any]) -> None:
        from benchmarks.voice.barge_in.echo_room import EchoRoom, EchoSpec

        human = read_recording(Path(job["human"])) if job["human"] else np.zeros(0, np.int16)
        start = round((BEFORE_S + job["at_s"]) * SAMPLE_RATE)
        self._human = np.concatenate((np.zeros(start), human.astype(np.float64)))
        self.ends = len(self._human) + round(AFTER_S * SAMPLE_RATE)
        self._room = None if job["echo"] is None else EchoRoom(EchoSpec(**job["echo"]), 20_000)
        self._noise = np.random.default_rng(seed=1)
        self._noise_level = 32_768 * 10 ** (job["room_db"] / 20)
        self._at = 0

    def take(self, played: bytes) -> bytes:
        """The next 10 ms, while ``played`` is played."""
        heard = self._noise.normal(0, self._noise_level, FRAME_SAMPLES)
        part = self._human[self._at : self._at + FRAME_SAMPLES]
        heard[: len(part)] += part
        if self._room is not None:
            heard += self._room.feed(played)
        self._at += FRAME_SAMPLES
        return np.clip(heard, -32_768, 32_767).astype("<i2").tobytes()


if __name__ == "__main__":
    raise SystemExit(main())
