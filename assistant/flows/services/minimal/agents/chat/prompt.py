"""The system prompt of the chat agent."""

from typing import Final

from assistant.core.settings import Language

SYSTEM_PROMPT: Final[dict[Language, str]] = {
    "ko": "사용자와 짧게 이야기하세요. 해요체로 두 문장 안에서 답하세요.",
    "en": "Talk with the user. Answer in at most two sentences.",
}
