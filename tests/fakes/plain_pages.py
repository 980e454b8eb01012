"""A reader of pages without a process of its own."""

from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.knowledge.reading.web_pages import extracted_page
from assistant.tools.web.pages import WebPage
from assistant.tools.web.public_addresses import PageError
from assistant.tools.web.reading import Readable


class PlainPages:
    """Implements ``PageReading`` for pages in HTML and plain text."""

    async def __call__(self, page: WebPage) -> Readable:
        name = "page.html" if "html" in page.media_type else "page.txt"
        try:
            text = extracted_page(page.body, name, page.url)
        except UnreadableFileError as error:
            raise PageError(f"file_reason.{error.reason}", error.detail) from error
        return Readable(title=text.title, text=text.text.strip())
