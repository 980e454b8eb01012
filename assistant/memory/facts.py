"""The lines of a memory file. Pure.

A fact is a line ``- …``. Sori adds the day as a comment, which editors do not show and a model is not sent. Every other
line belongs to the user and stays as it is.
"""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from assistant.core.hangul import final_of

_COMMENT = (
    r"<!--\s*(?P<since>\d{4}-\d\d-\d\d)(?P<unasked>\s+unasked)?(?P<outside>\s+outside)?"
    r"(?:\s+from\s+(?P<source>[\w-]+))?\s*-->"
)
_FACT = re.compile(rf"^\s*[-*]\s+(?P<text>.*?)\s*(?:{_COMMENT})?\s*$")
_WORD = re.compile(r"\w+")
_ENDINGS = "이다|다|이야|야|이에요|예요|에요|입니다|이고|고|요"
_ENDING = re.compile(rf"(?<=[가-힣])(?:{_ENDINGS})$")
"""What a last word may end with. It has no other particle, so a name such as 정은 keeps its last syllable there."""
_PARTICLES = re.compile(
    rf"(?<=[가-힣])(?:은|는|이|가|을|를|에|에서|에게|한테|의|와|과|도|만|로|으로|께서|부터|까지|{_ENDINGS})$"
)
_TOPIC = re.compile(r"(?<=[가-힣])[은는]$")
_AFTER_CONSONANT = ("은", "이", "을", "과", "으로", "이다", "이야", "이에요", "이고")
_AFTER_VOWEL = ("는", "가", "를", "와", "야", "예요")
"""Forms that follow only a final consonant, or only a vowel: 지은 is a name, because 지 would be followed by 는."""
_LETTER_NAME = re.compile(r"(?<=\w )A\b")
"""The A of "Plan A". In lower case it would be an article, which does not count."""
_THERE_IS = re.compile(r"있(?:어요?|습니다|음)$")
_MYSELF = frozenset({"나", "저", "내", "제", "i", "my", "me", "am", "is", "are", "the", "a", "an"})
"""Words that do not tell one fact from another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One fact.

    Attributes:
        text: the fact, in the user's words.
        since: the day on which Sori noted it, as ``YYYY-MM-DD``; empty for a line that the user wrote.
        source: id of the message that it came from; empty when it came from elsewhere. It stands in the line itself, so
            it stays with the line when the user edits or moves it.
        unasked: whether Sori noted it without being asked, so that nobody has approved it.
        outside: whether it was noted beside content from outside, and may repeat such content.
    """

    text: str
    since: str = ""
    source: str = ""
    unasked: bool = False
    outside: bool = False


def facts_in(content: str) -> tuple[Fact, ...]:
    """The facts of a file, oldest first."""
    return tuple(fact for _, fact in _numbered(content))


def with_fact(content: str, fact: Fact) -> str:
    """The file with one more fact at its end."""
    marks = f"{' unasked' if fact.unasked else ''}{' outside' if fact.outside else ''}"
    origin = f"{marks}{f' from {fact.source}' if fact.source else ''}"
    comment = f" <!-- {fact.since}{origin} -->" if fact.since else ""
    line = f"- {plain(fact.text)}{comment}\n"
    return f"{content}{'' if not content or content.endswith(chr(10)) else chr(10)}{line}"


def without_facts(content: str, gone: Collection[Fact]) -> str:
    """The file without these facts; every other line stays as it is."""
    places = {place for place, fact in _numbered(content) if fact in gone}
    return "".join(line for place, line in enumerate(content.splitlines(keepends=True)) if place not in places)


def with_changed_fact(content: str, old: Fact, new: Fact) -> str:
    """The file with one fact in place of another; every other line stays as it is."""
    lines = content.splitlines(keepends=True)
    for place, fact in _numbered(content):
        if fact == old and fact != new:
            lines[place] = with_fact("", new)
            break
    return "".join(lines)


def with_other_facts(content: str, facts: Sequence[Fact]) -> str:
    """The file with these facts in place of its own; every other line stays as it is."""
    rest = without_facts(content, facts_in(content))
    for fact in facts:
        rest = with_fact(rest, fact)
    return rest


def plain(text: str) -> str:
    """A text as one line without marks of a comment, so that it cannot become several facts or hide its end."""
    return " ".join(text.replace("<!--", " ").replace("-->", " ").split())


def in_lower_case(text: str) -> str:
    """A text in NFC and lower case, in which a letter that names something is no article."""
    return _LETTER_NAME.sub("ª", unicodedata.normalize("NFC", text)).casefold()


def same_fact(one: str, other: str) -> bool:
    """Whether two texts state the same fact in nearly the same words.

    Case, spaces, punctuation, Korean particles and endings, and words for the speaker do not count. Every other word
    and every number does.
    """
    return _core(one) == _core(other)


def about(facts: Collection[Fact], words: str) -> tuple[Fact, ...]:
    """The facts that contain every word of ``words``, with any particles and spacing."""
    wanted = [_stem(word) for word in _words(words)]
    wanted = [word for word in wanted if word not in _MYSELF] or wanted
    if not wanted:
        return ()
    return tuple(fact for fact in facts if all(word in "".join(_words(fact.text)) for word in wanted))


def _numbered(content: str) -> Iterator[tuple[int, Fact]]:
    for place, line in enumerate(content.splitlines()):
        found = _FACT.match(line)
        if found and found["text"]:
            since, source = found["since"] or "", found["source"] or ""
            unasked, outside = found["unasked"] is not None, found["outside"] is not None
            yield place, Fact(text=found["text"], since=since, source=source, unasked=unasked, outside=outside)


def _core(text: str) -> str:
    """The words that tell a fact from others. Numbers that follow each other stay apart: room 1 23, room 12 3."""
    words = [_THERE_IS.sub("있", word) for word in _words(text)]
    # A sentence has one topic. What looks like an earlier one is a name: 정은 생일은 …
    topic = max((place for place, word in enumerate(words[:-1]) if _TOPIC.search(word)), default=-1)
    stems = []
    for place, word in enumerate(words):
        stem = _ENDING.sub("", word) if place == len(words) - 1 else _stem(word)
        is_name = place < topic and _TOPIC.search(word) and stem not in _MYSELF
        stems.append(word if is_name else stem)
    return re.sub(r"(?<!\d) | (?!\d)", "", " ".join(stem for stem in stems if stem not in _MYSELF))


def _words(text: str) -> list[str]:
    return _WORD.findall(in_lower_case(text).replace("'s ", " "))


def _stem(word: str) -> str:
    stem = _PARTICLES.sub("", word)
    particle = word[len(stem) :]
    wrong = _AFTER_VOWEL if final_of(stem) else _AFTER_CONSONANT
    return word if particle in wrong else stem
