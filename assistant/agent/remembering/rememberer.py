"""Remembers facts from the user's messages after a turn, without being asked."""

import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from assistant.agent.model_choice import ModelChoice, choose_model, facts_of, remembered
from assistant.agent.remembering.certain import certain_facts
from assistant.agent.remembering.proposals import LONGEST_LINE, MOST_LINES, accepted, may_state_fact, scope_of
from assistant.agent.summaries.summarizer import Summarizer
from assistant.agent.summaries.summary import summarising_model
from assistant.agent.workspaces.directory import Workspaces
from assistant.core.errors import SoriError, StorageError
from assistant.core.messages import Message, Role
from assistant.core.records.memory import Scope
from assistant.core.settings import MemorySettings
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelRequest
from assistant.memory.memory_file import MemoryFile
from assistant.storage.conversations import ConversationStore
from assistant.tools.runner import ToolRunner

_RECENT = 20
"""Number of stored messages in which unread messages of the user are looked for."""
_MOST_AT_ONCE = 2
"""Maximum number of the user's messages that are read after one turn: a turn may have stopped the last reading."""
_LIMIT_S = 20.0
_TOKENS = 120

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class AnsweredMessage:
    """A message of the user's, and everything that followed it."""

    said: Message
    answers: tuple[Message, ...]


@dataclass(slots=True, kw_only=True)
class Rememberer:
    """Reads each message of the user's once, with one inference, or by rules where only a small model answers.

    A turn that begins stops it.

    Attributes:
        store: has the messages.
        summarizer: asks a model for a short text.
        texts: the user's words.
        tools: says which tools bring content from outside.
        personal: the facts about the user.
        workspaces: has the other memories.
        settings: gives the present settings.
        read_ahead: lets Sori's own server read the conversation again after the request.
        on_failure: told of a fact that could not be saved.
        read: ids of the messages that were read, by conversation.
    """

    store: ConversationStore
    summarizer: Summarizer
    texts: Texts
    tools: ToolRunner
    personal: MemoryFile
    workspaces: Workspaces
    settings: Callable[[], MemorySettings]
    read_ahead: Callable[[str], Awaitable[None]]
    on_failure: Callable[[StorageError], None]
    read: dict[str, str] = field(default_factory=dict)

    async def remember(self, conversation: str) -> None:
        """Remember what the user has said since the last time.

        Raises:
            SoriError: the conversation cannot be read.
        """
        settings = self.settings()
        if not (settings.automatic and settings.personal):
            return
        changed = False
        for exchange in await self._unread(conversation):
            if self._may_be_read(exchange):
                changed = await self._read(conversation, exchange) or changed
            self.read[conversation] = exchange.said.id
        if changed:
            await self.read_ahead(conversation)

    async def _unread(self, conversation: str) -> list[AnsweredMessage]:
        messages = await self.store.messages(conversation, _RECENT)
        exchanges = exchanges_in(messages)
        read = self.read.get(conversation, "")
        ids = [each.said.id for each in exchanges]
        # Before the first reading only the newest message is unread: earlier ones were read before the start.
        return exchanges[ids.index(read) + 1 :][-_MOST_AT_ONCE:] if read in ids else exchanges[-1:]

    def _may_be_read(self, exchange: AnsweredMessage) -> bool:
        """Whether a model answered this message, with no content from outside that could speak for the user."""
        used = [use.name for answer in exchange.answers for use in answer.tool_uses]
        outside = bool(exchange.said.attachments) or any(map(self.tools.is_untrusted, used))
        answered, said = any(answer.provider for answer in exchange.answers), exchange.said
        # What a program says, or an import brings, is nothing to remember of the user.
        is_own = said.own_words is None or said.own_words == said.text
        return answered and is_own and not outside and may_state_fact(said.text)

    async def _read(self, conversation: str, exchange: AnsweredMessage) -> bool:
        """Read one message; returns whether a server must read anew: a model was asked, or a line was found."""
        choice = _choice(self.summarizer, exchange.answers)
        if choice is None or not can_propose(self.summarizer, choice):
            lines = certain_facts(exchange.said.text)
            for line in lines:
                await self._keep(conversation, line, exchange.said)
            return bool(lines)
        asked = proposal_request(choice.model, exchange.said.text, self.texts)
        try:
            reply = await self.summarizer.aside.ask(conversation, choice, asked, MOST_LINES * LONGEST_LINE, _LIMIT_S)
        except SoriError as error:
            log.info("%s proposed nothing to remember: %s", choice.reference, error)
            return True
        for line in accepted(reply, exchange.said.text):
            await self._keep(conversation, line, exchange.said)
        return True

    async def _keep(self, conversation: str, line: str, said: Message) -> None:
        agent = await self.store.agent_of(conversation)
        try:
            match scope_of(line, said.text):
                case Scope.AGENT:
                    file = self.workspaces.agent_memory(agent)
                case Scope.WORKSPACE:
                    file = self.workspaces.workspace_memory(agent.workspace)
                case _:
                    file = self.personal
            await file.add(line, source=said.id, unasked=True)
        except StorageError as error:
            log.warning("a fact is not remembered: %s", error)
            self.on_failure(error)


def exchanges_in(messages: Sequence[Message]) -> list[AnsweredMessage]:
    """The user's messages with what followed each."""
    starts = [index for index, message in enumerate(messages) if message.role is Role.USER]
    spans = pairwise([*starts, len(messages)])
    return [AnsweredMessage(messages[start], tuple(messages[start + 1 : end])) for start, end in spans]


def can_propose(summarizer: Summarizer, choice: ModelChoice) -> bool:
    """Whether a model can be trusted with proposals. Small models note questions and invent facts."""
    return not choice.placeholder and not facts_of(summarizer.settings, choice).small


def proposal_request(model: str, said: str, texts: Texts) -> ModelRequest:
    """The request for lines to remember from one message."""
    messages = []
    for number in (1, 2, 3):
        messages.append(ModelMessage(role="user", text=texts(f"remember.said_{number}")))
        messages.append(ModelMessage(role="assistant", text=texts(f"remember.lines_{number}")))
    return ModelRequest(
        model=model,
        system=texts("remember.system"),
        messages=(*messages, ModelMessage(role="user", text=said)),
        max_output_tokens=_TOKENS,
        purpose="memory",
        aside=True,
    )


def _choice(summarizer: Summarizer, answers: Sequence[Message]) -> ModelChoice | None:
    """The model for summaries. A conversation that was answered on this machine is sent nowhere else."""
    answer = next(each for each in reversed(answers) if each.provider)
    reference = remembered(summarizer.settings, f"{answer.provider}/{answer.model}")
    return summarising_model(summarizer.settings, choose_model(summarizer.settings, reference))
