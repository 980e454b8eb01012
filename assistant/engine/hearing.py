"""Runs the voice on the available sound card: opens it, watches it, and opens it again when a device was added."""

import asyncio
import gc
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

from assistant.audio.cards.devices import DeviceCard
from assistant.audio.playback import Playback
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.display.words import wake_name
from assistant.core.errors import AudioDeviceError, EngineError, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import InteractionState
from assistant.core.texts import Texts
from assistant.engine.device_watch import LOOK_FOR_CHANGES_S, DeviceWatch, Unusable
from assistant.engine.models.background_fetch import fetch_models
from assistant.engine.models.fetch_notices import voice_is_here
from assistant.engine.models.fetch_retry import FetchRetry, may_pass
from assistant.engine.session_wiring import VoiceThreads, attach_voice
from assistant.engine.settings.voice import FollowedVoice, Follows, Serve, VoiceChanges
from assistant.engine.voice_wiring import Engines, VoiceProgress, load_voice, paces_for
from assistant.host.allocations import give_back
from assistant.host.clock import SystemClock
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_speech_models
from assistant.tasks import TaskSupervisor, first_of
from assistant.voice.session.session import Session

log = logging.getLogger(__name__)

REOPEN_CARD_S = 3.0
"""Seconds until the next attempt to open a missing sound card. Each attempt without a change doubles them."""
REOPEN_LONGEST_S = LOOK_FOR_CHANGES_S
"""Longest pause between two attempts, where nothing tells of a change. Each starts the sound system anew."""
REOPEN_SILENT_S = 30.0
"""Seconds after which a microphone that delivers only zeros is opened again, as a permission may need that. Its first
sound is noticed at once."""
LOOK_FOR_MICROPHONE_S = 10.0
"""Seconds between two searches for a missing microphone; each closes the silent speaker for a moment."""
LOOK_FOR_SPEAKER_S = 60.0
"""Seconds between two searches for a missing speaker; longer, because each interrupts the microphone for a moment."""
LOAD_LIMIT_S = 180.0
"""Longest time for loading the voice from the disk. A slow computer that measures its voices needs about a minute."""
STUCK_LONGEST_S = 300.0
"""Longest pause before a sound system that does not answer is asked again. Each attempt may leave a thread behind."""
_LOOK_STEP_S = 1.0
_SILENT = "error.audio.microphone_silent"
_NO_MICROPHONE, _NO_SPEAKER = "error.audio.microphone_missing", "error.audio.speaker_missing"
_STALLED = "error.audio.speaker_stalled"
_SPEAKER_LOST = "error.audio.speaker_lost"
_STUCK = "error.audio.system_stuck"
POLL_S = 0.02
"""Seconds between two checks of playback without a microphone, whose frames would otherwise trigger the checks."""
IDLE_POLL_S = 0.2
"""Seconds between two checks while nothing is said and no turn runs. Each turn takes longer until its first sound."""


