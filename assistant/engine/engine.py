"""The engine: all parts except the doors, on one loop."""

import asyncio
import gc
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from assistant.chat.agents.calling import AgentCalls
from assistant.chat.scheduled.due import DueRequests
from assistant.core import updates as up
from assistant.core.configuration.catalogue import Value
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import InteractionState
from assistant.core.records.agents import AgentId
from assistant.core.service.requests.voice import ReadingStep
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.engine.approving.servers import Servers
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.engine.domains.agents import Agents, AgentTools
from assistant.engine.domains.completions import Completions
from assistant.engine.domains.conversations import Conversations, first_conversation
from assistant.engine.domains.ending import EngineEnd
from assistant.engine.domains.grants import LastingDecisions
from assistant.engine.domains.guided.flow_services import FlowServices
from assistant.engine.domains.guided.flows import Flows
from assistant.engine.domains.keeping.every_shelf import shelves_of
from assistant.engine.domains.keeping.kept import Kept
from assistant.engine.domains.keeping.program import Program
from assistant.engine.domains.keys import ApiKeys
from assistant.engine.domains.mcp import Mcp, McpApprovals
from assistant.engine.domains.memory import Memory
from assistant.engine.domains.models import Models
from assistant.engine.domains.names import Names
from assistant.engine.domains.people import People
from assistant.engine.domains.phone.phones import Phones
from assistant.engine.domains.projects import ConversationProjects, ProjectFiles
from assistant.engine.domains.remote_calls import RemoteCalls
from assistant.engine.domains.servers import ModelServers
from assistant.engine.domains.sound import SoundTests
from assistant.engine.domains.stored.files_for_messages import FilesForMessages
from assistant.engine.domains.stored.records import Records
from assistant.engine.domains.sync.account_sync import AccountSync
from assistant.engine.domains.sync.devices import SyncedDevices
from assistant.engine.domains.sync.kept_membership import AccountKeys
from assistant.engine.domains.sync.shared_projects import SharedProjects
from assistant.engine.domains.sync.shared_requests import SharedRequests
from assistant.engine.domains.synced_values import synced_values
from assistant.engine.domains.telegram.bot_token import BotToken
from assistant.engine.domains.telegram.carried_updates import CarriedUpdates
from assistant.engine.domains.telegram.chat_words import ChatWords
from assistant.engine.domains.telegram.filing import TelegramFiles
from assistant.engine.domains.telegram.linking import Telegram
from assistant.engine.domains.telegram.refused_calls import RefusedCalls
from assistant.engine.domains.telegram.scheduled_answers import ScheduledAnswers
from assistant.engine.domains.timers import Ringing
from assistant.engine.domains.turns import Turns
from assistant.engine.domains.voice import VoiceControl
from assistant.engine.doors import Doors
from assistant.engine.hearing import Hearing
from assistant.engine.models.fetch_notices import fetch_goes_on, fetch_notice
from assistant.engine.models.fetches import PAUSED
from assistant.engine.models.speech_models import ServedSpeech, SpeechModels, failure_notice
from assistant.engine.models.transcription_models import ServedRecognition, TranscriptionModels
from assistant.engine.names.name_learner import NameLearner
from assistant.engine.names.own_voices import OwnVoices
from assistant.engine.newcomer.adopting import Adoption
from assistant.engine.newcomer.first_run import FirstRun
from assistant.engine.newcomer.suggesting import Suggestions
from assistant.engine.project_news import ProjectNews
from assistant.engine.quiet import WhileIdle
from assistant.engine.scheduling.desk import Schedule
from assistant.engine.scheduling.runs import ScheduledRuns
from assistant.engine.scheduling.telling import ScheduleTold
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import Domain, RequestTable
from assistant.engine.session_wiring import VoiceThreads
from assistant.engine.settings.desk import SettingsDesk
from assistant.engine.settings.options import SettingOptions
from assistant.engine.speech.desk import SpeechDesk
from assistant.engine.speech.dictating import Dictating
from assistant.engine.speech.shared_voices import SharedVoices
from assistant.engine.switched import SwitchedConversation
from assistant.engine.tidying import tidy
from assistant.engine.voice_wiring import Engines, paces_for, synthesizers_for
from assistant.engine.waiting_requests import WaitingRequests
from assistant.flows.loading.approvals import FlowApprovals
from assistant.host.autostart import Autostart
from assistant.host.key_file import KeyFile
from assistant.host.model_store import open_store
from assistant.host.needed_models import answering_models, needed_language_models
from assistant.host.places import Places
from assistant.host.settings_edit import change_settings
from assistant.host.tokens import TokenFile
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.every_voice import EveryVoice
from assistant.storage.sync.flow_offers import SORT as FLOWS
from assistant.tasks import TaskSupervisor, show_failures
from assistant.tools.grants import GrantFile
from assistant.tools.mcp.approvals import Approvals
from assistant.tools.mcp.mcp_json import McpFile
from assistant.voice.session.session import Session
from assistant.voice.work import Work

