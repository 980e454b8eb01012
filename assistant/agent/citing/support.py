"""Whether a passage supports a sentence, as far as code can tell (K-04). Pure.

A sentence is supported by lines that stand together and hold all its numbers, all its names, and most of its other
words. What code cannot follow, such as a negation that the lines do not have, is not supported: a missing citation is
better than a wrong one.
"""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from assistant.agent.gates.numbers import sino_korean, spoken_numbers
from assistant.core.documents import Document
from assistant.core.knowledge.passages import Citation, Passage

LEAST_SHARE: Final = 0.6
"""Share of a sentence's words that have to stand in the lines (``benchmarks/knowledge/citations.py``)."""
MOST_LACKING: Final = 0.5
"""Share of a question's words that what was found for it may lack, where nothing tells how near it is."""
_NEAREST: Final = 0.36
"""Nearness of what answers a question all of whose words it has …"""
_NEARER: Final = 0.4
"""… and what is added to it for a question none of whose words it has (docs/decisions/citations.md)."""
_HANGUL: Final = re.compile("[가-힣]")
_KOREAN: Final = 0.12
"""Share of the letters of a Korean text that are Korean at least, where it has much code."""
_LEAST_FOUND: Final = 2
"""Words, names and numbers that have to be found at least."""
_LINES: Final = 3
"""Lines or sentences that count as standing together."""
_SHORTEST: Final = 6
_LIKELY: Final = 8
"""Passages of a whole file that are compared line by line: those with most of a sentence's words."""

_LISTED: Final = 3
"""Names from which on a sentence is compared with whole lists."""

_COUNTERS: Final = "개|명|번|시|살|가지|달|사람|권|장|대|마리|곳|군데|채|잔|병|주|편|차례|줄|칸|배"
_NUMBER: Final = re.compile(r"\d+(?:[.,:]\d+)*")
_WORD: Final = re.compile(r"[^\W\d_]+")
_LATIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_.+-]*[A-Za-z0-9]|[A-Za-z]")
_SPLIT: Final = re.compile(r"(?<=[.!?。])\s+|\n+")
_MARKUP: Final = re.compile(r"[*_`#>|]+|^\s*(?:[-•]|\d{1,2}[.)])\s+", re.MULTILINE)
_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,2}[.)])\s+\S")
_NEGATION: Final = re.compile(
    r"않|없|못 ?[하했해]|아니|안 돼|금지|\b(?:not|no|never|cannot|without|none)\b|n't", re.IGNORECASE
)
_UNKNOWN: Final = re.compile(
    r"(?:나와|나타나|적혀|쓰여|언급되어?|포함되어?|명시되어?) ?(?:있지)? ?않|찾지 ?못|찾을 수 ?없|알 수 ?없|모르|모릅"
    r"|확인(?:할 수 없|되지 않)|(?:정보|내용|언급)(?:가|이|은|는)? ?없"
    r"|\b(?:do(?:es)? not|don't|doesn't|did not|didn't|could ?n[o']t|cannot|can't|not)"
    r" (?:say|tell|mention|contain|know|find|found|include|specif|provide|state)"
    r"|\bno (?:information|mention)",
    re.IGNORECASE,
)
_ORDER: Final = re.compile(r"[답말]하세요[.!]*\s*$|다고만|\b(?:say|answer|reply) (?:only )?that\b", re.IGNORECASE)
_ASKS_NUMBER: Final = re.compile(r"몇(?! ?가지)|며칠|얼마(?!나|든)|\bhow (?:many|much|old)\b", re.IGNORECASE)
_CLAUSE: Final = re.compile(r"(?<=[.!?,;])\s+|(?<=[가-힣]는데)\s+|(?<=[은인한던건런]데)\s+")
_PARTICLE_WORDS: Final = """
은 는 이 가 을 를 의 에 에서 에게 께 로 으로 와 과 도 만 까지 부터 보다 처럼 마다 이나 나 이며 며 이고 하고 이랑 랑
이라고 라고 에는 에서는 에도 으로는 로는 으로도 이에요 예요 이야 입니다 인데 이라는 라는 이란 란 에게서 한테 이다
들 들은 들이 들을 요
"""
_PARTICLES: Final = sorted(_PARTICLE_WORDS.split(), key=len, reverse=True)
_COPULAS: Final = frozenset({"이에요", "예요", "입니다"})
_ENDING: Final = re.compile(
    r"(?:했|됐|하였|되었|하|되|할|될|한|된|해|돼)(?:습니다|어요|아요|여요|어|아|요|고|며|면|서|는|은|지|게|니다|다|려면|도록|여야|야)*$"
    r"|(?:습니다|세요|어요|아요|여요|네요|군요|지요|죠)$"
)
_COMMON_WORDS: Final = """
그리고 그래서 그러나 하지만 또한 또 및 등 수 것 거 때 더 가장 매우 아주 이것 그것 여기 거기 모든 각 약 있어요
있습니다 있는 있고 해요 합니다 돼요 됩니다 되어 하는 위해 대해 대한 따르면 문서 파일 내용 경우 같은 the a an and or
but of to in on at for with by from as is are was were be been being it its this that these those you your we our
they their he she his her can will would should may must do does did has have had not no so if then than also more
most very there here which who what when where how according document file says
"""
_ASKING: Final = re.compile(
    r"언제|어디.*|누구.*|누가|무엇.*|뭐.*|뭔.*|무슨|어떤.*|어떻게.*|왜|얼마.*|몇.*|어느.*|알려.*|말해.*|설명.*|있나.*|인가.*|되나.*|돼.*|해야.*|"
    r"있.*|없.*|혹시|가능.*|하나.*|궁금.*|찾아.*|정리.*|요약.*|프로젝트.*|tell|please|explain|find|much|many|project|about|get|use"
)
_QUESTION: Final = re.compile(
    r"[?？]\s*$|언제|어디|누구|누가|무엇|뭐|무슨|어떤|어떻게|왜|얼마|몇|어느|알려|설명"
    r"|^\s*(?:what|when|where|who|whose|which|how|why|is|are|does|do|can|tell me|explain)\b",
    re.IGNORECASE,
)
_OF_SORI: Final = re.compile(
    r"(?:^|\s)(?:너|넌|네가|니가|당신|소리)(?=[는은의가야도를랑 ]|\s|$)|\byou(?:r|rs)?\b", re.IGNORECASE
)
_COMMON: Final = frozenset(_COMMON_WORDS.split())


