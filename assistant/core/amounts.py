"""Amounts of money in won, as Korean and English say and write them: ``3만5천``, ``삼만 오천 원``, ``35k``. Pure."""

import re
from dataclasses import dataclass
from decimal import Decimal

from assistant.core.times.durations import ENGLISH, ENGLISH_NUMBER, SINO

_SMALL_UNITS = {"십": 10, "백": 100, "천": 1_000}
_LARGE_UNITS = {"만": 10_000, "억": 10**8, "조": 10**12}
_ENGLISH_UNITS = {"thousand": 1_000, "grand": 1_000, "million": 10**6, "billion": 10**9, "k": 1_000, "m": 10**6}
_MOST = 10**15
"""More than all money of a person. What is more was misheard."""
_FIGURES = r"\d{1,3}(?:,\d{3})+(?![\d,])|\d+(?:\.\d+)?"
_VERB = r"(?=\s*(?:보내|이체|송금|부쳐|부치|입금|쏴|쏘|넣어|줘|주세요))"
"""A verb may follow without a space: ``5만원보내줘``."""
_ENDS_KO = (
    r"(?:\s?(?:정도|쯤|가량))?(?P<each>\s?씩)?(?:\s?만|\s?까지)?"
    r"(?:을|를|으로|로|은|는|도|이요|요|이에요|예요|이야|야|입니다|이라고|이고|이랑|하고|과|와)?"
)
_RUN = rf"(?:{_FIGURES}|[영공일삼사오육륙칠팔구십백천만억조]|이(?=\s?[십백천만억조원]))"
"""이 at the end is a particle: 5만이요."""
_KOREAN = re.compile(
    rf"(?<![가-힣\w.,~-])(?P<minus>(?:-|마이너스\s?))?(?P<run>{_RUN}(?:\s?{_RUN})*)"
    rf"(?P<won>\s?(?:원|won\b|krw\b))?{_ENDS_KO}(?:(?![가-힣\w~-])|{_VERB})",
    re.IGNORECASE,
)
_HEARD_WON = (
    r"(?<=\d)\s(?:korean\s+)?(?:one|1)(?=\s*(?:[.,!?;]|$|(?:to|for|each|apiece|per|and|from|today|tomorrow|please)\b))"
)
"""Recognisers write "one" for won. After figures it is no part of the number."""
_AM = r"\s?[ap]\.?m\b"
"""After figures of a time: "1003 PM"."""
_ENGLISH_COUNT = rf"(?:{_FIGURES}|an?|half\s+a|{ENGLISH_NUMBER})"
_ENGLISH = re.compile(
    rf"(?<![\w.,~-])(?P<minus>-|minus\s+)?(?P<sign>₩\s?|krw\s?)?"
    rf"(?P<run>{_ENGLISH_COUNT}(?:(?!{_HEARD_WON}|{_AM})\s*(?:{_ENGLISH_COUNT}|and|hundred|thousand|grand|million|billion|[km]\b))*)"
    rf"(?P<won>\s?(?:korean\s+)?(?:won|krw|원)|{_HEARD_WON})?(?P<each>\s+(?:each|apiece|per\s+person))?"
    r"(?![\w~-])",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    rf"[$€£¥]\s?(?:{_FIGURES})|(?:{_FIGURES}|[가-힣]+|\b[a-z]+)\s?(?:달러|불|엔|유로|위안|"
    rf"파운드|dollars?|bucks|usd|euros?|yen|pounds?|yuan)"
    r"(?![a-z])(?:[가-힣]{0,2})",
    re.IGNORECASE,
)
_LOOSE = re.compile(r"몇\s?(?:십|백|천|만)*\s?원|\d\s?[~-]\s?\d+\s?(?:만|천|백|원)|(?:a few|several|some)\s+thousand")
"""What names no certain amount."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundAmount:
    """An amount in a text.

    Attributes:
        start: where it begins.
        end: where it ends, with its particles.
        won: the amount in won; ``None`` if the words name no certain one.
        each: whether it was said to be for each of several.
        named: whether the unit was said.
    """

    start: int
    end: int
    won: int | None
    each: bool = False
    named: bool = True


def find_amounts(text: str) -> tuple[FoundAmount, ...]:
    """The amounts in a text, in their order.

    A number without a unit counts if it cannot be another number: figures of at least three digits, a Korean number
    that ends in 만, 천 or 억 (오만), an English one with a thousand.
    """
    readers = ((_KOREAN, _korean_amount), (_ENGLISH, _english_amount))
    likely = [amount for pattern, read in readers for match in pattern.finditer(text) if (amount := read(match))]
    likely = [each for each in likely if each.named or not re.compile(_AM, re.IGNORECASE).match(text, each.end)]
    found: list[FoundAmount] = []
    for amount in sorted(likely, key=lambda each: (each.won is None, each.start - each.end)):
        if not any(each.start < amount.end and amount.start < each.end for each in found):
            found.append(amount)
    return tuple(sorted(found, key=lambda each: each.start))


def foreign_money(text: str) -> str:
    """The first amount in another currency; empty without one."""
    found = _FOREIGN.search(text)
    return found.group().strip() if found else ""


def loose_amount(text: str) -> str:
    """The first words that name money and no certain amount, such as ``몇만 원``; empty without such words."""
    found = _LOOSE.search(text)
    return found.group().strip() if found else ""


def korean_won(words: str) -> int | None:
    """The value of a Korean number, in figures, in words or mixed: ``3만 5천``; ``None`` if it is none.

    Units fall from left to right, and a digit stands before at most one unit, so ``이삼만`` is no number.
    """
    parts = re.findall(rf"{_FIGURES}|\S", words.replace(" ", ""))
    total, section, digit = Decimal(0), Decimal(0), None
    small_limit = large_limit = Decimal(_MOST)
    for part in parts:
        if part in _SMALL_UNITS:
            unit = Decimal(_SMALL_UNITS[part])
            if unit >= small_limit:
                return None
            section, digit, small_limit = section + (1 if digit is None else digit) * unit, None, unit
        elif part in _LARGE_UNITS:
            unit = Decimal(_LARGE_UNITS[part])
            before = section + (digit or 0)
            if unit >= large_limit or (digit == 0 and not section):
                return None
            total, section, digit = total + (before or 1) * unit, Decimal(0), None
            large_limit, small_limit = unit, Decimal(10_000)
        elif digit is not None:
            return None
        else:
            digit = Decimal(part.replace(",", "")) if part[0].isdigit() else Decimal(_DIGITS[part])
    value = total + section + (digit or 0)
    return int(value) if value == int(value) and value < _MOST else None


_DIGITS = {word: value for word, value in SINO.items() if value < 10} | {"륙": 6, "영": 0, "공": 0}


def english_won(words: str) -> int | None:
    """The value of an English number, in figures, in words or mixed: ``two hundred and fifty thousand``, ``35k``."""
    pattern = rf"{_FIGURES}|half\s+a|{ENGLISH_NUMBER}|[a-z]+"
    total, section, ended = Decimal(0), Decimal(0), False
    limit = Decimal(_MOST)
    for part in re.findall(pattern, words.lower()):
        word = re.sub(r"[\s-]+", " ", part)
        if word == "and":
            continue
        if word == "hundred":
            if not 0 < section < 10:
                return None
            section, ended = section * 100, False
        elif word in _ENGLISH_UNITS:
            unit = Decimal(_ENGLISH_UNITS[word])
            if unit >= limit or not section:
                return None
            total, section, limit, ended = total + section * unit, Decimal(0), unit, False
        elif ended:
            return None
        else:
            section, ended = section + _english_count(word), True
    value = total + section
    return int(value) if value == int(value) and value < _MOST else None


def _english_count(word: str) -> Decimal:
    if word[0].isdigit():
        return Decimal(word.replace(",", ""))
    return {"half a": Decimal("0.5"), "a": Decimal(1), "an": Decimal(1)}.get(word) or Decimal(ENGLISH[word])


def _korean_amount(match: re.Match[str]) -> FoundAmount | None:
    run, named = match["run"], bool(match["won"])
    if not named and not _is_money_ko(run):
        return None
    won = korean_won(run)
    # 5만만: the last 만 is "only".
    return _found(match, korean_won(run[:-1]) if won is None and run.endswith("만만") else won, named=named)


def _is_money_ko(run: str) -> bool:
    """Whether a number without 원 is an amount: 오만, 3만 5천, 50000. 이만 is "this much" as well."""
    bare = run.replace(" ", "")
    if re.fullmatch(_FIGURES, bare):
        return "." not in bare and len(bare.replace(",", "")) >= 3 and not bare.startswith("0")
    if bare in {"이만", "천만", "백만", "이천", "구천", "만", "천", "백", "십", "억", "조"}:
        return False
    return (bare[-1] in "만천억" and len(bare) > 1) or bool(re.search(r"[만억]", bare[:-1]))


def _english_amount(match: re.Match[str]) -> FoundAmount | None:
    run = match["run"]
    named = bool(match["won"] or match["sign"])
    if not re.search(r"[\d]|thousand|million|billion|grand", run, re.IGNORECASE) and not named:
        return None
    if not named and not re.search(r"thousand|million|billion|grand|\d\s?[km]\b|\d,\d{3}|\d{3,}", run, re.IGNORECASE):
        return None
    return _found(match, english_won(run), named=named)


def _found(match: re.Match[str], won: int | None, *, named: bool) -> FoundAmount:
    value = -won if won is not None and match["minus"] else won
    return FoundAmount(start=match.start(), end=match.end(), won=value, each=bool(match["each"]), named=named)
