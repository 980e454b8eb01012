"""Summarises the beginning of a conversation, and stores the summary with it (C-01, C-20).

A summary is always optional. If it fails, the conversation goes on without one; the messages stay stored.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Protocol

from assistant.agent.aside import AsideModel
from assistant.agent.context.model_form import DocumentTexts, Files, document_texts, encoded_files
from assistant.agent.context.window import outside_window, window
from assistant.agent.gates.answer_language import orders_language
from assistant.agent.model_choice import ModelChoice, facts_of
from assistant.agent.summaries.summary import (
    SHORTEST_ORIGINAL,
    as_it_is,
    longest_of,
    longest_reply_to,
    original,
    request,
    room_for_original,
    summarising_model,
    within,
)
from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role, Summary
from assistant.core.records.agents import AgentId
from assistant.core.records.provenance import OWN_WORDS, Provenance
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.storage.conversations import ConversationStore, Recent, Wanted

LIMIT_S = 20.0
"""Maximum seconds for a summary for which the user waits."""
UNWAITED_LIMIT_S = 180.0
"""Maximum seconds for a summary for which nobody waits. A model on two cores reads 4,000 tokens in 90 s."""
_MESSAGES = 200
"""Maximum number of messages for one summary; the newest are taken."""
_ORDERS = 3
"""How many of the newest orders about the language are told."""
_ANEW_AFTER = 10
"""Number of new messages after a failed summary, before the next one is tried."""

Began = Callable[[], None]
"""Called just before a model is asked for a summary."""

log = logging.getLogger(__name__)


def untold() -> None:
    """Tell nobody."""


def wanted_by_turn(least: int, *, coming: int = 0) -> Wanted:
    """What a turn needs of a stored conversation.

    Args:
        least: minimum number of messages in the window.
        coming: how many messages of the window are not stored.
    """
    return Wanted(newest=lambda count: window(count + coming, least) - coming, picks=orders_language)


@dataclass(slots=True, kw_only=True)
class History:
    """The part of a conversation that a model is sent.

    Attributes:
        conversation: the conversation's id.
        messages: the newest messages, oldest first.
        files: the files of the messages, encoded for a model.
        summary: the summary of the messages before.
        count: the number of messages of the whole conversation; tool calls and results do not count.
        unsummarised: the number of those that are in no summary.
        agent: the agent to which the conversation belongs.
        model: reference of the model that was chosen for it; empty for none.
        own_prompts: the user's own base prompts, by language.
        orders: the user's orders about the language of answers in the messages before, oldest first.
        first_question: the user's first message, if it is among the messages before; empty otherwise.
        provenance: where the content of the whole conversation came from.
        project: id of the project that it is about; empty for none.
    """

    conversation: str
    messages: tuple[Message, ...]
    files: Files
    summary: Summary
    count: int
    unsummarised: int
    agent: AgentId = field(default_factory=AgentId)
    model: str = ""
    own_prompts: Mapping[str, str] = field(default_factory=dict)
    orders: tuple[str, ...] = ()
    first_question: str = ""
    provenance: Provenance = OWN_WORDS
    project: str = ""

    @classmethod
    async def load(
        cls,
        store: ConversationStore,
        conversation: str,
        least: int,
        *,
        coming: Message | None = None,
        documents: DocumentTexts | None = None,
    ) -> "History":
        """Load the window of a stored conversation.

        Args:
            store: keeps the conversation.
            conversation: its id.
            least: minimum number of messages in the window.
            coming: a message to count as its newest, which is not stored.
            documents: reads the documents in messages; ``None`` leaves them as they are.

        Raises:
            StorageError: the conversation cannot be read.
        """
        more = 0 if coming is None else 1
        recent = await store.recent(conversation, wanted_by_turn(least, coming=more))
        return await cls.of(conversation, recent, coming, documents)

    @classmethod
    async def of(
        cls,
        conversation: str,
        recent: Recent,
        coming: Message | None = None,
        documents: DocumentTexts | None = None,
    ) -> "History":
        """The history of a conversation whose newest part was read. The arguments are those of ``load``.

        Raises:
            StorageError: a file of a message cannot be read.
        """
        more = () if coming is None else (coming,)
        has_files = any(message.attachments for message in recent.messages)
        texts = await document_texts(recent.messages, documents)
        return cls(
            conversation=conversation,
            messages=(*recent.messages, *more),
            files=await asyncio.to_thread(encoded_files, recent.messages, texts) if has_files else {},
            summary=recent.summary,
            count=recent.count + len(more),
            unsummarised=recent.unsummarised + len(more),
            agent=recent.agent,
            model=recent.model,
            own_prompts=recent.own_prompts,
            orders=recent.picked[-_ORDERS:],
            first_question=recent.first_question,
            provenance=recent.provenance,
            project=recent.project,
        )

    @classmethod
    async def given(
        cls, messages: Sequence[Message], counted_for: str = "", documents: DocumentTexts | None = None
    ) -> "History":
        """The history of messages that no store keeps, whose usage is counted for this id."""
        return cls(
            conversation=counted_for,
            messages=tuple(messages),
            files=await asyncio.to_thread(encoded_files, messages, await document_texts(messages, documents)),
            summary=Summary(),
            count=len(messages),
            unsummarised=0,
        )

    @property
    def question(self) -> str:
        """The text of the user's newest message; empty without one."""
        return next((message.text for message in reversed(self.messages) if message.role is Role.USER), "")

    def request_alone(self) -> "History":
        """Only the user's newest message and the messages after it, without the summary."""
        asked = [index for index, message in enumerate(self.messages) if message.role is Role.USER]
        messages = self.messages[asked[-1] :] if asked else ()
        return replace(self, messages=messages, summary=Summary(), orders=(), first_question="")


