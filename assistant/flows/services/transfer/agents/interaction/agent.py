"""Says that a message was not understood, and asks on. What is asked about money, code answers."""

import re
from typing import Any, Final

from assistant.core.errors import SoriError
from assistant.core.hangul import final_of
from assistant.core.settings import Language
from assistant.flows.agents.conversational_agent import ConversationalAgent
from assistant.flows.context import ExecutionContext
from assistant.flows.services.transfer.agents.interaction.prompt import SYSTEM_PROMPT
from assistant.flows.services.transfer.phrasing import errors_of, progress_of, question_of
from assistant.flows.services.transfer.state.models import TransferState

_TITLES: Final[dict[Language, tuple[str, str]]] = {"ko": ("잘못된 점", "다음 질문"), "en": ("Wrong", "Next question")}
_ONE_QUESTION: Final = re.compile(r"[^.!?。\n]+\?")
_PAST_EN: Final = re.compile(r"\b(?:\w+ed|sent|paid|done|gone|got|went|has|have|had|was|were|did)\b", re.IGNORECASE)
_DOUBLE_S: Final = 20
"""Index of ㅆ among the final consonants."""
_NUMBER: Final = re.compile(r"\d[\d,]*")


class TransferInteraction(ConversationalAgent):
    """Asks again where a message was not understood. Without a reply that asks, code's own question is the answer."""

    system_prompt = SYSTEM_PROMPT

    def context_block(self, context: ExecutionContext[TransferState]) -> str:
        """What is wrong first, then the question and the progress. Of former transfers it is told nothing."""
        state, language = context.state, context.language
        wrong, question = _TITLES[language]
        errors = " ".join(errors_of(state, language).values())
        asked = f"{question}: {question_of(state, language)}"
        return "\n".join(filter(None, [f"{wrong}: {errors}" if errors else "", asked, progress_of(state, language)]))

    async def run(self, context: ExecutionContext[TransferState]) -> dict[str, Any]:
        """The action and the message."""
        try:
            result = await super().run(context)
        except SoriError:
            result = {"fallback": True}
        question = str(result.get("message", "")).strip()
        if result.get("fallback") or not self._only_asks(context, question):
            return {"action": "ASK", "message": question_of(context.state, context.language)}
        # What is wrong, code tells.
        wrong = errors_of(context.state, context.language).values()
        return {"action": "ASK", "message": " ".join([*wrong, question])}

    def _only_asks(self, context: ExecutionContext[TransferState], message: str) -> bool:
        """Whether a message is one question about what is to come, with no number that was not given.

        Any other sentence could tell of money that has gone.
        """
        given = f"{self.context_block(context)} {context.user_message}"
        return (
            _ONE_QUESTION.fullmatch(message) is not None
            and not tells_past(message)
            and set(_NUMBER.findall(message)) <= set(_NUMBER.findall(given))
        )


def tells_past(message: str) -> bool:
    """Whether a sentence speaks of the past: a Korean syllable that ends in ㅆ marks it, but for 있 and 겠."""
    korean = any(final_of(each) == _DOUBLE_S and each not in "있겠" for each in message)
    return korean or _PAST_EN.search(message) is not None
