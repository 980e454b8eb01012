"""Finds the person whom spoken or typed words name: ``엄마``, ``김 대리님``, ``철수한테``, ``my sister``. Pure.

Every word that was said must be explained by the person who is found: 김 대리 is not 김 과장, 민지 엄마 is not
민지. Only who is named exactly is a match; whoever sounds alike is offered, because a name that was misheard may be
that of somebody else.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from assistant.core.hangul import final_of
from assistant.core.people.relations import ADDRESSES, TITLES, relations_of
from assistant.core.records.people import FoundPeople, Person

Sounds = Callable[[str], Sequence[str]]

MOST_WORDS: Final = 4
"""Most words of a text that are tried as one name."""
MOST_NEAR: Final = 3
"""Most people who are offered."""
NEAR: Final = 0.3
"""Most edits for each sound of a name for its person to be offered, as one in five for 민지 and 빈지."""

_SURNAMES: Final = frozenset(
    "김이박최정강조윤장임한오서신권황안송류유전홍고문양손배백허남심노하곽성차주우구민나진지엄채원천방공현함변염여추도소석"
    "선설마길연위표명기반왕금옥육인맹제모탁국어은편용라리림"
)
_LONG_SURNAMES: Final = ("남궁", "황보", "제갈", "선우", "독고", "사공", "서문", "동방")
_HANGUL: Final = re.compile("[가-힣]+")
_CLOSED: Final = ("이랑", "으로", "이나", "이라고", "이는", "이가", "이의", "이", "은", "을", "과", "아")
"""Particles after a final consonant, among them the 이 that friends put behind a name."""
_OPEN: Final = ("랑", "로", "나", "라고", "가", "는", "를", "와", "야")
_ALWAYS: Final = """
한테서는 한테서 한테는 한테도 한테만 한테 에게서 에게는 에게도 에게만 에게 께서는 께서 께는 께도 께
하고는 하고 보고 더러 앞으로 의 도 만 까지 부터 처럼 네 님 씨 군 양
"""
_ANY: Final = _ALWAYS.split()
"""Particles and courtesies after any syllable."""
_POLITE: Final = frozenset({"님", "씨", "군", "양", "mr", "mrs", "ms", "miss", "mister"})
_BEFORE: Final = "우리 울 내 제 저희 나의 저의 my our to for with from"
_MINE: Final = frozenset(_BEFORE.split())
"""Words before a name that say nothing of who is meant."""
_EDGES: Final = re.compile(r"^[^\w]+|[^\w]+$")
_WORD: Final = re.compile(r"[^\s,，、]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A place of a text that names somebody.

    Attributes:
        start: its first character.
        end: the character after its last one; a particle belongs to it.
        people: whom it may name, at least one.
    """

    start: int
    end: int
    people: tuple[Person, ...]


def find_people(said: str, people: Iterable[Person], *, sounds: Sounds | None = None) -> FoundPeople:
    """Find whom words name.

    Args:
        said: a name, a relation or an alias, with titles, courtesies and particles.
        people: those who are known.
        sounds: the sounds of a name, for who sounds alike; by default its letters, in Hangul the jamo.
    """
    directory = _directory_of(tuple(people))
    if matches := directory.named(said):
        return FoundPeople(matches=matches)
    return FoundPeople(near=directory.near(said, sounds or letters_of))


def mentions(text: str, people: Iterable[Person]) -> tuple[Mention, ...]:
    """The places of a text that name somebody, from left to right; the longest where several begin at one word."""
    directory = _directory_of(tuple(people))
    words, found, first = list(_WORD.finditer(text)), [], 0
    while first < len(words):
        for count in range(min(MOST_WORDS, len(words) - first), 0, -1):
            start, end = words[first].start(), words[first + count - 1].end()
            if matches := directory.named(text[start:end]):
                found.append(Mention(start=start, end=end, people=matches))
                first += count
                break
        else:
            first += 1
    return tuple(found)


