"""English words for mathematical and other signs."""

import re
from typing import Final

from assistant.speech.text.english.numerals import digits
from assistant.speech.text.vocabulary import listed

_OVER: Final = re.compile(r"(\([^()∕]{1,60}\)|[^\s∕]{1,60})∕(\([^()∕]{1,60}\)|[^\s∕]{1,60})")
_POWER: Final = re.compile(r"\^\(?(-?\d{1,10}(?:\.\d{1,5})?|[A-Za-z]{1,10})\)?")
_POWERS: Final = {"2": " squared ", "3": " cubed "}
_COMPARISONS: Final = (
    ("(?:<=|≤)", "at most", "at most"),
    ("(?:>=|≥)", "at least", "at least"),
    ("<", "less than", "less than"),
    (">", "greater than", "more than"),
)
"""Between two operands they compare (x < 5). A sign that touches only what follows bounds it (it takes <5 minutes)."""
_OPERATORS: Final = (
    (re.compile(r"\b([A-DF])\+(?!\w)"), r"\1 plus"),
    (re.compile(r"\b([A-DF])-(?=\s|$|[.,!?])"), r"\1 minus"),
    (re.compile(r"(?<=[\w)])\s?[×✕]\s?(?=[\w(√])"), " times "),
    (re.compile(r"(?<=[\d)])\s?\*\s?(?=[\w(])|(?<=[a-z)])\s\*\s(?=[a-z(\d])|(?<=\d)\s[xX]\s(?=\d)"), " times "),
    (re.compile(r"(?<=\d)[xX](?=\d)"), " by "),
    (re.compile(r"(?<=\d)[xX](?![\w])"), " times "),
    (re.compile(r"\s?÷\s?"), " divided by "),
    (re.compile(r"(?<=[\w)])(?:\s\+\s|\+)(?=[\w(√])"), " plus "),
    (re.compile(r"(?<=[\w)])\s-\s(?=\d)|(?<=[\d)])-(?=\d[\d.]{0,10}\s?=)"), " minus "),
    (re.compile(r"\s?(?:!=|≠)\s?"), " is not equal to "),
    (re.compile(r"\s?(?:≈|≒|≃)\s?"), " is about "),
    (re.compile(r"(?<=[A-Za-z]{3})\s>\s(?=[A-Za-z]{3})"), ", "),
    *(
        (re.compile(rf"(?<=[\w)])(?:\s{sign}\s|{sign})(?=[\w(-])"), f" is {compared} ")
        for sign, compared, _ in _COMPARISONS
    ),
    *((re.compile(rf"{sign}\s?(?=\w)"), f" {bound} ") for sign, _, bound in _COMPARISONS),
    (re.compile(r"\s?={1,3}\s?(?=\S)"), " equals "),
    (re.compile("√"), " the square root of "),
    (re.compile("∞"), " infinity "),
    (re.compile("∑"), " the sum of "),
    (re.compile("∫"), " the integral of "),
    (re.compile("∴"), " therefore "),
    (re.compile(r"(?:\b(?:about|around|approximately)\s)?(?<!\w)~\s?(?=\d|\$)"), "about "),
)
_NAMED: Final = {
    "&": " and ",
    "%": " percent ",
    "°": " degrees ",
    "@": " at ",
    "+": " plus ",
    "±": " plus or minus ",
    "§": " section ",
    "$": " dollars ",
    "₩": " won ",
    "€": " euros ",
    "£": " pounds ",
    "¢": " cents ",
    "¥": " yen ",
    "×": " times ",
    "#": " hash ",
}
_GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
        listed(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho "
            "sigma tau upsilon phi chi psi omega gamma delta theta lambda xi pi sigma phi psi omega"
        ),
        strict=True,
    )
)
_LANGUAGES: Final = (
    (re.compile(r"\bC\+\+"), "C plus plus"),
    (re.compile(r"\bC#"), "C sharp"),
    (re.compile(r"\bF#"), "F sharp"),
    (re.compile(r"(?<!\w)\.NET\b"), "dot net"),
    (re.compile(r"\b(Node|Vue|Next|React|Three|Express|D3)\.js\b"), r"\1 J-S"),
    (re.compile(r"\bR&D\b"), "R and D"),
    (re.compile(r"\bQ&A\b"), "Q and A"),
    (re.compile(r"\bAT&T\b"), "A-T and T"),
    (re.compile(r"\b50[-/]50\b"), "fifty-fifty"),
    (re.compile(r"(?<![\d.])(\d{1,2})'(\d{1,2})(?:\"|″|'')?(?!\w)"), r"\1 foot \2"),
    (re.compile(r"\bPh\.?D\b\.?"), "P-H-D"),
    (re.compile(r"\b(?:Ctrl|Control)\s?\+\s?(?=\w)"), "Control "),
    (re.compile(r"\b(Alt|Shift|Cmd|Command|Option|Fn)\s?\+\s?(?=\w)"), r"\1 "),
    (re.compile(r"\b(\d{2,3})/(\d{2,3})(?=\s?mmHg|\smillimeters of)"), r"\1 over \2"),
    (re.compile(r"(?i)(?<=blood pressure of )(\d{2,3})/(\d{2,3})"), r"\1 over \2"),
    (re.compile(r"(?<![\d/])(\d{1,4}\.\d{1,3})/(\d{1,4}(?:\.\d{1,3})?)(?![\d/])"), r"\1 out of \2"),
    (re.compile(r"(?<![\d/])1/2 (?=an?\b)"), "half "),
    (
        re.compile(r"(?<=\w)\s?/\s?(?=(?:month|year|day|week|hour|night|person|user|minute|second|page|item|mile)\b)"),
        " per ",
    ),
    (re.compile(r"(?<=\d)/mo\b"), " per month"),
    (re.compile(r"(?<=\d)/yr\b"), " per year"),
    (re.compile(r"(?<=\d)/hr\b"), " per hour"),
    (re.compile(r"\bc\.\s?(?=[12]\d{3}\b)"), "circa "),
    (re.compile(r"\b24/7\b"), "twenty-four seven"),
    (re.compile(r"\b9/11\b"), "nine eleven"),
    (re.compile(r"\b(?:TCP/IP)\b"), "T-C-P I-P"),
    (re.compile(r"\band/or\b"), "and or"),
    (re.compile(r"#(?=[A-Za-z])"), " hashtag "),
    (re.compile(r"\$(?=[A-Za-z_{])"), " dollar "),
)

