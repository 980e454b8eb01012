"""The voice follows its settings: engines are loaded beside those in use, and taken when nobody talks."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Protocol

from assistant.audio.cards.device_changes import Devices, look
from assistant.audio.cards.device_list import Direction
from assistant.core.errors import AudioDeviceError
from assistant.core.settings import Settings
from assistant.engine.models.background_fetch import fetch_models
from assistant.engine.settings.followers import Apply
from assistant.engine.voice_wiring import (
    Engines,
    VoiceProgress,
    load_recognizer,
    load_wake,
    paces_for,
    prepare_voices,
    synthesizers_for,
)
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_recognizer_models, needed_voice_models, needed_wake_models
from assistant.speech.tts.choice import SynthesizerSet

WAKE = ("voice.wake_word", "voice.wake_sensitivity", "voice.wake_frames", "voice.wake_cooldown_s")
RECOGNIZER = ("voice.stt", "voice.stt_size", "voice.stt_device", "voice.stt_compute_type", "voice.threads")
SPEECH = ("voice.tts", "voice.voice", "voice.threads")
CARD = ("voice.input_device", "voice.output_device", "voice.echo_cancellation")

Change = Callable[[Engines], Engines]
Serve = Callable[[Engines], Engines]
"""Gives the engines to use for loaded ones: those with the chosen servers."""


def prepare_chosen(voices: SynthesizerSet, settings: Settings) -> None:
    """Load the voices, and see that the chosen engine can be used.

    Raises:
        SoriError: it cannot, with the reason.
    """
    prepare_voices(voices, settings)
    if (error := voices.error_of(settings.voice.tts)) is not None:
        raise error


class VoiceChanges:
    """Changes of the voice that wait until nobody talks. Use it on the engine's loop."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Change, asyncio.Future[None]]] = []
        self._taken: list[asyncio.Future[None]] = []
        self._wanted = asyncio.Event()

    async def make(self, change: Change) -> None:
        """Have a change made; return when it is in force."""
        done = asyncio.get_running_loop().create_future()
        self._waiting.append((change, done))
        self._wanted.set()
        await done

    async def until_wanted(self) -> None:
        """Return when a change waits."""
        await self._wanted.wait()

    def made(self, voice: Engines) -> Engines:
        """The engines with all changes that wait."""
        for change in self._take():
            voice = change(voice)
        return voice

    def drop(self) -> None:
        """Make no change that waits: all engines are about to be loaded with the new settings."""
        self._take()

    def _take(self) -> list[Change]:
        waiting, self._waiting = self._waiting, []
        self._wanted.clear()
        self._taken += [done for _, done in waiting]
        return [change for change, _ in waiting]

    def in_force(self) -> None:
        """Tell those who wait that the changes of the last ``made`` are in force."""
        for done in self._taken:
            if not done.done():
                done.set_result(None)
        self._taken.clear()


class Follows(Protocol):
    """Has a part follow settings: ``SettingsKeeper.follow``."""

    def __call__(self, names: Sequence[str], apply: Apply) -> None:
        """Call ``apply`` with the new settings after each change of one of ``names``."""
        ...


class FollowedVoice:
    """Loads what changed settings want. What cannot be loaded leaves the engines in use as they are.

    Args:
        home: the user's folder.
        changes: where changes wait.
        serve: gives the engines to use for loaded ones.
        show_progress: takes the progress of downloads, from 0 to 1, and the key of the text for what is done.
        devices: lists the sound devices.
    """

    def __init__(
        self,
        home: Path,
        changes: VoiceChanges,
        serve: Serve,
        show_progress: Callable[[float, str], None],
        devices: Callable[[], Awaitable[Devices | None]] = look,
    ) -> None:
        self._home, self._changes, self._serve = home, changes, serve
        self._show_progress, self._devices = show_progress, devices

    def follow(self, follow: Follows) -> None:
        """Follow the settings from now on."""
        follow(WAKE, self._wake)
        follow(RECOGNIZER, self._recognizer)
        follow(SPEECH, self._speech)
        follow(CARD, self._card)

    async def _wake(self, settings: Settings) -> None:
        await self._fetch(needed_wake_models())
        wake = await asyncio.to_thread(load_wake, settings, open_store(self._home).path)
        await self._changes.make(lambda voice: replace(voice, wake=wake))

    async def _recognizer(self, settings: Settings) -> None:
        await self._fetch(needed_recognizer_models(settings))
        load = partial(load_recognizer, settings, open_store(self._home).path)
        recognizer = await asyncio.to_thread(load)
        await self._changes.make(lambda voice: self._serve(replace(voice, recognizer=recognizer, new_recognizer=load)))

    async def _speech(self, settings: Settings) -> None:
        await self._fetch(needed_voice_models(settings))
        store = open_store(self._home)
        voices = synthesizers_for(settings, store.path, paces_for(self._home, settings, store))

        def served(voice: Engines) -> Engines:
            return replace(voice, synthesizers=self._serve(replace(voice, synthesizers=voices)).synthesizers)

        await asyncio.to_thread(prepare_chosen, voices, settings)
        await self._changes.make(served)

    async def _card(self, settings: Settings) -> None:
        devices = await self._devices()
        wanted: tuple[tuple[Direction, str], ...] = (
            ("input", settings.voice.input_device),
            ("output", settings.voice.output_device),
        )
        for direction, name in wanted:
            if devices is not None and name and not any(each.startswith(name) for each in devices[direction].names):
                raise AudioDeviceError(name, f"{direction} device {name} is not there", message_key="audio.chosen_gone")
        await self._changes.make(lambda voice: voice)

    async def _fetch(self, names: Sequence[str]) -> None:
        progress = VoiceProgress(names, self._show_progress)
        await fetch_models(open_store(self._home), names, progress.fetching)
        self._show_progress(1.0, "")