def letters_of(name: str) -> tuple[str, ...]:
    """The letters of a name without spaces, those of Hangul syllables as jamo, without the silent ㅇ."""
    letters = unicodedata.normalize("NFD", _plain(name).replace(" ", ""))
    return tuple(each for each in letters if each.isalnum() and each != "\u110b")


class _Known:
    """A person with the forms of the names that are compared."""

    def __init__(self, person: Person) -> None:
        self.person = person
        labels = [_plain(each).split() for each in person.called]
        forms = [form for each in labels for form in (each, _without_courtesy(each), _after_mine(each))]
        self.whole = frozenset(map("".join, forms))
        self.relations = frozenset(relation for each in self.whole for relation in relations_of(each))
        self.titles = frozenset(word for form in forms for word in form) & TITLES
        self.parts, self.surnames = _parts_of(_without_courtesy(_plain(person.name).split()))

    def is_explained(self, words: Sequence[str]) -> bool:
        """Whether each word is a part of the name or a title of the person, and one is a part of the name."""
        named = any(each in self.parts for each in words)
        # 김 대리, Mr Kim: a surname names somebody only beside a title.
        surnamed = len(words) > 1 and any(each in self.surnames for each in words)
        return (named or surnamed) and all(self._explains(each, index) for index, each in enumerate(words))

    def _explains(self, word: str, index: int) -> bool:
        if word in self.parts or word in self.surnames or word in self.titles or word in _POLITE:
            return True
        shared = self.relations & relations_of(word)
        return bool(shared if index == 0 else shared & ADDRESSES)


class _Directory:
    """People by what names them."""

    def __init__(self, people: Iterable[Person]) -> None:
        self.known = [_Known(each) for each in people]
        self._called: defaultdict[str, list[_Known]] = defaultdict(list)
        self._related: defaultdict[str, list[_Known]] = defaultdict(list)
        self._parts: defaultdict[str, list[_Known]] = defaultdict(list)
        for each in self.known:
            for index, keys in (
                (self._called, each.whole),
                (self._related, each.relations),
                (self._parts, each.parts | each.surnames),
            ):
                for key in keys:
                    index[key].append(each)

    def named(self, said: str) -> tuple[Person, ...]:
        """Those whom words name, by the form of the words from which least was taken that names anybody."""
        for words in _forms(said):
            for found in (self._whole(words), self._relatives(words), self._explained(words)):
                if found:
                    return tuple(dict.fromkeys(each.person for each in found))
        return ()

    def _whole(self, words: Sequence[str]) -> list[_Known]:
        return self._called.get("".join(words), [])

    def _relatives(self, words: Sequence[str]) -> list[_Known]:
        return [each for relation in sorted(relations_of("".join(words))) for each in self._related.get(relation, ())]

    def _explained(self, words: Sequence[str]) -> list[_Known]:
        likely = [each for word in words for each in self._parts.get(word, ())]
        return [each for each in likely if each.is_explained(words)]

    def near(self, said: str, sounds: Sounds) -> tuple[Person, ...]:
        """Those whose names sound nearly as the words, or who have a part of the name among them."""
        forms = list(_forms(said))
        heard = [tuple(sounds("".join(words))) for words in forms]
        said_words = {word for words in forms for word in words}
        found = [
            (0.0 if said_words & each.parts else _share(heard, each, sounds), number)
            for number, each in enumerate(self.known)
        ]
        nearest = sorted(each for each in found if each[0] <= NEAR)[:MOST_NEAR]
        return tuple(self.known[number].person for _, number in nearest)


@lru_cache(maxsize=2)
def _directory_of(people: tuple[Person, ...]) -> _Directory:
    """The directory of these people. One message asks for it many times, and making it takes 7 ms for 500 people."""
    return _Directory(people)


def _share(heard: Sequence[Sequence[str]], known: _Known, sounds: Sounds) -> float:
    """The edits for each sound of that name of somebody which is nearest to what was heard."""
    names = [tuple(sounds(each)) for each in known.whole | known.parts]
    pairs = ((form, name) for form in heard for name in names if abs(len(form) - len(name)) <= NEAR * len(name))
    return min((_edits(form, name) / len(name) for form, name in pairs if name), default=1.0)


