r"""Which text between dollar signs is a formula.

``$`` is also a currency (``$5``) and begins names in shells and programs (``$PATH:$HOME``, ``$A/$B``, ``$(cmd)``). It
opens a formula only where the whole reads as one.
"""

import re
from dataclasses import dataclass

_SIGNS = re.compile(r"(\$\$?)(?!\$)((?:[^$\\]|\\.)+)\1", re.DOTALL)
_GROUP = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname|textbf)\s?\{[^{}]*\}|\\[A-Za-z]+")
_WORD = re.compile(r"[A-Za-z]{4,}|[가-힣]")
_FUNCTIONS = frozenset({"sinh", "cosh", "tanh", "sqrt", "argmax", "argmin", "softmax", "relu", "sign", "rank"})
_TELLS = re.compile(
    r"\\[A-Za-z,;! {}%|]|[\^_=<>≤≥+*/·×÷|!-]|^[A-Za-z]{1,3}'*$|^(?:[A-Za-z]{1,4}'*)?\(.+\)$|^\d+(?:\.\d+)?$|"
    r"^\d?[A-Za-z]$|^\S+(?:,\s?\S+)+$"
)
"""Signs of a formula, or a whole that is one: a variable, a number, a function's value, a pair."""
_UNFINISHED = re.compile(r"[:/;(=&.]$")
_NAME_BEFORE = re.compile(r"[A-Za-z0-9]$")
_NAME_AFTER = re.compile(r"(?!th\b)[A-Za-z0-9_{]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A formula in a line of text.

    Attributes:
        content: what is between the dollar signs.
        end: index after the closing sign.
        double: whether the signs are ``$$``.
    """

    content: str
    end: int
    double: bool


def formula_at(text: str, start: int) -> Formula | None:
    """The formula that the dollar sign at ``start`` opens; ``None`` where it is a currency or a name."""
    found = _SIGNS.match(text, start)
    if found is None or (start and text[start - 1] == "\\"):
        return None
    double = found.group(1) == "$$"
    if not _is_formula(
        text[max(0, start - 1) : start], found.group(2), text[found.end() : found.end() + 3], shown=double
    ):
        return None
    return Formula(content=found.group(2), end=found.end(), double=double)


def _is_formula(before: str, content: str, after: str, *, shown: bool) -> bool:
    if shown:
        return not _WORD.search(_GROUP.sub("", content)) or "\\" in content
    if content[0].isspace() or content[-1].isspace() or _NAME_AFTER.match(after):
        return False
    if _NAME_BEFORE.search(before) and content[0] not in "^_\\":
        return False
    if "\\" not in content and any(word not in _FUNCTIONS for word in _WORD.findall(content)):
        return False
    return not _UNFINISHED.search(content) and _TELLS.search(content) is not None