log = logging.getLogger(__name__)

_FREE = frozenset({InteractionState.IDLE, InteractionState.LISTENING})
"""Sori says nothing and answers nothing."""


_MODEL_SETTINGS: Final = ("providers", "models", *(f"llm.{each}" for each in ("provider", "model", "light_model")))
"""Settings that may change which model the user is shown as the answering one."""

_SYNC_SETTINGS: Final = ("sync.server", "sync.paused")
_PHONE_SETTINGS: Final = ("phone.enabled", "phone.port")
_TELEGRAM_SETTINGS: Final = ("telegram.enabled", "telegram.server")
"""Settings with which the way to Telegram is opened anew; the others are read when they are needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Domains:
    """Domains that the engine itself uses, and the table of all."""

    table: RequestTable
    conversations: Conversations
    models: Models
    speech: SpeechDesk
    telegram: Telegram
    phones: Phones
    sync: AccountSync
    due: DueRequests


class Engine:
    """All mutable state.

    Args:
        home: the user's folder.
        live: the settings.
        texts: the user's words, in the language of the settings.
        hub: serves the clients.
        hears: whether it uses the microphone and the speaker.
        alone: whether no other process serves the same user.
        doors: the doors in this process that the settings open.
    """

    def __init__(
        self,
        home: Path,
        live: LiveSettings,
        texts: Texts,
        hub: Hub,
        *,
        hears: bool = True,
        alone: bool = True,
        doors: Doors | None = None,
    ) -> None:
        self._doors = doors
        self._hears, self._alone = hears, alone
        self._home, self._live, self._texts = home, live, texts
        self._hub, self._publish = hub, hub.deliver
        self._ended = asyncio.Event()
        self._work = Work()
        self._threads = VoiceThreads(self._work)
        self._jobs = TaskSupervisor()
        self._voices = SharedVoices(self._own_voices)
        self._hearing = Hearing(home, self._live, texts, self._threads, publish=self._publish, tell_of=self._tell_of)

    def end(self) -> None:
        """Let ``run`` return; called on its loop, or before it."""
        self._ended.set()

    async def run(self) -> None:
        """Serve the clients until ``end``.

        Raises:
            StorageError: the database cannot be used at all.
        """
        show_failures(self._show_failure)
        chat = await build_chat(
            self._home, self._live, self._texts, self._publish, wait_for_weights=False, works_on=True
        )

        async def answer_by(agent: AgentId) -> None:
            async def begin() -> None:
                await chat.agents.switch.choose(agent)
                await domains.conversations.begin()

            await domains.table.in_order(begin)

        calls = chat.calls(answer_by)
        session = await self._session(chat, calls)
        calls.read.add(self._hearing.show_name)
        domains = self._domains(chat, session)
        runs = self._runs(chat, session, domains.due, domains.sync)
        await domains.conversations.show_first()
        self._hub.serve(domains.table)
        self._follow(chat, session, domains)
        self._begin_work(chat, session, domains)
        try:
            await self._ended.wait()
        finally:
            await chat.settings.close()
            if self._doors is not None:
                await self._doors.close()
            await self._hub.close()
            await domains.sync.close()
            await self._jobs.close()
            await runs.close()
            await chat.answers.board.close()
            await session.close()
            await domains.conversations.close()
            domains.speech.close()
            self._threads.close()
            await chat.close()

    def _runs(self, chat: Chat, session: Session, due: DueRequests, sync: AccountSync) -> ScheduledRuns:
        """What carries scheduled requests out, and tells of it."""
        language: Language = "ko" if self._texts.language == "ko" else "en"
        book = chat.tools.requests
        runs = ScheduledRuns(
            due,
            chat.tools.timers,
            chat.answers.board,
            chat.storage.conversations,
            chat.storage.conversation_list,
            lambda request: book.when(request, language),
            voice=session,
            rests=WhileIdle(lambda: chat.answers.board.busy or session.busy).free,
        )
        ScheduleTold(runs, book, session, self._texts, self._publish)
        if self._doors is not None:
            ScheduledAnswers(runs, book, self._chat_words(chat, sync), self._texts, self._jobs)
        return runs

    def _domains(self, chat: Chat, session: Session) -> "_Domains":
        """The owners of all requests."""
        models = Models(
            chat,
            self._home,
            publish=self._publish,
            deliver=self._hub.deliver,
            tell_of=self._tell_of,
            jobs=self._jobs,
        )
        conversations = Conversations(
            chat,
            self._texts,
            session=session,
            hub=self._hub,
            jobs=self._jobs,
            models=models,
        )
        changes = chat.tools.changes
        ringing = Ringing(
            chat, session, changes, self._texts, publish=self._publish, tell_of=self._tell_of, jobs=self._jobs
        )
        names = Names(
            chat.agents.workspaces,
            chat.storage.current,
            session,
            self._threads,
            self._live,
            publish=self._publish,
            changed=lambda: self._names_changed(session),
            left=self._hub.left,
            jobs=self._jobs,
        )
        servers = self._mcp_servers()
        keys = ApiKeys(
            KeyFile(Places(self._home).keys),
            changed=models.key_changed,
            configure=models.configure,
            publish=self._publish,
        )
        speech = SpeechDesk(self._live, chat.models.fetches.store, self._voices, self._threads.synthesizer)
        requests, phones = SharedRequests(chat.tools.timers), self._phones(chat)
        sync = self._account_sync(chat, requests)
        telegram = self._telegram(chat, sync)
        table = RequestTable(
            EngineEnd(self.end, chat.tools.timers, self._hub, chat.basis.clock, self._texts, rings=self._alone),
            Turns(
                chat.answers.board,
                session,
                self._live,
                self._hub,
                chat.answers.answerer.exchange.tools.category_of,
            ),
            conversations,
            models,
            keys,
            ModelServers(chat, keys, models),
            names,
            ringing,
            VoiceControl(session, self._hearing, ringing.stop),
            Dictating(
                session,
                self._threads,
                self._live,
                self._texts,
                lambda: self._hearing.devices,
                self._hub.deliver,
                self._hub.left,
                self._jobs,
            ),
            Agents(
                chat.agents.workspaces,
                chat.storage.current,
                self._texts,
                switch=chat.agents.switch,
                begin=conversations.begin,
                changed=lambda: self._names_changed(session),
            ),
            AgentTools(chat),
            Memory(
                chat.agents.personal.file,
                chat.agents.workspaces,
                chat.storage.current,
                chat.agents.journal,
                chat.storage.conversations.message,
            ),
            FlowServices(
                chat.flow_services,
                FlowApprovals(chat.basis.places.flow_approvals),
                self._texts,
                lambda: self._live.current.language,
            ),
            People(chat.storage.people, chat.basis.clock, self._publish, self._jobs),
            Mcp(chat.tools.mcp, servers, Places(self._home).logs),
            McpApprovals(servers),
            Records(chat.storage.traces, chat.storage.usage, chat.storage.audit, chat.storage.ledger),
            *self._for_newcomers(chat, models),
            LastingDecisions(
                GrantFile(Places(self._home).grants),
                lambda: [each.name for each in chat.tools.all],
                chat.answers.answerer.granted,
            ),
            SettingsDesk(chat.settings, self._texts, SettingOptions(self._home, self._live, self._texts, models.found)),
            RemoteCalls(chat.storage.audit, chat.storage.ledger),
            telegram,
            phones,
            SyncedDevices(account=sync, texts=self._texts),
            self._refused_calls(chat, sync),
            TelegramFiles(
                chat.storage.telegram, chat.projects, chat.storage.conversations, chat.answers.board, self._texts
            ),
            SoundTests(
                session,
                lambda: self._hearing.devices,
                self._live,
                self._texts,
                speech.sample,
                publish=self._publish,
                clock=chat.basis.clock,
            ),
            Completions(chat.answers.answerer.exchange, self._hub.deliver, chat.storage.message_files),
            FilesForMessages(chat, self._hub.deliver),
            speech,
            Schedule(
                chat.tools.timers,
                changes,
                chat.tools.requests,
                self._live,
                self._texts,
                here=lambda: sync.schedule.may or not self._alone,
            ),
            ProjectFiles(chat.projects, lambda: chat.storage.current.get().workspace),
            ConversationProjects(chat.projects, chat.storage.conversations, self._hub.deliver),
            Flows(chat.answers.guided, chat.answers.board),
            Kept(shelves_of(chat, conversations, phones)),
            Program(
                chat.basis.places,
                self._live,
                self._texts,
                lambda: chat.models.fetches.store,
                chat.storage.database,
                chat.storage.ledger,
            ),
        )
        return _Domains(
            table=table,
            conversations=conversations,
            models=models,
            speech=speech,
            telegram=telegram,
            phones=phones,
            sync=sync,
            due=DueRequests(chat.tools.timers, chat.basis.clock, sync.schedule, requests.unread),
        )

    def _account_sync(self, chat: Chat, requests: SharedRequests) -> AccountSync:
        """What keeps this device and the account of several devices alike."""
        places, guided = chat.basis.places, chat.answers.guided

        async def change(values: Mapping[str, Value]) -> None:
            await chat.settings.edit(lambda config: change_settings(config, values))
            await chat.settings.applied("sync.server")

        async def take_settings(values: Mapping[str, Value]) -> None:
            await chat.settings.edit(lambda config: change_settings(config, values))

        sync = AccountSync(
            database=chat.storage.database,
            home=places.home,
            ledger=chat.storage.ledger,
            keys=AccountKeys(KeyFile(places.keys)),
            live=self._live,
            change=change,
            publish=self._publish,
            clock=chat.basis.clock,
            sources=synced_values(
                config=chat.settings.config,
                take_settings=take_settings,
                telegram=chat.storage.telegram,
                requests=requests,
                offers=guided.offers,
                flows=guided.account,
                projects=SharedProjects(chat.projects),
            ),
            carries_out=self._alone,
            flows=guided.account,
        )

        def arrived(tables: frozenset[str]) -> None:
            if tables & {"conversations", "messages"}:
                self._publish(up.ConversationsChanged())
            if "people" in tables:
                self._jobs.start(chat.storage.people.read_again(), name="read people again")
            if FLOWS in tables:
                self._jobs.start(guided.changed_elsewhere(), name="look at guided flows again")

        sync.arrived.add(arrived)
        return sync

    def _telegram(self, chat: Chat, sync: AccountSync) -> Telegram:
        """The owner of the requests for the Telegram bot."""

        async def switch(on: bool) -> None:
            await chat.settings.set("telegram.enabled", on)

        telegram = Telegram(
            lead=sync.telegram,
            store=chat.storage.telegram,
            catch_up=sync.share,
            carried=lambda: CarriedUpdates(chat.storage.database, chat.basis.clock, sync, asyncio.get_running_loop()),
            ledger=chat.storage.ledger,
            token=BotToken(KeyFile(chat.basis.places.keys)),
            line=None if self._doors is None else self._doors.telegram,
            live=self._live,
            switch=switch,
            workspaces=chat.agents.workspaces,
            current=chat.storage.current,
            conversations=chat.storage.conversations,
            texts=self._texts,
            publish=self._publish,
            clock=chat.basis.clock,
        )

        def follow() -> None:
            self._jobs.start(telegram.follow(self._live.current), name="answer Telegram, or let another device")

        sync.telegram.changed.add(follow)
        return telegram

    def _phones(self, chat: Chat) -> Phones:
        """The owner of the requests for phones."""

        async def switch(on: bool) -> None:
            await chat.settings.set("phone.enabled", on)

        return Phones(
            tokens=TokenFile(chat.basis.places.phones, chat.basis.clock),
            line=None if self._doors is None else self._doors.phones,
            turns=chat.answers.board,
            live=self._live,
            switch=switch,
            texts=self._texts,
            publish=self._publish,
            clock=chat.basis.clock,
        )

    def _refused_calls(self, chat: Chat, sync: AccountSync) -> RefusedCalls:
        """The owner of the calls that chats may not run."""
        refused = RefusedCalls(
            chat.storage.telegram,
            chat.storage.conversations,
            chat.answers.board,
            self._hub,
            self._chat_words(chat, sync),
            self._texts,
            chat.basis.clock,
            self._jobs,
        )
        chat.answers.answerer.referred.add(refused.keep)
        chat.answers.answerer.begins.add(refused.may_begin)
        if self._alone:
            self._jobs.start(refused.settle(), name="calls of chats that were cut off")
        return refused

    def _chat_words(self, chat: Chat, sync: AccountSync) -> ChatWords:
        """What gives chats of Telegram words of Sori's own."""
        line = None if self._doors is None else self._doors.telegram
        return ChatWords(chat.storage.telegram, line, chat.basis.clock, sync.hasten)

    def _for_newcomers(self, chat: Chat, models: Models) -> tuple[Domain, ...]:
        """The owners of what leads somebody new, and offers a better model."""
        places = Places(self._home)
        adoption = Adoption(chat, places.awaited_model, self._jobs)
        self._jobs.start(adoption.go_on(), name="go on fetching a model")
        suggestions = Suggestions(
            places.suggestion,
            self._live,
            chat.basis.clock,
            kept=models.kept,
            offers=lambda: chat.models.offers.offers,
            publish=self._publish,
            jobs=self._jobs,
            cores=os.cpu_count(),
        )
        chat.answers.engine.over.add(suggestions.turn_over)
        return FirstRun(places.first_run, chat.storage.conversation_list.is_used), adoption, suggestions

    def _follow(self, chat: Chat, session: Session, domains: "_Domains") -> None:
        """Let the open conversation follow what turns, agents and settings do."""
        switched = SwitchedConversation(
            lambda: domains.table.in_order(domains.conversations.begin),
            lambda begin: session.when(_FREE, begin),
            self._jobs,
        )
        chat.answers.engine.repathed.add(domains.conversations.show_path)
        chat.agents.switch.switched.add(switched.switched)
        chat.answers.engine.ending.add(switched.end_turn)
        chat.settings.follow(("voice.speed",), lambda _: _read_at_another_speed(session))
        chat.settings.follow(_MODEL_SETTINGS, lambda _: domains.models.recall(session.conversation))
        chat.settings.follow(
            ("desktop.start_at_login",), Autostart(self._home).follow, {"desktop.start_at_login": False}
        )
        chat.settings.follow(_SYNC_SETTINGS, domains.sync.follow, {"sync.server": ""})
        if self._doors is not None:
            chat.settings.follow(("http.enabled", "http.port"), self._doors.follow, {"http.enabled": False})
            chat.settings.follow(_PHONE_SETTINGS, domains.phones.follow, {"phone.enabled": False})
            self._jobs.start(domains.phones.watch(), name="follow the addresses of this computer")
            chat.settings.follow(_TELEGRAM_SETTINGS, domains.telegram.follow, {"telegram.enabled": False})

    async def _session(self, chat: Chat, calls: AgentCalls) -> Session:
        return Session(
            chat.answers.board,
            chat.answers.engine,
            self._live,
            self._texts,
            meaning=chat.answers.commands.meaning,
            publish=self._publish,
            work=self._work,
            conversation=await first_conversation(
                chat.storage.conversations, chat.storage.conversation_list, alone=self._alone
            ),
            save_trace=chat.storage.traces.save,
            calls=calls,
            voice_of=chat.agents.profiles.voice_of,
            expects=chat.answers.expects,
            insists=chat.answers.guided.insists,
        )

    def _names_changed(self, session: Session) -> None:
        self._publish(up.NamesChanged())
        session.read_names()

    def _mcp_servers(self) -> Servers:
        places = Places(self._home)
        return Servers(McpFile(places.mcp_servers), Approvals(places.mcp_approvals), self._texts)

    def _begin_work(self, chat: Chat, session: Session, domains: "_Domains") -> None:
        """Begin what goes on in the background."""
        domains.conversations.index_later()
        now_s = chat.basis.clock.now().timestamp()
        waiting = WaitingRequests(chat.answers.board, chat.answers.engine.new_turn)
        self._jobs.start(asyncio.to_thread(chat.answers.commands.warm_up), name="warm up plain commands")
        self._jobs.start(asyncio.to_thread(tidy, Places(self._home), now_s), name="tidy up")
        if self._alone:
            chat.start_timers()
            self._jobs.start(domains.due.run(), name="scheduled requests that are due")
        chat.tools.mcp.start()
        chat.answers.guided.begin()
        ProjectNews(chat.projects, self._publish, self._texts).begin()
        rests = WhileIdle(lambda: chat.answers.board.busy or session.busy)
        chat.projects.index.pause_while(rests)
        if self._alone:
            self._jobs.start(chat.projects.start(rests), name="follow the folders of projects")
        self._jobs.start(chat.settings.run(), name="settings")
        self._jobs.start(self._warm_up(chat, session, waiting), name="load models")
        if self._hears:
            session.read_names()
            self._hear(chat, session)
            if self._alone:
                self._jobs.start(self._name_learner(chat, session).run(), name="learn names")

    def _hear(self, chat: Chat, session: Session) -> None:
        models = TranscriptionModels(self._live, chat.models.router.backend_for)
        self._jobs.start(models.prepare(), name="prepare recognition at a server")
        served = ServedRecognition(models, self._texts, self._publish, chat.basis.clock)
        speaking = SpeechModels(self._live, chat.models.router.backend_for)
        self._jobs.start(speaking.prepare(), name="prepare speech at a server")
        speech = ServedSpeech(speaking, asyncio.get_running_loop(), self._speech_failed)

        def serve(engines: Engines) -> Engines:
            engines.synthesizers.serve(speech.ask, speech.abandon)
            self._voices.use(engines.synthesizers)
            return served.serve(engines)

        chat.settings.follow(("voice.stt_model",), lambda _: models.prepare())
        chat.settings.follow(("voice.tts_model",), lambda _: speaking.prepare())
        self._hearing.follow(chat.settings.follow, serve)
        self._jobs.start(self._hearing.run(session, serve), name="hearing")

    def _own_voices(self) -> SynthesizerSet:
        """Voices for other programs, where Sori itself does not speak."""
        store, settings = open_store(self._home), self._live.current
        voices = synthesizers_for(settings, store.path, paces_for(self._home, settings, store))
        voices.prepare(settings.language)
        return voices

    def _speech_failed(self, error: SoriError) -> None:
        self._publish(failure_notice(self._texts, error))

    def _name_learner(self, chat: Chat, session: Session) -> NameLearner:
        store = chat.models.fetches.store
        return NameLearner(
            chat.agents.workspaces,
            session,
            self._threads,
            own=lambda: OwnVoices(store, self._live.current),
            voices=lambda own: EveryVoice(own.engines, store.path),
            clock=chat.basis.clock,
            on_learnt=lambda: self._publish(up.NamesChanged()),
            publish=self._publish,
        )

    def _show_failure(self, error: BaseException) -> None:
        """Show the failure of a task that nobody handles."""
        own = error if isinstance(error, SoriError) else SoriError(ErrorCode.INTERNAL, str(error), cause=error)
        self._tell_of(own, up.Severity.ERROR)

    def _tell_of(self, error: SoriError, severity: up.Severity = up.Severity.WARNING) -> None:
        notice = fetch_notice(error, self._texts, severity, answering_models(self._live.current))
        self._publish(notice or up.NoticePosted(key=error.message_key, severity=severity, values=error.values))

    def _tell_of_more(self, model: str) -> None:
        """Tell that a model arrives again after a failure."""
        self._publish(fetch_goes_on(model, answering_models(self._live.current)))

    async def _warm_up(self, chat: Chat, session: Session, waiting: WaitingRequests) -> None:
        """Load the answering model, and fetch missing language models one after another."""

        def on_ended(error: SoriError | None) -> None:
            if error is None:
                self._hearing.try_again()
                self._jobs.start(self._load_model(chat, session, waiting), name="load the answering model")
                return
            if error.message_key != PAUSED:
                self._tell_of(error)
            # What was promised to who has asked meanwhile does not hold any more.
            session.when({InteractionState.IDLE}, waiting.answer)

        chat.models.fetches.ended.add(on_ended)
        chat.models.fetches.resumed.add(self._tell_of_more)
        names = needed_language_models(self._live.current)
        missing = [name for name in names if not await chat.models.fetches.here(name)]
        if not set(missing) & set(answering_models(self._live.current)):
            await self._load_model(chat, session, waiting)
        # A collection of all objects would hold up the engine for 60 to 180 ms; without these it takes 3 ms.
        gc.freeze()
        for name in missing:
            with suppress(SoriError):  # already reported
                await chat.models.fetches.ensure(name)

    async def _load_model(self, chat: Chat, session: Session, waiting: WaitingRequests) -> None:
        try:
            await chat.warm_up(session.conversation)
        except SoriError as error:
            # The first message will report it again in the conversation.
            log.warning("the language model cannot be loaded yet: %s", error)
        else:
            session.when({InteractionState.IDLE}, waiting.answer)


async def _read_at_another_speed(session: Session) -> None:
    """What was made ahead of a text that is read aloud has the former speed."""
    session.steer_reading(ReadingStep.AGAIN)