def _parts_of(name: Sequence[str]) -> tuple[frozenset[str], frozenset[str]]:
    """What of a name names the person alone, and the surnames, which do not.

    The first are the given name, and each word in Latin letters. A name with a relative in it, 민지 엄마 or Aunt
    May, is one name, of somebody else than 민지.
    """
    words = [each for each in name if each not in TITLES and each not in _POLITE]
    if any(relations_of(each) for each in words if not each.isascii() or each == words[0]):
        return frozenset(), frozenset()
    surnames = frozenset(filter(None, map(_surname, words)))
    parts = {part for each in words for part in (each, _given(each)) if len(part) > 1}
    return frozenset(parts), surnames


def _forms(said: str) -> Iterator[list[str]]:
    """The words that were said, then without what may be a particle or a courtesy; from whole to bare."""
    words = [_EDGES.sub("", each) for each in _plain(said).split()]
    words = [each for each in words if each]
    waiting, seen = [words, _after_mine(words)], set()
    while waiting:
        words = waiting.pop(0)
        if not words or tuple(words) in seen:
            continue
        seen.add(tuple(words))
        yield words
        # 김대리님 is written together as often as apart.
        if len(words) == 1 and (split := _with_title_apart(words[0])):
            waiting.append(split)
        if len(words) > 1 and words[-1] in _POLITE:
            waiting.append(words[:-1])
        if len(words) > 1 and words[0] in _POLITE:
            waiting.append(words[1:])
        waiting += [[*words[:-1], shorter] for shorter in _shorter(words[-1])]
        if len(words) > 1 and words[0].endswith("이") and final_of(words[0][:-1]):
            waiting.append([words[0][:-1], *words[1:]])  # 하은이 형


def _shorter(word: str) -> Iterator[str]:
    """A word without one particle or courtesy at its end."""
    for possessive in ("'s", "’s"):
        if word.endswith(possessive):
            yield word.removesuffix(possessive)
    for ending in _ANY:
        if word.endswith(ending) and len(word) > len(ending):
            yield word.removesuffix(ending)
    for endings, closed in ((_CLOSED, True), (_OPEN, False)):
        for ending in endings:
            before = word.removesuffix(ending)
            if before != word and _HANGUL.search(before[-1:]) and (final_of(before) > 0) is closed:
                yield before


def _with_title_apart(word: str) -> list[str]:
    bare = word.removesuffix("님")
    for title in TITLES:
        if bare.endswith(title) and bare != title:
            return [bare.removesuffix(title), title]
    return []


def _after_mine(words: list[str]) -> list[str]:
    while len(words) > 1 and words[0] in _MINE:
        words = words[1:]
    return words


def _without_courtesy(words: Sequence[str]) -> list[str]:
    return [_bare(each) for each in words]


def _bare(word: str) -> str:
    """A word without 님, which belongs to some: 어머님."""
    bare = word.removesuffix("님")
    return bare if bare and (bool(relations_of(bare)) or not relations_of(word)) else word


def _given(name: str) -> str:
    """The given name of a Korean name that is written together with its surname; empty for others."""
    return name.removeprefix(_surname(name)) if _surname(name) else ""


def _surname(name: str) -> str:
    """The surname of a Korean name, or that itself where it is written apart; empty where there is none."""
    if not _HANGUL.fullmatch(name):
        return ""
    long = next((each for each in _LONG_SURNAMES if name.startswith(each)), "")
    return long or (name[0] if name[0] in _SURNAMES else "")


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).casefold().replace(".", " ").split())


def _edits(one: Sequence[str], other: Sequence[str]) -> int:
    """The number of edits (Levenshtein) from one sequence to the other."""
    row = list(range(len(other) + 1))
    for index, letter in enumerate(one, start=1):
        before, row[0] = row[0], index
        for column, wanted in enumerate(other, start=1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != wanted))
    return row[-1]
