"""Reads a message about transfers: which slots it changes, without a model. Pure.

Every word must be explained: by a piece that says a slot, or as a word that says none. Otherwise the model reads the
message, and the amounts that code has found limit what the model may answer (``amounts_in``).
"""

import re
import unicodedata

from assistant.core.amounts import find_amounts, foreign_money, loose_amount
from assistant.flows.services.transfer.reading.assembly import assembled
from assistant.flows.services.transfer.reading.days import find_day, repeats
from assistant.flows.services.transfer.reading.memos import mark_memo
from assistant.flows.services.transfer.reading.money import mark_money
from assistant.flows.services.transfer.reading.pieces import SIGN, MarkedText, PieceKind, SlotPiece
from assistant.flows.services.transfer.reading.recipients import (
    bare_name,
    chosen,
    mark_accounts,
    mark_people,
    only_bank,
)
from assistant.flows.services.transfer.reading.situation import Operation, Situation, TransferReading
from assistant.flows.services.transfer.reading.wording import asks_nothing, without_fillers

_NTH_KO = {"첫": 1, "두": 2, "세": 3, "네": 4, "다섯": 5}
_NTH_EN = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5}
_THING_KO = r"(?:\s?(?:거|것|건|사람|이체|송금|번))?(?:은|는|을|를|도|만|이|의)?"
_ORDINAL = re.compile(
    rf"(?<![가-힣\d])(?:(?P<ko>첫|두|세|네|다섯)\s?번째|(?P<figure>[1-9])\s?번(?:째)?(?!\s?에)|"
    rf"(?P<last>마지막)){_THING_KO}(?![가-힣])"
    r"|\b(?:the\s+)?(?:(?P<en>first|second|third|fourth|fifth)|(?P<last_en>last))\b(?:\s+(?:one|"
    r"transfer|person|payment))?",
    re.IGNORECASE,
)
_COUNT = re.compile(
    r"(?<![가-힣\d])(?:(?P<ko>두|세|네|다섯)\s?(?:명|사람|분)|(?P<figure>[2-9])\s?(?:명|"
    r"사람|분)|(?P<bare>둘|셋|넷))(?:한테|에게|께|이서|\s?다)?(?![가-힣])"
    r"|\b(?:to\s+)?(?P<en>two|three|four|five)\s+people\b",
    re.IGNORECASE,
)
_COUNTS = {"두": 2, "세": 3, "네": 4, "다섯": 5, "둘": 2, "셋": 3, "넷": 4, "two": 2, "three": 3, "four": 4, "five": 5}
_NOT_BUT = re.compile(
    r"(?:가|이)?\s*아니(?:라|고)(?=[\s,])|(?:한테|에게|께)?(?:는)?\s*(?:보내|이체하|송금하)지\s*말고|\s대신에?(?=\s)"
)
_REMOVES = re.compile(
    r"(?:빼\s?(?:줘|주세요|자|줄래|고)?|제외(?:해|하고)?|취소(?:해|하고)?|삭제(?:해)?|"
    r"지워)(?:\s?(?:줘|주세요|줄래))?(?:요)?(?![가-힣])"
    r"|\b(?:remove|drop|skip|cancel|delete|leave out|take out|without|except)\b",
    re.IGNORECASE,
)
_NEGATED_KO = re.compile(rf"({SIGN})\s*(?:한테|에게|는|은)?\s*(?:말고|빼고)(?:는|요)?(?![가-힣])")
_NEGATED_EN = re.compile(rf"(?:instead of|rather than|(?<!\w)not)\s+(?:to\s+)?({SIGN})", re.IGNORECASE)
_CORRECTED = re.compile(
    rf"({SIGN})(?P<between>[^\ue000-\uf8ff]*?(?:(?<![가-힣])아니(?:야|다)?(?![가-힣])|"
    rf"\b(?:no|wait|sorry|i mean|actually)\b)[\s,]*)({SIGN})",
    re.IGNORECASE,
)
"""What is said after "no" takes the place of what was said before it, if it is of the same kind."""
_PARENTS = frozenset(["엄마", "아빠", "어머니", "아버지", "부모님", "어머님", "아버님"])
_ADDS = re.compile(
    r"(?:추가|그리고)(?![가-힣]*\s*(?:금액|날짜|메모))|또(?=\s)|\b(?:also|as well|add|another)\b|^and\b", re.IGNORECASE
)


_GLUED = re.compile(r"(?<=에게|한테)(?=만\s*원)")
"""A recogniser may write "아빠에게만원", in which "만" is no particle."""


def read(message: str, situation: Situation) -> TransferReading:
    """Read a message."""
    text = _GLUED.sub(" ", unicodedata.normalize("NFC", message).strip())
    if reading := _reply(text, situation):
        return reading
    if foreign_money(text):
        return _certain({"op": "reject", "slot": "amount", "reason": "currency"})
    marked = MarkedText(_NOT_BUT.sub(" 말고", text))
    mark_memo(marked)
    if asks_nothing(marked.text):
        return TransferReading(asks_nothing=True, whole=True)
    if repeats(marked.text):
        return _certain({"op": "reject", "slot": "date", "reason": "repeats"})
    mark_accounts(marked)
    if not mark_money(marked) or loose_amount(marked.text):
        return TransferReading(left=marked.text)
    marked.sub(_COUNT, _count)
    marked.sub(_ORDINAL, lambda match: _ordinal(match, situation))
    mark_people(marked, situation.people)
    if _is_of_another(marked):
        return TransferReading(left=text)
    return _assembled(marked, situation)


def amounts_in(message: str) -> tuple[int, ...]:
    """The amounts that a message names, in won. A model may take no other one from it."""
    return tuple(each.won for each in find_amounts(message) if each.won is not None)


