"""Josa (particles) that agree with the sound before them (은/는, 이/가, 을/를, 과/와, 으로/로 …).

The writer chose the josa for the written word; the spoken form decides which one is correct. The rules change only josa
after a text that another rule has read, and spellings that leave the choice open, such as 을(를).
"""

import re
from typing import Final

from assistant.speech.text.korean.marks import AFTER_NUMBER, AFTER_WORD, TOPIC
from assistant.speech.text.korean_sound.hangul import is_syllable
from assistant.speech.text.korean_sound.hangul import syllable as letters_of

_PAIRS: Final = (
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("과", "와"),
    ("으로", "로"),
    ("이나", "나"),
    ("이랑", "랑"),
    ("이란", "란"),
    ("이라", "라"),
    ("이며", "며"),
    ("이고", "고"),
    ("이면", "면"),
    ("이든", "든"),
    ("이지", "지"),
    ("이죠", "죠"),
    ("이야", "야"),
    ("이에요", "예요"),
    ("이었", "였"),
    ("이어", "여"),
    ("이라고", "라고"),
    ("이라는", "라는"),
)
_FORMS: Final = {form: pair for pair in _PAIRS for form in pair}
_TAILS: Final = {
    **dict.fromkeys(("은", "는"), "요?"),
    **dict.fromkeys(("이", "가"), "|"),
    **dict.fromkeys(("을", "를"), "|"),
    **dict.fromkeys(("과", "와"), "는|도|의|만"),
    **dict.fromkeys(("으로", "로"), "는|도|만|의|서|서는|서의|써|부터|부터의|까지|만으로|요"),
    **dict.fromkeys(("이나", "나"), "마"),
    **dict.fromkeys(("이란", "란"), ""),
    **dict.fromkeys(("이랑", "랑"), "은"),
    **dict.fromkeys(("이라", "라"), "서|도|면|며|네|니|지만|는데|야"),
    **dict.fromkeys(("이라고", "라고"), "는|도|해도|요|한다|합니다|해요|하는|하면|하며|하고|불러요|부른다|부릅니다"),
    **dict.fromkeys(("이라는", "라는"), "데"),
    **dict.fromkeys(("이면", "면"), "서|요"),
    **dict.fromkeys(("이고", "고"), "요"),
    **dict.fromkeys(("이지", "지"), "만|요|만요"),
    **dict.fromkeys(("이야", "야"), ""),
    **dict.fromkeys(("이었", "였"), "다|습니다|어요|는데|지만|으며|고|던|으면|네요"),
    **dict.fromkeys(("이어", "여"), "서|야|도"),
    "이에요": "",
    "예요": "",
    "이예요": "",
}
_FULL: Final = frozenset({"이고", "이며", "이면", "이지", "이죠"})
"""Forms that are also correct after a vowel."""
_NEEDS_TAIL: Final = frozenset({"이었", "였", "이어", "여"})
_PARTICLE: Final = "|".join(
    f"{form}(?:{_TAILS.get(form, '')}){'' if form in _NEEDS_TAIL else '?'}"
    for form in sorted({*_FORMS, "이예요"}, key=len, reverse=True)
)
_UNCHANGING: Final = (
    "에게서|에게|에서는|에서의|에서도|에서|에는|에도|에만|에|의|까지는|까지의|까지|부터는|부터|"
    "보다는|보다|처럼|마다|조차|"
    "마저|만큼|뿐|밖에|입니까|입니다|이다|인데|일까요|일까|인가요|인지|씩|하고|이하|이상|께서"
)
_AGREEING: Final = re.compile(rf"([{AFTER_NUMBER}{AFTER_WORD}])({_PARTICLE})(?![가-힣])")
_OPEN_CHOICE: Final = re.compile(
    rf"([가-힣])([{AFTER_NUMBER}{AFTER_WORD}]?)(?:"
    r"(은|는|이|가|을|를|과|와)\s?[(/]\s?(은|는|이|가|을|를|과|와)(?:\)|(?![가-힣]))"
    r"|\((으|이)\)(로|나|라|라고|라는|란|며|고|랑|든|면)(?![가-힣])|(으로)/로|(이나)/나|(이랑)/랑)"
)
_TOPIC: Final = re.compile(rf"[{AFTER_NUMBER}{AFTER_WORD}]?\s*{TOPIC}")
_KEPT: Final = re.compile(rf"{AFTER_NUMBER}(?=(?:{_UNCHANGING})(?![가-힣]))|{AFTER_WORD}")


def agreeing(text: str) -> str:
    """Remove the marks from ``text``: josa agree, and a number is separated from anything that is not a josa."""
    plain = _TOPIC.sub(f"{AFTER_WORD}는", text)
    plain = _AGREEING.sub(_agreed, plain)
    return _KEPT.sub("", plain).replace(AFTER_NUMBER, " ")


def with_choices_made(text: str) -> str:
    """Choose one josa where the spelling leaves the choice open. This runs before brackets are removed."""
    return _OPEN_CHOICE.sub(_chosen, text)


def has_coda(syllable: str) -> bool:
    """Whether a Hangul syllable has a coda."""
    return bool(letters_of(syllable).coda)


def ends_in_rieul(syllable: str) -> bool:
    """Whether a Hangul syllable has the coda ㄹ, after which 으로 loses its vowel."""
    return letters_of(syllable).coda == "ㄹ"


def fitting(particle: str, syllable: str) -> str:
    """The form of a josa that agrees with the syllable before it.

    Args:
        particle: either form, such as 을 or 를.
        syllable: the spoken syllable before it.
    """
    closed, open_ = _FORMS.get("이에요" if particle == "이예요" else particle, (particle, particle))
    if not is_syllable(syllable):
        return open_
    if particle in _FULL and not has_coda(syllable):
        return particle
    if closed == "으로" and ends_in_rieul(syllable):
        return open_
    return closed if has_coda(syllable) else open_


def _agreed(found: re.Match[str]) -> str:
    syllable = found.string[found.start() - 1 : found.start()]
    whole = found.group(2)
    form = max((form for form in (*_FORMS, "이예요") if whole.startswith(form)), key=len)
    return fitting(form, syllable) + whole[len(form) :]


def _chosen(found: re.Match[str]) -> str:
    syllable, mark, one, _other, _first, rest, *_ = found.groups()
    if one:
        form = one
    elif rest:
        form = "으로" if rest == "로" else f"이{rest}"
    else:
        form = found.group(7) or found.group(8) or found.group(9)
    del mark
    return syllable + fitting(form, syllable)
