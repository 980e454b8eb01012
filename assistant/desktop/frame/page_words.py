"""The words on the buttons and fields of each page, so that a search finds the page on which something is done."""

from collections.abc import Collection, Mapping

from assistant.core.display.finding import is_in_plain, plain_text
from assistant.core.texts import Texts

_LONGEST_LABEL = 24
"""Longest text of a button or a field, in characters. Longer texts are sentences, which hold words of many subjects."""


def page_words(texts: Texts, pages: Collection[str]) -> Mapping[str, tuple[str, ...]]:
    """The short texts of each page and of its parts, in the form that a search compares."""
    of_area: dict[str, list[str]] = {}
    for key in sorted(texts.keys):
        room, _, rest = key.partition(".")
        area, _, name = rest.partition(".")
        if room == "desktop" and name:
            of_area.setdefault(area, []).append(key)
    found = {}
    for page in pages:
        own = of_area.get(page, [])
        parts = [key.rpartition(".")[2] for key in own if key.startswith(f"desktop.{page}.part.")]
        keys = [*own, *(key for part in parts if part != page for key in of_area.get(part, ()))]
        labels = (texts.raw(key) for key in keys)
        found[page] = tuple(plain_text(each) for each in labels if len(each) <= _LONGEST_LABEL and "{" not in each)
    return found


def pages_with(query: str, words: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The pages of which one of the words contains a query."""
    return tuple(page for page, labels in words.items() if any(is_in_plain(query, each) for each in labels))
