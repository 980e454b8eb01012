"""Decides which line of a memory a new line replaces. Pure.

A line is replaced only if both lines give a value to the same attribute, the values differ, and the attribute has one
value at a time or the new line says that something changed. Everything else stays beside the old line: foods that
somebody likes may be several.
"""

import re
from collections.abc import Sequence
from enum import StrEnum

from assistant.memory.facts import Fact, in_lower_case, same_fact
from assistant.memory.statements.english import english_statement
from assistant.memory.statements.korean import korean_statement
from assistant.memory.statements.statement import Statement, kind_of

_LONGEST = 200
"""Maximum length in characters of a line that is read as a statement. A longer one states more than one thing."""

_NUMBER = re.compile(
    r"\d+|첫|둘|두|셋|세|넷|네|다섯|[일이삼사오육칠팔구십]+(?=[번호차층동째])"
    r"|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|fourth|fifth|[a-zª])\b"
)
"""Figures, ordinals, numerals before a counter, and single letters that number things."""


class LineRelation(StrEnum):
    """What a new line is to an old one."""

    SAME = "same"
    """It states the same."""
    UPDATE = "update"
    """It gives a new value."""
    BOTH = "both"
    """It states something else."""


def relation(old: str, new: str, *, changed: bool = False) -> LineRelation:
    """What a new line is to an old one.

    Args:
        old: the old line.
        new: the new line.
        changed: whether the user asks for a change, whatever the new line says.
    """
    if same_fact(old, new):
        return LineRelation.SAME
    before, after = statement_of(old), statement_of(new)
    if before is None or after is None or before.about != after.about:
        return LineRelation.BOTH
    if before.value == after.value:
        return LineRelation.SAME
    if _is_other_verb(before.value, after.value) or kind_of(before.value) != kind_of(after.value):
        return LineRelation.BOTH
    single = before.single and after.single
    if not (changed or single) and _numbers_removed(before.value) == _numbers_removed(after.value):
        # Values of words that differ in a number alone are two things of a kind: box 1 and box 2.
        return LineRelation.BOTH
    return LineRelation.UPDATE if changed or after.changed or single else LineRelation.BOTH


def known_in(facts: Sequence[Fact], text: str) -> Fact | None:
    """The first fact that states the same as a text."""
    return next((fact for fact in facts if relation(fact.text, text) is LineRelation.SAME), None)


def replaced_in(facts: Sequence[Fact], text: str, *, changed: bool = False) -> Fact | None:
    """The fact that a new line replaces; ``None`` when there is none.

    Two facts that give values to the attribute show that it can have several, so neither is replaced.
    """
    old = [fact for fact in facts if relation(fact.text, text, changed=changed) is LineRelation.UPDATE]
    return old[0] if len(old) == 1 else None


def statement_of(text: str) -> Statement | None:
    """What a line states; ``None`` when it is no statement that can be read, or more than one."""
    line = " ".join(in_lower_case(text).replace("’", "'").split()).rstrip(" .!~")
    if len(line) > _LONGEST:
        return None
    return korean_statement(line) if re.search("[가-힣]", line) else english_statement(line)


def _numbers_removed(value: str) -> str:
    """A value of words without its numbers; any other value as it is, because a time or an amount is its numbers."""
    return _NUMBER.sub("", value) if kind_of(value) == "words" else value


def _is_other_verb(before: str, after: str) -> bool:
    """Whether both lines tell what somebody does with a thing, and it is not the same: drinking coffee, buying it."""
    one, other = before.split(" ")[1:], after.split(" ")[1:]
    verbs = {"yes", "no"} >= {before.split(" ")[0], after.split(" ")[0]} and len(one) == len(other) == 1
    return verbs and one != other and "*" not in (*one, *other)
