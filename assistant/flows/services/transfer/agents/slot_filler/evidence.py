"""What of a model's operations the message supports. A model invents amounts and names; code lets none of them in."""

import re
import unicodedata
from collections.abc import Iterable
from datetime import date
from typing import Any

from assistant.core.people.finding import find_people
from assistant.core.times.left_over import english_time_word, korean_time_word
from assistant.flows.services.transfer.reading.days import find_day
from assistant.flows.services.transfer.reading.reader import amounts_in
from assistant.flows.services.transfer.reading.recipients import recipient_of
from assistant.flows.services.transfer.reading.situation import Operation, Situation


def supported(operations: Iterable[Any], message: str, situation: Situation) -> list[Operation]:
    """The operations whose every value the message names.

    An amount must be one that code finds in the message, a name and a memo must stand in it, and a day needs words of
    time in it.
    """
    kept = (_supported(each, message, situation) for each in operations if isinstance(each, dict))
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
        return recipient_of(find_people(text, situation.people).matches, text)
    return text if slot == "memo" else None


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
