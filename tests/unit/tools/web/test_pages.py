"""Pages from a real server, under names that a test resolves."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

import pytest

from assistant.core.errors import StorageError
from assistant.tools.builtin.online.web import web_tools
from assistant.tools.tool import Tool, ToolError
from assistant.tools.web.pages import LARGEST_PAGE, Page, Web
from assistant.tools.web.reading import readable
from tests.fakes.ledger import MemoryLedger

ARTICLE = """<html><head><title>무화과 키우기</title></head><body><nav>메뉴 로그인</nav><article><h1>무화과</h1>
<p>무화과는 볕이 잘 드는 곳에서 잘 자랍니다. 물은 흙이 마르면 흠뻑 주세요. 겨울에는 실내로 옮기는 것이 좋습니다.</p>
<p>열매는 초여름과 가을에 두 번 열립니다. 가지치기는 이른 봄에 합니다.</p></article><script>alert(1)</script></body>
</html>"""


class Site:
    """A web server on this machine.

    Attributes:
        answers: the answer to each path: status, headers and body.
        asked: the request lines and headers that it got.
    """

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self.asked: list[str] = []
        self.port = 0

    def url(self, path: str, host: str = "site.example") -> str:
        return f"http://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head)
        path = head.split(" ")[1].partition("?")[0]
        status, headers, body = self.answers.get(path, (404, {}, b""))
        told = {"Content-Length": str(len(body)), "Connection": "close", **headers}
        lines = "".join(f"{name}: {value}\r\n" for name, value in told.items())
        writer.write(f"HTTP/1.1 {status} OK\r\n{lines}\r\n".encode() + body)
        with contextlib.suppress(ConnectionError):
            await writer.drain()
        writer.close()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    it = Site()
    server = await asyncio.start_server(it.serve, "127.0.0.1", 0)
    it.port = server.sockets[0].getsockname()[1]
    async with server:
        yield it


@pytest.fixture
def ledger() -> MemoryLedger:
    return MemoryLedger()


@pytest.fixture
def web(ledger: MemoryLedger) -> Web:
    """The web, in which ``*.example`` is public and lies on this machine; other names are looked up."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"] if host.endswith(".example") else ["127.0.0.2"]

    return Web(ledger=ledger, resolve=resolve, allowed=lambda address: address == "127.0.0.1")


def html(body: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "text/html; charset=utf-8", **headers}, body.encode()


def tool(web: Web, name: str, search_url: str = "") -> Tool:
    return next(each for each in web_tools(web, lambda: search_url) if each.name == name)


async def test_a_page_is_read_without_menus_and_recorded(site: Site, web: Web, ledger: MemoryLedger) -> None:
    site.answers["/fig"] = html(ARTICLE)
    told = str(await tool(web, "open_url").run({"url": site.url("/fig?a=1")}))
    for part in ("무화과는 볕이 잘 드는 곳에서", '"title": "무화과"', "site.example"):
        assert part in told
    for part in ("alert", "메뉴 로그인"):
        assert part not in told
    assert f"host: site.example:{site.port}" in site.asked[0].lower()
    (row,) = ledger.rows
    assert (row.destination, row.purpose, row.local) == (f"http://site.example:{site.port}", "open_url", False)


async def test_each_redirection_is_checked_and_recorded(site: Site, web: Web, ledger: MemoryLedger) -> None:
    site.answers["/a"] = 302, {"Location": "/b"}, b""
    site.answers["/b"] = html("<p>there</p>")
    assert (await web.page(site.url("/a"))).url == site.url("/b")
    assert len(ledger.rows) == 2
    site.answers["/inside"] = 302, {"Location": f"http://router.local:{site.port}/b"}, b""
    with pytest.raises(ToolError, match=r"router\.local is not on the public internet"):
        await web.page(site.url("/inside"))
    assert len(site.asked) == 3


async def test_endless_redirections_end(site: Site, web: Web) -> None:
    site.answers["/a"] = 302, {"Location": "/a"}, b""
    with pytest.raises(ToolError, match="redirected more than"):
        await web.page(site.url("/a"))


