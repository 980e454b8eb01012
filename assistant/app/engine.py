"""The engine: everything but the window, on a thread and an asyncio loop of its own."""

import asyncio
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from assistant.app.chat_wiring import Chat, build_chat
from assistant.app.models import FetchProgress, ModelStore, needed_language_models, needed_models
from assistant.app.session_wiring import VoiceThreads, attach_voice
from assistant.app.voice_wiring import Voice, VoiceProgress, load_voice
from assistant.audio.devices import DeviceCard
from assistant.audio.playback import Playback
from assistant.chat.timers import Ring
from assistant.core import controls as ct
from assistant.core import events as ev
from assistant.core import updates as up
from assistant.core.errors import AudioDeviceError, SoriError
from assistant.core.settings import Settings
from assistant.core.states import NO_TURN
from assistant.core.texts import Texts
from assistant.voice.session import Session
from assistant.voice.work import Work

log = logging.getLogger(__name__)

REOPEN_CARD_S = 3.0
"""Between two attempts to open a sound card that is not there: soon enough for someone who has just plugged it in."""
REOPEN_SILENT_S = 30.0
"""After a microphone that delivers nothing but zeros: it is there, and somebody has to unmute or allow it."""
_SILENT = "error.audio.microphone_silent"
POLL_S = 0.02
"""How often playback is looked at when no microphone's frames give the beat."""


class EngineThread:
    """Runs the engine; implements ``Controls``.

    Args:
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
        publish: takes updates; called on the engine's thread.
    """

    def __init__(self, home: Path, settings: Settings, texts: Texts, publish: Callable[[up.Update], None]) -> None:
        self._engine = Engine(home, settings, texts, publish)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._publish = publish
        self._texts = texts
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[ct.Control] = []

    def start(self) -> None:
        """Start the thread; returns at once."""
        self._thread.start()

    def send(self, control: ct.Control) -> None:
        """Hand a control to the engine; before it runs they wait, after it has ended they are dropped."""
        with self._lock:
            if self._loop is None:
                self._early.append(control)
                return
        # The loop may close at any moment; there is nobody to obey then.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._engine.take, control)

    def stop(self, timeout_s: float = 5.0) -> bool:
        """Ask the engine to end and wait for it; whether it did in time."""
        self.send(ct.Quit())
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        reason = ""
        try:
            with asyncio.Runner() as runner:
                loop = runner.get_loop()
                with self._lock:
                    self._loop = loop
                    for control in self._early:
                        loop.call_soon(self._engine.take, control)
                runner.run(self._engine.run())
        except SoriError as error:
            log.exception("the engine ended")
            reason = self._texts(error.message_key, **error.values)
        except Exception as error:
            log.exception("the engine ended")
            reason = f"{type(error).__name__}: {error}"
        self._publish(up.EngineStopped(reason=reason))


