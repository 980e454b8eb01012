"""Pages from a real server, under names that a test resolves."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import pytest
import pytest_asyncio

from assistant.core.documents import TurnDocuments
from assistant.core.errors import StorageError
from assistant.core.settings import SearchSettings
from assistant.engine.page_reading import ReadPages
from assistant.knowledge.reading.document_reader import DocumentReader
from assistant.tools.builtin.online.web import web_tools
from assistant.tools.tool import Tool, ToolError, ToolOutput
from assistant.tools.web import pages as fetching
from assistant.tools.web.pages import LARGEST_PAGE, Web, WebPage
from assistant.tools.web.public_addresses import PageError
from assistant.tools.web.search.chosen import ChosenSearch
from tests.fakes import documents as made
from tests.fakes.asking.served_call import served_call
from tests.fakes.ledger import MemoryLedger
from tests.fakes.plain_pages import PlainPages
from tests.fakes.site import Site

ARTICLE = """<html><head><title>무화과 키우기</title></head><body><nav>메뉴 로그인</nav><article><h1>무화과</h1>
<p>무화과는 볕이 잘 드는 곳에서 잘 자랍니다. 물은 흙이 마르면 흠뻑 주세요. 겨울에는 실내로 옮기는 것이 좋습니다.</p>
<p>열매는 초여름과 가을에 두 번 열립니다. 가지치기는 이른 봄에 합니다.</p></article><script>alert(1)</script></body>
</html>"""


@pytest.fixture
def web(ledger: MemoryLedger) -> Web:
    """The web, in which ``*.example`` is public and lies on this machine; other names are looked up."""

    async def resolve(host: str, port: int) -> Sequence[str]:
        return ["127.0.0.1"] if host.endswith(".example") else ["127.0.0.2"]

    return Web(ledger=ledger, resolve=resolve, allowed=lambda address: address == "127.0.0.1")


def html(body: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    return 200, {"Content-Type": "text/html; charset=utf-8", **headers}, body.encode()


def tool(web: Web, name: str) -> Tool:
    engine = ChosenSearch(web, SearchSettings, lambda _: "")
    return next(each for each in web_tools(web, engine, PlainPages()) if each.name == name)


async def documents(tool: Tool, **arguments: Any) -> str:
    output = await tool.run(arguments, served_call())
    assert isinstance(output, ToolOutput)
    return TurnDocuments().json(output.documents)


async def test_a_page_is_read_without_menus_and_recorded(site: Site, web: Web, ledger: MemoryLedger) -> None:
    site.answers["/fig"] = html(ARTICLE)
    told = await documents(tool(web, "open_url"), url=site.url("/fig?a=1"))
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
    with pytest.raises(ToolError, match=r"page_not_public detail=router\.local"):
        await web.page(site.url("/inside"))
    assert len(site.asked) == 3


async def test_endless_redirections_end(site: Site, web: Web) -> None:
    site.answers["/a"] = 302, {"Location": "/a"}, b""
    with pytest.raises(ToolError, match="page_unreachable"):
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
        with pytest.raises(ToolError, match="page_not_public"):
            await Web(ledger=ledger).page(site.url("/a", host))
    assert (site.asked, ledger.rows) == ([], [])


async def test_a_large_page_is_cut_and_other_kinds_are_refused(
    site: Site, web: Web, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fetching, "LARGEST_DOCUMENT", 1000)
    site.answers["/large"] = 200, {"Content-Type": "text/plain"}, b"x" * (LARGEST_PAGE + 10)
    page = await web.page(site.url("/large"))
    assert (len(page.body), page.whole) == (LARGEST_PAGE, False)
    site.answers["/video"] = 200, {"Content-Type": "video/mp4"}, b"x"
    with pytest.raises(ToolError, match="video/mp4"):
        await web.page(site.url("/video"))
    site.answers["/book.pdf"] = 200, {"Content-Type": "application/pdf"}, b"%PDF" + bytes(1000)
    with pytest.raises(PageError) as failure:
        await web.page(site.url("/book.pdf"))
    assert failure.value.reason == "too_large"
    with pytest.raises(ToolError, match="page_gone detail=404"):
        await web.page(site.url("/gone"))


async def test_what_cannot_be_recorded_is_not_sent(site: Site, web: Web, ledger: MemoryLedger) -> None:
    ledger.broken = True
    with pytest.raises(StorageError):
        await web.page(site.url("/fig"))
    assert site.asked == []


KO, EN = "매출은 37억 원입니다.", "Sales rose by 37 percent."
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
AT_ADDRESSES = [
    ("/report.pdf", "application/pdf", made.pdf(EN), EN),
    ("/download", "application/pdf", made.pdf(EN), EN),
    ("/보고서.hwp", "application/octet-stream", made.hwp(KO), KO),
    ("/get?id=3", "application/octet-stream", made.hwpx(KO), KO),
    ("/report.docx", "application/zip", made.docx(KO), KO),
    ("/sheet.xlsx", _SHEET, made.xlsx(("a", "b"), ("c", "37")), "37"),
    ("/book.epub", "application/epub+zip", made.epub("책", KO), KO),
    ("/table.csv", "text/csv", "항목,값\n매출,37억\n".encode("cp949"), "37억"),
    ("/data.json", "application/json", b'{"sales": 37}', '"sales": 37'),
    ("/old", "text/plain", KO.encode("cp949"), KO),
    ("/a.html", "text/html", ARTICLE.encode(), "흙이 마르면"),
    ("/lies.html", "application/pdf", f"<html><body><p>{KO}</p></body></html>".encode(), KO),
]
UNREADABLE = [
    ("/locked.pdf", "application/pdf", made.pdf(EN, encrypted=True), "encrypted"),
    ("/scan.pdf", "application/pdf", made.pdf(""), "scanned"),
    ("/half.pdf", "application/pdf", made.pdf(EN)[:120], "broken"),
    ("/bomb.zip", "application/zip", made.zipped({"a.txt": bytes(40_000_000)}), "bomb"),
    ("/tool.exe", "application/octet-stream", b"MZ\0\1\2\3" + bytes(range(256)), "page_kind"),
    ("/empty", "text/html", b"<html><body></body></html>", "page_no_text"),
]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pages() -> AsyncIterator[ReadPages]:
    real = ReadPages()
    yield real
    await real.close()


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("path", "kind", "body", "wanted"), AT_ADDRESSES, ids=[row[0] for row in AT_ADDRESSES])
async def test_documents_and_pages_at_an_address_are_read_in_the_limited_process(
    pages: ReadPages, path: str, kind: str, body: bytes, wanted: str
) -> None:
    found = await pages(WebPage(url=f"https://site.example{path}", media_type=kind, body=body, whole=True))
    assert wanted in found.text


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize(("path", "kind", "body", "reason"), UNREADABLE, ids=[row[0] for row in UNREADABLE])
async def test_what_cannot_be_read_at_an_address_tells_why(
    pages: ReadPages, path: str, kind: str, body: bytes, reason: str
) -> None:
    with pytest.raises(PageError) as failure:
        await pages(WebPage(url=f"https://site.example{path}", media_type=kind, body=body, whole=True))
    assert failure.value.reason == reason


async def test_a_page_that_takes_too_long_is_given_up() -> None:
    slow = ReadPages(DocumentReader(longest_s=0.0))
    with pytest.raises(PageError) as failure:
        await slow(WebPage(url="https://site.example/a", media_type="text/html", body=ARTICLE.encode(), whole=True))
    assert failure.value.reason == "too_slow"
    await slow.close()


def test_what_pages_say_is_marked_as_from_outside(web: Web) -> None:
    tools = web_tools(web, ChosenSearch(web, SearchSettings, lambda _: ""), PlainPages())
    assert all(each.untrusted and each.outbound for each in tools)
