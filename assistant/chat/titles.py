"""Titles for conversations, made by a model when it has nothing else to do.

A conversation is called by its first message at once, which for a short one is the best name it can have. A long first
message is put into a few words later. A title of the user's is never touched.
"""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from assistant.agent.model_choice import ModelChoice, choose_model, remembered
from assistant.agent.summarizer import Summarizer
from assistant.agent.summary import summarising_model
from assistant.core.clock import Clock
from assistant.core.errors import SoriError
from assistant.core.messages import Message, Role
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage, ModelRequest
from assistant.storage.conversation_list import ConversationList

REST_S = 15.0
"""After an answer, so long nobody must have asked anything: the next question comes before the title."""
LONG_CHARS = 24
"""A first line of so many characters is shown whole in the list, and needs no other title."""
LONGEST_CHARS = 40
"""Most characters of a title; what is longer is none."""
_QUOTED_CHARS = 500
_MOST_MESSAGES = 24
"""A conversation that has grown so long without a title keeps that of its first message."""
_LIMIT_S = 20.0
_TOKENS = 40
_MARKS = " \t#*_`\"'“”‘’«»「」『』"
_LABEL = re.compile(r"^(?:제목|title)\s*[:：]\s*", re.IGNORECASE)

log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Titler:
    """Makes titles: one inference each, which a turn that begins stops.

    Attributes:
        conversations: the list with the titles.
        summarizer: asks a model for a few words.
        texts: the user's words.
        clock: waits.
        read_ahead: lets Sori's own server read a conversation again, of which it has lost sight by making a title.
        on_titled: told when a conversation is called otherwise.
        tried: conversations for which a title was asked for; each once while Sori runs.
    """

    conversations: ConversationList
    summarizer: Callable[[], Summarizer]
    texts: Texts
    clock: Clock
    read_ahead: Callable[[str], Awaitable[None]]
    on_titled: Callable[[], None]
    tried: set[str] = field(default_factory=set)

    async def title(self, conversation: str) -> None:
        """Give a conversation a title, if it needs one and nobody asks anything meanwhile.

        Raises:
            SoriError: the store or the model cannot be used.
        """
        if conversation in self.tried:
            return
        await self.clock.sleep(REST_S)
        titling = await self.conversations.titling(conversation)
        if titling.by or len(titling.title) <= LONG_CHARS:
            return
        summarizer = self.summarizer()
        messages = await summarizer.store.messages(conversation)
        answer = next((each for each in messages if each.role is Role.ASSISTANT and each.provider and each.text), None)
        if answer is None or len(messages) > _MOST_MESSAGES:
            return
        choice = self._choice(summarizer, answer)
        if choice is None:
            return
        asked = self._request(choice, messages[0], answer)
        title = title_in(await self._ask(summarizer, conversation, choice, asked))
        # Not where a turn has stopped it: then it is asked for again.
        self.tried.add(conversation)
        if title and await self.conversations.rename(conversation, title, "model"):
            self.on_titled()
        await self.read_ahead(conversation)

    def _choice(self, summarizer: Summarizer, answer: Message) -> ModelChoice | None:
        """The light model, as for summaries: what was answered on this machine is sent nowhere else."""
        reference = remembered(summarizer.settings, f"{answer.provider}/{answer.model}")
        return summarising_model(summarizer.settings, choose_model(summarizer.settings, reference))

    async def _ask(self, summarizer: Summarizer, conversation: str, choice: ModelChoice, asked: ModelRequest) -> str:
        try:
            async with asyncio.timeout(_LIMIT_S):
                return await summarizer.ask(conversation, choice, asked, 4 * LONGEST_CHARS, _LIMIT_S)
        except (SoriError, TimeoutError) as error:
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
    """The title in a model's answer, without marks around it; empty where there is none that could be used."""
    line = next((line for line in answer.splitlines() if line.strip(_MARKS)), "")
    title = _LABEL.sub("", line.strip(_MARKS)).strip(_MARKS).rstrip(".。").strip(_MARKS)
    return title if 2 <= len(title) <= LONGEST_CHARS else ""
