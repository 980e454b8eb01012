"""Which words of a transcript are signs and commands (D-08).

The name of a sign is written as the sign only where it is certain that it was meant so. Else the words stay: a sign
that is missing is added in a second, a sentence that has lost its words is not understood.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from assistant.speech.dictation.marks import ENGLISH, INTERRUPTS, KOREAN, LONGEST, TAKES_BACK, MarkKind, SpokenMark
from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.policy import WORDS_FINISHED, WORDS_UNFINISHED
from assistant.speech.text.vocabulary import words

_TOKEN: Final = re.compile(r"^([^\w%€$₩]*)(.*?)([^\w%€$₩]*)$", re.DOTALL)
_HANGUL: Final = re.compile(r"[가-힣]")
_ENDS: Final = (".", "!", "?", "…", "。")

_POINTS_KO: Final = words("이 그 저 한 두 세 각 모든 무슨 어떤 어느 여러 몇 이런 그런 저런 가운데 첫")
_POINTING_ENDS: Final = ("의", "된", "던", "운", "한")
"""Ends of words that describe the next noun: 인생의, 중요한, 어려운."""
_ATTACHED: Final = ("에", "에서", "에게", "을", "를", "의", "으로")
"""Particles after which no sentence ends."""
_FOLLOWS_KO: Final = (
    *("찍", "넣", "붙", "쓰", "쓴", "쓸", "써", "썼", "빼", "뺐", "뺄", "빠", "지우", "지워", "추가", "삭제", "사용"),
    *("표시", "입력", "하나", "두", "세", "개", "뒤", "앞", "다음", "위치", "없", "있", "같", "대신", "말고", "모양"),
    *(
        "버튼",
        "키",
        "기호",
        "이름",
        "라는",
        "이라는",
        "라고",
        "이라고",
        "및",
        "또는",
        "아니",
        "다",
        "정도",
        "차이",
        "역할",
    ),
)
"""Beginnings of words with which something is said of a sign that was named before."""
_PARTICLES: Final = re.compile(
    r"(?:를|을|가|이|는|은|의|도|만|로|으로|와|과|랑|이랑|하고|나|이나|에|에서|부터|까지|마다|보다|처럼|라|란|이란|들.*"
    r"|라고.*|라는.*|이라.*|입니다.*|이에요.*|예요.*|인.*|일.*|야|이야|죠|이죠|였.*|이었.*|만큼|대로|밖에|조차|요)$"
)
"""What is attached to the name of a sign that is spoken of."""
_SUBJECT_KO: Final = ("문장부호", "문장 부호", "구두점", "맞춤법", "띄어쓰기")

_POINTS_EN: Final = words(
    "a an the this that these those my your our their its every each another any some extra single missing wrong oxford"
    " serial trailing leading of with without by as like called named word say said says use used using put add added"
    " insert place need needs type typed write remove delete forget forgot is was are and or to"
)
_FOLLOWS_EN: Final = words(
    "is was are were of splice splices key separated delimited goes belongs means character symbol usage rule rules"
    " operator"
)
_ARTICLES: Final = words("a an the this that every each my your our their its another any some")
_ARTICLE_REACH: Final = 3
"""WrittenWords within which an article may stand before its noun: a very long period."""
_SUBJECT_EN: Final = words("punctuation punctuate grammar spelling")


@dataclass(frozen=True, slots=True)
class WrittenWords:
    """WrittenWords that are written as they are.

    Attributes:
        text: the words, with the recogniser's signs.
    """

    text: str


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The last phrase is taken back."""


Step = WrittenWords | SpokenMark | TakeBack


@dataclass(frozen=True, slots=True)
class _Token:
    """A word with the recogniser's signs around it."""

    before: str
    core: str
    after: str

    @property
    def text(self) -> str:
        return f"{self.before}{self.core}{self.after}"


@dataclass(frozen=True, slots=True)
class _Found:
    """The name of a sign: its first word, and the word after it."""

    mark: SpokenMark
    begin: int
    end: int


def steps_of(text: str) -> Sequence[Step]:
    """What is to be written for a transcript, in order. Signs of the recogniser stay with their words."""
    tokens = [_token(each) for each in text.split()]
    signs = {each.begin: each for each in _certain(tokens)}
    steps: list[Step] = []
    waiting: list[str] = []

    def write() -> None:
        if waiting:
            steps.append(WrittenWords(" ".join(waiting)))
            waiting.clear()

    place = 0
    while place < len(tokens):
        if (sign := signs.get(place)) is not None:
            write()
            steps.append(sign.mark)
            place = sign.end
        elif end := _taken_back(tokens, place):
            write()
            steps.append(TakeBack())
            place = end
        else:
            waiting.append(tokens[place].text)
            if tokens[place].after.endswith(_ENDS):
                write()  # each sentence can be taken back
            place += 1
    write()
    return steps


def _token(word: str) -> _Token:
    found = _TOKEN.match(word)
    return _Token(*found.groups()) if found else _Token("", word, "")