@dataclass(frozen=True, slots=True)
class Claim:
    """What of a sentence can be compared.

    Attributes:
        numbers: its numbers, without separators of thousands.
        names: its words in Latin letters if it is Korean, else its capitalised words and those with digits.
        words: its other content words, without particles and endings.
        negated: whether it denies something.
    """

    numbers: frozenset[str]
    names: frozenset[str]
    words: frozenset[str]
    negated: bool


def claim_of(sentence: str) -> Claim:
    """What a sentence claims."""
    plain = _MARKUP.sub(" ", unicodedata.normalize("NFC", sentence)).strip()
    korean = any("가" <= letter <= "힣" for letter in plain)
    names = {found.group().casefold() for found in _LATIN.finditer(plain) if _is_name(found, korean=korean)} - _COMMON
    words = {stem(each) for each in _WORD.findall(plain)}
    numbers = numbers_in(plain)
    if "1" not in _NUMBER.findall(plain):
        numbers.discard("1")  # "one of" and "한 번에" count nothing.
    return Claim(
        numbers=frozenset(numbers),
        names=frozenset(names),
        words=frozenset(each for each in words if len(each) > 1 and each not in _COMMON) - names - {*map(stem, names)},
        negated=bool(_NEGATION.search(plain)),
    )


def _is_name(found: re.Match[str], *, korean: bool) -> bool:
    word, before = found.group(), found.string[: found.start()].rstrip()
    begins_sentence = not before.strip(" \"'(“‘") or before[-1:] in ".!?:"
    capital = word[0].isupper() and not begins_sentence and len(word) > 1
    return korean or capital or any(map(str.isdigit, word))


