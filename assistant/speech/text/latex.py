r"""Conversion of LaTeX to mathematical signs, for the formulas of everyday answers.

``\frac{1}{2}`` becomes ``1/2``, ``\sqrt{x}`` becomes ``√x``, ``x^{2}`` becomes ``x^2``. The rules of each language read
the signs.
"""

import re
from typing import Final

from assistant.core.markup.formulas import formula_at
from assistant.speech.text.vocabulary import listed

_FORMULA: Final = re.compile(r"\$\$([^$]{1,400})\$\$|\\\[(.{1,400}?)\\\]|\\\((.{1,400}?)\\\)")
_IN_LINE: Final = re.compile(r"\$(?=[^\s$])[^$\n]{1,200}\$")
_GREEK: Final = dict(
    zip(
        listed(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau "
            "phi chi psi omega"
        ),
        "αβγδεζηθικλμνξπρστφχψω",
        strict=True,
    )
)
_SIGNS: Final = {
    **_GREEK,
    **{name.capitalize(): sign.upper() for name, sign in _GREEK.items()},
    **dict.fromkeys(("times", "cdot", "ast"), "×"),
    **dict.fromkeys(("leq", "le", "leqslant"), "≤"),
    **dict.fromkeys(("geq", "ge", "geqslant"), "≥"),
    **dict.fromkeys(("neq", "ne"), "≠"),
    **dict.fromkeys(("approx", "simeq", "sim"), "≈"),
    **dict.fromkeys(("to", "rightarrow", "Rightarrow", "implies"), ","),
    **dict.fromkeys(("ldots", "cdots", "dots"), "…"),
    **dict.fromkeys(("quad", "qquad", "displaystyle", "left", "right", "limits", "big", "Big"), " "),
    "div": "÷",
    "pm": "±",
    "infty": "∞",
    "sum": "∑",
    "int": "∫",
    "circ": "°",
    "degree": "°",
}
_COMMAND: Final = re.compile(r"\\([A-Za-z]{1,20})|\\(.)")
_GROUP: Final = re.compile(r"\\(?:text|mathrm|mathbf|mathit|operatorname|textbf|boxed|mathbb)\s?\{([^{}]{0,200})\}")
_FRACTION: Final = re.compile(r"\\[dt]?frac\s?\{([^{}]{1,200})\}\s?\{([^{}]{1,200})\}")
_ROOT: Final = re.compile(r"\\sqrt\s?\{([^{}]{1,200})\}")
_BRACES: Final = re.compile(r"\{([^{}]{0,200})\}")
_VARIABLES: Final = re.compile(r"(?<![A-Za-z])(?!sin|cos|tan|log|ln|lim|max|min|mod|exp|det)[a-z]{2,3}(?![A-Za-z])")
"""Adjacent letters, which stand for a product of variables."""
_DEEPEST: Final = 4
"""Nesting levels of braces that are resolved, from the inside out."""


def without_latex(text: str) -> str:
    """``text`` with its formulas in plain signs. Text between dollar signs that is not a formula stays."""
    if "$" not in text and "\\" not in text:
        return text
    text = _FORMULA.sub(lambda found: f" {_plain(next(filter(None, found.groups())))}", text)
    parts, at = [], 0
    while (found := _IN_LINE.search(text, at)) is not None:
        formula = formula_at(text, found.start())
        end = formula.end if formula else found.start() + 1
        parts += [text[at : found.start()], f" {_plain(formula.content)}" if formula else "$"]
        at = end
    return "".join([*parts, text[at:]])


def _plain(formula: str) -> str:
    plain = formula.replace("\\$", " ").replace("\\circ", "°").replace("^°", "°").replace("^{°}", "°")
    for _ in range(_DEEPEST):
        before = plain
        plain = _GROUP.sub(r" \1 ", plain)
        plain = _FRACTION.sub(_fraction, plain)
        plain = _ROOT.sub(lambda root: f" √{_compact(root.group(1))} ", plain)
        plain = re.sub(r"[\^]\{([^{}]{1,50})\}", lambda power: f"^{_compact(power.group(1))} ", plain)
        if plain == before:
            plain = _BRACES.sub(r" \1 ", plain)
    plain = _COMMAND.sub(_command, plain)
    plain = _VARIABLES.sub(lambda found: " ".join(found.group()), re.sub(r"(?<=\d)(?=[A-Za-z√])", " ", plain))
    return " ".join(re.sub(r"[{}\\_&]", " ", plain).split())


def _fraction(found: re.Match[str]) -> str:
    upper, lower = (_compact(part) for part in found.groups())
    bar = "/" if upper.isdigit() and lower.isdigit() else "∕"
    return f" {upper}{bar}{lower} "


def _compact(part: str) -> str:
    return "".join(part.split()) if len(part) < 12 and "\\" not in part else part.strip()


def _command(found: re.Match[str]) -> str:
    name = found.group(1)
    if name is None:
        return "%" if found.group(2) == "%" else " "
    return f" {_SIGNS.get(name, name)} "
