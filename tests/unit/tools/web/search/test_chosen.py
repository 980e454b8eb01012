"""Searches at a server on this machine, with the answers of the search providers."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.settings import SearchSettings
from assistant.tools.builtin.online.web import web_tools
from assistant.tools.tool import ToolError
from assistant.tools.web.pages import LARGEST_PAGE, Web
from assistant.tools.web.search.chosen import SEARCH_APIS, ChosenSearch
from tests.fakes.ledger import MemoryLedger
from tests.fakes.plain_pages import PlainPages
from tests.fakes.site import Site

BRAVE = "/res/v1/web/search"
RESULT = {
    "title": "Caf\u00e9s &amp; <strong>Seoul</strong>",
    "url": "https://a.example/1",
    "description": "The <strong>best</strong> ones &#x27;here&#x27;",
    "age": "2 days ago",
}

Make = Callable[..., ChosenSearch]


@pytest.fixture
def make(site: Site, ledger: MemoryLedger) -> Make:
    """Makes the search of a provider whose server is the site."""

    def made(provider: Any = "brave", *, url: str = "", key: str = "secret-key") -> ChosenSearch:
        apis = {**SEARCH_APIS, "brave": replace(SEARCH_APIS["brave"], root=f"http://127.0.0.1:{site.port}")}
        settings = SearchSettings(provider=provider, url=url)
        return ChosenSearch(Web(ledger=ledger), lambda: settings, lambda _: key, apis)

    return made


def answer(content: Any, status: int = 200, media_type: str = "application/json", **headers: str) -> Any:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return status, {"Content-Type": media_type, **named}, body


async def test_searxng_gives_documents_with_addresses(site: Site, make: Make, ledger: MemoryLedger) -> None:
    found = {"results": [{"title": "T", "url": "https://a.example/1", "content": "passage"}, {"title": "U"}]}
    site.answers["/search"] = answer(found)
    search = make("searxng", url=f"http://127.0.0.1:{site.port}/")
    (document,) = await search.search("제주도 날씨", 1)
    assert (document.title, document.url, document.contents) == ("T", "https://a.example/1", "passage")
    assert "q=%EC%A0%9C" in site.asked[0]
    assert "secret-key" not in site.asked[0]
    (row,) = ledger.rows
    assert (row.purpose, row.local, row.provider) == ("web_search", True, "")


async def test_brave_gets_its_key_and_its_marks_are_removed(site: Site, make: Make, ledger: MemoryLedger) -> None:
    site.answers[BRAVE] = answer({"type": "search", "web": {"type": "search", "results": [RESULT, RESULT]}})
    found = await make().search("caf\u00e9s " * 60, 2)
    assert (found[0].title, found[0].contents) == ("Caf\u00e9s & Seoul", "The best ones 'here'")
    assert (found[0].metadata, len(found)) == ("2 days ago", 2)
    asked = site.asked[0]
    assert "x-subscription-token: secret-key" in asked.lower()
    assert "count=2" in asked
    assert asked.count("caf%C3%A9s") == 50
    (row,) = ledger.rows
    assert (row.purpose, row.provider) == ("web_search", "brave")
    assert "secret-key" not in repr(row)


async def test_a_key_goes_only_to_its_own_provider(site: Site, make: Make) -> None:
    site.answers[BRAVE] = answer({"type": "search"})
    assert await make(url="http://searx.example").search("x", 1) == []
    assert len(site.asked) == 1


@pytest.mark.parametrize(
    ("told", "words"),
    [
        (answer({}, 401), "search_key_wrong name=brave"),
        (answer({"error": {"code": "SUBSCRIPTION_TOKEN_INVALID"}}, 422), "search_key_wrong name=brave"),
        (answer({"error": {"code": "RATE_LIMITED"}}, 429, retry_after="7"), "search_wait .*seconds=7"),
        (answer({"error": {"code": "RATE_LIMITED"}}, 429), "search_later"),
        (answer({"error": {"code": "QUOTA_LIMITED"}}, 429), "spent"),
        (answer({}, 402), "spent"),
        (answer({}, 500), "status=500"),
        (answer(b"", 302, Location="http://127.0.0.1:1/"), "status=302"),
        (answer(b"<html>", media_type="text/html"), "search_intercepted"),
        (answer([]), "search_intercepted"),
        (answer({"type": "search", "web": {"results": 3}}), "search_intercepted"),
        (answer(b"[" * 100_000), "search_intercepted"),
    ],
    ids=["401", "token", "429", "429 without a time", "quota", "402", "500", "302", "page", "list", "number", "deep"],
)
async def test_what_goes_wrong_is_explained(site: Site, make: Make, told: Any, words: str) -> None:
    site.answers[BRAVE] = told
    with pytest.raises(ToolError, match=words):
        await make().search("x", 5)
    assert len(site.asked) == 1


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"results": 3}'])
async def test_a_server_without_the_json_format_is_explained(site: Site, make: Make, body: bytes) -> None:
    site.answers["/search"] = answer(body)
    with pytest.raises(ToolError, match="search_no_json"):
        await make("searxng", url=f"http://127.0.0.1:{site.port}").search("x", 5)


@pytest.mark.parametrize(
    ("key", "words"), [(" ", "key_missing"), ("schl\u00fcssel", "key_wrong"), ("a\nb", "key_wrong")]
)
async def test_without_a_usable_key_nothing_is_sent(site: Site, make: Make, key: str, words: str) -> None:
    with pytest.raises(ToolError, match=f"{words} name=brave"):
        await make(key=key).search("x", 5)
    assert site.asked == []


async def test_without_a_search_server_the_remedy_is_named(make: Make) -> None:
    with pytest.raises(ToolError, match="search_unset"):
        await make("searxng").search("x", 1)


def test_searching_is_offered_only_with_a_search_server(make: Make) -> None:
    assert [make("searxng").available(), make("searxng", url="http://127.0.0.1:1").available()] == [False, True]
    search = make()
    tool = next(
        each for each in web_tools(Web(ledger=MemoryLedger()), search, PlainPages()) if each.name == "web_search"
    )
    assert tool.available()
    assert tool.searches


async def test_a_search_server_that_floods_is_cut_off(site: Site, make: Make) -> None:
    site.answers[BRAVE] = answer(b'"' + b"x" * (LARGEST_PAGE + 10) + b'"')
    with pytest.raises(ToolError, match="too_large detail=> 5 MB"):
        await make().search("x", 1)
