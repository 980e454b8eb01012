"""Runs scripted conversations with the real session, listener, speaker, chat and database, and with engines that read
tones.

Time is audio time: a minute of conversation takes some tens of milliseconds.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assistant.agent.context.prompts import load_prompts
from assistant.agent.exchange import AgentExchange
from assistant.agent.guided import GuidedFlows, NoFlows
from assistant.agent.profile import LOCAL_PROFILE, AgentProfile
from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.agent.workspaces.profiles import AgentProfiles
from assistant.audio.playback import Playback
from assistant.chat.agents.calling import AgentCalls
from assistant.chat.answering import Answerer
from assistant.chat.board import TurnBoard
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands, Grammar
from assistant.chat.engine import ChatEngine
from assistant.chat.timers import Timers
from assistant.chat.turn_request import TurnRequest
from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Cue, Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Message
from assistant.core.records.agents import AgentId
from assistant.core.settings import Language, LlmSettings, Provider, Settings, VoiceSettings
from assistant.core.texts import Texts
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.identities import new_id
from assistant.storage.records.usage import UsageStore
from assistant.storage.timers import TimerStore
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.session.session import Session
from assistant.voice.speaker import AnswerSpeaker
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.work import Work
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.backend import FakeBackend, Piece
from tests.fakes.clock import FakeClock
from tests.fakes.sound.cards import ScriptedCard
from tests.fakes.sound.scene import Scene, ToneActivity, ToneRecognizer, ToneSynthesizers, ToneWake
from tests.fakes.system.volume import FakeVolume

_PATIENCE_WITH_OTHERS = 10
TAIL_FRAMES = 100
LONGEST_S = 120.0
"""Audio time after which a conversation counts as endless."""


@dataclass
class Stage:
    """The parts and results of a performed conversation.

    Attributes:
        trace: events of the session.
        updates: updates for the window.
        backend: the model, with its requests.
        voices: the synthesiser, with the spoken texts.
        recognizer: the recogniser, with its calls.
        session: the voice session.
        board: the running turns.
        live: the settings.
        profile: the agent that answers; ``None`` for that of the conversation.
        messages: the stored conversation.
        newest: the conversation that was open at the end.
        agent: the agent of that conversation.
        played: the whole output at 48 kHz.
    """

    trace: list[dict[str, Any]]
    updates: list[up.Update]
    backend: FakeBackend
    voices: ToneSynthesizers
    recognizer: ToneRecognizer
    session: Session
    board: TurnBoard
    live: LiveSettings
    profile: AgentProfile | None
    messages: tuple[Message, ...] = ()
    newest: tuple[Message, ...] = ()
    agent: AgentId = field(default_factory=AgentId)
    played: np.ndarray[Any, np.dtype[np.int16]] = field(default_factory=lambda: np.zeros(0, np.int16))

    def write(self, text: str, *, aloud: bool = False) -> None:
        """The user types a message into the open conversation."""
        self.board.begin(
            TurnRequest(
                turn=TurnId(new_id()),
                conversation=self.session.conversation,
                text=text,
                origin=Origin.TEXT,
                aloud=aloud,
                profile=self.profile,
                can_ask=True,
            )
        )

    def names(self) -> list[str]:
        """Names of the events, without partial transcripts."""
        return [event["event"] for event in self.trace if event["event"] != "partial"]

    def first(self, name: str) -> dict[str, Any]:
        """The first event of this name."""
        return next(event for event in self.trace if event["event"] == name)

    def all(self, name: str) -> list[dict[str, Any]]:
        """All events of this name."""
        return [event for event in self.trace if event["event"] == name]


async def perform(
    scene: Scene,
    folder: Path,
    *replies: Sequence[Piece],
    language: Language = "ko",
    voice: VoiceSettings | None = None,
    tools: tuple[Tool, ...] = (),
    profile: AgentProfile = LOCAL_PROFILE,
    embedded: bool = False,
    no_wake: bool = False,
    speaks: bool = True,
    patience_s: float | None = None,
    longest_s: float = LONGEST_S,
    workspaces: Workspaces | None = None,
    flows: Callable[[Database, FakeClock, Texts], GuidedFlows] | None = None,
    prepare: Callable[[Stage], None] = lambda _stage: None,
    on_frame: Callable[[Stage, float], None] = lambda _stage, _second: None,
) -> Stage:
    """Play ``scene`` to a session whose model gives ``replies``, and wait until the conversation is over.

    Args:
        scene: the microphone's signal.
        folder: folder of the database.
        replies: the model's replies, one per request.
        language: language of the interface.
        voice: voice settings; by default without cues.
        tools: tools for the model.
        profile: profile of the answering agent.
        embedded: whether the model runs in Sori's own server.
        no_wake: whether to begin as if the voice button had been pressed.
        speaks: whether there is a speaker.
        patience_s: longest wait for a model that does not answer before a frame, in seconds; ten times longer for other
            work. ``None`` for no limit.
        longest_s: audio time after which the conversation counts as endless, in seconds.
        workspaces: the agents that can be called by name.
        flows: makes what answers in guided flows; ``None`` for no services.
        prepare: called before the first frame.
        on_frame: called before each frame with its start in seconds.
    """
    voice = replace(voice or VoiceSettings(cues=False), preroll_ms=100)
    settings = Settings(
        language=language,
        voice=voice,
        llm=LlmSettings(provider="embedded" if embedded else "fake", model="m"),
        providers=(Provider(name="fake", kind="openai", base_url="http://127.0.0.1:1/v1"),),
    )
    clock = FakeClock()
    database = await Database.open(folder / "sori.db", clock)
    store = await ConversationStore.open(database, clock)
    texts = load_texts(language)
    work = Work()
    backend = FakeBackend(*replies)
    updates: list[up.Update] = []
    trace: list[dict[str, Any]] = []
    live = LiveSettings(settings)
    guided = NoFlows() if flows is None else flows(database, clock, texts)
    engine, commands = _chat(live, texts, backend, store, database, clock, tools, updates, guided)
    board = TurnBoard(engine, updates.append)
    conversation = await store.create()
    own = profile if workspaces is None else None

    async def answer_by(agent: AgentId) -> None:
        session.enter(await store.create(agent))

    calls = None
    if workspaces is not None:
        calls = AgentCalls(workspaces, CurrentAgent(folder / "current"), store.agent_of, answer_by)
    session = Session(
        board,
        engine,
        live,
        texts,
        meaning=commands.meaning,
        publish=updates.append,
        on_event=trace.append,
        work=work,
        conversation=conversation,
        profile=own,
        calls=calls,
        voice_of=None if workspaces is None else AgentProfiles(workspaces, store.agent_of).voice_of,
        insists=guided.insists,
    )
    recognizer = ToneRecognizer(scene.texts)
    stage = Stage(trace, updates, backend, ToneSynthesizers(), recognizer, session, board, live, own)
    playback = Playback()
    count = 0
    idle_frames = 0

    async def before_frame() -> None:
        nonlocal count
        on_frame(stage, count / 100)
        # What does not wait for the model may be slow on a busy machine.
        longest_s = patience_s if patience_s is None or backend.waiting else _PATIENCE_WITH_OTHERS * patience_s
        with suppress(TimeoutError):
            await asyncio.wait_for(work.wait_until_idle(), longest_s)
        if not engine.afterwards.idle and embedded:
            # Audio time waits until the model reads ahead. Otherwise the result would depend on the machine's speed.
            await backend.reads.wait()
        count += 1

    def tail() -> bool:
        nonlocal idle_frames
        idle_frames = 0 if session.busy else idle_frames + 1
        return idle_frames < TAIL_FRAMES and count < longest_s * 100

    card = ScriptedCard(scene.pcm, playback, tail=tail, before_frame=before_frame)
    threads = [ModelThread(name, work) for name in ("recognizer", "turn-end", "synthesizer")]
    _attach(session, stage, live, playback, threads, updates, work, speaks=speaks)
    await card.open()
    prepare(stage)
    if no_wake:
        session.tell(ev.VoiceToggled())
    try:
        await session.run_card(card)
    finally:
        await board.close()
        await session.close()
        await engine.close()
        await card.close()
        for thread in threads:
            thread.close()
        stage.messages = await store.messages(conversation)
        stage.newest = await store.messages(session.conversation)
        stage.agent = await store.agent_of(session.conversation)
        await database.close()
    stage.played = np.concatenate(card.played)
    assert count < longest_s * 100, "the conversation never ended"
    return stage


@cache
def _grammars() -> dict[Language, Grammar]:
    """The templates, loaded once per test session and never changed."""
    folder = RESOURCES / "intents"
    return {"ko": Grammar.load(folder / "ko.yaml", "ko"), "en": Grammar.load(folder / "en.yaml", "en")}


def _chat(
    live: LiveSettings,
    texts: Texts,
    backend: FakeBackend,
    store: ConversationStore,
    database: Database,
    clock: FakeClock,
    tools: tuple[Tool, ...],
    updates: list[up.Update],
    guided: GuidedFlows,
) -> tuple[ChatEngine, Commands]:
    languages: dict[Language, Texts] = {"ko": load_texts("ko"), "en": load_texts("en")}
    answers = CommandAnswers(
        clock, Timers(TimerStore(database), clock, languages), FakeVolume(), languages, no_memory()
    )

    def on_continued(conversation: str, turn: TurnId, withdrawn: bool) -> None:
        kind = up.TurnWithdrawn if withdrawn else up.AnswerInterrupted
        updates.append(kind(conversation=conversation, turn=turn))

    commands = Commands(_grammars(), answers)
    exchange = AgentExchange(
        keep=UsageStore(database, clock).record,
        router=backend,
        live=live,
        texts=texts,
        tools=ToolRunner(tools, texts),
        clock=clock,
        prompts_in={texts.language: load_prompts(RESOURCES / "prompts", texts.language)},
    )
    answerer = Answerer(
        exchange=exchange,
        store=store,
        commands=commands,
        guided=guided,
    )
    return ChatEngine(answerer, store, clock, on_continued=on_continued), commands


def _attach(
    session: Session,
    stage: Stage,
    live: LiveSettings,
    playback: Playback,
    threads: list[ModelThread],
    updates: list[up.Update],
    work: Work,
    *,
    speaks: bool,
) -> None:
    ears = Ears(
        voice=ToneActivity(),
        unprocessed_voice=ToneActivity(),
        recognizer=stage.recognizer,
        recognizer_thread=threads[0],
        wake=ToneWake(),
        turn_end=None,
        turn_end_thread=threads[1],
        echo=None,
    )
    listener = Listener(ears, live, session)
    speaker = AnswerSpeaker(playback, stage.voices, threads[2], live, session)
    beep = np.full(4_800, 5_000, np.int16)
    session.attach(
        listener=listener,
        speaker=speaker if speaks else None,
        playback=playback,
        cues=dict.fromkeys(Cue, beep),
    )
