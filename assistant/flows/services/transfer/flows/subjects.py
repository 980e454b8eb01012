"""Whether a message is about transfers at all. Pure."""

import re

from assistant.core.amounts import find_amounts, foreign_money
from assistant.flows.services.transfer.flows.following import recalls_transfer
from assistant.flows.services.transfer.reading.wording import asks_nothing

_SEND_KO = r"(?:보내|보낼|부쳐|부칠|쏴|쏠|입금|넣어|꽂아)"
_TRANSFER_KO = re.compile(
    r"(?:송금|이체)(?:을|를|좀|도)?\s?(?:해|하|부탁|할|시작|$)|(?:계좌|통장)(?:로|에)\s?(?:\S+\s)?" + _SEND_KO
)
_MONEY_KO = re.compile(
    rf"(?<![가-힣])(?:돈|용돈|월세|회비|축의금|조의금|부의금|밥값|생활비|세뱃돈)(?:을|도|좀|만)?\s.*{_SEND_KO}"
)
_VERB_KO = re.compile(_SEND_KO)
_VERB_EN = re.compile(r"\b(?:send|transfer|wire|pay|remit|give)\b", re.IGNORECASE)
_MONEY_EN = re.compile(
    r"\b(?:money|won|cash|rent|krw)\b.*|\b(?:make|do|start) a (?:bank |money )?transfer\b|\b(?:bank|wire) transfer\b",
    re.IGNORECASE,
)
_SUM = "\ue000"
_FOREIGN_SENT = re.compile(
    rf"(?:한테|에게|께|(?:계좌|통장)로)\s+(?:\S+\s+){{0,2}}{_SUM}\s*(?:(?:만|씩|좀|송금|이체)\s*)*{_SEND_KO}"
    rf"|\b(?:send|transfer|wire|remit|pay)\s+(?:\w+\s+){{0,2}}{_SUM}\s+to\s+\w"
    rf"|\b(?:send|wire|pay|give)\s+(?:my\s+)?(?!me\b|us\b|the\b|an?\b)\w+\s+(?:\w+\s+)?{_SUM}(?!\s*(?!please|now|to)\w)",
    re.IGNORECASE,
)
"""Money of another currency that goes to somebody. Code refuses it; a model would only claim to have sent it. Elsewhere
such an amount is often a price, or one to convert."""
_SUBJECT = re.compile(
    r"이체|송금|보내|보낼|보냈|금액|얼마|누구|계좌|은행|수수료|한도|잔액|잔고|메모|날짜|입금|(?<![가-힣])돈(?![가-힣]{2})"
    r"|\b(?:transfers?|send|sent|amount|how much|who|account|bank|fees?|limit|balance|memo|date|won)\b"
    r"|\b(?:money|paid|payment)\b",
    re.IGNORECASE,
)


def wants_transfer(message: str) -> bool:
    """Whether a message outside of any flow asks for a transfer. Questions and reports about one do not."""
    if asks_nothing(message):
        return False
    if _TRANSFER_KO.search(message) or _MONEY_KO.search(message):
        return True
    if (foreign := foreign_money(message)) and _FOREIGN_SENT.search(message.replace(foreign, _SUM)):
        return True
    amounts = bool(find_amounts(message))
    if _VERB_KO.search(message):
        return amounts
    if _VERB_EN.search(message):
        return amounts or _MONEY_EN.search(message) is not None
    return False


def is_elsewhere(message: str) -> bool:
    """Whether a question in mid-flow is about something else. One word (응? 왜?) asks about what was just said."""
    return len(message.split()) > 1 and not is_about_transfers(message)


def is_about_transfers(message: str) -> bool:
    """Whether a message in mid-flow has to do with transfers, so that the flow answers it."""
    return bool(_SUBJECT.search(message) or find_amounts(message)) or recalls_transfer(message)
