"""What a model was trained to find before a question and before a passage. Pure.

Sources: the pages of the models at huggingface.co, section "How to use". A model that is given other texts than it was
trained on finds less. Most models, such as bge-m3, were trained on the bare text.
"""

import re
from typing import Final, NamedTuple


class Prefixes(NamedTuple):
    """What stands before a question and before a passage; empty for nothing."""

    question: str = ""
    passage: str = ""


_TASK: Final = "Instruct: Given a question, retrieve passages that answer the question\nQuery: "
_FAMILIES: Final = (
    (r"e5\b.*instruct|qwen3-embedding", Prefixes(question=_TASK)),
    (r"\be5\b|arctic-embed.*v2", Prefixes(question="query: ", passage="passage: ")),
    (r"nomic-embed-text", Prefixes(question="search_query: ", passage="search_document: ")),
    (r"embedding-?gemma", Prefixes(question="task: search result | query: ", passage="title: none | text: ")),
)


def prefixes_of(model: str) -> Prefixes:
    """The prefixes of a model by its name, as servers write it: ``intfloat/multilingual-e5-large``, ``e5:latest``."""
    name = model.casefold().replace("_", "-")
    return next((prefixes for family, prefixes in _FAMILIES if re.search(family, name)), Prefixes())