def stem(word: str) -> str:
    """A word without its Korean particle or ending, or without an English plural; at least two letters of it.

    It is a part of the word, because it is looked for inside of others. A term of the index is compared as a whole, so
    ``terms_of`` makes "query" of "queries".
    """
    folded = word.casefold()
    if not "가" <= folded[-1:] <= "힣":
        endings = (each for each in ("ies", "es", "s", "ed", "ing") if folded.endswith(each))
        ending = next((each for each in endings if len(folded) - len(each) > 3), "")
        return folded.removesuffix(ending)
    bare = _ENDING.sub("", folded)
    if len(bare) > 1 and bare != folded:
        return bare
    # A unit of one letter, as in "3만 원이에요", is one without its copula.
    shortest = {each: 0 if each in _COPULAS else 1 for each in _PARTICLES}
    fitting = (each for each in _PARTICLES if folded.endswith(each) and len(folded) - len(each) > shortest[each])
    return folded.removesuffix(next(fitting, ""))


def numbers_in(text: str) -> set[str]:
    """The numbers in a text, in digits and without separators of thousands: also "두 개" and "two"."""
    pattern, values = _counting_words()
    counted = {str(values[found.casefold()]) for found in pattern.findall(text)}
    return counted | {re.sub(r",(?=\d{3}(?:\D|$))", "", found) for found in _NUMBER.findall(text)}


@cache
def _counting_words() -> tuple[re.Pattern[str], dict[str, int]]:
    """Finds the number words that count something, and their values.

    Sino-Korean ones are none of them, because they are other words too: "이 사람", "일 번".
    """
    sino = {sino_korean(value) for value in range(1, 100)}
    korean = {word: value for word, value in spoken_numbers("ko") if 0 < value < 100 and word not in sino}
    english = {word: value for word, value in spoken_numbers("en") if value < 100 and word not in ("a", "an", "zero")}
    ways = "|".join(sorted(korean, key=len, reverse=True)), "|".join(sorted(english, key=len, reverse=True))
    found = rf"(?<![가-힣])(?:{ways[0]})(?=\s?(?:{_COUNTERS}))|\b(?:{ways[1]})\b"
    return re.compile(found, re.IGNORECASE), korean | english


def says_unknown(text: str) -> bool:
    """Whether a sentence of a text says that something is not known, so that nothing can support it.

    An order to say so is none: a small model repeats what it was told.
    """
    sentences = [text[begin:end] for begin, end in _pieces(text)]
    return any(_UNKNOWN.search(each) and not _ORDER.search(each) for each in sentences)


def answers_in_kind(question: str, answer: str) -> bool:
    """Whether the last sentence of an answer has a number that the question has not, if the question asks for one.

    A sentence that says that there is none needs none.
    """
    if not _ASKS_NUMBER.search(question):
        return True
    sentence = _last_sentence(answer)
    return bool(numbers_in(sentence) - numbers_in(question)) or claim_of(sentence).negated


def asks_of_files(question: str) -> bool:
    """Whether it asks for a fact. A greeting, a wish or a question about Sori is not about the files."""
    return bool(_QUESTION.search(question)) and not _OF_SORI.search(question)


def lacking(question: str, found: Sequence[Document]) -> tuple[str, ...] | None:
    """The words of a question that what was found does not have, if it hardly answers; ``None`` if it may.

    A text about the subject has most of the question's nouns, and is near to it in meaning. What lacks more of the
    words has to be nearer. Words of another language tell nothing, only names do.

    Args:
        question: the user's question.
        found: what was found for it.
    """
    if not asks_of_files(question):
        return None
    claim = claim_of(_asking_part(question))
    comparable = (*claim.words, *claim.names) if _in_language_of(question, found) else claim.names
    asked = {each for each in comparable if not _ASKING.fullmatch(each)}
    folded = _folded("\n".join(f"{each.title}\n{each.metadata}\n{each.contents}" for each in found))
    missing = len(asked) - _matched(asked, folded)
    share = missing / len(asked) if asked else 0.0
    # What has no vector yet may be the nearest.
    known = [each.nearness for each in found if each.nearness is not None]
    nearest = max(known) if known and len(known) == len(found) else None
    answers = share <= MOST_LACKING if nearest is None else nearest >= _NEAREST + _NEARER * share
    return None if answers else tuple(sorted(each for each in asked if not _matched([each], folded)))


def _in_language_of(question: str, found: Collection[Document]) -> bool:
    """Whether anything that was found is in the language of a question. Korean pages have English words too."""
    korean = bool(_HANGUL.search(question))
    return any((len(_HANGUL.findall(each.contents)) > _KOREAN * len(each.contents)) == korean for each in found)