_SLOT_WORDS = (
    ("amount", r"(?:이체\s?)?(?:금액|액수)|amount"),
    ("recipient", r"받는\s?(?:사람|분)|수취인|상대|recipient|person"),
    ("date", r"날짜|이체일|date|day"),
    ("memo", r"메모|memo|note"),
)
_CHANGE_KO = (
    r"(?:은|는|을|를|만|도)?\s?(?:좀\s?)?(?:바꿀래|바꿀게|바꾸고\s?싶어|바꾸자|(?:바꿔|"
    r"변경해|고쳐|수정해)(?:\s?(?:줘|주세요|줄래))?)요?"
)
_CHANGE_EN = r"(?:i want to |i'd like to |let me |please )?(?:change|edit|fix) the "


def _reopened(text: str) -> str:
    """The slot that a message wants to change without saying how: 금액 바꿔 줘; empty for other messages."""
    plain = text.strip(" .!").casefold()
    for slot, words in _SLOT_WORDS:
        if re.fullmatch(rf"(?:아니\s)?(?:{words}){_CHANGE_KO}|{_CHANGE_EN}(?:{words})(?: please)?", plain):
            return slot
    return ""


def _reply(text: str, situation: Situation) -> TransferReading | None:
    """What answers the last question and says no more; ``None`` for other messages."""
    if situation.asked == "choice" and (choice := chosen(text, situation)):
        return _certain({"op": "set", "slot": "recipient", "value": choice})
    if situation.asked == "bank" and (bank := only_bank(text)):
        value = {"name": f"{bank} {situation.account}", "person": "", "bank": bank, "account": situation.account}
        return _certain({"op": "set", "slot": "recipient", "value": {**value, "holder": ""}})
    if situation.transfers and (slot := _reopened(text)):
        return _certain({"op": "ask" if slot in {"date", "memo"} else "clear", "slot": slot})
    return None


def _assembled(marked: MarkedText, situation: Situation) -> TransferReading:
    for pattern in (_NEGATED_KO, _NEGATED_EN):
        marked.text = pattern.sub(lambda match: _refused(marked, match[1]), marked.text)
    marked.text = _CORRECTED.sub(lambda match: _corrected(marked, match), marked.text)
    day = find_day(marked.text, situation.now)
    removes = _REMOVES.search(day.rest) is not None
    rest = _REMOVES.sub(" ", day.rest) if removes else day.rest
    left = without_fillers(re.sub(SIGN, " ", rest))
    pieces = marked.in_order()
    if left and situation.asked == "recipient" and not any(each.kind is PieceKind.RECIPIENT for each in pieces):
        name = bare_name(text_of(marked))
        if name is not None and not pieces and day.operation is None:
            return _certain({"op": "set", "slot": "recipient", "value": name})
    if left or (removes and any(each.kind in {PieceKind.AMOUNT, PieceKind.COUNT} for each in pieces)):
        return TransferReading(left=left or marked.text)
    adds = _ADDS.search(marked.text) is not None
    operations = assembled(pieces, day.operation, situation, removes=removes, adds=adds)
    if operations is None:
        return TransferReading(left=marked.text)
    if not operations and not pieces and not situation.transfers:
        return _certain({"op": "begin"})
    return TransferReading(
        operations=tuple(operations), whole=bool(operations), left="" if operations else text_of(marked)
    )


def text_of(marked: MarkedText) -> str:
    """The words of a marked message."""
    return re.sub(SIGN, " ", marked.text).strip()


def _refused(marked: MarkedText, sign: str) -> str:
    marked.at(sign).negated = True
    return f" {sign} "


def _corrected(marked: MarkedText, match: re.Match[str]) -> str:
    first, second = marked.at(match[1]), marked.at(match[3])
    if first.kind is second.kind and not first.negated:
        first.negated = True
        return f"{match[1]} {match['between']} {match[3]}"
    return match.group()


def _is_of_another(marked: MarkedText) -> bool:
    """Whether two people in a row may be one: 엄마 친구 is somebody else than 엄마 and 친구."""
    pieces = marked.in_order()
    if any(each.kind is PieceKind.AMOUNT and each.each for each in pieces):
        return False
    if sum(each.kind is PieceKind.RECIPIENT for each in pieces) != 2:
        return False
    rows = [(marked.at(row[1]), marked.at(row[2])) for row in re.finditer(rf"(?=({SIGN})\s+({SIGN}))", marked.text)]
    return any(
        first.kind is second.kind is PieceKind.RECIPIENT and first.bare and _may_be_of(second.value["name"])
        for first, second in rows
    )


def _may_be_of(name: str) -> bool:
    return name not in _PARENTS and re.search("[가-힣]", name) is not None


def _certain(*operations: Operation) -> TransferReading:
    return TransferReading(operations=operations, whole=True)


def _count(match: re.Match[str]) -> SlotPiece:
    word = match["ko"] or match["bare"] or match["figure"] or match["en"].lower()
    return SlotPiece(PieceKind.COUNT, int(word) if word.isdigit() else _COUNTS[word])


def _ordinal(match: re.Match[str], situation: Situation) -> SlotPiece | None:
    if not situation.transfers:
        return None
    if match["last"] or match["last_en"]:
        return SlotPiece(PieceKind.ORDINAL, situation.transfers[-1].number)
    if match["figure"]:
        return SlotPiece(PieceKind.ORDINAL, int(match["figure"]))
    return SlotPiece(PieceKind.ORDINAL, _NTH_KO[match["ko"]] if match["ko"] else _NTH_EN[match["en"].lower()])
