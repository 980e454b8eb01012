"""Passages: the pieces of a file's text that are searched, sent to a model and cited. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a file's text.

    Attributes:
        number: its place among the passages of the file, from 1. ``sori files show ID --passage N`` shows it.
        start: its first character's offset in the file's text.
        end: the offset behind its last character.
        text: ``text[start:end]`` of the file.
        page: the page or slide that it begins on, from 1; 0 in files without pages.
        headings: the headings that it stands under, the outermost first.
    """

    number: int
    start: int
    end: int
    text: str
    page: int = 0
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A passage that a search has found.

    Attributes:
        file: id of its file.
        name: the file's name, with its folder inside the project.
        score: how well it matches. It compares passages of one search only.
        url: the address of a page that was kept from the web; empty for files.
        nearness: how near its meaning is to the question's, from 0 to 1; ``None`` if that is not known.
    """

    file: str
    name: str
    passage: Passage
    score: float
    url: str = ""
    nearness: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """What a number in an answer refers to.

    Attributes:
        number: the number as the answer writes it, ``[3]``.
        title: the name of the cited document.
        file: id of the file; empty for a page of the web that was not kept.
        passage: number of the passage in the file; 0 for none.
        page: the page or slide of the passage, from 1; 0 for none.
        url: the address of a page of the web; empty for files.
        text: the cited passage as the model was sent it, so it can be shown after its file has changed or gone.
    """

    number: int
    title: str
    file: str = ""
    passage: int = 0
    page: int = 0
    url: str = ""
    text: str = ""


def cited_at(citations: Sequence[Citation], number: int, occurrence: int = 0) -> Citation | None:
    """What a number in an answer refers to; ``None`` for no citation.

    A file that a model was sent whole is cited anew wherever its number stands, because each sentence has a passage of
    its own. Another document is cited once.

    Args:
        citations: the citations of the answer, in the order of the text.
        number: the number.
        occurrence: how often the number stands in the text before this place.
    """
    fitting = [each for each in citations if each.number == number]
    return fitting[min(occurrence, len(fitting) - 1)] if fitting else None


def distinct(citations: Iterable[Citation]) -> list[Citation]:
    """The citations by number, each passage once."""
    found = {(each.number, each.passage): each for each in reversed(list(citations))}
    return [found[key] for key in sorted(found)]


def joined(passages: Sequence[Passage]) -> str:
    """The text of which these are all passages, with their offsets."""
    parts: list[str] = []
    reached = 0
    for each in passages:
        gap = each.start - reached
        parts += ["\n" * min(gap, 2), " " * max(0, gap - 2), each.text]
        reached = each.end
    return "".join(parts)
