"""``sori agents enroll``: learns how the user says a wake phrase, from three utterances of it.

An engine that runs listens, because it has the microphone and the recogniser. Recordings are read in this process, and
so is the microphone where no engine uses it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import numpy as np

from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.audio.cards.devices import DeviceCard
from assistant.audio.cards.recordings import read_recording
from assistant.audio.playback import Playback
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.names import Enrolment, EnrolmentStage
from assistant.core.service.events import Delivery
from assistant.core.service.requests.names import EnrolName
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.core.updates import EngineStopped, EnrolmentChanged
from assistant.engine.voice_wiring import loaded_word_sound, recognizer_options
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.remote.local.endpoint import is_running
from assistant.speech.stt.registry import recognizers
from assistant.voice.waking.enrolling import Enrolling
from assistant.voice.waking.takes import Take, Takes


def run(
    places: Places, settings: Settings, texts: Texts, workspaces: Workspaces, agent: Agent, recordings: Sequence[Path]
) -> int:
    """Listen to the wake phrase of an agent and keep what is learnt; returns the exit status.

    Args:
        places: the user's files.
        settings: the recogniser and the microphone.
        texts: the user's words.
        workspaces: has the agent.
        agent: the agent.
        recordings: files in place of the microphone.

    Raises:
        SoriError: the agent has no wake phrase, or nothing can be heard or written.
    """
    if not agent.file.wake_phrase.strip():
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            f"{agent.title} has no wake phrase",
            message_key="enroll_no_phrase",
            values={"agent": agent.title},
        )
    if not recordings and is_running(places.home):
        status = asyncio.run(_by_engine(places, texts, agent))
        if status is not None:
            return status
    path_of = open_store(places.home).path
    recognizer = recognizers().get(settings.voice.stt).create(path_of, recognizer_options(settings))
    try:
        enrolling = Enrolling(workspaces, agent, settings, recognizer, loaded_word_sound(path_of))
        takes = recorded(recordings) if recordings else spoken(settings)
        return asyncio.run(enroll(enrolling, takes, texts))
    finally:
        recognizer.close()


async def _by_engine(places: Places, texts: Texts, agent: Agent) -> int | None:
    """Have the engine that runs listen; returns the exit status, or ``None`` if it has no microphone.

    Raises:
        RefusedError: it refuses, or ends meanwhile.
    """
    from assistant.remote.local.client import connect  # The form of frames takes a while to import.

    loop, heard = asyncio.get_running_loop(), asyncio.Queue[Enrolment | None]()

    def take(delivery: Delivery) -> None:
        event = delivery.event
        if isinstance(event, EnrolmentChanged) and event.enrolment.agent == agent.id:
            loop.call_soon_threadsafe(heard.put_nowait, event.enrolment)
        elif isinstance(event, EngineStopped):
            loop.call_soon_threadsafe(heard.put_nowait, None)

    connection = connect(places.home, texts, take, name="enroll")
    if connection is None:
        return None  # The engine has just ended.
    try:
        begun = await connection.result(EnrolName(agent=agent.id))
        if begun.stage is EnrolmentStage.NO_MICROPHONE:
            return None
        return await tell(agent.file.wake_phrase.strip(), begun, _until_gone(heard), texts)
    finally:
        connection.close()  # An enrolment that goes on ends with its client.


async def _until_gone(heard: asyncio.Queue[Enrolment | None]) -> AsyncIterator[Enrolment]:
    while (state := await heard.get()) is not None:
        yield state


async def enroll(enrolling: Enrolling, takes: AsyncIterator[Take], texts: Texts) -> int:
    """Listen until the phrase was heard often enough; what is learnt is then in the agent's folder.

    Returns:
        1 if the phrase was not heard often enough; the folder is then left as it was.
    """
    return await tell(enrolling.phrase, enrolling.state, (enrolling.hear(take) async for take in takes), texts)


async def tell(phrase: str, state: Enrolment, states: AsyncIterator[Enrolment], texts: Texts) -> int:
    """Write how far an enrolment is, until it is over; returns the exit status.

    Args:
        phrase: the wake phrase.
        state: how it begins.
        states: how it goes on; it ends where nothing more can be heard.
        texts: the user's words.
    """
    wanted = str(state.wanted)
    print(texts("cli.agents.enroll.say", phrase=phrase, number="1", takes=wanted), flush=True)
    async for state in states:
        if state.result is not None:
            print(texts(f"cli.agents.enroll.{state.result}", text=state.text), flush=True)
        if state.stage is not EnrolmentStage.LISTENING:
            break
        number = str(len(state.heard) + 1)
        print(texts("cli.agents.enroll.say", phrase=phrase, number=number, takes=wanted), flush=True)
    if state.stage is EnrolmentStage.FAILED and f"error.{state.trouble}" in texts:
        print(texts(f"error.{state.trouble}"))
    if state.stage is not EnrolmentStage.DONE:
        print(texts("cli.agents.enroll.failed", number=str(len(state.heard)), takes=wanted))
        return 1
    if state.left_out:
        print(texts("cli.agents.enroll.left_out", words=", ".join(state.left_out)))
    key = "learnt" if state.spellings else "nothing_new"
    print(texts(f"cli.agents.enroll.{key}", phrase=phrase, spellings=", ".join(state.spellings)))
    print(texts("cli.agents.enroll.no_sound" if state.unlike else "cli.agents.enroll.sound", phrase=phrase))
    return 0


async def recorded(files: Sequence[Path]) -> AsyncIterator[Take]:
    """The utterances of recordings; a file without one gives an empty take.

    Raises:
        AudioDeviceError: a file is not a recording.
    """
    for file in files:
        pcm = np.concatenate([read_recording(file), np.zeros(SAMPLE_RATE, np.int16)])
        takes, found = Takes(VoiceActivity()), False
        for start in range(0, len(pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
            take = takes.feed(pcm[start : start + FRAME_SAMPLES].tobytes())
            if take is not None and take.pcm:
                found = True
                yield take
        if not found:
            yield Take()


async def spoken(settings: Settings) -> AsyncIterator[Take]:
    """What the microphone of the settings hears.

    Raises:
        AudioDeviceError: there is no microphone, or it fails.
    """
    voice = settings.voice
    card = DeviceCard(Playback(), input_device=voice.input_device, output_device=voice.output_device)
    await card.open()
    try:
        if card.microphone_error is not None:
            raise card.microphone_error
        takes = Takes(VoiceActivity())
        async for frame in card.frames():
            if (take := takes.feed(frame.heard.pcm)) is not None:
                yield take
    finally:
        await card.close()