class SummaryStore(Protocol):
    """Keeps messages and their summary, as ``ConversationStore`` does. Its errors are ``StorageError``."""

    async def count(self, conversation: str, *, spoken: bool = False) -> int:
        """The number of messages; with ``spoken`` without tool calls and results."""
        ...

    async def messages(self, conversation: str, limit: int | None = None, *, after: str = "") -> tuple[Message, ...]:
        """The newest messages, oldest first; with ``after`` only those behind that message."""
        ...

    async def summary(self, conversation: str) -> Summary:
        """The summary of the messages at the beginning."""
        ...

    async def keep_summary(self, conversation: str, summary: Summary) -> None:
        """Replace the summary."""
        ...


@dataclass(slots=True, kw_only=True)
class Summarizer:
    """Makes summaries, with one inference each, without tools, retries or fallbacks.

    Attributes:
        store: keeps the messages.
        live: all settings.
        texts: the user's words.
        prompt: gives the system prompt for summaries.
        aside: asks the models.
        failures: the number of messages of each conversation when its last summary failed.
        slow: the conversations whose last summary took longer than a user waits. They are summarised after turns.
        unannounced: the conversations that were summarised after a turn, so that nobody was told yet.
    """

    store: SummaryStore
    live: LiveSettings
    texts: Texts
    prompt: Callable[[], str]
    aside: AsideModel
    failures: dict[str, int] = field(default_factory=dict)
    slow: set[str] = field(default_factory=set)
    unannounced: set[str] = field(default_factory=set)

    @property
    def settings(self) -> Settings:
        """The current settings."""
        return self.live.current

    async def fold(
        self,
        conversation: str,
        earlier: Summary,
        messages: Sequence[Message],
        answering: ModelChoice,
        limit_s: float,
        began: Began = untold,
        *,
        waits: bool = True,
    ) -> Summary | None:
        """Summarise an earlier summary and the messages after it, and store the result.

        Args:
            conversation: the conversation's id.
            earlier: the summary so far.
            messages: the messages to summarise.
            answering: the model that answers in this conversation.
            limit_s: maximum seconds.
            began: called just before the model is asked.
            waits: whether the user waits for it.

        Returns:
            The new summary, or ``None`` if it failed.
        """
        try:
            if not self.settings.context.summary or (waits and conversation in self.slow):
                return None
            count = await self.store.count(conversation)
            if count < self.failures.get(conversation, -_ANEW_AFTER) + _ANEW_AFTER or not messages:
                return None
            limit_s = min(limit_s, LIMIT_S) if waits else limit_s
            text = await self._summarise(conversation, earlier.text, messages, answering, limit_s, began)
            if text is None and waits:
                self.slow.add(conversation)
                return None
            if not text:
                self.failures[conversation] = count
                return None
            self.failures.pop(conversation, None)
            self.slow.discard(conversation)
            summary = Summary(text=text, until=messages[-1].id)
            await self._keep(conversation, summary)
        except SoriError as error:
            log.warning("the conversation is not summarised: %s", error)
            return None
        return summary

    async def _keep(self, conversation: str, summary: Summary) -> None:
        try:
            await self.store.keep_summary(conversation, summary)
        except StorageError as error:
            # This turn can use the summary anyway.
            log.warning("the summary could not be kept: %s", error)

    async def _summarise(
        self,
        conversation: str,
        earlier: str,
        messages: Sequence[Message],
        answering: ModelChoice,
        limit_s: float,
        began: Began,
    ) -> str | None:
        """The summary; empty if it failed or is useless, ``None`` if it was not made in time."""
        choice = summarising_model(self.settings, answering)
        if choice is None:
            return ""
        room = room_for_original(facts_of(self.settings, choice).context_tokens, self.prompt())
        text = original(earlier, messages, self.texts, room)
        if len(text) < SHORTEST_ORIGINAL:
            return as_it_is(earlier, messages, self.texts)
        asked = request(choice.model, self.prompt(), text, self.texts)
        began()
        try:
            reply = await self.aside.ask(conversation, choice, asked, longest_reply_to(text), limit_s)
            return within(reply, longest_of(text))
        except SoriError as error:
            log.warning("%s did not summarise the conversation: %s", choice.reference, error)
            return None if error.code is ErrorCode.TIMEOUT else ""


