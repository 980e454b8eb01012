"""``sori agents enroll``: learns how the recogniser spells a wake phrase that the user says three times."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.app.engine.voice_wiring import recognizer_options
from assistant.app.host.model_store import open_store
from assistant.app.host.places import Places
from assistant.audio.cards.devices import DeviceCard
from assistant.audio.cards.recordings import read_recording
from assistant.audio.playback import Playback
from assistant.audio.vad import VoiceActivity
from assistant.chat.agents.calling import written_in_korean
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.speech.stt.judgement import Reason, judge
from assistant.speech.stt.recognizer import Recognizer
from assistant.speech.stt.registry import recognizers
from assistant.speech.text.names.enrolment import TAKES, enrolled, resembles
from assistant.voice.waking.name_hearing import language_of_names
from assistant.voice.waking.takes import Take, Takes

MOST_ATTEMPTS: Final = 6
"""Takes that are listened to before the command gives up."""
_NOBODY: Final = frozenset({Reason.EMPTY, Reason.STOCK_PHRASE, Reason.REPETITION, Reason.NO_SPEECH})


def run(
    places: Places, settings: Settings, texts: Texts, workspaces: Workspaces, agent: Agent, recordings: Sequence[Path]
) -> int:
    """Listen to the wake phrase of an agent and keep its spellings; returns the exit status.

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
    recognizer = (
        recognizers().get(settings.voice.stt).create(open_store(places.home).path, recognizer_options(settings))
    )
    try:
        takes = recorded(recordings) if recordings else spoken(settings)
        return asyncio.run(enroll(workspaces, agent, takes, recognizer, settings, texts))
    finally:
        recognizer.close()


async def enroll(
    workspaces: Workspaces,
    agent: Agent,
    takes: AsyncIterator[Take],
    recognizer: Recognizer,
    settings: Settings,
    texts: Texts,
) -> int:
    """Transcribe takes until the phrase was heard ``TAKES`` times, and write what they add into ``agent.toml``.

    Returns:
        1 if the phrase was not heard often enough; the file is then left as it was.
    """
    phrase = agent.file.wake_phrase.strip()
    every = [each for _, each in workspaces.wake_phrases(agent.id.workspace)]
    language = language_of_names(settings, korean=written_in_korean(every))
    heard: list[str] = []
    attempts = 0
    print(texts("cli.agents.enroll.say", phrase=phrase, number="1", takes=str(TAKES)), flush=True)
    async for take in takes:
        attempts += 1
        text = _text_of(take, recognizer, language)
        if not text:
            print(texts("cli.agents.enroll.silent"), flush=True)
        elif not resembles(phrase, text):
            print(texts("cli.agents.enroll.different", text=text), flush=True)
        else:
            print(texts("cli.agents.enroll.heard", text=text), flush=True)
            heard.append(text)
        if len(heard) == TAKES or attempts == MOST_ATTEMPTS:
            break
        print(texts("cli.agents.enroll.say", phrase=phrase, number=str(len(heard) + 1), takes=str(TAKES)), flush=True)
    if len(heard) < TAKES:
        print(texts("cli.agents.enroll.failed", number=str(len(heard)), takes=str(TAKES)))
        return 1
    own = {phrase, *agent.file.wake_spellings}
    found = enrolled(phrase, heard, [each for each in every if each not in own])
    workspaces.edit_agent(agent.id, {"wake_spellings": found.spellings})
    if found.left_out:
        print(texts("cli.agents.enroll.left_out", words=", ".join(found.left_out)))
    key = "learnt" if found.spellings else "nothing_new"
    print(texts(f"cli.agents.enroll.{key}", phrase=phrase, spellings=", ".join(found.spellings)))
    return 0


def _text_of(take: Take, recognizer: Recognizer, language: str) -> str:
    """The transcript of a take as the voice loop would make it; empty if nobody spoke."""
    if not take.pcm:
        return ""
    transcript = recognizer.transcribe(np.frombuffer(take.pcm, "<i2"), language=language, draft=True)
    return "" if judge(transcript, speech_ms=take.speech_ms).reason in _NOBODY else transcript.text


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
