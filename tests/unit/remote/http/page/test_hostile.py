"""What the browser's page gets of a hostile text is escaped words and links to web pages."""

from html.parser import HTMLParser

import pytest
from typing_extensions import override

from assistant.core.markdown.reading import read
from assistant.remote.http.page.html import html_of
from tests.fakes.hostile import HOSTILE

TAGS = frozenset(
    {"p", "h3", "h4", "h5", "h6", "hr", "br", "strong", "em", "s", "code", "span", "a", "figure", "figcaption", "pre"}
    | {"table", "thead", "tbody", "tr", "th", "td", "div", "button"}
)
ATTRIBUTES = frozenset({"class", "href", "rel", "target", "data-quote", "data-indent", "tabindex", "aria-label"})


class Strict(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.bad: list[str] = []

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.bad.append(tag)
        for name, value in attrs:
            if name not in ATTRIBUTES or (name == "href" and not (value or "").startswith(("http://", "https://"))):
                self.bad.append(f"{name}={value}")


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_brings_no_tag_of_its_own(text: str) -> None:
    parser = Strict()
    parser.feed("".join(map(html_of, read(text).units)))
    assert parser.bad == []
