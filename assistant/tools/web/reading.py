"""The readable text of a page, without menus, scripts and advertisements."""

from dataclasses import dataclass

from assistant.core.formats.text_encoding import decoded
from assistant.tools.web.pages import WebPage


@dataclass(frozen=True, slots=True, kw_only=True)
class Readable:
    """What a person reads on a page."""

    title: str
    text: str


def readable(page: WebPage) -> Readable:
    """The title and the text. Takes up to a second for a large page, so do not call it on the event loop's thread."""
    if "html" not in page.media_type:
        return Readable(title="", text=_text(page).strip())
    import trafilatura  # importing takes 0.4 s, and most turns do not need it

    found = trafilatura.bare_extraction(page.body, url=page.url, include_comments=False, with_metadata=True)
    about = found if isinstance(found, dict) else found.as_dict() if found is not None else {}
    text = about.get("text") or trafilatura.html2txt(page.body)
    return Readable(title=about.get("title") or "", text=(text or "").strip())


def readable_markdown(page: WebPage) -> Readable:
    """As ``readable``, with headings, lists and tables as Markdown, so that a passage keeps what it stands under."""
    plain = readable(page)
    if "html" not in page.media_type:
        return plain
    import trafilatura

    text = trafilatura.extract(page.body, url=page.url, include_comments=False, output_format="markdown")
    return Readable(title=plain.title, text=(text or plain.text).strip())


def _text(page: WebPage) -> str:
    found = decoded(page.body, is_cut=not page.whole)
    return page.body.decode("utf-8", errors="replace") if found is None else found.text