async def test_a_name_is_not_looked_up_again_after_the_check(site: Site, ledger: MemoryLedger) -> None:
    site.answers["/a"] = html("<p>first</p>")
    answers = iter([["127.0.0.1"]])

    async def rebinding(host: str, port: int) -> Sequence[str]:
        return next(answers)

    web = Web(ledger=ledger, resolve=rebinding, allowed=lambda address: address == "127.0.0.1")
    assert b"first" in (await web.page(site.url("/a"))).body


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "ftp://site.example/", "site.example", "", "http://", "http://me:pw@site.example/"]
)
async def test_other_addresses_are_refused_unasked(web: Web, ledger: MemoryLedger, url: str) -> None:
    with pytest.raises(ToolError):
        await web.page(url)
    assert ledger.rows == []


async def test_the_real_network_of_this_computer_is_refused(site: Site, ledger: MemoryLedger) -> None:
    site.answers["/a"] = html("<p>secret</p>")
    for host in ("127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"):
        with pytest.raises(ToolError, match="not on the public internet"):
            await Web(ledger=ledger).page(site.url("/a", host))
    assert (site.asked, ledger.rows) == ([], [])


async def test_a_large_page_is_cut_and_other_kinds_are_refused(site: Site, web: Web) -> None:
    site.answers["/large"] = 200, {"Content-Type": "text/plain"}, b"x" * (LARGEST_PAGE + 10)
    page = await web.page(site.url("/large"))
    assert (len(page.body), page.whole) == (LARGEST_PAGE, False)
    site.answers["/video"] = 200, {"Content-Type": "video/mp4"}, b"x"
    with pytest.raises(ToolError, match="video/mp4"):
        await web.page(site.url("/video"))
    with pytest.raises(ToolError, match="error 404"):
        await web.page(site.url("/gone"))


async def test_what_cannot_be_recorded_is_not_sent(site: Site, web: Web, ledger: MemoryLedger) -> None:
    ledger.broken = True
    with pytest.raises(StorageError):
        await web.page(site.url("/fig"))
    assert site.asked == []


async def test_a_search_gives_documents_with_addresses(site: Site, web: Web, ledger: MemoryLedger) -> None:
    found = b'{"results": [{"title": "T", "url": "https://a.example/1", "content": "passage"}, {"title": "U"}]}'
    site.answers["/search"] = 200, {"Content-Type": "application/json"}, found
    search = tool(web, "web_search", f"http://127.0.0.1:{site.port}/")
    told = str(await search.run({"query": "제주도 날씨", "count": 1}))
    assert '"url": "https://a.example/1"' in told
    assert "U" not in told
    assert "q=%EC%A0%9C" in site.asked[0]
    assert (ledger.rows[0].purpose, ledger.rows[0].local) == ("web_search", True)
    assert search.searches


@pytest.mark.parametrize("answer", [b"<html>", b"[]", b'{"results": 3}'])
async def test_a_server_that_gives_no_results_is_explained(site: Site, web: Web, answer: bytes) -> None:
    site.answers["/search"] = 200, {"Content-Type": "application/json"}, answer
    with pytest.raises(ToolError, match=r"search server|gave no results"):
        await tool(web, "web_search", f"http://127.0.0.1:{site.port}").run({"query": "x"})


async def test_without_a_search_server_the_remedy_is_named(web: Web) -> None:
    with pytest.raises(ToolError, match=r"\[search\] url"):
        await tool(web, "web_search").run({"query": "x"})


def test_text_in_an_old_korean_encoding_is_read() -> None:
    page = Page(url="http://a.example", media_type="text/plain", body="안녕하세요".encode("cp949"), whole=True)
    assert readable(page).text == "안녕하세요"


def test_what_pages_say_is_marked_as_from_outside(web: Web) -> None:
    assert all(each.untrusted and each.outbound for each in web_tools(web, str))


def test_searching_is_offered_only_with_a_search_server(web: Web) -> None:
    assert not tool(web, "web_search").available()
    assert tool(web, "web_search", "http://127.0.0.1:8080").available()


async def test_a_search_server_that_floods_is_cut_off(site: Site, web: Web) -> None:
    site.answers["/search"] = 200, {"Content-Type": "application/json"}, b'"' + b"x" * (LARGEST_PAGE + 10) + b'"'
    with pytest.raises(ToolError, match="more than 5 MB"):
        await tool(web, "web_search", f"http://127.0.0.1:{site.port}").run({"query": "x"})
