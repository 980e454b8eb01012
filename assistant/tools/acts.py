"""Whether the user's own words name what a call does, so that it needs no question after content from outside. Pure.

A clause names an act if it is an order with the tool's verb: no statement, quotation, report, negation, and no question
about it. The values of the arguments have to fit the request too: its numbers, and for texts of the user's some of its
words, unless the request refers to what was read ("메모해 줘, 거기 나온 재료"). What is in doubt names nothing.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assistant.tools.said_words import folded, said_or_alike, words_of

_QUOTED = re.compile(r"[\"“][^\"”\n]*[\"”]|(?<!\w)['‘][^'’\n]*['’](?!\w)|[「『«][^」』»\n]*[」』»]|`[^`\n]*`")
_AFTER_COLON = re.compile(r"(?<=\w)\s*[:：]\s")
_CLAUSES = re.compile(
    r"(?<=[.!?。？！])\s+|\n+|[,;、]\s*|(?<=말고)\s+|(?<=[가-힣]고)(?<![라다자냐]고)\s+(?!있|싶|나서)"
    r"|\s+그리고\s+|\s+(?:and(?: then)?|but|then)\s+",
    re.IGNORECASE,
)
_NO_REFUSAL = re.compile(r"잊지\s?말고|잊지\s?마\S*|\b(?:don'?t|do not|never) forget to\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"지\s?(?:마|말|않|못)|말고|안\s?(?:해도|해|맞|켜|꺼|울|깨|줄|올|바꿔|적)|없이"
    r"|\b(?:don'?t|do not|doesn'?t|never|not|without|no need|stop asking)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"(?:라|다|자|냐)고\s?(?:하|한|할|해|했|적|쓰|써|쓴|말|나오|나와|되어|돼|뜨|떠|시키)|라는|다는"
    r"|(?:았|었|였|했|췄|켰|졌|놨|뒀|됐|렸|꿨|셨)(?:어|다|는|던|지|니|나|네|습|을|더|고|음)"
    r"|^(?:(?:but|so|well|yesterday|earlier)\s+)?(?:i|we|you|he|she|they|it|this|that|there)(?:'ve|'s|'re|'d)?\s+"
    r"|\b(?:says|said|tells|told|asks|asked|wrote|written|claims|mentions|reads)\b",
    re.IGNORECASE,
)
_WISH = re.compile(r"^(?:i|we)(?:'d| would)? ?(?:like|want|need|wish|have to|must)\b", re.IGNORECASE)
_ASKED_ABOUT = re.compile(
    r"(?:^|\s)(?:뭐(?!든)|뭘|뭔|무엇|무슨|몇|언제|얼마|어떤|어느|어떻게|어떡|어디|왜|누가|누구)"
    r"|^(?:so |and |but )?(?:what|which|when|how|why|who|where|whose|is|are|was|were|did|does|do|has|have|am"
    r"|should)\b",
    re.IGNORECASE,
)
_REFERS = re.compile(
    r"요약|정리|이거|그거|저거|이걸|그걸|이것|그것|거기|여기|내용|방금|아까|위의?\s|나온|적힌|있는|찾은|읽은|말한|이\s?(?:글|페이지|메일|파일|문서)"
    r"|그\s?(?:글|페이지|메일|파일|문서|레시피)|답변|대답|번역"
    r"|\b(?:this|(?<!note )that|that down|it|them|these|those|there|above|here|summary|summar\w+)\b"
    r"|\b(?:results?|what you|answer|translat\w+)\b",
    re.IGNORECASE,
)
_ANY = re.compile(
    r"다\s?(?:읽|보|알려)|전부|모두|모든|최근|마지막|새로|아무|몇|뭐|무슨|\b(?:all|every|latest|last|recent|newest|any|what)\b",
    re.IGNORECASE,
)
"""Words for whatever there is, in requests to be told something."""
_LATER = re.compile(r"뒤|후에|있다가|이따|\b(?:in|later|from now|within)\b", re.IGNORECASE)
_DIGITS = re.compile(r"\d+(?:\.\d+)?")
_CLOCK = re.compile(r"(?:^|[T ])(\d{1,2}):(\d{2})")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_COUNTED = "(?=\\s?(?:시|분|초|개|퍼센트|프로|배|곳|번))"
_NATIVE = ("한", "두", "(?:세|석)", "(?:네|넉)", "다섯", "여섯", "일곱", "여덟", "아홉", "열", r"열\s?한", r"열\s?두")
_TENS = ("십", "이십", "삼십", "사십", "오십", "육십", "칠십", "팔십", "구십")
_ONES = ("일", "이", "삼", "사", "오", "육", "칠", "팔", "구")
_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_ENGLISH_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "hundred": 100}
_NAMED = {"half": 30, "quarter": 15, "noon": 12, "midnight": 0, "an hour": 1, "a minute": 1, "max": 100, "mute": 0}
_WORD_NUMBERS = {
    **{f"{word}{_COUNTED}": value for value, word in enumerate(_NATIVE, 1)},
    **{f"{word}{_COUNTED}": value * 10 for value, word in enumerate(_TENS, 1)},
    **{f"(?<![십가-힣]){word}{_COUNTED}": value for value, word in enumerate(_ONES, 1)},
    **{rf"\b{word}\b": value for value, word in enumerate(_ENGLISH, 1)},
    **{rf"\b{word}\b": value for word, value in (_ENGLISH_TENS | _NAMED).items()},
    "반": 30,
    "정오": 12,
    "자정": 0,
    "스무": 20,
    "서른": 30,
    "최대": 100,
    "음소거": 0,
}
_ALIKE = 1 / 3
"""Share of a text's words that the request has to contain, or words like them: models add titles and endings."""
_FEWEST_CALLS = 2
"""Calls of one tool that a request may name without numbers, such as two reminders."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """What a tool does, in words.

    Attributes:
        names: pattern of the words in a clause that name it, verb and object in Korean and in English; empty for a tool
            that no words of the user's excuse from asking.
        reads: whether it only tells something: a question names it too, and its arguments may come from results.
        texts: the parameters that hold the user's text. The request has to contain some of their words.
        values: for fixed values of parameters, patterns of the words that mean them.
    """

    names: str = ""
    reads: bool = False
    texts: tuple[str, ...] = ()
    values: Mapping[str, str] = field(default_factory=dict)

    def named_in(self, request: str, arguments: Mapping[str, Any], done: int = 0) -> bool:
        """Whether a request names this call.

        Args:
            request: the user's own words.
            arguments: the arguments of the call.
            done: how many calls of the tool this turn has made already.
        """
        if not self.names:
            return False
        clauses = [clause for clause in own_clauses(request) if self._orders(clause)]
        if not clauses:
            return False
        numbers = numbers_in(request)
        if self.reads and (_ANY.search(request) or not self.texts):
            return True
        if done >= max(_FEWEST_CALLS, len(numbers)):
            return False
        return (
            self._values_fit(clauses, arguments)
            and _numbers_fit(request, numbers, self._others(arguments))
            and (self._texts_fit(request, numbers, arguments))
        )

    def _orders(self, clause: str) -> bool:
        found = re.search(self.names, clause, re.IGNORECASE)
        if found is None or _NEGATED.search(clause):
            return False
        if self.reads:
            return True
        return not _ASKED_ABOUT.search(clause) and (_WISH.search(clause) is not None or not _TOLD.search(clause))

    def _others(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in arguments.items() if name not in self.texts}

    def _values_fit(self, clauses: Sequence[str], arguments: Mapping[str, Any]) -> bool:
        wanted = [self.values[each] for each in arguments.values() if isinstance(each, str) and each in self.values]
        return all(any(re.search(each, clause, re.IGNORECASE) for clause in clauses) for each in wanted)

    def _texts_fit(self, request: str, numbers: frozenset[float], arguments: Mapping[str, Any]) -> bool:
        texts = [str(arguments[name]) for name in self.texts if arguments.get(name)]
        if not texts or _REFERS.search(request):
            return True
        if not all(float(each) in numbers for text in texts for each in _DIGITS.findall(text)):
            return False
        words, said = [word for text in texts for word in words_of(text)], words_of(request)
        return bool(words) and sum(said_or_alike(word, said) for word in words) >= _ALIKE * len(words)


NO_ACT = Act()


def own_clauses(request: str) -> Iterator[str]:
    """The clauses of a request without quotations, and without what follows a colon: that is a text to work on."""
    plain = _NO_REFUSAL.sub(" ", _QUOTED.sub(" ", folded(request).replace("’", "'")))
    head = _AFTER_COLON.split(plain, maxsplit=1)[0]
    yield from (each.strip() for each in _CLAUSES.split(head if len(words_of(head)) > 1 else plain) if each.strip())


def numbers_in(text: str) -> frozenset[float]:
    """The numbers of a text, in digits and in common words; half an hour counts as 30."""
    plain = folded(text)
    digits = {float(each) for each in _DIGITS.findall(plain)}
    words = {float(value) for word, value in _WORD_NUMBERS.items() if re.search(word, plain)}
    tens = {a + b for a in words for b in words if a % 10 == 0 and 10 <= a <= 90 and b < 10}
    return frozenset(digits | words | tens)


def _numbers_fit(request: str, numbers: frozenset[float], arguments: Mapping[str, Any]) -> bool:
    """Whether every number of the arguments may be one of the request. A request without numbers leaves them open."""
    if not numbers:
        return True
    possible = numbers | {60 * each for each in numbers} | {each / 60 for each in numbers}
    possible |= {60 * a + b for a in numbers for b in numbers} | {a + 0.5 for a in numbers if 30 in numbers}
    for value in arguments.values():
        if isinstance(value, bool):
            continue
        if isinstance(value, int | float):
            if value and float(value) not in possible:
                return False
        elif isinstance(value, str) and not _clock_fits(request, numbers, value):
            return False
    return True


def _clock_fits(request: str, numbers: frozenset[float], value: str) -> bool:
    """Whether a time may be the one of the request, on either half of the day."""
    if value.startswith("FREQ="):
        return True  # A repetition; its time stands elsewhere.
    clock = _CLOCK.search(value)
    if clock is not None and _LATER.search(request):
        return True  # It was counted from now on.
    hours = {each % 12 for each in numbers}
    if clock is not None:
        hour, minute = int(clock[1]), int(clock[2])
        return hour % 12 in hours and (minute == 0 or float(minute) in numbers or float(60 - minute) in numbers)
    return all(float(each) in numbers or float(each) % 12 in hours for each in _DIGITS.findall(_DATE.sub("", value)))
