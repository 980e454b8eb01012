"""The sources of an answer as lines of a terminal. Pure."""

from collections.abc import Iterable

from assistant.core.display.escaping import printable
from assistant.core.knowledge.passages import Citation, distinct
from assistant.core.texts import Texts


def source_lines(citations: Iterable[Citation], texts: Texts) -> list[str]:
    """A line for each source, under a heading: its number, title, page, and the command or address that shows it."""
    lines = [_line(each, texts) for each in distinct(citations)]
    return [f"{texts('chat.sources')}:", *lines] if lines else []


def source_name(citation: Citation, texts: Texts) -> str:
    """What a source is called: its title, and its page if it has one."""
    page = texts("chat.source_page", page=str(citation.page)) if citation.page else ""
    return printable(" · ".join(filter(None, (citation.title or citation.url, page))), one_line=True)


def _line(citation: Citation, texts: Texts) -> str:
    passage = f" --passage {citation.passage}" if citation.passage else ""
    shown_by = f"sori files show {citation.file}{passage}" if citation.file else ""
    address = printable(citation.url, one_line=True)
    told = " · ".join(filter(None, (source_name(citation, texts), shown_by, address)))
    return f"  [{citation.number}] {told}"
