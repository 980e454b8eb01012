"""The words by which a user leaves a flow for a while and comes back to it (F-07). Pure."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from assistant.core.settings import Language
from assistant.flows.replies import Replies, Verb, plain

_END = r"(?:\s*[,.!…]+\s*|$)"
_PARK = re.compile(
    r"^\s*(?:"
    r"(?:아\s*|음\s*)?(?:(?:그건|그거|이건|이거|일단|지금은)\s*)*"
    r"(?:(?:됐고|(?:놔|미뤄\s?)두고|나중에\s?하고|잠시\s?멈추고)(?:\s*,\s*|\s+|$)"
    r"|(?:됐어|(?:놔|미뤄\s?)둬|나중에\s?(?:하자|할게|할래)|잠시\s?(?:멈춰|미뤄)|잠깐만?\s?(?:멈춰|기다려))(?:\s*줘)?"
    + _END
    + ")"
    r"|(?:(?:let'?s\s+)?(?:do|finish|continue)\s+(?:that|this|it)\s+later|later|not\s+now|hold\s+(?:on|that)"
    r"|leave\s+(?:that|it)(?:\s+for\s+now)?|(?:park|pause)\s+(?:that|this|it))(?:\s+and\s+|" + _END + ")"
    r")",
    re.IGNORECASE,
)
_GO_ON_KO = re.compile(
    r"^\s*(?:(?:아까|하던|그|이|미뤄\s?둔)\s+)*(?P<what>.*?)\s*(?:을|를|은|는)?\s*"
    r"(?:계속|이어서|마저|다시)\s*(?:진행|시작)?\s*(?:해|하자|할게|할래)?\s*(?:줘|주세요|보자)?\s*[.!]*\s*$"
)
_GO_ON_EN = re.compile(
    r"^\s*(?:let'?s\s+)?(?:go\s+back\s+to|continue(?:\s+with)?|resume|back\s+to|carry\s+on(?:\s+with)?)\s*"
    r"(?:the|my|that|this)?\s*(?P<what>.*?)\s*(?:please)?\s*[.!]*\s*$",
    re.IGNORECASE,
)
_HERE_KO = re.compile(
    r"^\s*(?P<what>.*?)\s*(?:을|를|은|는)?\s*(?:여기서|이\s?(?:기기|컴퓨터)에서)\s*"
    r"(?:계속|이어서|마저)\s*(?:진행)?\s*(?:해|하자|할게|할래)?\s*(?:줘|주세요)?\s*[.!]*\s*$"
)
_HERE_EN = re.compile(
    r"^\s*(?:let'?s\s+)?(?:continue|resume|carry\s+on|go\s+on)(?:\s+with)?\s*(?:the|my|that|this)?\s*(?P<what>.*?)\s*"
    r"(?:here|on\s+this\s+(?:device|computer))\s*(?:please)?\s*[.!]*\s*$",
    re.IGNORECASE,
)
_THAT = frozenset({"", "그거", "그것", "이거", "아까 그거", "하던 거", "하던거", "거", "일", "it", "that", "one", "on"})
"""Words that name what was parked last."""
_DONE_EN = r"(?:it|that|this|(?:the |my )?(?:transfer|payment|money))"
_ASKS_EN = r"(?:(?:please|ok|can you|could you|can i|i want to) )*"
_BACK = re.compile(
    r"(?:(?:방금|아까|그|그거|그건|이거|다|다시|거|것|한 거|돈|이체|송금|좀)(?:을|를)? )*"
    r"(?:되돌려|되돌리|돌려놔|물러|무르|실행\s?취소해?)"
    r"(?:고 싶어|\s?(?:줘|주세요|놔|줄래|줄 수 있어|줄 수 있나요))?(?:요)?\??"
    rf"|{_ASKS_EN}(?:undo|reverse|revert|take back|get back)(?: {_DONE_EN})?(?: please)?\??"
    rf"|{_ASKS_EN}(?:take|get) {_DONE_EN} back(?: please)?\??"
)
_REPLIES = Replies((Verb("보내", "보내", "보낼"),), ("send",))


@dataclass(frozen=True, slots=True)
class Parking:
    """The user leaves a flow for a while.

    Attributes:
        rest: what else the user said, which is for general conversation; empty for nothing.
    """

    rest: str


def parking(text: str) -> Parking | None:
    """Whether a message leaves the flow for a while; ``None`` if it does not. Cancelling is another thing."""
    found = _PARK.match(text)
    return None if found is None else Parking(text[found.end() :].strip())


def calls_back(text: str) -> bool:
    """Whether a whole message wants what was done undone, or something called off, which after its end means that."""
    return _REPLIES.is_no(text) or _BACK.fullmatch(plain(text)) is not None


def is_yes(text: str) -> bool:
    """Whether a message is a yes and nothing else, so that it answers what was said just before."""
    return _REPLIES.is_yes(text)


def may_mean_once_more(text: str) -> bool:
    """Whether words that go on with a service may as well ask for it once more: 다시 means both."""
    return "다시" in text


def resumed(
    text: str, open_ones: Iterable[str], titles: Mapping[str, Mapping[Language, str]], *, named: bool = False
) -> str:
    """The service to which a message comes back; empty if it is about something else.

    Args:
        text: the whole message.
        open_ones: the services that can go on, the one left last first.
        titles: the names of the services for the user.
        named: whether the message must name the service.
    """
    return _meant((_GO_ON_KO, _GO_ON_EN), text, open_ones, titles, named=named)


def taken_here(text: str, open_ones: Iterable[str], titles: Mapping[str, Mapping[Language, str]]) -> str:
    """The service that a message wants to go on here, wherever it goes on now; see ``resumed``."""
    return _meant((_HERE_KO, _HERE_EN), text, open_ones, titles, named=False)


def _meant(
    patterns: Iterable[re.Pattern[str]],
    text: str,
    open_ones: Iterable[str],
    titles: Mapping[str, Mapping[Language, str]],
    *,
    named: bool,
) -> str:
    for pattern in patterns:
        if (found := pattern.match(text)) is None:
            continue
        what = found["what"].strip().casefold()
        for service in open_ones:
            if (what in _THAT and not named) or what in {title.casefold() for title in titles[service].values()}:
                return service
    return ""
