"""The sources of a spoken answer: brackets cannot be read, so the sources are named in one sentence after it. Pure."""

import re
from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import urlsplit

from assistant.core.knowledge.passages import Citation
from assistant.core.texts import Texts

_MOST_NAMED: Final = 2
"""Sources that are named. A listener does not remember more."""
_LONGEST: Final = 40
_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,8}$")
_SITE: Final = re.compile(r"\s+[-–—|·:]\s+.*$")
_SIGNS: Final = re.compile(r"[_\s]+")


def spoken_name(citation: Citation) -> str:
    """What a listener calls a source: a file without its folder and ending, a page without its site's name."""
    if citation.file:
        name = _ENDING.sub("", PurePosixPath(citation.title).name)
    else:
        name = _SITE.sub("", citation.title) or (urlsplit(citation.url).hostname or "").removeprefix("www.")
    name = _SIGNS.sub(" ", re.sub(r"[^\w\s.&'-]", " ", name)).strip()
    if len(name) <= _LONGEST:
        return name
    return name[:_LONGEST].rpartition(" ")[0] or name[:_LONGEST]


def spoken_sources(citations: Iterable[Citation], answer: str, texts: Texts) -> str:
    """A sentence that names the sources which the answer itself does not name; empty for none.

    Args:
        citations: what the answer cites, in the order of the first citations.
        answer: the words of the answer.
        texts: the words of the language in which the answer is spoken.
    """
    said = answer.casefold().replace(" ", "")
    names = dict.fromkeys(map(spoken_name, citations))
    left = [name for name in names if name and name.casefold().replace(" ", "") not in said]
    if not left:
        return ""
    first, *others = left[:_MOST_NAMED]
    if not others:
        return texts("chat.spoken_source", name=first)
    key = "chat.spoken_sources" if len(left) == _MOST_NAMED else "chat.spoken_sources_more"
    return texts(key, name=first, other=others[0])
