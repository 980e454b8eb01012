"""Detection of a called name in a transcript, in any spelling (V-06). Pure functions.

A name needs no training. The beginning of the transcript is compared with the name sound by sound, over windows that
are up to one syllable shorter or longer than the name.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from assistant.speech.text.korean_sound.hangul import is_syllable, syllable
from assistant.speech.text.names.sounds import Unit, distance, sounds, units

_LEAST_EDITS: Final = 2.0
_SOUNDS_AN_EDIT: Final = 4
_SHORT_EDITS: Final = (0.0, 0.5, 1.0)
"""Most edits of names with no, one and two syllables: each further one would match common words."""
_MORE_EDITS_CALLED: Final = 0.5
"""Further edits of a short name with a vocative particle, which few common words have."""
_LEAST_LETTERS: Final = 5
"""Letters of an English name that may have one wrong letter. A shorter name becomes another word by it."""
_KNOWN_SHARE: Final = 2.0
"""Share of the allowed edits in a further transcript of a call."""
_LATEST: Final = 4
"""Most syllables of openers before the name."""
_LATEST_ALONE: Final = 2
"""Most syllables of another word before an exact name with a vocative particle (우리 도치야)."""
_OPENERS: Final = frozenset(
    ("아", "어", "음", "흠", "저", "저기", "저기요", "야", "자", "그", "근데", "그럼", "헤이", "하이", "안녕",
     "안녕하세요", "여보세요", "오케이", "오", "에이", "이봐", "있잖아", "네", "응")
)  # fmt: skip
"""What people say before a name that they call."""
_VOCATIVES: Final = ("이야", "님아", "야", "아", "여", "님", "씨", "이")
_PARTICLES: Final = re.compile(
    r"(?:이|은|는|이는|가|이가|을|를|이를|의|도|만|와|과|랑|이랑|하고|한테|에게|에서|에|로|으로|보다|처럼|까지|부터|들"
    r"|라고|이라고|라는|이라는)$"
)
_OWNED: Final = ("'s", "’s")
"""Ends of an English name whose owner is spoken about."""
_SILENT: Final = "ㅇ"
_JOINED: Final = re.compile(r"[가-힣A-Za-z0-9]+")
_LEAST_JOINED: Final = 3
"""Syllables of a name, with its particle, to which a request may be joined."""
_SENTENCE_ENDS: Final = ".!?。！？…"
_BEGINS: Final = frozenset({"Ps", "Pi", "Sc"})
"""Categories of signs that belong to the word behind them: brackets and quotation marks that open, currencies."""


@dataclass(frozen=True, slots=True)
class Call:
    """A name that is called in a transcript.

    Attributes:
        edits: how far the transcript's sounds are from the name's.
        end: where the name ends in the transcript, including its particle.
        opened: whether other words come before the name.
        start: where the name begins.
        keeps: whether the words before the name belong to the request.
    """

    edits: float
    end: int
    opened: bool = False
    start: int = 0
    keeps: bool = False


@dataclass(frozen=True, slots=True)
class _Name:
    """A wake phrase.

    Attributes:
        forms: its sounds, alone and with a vocative particle, each with the most edits that may separate it from what
            was heard.
        letters: its letters, if all of them are Latin.
        syllables: number of its syllables.
        bare: its sounds with and without a vocative particle of its own.
    """

    forms: tuple[tuple[tuple[str, ...], float], ...]
    letters: str
    syllables: int
    bare: frozenset[tuple[str, ...]] = frozenset()


def called(text: str, phrase: str, *, known: bool = False) -> Call | None:
    """Find the call of a wake phrase at the beginning of a transcript.

    A name in the middle of a sentence, or with a particle of a subject or an object, is spoken about and not called.

    Args:
        text: the transcript.
        phrase: the wake phrase, in Korean or English.
        known: whether an earlier transcript of the same sound has shown the call. More edits are then allowed.
    """
    name = _name(phrase)
    share = _KNOWN_SHARE if known else 1.0
    parts = units(text)
    if not name.forms:
        return None
    for start, first in enumerate(parts):
        before = sum(len(each.said) for each in parts[:start])
        if before > _LATEST:
            return None
        if first.starts_word and (call := _call_from(text, parts, start, name, share)) is not None:
            opened = all(said in _OPENERS for said in _words_before(text, first.start))
            addressed = call.edits == 0 and text[: call.end].endswith(("야", "아"))
            if opened or (addressed and before <= _LATEST_ALONE):
                return replace(call, opened=before > 0, start=first.start)
    return None


def request_after(text: str, call: Call) -> str:
    """The request in a transcript with a call: the words after the name or around it; empty when there are none."""
    start = past_marks(text, call.end)
    after = text[start:].strip()
    before = text[: call.start].rstrip() if call.keeps else ""
    if not before:
        return after
    mark = next((sign for sign in text[call.end : start] if sign in _SENTENCE_ENDS), "")
    bare = before.rstrip(",，、;:~–—- ")
    if bare[-1:] in _SENTENCE_ENDS:
        mark = ""
    elif after and not mark:
        mark = "," if bare != before else ""
    return f"{bare}{mark} {after}".rstrip()


def past_marks(text: str, start: int) -> int:
    """The position of the first word at or behind ``start``, with the signs that belong to it (-3, $5, "안녕")."""
    for at in range(start, len(text)):
        sign, following = text[at], text[at + 1 : at + 2]
        spaced = at == 0 or text[at - 1].isspace()
        if sign.isalnum() or (spaced and following.isalnum() and not following.isspace()):
            return at
        if unicodedata.category(sign) in _BEGINS and not following.isspace():
            return at
    return len(text)


def mentions(text: str, phrase: str, *, share: float) -> Iterator[Call]:
    """All places of a transcript where a name stands as a word, without the particle of a subject or an object.

    Args:
        text: the transcript.
        phrase: the wake phrase. Without words such as "hey" at its beginning, which nobody says in the middle.
        share: the share of the usual edits that are allowed.
    """
    name = _name(_without_openers(phrase))
    parts = units(text) if name.forms else ()
    for start, each in enumerate(parts):
        if each.starts_word and (call := _call_from(text, parts, start, name, share)) is not None:
            yield replace(call, start=each.start)


def _without_openers(phrase: str) -> str:
    parts = units(phrase)
    for each in parts:
        if each.starts_word and not all(said in _OPENERS for said in _words_before(phrase, each.word_end)):
            return phrase[each.start :]
    return phrase


def after_name(text: str, end: int) -> Call | None:
    """The call of a name that certainly ends at ``end``, unless what is joined to it says that nobody is called.

    A recogniser often joins a request to a name when its first sound is a vowel (아라오늘). Joined to a short name,
    other syllables make another word of it (아라비아).
    """
    joined = _JOINED.match(text, end)
    rest = joined.group() if joined else ""
    if _has_particle(text, end, rest):
        return None
    vocative = next((each for each in _VOCATIVES if rest.startswith(each)), "")
    more = rest[len(vocative) :]
    long = sum(len(each.said) for each in units(text[:end] + vocative)) >= _LEAST_JOINED
    if more and not long and not (is_syllable(more[0]) and syllable(more[0]).onset == _SILENT):
        return None
    return Call(0.0, end + len(vocative))


def spoken_about(text: str, phrase: str) -> bool:
    """Whether a transcript begins with the exact name as a subject or object of a sentence, or inside another word."""
    name = _name(phrase)
    parts = units(text)
    for start, first in enumerate(parts):
        if sum(len(each.said) for each in parts[:start]) > _LATEST:
            return False
        for end in range(start + 1, len(parts) + 1):
            said, last = "".join(each.said for each in parts[start:end]), parts[end - 1]
            if len(said) > name.syllables:
                break
            if sounds(said) in name.bare:
                inside = start > 0 and not first.starts_word
                if inside or _has_particle(text, last.end, text[last.end : last.word_end]):
                    return True
    return False


def _has_particle(text: str, end: int, rest: str) -> bool:
    """Whether ``rest``, which is joined to a name, makes it the subject or object of a sentence."""
    return _is_subject(text, end, rest) or (rest not in _VOCATIVES and bool(_PARTICLES.match(rest)))


def _is_subject(text: str, end: int, rest: str) -> bool:
    """Whether 이 behind a name is the particle of a subject, because the sentence goes on at once: 도련님이 그랬어."""
    following = text[end + 1 :]
    return rest == "이" and bool(following.strip()) and (following[0].isspace() or following[0].isalnum())


def alike(one: str, other: str) -> bool:
    """Whether two wake phrases cannot be told apart: who calls one of them may wake the other."""
    return called(one, other) is not None or called(other, one) is not None


def has_sounds(phrase: str) -> bool:
    """Whether a wake phrase can be heard: it has Korean or Latin letters, or digits."""
    return bool(_name(phrase).forms)


@lru_cache(maxsize=256)
def _name(phrase: str) -> _Name:
    said = "".join(each.said for each in units(phrase))
    if not said:
        return _Name((), "", 0)
    bare = said[:-1] if len(said) > 2 and said[-1] in "야아" else said
    spoken = (said, said + _vocative(said)) if bare == said else (said,)
    forms = tuple((sounds(each), _most_edits(each, len(bare))) for each in spoken)
    return _Name(forms, _letters(phrase), len(said), frozenset((sounds(said), sounds(bare))))


def _most_edits(said: str, syllables: int) -> float:
    """The most edits of a name with so many syllables; ``said`` may also have a vocative particle."""
    if syllables < len(_SHORT_EDITS):
        return _SHORT_EDITS[syllables] + (_MORE_EDITS_CALLED if len(said) > syllables else 0.0)
    return max(_LEAST_EDITS, len(sounds(said)) / _SOUNDS_AN_EDIT)


def _letters(text: str) -> str:
    """The letters of a text in lower case; empty if any of them is not Latin."""
    letters = "".join(filter(str.isalnum, text)).lower()
    return letters if letters.isascii() and letters.isalpha() else ""


def _vocative(said: str) -> str:
    return "아" if syllable(said[-1]).coda else "야"


def _call_from(text: str, parts: tuple[Unit, ...], start: int, name: _Name, share: float) -> Call | None:
    """The best match of all windows from ``start``, unless the rest of its word says that nobody is called."""
    best: tuple[float, int, int, bool] | None = None
    for end in range(start + 1, len(parts) + 1):
        said = "".join(each.said for each in parts[start:end])
        if len(said) > name.syllables + 2:
            break
        if len(said) < name.syllables - 1:
            continue
        edits, near = _nearest(sounds(said), name, share)
        near = near or _spelled_alike(text[parts[start].start : parts[end - 1].end], name.letters)
        rank = (edits, abs(len(said) - name.syllables), end, near)
        best = rank if best is None else min(best, rank)
    if best is None or not best[3]:
        return None
    return _ended(text, parts[best[2] - 1], best[0])


def _nearest(heard: tuple[str, ...], name: _Name, share: float) -> tuple[float, bool]:
    """The edits between a name and what was heard, and whether they are few enough."""
    found = [(distance(heard, form), most * share) for form, most in name.forms]
    return min(edits for edits, _ in found), any(edits <= most for edits, most in found)


def _spelled_alike(heard: str, letters: str) -> bool:
    """Whether an English name was heard with one wrong letter (Alex for Alexa), which may be read quite differently."""
    written = _letters(heard) if len(letters) >= _LEAST_LETTERS else ""
    return bool(written) and distance(written, letters) <= 1


def _ended(text: str, last: Unit, edits: float) -> Call | None:
    if text[last.start : last.end].endswith(_OWNED):
        return None
    rest = text[last.end : last.word_end]
    if _has_particle(text, last.end, rest):
        return None
    if not rest or rest in _VOCATIVES:
        return Call(edits, last.word_end)
    # Transcripts without spaces are rare, so the name itself has to be certain.
    vocative = next((each for each in _VOCATIVES[:4] if rest.startswith(each)), "")
    return Call(edits, last.end + len(vocative)) if edits == 0 and vocative else None


def _words_before(text: str, end: int) -> list[str]:
    words: dict[int, str] = {}
    for each in units(text[:end]):
        words[each.word_end] = words.get(each.word_end, "") + each.said
    return list(words.values())
