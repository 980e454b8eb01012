"""Answers in plain text, as it arrives."""

from assistant.flows.agents.chat_agent import ChatAgent
from assistant.flows.context import ExecutionContext
from assistant.flows.services.minimal.agents.chat.prompt import SYSTEM_PROMPT
from assistant.flows.services.minimal.state.models import MinimalState


class MinimalChat(ChatAgent):
    """Talks with the user. The user's message and the memory are added by ``build_messages``."""

    system_prompt = SYSTEM_PROMPT

    def context_block(self, context: ExecutionContext[MinimalState]) -> str:
        """What the model should know beside the conversation."""
        return f"{context.now:%Y-%m-%d %H:%M}; stage: {context.state.stage}"