def _asking_part(question: str) -> str:
    """The clause that asks. What a speaker tells before it ("방이 없다고 해서 그런데") need not stand in a file."""
    *_, last = [each for each in _CLAUSE.split(question) if each.strip()] or [question]
    known = claim_of(last)
    return last if len(known.words) + len(known.names) > 1 else question


def support(sentence: str, passage: str) -> float:
    """How much of a sentence stands in a passage, from 0 for a sentence that it does not support to 1."""
    plain = sentence.strip()
    if len(plain) < _SHORTEST or not _states(plain):
        return 0.0
    return _supported(claim_of(plain), passage)


def _supported(claim: Claim, passage: str) -> float:
    return max((_share(claim, lines) for lines in _together(claim, passage)), default=0.0)


def _is_fragment(claim: Claim) -> bool:
    """Whether it claims so little, as "10월" does, that it says something only together with its question."""
    return 0 < len(claim.numbers) + len(claim.names) + len(claim.words) <= _LEAST_FOUND


def _beyond(own: Claim, asked: Claim) -> Claim | None:
    """What a sentence tells that its question does not have; ``None`` unless that is a number or a name."""
    names = {each for each in own.names if each not in asked.names and each not in asked.words}
    told = Claim(
        numbers=own.numbers - asked.numbers,
        names=frozenset(names),
        words=own.words - asked.words - asked.names,
        negated=own.negated,
    )
    return told if told.numbers or told.names else None


def _told_support(own: Claim, asked: Claim, known: str, given: Citation, *, fragment: bool) -> float:
    """How much of what an answer tells stands together with its question in a document.

    Args:
        own: what it tells.
        asked: the question. Its words that any document has have to stand in this one: they tell it from the others.
        known: all documents.
        given: the document.
        fragment: whether it tells nothing else, so that all its words have to stand in the lines.
    """
    here, title = _folded(f"{given.title}\n{given.text}"), _folded(given.title)
    words = {each for each in asked.words if not _ASKING.fullmatch(each)}
    if any(_matched([each], known) and not _matched([each], here) for each in words):
        return 0.0
    # What a list is a list of is told before it.
    context = here if _is_list(own) else title
    both = Claim(
        numbers=own.numbers | (asked.numbers - numbers_in(context)),
        names=own.names | {each for each in asked.names if each not in context},
        words=own.words | {each for each in words if not _matched([each], context)},
        negated=own.negated,
    )
    needed = len(own.words) if fragment else 0
    places = _together(own, given.text)
    holding = (lines for lines in places if _matched(own.words, _folded("\n".join(lines))) >= needed)
    return max((_share(both, lines) for lines in holding), default=0.0)


