"""Citations of an answer as the annotations of OpenAI's format."""

from collections import Counter
from typing import Any

from assistant.core.citing.markers import parts_of
from assistant.core.knowledge.passages import cited_at
from assistant.core.service.requests.completions import Completed


def annotations_of(completed: Completed) -> list[dict[str, Any]]:
    """An annotation for each citation in the text, with the place of its ``[n]``: of a page, or of a file."""
    known = {each.number for each in completed.citations}
    annotations, at = list[dict[str, Any]](), 0
    before = Counter[int]()
    for part in parts_of(completed.text, known):
        if isinstance(part, str):
            at += len(part)
            continue
        cited, begin = cited_at(completed.citations, part, before[part]), at
        before[part] += 1
        at += len(f"[{part}]")
        if cited is None:
            continue
        told: dict[str, Any]
        if cited.url:
            place = {"start_index": begin, "end_index": at}
            told = {"type": "url_citation", "url_citation": {**place, "title": cited.title, "url": cited.url}}
        else:
            told = {"type": "file_citation", "file_id": cited.file, "filename": cited.title, "index": begin}
        annotations.append(told)
    return annotations
