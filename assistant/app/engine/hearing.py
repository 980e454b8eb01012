"""Runs the voice on the available sound card: opens it, watches it, and opens it again when a device was added."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from assistant.app.engine.models.background_fetch import fetch_models
from assistant.app.engine.session_wiring import VoiceThreads, attach_voice
from assistant.app.engine.voice_wiring import Engines, VoiceProgress, load_voice, paces_for
from assistant.app.host.model_store import open_store
from assistant.app.host.needed_models import needed_speech_models
from assistant.audio.cards.devices import DeviceCard
from assistant.audio.playback import Playback
from assistant.core import updates as up
from assistant.core.errors import AudioDeviceError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import InteractionState
from assistant.core.texts import Texts
from assistant.voice.session.session import Session

log = logging.getLogger(__name__)

REOPEN_CARD_S = 3.0
"""Seconds between two attempts to open a missing sound card: short enough for a user who has just plugged it in."""
REOPEN_SILENT_S = 30.0
"""Seconds after a microphone has delivered only zeros: the device exists, and the user has to unmute or allow it."""
LOOK_FOR_MICROPHONE_S = 10.0
"""Seconds between two searches for a missing microphone; each closes the silent speaker for a moment."""
LOOK_FOR_SPEAKER_S = 60.0
"""Seconds between two searches for a missing speaker; longer, because each interrupts the microphone for a moment."""
_LOOK_STEP_S = 1.0
_SILENT = "error.audio.microphone_silent"
POLL_S = 0.02
"""Seconds between two checks of playback without a microphone, whose frames would otherwise trigger the checks."""


class Hearing:
    """Lets a session hear and speak.

    Args:
        home: the user's folder.
        live: the settings.
        texts: the user's words.
        threads: the threads of the models.
        publish: takes updates about the available devices.
        tell_of: reports an error to the user.
    """

    def __init__(
        self,
        home: Path,
        live: LiveSettings,
        texts: Texts,
        threads: VoiceThreads,
        *,
        publish: Callable[[up.Update], None],
        tell_of: Callable[[SoriError], None],
    ) -> None:
        self._home, self._live, self._texts, self._threads = home, live, texts, threads
        self._publish, self._tell_of = publish, tell_of
        self._shown = up.VoiceAvailable(microphone="", microphone_reason="", speaker="", speaker_reason="", muted=False)

    def show_muted(self, *, muted: bool) -> None:
        """Show whether the user has turned the microphone off."""
        self._show(replace(self._shown, muted=muted))

    async def run(self, session: Session) -> None:
        """Load the voice and use it in ``session`` until cancelled. Return if the voice cannot be loaded."""
        try:
            voice = await self._load_voice()
        except SoriError as error:
            log.warning("no voice: %s", error)
            self._show_progress(1.0)
            self._tell_of(error)
            reason = self._reason(error)
            self._show(replace(self._shown, microphone_reason=reason, speaker_reason=reason))
            return
        unusable: AudioDeviceError | None = None
        while True:
            try:
                await self._use_card(session, voice, unusable)
                unusable = None
            except AudioDeviceError as error:
                log.info("the sound card cannot be used: %s", error)
                silent = error.message_key == _SILENT
                # A silent microphone must not disable the speaker.
                unusable = error if silent and unusable is None else None
                if unusable is None:
                    self._show_no_card(self._reason(error), session)
                    await asyncio.sleep(REOPEN_SILENT_S if silent else REOPEN_CARD_S)

    async def _load_voice(self) -> Engines:
        store = open_store(self._home)
        names = needed_speech_models(self._live.current)
        progress = VoiceProgress(names, self._show_progress)
        self._show_progress(0.0)
        await fetch_models(store, names, progress.fetching)
        voice = await load_voice(
            self._live.current, store.path, progress.loading, paces=paces_for(self._home, self._live.current, store)
        )
        for error in voice.missing:
            self._tell_of(error)
        return voice

    def _show_progress(self, fraction: float) -> None:
        self._publish(up.EngineProgressed(part="progress.speech_models", fraction=fraction))

    async def _use_card(self, session: Session, voice: Engines, unusable_microphone: AudioDeviceError | None) -> None:
        """Hear and speak until the card fails, or until it is time to search for missing devices."""
        playback = Playback()
        chosen = self._live.current.voice
        card = DeviceCard(
            playback,
            input_device=chosen.input_device,
            output_device=chosen.output_device,
            unusable_microphone=unusable_microphone,
            on_change=lambda: self._show_card(card, voice, session),
        )
        look_after_s = LOOK_FOR_MICROPHONE_S if unusable_microphone is None else REOPEN_SILENT_S
        tasks: list[asyncio.Task[None]] = []
        try:
            await card.open()
            attach_voice(session, voice, self._threads, card, playback, settings=self._live, publish=self._publish)
            self._show_card(card, voice, session)
            looking = asyncio.create_task(_until_a_look_is_due(card, session, look_after_s))
            hearing = asyncio.create_task(session.run_card(card))
            tasks += [looking, hearing]
            if not card.microphone:
                tasks.append(asyncio.create_task(_beat(session)))
            await asyncio.wait({looking, hearing}, return_when=asyncio.FIRST_COMPLETED)
            if hearing.done():
                hearing.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            session.detach()
            await card.close()

    def _show_no_card(self, reason: str, session: Session) -> None:
        self._show(
            up.VoiceAvailable(
                microphone="", microphone_reason=reason, speaker="", speaker_reason=reason, muted=session.muted
            )
        )

    def _show_card(self, card: DeviceCard, voice: Engines, session: Session) -> None:
        available = up.VoiceAvailable(
            microphone=card.microphone,
            microphone_reason=self._reason(card.microphone_error),
            speaker=card.speaker,
            speaker_reason=self._reason(card.speaker_error),
            muted=session.muted,
            wake_word=voice.wake.name if voice.wake is not None else "",
        )
        self._show(available)

    def _reason(self, error: SoriError | None) -> str:
        return "" if error is None else self._texts(error.message_key, **error.values)

    def _show(self, available: up.VoiceAvailable) -> None:
        if available != self._shown:
            self._shown = available
            self._publish(available)


async def _beat(session: Session) -> None:
    """Check playback regularly, in place of a microphone's frames."""
    while True:
        await asyncio.sleep(POLL_S)
        session.poll_speech()


async def _until_a_look_is_due(card: DeviceCard, session: Session, without_microphone_s: float) -> None:
    """Return when the card has long lacked its microphone or speaker and nobody talks (V-18).

    PortAudio finds new devices only when it is restarted with no card open.
    """
    lacking_s = 0.0
    while True:
        await asyncio.sleep(_LOOK_STEP_S)
        limit_s = LOOK_FOR_SPEAKER_S if card.microphone else without_microphone_s
        lacking_s = 0.0 if card.microphone and card.speaker else lacking_s + _LOOK_STEP_S
        if lacking_s >= limit_s and session.snapshot.interaction is InteractionState.IDLE and not session.busy:
            return
