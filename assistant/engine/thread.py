"""The engine: all parts except the window, on a thread with its own asyncio loop."""

import asyncio
import gc
import logging
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from assistant.agent.model_choice import choose_for, choose_model, remembered
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import NO_TURN, InteractionState
from assistant.core.records.agents import AgentId
from assistant.core.service.requests import turns as rq
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.agent_called import AgentCalled
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.conversation_shelf import ConversationShelf
from assistant.engine.domains.turns import Turns
from assistant.engine.hearing import Hearing
from assistant.engine.model_shelf import ModelShelf
from assistant.engine.models.fetches import PAUSED
from assistant.engine.models.speech_models import ServedSpeech, SpeechModels, failure_notice
from assistant.engine.models.transcription_models import ServedRecognition, TranscriptionModels
from assistant.engine.names.name_learner import NameLearner
from assistant.engine.names.name_shelf import NameShelf
from assistant.engine.names.own_voices import OwnVoices
from assistant.engine.ringing import Ringing
from assistant.engine.session_wiring import VoiceThreads
from assistant.engine.tidying import tidy
from assistant.engine.voice_wiring import Engines
from assistant.engine.waiting_requests import WaitingRequests
from assistant.engine.watching.loop_watch import HUNG_S, LoopWatch
from assistant.host.needed_models import answering_models, needed_language_models
from assistant.host.places import Places
from assistant.speech.tts.every_voice import EveryVoice
from assistant.tasks import TaskSupervisor, show_failures
from assistant.voice.session.session import Session
from assistant.voice.work import Work

log = logging.getLogger(__name__)

_FREE = frozenset({InteractionState.IDLE, InteractionState.LISTENING})
"""Sori says nothing and answers nothing."""
MOST_TRACES = 30
"""Traces that the window shows; ``sori traces`` shows more."""


class EngineThread:
    """Runs the engine; implements ``Controls``.

    Args:
        home: the user's folder.
        settings: all settings.
        texts: the user's words.
        publish: takes updates; called on the engine's thread.
        hears: whether it uses the microphone and the speaker.
        alone: whether no other process serves the same user. Another one rings the timers and tidies up.
        hung_s: time without a step of the loop after which the engine counts as hung.
    """

    def __init__(
        self,
        home: Path,
        settings: Settings,
        texts: Texts,
        publish: Callable[[up.Update], None],
        *,
        hears: bool = True,
        alone: bool = True,
        hung_s: float = HUNG_S,
    ) -> None:
        self._engine = Engine(home, settings, texts, self._tell, hears=hears, alone=alone)
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)
        self._publish, self._hung_s = publish, hung_s
        self._hung = False
        self._texts = texts
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._early: list[ct.Control] = []

    def start(self) -> None:
        """Start the thread; returns at once."""
        self._thread.start()

    def send(self, control: ct.Control) -> None:
        """Send a control to the engine. Controls wait until the engine runs, and are dropped after its end."""
        with self._lock:
            if self._loop is None:
                self._early.append(control)
                return
        # The loop may close at any moment; then the control is dropped.
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._engine.take, control)

    def stop(self, timeout_s: float = 5.0) -> bool:
        """End the engine and wait for it; return whether it ended in time."""
        if self._hung:
            return False
        self.send(ct.Quit())
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def _tell(self, update: up.Update) -> None:
        """Publish an update of the engine, unless the engine was given up."""
        if not self._hung:
            self._publish(update)

    def _give_up(self, place: str) -> None:
        """Report that the loop hangs. What it still does is shown to nobody."""
        log.error("the engine hangs in:\n%s", place)
        self._hung = True
        self.send(ct.Quit())  # in case that it goes on later
        self._publish(up.EngineStopped(reason=self._texts("error.engine_hung"), hung=True))

    def _run(self) -> None:
        reason = ""
        try:
            with asyncio.Runner() as runner:
                loop = runner.get_loop()
                watch = LoopWatch(loop, threading.get_ident(), self._give_up, hung_s=self._hung_s)
                watch.start()
                with self._lock:
                    self._loop = loop
                    for control in self._early:
                        loop.call_soon(self._engine.take, control)
                try:
                    runner.run(self._engine.run())
                finally:
                    watch.stop()
        except SoriError as error:
            log.exception("the engine ended")
            reason = self._texts(error.message_key, **error.values)
        except Exception as error:
            log.exception("the engine ended")
            reason = f"{type(error).__name__}: {error}"
        self._tell(up.EngineStopped(reason=reason))


