"""What of a model's operations the message supports. A model invents amounts and names; code lets none of them in."""

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any

from assistant.core.amounts import loose_amount
from assistant.core.people.finding import find_people, mentions
from assistant.core.times.left_over import english_time_word, korean_time_word
from assistant.flows.services.transfer.reading.days import find_day
from assistant.flows.services.transfer.reading.reader import amounts_in
from assistant.flows.services.transfer.reading.recipients import names_in, recipient_of, recipients_in
from assistant.flows.services.transfer.reading.situation import Operation, Situation
from assistant.flows.services.transfer.reading.wording import without_fillers

_REFUSED = re.compile(
    r"^.*?말고(?![가-힣])|\b(?:instead of|rather than)\b[^,.]*|\bnot\b[^,.]*?(?:,|\bbut\b)", re.IGNORECASE
)
"""What is said only to be replaced: "오만 원 말고", "not mom but". It supports nothing."""
_MONEY = re.compile(
    r"\d|원(?![가-힣])|\bwon\b|(?<![가-힣])[일이삼사오육칠팔구십백천만억몇수]+[십백천만억](?![가-힣])", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class MessageEvidence:
    """What a message names, and so all that a model may take from it.

    Attributes:
        people: the recipients whom it names, as they stand in it.
        amounts: amounts in won.
        words: words that code does not understand, which may be a memo.
        has_day: whether it has words of time.
    """

    people: tuple[str, ...]
    amounts: tuple[str, ...]
    words: tuple[str, ...]
    has_day: bool

    @property
    def schema(self) -> dict[str, Any] | None:
        """JSON Schema of the operations that the message can mean; ``None`` if a model could find nothing in it."""
        texts: dict[str, dict[str, Any]] = {
            slot: {"type": "string", "enum": list(values)}
            for slot, values in (("recipient", self.people), ("amount", self.amounts))
            if values
        }
        if not texts and not self.has_day:
            return None
        if self.has_day:
            texts["date"] = {"type": "string"}
        if self.words:
            texts["memo"] = {"type": "string", "enum": list(self.words)}
        kinds = [_object({"op": _word("set"), "slot": _word(slot), "value": text}) for slot, text in texts.items()]
        if len(self.people) > 1:
            kinds.append(
                _object(
                    {"op": _word("add"), **{each: texts[each] for each in ("recipient", "amount") if each in texts}}
                )
            )
        # A small model repeats itself as long as it may.
        most = len(self.people) + len(self.amounts) + len(texts.keys() & {"date", "memo"})
        items = {"type": "array", "maxItems": most, "items": {"anyOf": kinds}}
        return _object({"operations": items})

    def __str__(self) -> str:
        parts = (("people", self.people), ("amounts", self.amounts), ("other words", self.words))
        return "; ".join(f"{name}: {', '.join(each)}" for name, each in parts if each)


def evidence_in(message: str, situation: Situation, left: str) -> MessageEvidence:
    """What a message names.

    Args:
        message: the message.
        situation: where the conversation stands.
        left: the words that code's readers left.
    """
    heard = _REFUSED.sub(" ", unicodedata.normalize("NFC", message))
    words = [each for each in without_fillers(left).split() if each in heard and not _MONEY.search(each)]
    return MessageEvidence(
        people=names_in(heard, situation.people),
        amounts=tuple(map(str, dict.fromkeys(amounts_in(heard)))),
        words=() if loose_amount(left) else tuple(dict.fromkeys(words)),
        has_day=bool(korean_time_word(heard) or english_time_word(heard)),
    )


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _word(word: str) -> dict[str, Any]:
    return {"type": "string", "enum": [word]}


def supported(operations: Iterable[Any], message: str, situation: Situation) -> list[Operation]:
    """The operations whose every value the message names, and does not refuse.

    An amount must be one that code finds in the message, a name and a memo must stand in it, and a day needs words of
    time in it.
    """
    heard = _REFUSED.sub(" ", unicodedata.normalize("NFC", message))
    kept = (_supported(each, heard, situation) for each in operations if isinstance(each, dict))
    return [each for each in kept if each is not None]


def _supported(operation: dict[str, Any], message: str, situation: Situation) -> Operation | None:
    slot = str(operation.get("slot", ""))
    match operation.get("op"):
        case "clear" if slot in {"recipient", "amount", "date", "memo"} and situation.transfers:
            return {"op": "clear", "slot": slot}
        case "set":
            value = _value(slot, operation.get("value"), message, situation)
            return None if value is None else {"op": "set", "slot": slot, "value": value}
        case "add":
            values = {name: _value(name, operation.get(name), message, situation) for name in ("recipient", "amount")}
            said = {name: value for name, value in values.items() if value is not None}
            return {"op": "add", **said} if "recipient" in said else None
    return None


def _value(slot: str, value: Any, message: str, situation: Situation) -> Any:
    text = str(value or "").strip()
    if not text:
        return None
    if slot == "amount":
        digits = re.sub(r"[,\s원]|won", "", text)
        return int(digits) if digits.isdecimal() and int(digits) in amounts_in(message) else None
    if slot == "date":
        return _day(text, message, situation)
    if _plain(text) not in _plain(message):
        return None
    if slot == "recipient":
        matches, named = find_people(text, situation.people).matches, recipients_in(message, situation.people)
        is_named = not matches or any(person in matches for mention, _ in named for person in mention.people)
        return recipient_of(matches, text) if is_named else None
    # What names money or a person, or is the whole message, is no memo.
    is_memo = slot == "memo" and not _MONEY.search(text) and _plain(text) != _plain(message)
    return text if is_memo and not mentions(text, situation.people) else None


def _day(text: str, message: str, situation: Situation) -> str | None:
    found = find_day(message, situation.now)
    if found.operation is not None:
        # What code has read of the day counts, whatever the model says.
        return str(found.operation["value"]) if found.operation["op"] == "set" else None
    if not (korean_time_word(message) or english_time_word(message)):
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def _plain(text: str) -> str:
    return re.sub(r"\s", "", unicodedata.normalize("NFC", text).casefold())
