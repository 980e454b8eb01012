"""Amounts in a message about a transfer, also those that depend on another: ``반만``, ``나머지 다``, ``오천 원 더``."""

import re

from assistant.core.amounts import find_amounts
from assistant.core.times.durations import ENGLISH, NATIVE
from assistant.flows.services.transfer.reading.pieces import SIGN, MarkedText, PieceKind, SlotPiece

_TAIL = r"(?:만|을|를|으로|로|은|는|이요|요|도)?(?![가-힣])"
_MONEY = r"(?:잔액|잔고|통장|계좌|가진\s?돈|있는\s?돈|남은\s?돈|돈)(?:의|에서|에\s?있는\s?(?:돈|거))?"
_RELATIVE = (
    (
        "half_of_balance",
        rf"{_MONEY}\s?(?:의\s?)?(?:절반|반){_TAIL}",
        r"half (?:of )?(?:my|the) (?:balance|money|account)",
    ),
    ("half", rf"(?<![가-힣])(?:그\s?)?(?:절반|반){_TAIL}", r"\bhalf(?: (?:of (?:it|that)|that|the amount|as much))?\b"),
    (
        "rest",
        rf"(?<![가-힣])(?:나머지|남은\s?(?:돈|거|금액))(?:는|를|을)?(?:\s?(?:다|전부|모두|전액))?{_TAIL}",
        (
            r"\b(?:all )?(?:the|what(?:'s| is)) (?:rest|remainder|left)(?: of (?:it|the money|my (?:money|balance)))?\b"
            r"|\beverything (?:that's |that is )?left\b"
        ),
    ),
    (
        "all",
        rf"(?<![가-힣])(?:{_MONEY}\s?(?:을|를)?\s?(?:전부|전액|모두|다)|전액|전부\s?다|전부){_TAIL}",
        (
            r"\ball (?:of )?(?:my|the) (?:money|balance)\b|\ball of it\b|\b(?:my|the) (?:whole|"
            r"entire) balance\b|\beverything\b"
        ),
    ),
    (
        "same",
        rf"(?<![가-힣])(?:같은\s?(?:금액|액수|돈|만큼)|똑같이|똑같은\s?(?:금액|액수)|같은\s?만큼){_TAIL}",
        r"\bthe same(?: amount| again)?\b",
    ),
)
_TIMES_KO = re.compile(rf"(?<![가-힣\d])(?P<count>\d{{1,2}}|두|세|네|다섯|열)\s?배{_TAIL}")
_TIMES_EN = re.compile(
    r"\b(?:(?P<double>double|twice)|(?P<triple>triple|three times))(?: (?:that|it|as much|the amount))*\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    rf"(?:(?P<before>더)\s?)?({SIGN})\s*(?:더\s?)?"
    r"(?P<after>(?:더|추가로|추가|올려서?|늘려서?|얹어서?|more|extra|on top)(?![가-힣\w]))?",
    re.IGNORECASE,
)
_LESS = re.compile(
    rf"({SIGN})\s*(?:(?:덜|적게|깎아서?|줄여서?|낮춰서?|내려서?|빼고|빼서|less)(?![가-힣\w])|빼(?=\s?(?:줘|주세요)))",
    re.IGNORECASE,
)
_EVERYBODY = re.compile(rf"(?<![가-힣])(?:전부|모두|다|다들)(?:한테|에게|에)?\s+(?={SIGN})")


def mark_money(marked: MarkedText) -> bool:
    """Replace the amounts by signs.

    Returns:
        Whether each amount is certain. After an uncertain one (``이삼만 원``) nothing of the message may count.
    """
    certain = True
    spans = []
    for amount in find_amounts(marked.text):
        if amount.won is None:
            certain = False
            continue
        changes = not marked.text[: amount.end].endswith("로")
        spans.append(
            (amount.start, amount.end, SlotPiece(PieceKind.AMOUNT, amount.won, each=amount.each, bare=changes))
        )
    marked.mark_all(spans)
    marked.text = _EVERYBODY.sub(lambda match: _for_everybody(marked, match), marked.text)
    _mark_changes(marked)
    for name, korean, english in _RELATIVE:
        pattern = re.compile(f"{korean}|{english}", re.IGNORECASE)
        marked.sub(pattern, lambda _, name=name: SlotPiece(PieceKind.AMOUNT, {"relative": name}))  # type: ignore[misc]
    marked.sub(_TIMES_KO, lambda match: _times(match["count"]))
    marked.sub(_TIMES_EN, lambda match: _times("2" if match["double"] else "3"))
    return certain


def _mark_changes(marked: MarkedText) -> None:
    """An amount with "more" or "less" beside it changes the amount before."""

    def more(match: re.Match[str]) -> str:
        piece = marked.at(match[2])
        if _is_change(piece) and ("더" in match.group() or match["after"]):
            piece.value = {"relative": "more", "by": piece.value}
            return f"{match[2]} "
        return match.group()

    def less(match: re.Match[str]) -> str:
        piece = marked.at(match[1])
        if _is_change(piece):
            piece.value = {"relative": "less", "by": piece.value}
            return f"{match[1]} "
        return match.group()

    marked.text = _LESS.sub(less, _MORE.sub(more, marked.text))


def _is_change(piece: SlotPiece) -> bool:
    """Whether an amount can be the difference to another one: 만 원 올려 줘, but not 만 원으로 올려 줘."""
    return piece.kind is PieceKind.AMOUNT and piece.bare and isinstance(piece.value, int)


def _for_everybody(marked: MarkedText, match: re.Match[str]) -> str:
    piece = marked.at(marked.text[match.end()])
    if piece.kind is not PieceKind.AMOUNT:
        return match.group()
    piece.each = True
    return " "


def _times(count: str) -> SlotPiece | None:
    times = int(count) if count.isdigit() else NATIVE.get(count) or ENGLISH.get(count)
    return SlotPiece(PieceKind.AMOUNT, {"relative": "times", "by": times}) if times else None
