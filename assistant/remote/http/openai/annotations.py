"""Citations of an answer as the annotations of OpenAI's format."""

from typing import Any

from assistant.core.citing.markers import parts_of
from assistant.core.service.requests.completions import Completed


def annotations_of(completed: Completed) -> list[dict[str, Any]]:
    """An annotation for each citation in the text, with the place of its ``[n]``: of a page, or of a file."""
    known = {each.number: each for each in completed.citations}
    annotations, at = list[dict[str, Any]](), 0
    for part in parts_of(completed.text, known):
        if isinstance(part, str):
            at += len(part)
            continue
        cited, begin = known[part], at
        at += len(f"[{part}]")
        told: dict[str, Any]
        if cited.url:
            place = {"start_index": begin, "end_index": at}
            told = {"type": "url_citation", "url_citation": {**place, "title": cited.title, "url": cited.url}}
        else:
            told = {"type": "file_citation", "file_id": cited.file, "filename": cited.title, "index": begin}
        annotations.append(told)
    return annotations
