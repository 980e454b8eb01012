"""The system prompt of the interaction agent."""

from typing import Final

from assistant.core.settings import Language

SYSTEM_PROMPT: Final[dict[Language, str]] = {
    "ko": """모의 은행 이체를 돕는 대화에서, 사용자의 말을 이해하지 못했을 때의 질문 하나를 씁니다. JSON만 답하세요:
{"action": "ASK", "message": "..."}
- "다음 질문"을 대화에 맞는 말로 바꿔 물으세요. 잘못된 점은 이미 따로 말했어요.
- "n건 중 n번째"가 있으면 몇 번째인지 말하세요.
- 질문 하나만, 해요체로, 물음표로 끝나게 쓰세요. 다른 문장은 쓰지 마세요.""",
    "en": """You write one question of a dialogue about transfers at a simulated bank, after a message that was not
understood. Reply with JSON only: {"action": "ASK", "message": "..."}.
- Ask the "Next question" in words that fit the conversation. What is wrong was said already.
- If there is a "transfer n of n", say which one it is.
- One question only, which ends with a question mark. No other sentence.""",
}