def _folded(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def supporting(sentence: str, given: Collection[Citation], question: str = "") -> int:
    """The number of the document that supports a sentence best; 0 for none. Of equals the first, found best, counts.

    Args:
        sentence: a sentence of the answer.
        given: the documents.
        question: what was asked, together with which the words of an answer are compared; empty for nothing.
    """
    if not _states(sentence):
        return 0
    asked = claim_of(question)
    own = _with_names_of(asked, claim_of(sentence))
    fragment = bool(question) and _is_fragment(own)
    told = own if fragment else _beyond(own, asked)
    ways = list[Callable[[Citation], float]]()
    if not fragment and len(sentence.strip()) >= _SHORTEST:
        ways.append(lambda each: _supported(own, each.text))
    if question and told is not None:
        known = _folded("\n".join(f"{each.title}\n{each.text}" for each in given))
        ways.append(lambda each: _told_support(told, asked, known, each, fragment=fragment))
    for way in ways:
        best, number = max(((way(each), each.number) for each in given), key=lambda each: each[0], default=(0.0, 0))
        if best:
            return number
    return 0


def _with_names_of(asked: Claim, own: Claim) -> Claim:
    """The claim with the names that its question shows to be names: a sentence may begin with one."""
    return replace(own, names=own.names | (own.words & asked.names), words=own.words - asked.names)


def _states(sentence: str) -> bool:
    """Whether it states something, and does not ask, announce, or say that something is not known."""
    return not sentence.rstrip().endswith(("?", "？", ":")) and not says_unknown(sentence)


def best_excerpt(given: Citation, before: str, longest: int) -> Citation:
    """The citation with the part of its text that the words before it were made of.

    Args:
        given: the citation with its whole text.
        before: the answer up to the citation.
        longest: a text of at most this many characters stays whole.
    """
    text = given.text
    if len(text) <= longest:
        return given
    claim = claim_of(_last_sentence(before))
    pieces = _pieces(text) or [(0, longest)]
    begin, end = max(pieces, key=lambda piece: _matches(claim, text[slice(*piece)]))
    room = max(0, longest - (end - begin)) // 2
    start = max(0, begin - room)
    if start:
        start = text.find("\n", start, begin) + 1 or begin
    return replace(given, text=text[start : end + room].strip()[:longest])


def best_passage(passages: Sequence[Passage], before: str) -> Passage | None:
    """The passage that the words before a citation were made of; ``None`` if none has any of them.

    Args:
        passages: the passages of the cited file.
        before: the answer up to the citation.
    """
    sentence = _last_sentence(before)
    claim = claim_of(sentence)

    def fit(passage: Passage) -> tuple[float, int]:
        matches = (_matches(claim, "\n".join(lines)) for lines in _windows(passage.text))
        return support(sentence, passage.text), max(matches, default=0)

    # Comparing every line of a book would hold the answer up.
    likely = sorted(passages, key=lambda each: -_matches(claim, each.text))[:_LIKELY]
    best = max(likely, key=fit, default=None)
    return best if best is not None and any(fit(best)) else None


def _last_sentence(before: str) -> str:
    sentences = [each for each in _SPLIT.split(before.strip()) if len(each) >= _SHORTEST]
    return sentences[-1] if sentences else before


def _pieces(text: str) -> list[tuple[int, int]]:
    """The places of the lines and sentences of a text."""
    ends = [(found.start(), found.end()) for found in _SPLIT.finditer(text)]
    begins = [0, *(after for _, after in ends)]
    return [
        (begin, end)
        for begin, end in zip(begins, [*(end for end, _ in ends), len(text)], strict=True)
        if text[begin:end].strip()
    ]


def _windows(passage: str) -> list[list[str]]:
    text = unicodedata.normalize("NFC", passage)
    lines = [text[slice(*piece)] for piece in _pieces(text)]
    return [lines[at : at + _LINES] for at in range(max(1, len(lines) - _LINES + 1))]


def _together(claim: Claim, passage: str) -> list[list[str]]:
    """The lines that count as standing together for a claim.

    What names several things may take them from a list of any length.
    """
    return [*_windows(passage), *(_lists(passage) if _is_list(claim) else [])]


def _is_list(claim: Claim) -> bool:
    """Whether it names several things. With a number it does not, because a list has the numbers of all its items."""
    return len(claim.names) >= _LISTED and not claim.numbers


def _lists(passage: str) -> list[list[str]]:
    """The lists of a passage, each with the line before it."""
    lines = unicodedata.normalize("NFC", passage).splitlines()
    items = [bool(_ITEM.match(line)) for line in lines]
    begins = [at for at in range(len(lines)) if items[at] and not (at and items[at - 1])]
    ends = [next((end for end in range(at, len(lines)) if not items[end]), len(lines)) for at in begins]
    return [
        [*[line for line in lines[:at] if line.strip()][-1:], *lines[at:end]]
        for at, end in zip(begins, ends, strict=True)
    ]


def _share(claim: Claim, lines: Sequence[str]) -> float:
    together = "\n".join(lines)
    folded = together.casefold()
    certain = len(claim.numbers) + len(claim.names)
    if not claim.numbers <= numbers_in(together) or not all(name in folded for name in claim.names):
        return 0.0
    words = _matched(claim.words, folded)
    if words + certain < _LEAST_FOUND or (claim.words and not words):
        return 0.0
    closest = max(lines, key=lambda line: _matches(claim, line))
    if claim.negated != bool(_NEGATION.search(closest)):
        return 0.0
    share = (words + certain) / (len(claim.words) + certain)
    return share if share >= LEAST_SHARE else 0.0


def _matches(claim: Claim, text: str) -> int:
    folded = text.casefold()
    names = sum(name in folded for name in claim.names)
    return 2 * len(claim.numbers & numbers_in(text)) + names + _matched(claim.words, folded)


def _matched(words: Iterable[str], folded: str) -> int:
    tight = folded.replace(" ", "")
    return sum(word in folded or ("가" <= word[0] <= "힣" and word in tight) for word in words)
