"""The system prompt of the slot filler."""

from typing import Final

from assistant.core.settings import Language

SYSTEM_PROMPT: Final[dict[Language, str]] = {
    "ko": (
        "사용자의 마지막 말에서 알림의 값만 뽑아 JSON으로 답하세요. "
        "slot은 what(무엇을), when(언제), repeat(얼마나 자주)예요. "
        "value에는 사용자가 한 말 그대로 적고, 말하지 않은 값은 넣지 마세요."
    ),
    "en": (
        "Extract the values of a reminder from the user's last message, as JSON. The slots are what, when and repeat. "
        "Give the user's own words as value, and leave out what was not said."
    ),
}
