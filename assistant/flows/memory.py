"""What a service remembers of a session: a summary, and the newest turns as they were said (F-01, F-04)."""

import logging
from typing import Final, Literal

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from assistant.agent.gates.answer_language import spoken_language
from assistant.core.errors import SoriError
from assistant.core.messages import Message, Role
from assistant.core.settings import Language
from assistant.flows.model import FlowModel
from assistant.llm.backend import ModelMessage

log = logging.getLogger(__name__)

RECENT_TURNS: Final = 6
"""The newest turns, of two messages each, that stay as they were said."""
_MOST_TURNS: Final = 12
"""Turns after which all but the newest are summarised."""
_LONGEST_SUMMARY: Final = 1_200
"""Characters of a summary."""
_TASK: Final[dict[Language, str]] = {
    "ko": "다음 대화를 사실만 남겨 다섯 줄 이하로 요약하세요. 이름, 금액, 날짜는 그대로 적으세요.",
    "en": "Summarise this conversation in at most five lines. Keep names, amounts and dates exactly.",
}


class SpokenInFlow(TypedDict):
    """One message of a session."""

    role: Literal["user", "assistant"]
    content: str


class FlowMemory(BaseModel):
    """The memory of a service in one session. It outlives a reset of the session.

    Attributes:
        summary_text: what was said before ``raw_history``, summarised by a model.
        raw_history: the newest messages, oldest first.
    """

    summary_text: str = ""
    raw_history: list[SpokenInFlow] = Field(default_factory=list)

    def with_turn(self, user: str, answer: str) -> "FlowMemory":
        """The memory after one more turn."""
        turn: list[SpokenInFlow] = [{"role": "user", "content": user}, {"role": "assistant", "content": answer}]
        said = [each for each in turn if each["content"]]
        return self.model_copy(update={"raw_history": [*self.raw_history, *said]})

    def language(self, message: str, otherwise: Language) -> Language:
        """The language of the answer to a message, by the rule of all answers; ``otherwise`` if nothing tells it."""
        said: list[SpokenInFlow] = [*self.raw_history, {"role": "user", "content": message}]
        return spoken_language([Message(role=Role(each["role"]), text=each["content"]) for each in said], otherwise)


class MemoryManager:
    """Keeps the memory short: the oldest turns become a summary.

    Args:
        model: makes summaries.
    """

    def __init__(self, model: FlowModel) -> None:
        self._model = model

    async def add_turn(self, memory: FlowMemory, user: str, answer: str, language: Language) -> FlowMemory:
        """The memory after a turn. A failed summary loses no recent turn: the old ones wait for the next try."""
        longer = memory.with_turn(user, answer)
        if len(longer.raw_history) <= 2 * _MOST_TURNS:
            return longer
        old, recent = longer.raw_history[: -2 * RECENT_TURNS], longer.raw_history[-2 * RECENT_TURNS :]
        try:
            summary = await self._summary(longer.summary_text, old, language)
        except SoriError as error:
            log.warning("the memory of a service is not summarised: %s", error)
            # Twice the limit is the end of waiting: a prompt must not grow without bound.
            return (
                longer
                if len(longer.raw_history) < 4 * _MOST_TURNS
                else FlowMemory(summary_text=longer.summary_text, raw_history=recent)
            )
        return FlowMemory(summary_text=summary, raw_history=recent)

    async def _summary(self, earlier: str, old: list[SpokenInFlow], language: Language) -> str:
        lines = "\n".join(f"{each['role']}: {each['content']}" for each in old)
        text = "\n".join(filter(None, [earlier, lines]))
        message = ModelMessage(role="user", text=text)
        summary = await self._model.complete(_TASK[language], [message], language=language, purpose="summary")
        return summary.strip()[:_LONGEST_SUMMARY]
