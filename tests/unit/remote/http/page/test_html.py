import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.markdown.reading import read
from assistant.remote.http.page.html import html_of
from assistant.remote.http.page.rendering import DrawnText, TextToDraw, draw

TAGS = {
    *("p", "h3", "h4", "h5", "h6", "span", "br", "code", "s", "em", "strong", "a", "hr"),
    *("figure", "figcaption", "pre", "div", "table", "thead", "tbody", "tr", "th", "td"),
}
ATTRIBUTES = {"class", "data-quote", "data-indent", "href", "rel", "target", "tabindex"}


class Elements(HTMLParser):
    """Collects the tags, the attributes and the text of a piece of HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def drawn(source: str) -> str:
    return "".join(map(html_of, read(source).units))


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("**굵게**는", "<p><strong>굵게</strong>는</p>"),
        ("a *b* ~~c~~ `d`", "<p>a <em>b</em> <s>c</s> <code>d</code></p>"),
        ("# Title", "<h3>Title</h3>"),
        ("one\ntwo", "<p>one<br>two</p>"),
        (
            "- a\n  - b",
            (
                '<p data-indent="1"><span class="marker">•</span>a</p>'
                '<p data-indent="2"><span class="marker">◦</span>b</p>'
            ),
        ),
        ("> q", '<p data-quote="1">q</p>'),
        ("---", "<hr>"),
        (
            '[한국](https://example.kr/?a=1&b="2")',
            '<p><a href="https://example.kr/?a=1&amp;b=%222%22" rel="noopener noreferrer" target="_blank">한국</a></p>',
        ),
        ("$x^2$", '<p><span class="math">x²</span></p>'),
        (
            "|a|b|\n|-|:-:|\n|1|<2>|",
            (
                '<div class="table"><table><thead><tr><th class="left">a</th><th class="center">b</th></tr></thead>'
                '<tbody><tr><td class="left">1</td><td class="center">&lt;2&gt;</td></tr></tbody></table></div>'
            ),
        ),
        (
            "```python\nx = 1 # 하나\n```",
            (
                '<figure class="code"><figcaption>python</figcaption><pre tabindex="0"><code>x = '
                '<span class="ink-number">1</span> <span class="ink-comment"># 하나</span></code></pre></figure>'
            ),
        ),
    ],
)
def test_each_kind_of_unit_has_its_element(source: str, html: str) -> None:
    assert drawn(source) == html


ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[x](javascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "![x](https://example.com/track.png)",
    '<https://example.com/"onmouseover="alert(1)>',
    '```"><script>alert(1)</script>\nx\n```',
    "```python\n'</code></pre><script>alert(1)</script>'\n```",
    "|a|\n|-|\n|<svg onload=alert(1)>|",
    "$\\text{<b>x</b>}$",
    "`<iframe>`",
    "<style>*{}</style>",
    "[<img src=x onerror=1>](https://example.com)",
]


@pytest.mark.parametrize("source", ATTACKS)
def test_nothing_of_the_text_becomes_markup(source: str) -> None:
    found = Elements(drawn(source))
    assert set(found.tags) <= TAGS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES
    assert all(re.match("https?://", value or "") for name, value in found.attributes if name == "href")


@given(st.text(alphabet="<>&\"'`*_~$|#-[]()!\n \\=abc:/한글", max_size=120))
def test_no_text_becomes_markup(source: str) -> None:
    found = Elements(drawn(source))
    assert set(found.tags) <= TAGS
    assert {name for name, _ in found.attributes} <= ATTRIBUTES


ANSWER = (
    "# 제주도\n\n**한라산**은 1,947 m입니다.\n\n"
    "1. 첫째\n2. 둘째\n   - 안쪽\n3. 셋째\n\n```python\nprint('안녕')\n```\n\n"
    "| 이름 | 높이 |\n|---|---:|\n| 한라산 | 1947 |\n| 지리산 | 1915 |\n\n> 인용\n\n끝 $x_1$ [링크](https://example.kr)\n"
)


@pytest.mark.parametrize("step", [1, 7, 40])
def test_a_growing_text_ends_as_the_whole_one(step: int) -> None:
    """Only the part that can change is drawn again, as the page does it."""
    shown: list[str] = []
    kept, line, last = 0, 0, DrawnText(units=(), open_from=0, open_line=0, number=None, head="")
    for end in [*range(step, len(ANSWER), step), len(ANSWER)]:
        rest = "\n".join(ANSWER[:end].split("\n")[line:])
        last = draw(TextToDraw(text=rest, grows=end < len(ANSWER), number=last.number, head=last.head))
        shown[kept:] = last.units
        if last.open_from:
            kept, line = kept + last.open_from, line + last.open_line
    assert shown == [*map(html_of, read(ANSWER).units)]