_HEXADECIMAL: Final = re.compile(r"(?<!\w)0[xX]([0-9A-Fa-f]{2,16})(?!\w)", re.ASCII)


def with_names_in_words(text: str) -> str:
    """Replace names that contain signs. This runs before the signs are read."""
    for written, spoken in _LANGUAGES:
        text = written.sub(spoken, text)
    return _HEXADECIMAL.sub(_hexadecimal, text) if "0x" in text else text


def _hexadecimal(found: re.Match[str]) -> str:
    signs = (digits(sign) if sign.isdigit() else sign.upper() for sign in found.group(1))
    return f"zero X {' '.join(signs)}"


def with_operators_in_words(text: str) -> str:
    """Replace operators between numbers and letters. This runs before the numbers are read."""
    text = _OVER.sub(r"\1 over \2", text)
    for sign, words in _OPERATORS:
        text = sign.sub(words, text)
    text = text.replace("²", "^2").replace("³", "^3")
    return _POWER.sub(lambda found: _POWERS.get(found.group(1)) or f" to the power of {found.group(1)} ", text)


def with_signs_in_words(text: str) -> str:
    """Replace the remaining signs. This runs after the numbers are read."""
    return "".join(_named(letter) for letter in text)


def _named(letter: str) -> str:
    if letter in _GREEK:
        return f" {_GREEK[letter]} "
    return _NAMED.get(letter, letter)