def _taken_back(tokens: Sequence[_Token], begin: int) -> int:
    """The place after the words that take back, if they begin here; 0 if they do not."""
    before = tokens[begin - 1].after if begin else "."
    if not before:
        return 0
    said = ""
    for end in range(begin + 1, min(len(tokens), begin + 4) + 1):
        said += tokens[end - 1].core.lower()
        after = tokens[end - 1].after
        alone = before.endswith(_ENDS) and (after.endswith(_ENDS) or end == len(tokens))
        if said in TAKES_BACK and (alone or (said in INTERRUPTS and (after or end == len(tokens)))):
            return end
        if after:
            return 0
    return 0


def _certain(tokens: Sequence[_Token]) -> list[_Found]:
    """The names of signs that are certainly meant as signs."""
    found = [*_named(tokens)]
    if _is_about_signs(tokens, found):
        return []
    begins, ends = {each.begin for each in found}, {each.end for each in found}
    return [
        each
        for each in found
        if _is_meant(
            tokens,
            each,
            apart=each.begin == 0 or bool(tokens[each.begin - 1].after) or each.begin in ends,
            over=each.end == len(tokens) or bool(tokens[each.end - 1].after) or each.end in begins,
        )
    ]


def _named(tokens: Sequence[_Token]) -> Iterator[_Found]:
    place = 0
    while place < len(tokens):
        found = _named_at(tokens, place)
        if found is not None:
            yield found
        place = place + 1 if found is None else found.end


def _named_at(tokens: Sequence[_Token], begin: int) -> _Found | None:
    longest = None
    name = ""
    for end in range(begin + 1, min(len(tokens), begin + LONGEST) + 1):
        name += tokens[end - 1].core.lower().replace("-", "")
        if (mark := KOREAN.get(name) or ENGLISH.get(name)) is not None:
            longest = _Found(mark, begin, end)
        if tokens[end - 1].after:
            break
    return longest


def _is_about_signs(tokens: Sequence[_Token], found: Sequence[_Found]) -> bool:
    """Whether the speaker speaks of signs: names one as a thing, or several that cannot follow each other."""
    said = [each.core.lower() for each in tokens]
    whole = " ".join(said)
    if any(each in whole for each in _SUBJECT_KO) or _SUBJECT_EN & {*said}:
        return True
    # "쉼표를", "commas"
    for place, word in enumerate(said):
        pair = f"{said[place - 1]}{word}" if place else word
        for each in (word, pair):
            if any(each.startswith(name) and _PARTICLES.match(each[len(name) :]) for name in KOREAN):
                return True
            if each.endswith("s") and each[:-1] in ENGLISH:
                return True
    return any(
        first.end == second.begin and not _may_follow(first.mark, second.mark) for first, second in pairwise(found)
    )


def _may_follow(first: SpokenMark, second: SpokenMark) -> bool:
    if (
        MarkKind.BREAK in {first.kind, second.kind}
        or MarkKind.CLOSE in {first.kind, second.kind}
        or second.kind is MarkKind.OPEN
    ):
        return True
    return first.sign == second.sign or {first.sign, second.sign} <= {"?", "!"}


def _is_meant(tokens: Sequence[_Token], found: _Found, *, apart: bool, over: bool) -> bool:
    """Whether a name is meant as the sign.

    Args:
        tokens: the words.
        found: the name.
        apart: whether the speaker pauses before it, or it is the first.
        over: whether the speaker pauses after it, or it is the last.
    """
    if apart and over:
        return True
    korean = bool(_HANGUL.search(tokens[found.begin].core))
    before = "" if apart else tokens[found.begin - 1].core.lower()
    after = "" if over else tokens[found.end].core.lower()
    if korean:
        named = before in _POINTS_KO or before.endswith(_POINTING_ENDS) or after.startswith(_FOLLOWS_KO)
    else:
        named = before in _POINTS_EN or after in _FOLLOWS_EN
    if named:
        return False
    if found.mark.common and not over and not (after and tokens[found.end].core[0].isupper()):
        return False
    return found.mark.kind is not MarkKind.END or _may_end(tokens, found, apart=apart, over=over)


def _may_end(tokens: Sequence[_Token], found: _Found, *, apart: bool, over: bool) -> bool:
    """Whether a sentence may end before a sign that ends one."""
    if apart:
        return True
    sentence = _sentence_before(tokens, found.begin)
    if not sentence:
        return True
    last = sentence[-1]
    korean = bool(_HANGUL.search(last))
    if over and korean:
        return not last.endswith(_ATTACHED)
    if not korean and found.mark.common and _ARTICLES & {each.lower() for each in sentence[-_ARTICLE_REACH:]}:
        return False
    begins = over or tokens[found.end].core[:1].isupper() or korean
    least = WORDS_UNFINISHED if over and not found.mark.common else WORDS_FINISHED
    return begins and (text_completeness(" ".join(sentence), "ko" if korean else "en") or 0.0) >= least


def _sentence_before(tokens: Sequence[_Token], end: int) -> list[str]:
    """The words of the sentence before a place."""
    begin = end
    while begin and not tokens[begin - 1].after.endswith(_ENDS):
        begin -= 1
    return [each.core for each in tokens[begin:end]]
