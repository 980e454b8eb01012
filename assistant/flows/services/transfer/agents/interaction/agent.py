"""Answers what the user asks in the middle of a transfer, and asks on. What code knows better, code says."""

import re
from typing import Any

from assistant.core.errors import SoriError
from assistant.core.settings import Language
from assistant.flows.agents.conversational_agent import ConversationalAgent
from assistant.flows.context import ExecutionContext
from assistant.flows.services.transfer.agents.interaction.prompt import SYSTEM_PROMPT
from assistant.flows.services.transfer.messages import won
from assistant.flows.services.transfer.phrasing import errors_of, progress_of, question_of
from assistant.flows.services.transfer.state.models import TransferState

_TITLES: dict[Language, tuple[str, str, str]] = {
    "ko": ("잘못된 점", "다음 질문", "아는 것"),
    "en": ("Wrong", "Next question", "Known"),
}
_KNOWN_TRANSFERS = 5
_NUMBER = re.compile(r"\d[\d,]*")
_SENT = re.compile(
    r"보냈|송금했|이체했|받았|입금됐|입금했|입금되었|완료|처리했|처리됐|마쳤|끝났|\b(?:sent|transferred|received|paid|completed|done)\b",
    re.IGNORECASE,
)
"""Words that tell of money that has gone. Nothing has gone while slots are filled."""


class TransferInteraction(ConversationalAgent):
    """Answers a question of the user's. Without a reply that code can stand by, code's own question is the answer."""

    system_prompt = SYSTEM_PROMPT

    def context_block(self, context: ExecutionContext[TransferState]) -> str:
        """What is wrong first, then the question, the progress and the facts."""
        state, language = context.state, context.language
        wrong, question, known = _TITLES[language]
        errors = " ".join(errors_of(state, language).values())
        lines = [f"{wrong}: {errors}"] if errors else []
        lines += [f"{question}: {question_of(state, language)}", progress_of(state, language)]
        facts = [f"{won(language, state.facts.available)}"]
        facts += [
            f"{each.at[:16]} {each.name} {won(language, each.amount)}" for each in state.facts.recent[:_KNOWN_TRANSFERS]
        ]
        lines.append(f"{known}: {context.now:%Y-%m-%d %H:%M}; {'; '.join(facts)}")
        return "\n".join(filter(None, lines))

    async def run(self, context: ExecutionContext[TransferState]) -> dict[str, Any]:
        """The action and the message."""
        try:
            result = await super().run(context)
        except SoriError:
            result = {"fallback": True}
        if result.get("fallback") or not self._is_known(context, str(result["message"])):
            return {"action": "ASK", "message": question_of(context.state, context.language)}
        return {"action": result["action"], "message": result["message"]}

    def _is_known(self, context: ExecutionContext[TransferState], message: str) -> bool:
        """Whether a message tells only of what is known: no other number, and no transfer but those of the past."""
        told = set(_NUMBER.findall(message))
        given = f"{self.context_block(context)} {context.user_message}"
        if not told <= set(_NUMBER.findall(given)):
            return False
        past = {won(context.language, each.amount) for each in context.state.facts.recent[:_KNOWN_TRANSFERS]}
        return _SENT.search(message) is None or any(each in message for each in past)
