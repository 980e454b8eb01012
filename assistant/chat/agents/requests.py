"""Requests to switch to an agent or a workspace, recognised without a model. Pure."""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.settings import Language

_LONGEST = 100
"""Maximum length of a request in characters."""


class Target(StrEnum):
    """What the user wants to switch to."""

    AGENT = "agent"
    WORKSPACE = "workspace"
    EITHER = "either"
    """The request has a name only. It counts only if an agent or a workspace has that name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchRequest:
    """A recognised request: what to switch to, the name that the user gave, and the language of the request."""

    target: Target
    name: str
    language: Language


_WORKSPACE_KO = r"(?:워크\s*스페이스|작업\s*공간)"
_AGENT_KO = r"(?:에이전트|비서)"
_GIVE = r"(?:\s*(?:줘요?|주세요|줄래요?|주실래요?|볼래요?|봐요?|보자))?"
_TURN = rf"(?:바꿔|바꾸자|변경해|변경하자|전환해|전환하자|옮겨|이동해|가자|가){_GIVE}"
_TURN_ALONE = rf"(?:바꿔|변경해|전환해){_GIVE}"
"""Without the word agent or workspace, "집으로 가자" is no request to switch."""
_TO = r"\s*(?:으로|로)\s*"
_POLITE = r"^(?:please\s+|can you\s+|could you\s+|let's\s+)?"
_SWITCH = r"(?:switch|change|move|go)\s+(?:over\s+)?"
_TEMPLATES: tuple[tuple[str, Target, Language], ...] = (
    (rf"^{_WORKSPACE_KO}(?:를|을)?\s+(?P<name>.+?)(?:\s*{_WORKSPACE_KO})?{_TO}{_TURN}$", Target.WORKSPACE, "ko"),
    (rf"^(?P<name>.+?)\s*{_WORKSPACE_KO}{_TO}{_TURN}$", Target.WORKSPACE, "ko"),
    (rf"^{_AGENT_KO}(?:를|을)?\s+(?P<name>.+?)(?:\s*{_AGENT_KO})?{_TO}{_TURN}$", Target.AGENT, "ko"),
    (rf"^(?P<name>.+?)\s*{_AGENT_KO}{_TO}{_TURN}$", Target.AGENT, "ko"),
    (rf"^(?P<name>.+?)\s*{_AGENT_KO}(?:를|을)?\s*(?:불러|연결해){_GIVE}$", Target.AGENT, "ko"),
    (rf"^(?P<name>.+?){_TO}{_TURN_ALONE}$", Target.EITHER, "ko"),
    (rf"^(?P<name>.+?)(?:를|을)?\s*(?:불러|연결해){_GIVE}$", Target.EITHER, "ko"),
    (rf"{_POLITE}{_SWITCH}(?:(?:the|my)\s+)?workspace\s+to\s+(?:the\s+)?(?P<name>.+?)$", Target.WORKSPACE, "en"),
    (rf"{_POLITE}{_SWITCH}to\s+(?:(?:the|my)\s+)?workspace\s+(?P<name>.+?)$", Target.WORKSPACE, "en"),
    (rf"{_POLITE}{_SWITCH}to\s+(?:(?:the|my)\s+)?(?P<name>.+?)\s+workspace$", Target.WORKSPACE, "en"),
    (rf"{_POLITE}{_SWITCH}(?:(?:the|my)\s+)?agent\s+to\s+(?:the\s+)?(?P<name>.+?)$", Target.AGENT, "en"),
    (rf"{_POLITE}{_SWITCH}to\s+(?:(?:the|my)\s+)?agent\s+(?P<name>.+?)$", Target.AGENT, "en"),
    (rf"{_POLITE}{_SWITCH}to\s+(?:(?:the|my)\s+)?(?P<name>.+?)\s+agent$", Target.AGENT, "en"),
    (rf"{_POLITE}(?:switch|change)\s+(?:over\s+)?to\s+(?:(?:the|my)\s+)?(?P<name>.+?)$", Target.EITHER, "en"),
)
_PATTERNS = tuple((re.compile(text, re.IGNORECASE), target, language) for text, target, language in _TEMPLATES)
_QUESTION = re.compile(r"[?？]\s*$")
_POLITE_QUESTION = re.compile(r"(?:줄래요?|실래요?)\s*[?？]$|^(?:can|could) you\b", re.IGNORECASE)
_POLITE_END = re.compile(r",?\s+(?:please|thanks|thank you|for me|고마워요?)$", re.IGNORECASE)
_OTHER_ONE = re.compile(r"^(?:다른|새|새로운|another|a new|a different|other|the other)$", re.IGNORECASE)
"""No names."""


def switch_request(text: str) -> SwitchRequest | None:
    """The request in a text; ``None`` when it is something else. Names keep the user's spelling."""
    said = " ".join(unicodedata.normalize("NFC", text).replace("’", "'").split())
    words = _POLITE_END.sub("", said.rstrip(" .!~?？"))
    if not words or len(words) > _LONGEST or (_QUESTION.search(said) and not _asks_politely(said)):
        return None
    for pattern, target, language in _PATTERNS:
        if found := pattern.match(words):
            name = found["name"].strip(" ,\"'“”‘’")
            return SwitchRequest(target=target, name=name, language=language) if _can_be_name(name) else None
    return None


def _asks_politely(said: str) -> bool:
    return bool(_POLITE_QUESTION.search(said))


def _can_be_name(name: str) -> bool:
    return bool(name) and not _OTHER_ONE.match(name)
