"""How often a called name is heard while Sori makes sound, and how often Sori's own voice calls an agent.

The agent is called "Alexa", and 57 people say it in human recordings. The loudspeaker is simulated with a room; the
echo canceller, the voice detection, the listener and the recogniser are the real ones, in logical time.

- alarm: the user calls while an alarm rings; a call should be heard;
- answer: the user calls while Sori reads an answer aloud (a human recording stands for its voice);
- own name: Sori's own sound is the recording of the name, and nobody speaks; nothing should be heard.

    python benchmarks/voice/waking/names_over_sound.py [--echo -12 -6] [--most 20]
"""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.audio.cards.card import HeardFrame
from assistant.audio.cards.recordings import read_recording
from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.vad import VoiceActivity
from assistant.chat.agents.calling import AgentCalls
from assistant.core.audio import FRAME_BYTES, Frame
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.events import WakeWordHeard
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.host.model_store import open_store
from assistant.host.places import RESOURCES, default_home
from assistant.speech.stt import faster_whisper
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.work import Work
from tests.fakes.clock import FakeClock
from tests.fakes.conversation import FakeConversation
from tests.unit.audio.sounds import in_room, whole

Pcm = NDArray[np.int16]
SPEECH = Path(__file__).resolve().parents[3] / "tests" / "data" / "speech"
DELAY_MS = 60
CALLED_AT_S = 4.0
"""Sori's sound before the call, in which the canceller learns the room."""
NAME = "Alexa"


def main(arguments: Sequence[str] | None = None) -> int:
    """Play all scenes and print the counts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--echo", type=float, nargs="+", default=[-12.0, -6.0], help="level of the echo in dB")
    parser.add_argument("--most", type=int, default=20, help="number of recordings of the name")
    chosen = parser.parse_args(arguments)
    store = open_store(default_home())
    store.ensure([faster_whisper.MODEL])
    recognizer = faster_whisper.ENGINE.create(store.path, RecognizerOptions(threads=1))
    names = [read_recording(path) for path in sorted((SPEECH / "alexa").glob("*.flac"))[: chosen.most]]
    for gain_db in chosen.echo:
        for scene in ("alarm", "answer", "own name"):
            heard = sum(called(recognizer, *sounds(scene, name, gain_db)) for name in names)
            print(f"echo {gain_db:5.1f} dB  {scene:10} heard {heard} of {len(names)}", flush=True)
    return 0


def sounds(scene: str, name: Pcm, gain_db: float) -> tuple[Pcm, Pcm]:
    """The microphone's signal and Sori's own sound of a scene."""
    at = round(CALLED_AT_S * 16_000)
    length = at + len(name) + 32_000
    if scene == "alarm":
        played = np.resize(read_recording(RESOURCES / "sounds" / "timer.wav"), length)
    elif scene == "answer":
        played = np.resize(read_recording(SPEECH / "en_read_sentence.wav"), length)
    else:
        played = np.resize(read_recording(SPEECH / "en_read_sentence.wav"), length)
        played[at - 8_000 :] = 0
        played[at : at + len(name)] = name
    microphone = in_room(played, delay_ms=DELAY_MS, gain_db=gain_db) + np.random.default_rng(1).normal(0, 8, length)
    if scene != "own name":
        microphone[at : at + len(name)] += name
    return whole(microphone), played


def called(recognizer: Recognizer, microphone: Pcm, played: Pcm) -> bool:
    """Whether the name of the agent is heard."""
    return asyncio.run(_called(recognizer, microphone, played))


async def _called(recognizer: Recognizer, microphone: Pcm, played: Pcm) -> bool:
    work = Work()
    threads = [ModelThread(name, work) for name in ("recognizer", "turn-end")]
    ears = Ears(
        voice=VoiceActivity(),
        unprocessed_voice=VoiceActivity(),
        recognizer=recognizer,
        recognizer_thread=threads[0],
        wake=None,
        turn_end=None,
        turn_end_thread=threads[1],
        echo=EchoCanceller(DELAY_MS),
    )
    with tempfile.TemporaryDirectory() as folder:
        conversation = FakeConversation(work=work, calls=_calls(Path(folder)))
        listener = Listener(ears, LiveSettings(Settings(language="en")), conversation)
        silence = bytes(FRAME_BYTES)
        heard, own = microphone.astype("<i2").tobytes(), played.astype("<i2").tobytes()
        for start in range(0, len(heard) - FRAME_BYTES + 1, FRAME_BYTES):
            frame = Frame(pcm=heard[start : start + FRAME_BYTES], index=start // FRAME_BYTES)
            listener.hear(HeardFrame(heard=frame, played=own[start : start + FRAME_BYTES] or silence))
            await work.wait_until_idle()
        listener.close()
    for thread in threads:
        thread.close()
    return any(isinstance(each, WakeWordHeard) for each in conversation.events)


def _calls(folder: Path) -> AgentCalls:
    workspaces = Workspaces(folder / "workspaces", FakeClock(), lambda: 2_000)
    workspaces.add_agent(AgentId(name="alexa"), {"wake_phrase": NAME})

    async def agent_of(_conversation: str) -> AgentId:
        return AgentId()

    return AgentCalls(workspaces, CurrentAgent(folder / "current"), agent_of)


if __name__ == "__main__":
    sys.exit(main())
