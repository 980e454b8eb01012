"""Fetches web pages: public addresses only, every redirection checked, limited in size, time and kind."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urljoin, urlsplit

from assistant.core.addresses import is_local_host, origin
from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress, EgressLedger, not_recorded
from assistant.core.version import USER_AGENT
from assistant.tools.tool import ToolError
from assistant.tools.web import public_addresses
from assistant.tools.web.public_addresses import PageError, Resolve, checked_address, is_public

if TYPE_CHECKING:
    import httpx2

LARGEST_PAGE: Final = 5_000_000
"""Bytes of a page that are read."""
WITHIN_S: Final = 9.0
"""Seconds for a page with all its redirections; a tool has ten."""
MOST_REDIRECTIONS: Final = 5
LARGEST_DOCUMENT: Final = 30_000_000
"""Bytes of a document, such as a PDF file. A part of one cannot be read."""
_TEXTS: Final = ("text/", "application/json", "application/xml", "application/xhtml+xml", "application/rss+xml")
"""Beginnings of the media types that are text, of which a part can be read."""
_UNREADABLE: Final = ("image/", "audio/", "video/", "font/")
"""Beginnings of the media types without text. What others hold, the reader of documents decides by the bytes."""
_GONE: Final = frozenset({404, 410})
_LONGEST_URL: Final = 2_000
_LONGEST_ERROR: Final = 10_000
_HEADERS: Final = {
    "User-Agent": f"Mozilla/5.0 (compatible; {USER_AGENT})",
    "Accept": "text/html,application/xhtml+xml,text/plain,application/json;q=0.9,*/*;q=0.5",
    "Accept-Language": "ko,en;q=0.8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """A fetched page.

    Attributes:
        url: its address after all redirections.
        media_type: its media type without parameters.
        body: its content.
        whole: whether the content is whole; otherwise it is text that ends after ``LARGEST_PAGE`` bytes.
    """

    url: str
    media_type: str
    body: bytes
    whole: bool


class ServerError(ToolError):
    """A server answered with an error, or with something that is not JSON.

    Attributes:
        status: HTTP status of the answer.
        text: the beginning of its body.
        retry_after: the wait that it asks for, as it says it; empty for none.
    """

    def __init__(self, key: str, answer: "httpx2.Response", body: bytes, **values: object) -> None:
        super().__init__(key, **values)
        self.status = answer.status_code
        self.text = body[:_LONGEST_ERROR].decode(errors="replace")
        self.retry_after = str(answer.headers.get("retry-after", "")).strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """Reaches the web.

    The proxy of the environment is not used: it would resolve the names, so that their addresses could not be checked.

    Attributes:
        ledger: records each request before it is sent.
        resolve: resolves host names.
        allowed: whether a numeric address may be reached.
    """

    ledger: EgressLedger
    resolve: Resolve = public_addresses.resolve
    allowed: Callable[[str], bool] = is_public

    async def page(self, url: str, address_kind: DataClass = DataClass.MADE_ADDRESS) -> WebPage:
        """Fetch the page at an address.

        Args:
            url: the address.
            address_kind: where it comes from, for the egress ledger.

        Raises:
            PageError: the address is not allowed, or the page cannot be fetched or read.
            StorageError: a request cannot be recorded, and is not made.
        """
        import httpx2  # importing takes 0.1 s, and most turns do not need it

        try:
            async with asyncio.timeout(WITHIN_S), _client() as client:
                return await self._followed(client, url, address_kind)
        except (TimeoutError, httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise PageError("file_reason.page_unreachable", _host(url)) from error

    async def json(
        self,
        url: str,
        parameters: Mapping[str, str],
        *,
        purpose: str,
        headers: Mapping[str, str] = MappingProxyType({}),
        provider: str = "",
    ) -> Any:
        """Fetch JSON from a server that the user has configured, which may be in the user's own network.

        Redirections are not followed, because the headers may hold a key.

        Args:
            url: the address without parameters.
            parameters: parameters of the address.
            purpose: as in ``Egress``.
            headers: further headers.
            provider: as in ``Egress``.

        Raises:
            ServerError: the server answered with an error, or not with JSON.
            ToolError: the server cannot be reached, or its answer is too long.
            StorageError: the request cannot be recorded, and is not made.
        """
        import httpx2

        try:
            async with asyncio.timeout(WITHIN_S), _client() as client:
                request = client.build_request("GET", url, params=dict(parameters), headers=dict(headers))
                await self._record(request, purpose, DataClass.QUERY, provider=provider)
                answer = await client.send(request, stream=True)
                try:
                    body, whole = await _body_of(answer)
                finally:
                    await answer.aclose()
        except TimeoutError as error:
            raise ToolError("tool_reason.no_answer", name=url, seconds=f"{WITHIN_S:g}") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
            raise ToolError("tool_reason.failed", name=url, detail=error) from error
        if not whole:
            raise ToolError("file_reason.too_large", detail=f"> {LARGEST_PAGE // 1_000_000} MB")
        if not answer.is_success:
            raise ServerError("tool_reason.server_error", answer, body, url=url, status=answer.status_code)
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            media_type = str(answer.headers.get("content-type", "")).partition(";")[0].strip()
            raise ServerError("tool_reason.no_json", answer, body, url=url, kind=media_type or "?") from error

    async def _followed(self, client: "httpx2.AsyncClient", url: str, kind: DataClass) -> WebPage:
        for _ in range(MOST_REDIRECTIONS + 1):
            request = await self._request(client, url, kind)
            answer = await client.send(request, stream=True)
            try:
                if not answer.has_redirect_location:
                    return await _page_of(url, answer)
                url = urljoin(url, answer.headers["location"])
            finally:
                await answer.aclose()
        raise PageError("file_reason.page_unreachable", _host(url))

    async def _request(self, client: "httpx2.AsyncClient", url: str, kind: DataClass) -> "httpx2.Request":
        """The request to the checked numeric address; certificate and ``Host`` are those of the name."""
        import httpx2

        address = httpx2.URL(url)
        if address.scheme not in ("http", "https") or not address.host or len(url) > _LONGEST_URL:
            raise PageError("file_reason.page_address")
        if address.userinfo:
            raise PageError("file_reason.page_password")
        port = address.port or {"http": 80, "https": 443}[address.scheme]
        numeric = await checked_address(address.host, port, resolve=self.resolve, allowed=self.allowed)
        request = client.build_request(
            "GET", address.copy_with(host=numeric), headers={"Host": address.netloc.decode()}
        )
        request.extensions["sni_hostname"] = address.host
        await self._record(request, "open_url", kind, shown=address)
        return request

    async def _record(
        self,
        request: "httpx2.Request",
        purpose: str,
        data: DataClass,
        shown: "httpx2.URL | None" = None,
        *,
        provider: str = "",
    ) -> None:
        url = shown or request.url
        egress = Egress(
            destination=origin(url.scheme, url.host, url.port),
            local=is_local_host(url.host),
            purpose=purpose,
            provider=provider,
            size=len(bytes(url.raw_path)),
            data=(data,),
        )
        try:
            await self.ledger.record(egress)
        except StorageError as error:
            raise not_recorded(error) from error


def _host(url: str) -> str:
    try:
        return urlsplit(url).hostname or url
    except ValueError:
        return url


def _client() -> "httpx2.AsyncClient":
    import httpx2

    return httpx2.AsyncClient(headers=_HEADERS, timeout=WITHIN_S, follow_redirects=False, trust_env=False)


async def _page_of(url: str, answer: "httpx2.Response") -> WebPage:
    if answer.is_error:
        gone = answer.status_code in _GONE
        raise PageError("file_reason.page_gone" if gone else "file_reason.page_refused", str(answer.status_code))
    media_type = str(answer.headers.get("content-type", "text/html")).partition(";")[0].strip().lower()
    if media_type.startswith(_UNREADABLE):
        raise PageError("file_reason.page_kind", media_type)
    if media_type.startswith(_TEXTS):
        body, whole = await _body_of(answer)
    else:
        body, whole = await _body_of(answer, LARGEST_DOCUMENT)
        if not whole:
            raise PageError("file_reason.too_large", f"> {LARGEST_DOCUMENT // 1_000_000} MB")
    return WebPage(url=url, media_type=media_type, body=body, whole=whole)


async def _body_of(answer: "httpx2.Response", largest: int = LARGEST_PAGE) -> tuple[bytes, bool]:
    """At most so many bytes of the body, and whether that is all."""
    body = bytearray()
    async for piece in answer.aiter_bytes():
        body += piece
        if len(body) > largest:
            break
    return bytes(body[:largest]), len(body) <= largest
