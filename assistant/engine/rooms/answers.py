"""What answers a message: plain commands, models, and the work after a turn."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import get_args

from assistant.agent.context.prompts import load_prompts
from assistant.agent.exchange import AgentExchange
from assistant.agent.remembering.rememberer import Rememberer
from assistant.agent.summaries.memory_room import MemoryRoom
from assistant.agent.summaries.memory_shortening import memory_files
from assistant.chat.about.answers import AboutAnswers
from assistant.chat.about.changes import SettingChanges
from assistant.chat.about.index import HelpIndex
from assistant.chat.answering import Answerer
from assistant.chat.board import TurnBoard
from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands
from assistant.chat.engine import ChatEngine
from assistant.chat.titles import Titler
from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.engine.project_of_turn import ProjectsOfTurns
from assistant.engine.recognition.expecting import ExpectedWords
from assistant.engine.rooms.about import StateOfSori
from assistant.engine.rooms.agents import AgentRoom
from assistant.engine.rooms.basis import Basis
from assistant.engine.rooms.flows import LateFlows, flow_room
from assistant.engine.rooms.models import ModelRoom
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.rooms.tools import ToolRoom
from assistant.engine.settings.keeper import SettingsKeeper
from assistant.flows.loading.services import Services
from assistant.host.places import RESOURCES
from assistant.knowledge.projects.projects import Projects


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRoom:
    """What answers. Whoever asks uses the ``board``; ``exchange`` also lets agents answer without a conversation."""

    board: TurnBoard
    engine: ChatEngine
    exchange: AgentExchange
    answerer: Answerer
    commands: Commands
    rememberer: Rememberer
    guided: LateFlows
    expects: ExpectedWords


async def answer_room(
    basis: Basis,
    keeper: SettingsKeeper,
    storage: StorageRoom,
    agents: AgentRoom,
    models: ModelRoom,
    tools: ToolRoom,
    projects: Projects,
    services: Services,
    *,
    works_on: bool,
) -> AnswerRoom:
    """Make what answers; ``works_on`` tells whether a model remembers facts and makes titles after turns."""
    commands = await _commands(basis, storage, keeper, agents, tools)
    exchange = AgentExchange(
        router=models.answering,
        live=basis.live,
        texts=basis.texts,
        tools=tools.runner,
        clock=basis.clock,
        prompts_in={each: load_prompts(RESOURCES / "prompts", each) for each in get_args(Language)},
        keep=storage.usage.record,
        parameters_of=models.parameters_of,
    )
    guided = await flow_room(basis, storage, tools, services, exchange.aside())
    answerer = Answerer(
        exchange=exchange,
        store=storage.conversations,
        commands=commands,
        facts_about_user=agents.personal.facts,
        memory_files=memory_files(agents.workspaces, agents.personal),
        profile_of=agents.profiles.of,
        project_of=ProjectsOfTurns(projects),
        documents=storage.message_files,
        guided=guided,
    )
    rememberer = _rememberer(basis, storage, agents, tools, answerer)

    def on_continued(conversation: str, turn: TurnId, withdrawn: bool) -> None:
        kind = up.TurnWithdrawn if withdrawn else up.AnswerInterrupted
        basis.tell(kind(conversation=conversation, turn=turn))

    engine = ChatEngine(
        answerer,
        storage.conversations,
        basis.clock,
        on_continued=on_continued,
        after_turn=_after_turn(basis, storage, agents, answerer, rememberer) if works_on else None,
    )
    return AnswerRoom(
        board=TurnBoard(engine, basis.tell),
        engine=engine,
        exchange=exchange,
        answerer=answerer,
        commands=commands,
        rememberer=rememberer,
        guided=guided,
        expects=ExpectedWords(
            storage.conversations,
            agents.workspaces,
            storage.current,
            tools.timers,
            tools.notes,
            tools.all,
            lambda: storage.people.known,
        ),
    )


async def _commands(
    basis: Basis, storage: StorageRoom, keeper: SettingsKeeper, agents: AgentRoom, tools: ToolRoom
) -> Commands:
    # Reading the grammars and the help index takes 50 ms and must not block the loop.
    indexes = await asyncio.to_thread(_indexes, basis.languages)
    answers = CommandAnswers(
        basis.clock,
        tools.timers,
        tools.volume,
        basis.languages,
        agents.personal,
        agents.switch,
        agents.journal,
        agents.memories,
        AboutAnswers(
            indexes, StateOfSori(basis, storage, agents, tools), SettingChanges(keeper, basis.places.last_setting)
        ),
        tools.schedule,
        people=lambda: storage.people.known,
    )
    return await asyncio.to_thread(Commands.load, RESOURCES / "intents", answers, indexes)


def _indexes(languages: Mapping[Language, Texts]) -> Mapping[Language, HelpIndex]:
    return {language: HelpIndex.load(RESOURCES / "about", texts, language) for language, texts in languages.items()}


def _rememberer(
    basis: Basis, storage: StorageRoom, agents: AgentRoom, tools: ToolRoom, answerer: Answerer
) -> Rememberer:
    return Rememberer(
        store=storage.conversations,
        summarizer=answerer.summarizer,
        texts=basis.texts,
        tools=tools.runner,
        personal=agents.personal.file,
        workspaces=agents.workspaces,
        settings=lambda: basis.live.current.memory,
        read_ahead=answerer.read_ahead,
        on_failure=lambda _: basis.warn("memory.failed"),
    )


def _after_turn(
    basis: Basis, storage: StorageRoom, agents: AgentRoom, answerer: Answerer, rememberer: Rememberer
) -> Callable[[str], Awaitable[None]]:
    """What is done after a turn: facts are remembered, a title is made, memories that are too large are shortened."""
    titler = Titler(
        conversations=storage.conversation_list,
        summarizer=answerer.summarizer,
        texts=basis.texts,
        clock=basis.clock,
        read_ahead=answerer.read_ahead,
        on_titled=lambda: basis.tell(up.ConversationsChanged()),
    )

    def on_room(how: str, count: int) -> None:
        basis.tell(up.NoticePosted(key=f"memory.notice.{how}", values={"count": str(count)}))

    room = MemoryRoom(storage.conversations, answerer.summarizer, on_room, rememberer.on_failure)
    agents.workspaces.opened.add(lambda file, _: room.watch(file))
    room.watch(agents.personal.file)

    async def after_turn(conversation: str) -> None:
        await rememberer.remember(conversation)
        await room.make(conversation)
        # It waits for a rest of the user's, which a lively conversation never has, and may fail.
        await titler.title(conversation)

    return after_turn
