"""The words that code understands without a model."""

import re
from typing import Final

_BEGIN: Final = re.compile(
    r"\s*(?:"
    r"미니멀\s*(?:대화)?\s*(?:시작|열어|하자)(?:해)?\s*(?:줘|주세요|보자)?"
    r"|(?:please\s+)?(?:start|open|begin)\s+(?:a\s+|the\s+)?minimal(?:\s+chat)?(?:\s+please)?"
    r")\s*[.!]*\s*",
    re.IGNORECASE,
)
_CANCEL: Final = re.compile(
    r"\s*(?:(?:이제|대화|그)?\s*(?:그만|끝|종료)\s*(?:할래|하자|할게|해|내)?\s*(?:요|줘|주세요)?|stop|end|quit|that'?s\s+all)\s*[.!]*\s*",
    re.IGNORECASE,
)


def wants(text: str) -> bool:
    """Whether a message begins a conversation with this service."""
    return _BEGIN.fullmatch(text) is not None


def is_cancel(text: str) -> bool:
    """Whether a message ends the conversation."""
    return _CANCEL.fullmatch(text) is not None
