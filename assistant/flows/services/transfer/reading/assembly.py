"""What the pieces of a message ask for together. Pure."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from assistant.flows.services.transfer.reading.pieces import PieceKind, SlotPiece
from assistant.flows.services.transfer.reading.situation import KnownTransfer, Operation, Situation

_SLOT_OF = {PieceKind.RECIPIENT: "recipient", PieceKind.AMOUNT: "amount"}
_WHOLE = ({"relative": "all"}, {"relative": "rest"})
_NO_MEMO: Operation = {"op": "clear", "slot": "memo"}
_Pair = tuple[SlotPiece | None, SlotPiece | None]
"""A recipient and an amount that belong together."""


def assembled(
    pieces: Sequence[SlotPiece], day: Operation | None, situation: Situation, *, removes: bool, adds: bool
) -> list[Operation] | None:
    """The operations; ``None`` if it is not certain which piece belongs to which.

    Args:
        pieces: the pieces in their order.
        day: what was said of the day.
        situation: where the conversation stands.
        removes: whether the message removes what its pieces name.
        adds: whether it says that a transfer comes in addition.
    """
    wanted = [each for each in pieces if not each.negated]
    if removes:
        return _removals(wanted, situation)
    if pieces and not wanted and situation.transfers:
        if len(situation.transfers) == 1 and len(pieces) == 1 and pieces[0].kind in _SLOT_OF:
            return [{"op": "clear", "slot": _SLOT_OF[pieces[0].kind]}]
        return _removals(pieces, situation)
    memos = [each.value for each in wanted if each.kind is PieceKind.MEMO]
    counts = [each.value for each in wanted if each.kind is PieceKind.COUNT]
    if len(memos) > 1 or len(counts) > 1:
        return None
    common = _common(memos, day)
    if len(situation.transfers) > 1 and any(_is_all(each) for each in wanted):
        # 전부 내일: of several transfers, "all" are those and not all the money.
        rest = [each for each in wanted if not _is_all(each) and each.kind is not PieceKind.MEMO]
        return [{**each, "item": "all"} for each in common] if common and not rest else None
    operations = _transfers(wanted, situation, count=counts[0] if counts else 0, adds=adds, refused=_refused(pieces))
    if operations is None:
        return None
    if (number := _only_named(wanted, situation)) is not None and common:
        return [{**each, "item": number} for each in common]
    return _together(operations, common, situation, everyone=any(each.each for each in wanted if _is_memo(each)))


def _together(
    operations: list[Operation], common: list[Operation], situation: Situation, *, everyone: bool
) -> list[Operation]:
    """The operations with what was said once of the day and the memo, which holds for all that the message adds."""
    if not operations or operations[0]["op"] != "add":
        return operations + ([{**each, "item": "all"} for each in common] if everyone else common)
    if not situation.transfers:
        return operations + [{**each, "item": "all"} for each in common]
    said = {each["slot"]: each["value"] for each in common if each["op"] == "set"}
    others = [each for each in common if each["op"] != "set"]
    return [{**each, **said} if each["op"] == "add" else each for each in operations] + others


def _is_all(piece: SlotPiece) -> bool:
    return piece.kind is PieceKind.AMOUNT and piece.value == {"relative": "all"}


def _is_memo(piece: SlotPiece) -> bool:
    return piece.kind is PieceKind.MEMO


def _common(memos: Sequence[str], day: Operation | None) -> list[Operation]:
    changes = [{"op": "set", "slot": "memo", "value": memo} if memo else _NO_MEMO for memo in memos]
    return [*([day] if day else []), *changes]


def _only_named(wanted: Sequence[SlotPiece], situation: Situation) -> int | None:
    """The transfer whose day or memo changes, because the message names it and no amount: 아빠 거는 내일."""
    named = [each for each in wanted if each.kind is not PieceKind.MEMO]
    return _number_of(named[0], situation) if len(named) == 1 else None


def _refused(pieces: Sequence[SlotPiece]) -> list[SlotPiece]:
    return [each for each in pieces if each.negated]


def _removals(wanted: Sequence[SlotPiece], situation: Situation) -> list[Operation] | None:
    operations: list[Operation] = []
    for piece in wanted:
        number = _number_of(piece, situation)
        if number is None:
            return None
        operations.append({"op": "remove", "item": number})
    return operations or None


def _number_of(piece: SlotPiece, situation: Situation) -> int | None:
    """The transfer that an ordinal or a recipient names; ``None`` if it is none of those that are left."""
    if piece.kind is PieceKind.ORDINAL:
        return piece.value if any(each.number == piece.value for each in situation.transfers) else None
    fits = [each.number for each in situation.transfers if piece.kind is PieceKind.RECIPIENT and _same(piece, each)]
    return fits[0] if len(fits) == 1 else None


def _same(piece: SlotPiece, transfer: KnownTransfer) -> bool:
    said: dict[str, Any] = piece.value
    if said.get("person") and transfer.person:
        return bool(said["person"] == transfer.person)
    return bool(transfer.recipient) and said["name"] == transfer.recipient


def _transfers(
    wanted: Sequence[SlotPiece], situation: Situation, *, count: int, adds: bool, refused: Sequence[SlotPiece]
) -> list[Operation] | None:
    ordinals = [each for each in wanted if each.kind is PieceKind.ORDINAL]
    recipients = [each for each in wanted if each.kind is PieceKind.RECIPIENT]
    amounts = [each for each in wanted if each.kind is PieceKind.AMOUNT]
    if ordinals:
        return _of_ordinal(ordinals, recipients, amounts, situation)
    if refused and (changed := _instead(refused, recipients, amounts, situation)) is not None:
        return changed
    if refused and (len(recipients) > 1 or len(amounts) > 1):
        return None  # 엄마한테 오만 원 말고 아빠한테 삼만 원: what was refused may be both.
    if count and count != len(recipients):
        return None if recipients or situation.transfers else _unnamed(count, amounts)
    pairs = _pairs([each for each in wanted if each.kind in {PieceKind.RECIPIENT, PieceKind.AMOUNT}])
    if pairs is None:
        return None
    return _changed(pairs, situation, adds=adds) if situation.transfers else _new(pairs)


def _of_ordinal(
    ordinals: Sequence[SlotPiece],
    recipients: Sequence[SlotPiece],
    amounts: Sequence[SlotPiece],
    situation: Situation,
) -> list[Operation] | None:
    """두 번째는 4만 원으로; 두 번째는 아빠한테."""
    number = _number_of(ordinals[0], situation)
    if len(ordinals) > 1 or number is None or len(recipients) > 1 or len(amounts) > 1:
        return None
    said = [("recipient", each) for each in recipients] + [("amount", each) for each in amounts]
    return [_set(slot, piece, number) for slot, piece in said]


def _instead(
    refused: Sequence[SlotPiece],
    recipients: Sequence[SlotPiece],
    amounts: Sequence[SlotPiece],
    situation: Situation,
) -> list[Operation] | None:
    """엄마 말고 아빠한테: the transfer to the one becomes one to the other. ``None`` where it names no transfer."""
    if len(refused) > 1 or len(recipients) > 1 or len(amounts) > 1 or not situation.transfers:
        return None
    number = _number_of(refused[0], situation)
    if refused[0].kind is PieceKind.AMOUNT:
        fits = [each.number for each in situation.transfers if each.amount == refused[0].value]
        number = fits[0] if len(fits) == 1 else None
    said = [("recipient", each) for each in recipients] + [("amount", each) for each in amounts]
    if number is None or not said:
        return None
    return [_set(slot, piece, number) for slot, piece in said]


def _unnamed(count: int, amounts: Sequence[SlotPiece]) -> list[Operation] | None:
    """3만 원씩 세 명한테: so many transfers whose recipients are asked for."""
    if len(amounts) > 1:
        return None
    return [_add(None, amounts[0] if amounts else None) for _ in range(count)]


def _pairs(pieces: Sequence[SlotPiece]) -> list[_Pair] | None:
    """Who gets what. Recipients in a row share the amount that belongs to the row."""
    runs = [(kind, list(run)) for kind, run in groupby(pieces, key=lambda each: each.kind)]
    if any(kind is PieceKind.AMOUNT and len(run) > 1 for kind, run in runs):
        return None
    if len(runs) > 1 and runs[0][0] is PieceKind.AMOUNT and len(runs) % 2 and len(runs) > 2:
        return None
    pairs: list[_Pair] = []
    amount_first = bool(runs) and runs[0][0] is PieceKind.AMOUNT
    for at in range(0, len(runs), 2):
        two = runs[at : at + 2]
        people = next((run for kind, run in two if kind is PieceKind.RECIPIENT), [])
        amount = next((run[0] for kind, run in two if kind is PieceKind.AMOUNT), None)
        if not people:
            pairs.append((None, amount))
        pairs += [(person, amount) for person in people]
    if amount_first and len(pairs) > 1 and any(recipient is None for recipient, _ in pairs):
        return None
    shared = [amount for _, amount in pairs if amount is not None and amount.value in _WHOLE]
    if len(shared) > 1:
        return None  # Nobody can give all to two.
    names = [recipient.value["name"] for recipient, _ in pairs if recipient]
    return pairs if len(names) == len(set(names)) else None


def _new(pairs: Sequence[_Pair]) -> list[Operation]:
    if len(pairs) > 1:
        return [_add(*pair) for pair in pairs]
    (recipient, amount), *_ = pairs or [(None, None)]
    return [_set(slot, piece) for slot, piece in (("recipient", recipient), ("amount", amount)) if piece]


def _changed(pairs: Sequence[_Pair], situation: Situation, *, adds: bool) -> list[Operation] | None:
    """What changes of the transfers that are left."""
    if not pairs:
        return []
    if len(pairs) > 1:
        return _several(pairs, situation, adds=adds)
    recipient, amount = pairs[0]
    present = situation.transfers[0]
    if recipient is None:
        everyone = amount is not None and amount.each and len(situation.transfers) > 1
        return [_set("amount", amount, "all" if everyone else None)] if amount else []
    number = _number_of(recipient, situation)
    if number is not None and amount is not None:
        return [_set("amount", amount, number)]
    if number is not None:
        return []  # The message names a transfer, and says nothing of it beside its day and memo.
    if adds or recipient.each:
        return [_add(recipient, amount)]
    if amount is not None and present.recipient and situation.asked != "recipient":
        return None
    return [_set(slot, piece) for slot, piece in (("recipient", recipient), ("amount", amount)) if piece]


def _several(pairs: Sequence[_Pair], situation: Situation, *, adds: bool) -> list[Operation] | None:
    numbers = [_number_of(recipient, situation) if recipient else None for recipient, _ in pairs]
    if all(numbers) and all(amount for _, amount in pairs):
        return [_set("amount", amount, number) for (_, amount), number in zip(pairs, numbers, strict=True) if amount]
    if any(numbers) and not adds:
        return None
    lacking = [each.number for each in situation.transfers if not each.recipient]
    if adds:
        return [_add(*pair) for pair, number in zip(pairs, numbers, strict=True) if number is None]
    if len(lacking) == len(situation.transfers) and len(lacking) >= 1:
        return _filled(pairs, lacking)
    return None


def _filled(pairs: Sequence[_Pair], lacking: Sequence[int]) -> list[Operation] | None:
    """The recipients of transfers that lack them; further ones get the amount of the first."""
    if len(lacking) > 1 and len(lacking) != len(pairs):
        return None
    operations: list[Operation] = []
    for at, (recipient, amount) in enumerate(pairs):
        if at < len(lacking):
            said = (("recipient", recipient), ("amount", amount))
            operations += [_set(slot, piece, lacking[at]) for slot, piece in said if piece]
        else:
            added = _add(recipient, amount)
            operations.append(added if amount else {**added, "amount": {"relative": "same"}})
    return operations


def _set(slot: str, piece: SlotPiece, item: int | str | None = None) -> Operation:
    operation = {"op": "set", "slot": slot, "value": piece.value}
    return operation if item is None else {**operation, "item": item}


def _add(recipient: SlotPiece | None, amount: SlotPiece | None) -> Operation:
    return {
        "op": "add",
        **({"recipient": recipient.value} if recipient else {}),
        **({"amount": amount.value} if amount else {}),
    }