class Engine:
    """All mutable state, on one loop."""

    def __init__(
        self,
        home: Path,
        settings: Settings,
        texts: Texts,
        publish: Callable[[up.Update], None],
        *,
        hears: bool = True,
        alone: bool = True,
    ) -> None:
        self._hears, self._alone = hears, alone
        self._home = home
        self._live = LiveSettings(settings)
        self._texts = texts
        self._publish = publish
        self._controls: asyncio.Queue[ct.Control | AgentCalled] = asyncio.Queue()
        self._work = Work()
        self._threads = VoiceThreads(self._work)
        self._jobs = TaskSupervisor()
        self._chosen = ""
        self._hearing = Hearing(home, self._live, texts, self._threads, publish=self._publish, tell_of=self._tell_of)

    def take(self, control: ct.Control) -> None:
        """Queue a control; called on the loop."""
        self._controls.put_nowait(control)

    async def run(self) -> None:
        """Run until a ``Quit`` control arrives.

        Raises:
            StorageError: the database cannot be used at all.
        """
        show_failures(self._show_failure)
        chat = await build_chat(
            self._home, self._live, self._texts, self._publish, wait_for_weights=False, works_on=True
        )
        shelf = self._shelf(chat)
        session = await self._open_session(chat, shelf)
        shelf.index_later()
        self._start_job(asyncio.to_thread(chat.commands.warm_up))
        self._start_job(asyncio.to_thread(tidy, Places(self._home), chat.clock.now().timestamp()))
        ringing = Ringing(
            chat,
            session,
            self._texts,
            publish=self._publish,
            tell_of=self._tell_of,
            start_job=self._start_job,
        )
        if self._alone:
            chat.start_timers()
        chat.mcp.start()
        self._start_job(chat.settings.run())
        waiting = WaitingRequests(chat.board, chat.engine.new_turn)
        # An answer may have asked for the switch; it ends first.
        chat.switch.switched.add(lambda _: session.when(_FREE, self._begin_anew))
        self._start_job(self._warm_up(chat, session, waiting))
        names = self._name_shelf(chat, session)
        if self._hears:
            self._hear(chat, session)
            if self._alone:
                self._start_job(self._name_learner(chat, session, names).run())
        try:
            await self._serve(chat, session, shelf, ringing, self._model_shelf(chat), names)
        finally:
            await self._jobs.close()
            await chat.board.close()
            await session.close()
            await shelf.close()
            self._threads.close()
            await chat.close()

    def _hear(self, chat: Chat, session: Session) -> None:
        models = TranscriptionModels(self._live, chat.router.backend_for)
        self._start_job(models.prepare())
        served = ServedRecognition(models, self._texts, self._publish, chat.clock)
        speaking = SpeechModels(self._live, chat.router.backend_for)
        self._start_job(speaking.prepare())
        speech = ServedSpeech(speaking, asyncio.get_running_loop(), self._speech_failed)

        def serve(engines: Engines) -> Engines:
            engines.synthesizers.serve(speech.ask, speech.abandon)
            return served.serve(engines)

        self._hearing.follow(chat.settings.follow, serve)
        self._start_job(self._hearing.run(session, serve))

    def _speech_failed(self, error: SoriError) -> None:
        self._publish(failure_notice(self._texts, error))

    def _model_shelf(self, chat: Chat) -> ModelShelf:
        return ModelShelf(
            chat,
            self._home,
            publish=self._publish,
            tell_of=self._tell_of,
            start_job=self._start_job,
            on_new_provider=lambda: self._start_job(self._list_models(chat)),
        )

    def _name_shelf(self, chat: Chat, session: Session) -> NameShelf:
        return NameShelf(
            chat.workspaces,
            chat.current,
            session,
            self._threads,
            self._live,
            publish=self._publish,
            start_job=self._start_job,
        )

    def _name_learner(self, chat: Chat, session: Session, names: NameShelf) -> NameLearner:
        store = chat.fetches.store
        return NameLearner(
            chat.workspaces,
            session,
            self._threads,
            own=lambda: OwnVoices(store, self._live.current),
            voices=lambda own: EveryVoice(own.engines, store.path),
            clock=chat.clock,
            on_learnt=lambda: self._start_job(names.show()),
            publish=self._publish,
        )

    def _shelf(self, chat: Chat) -> ConversationShelf:
        async def on_opened(conversation: str) -> None:
            await self._recall_model(chat, await chat.conversations.chosen_model(conversation))

        shelf = ConversationShelf(
            chat.conversations,
            chat.conversation_list,
            chat.clock,
            board=chat.board,
            written=chat.engine.written,
            publish=self._publish,
            tell_of=self._tell_of,
            start_job=self._start_job,
            on_opened=on_opened,
            agent_of=chat.profiles.shown,
        )
        chat.engine.repathed.add(shelf.show_path)
        return shelf

    async def _open_session(self, chat: Chat, shelf: ConversationShelf) -> Session:
        """Show the last conversation and open a session for it."""
        conversation = await shelf.open_last(alone=self._alone)
        return Session(
            chat.board,
            chat.engine,
            self._live,
            self._texts,
            meaning=chat.commands.meaning,
            publish=self._publish,
            work=self._work,
            conversation=conversation,
            save_trace=chat.traces.save,
            calls=chat.calls(self._answer_by),
            voice_of=chat.profiles.voice_of,
            expects=chat.expects,
        )

    async def _answer_by(self, agent: AgentId) -> None:
        """Begin a conversation with an agent that was called, in turn with the controls; return when it is open."""
        answers = asyncio.get_running_loop().create_future()
        self._controls.put_nowait(AgentCalled(agent, answers))
        await answers

    def _begin_anew(self) -> None:
        self.take(ct.NewConversation())

    async def _begin_with(self, called: AgentCalled, chat: Chat, session: Session, shelf: ConversationShelf) -> None:
        try:
            await chat.switch.choose(called.agent)
            await shelf.begin(session)
        except StorageError as error:
            called.end(error)
        else:
            called.end()

    def _start_job(self, job: Coroutine[Any, Any, None]) -> None:
        self._jobs.start(job, name="part of the engine")

    def _show_failure(self, error: BaseException) -> None:
        """Show the failure of a task that nobody handles."""
        own = error if isinstance(error, SoriError) else SoriError(ErrorCode.INTERNAL, str(error), cause=error)
        self._tell_of(own, up.Severity.ERROR)

    def _tell_of(self, error: SoriError, severity: up.Severity = up.Severity.WARNING) -> None:
        self._publish(up.NoticePosted(key=error.message_key, severity=severity, values=error.values))

    async def _warm_up(self, chat: Chat, session: Session, waiting: WaitingRequests) -> None:
        """Load the answering model, and fetch missing language models one after another."""

        def on_ended(error: SoriError | None) -> None:
            if error is None:
                self._start_job(self._load_model(chat, session, waiting))
            elif error.message_key != PAUSED:
                self._tell_of(error)

        chat.fetches.ended.add(on_ended)
        names = needed_language_models(self._live.current)
        missing = [name for name in names if not await chat.fetches.here(name)]
        if not set(missing) & set(answering_models(self._live.current)):
            await self._load_model(chat, session, waiting)
        # A collection of all objects would hold up the engine for 60 to 180 ms; without these it takes 3 ms.
        gc.freeze()
        for name in missing:
            with suppress(SoriError):  # already reported
                await chat.fetches.ensure(name)

    async def _load_model(self, chat: Chat, session: Session, waiting: WaitingRequests) -> None:
        try:
            await chat.warm_up(session.conversation)
        except SoriError as error:
            # The first message will report it again in the conversation.
            log.warning("the language model cannot be loaded yet: %s", error)
        else:
            session.when({InteractionState.IDLE}, waiting.answer)

    async def _serve(
        self,
        chat: Chat,
        session: Session,
        shelf: ConversationShelf,
        ringing: Ringing,
        models: ModelShelf,
        names: NameShelf,
    ) -> None:
        """Carry out controls one after another until ``Quit``."""
        turns = Turns(chat.board, session, self._live)
        while True:
            control = await self._controls.get()
            match control:
                case ct.Quit():
                    return
                case AgentCalled():
                    await self._begin_with(control, chat, session, shelf)
                case (
                    ct.SubmitText() | ct.Retry() | ct.Regenerate() | ct.EditMessage() | ct.Answer() | ct.ShowQuestion()
                ):
                    self._ask(chat, session, turns, control)
                case ct.ChooseModel() | ct.SwitchAgent() | ct.UndoMemory():
                    await self._choose(chat, session, control)
                case ct.ListModels() | ct.ListTools() | ct.ListTraces() | ct.ListMcpServers() | ct.RestartMcpServer():
                    self._start_job(self._list(chat, session, control))
                case ct.Stop() | ct.ToggleVoice() | ct.HoldToTalk() | ct.SetMuted():
                    self._talk(chat, session, ringing, control)
                case ct.DismissTimers() | ct.CancelTimer():
                    await ringing.obey(control)
                case ct.ListKeptModels() | ct.FetchModel() | ct.PauseFetch() | ct.RemoveModel() | ct.StoreKey():
                    self._start_job(models.obey(control))
                case _:
                    await self._shelve(session, shelf, names, control)

    async def _shelve(
        self,
        session: Session,
        shelf: ConversationShelf,
        names: NameShelf,
        control: ct.ConversationControl | ct.NameControl,
    ) -> None:
        if isinstance(control, ct.NameControl):
            await names.obey(control)
            return
        await shelf.obey(control, session)

    def _talk(
        self,
        chat: Chat,
        session: Session,
        ringing: Ringing,
        control: ct.Stop | ct.ToggleVoice | ct.HoldToTalk | ct.SetMuted,
    ) -> None:
        match control:
            case ct.Stop(turn=turn) if turn not in {NO_TURN, session.snapshot.turn}:
                chat.board.stop(turn)
            case ct.Stop():
                session.tell(ev.StopPressed())
                ringing.stop()
            case ct.HoldToTalk(held=held):
                session.hold_to_talk(held=held)
            case ct.SetMuted(muted=muted):
                self._set_muted(session, muted=muted)
            case ct.ToggleVoice():
                if session.muted:
                    # A user who wants to talk also wants the microphone on.
                    self._set_muted(session, muted=False)
                session.toggle_voice()

    async def _list(
        self,
        chat: Chat,
        session: Session,
        control: ct.ListModels | ct.ListTools | ct.ListTraces | ct.ListMcpServers | ct.RestartMcpServer,
    ) -> None:
        if isinstance(control, ct.ListModels):
            await self._list_models(chat)
        elif isinstance(control, ct.ListTools):
            await self._list_tools(chat, session.conversation)
        elif isinstance(control, ct.ListTraces):
            newest = await chat.traces.newest(MOST_TRACES)
            self._publish(up.TracesListed(traces=tuple(reversed(newest))))
        elif isinstance(control, ct.RestartMcpServer):
            known = await chat.mcp.restart(control.server)
            key = "notice.mcp_restarting" if known else "notice.mcp_unknown"
            severity = up.Severity.INFO if known else up.Severity.WARNING
            self._publish(up.NoticePosted(key=key, severity=severity, values={"name": control.server}))
        else:
            self._publish(up.McpServersListed(servers=chat.mcp.states))

    def _set_muted(self, session: Session, *, muted: bool) -> None:
        session.set_muted(muted)
        self._hearing.show_muted(muted=muted)

    def _ask(
        self,
        chat: Chat,
        session: Session,
        turns: Turns,
        control: ct.SubmitText | ct.Retry | ct.Regenerate | ct.EditMessage | ct.Answer | ct.ShowQuestion,
    ) -> None:
        turn, conversation = chat.engine.new_turn(), session.conversation
        with suppress(SoriError):  # an empty message, or a question that is over
            match control:
                case ct.Answer(turn=asking, question=question, choice=choice, text=text):
                    turns.answer(rq.GiveAnswer(turn=asking, question=question, choice=choice, text=text))
                case ct.ShowQuestion(turn=asking, question=question):
                    turns.show_question(rq.QuestionShown(turn=asking, question=question))
                case ct.SubmitText(text=text, attachments=files):
                    into = control.conversation or conversation
                    turns.begin(rq.BeginTurn(turn=turn, conversation=into, text=text, attachments=files))
                case ct.Retry(model=model):
                    turns.again(rq.AnswerAgain(turn=turn, conversation=conversation, model=model))
                case ct.Regenerate(message=message, model=model):
                    turns.again(rq.AnswerAgain(turn=turn, conversation=conversation, message=message, model=model))
                case ct.EditMessage(message=message, text=text, attachments=files):
                    turns.edit(
                        rq.EditMessage(
                            turn=turn, conversation=conversation, message=message, text=text, attachments=files
                        )
                    )

    async def _choose(
        self, chat: Chat, session: Session, control: ct.ChooseModel | ct.SwitchAgent | ct.UndoMemory
    ) -> None:
        if isinstance(control, ct.ChooseModel):
            await self._choose_model(chat, session, control.model)
        elif isinstance(control, ct.UndoMemory):
            await self._undo_memory(chat, control.change)
        else:
            await self._switch(chat, control)

    async def _undo_memory(self, chat: Chat, change: str) -> None:
        try:
            undone = await chat.journal.undo(change)
        except StorageError as error:
            log.warning("a change of the memory is not undone: %s", error)
            self._publish(up.NoticePosted(key="memory.failed", severity=up.Severity.WARNING))
            return
        key = "memory.nothing_to_undo" if undone is None else "memory.undone"
        self._publish(up.NoticePosted(key=key, values={} if undone is None else {"fact": undone.text}))

    async def _switch(self, chat: Chat, control: ct.SwitchAgent) -> None:
        """Switch to another agent or workspace, and tell it."""
        try:
            if control.agent:
                key, name = "notice.agent_switched", await chat.switch.to_agent(control.agent)
            else:
                key, name = "notice.workspace_switched", await chat.switch.to_workspace(control.workspace)
        except SoriError as error:
            log.warning("the agent is not changed: %s", error)
            self._tell_of(error)
        else:
            self._publish(up.NoticePosted(key=key, values={"name": name}))

    async def _choose_model(self, chat: Chat, session: Session, reference: str) -> None:
        """Store the conversation's choice of a model and show it."""
        try:
            if reference:
                # Store the provider's name too, even if only the model's name was typed.
                reference = choose_model(self._live.current, reference).reference
            await chat.conversations.choose_model(session.conversation, reference)
        except SoriError as error:
            log.warning("the model is not changed: %s", error)
            self._tell_of(error)
        else:
            self._show_models(chat, reference)

    async def _recall_model(self, chat: Chat, reference: str) -> None:
        """Show the conversation's stored choice of a model. Its server may have to be found again."""
        try:
            await chat.offers.recall(reference)
        except StorageError as error:
            log.warning("no server is looked for: %s", error)
        self._show_models(chat, reference)

    async def _list_models(self, chat: Chat) -> None:
        """Show the models to choose from, and further ones as they are found."""

        def show(offers: tuple[up.ModelOffer, ...]) -> None:
            self._publish(up.ModelsOffered(chosen=self._chosen, models=offers, searching=True))

        try:
            await chat.fetches.rescan()
            await chat.offers.look(show)
        finally:
            self._publish(up.ModelsOffered(chosen=self._chosen, models=chat.offers.offers))

    async def _list_tools(self, chat: Chat, conversation: str) -> None:
        profile = await chat.profiles.of_conversation(conversation)
        self._publish(up.ToolsListed(tools=chat.answerer.tools_of(conversation, profile).listed()))

    def _show_models(self, chat: Chat, chosen: str) -> None:
        """Show the model of this conversation and the models to choose from."""
        self._chosen = chosen
        try:
            settings = self._live.current
            choice = choose_for(settings, chosen=remembered(settings, chosen)).choices[0]
        except SoriError as error:
            # The chosen model's provider may have been removed from the settings.
            log.warning("the model of this conversation cannot be used: %s", error)
            self._tell_of(error)
        else:
            shown = up.ModelChosen(provider=choice.provider.name, model=choice.model, placeholder=choice.placeholder)
            self._publish(shown)
        self._publish(up.ModelsOffered(chosen=chosen, models=chat.offers.offers))
