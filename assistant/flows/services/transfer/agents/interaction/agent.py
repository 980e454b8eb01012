"""Says what is wrong and asks for what is missing, in words that fit what the user said."""

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


class TransferInteraction(ConversationalAgent):
    """Phrases the question that code has chosen. Without a usable reply, code's own words are the answer."""

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
        if result.get("fallback"):
            return {"action": "ASK", "message": question_of(context.state, context.language)}
        return {"action": result["action"], "message": result["message"]}
