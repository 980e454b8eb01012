"""Converts LaTeX formulas to readable text: Greek letters, signs, scripts, fractions with a slash."""

import re
from functools import cache

from pylatexenc.latex2text import LatexNodes2Text, MacroTextSpec, get_default_latex_context_db
from pylatexenc.latexwalker import LatexNode

LONGEST_FORMULA = 4000
"""Characters of a formula that is converted."""
_RAISED = str.maketrans(
    "0123456789+-−=()nijabcdefghklmoprstuvwxyzTβγδθφχ", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱʲᵃᵇᶜᵈᵉᶠᵍʰᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻᵀᵝᵞᵟᶿᵠᵡ"
)
_LOWERED = str.maketrans("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
_SCRIPT = re.compile(r"([\^_])\s*(?:\{([^{}]*)\}|(\\[A-Za-z]+|[^\s{}\\]))")
_SIMPLE = re.compile(r"[\w\d.′']+")
_MARK = {"^": "\ue000", "_": "\ue001"}
"""Private-use characters in place of the script markers while the text between them is converted."""
_MARKED = re.compile("([\ue000\ue001])\ue002([^\ue000-\ue003]*)\ue003")
_SPACED = re.compile(r"\s*([=≠≤≥≈≡<>⇒→±×÷∈∉⊂⊆∪∩])\s*")
_NO_SIGN = ("left", "right", "big", "Big", "bigl", "bigr", "displaystyle", "limits", "nolimits", "boxed")
"""Macros for layout, without a meaning in text."""


def formula_text(latex: str) -> str:
    """The characters for ``latex``.

    Superscripts and subscripts become Unicode characters if all of them exist, else ``^(…)`` and ``_(…)``. Text that is
    not valid LaTeX, or longer than ``LONGEST_FORMULA``, is returned unchanged.
    """
    if len(latex) > LONGEST_FORMULA:
        return latex.strip()
    marked = latex
    for _ in range(4):  # scripts within scripts, from the inside
        marked, found = _SCRIPT.subn(_set_apart, marked)
        if not found:
            break
    try:
        text = _converter().latex_to_text(marked)
    except (ValueError, IndexError, RecursionError, AttributeError):  # what pylatexenc raises on broken input
        return latex.strip()
    for _ in range(4):
        text, found = _MARKED.subn(_as_script, text)
        if not found:
            break
    return " ".join(_SPACED.sub(r" \1 ", text).split()) or latex.strip()


def _set_apart(script: re.Match[str]) -> str:
    inner = script.group(2) if script.group(2) is not None else script.group(3)
    return f"{_MARK[script.group(1)]}\ue002{inner} \ue003" if inner.startswith("\\") else _apart(script.group(1), inner)


def _apart(marker: str, inner: str) -> str:
    return f"{_MARK[marker]}\ue002{inner}\ue003"


def _as_script(script: re.Match[str]) -> str:
    raised = script.group(1) == _MARK["^"]
    inner = script.group(2).strip()
    compact = inner.replace(" ", "")
    if raised and compact in {"∘", "°"}:
        return "°"
    if raised and compact in {"′", "'"}:
        return "′"
    moved = compact.translate(_RAISED if raised else _LOWERED)
    if not set(compact) & set(moved):
        return moved
    sign = "^" if raised else "_"
    return f"{sign}{inner}" if len(compact) == 1 else f"{sign}({inner})"


@cache
def _converter() -> LatexNodes2Text:
    words = get_default_latex_context_db()
    words.add_context_category(
        "sori",
        macros=[
            MacroTextSpec("frac", simplify_repl=_fraction),
            MacroTextSpec("dfrac", simplify_repl=_fraction),
            MacroTextSpec("tfrac", simplify_repl=_fraction),
            MacroTextSpec("sqrt", simplify_repl=_root),
            *(MacroTextSpec(name, simplify_repl="") for name in (*_NO_SIGN, "operatorname")),
        ],
        prepend=True,
    )
    return LatexNodes2Text(latex_context=words, math_mode="text", strict_latex_spaces="macros", keep_comments=True)


def _fraction(node: LatexNode, l2tobj: LatexNodes2Text) -> str:
    above, below = (_group(each, l2tobj) for each in node.nodeargd.argnlist[-2:])
    return f"{_bracketed(above)}/{_bracketed(below)}"


def _root(node: LatexNode, l2tobj: LatexNodes2Text) -> str:
    degree, inner = node.nodeargd.argnlist[-2:]
    sign = {"3": "∛", "4": "∜"}.get(_group(degree, l2tobj) if degree is not None else "", "√")
    return f"{sign}{_bracketed(_group(inner, l2tobj))}"


def _group(node: LatexNode | None, l2tobj: LatexNodes2Text) -> str:
    return "" if node is None else str(l2tobj.nodelist_to_text([node])).strip()


def _bracketed(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"