class Hearing:
    """Lets a session hear and speak.

    Args:
        home: the user's folder.
        live: the settings.
        texts: the user's words.
        threads: the threads of the models.
        publish: takes updates about the available devices.
        tell_of: reports an error to the user.
        clock: waits.
        make_card: makes a sound card.
        watch: notices that another device should be used.

    Attributes:
        changes: what settings have changed.
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
        clock: Clock | None = None,
        make_card: Callable[..., DeviceCard] = DeviceCard,
        watch: DeviceWatch | None = None,
    ) -> None:
        self._clock, self._make_card = clock or SystemClock(), make_card
        self._watch = watch or DeviceWatch(self._clock)
        self.changes = VoiceChanges()
        self._pause_s = REOPEN_CARD_S
        self._stalled_at: float | None = None
        self._failed: SoriError | None = None
        """Why the voice could not be loaded the last time."""
        self._quiet = False
        """Whether it is tried again by itself, so that the same failure is not told again."""
        self._again = asyncio.Event()
        self._home, self._live, self._texts, self._threads = home, live, texts, threads
        self._publish, self._tell_of = publish, tell_of
        self._name = ""
        self._shown = up.VoiceAvailable(microphone="", microphone_reason="", speaker="", speaker_reason="", muted=False)

    def follow(self, follow: Follows, serve: Serve) -> None:
        """Follow the settings of the voice.

        Args:
            follow: has a part follow settings.
            serve: as for ``run``.
        """
        FollowedVoice(self._home, self.changes, serve, self._show_progress).follow(follow)

    @property
    def devices(self) -> up.VoiceAvailable:
        """The microphone and the speaker, or why there are none."""
        return self._shown

    def try_again(self) -> None:
        """Load a voice that could not be loaded once more, because a model has arrived."""
        self._again.set()

    def show_muted(self, *, muted: bool) -> None:
        """Show whether the user has turned the microphone off."""
        self._show(replace(self._shown, muted=muted))

    def show_name(self, name: str) -> None:
        """Show that the agent that answers has this name; empty if only the wake word wakes it."""
        self._name = name
        self._show(self._shown)

    async def run(self, session: Session, serve: Callable[[Engines], Engines] = lambda engines: engines) -> None:
        """Load the voice and use it in ``session`` until cancelled.

        A voice that cannot be loaded waits for a change of settings or for ``try_again``; one whose models no server
        has sent is tried again by itself.

        Args:
            session: hears and speaks.
            serve: gives the engines to use for the loaded ones.
        """
        waiting, late = FetchRetry(self._clock), False
        while (voice := await self._loaded_voice(session)) is None:
            late = late or self._comes_by_itself
            await self._until_worth_trying(waiting)
            self.changes.drop()
        if late:
            self._publish(voice_is_here())
        async with self._watch.listening():
            await self._use_cards(session, serve(voice))

    @property
    def _comes_by_itself(self) -> bool:
        return self._failed is not None and may_pass(self._failed)

    async def _until_worth_trying(self, waiting: FetchRetry) -> None:
        """Return when a voice that could not be loaded may be loaded now."""
        self._again.clear()
        by_user = (self.changes.until_wanted(), self._again.wait())

        async def by_itself() -> None:
            await waiting.wait()
            self._quiet = True

        self._quiet = False
        await first_of(*by_user, *((by_itself(),) if self._comes_by_itself else ()))

    async def _loaded_voice(self, session: Session) -> Engines | None:
        try:
            return await self._load_voice()
        except SoriError as error:
            log.warning("no voice: %s", error)
            self._show_progress(1.0, "")
            if not (self._quiet and self._failed is not None and self._failed.message_key == error.message_key):
                self._tell_of(error)
            self._failed = error
            reason = self._texts("error.voice_waits_for_network") if may_pass(error) else self._reason(error)
            session.deaf_because(reason)
            self._show(replace(self._shown, microphone_reason=reason, speaker_reason=reason))
            return None

    async def _use_cards(self, session: Session, voice: Engines) -> NoReturn:
        unusable: Unusable = {}
        while True:
            voice = self.changes.made(voice)
            try:
                unusable = await self._use_card(session, voice, unusable)
            except AudioDeviceError as error:
                log.info("the sound card cannot be used: %s", error)
                self.changes.in_force()
                unusable = await self._after(error, unusable, session)

    async def _after(self, error: AudioDeviceError, unusable: Unusable, session: Session) -> Unusable:
        """Wait as long as an error requires; return the directions to do without."""
        if error.message_key == _SILENT:
            return {"input": error}  # a silent microphone must not disable the speaker
        if error.message_key == _STALLED:
            self._tell_of(error)
            now, before = self._clock.monotonic(), self._stalled_at
            self._stalled_at = now
            again = before is not None and now - before < LOOK_FOR_SPEAKER_S
            return {**unusable, "output": error} if again else {}
        if error.message_key == _SPEAKER_LOST:
            return {}  # it did not start after a rest; another one may be there for the answer
        self._show_no_card(error, session)
        if await self._watch.until_changed(self._pause_s):
            self._pause_s = REOPEN_CARD_S
        else:
            longest_s = STUCK_LONGEST_S if error.message_key == _STUCK else REOPEN_LONGEST_S
            self._pause_s = min(2 * self._pause_s, longest_s)
        return {}

    async def _load_voice(self) -> Engines:
        store = open_store(self._home)
        names = needed_speech_models(self._live.current)
        progress = VoiceProgress(names, self._show_progress)
        quiet = self._quiet
        if not quiet:
            self._show_progress(0.0, "")
        # An attempt by itself that brings nothing is not shown.
        await fetch_models(store, names, lambda state: progress.fetching(state) if state.arrived or not quiet else None)
        paces = paces_for(self._home, self._live.current, store)
        try:
            async with asyncio.timeout(LOAD_LIMIT_S):
                voice = await load_voice(self._live.current, store.path, progress.loading, paces=paces)
        except TimeoutError as late:
            detail = f"not loaded within {LOAD_LIMIT_S:g} s"
            raise EngineError("voice", detail, message_key="voice_load_hung", cause=late) from late
        gc.freeze()  # The libraries' objects would make each garbage collection longer.
        await asyncio.to_thread(give_back)
        for error in voice.missing:
            self._tell_of(error)
        return voice

    def _show_progress(self, fraction: float, doing: str) -> None:
        self._publish(up.EngineProgressed(part="progress.speech_models", fraction=fraction, doing=doing))

    async def _use_card(self, session: Session, voice: Engines, unusable: Unusable) -> Unusable:
        """Hear and speak until the card fails, or until it is time to search for missing devices.

        Returns:
            What the next card must do without: the microphone if it is still silent.
        """
        playback = Playback()
        chosen = self._live.current.voice
        card: DeviceCard = self._make_card(
            playback,
            input_device=chosen.input_device,
            output_device=chosen.output_device,
            silent_microphone=unusable.get("input"),
            unusable_speaker=unusable.get("output"),
            attentive=lambda: session.attentive,
            on_change=lambda: self._show_card(card, voice, session),
        )
        look_after_s = LOOK_FOR_MICROPHONE_S if "input" not in unusable else REOPEN_SILENT_S
        try:
            await card.open()
            attach_voice(session, voice, self._threads, card, playback, settings=self._live, publish=self._publish)
            self._show_card(card, voice, session)
            self.changes.in_force()
            self._pause_s = REOPEN_CARD_S
            async with TaskSupervisor() as tasks:
                hearing = tasks.start(session.run_card(card), name="sound of a card", handled=True)
                if not card.microphone:
                    tasks.start(_beat(session, self._clock), name="playback marks")
                await first_of(
                    asyncio.wait({hearing}),
                    _until_a_look_is_due(card, session, look_after_s, self._clock),
                    self._until_better(card, session, unusable),
                    self._until_changed(session),
                )
                if hearing.done():
                    hearing.result()
                    while not _quiet(session):
                        await self._clock.sleep(_LOOK_STEP_S)
                    return {}
            return {"input": unusable["input"]} if "input" in unusable else {}
        finally:
            session.detach()
            await card.close()

    async def _until_changed(self, session: Session) -> None:
        """Return when settings have changed what hears or speaks and nobody talks."""
        await self.changes.until_wanted()
        while not _quiet(session):
            await self._clock.sleep(_LOOK_STEP_S)

    async def _until_better(self, card: DeviceCard, session: Session, unusable: Unusable) -> None:
        """Return when another device should be used and nobody talks."""
        await self._watch.until_better(card, lambda: self._live.current.voice, unusable)
        while not _quiet(session):
            await self._clock.sleep(_LOOK_STEP_S)

    def _show_no_card(self, error: AudioDeviceError, session: Session) -> None:
        reason = self._reason(error)
        session.deaf_because(reason)
        # A machine without a microphone whose speaker works has a card.
        mute = self._texts(_NO_SPEAKER) if error.message_key == _NO_MICROPHONE else reason
        self._show(
            up.VoiceAvailable(
                microphone="", microphone_reason=reason, speaker="", speaker_reason=mute, muted=session.muted
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
        session.deaf_because(available.microphone_reason)
        self._show(available)

    def _reason(self, error: SoriError | None) -> str:
        return "" if error is None else self._texts(error.message_key, **error.values)

    def _show(self, available: up.VoiceAvailable) -> None:
        available = replace(available, called=self._name or wake_name(available.wake_word))
        if available != self._shown:
            self._shown = available
            self._publish(available)


def _quiet(session: Session) -> bool:
    return session.snapshot.interaction is InteractionState.IDLE and not session.busy


async def _beat(session: Session, clock: Clock) -> None:
    """Check playback regularly, in place of a microphone's frames."""
    while True:
        await clock.sleep(POLL_S if session.attentive else IDLE_POLL_S)
        session.poll_speech()


async def _until_a_look_is_due(card: DeviceCard, session: Session, without_microphone_s: float, clock: Clock) -> None:
    """Return when the card has long lacked its microphone or speaker and nobody talks (V-18).

    PortAudio finds new devices only when it is restarted with no card open.
    """
    lacking_s = 0.0
    while True:
        await clock.sleep(_LOOK_STEP_S)
        limit_s = LOOK_FOR_SPEAKER_S if card.microphone else without_microphone_s
        lacking_s = 0.0 if card.microphone and card.speaker else lacking_s + _LOOK_STEP_S
        if lacking_s >= limit_s and _quiet(session):
            return
