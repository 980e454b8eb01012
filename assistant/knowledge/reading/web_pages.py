"""Reads pages of the web: the text that a person reads, without menus, scripts and advertisements.

Runs in the reading process: a page may be made to harm, and a large one takes a second.
"""

from collections.abc import Callable

from assistant.core.knowledge.texts import ExtractedText
from assistant.knowledge.reading.blocks import markdown_blocks
from assistant.knowledge.reading.extraction import extracted
from assistant.knowledge.reading.media_types import HTML, media_type_of
from assistant.knowledge.reading.reader import UnreadableFileError, tell_nobody


def extracted_page(
    content: bytes, name: str, url: str, progress: Callable[[float], None] = tell_nobody
) -> ExtractedText:
    """The text of what lies at an address: of a page its article as Markdown, of a document all of it.

    Args:
        content: its bytes.
        name: a name whose ending tells its kind, where the bytes do not.
        url: the address.
        progress: is told the share that is read.

    Raises:
        UnreadableFileError: it has no text.
    """
    if media_type_of(content, name) != HTML:
        return extracted(content, name, progress)
    import trafilatura

    found = trafilatura.bare_extraction(content, url=url, include_comments=False, with_metadata=True)
    about = found if isinstance(found, dict) else found.as_dict() if found is not None else {}
    text = trafilatura.extract(content, url=url, include_comments=False, output_format="markdown")
    text = (text or about.get("text") or trafilatura.html2txt(content) or "").strip()
    if not text:
        raise UnreadableFileError("page_no_text")
    return ExtractedText(text=text, blocks=markdown_blocks(text), title=about.get("title") or "")
