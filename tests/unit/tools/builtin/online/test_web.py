"""Which requests are certainly for a page."""

import pytest

from assistant.tools.builtin.online.web import web_tools
from assistant.tools.tool import Tool
from assistant.tools.web.pages import Web
from assistant.tools.web.search.chosen import ChosenSearch
from tests.fakes.ledger import MemoryLedger
from tests.fakes.plain_pages import PlainPages


@pytest.fixture
def open_url() -> Tool:
    web = Web(ledger=MemoryLedger())
    tool, _ = web_tools(web, ChosenSearch(web, lambda: pytest.fail("nothing is searched"), lambda _: ""), PlainPages())
    return tool


@pytest.mark.parametrize(
    "request_",
    [
        "http://garden.example:36167/fig 이 글을 읽고 요약해 줘",
        "이 기사 좀 정리해 줄래?\nhttps://news.example/1",
        "www.example.org 열어 봐",
        "Summarize https://example.org/a, please",
        "what does https://example.org say?",
    ],
)
def test_an_address_and_a_word_for_reading_are_an_order(open_url: Tool, request_: str) -> None:
    assert open_url.evidence.is_ordered_in(request_)


@pytest.mark.parametrize(
    "request_",
    [
        "이 글을 읽고 요약해 줘",
        "우리 홈페이지는 https://example.org 야",
        "10분 뒤에 https://example.org 보라고 알려 줘",
        "https://example.org 는 읽지 마",
        "Do not open https://example.org",
    ],
)
def test_other_requests_are_none(open_url: Tool, request_: str) -> None:
    assert not open_url.evidence.is_ordered_in(request_)
