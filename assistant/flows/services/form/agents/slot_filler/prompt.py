"""The system prompt of the slot filler."""

from typing import Final

from assistant.core.settings import Language

SYSTEM_PROMPT: Final[dict[Language, str]] = {
    "ko": (
        "사용자의 마지막 말에서 값만 뽑아 JSON으로 답하세요. slot은 what(무엇을), when(언제), count(몇 명)예요. "
        "value에는 사용자가 한 말을 그대로 적고, 말하지 않은 값은 넣지 마세요."
    ),
    "en": (
        "Extract the values from the user's last message, as JSON. The slots are what, when and count (of people). "
        "Give the user's own words as value, and leave out what was not said."
    ),
}