class Engine:
    """Everything that has state, on one loop."""

    def __init__(self, home: Path, settings: Settings, texts: Texts, publish: Callable[[up.Update], None]) -> None:
        self._home = home
        self._settings = settings
        self._texts = texts
        self._publish = publish
        self._controls: asyncio.Queue[ct.Control] = asyncio.Queue()
        self._work = Work()
        self._threads = VoiceThreads(self._work)
        self._jobs: set[asyncio.Task[None]] = set()
        self._hearing = up.VoiceAvailable(
            microphone="", microphone_reason="", speaker="", speaker_reason="", muted=False
        )

    def take(self, control: ct.Control) -> None:
        """A control arrived; called on the loop."""
        self._controls.put_nowait(control)

    async def run(self) -> None:
        """Run until asked to quit.

        Raises:
            StorageError: the database cannot be used at all.
        """
        chat = await build_chat(self._home, self._settings, self._texts, self._publish)
        session = await self._open_session(chat)
        ringing = partial(self._ring, chat, session)
        chat.timers.on_ring = lambda ring: self._start_job(ringing(ring))
        chat.start_timers()
        self._start_job(self._warm_up(chat))
        self._start_job(self._run_voice(session))
        try:
            await self._obey(chat, session)
        finally:
            for job in self._jobs:
                job.cancel()
            await asyncio.gather(*self._jobs, return_exceptions=True)
            await session.close()
            self._threads.close()
            await chat.close()

    async def _open_session(self, chat: Chat) -> Session:
        """Show the last conversation, and go on with it."""
        latest = await chat.conversations.latest()
        conversation, messages = latest or (await chat.conversations.create(), ())
        self._publish(up.ConversationOpened(conversation=conversation, messages=messages))
        return Session(
            chat.engine,
            self._settings.voice,
            self._texts,
            publish=self._publish,
            work=self._work,
            conversation=conversation,
            save_trace=chat.traces.save,
        )

    def _start_job(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(job)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    async def _warm_up(self, chat: Chat) -> None:
        try:
            await chat.warm_up()
        except SoriError as error:
            # The first message says so again, in the conversation.
            log.warning("the language model cannot be loaded yet: %s", error)

    async def _ring(self, chat: Chat, session: Session, ring: Ring) -> None:
        message = await chat.engine.announce(session.conversation, ring.text)
        self._publish(up.MessageAdded(turn=NO_TURN, message=message))
        session.announce(ring.text)

    async def _obey(self, chat: Chat, session: Session) -> None:
        while True:
            control = await self._controls.get()
            match control:
                case ct.SubmitText(text=text):
                    if text.strip():
                        session.tell(ev.TextSubmitted(text=text, speak=self._settings.voice.speak_typed))
                case ct.Stop():
                    session.tell(ev.StopPressed())
                case ct.ToggleVoice():
                    session.toggle_voice()
                case ct.SetMuted(muted=muted):
                    session.set_muted(muted)
                    self._show_hearing(replace(self._hearing, muted=muted))
                case ct.NewConversation():
                    session.tell(ev.StopPressed())
                    session.conversation = await chat.conversations.create()
                    self._publish(up.ConversationOpened(conversation=session.conversation, messages=()))
                case ct.Quit():
                    return

    # Hearing and speaking

    async def _run_voice(self, session: Session) -> None:
        try:
            voice = await self._load_voice()
        except SoriError as error:
            log.warning("no voice: %s", error)
            self._show_progress(1.0)
            self._publish(up.NoticePosted(key=error.message_key, severity=up.Severity.WARNING, values=error.values))
            reason = self._reason(error)
            self._show_hearing(replace(self._hearing, microphone_reason=reason, speaker_reason=reason))
            return
        while True:
            wait_s = REOPEN_CARD_S
            try:
                await self._use_card(session, voice)
            except AudioDeviceError as error:
                log.info("the sound card cannot be used: %s", error)
                reason = self._reason(error)
                nothing = up.VoiceAvailable(
                    microphone="",
                    microphone_reason=reason,
                    speaker="",
                    speaker_reason=reason,
                    muted=session.muted,
                )
                self._show_hearing(nothing)
                wait_s = REOPEN_SILENT_S if error.message_key == _SILENT else REOPEN_CARD_S
            await asyncio.sleep(wait_s)

    async def _load_voice(self) -> Voice:
        store = ModelStore(self._home)
        thinking = needed_language_models(self._settings)
        names = [name for name in needed_models(self._settings) if name not in thinking]

        loop = asyncio.get_running_loop()

        progress = VoiceProgress(names, self._show_progress)

        def fetching(state: FetchProgress) -> None:
            # The loop may have ended while this thread still fetches.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(progress.fetching, state)

        self._show_progress(0.0)
        await asyncio.to_thread(store.ensure, names, fetching)
        voice = await load_voice(self._settings, store.path, progress.loading)
        for error in voice.missing:
            self._publish(up.NoticePosted(key=error.message_key, severity=up.Severity.WARNING, values=error.values))
        return voice

    def _show_progress(self, fraction: float) -> None:
        self._publish(up.EngineProgressed(part="progress.speech_models", fraction=fraction))

    async def _use_card(self, session: Session, voice: Voice) -> None:
        playback = Playback()
        chosen = self._settings.voice
        card = DeviceCard(
            playback,
            input_device=chosen.input_device,
            output_device=chosen.output_device,
            on_change=lambda: self._show_card(card, voice, session),
        )
        await card.open()
        beat = asyncio.create_task(_beat(session)) if not card.microphone else None
        try:
            attach_voice(session, voice, self._threads, card, playback, settings=self._settings, publish=self._publish)
            self._show_card(card, voice, session)
            await session.run_card(card)
        finally:
            if beat is not None:
                beat.cancel()
            session.detach()
            await card.close()

    def _show_card(self, card: DeviceCard, voice: Voice, session: Session) -> None:
        hearing = up.VoiceAvailable(
            microphone=card.microphone,
            microphone_reason=self._reason(card.microphone_error),
            speaker=card.speaker,
            speaker_reason=self._reason(card.speaker_error),
            muted=session.muted,
            wake_word=voice.wake.name if voice.wake is not None else "",
        )
        self._show_hearing(hearing)

    def _reason(self, error: SoriError | None) -> str:
        return "" if error is None else self._texts(error.message_key, **error.values)

    def _show_hearing(self, hearing: up.VoiceAvailable) -> None:
        self._hearing = hearing
        self._publish(hearing)


async def _beat(session: Session) -> None:
    """Stands in for a microphone's frames, so that what was played is noticed."""
    while True:
        await asyncio.sleep(POLL_S)
        session.poll_speech()