class AfterTurn(Protocol):
    """Work that a turn leaves for the time after it."""

    @property
    def due(self) -> bool:
        """Whether there is any."""
        ...

    async def afterwards(self) -> None:
        """Do it."""
        ...


class Compression:
    """Shortens the history of one turn, if it is too long.

    An answer on the screen waits for the summary, unless the last one took too long. An answer that is read aloud does
    not, because seconds of silence are worse than an answer without the oldest messages. There the messages are left
    out, and the summary for the next turn is made after this turn.

    Args:
        summarizer: makes summaries.
        history: the history for the turn's models; shortened by a summary.
        after_turn: further work of the same kind after the turn.
        aloud: whether the answer is read aloud.
    """

    def __init__(
        self, summarizer: Summarizer, history: History, after_turn: AfterTurn | None = None, *, aloud: bool
    ) -> None:
        self._after_turn = after_turn
        self._summarizer = summarizer
        self._history = history
        self._aloud = aloud
        self._kept_from = ""

    async def compress(self, answering: ModelChoice, oldest: int, limit_s: float, began: Began = untold) -> bool:
        """Put the oldest messages into the summary.

        Args:
            answering: the model that answers.
            oldest: how many messages.
            limit_s: maximum seconds.
            began: called just before the model is asked.

        Returns:
            Whether the history is shorter now.
        """
        history = self._history
        if not 0 < oldest < len(history.messages):
            return False
        first = history.messages[oldest].id
        if self._aloud:
            self._kept_from = first
            return False
        try:
            # Messages that have left the window without a summary are included.
            stored = await self._since(history.summary)
        except StorageError as error:
            log.warning("the conversation is not summarised: %s", error)
            return False
        leaving = [*takewhile(lambda message: message.id != first, stored)]
        summary = await self._summarizer.fold(history.conversation, history.summary, leaving, answering, limit_s, began)
        if summary is None:
            if history.conversation in self._summarizer.slow:
                self._kept_from = first
            return False
        history.first_question = history.first_question or history.messages[0].text
        history.summary, history.messages = summary, history.messages[oldest:]
        return True

    def due(self, added: int) -> bool:
        """Whether ``afterwards`` may have work, after the turn has added ``added`` messages."""
        history = self._history
        if self._after_turn is not None and self._after_turn.due:
            return True
        staying = window(history.count + added + 1, self._least) - 1
        # The window begins with a question, so one message more may stay.
        return bool(self._kept_from) or history.unsummarised + added > staying + 1

    async def afterwards(self, answering: ModelChoice | None) -> None:
        """After the turn, summarise the messages that the next request will not contain.

        Args:
            answering: the model that has answered; ``None`` if none was asked.

        Raises:
            StorageError: the conversation cannot be read.
        """
        if self._after_turn is not None:
            await self._after_turn.afterwards()
        if answering is None:
            return
        conversation, store = self._history.conversation, self._summarizer.store
        summary = await store.summary(conversation)
        stored = await self._since(summary)
        first = outside_window(stored, await store.count(conversation, spoken=True), self._least)
        first = max(first, next((place for place, each in enumerate(stored) if each.id == self._kept_from), 0))
        if first:
            messages = stored[:first]
            made = await self._summarizer.fold(
                conversation, summary, messages, answering, UNWAITED_LIMIT_S, waits=False
            )
            if made is not None:
                self._summarizer.unannounced.add(conversation)

    @property
    def _least(self) -> int:
        """The minimum number of messages that a model is sent."""
        return self._summarizer.settings.context.recent_messages

    async def _since(self, summary: Summary) -> tuple[Message, ...]:
        return await self._summarizer.store.messages(self._history.conversation, _MESSAGES, after=summary.until)
