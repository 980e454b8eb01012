"""``sori listen``: runs a whole spoken session on recordings, through the same path as a live one."""

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from assistant.agent.profile import LOCAL_PROFILE, AgentProfile
from assistant.app.cli.options import ListenOptions
from assistant.audio.cards.files import FileCard
from assistant.audio.playback import Playback
from assistant.core import updates as up
from assistant.core.audio import FRAME_MS
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.records.agents import AgentId
from assistant.core.settings import Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.models.speech_models import ServedSpeech, SpeechModels, failure_notice
from assistant.engine.models.transcription_models import ServedRecognition, TranscriptionModels
from assistant.engine.session_wiring import VoiceThreads, attach_voice
from assistant.engine.voice_wiring import Engines, load_voice, paces_for
from assistant.host.model_store import open_store
from assistant.host.texts import load_texts
from assistant.speech.tts.pace import Paces
from assistant.storage.atomic import write_text
from assistant.tasks import show_failures
from assistant.voice.session.session import Session
from assistant.voice.work import Work

log = logging.getLogger(__name__)

TraceEvent = dict[str, Any]


class LoadVoice(Protocol):
    """Gives the speech engines of the settings; ``load_voice`` does."""

    async def __call__(self, settings: Settings, path_of: Callable[[str], Path], *, paces: Paces | None) -> Engines:
        """The engines, each ready to work."""
        ...


SETTLE_S = 1.0
"""Seconds of audio after the end of the recording in which a wake word or an utterance is still detected."""


def run(home: Path, settings: Settings, options: ListenOptions) -> int:
    """Listen to a recording, answer it, print the timeline and write the requested files.

    Returns:
        Exit status: 1 if the trace has an error event, else 0.

    Raises:
        SoriError: as ``hear``, or the trace cannot be written.
    """
    events = asyncio.run(hear(home, settings, options, print_event))
    if options.trace is not None:
        write_text(options.trace, json.dumps(events, ensure_ascii=False, indent=1) + "\n")
    return 1 if any(event["event"] == "error" for event in events) else 0


async def hear(
    home: Path,
    settings: Settings,
    options: ListenOptions,
    on_event: Callable[[TraceEvent], None],
    *,
    demonstration: bool = False,
    load: LoadVoice | None = None,
) -> list[TraceEvent]:
    """Run one session on a recording.

    Args:
        home: the user's folder.
        settings: all settings; ``options`` override them.
        options: the recording and how to play it.
        on_event: called with each trace event as it happens.
        demonstration: the model gets no tools, so that nothing on this computer changes. The recording begins after the
            model has read its prompt, as if Sori had been running for a while.
        load: gives the speech engines, ``load_voice`` by default.

    Returns:
        The trace.

    Raises:
        SoriError: the recording, a model, the output or the database cannot be used, or there is no such project.
    """
    settings = _overruled(settings, options)
    texts = load_texts(settings.language)
    store = open_store(home)
    events: list[TraceEvent] = []

    def note(event: TraceEvent) -> None:
        events.append(event)
        on_event(event)

    def note_notice(update: up.Update) -> None:
        if isinstance(update, up.NoticePosted):
            note({"t": 0.0, "event": "notice", "detail": texts(update.key, **update.values)})

    show_failures(lambda error: note({"t": 0.0, "event": "error", "code": "internal", "detail": str(error)}))
    work = Work()
    threads = VoiceThreads(work)
    live = LiveSettings(settings)
    chat = await build_chat(home, live, texts)
    await asyncio.to_thread(chat.answers.commands.warm_up)
    # A demonstration is a conversation only, even if tools exist.
    profile = replace(LOCAL_PROFILE, tools=frozenset()) if demonstration else None
    try:

        async def answer_by(agent: AgentId) -> None:
            session.enter(await chat.storage.conversations.create(agent))

        session = Session(
            chat.answers.board,
            chat.answers.engine,
            live,
            texts,
            meaning=chat.answers.commands.meaning,
            publish=lambda _update: None,
            on_event=note,
            work=work,
            conversation=await _conversation(chat, options.project),
            save_trace=chat.storage.traces.save,
            profile=profile,
            can_ask=False,
            calls=None if demonstration else chat.calls(answer_by),
            voice_of=chat.agents.profiles.voice_of,
            expects=None if demonstration else chat.answers.expects,
            insists=chat.answers.guided.insists,
        )

        playback = Playback()
        card = _card(options, playback, session, work)
        # Report an unreadable recording before the models are loaded.
        await card.open()
        try:
            # Load everything that the first turn would wait for before the first sample.
            voice, _ = await asyncio.gather(
                (load or load_voice)(settings, store.path, paces=paces_for(home, settings, store)),
                _warm_up(chat, session.conversation, profile),
            )
            if demonstration:
                await chat.answers.engine.afterwards.settle()
            models = TranscriptionModels(live, chat.models.router.backend_for)
            voice = ServedRecognition(models, texts, note_notice, chat.basis.clock).serve(voice)
            speaking = SpeechModels(live, chat.models.router.backend_for)
            speech = ServedSpeech(
                speaking, asyncio.get_running_loop(), lambda error: note_notice(failure_notice(texts, error))
            )
            voice.synthesizers.serve(speech.ask, speech.abandon)
            for error in voice.missing:
                note({"t": 0.0, "event": "error", "code": error.code.value, "detail": error.detail})
            attach_voice(session, voice, threads, card, playback, settings=live, publish=lambda _update: None)
            if options.no_wake:
                session.tell(ev.VoiceToggled())
            await session.run_card(card)
        finally:
            await session.close()
            await card.close()
    finally:
        threads.close()
        await chat.close()
    return events


async def _conversation(chat: Chat, project: str | None) -> str:
    conversation = await chat.storage.conversations.create()
    if project is not None:
        agent = await chat.storage.conversations.agent_of(conversation)
        chosen = await chat.projects.find(project, agent.workspace)
        await chat.storage.conversations.choose_project(conversation, chosen.id)
    return conversation


async def _warm_up(chat: Chat, conversation: str, profile: AgentProfile | None) -> None:
    try:
        await chat.warm_up(conversation, profile)
    except SoriError as error:
        # The first message reports the error again. A recording without a message needs no model.
        log.warning("the language model cannot be loaded yet: %s", error)


def _overruled(settings: Settings, options: ListenOptions) -> Settings:
    voice = replace(settings.voice, cues=options.cues)
    if options.language is not None:
        voice = replace(voice, language=options.language)
        settings = replace(settings, language=options.language)
    llm = settings.llm if options.provider is None else replace(settings.llm, provider=options.provider)
    return replace(settings, voice=voice, llm=llm)


def _card(options: ListenOptions, playback: Playback, session: Session, work: Work) -> FileCard:
    return FileCard(
        options.input,
        options.output,
        playback,
        pace=options.pace,
        echo_gain_db=options.echo_gain_db,
        echo_delay_ms=options.echo_delay_ms,
        wait_until_idle=work.wait_until_idle,
        tail=_Tail(session).more,
    )


class _Tail:
    """Decides how long the session goes on after the end of the recording."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._ticks_left = round(SETTLE_S * 1000 / FRAME_MS)

    def more(self) -> bool:
        """Called every 10 ms of audio time."""
        if self._session.busy:
            return True
        self._ticks_left -= 1
        return self._ticks_left > 0


def print_event(event: TraceEvent) -> None:
    """Print one line of the timeline."""
    details = ", ".join(f"{key}={value}" for key, value in event.items() if key not in {"t", "event"})
    print(f"{event['t']:8.3f} s  {event['event']:<15} {details}", flush=True)
