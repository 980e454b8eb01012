"""Makes titles of conversations with a model that has nothing else to do.

At first a conversation has its first message as title. A short message stays the title. A long one is replaced later by
a few words. A title from the user is never changed.
"""

import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from assistant.agent.model_choice import ModelChoice, choose_model, remembered
from assistant.agent.summaries.summarizer import Summarizer
from assistant.agent.summaries.summary import summarising_model
from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.messages import Message, Role
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelRequest
from assistant.storage.conversation_list import ConversationList

REST_S = 15.0
"""Seconds without a request after an answer, before a title is made. The next question comes before the title."""
LONG_CHARS = 24
"""Maximum characters of a first line that fits the list and needs no other title."""
LONGEST_CHARS = 40
"""Maximum characters of a title. A longer reply is no title."""
_QUOTED_CHARS = 500
_MOST_MESSAGES = 24
"""A conversation with more messages keeps its first message as title."""
_LIMIT_S = 20.0
_TOKENS = 40
_MARKS = " \t#*_`\"'“”‘’«»「」『』"
_LABEL = re.compile(r"^(?:제목|title)\s*[:：]\s*", re.IGNORECASE)

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Titler:
    """Makes titles, with one inference each. A turn that begins stops it.

    Attributes:
        conversations: the list with the titles.
        summarizer: asks a model for a short text.
        texts: the user's words.
        clock: waits.
        read_ahead: lets Sori's own server read the conversation again after the request for a title.
        on_titled: called after a title has changed.
        tried: conversations for which a title was requested, each once while Sori runs.
    """

    conversations: ConversationList
    summarizer: Summarizer
    texts: Texts
    clock: Clock
    read_ahead: Callable[[str], Awaitable[None]]
    on_titled: Callable[[], None]
    tried: set[str] = field(default_factory=set)

    async def title(self, conversation: str) -> None:
        """Make a title for a conversation that needs one, after ``REST_S`` without a request.

        Raises:
            SoriError: the store or the model cannot be used.
        """
        if conversation in self.tried:
            return
        await self.clock.sleep(REST_S)
        titling = await self.conversations.titling(conversation)
        if titling.by or len(titling.title) <= LONG_CHARS:
            return
        messages = await self.summarizer.store.messages(conversation)
        answer = next((each for each in messages if each.role is Role.ASSISTANT and each.provider and each.text), None)
        if answer is None or len(messages) > _MOST_MESSAGES:
            return
        choice = self._choice(answer)
        if choice is None:
            return
        asked = self._request(choice, messages[0], answer)
        title = title_in(await self._ask(conversation, choice, asked))
        # A title that was stopped by a turn is requested again.
        self.tried.add(conversation)
        if title and await self.conversations.rename(conversation, title, "model"):
            self.on_titled()
        await self.read_ahead(conversation)

    def _choice(self, answer: Message) -> ModelChoice | None:
        """The model for summaries. A conversation that was answered on this machine is sent nowhere else."""
        settings = self.summarizer.settings
        reference = remembered(settings, f"{answer.provider}/{answer.model}")
        return summarising_model(settings, choose_model(settings, reference))

    async def _ask(self, conversation: str, choice: ModelChoice, asked: ModelRequest) -> str:
        try:
            return await self.summarizer.aside.ask(conversation, choice, asked, 4 * LONGEST_CHARS, _LIMIT_S)
        except SoriError as error:
            log.info("%s made no title: %s", choice.reference, error)
            return ""

    def _request(self, choice: ModelChoice, question: Message, answer: Message) -> ModelRequest:
        lines = (
            f"{self.texts('summary.user')}: {question.text[:_QUOTED_CHARS].strip()}",
            f"{self.texts('summary.sori')}: {answer.text[:_QUOTED_CHARS].strip()}",
            self.texts("title.task"),
        )
        return ModelRequest(
            model=choice.model,
            system=self.texts("title.system"),
            messages=(ModelMessage(role="user", text="\n\n".join(lines)),),
            max_output_tokens=_TOKENS,
            purpose="title",
            aside=True,
        )


def title_in(answer: str) -> str:
    """The title in a model's answer, without marks around it; empty if the answer has no usable title."""
    line = next((line for line in answer.splitlines() if line.strip(_MARKS)), "")
    title = _LABEL.sub("", line.strip(_MARKS)).strip(_MARKS).rstrip(".。").strip(_MARKS)
    return title if 2 <= len(title) <= LONGEST_CHARS else ""
