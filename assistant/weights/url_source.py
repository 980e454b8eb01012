"""Fetches a file from its upstream address, going on where an earlier attempt stopped."""

import http.client
import urllib.error
import urllib.request
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import IO

from assistant.core.errors import ModelFileError
from assistant.weights.record import RecordDownload

_CHUNK = 1 << 18
_TIMEOUT_S = 30.0
_FRUITLESS_ATTEMPTS = 5
_FIRST_PAUSE_S = 0.5


def fetch_url(
    url: str,
    part: Path,
    *,
    size: int,
    model: str,
    tick: Callable[[int], None],
    pause: Callable[[float], None],
    record: RecordDownload,
) -> None:
    """Bring ``part`` to ``size`` bytes from ``url``; what it holds already is not fetched again.

    A cut connection is taken up again where it broke, as long as every attempt brings something; after five in a row
    that bring nothing it is given up.

    Args:
        url: address, HTTP or HTTPS.
        part: file that is appended to.
        size: bytes of the whole.
        model: whose file this is, for errors.
        tick: told of bytes as they arrive (negative when they are thrown away); what it raises ends the download.
        pause: waits for a number of seconds.
        record: told of every address before it is asked, redirections too.

    Raises:
        ModelFileError: the address does not answer, or answers with something else.
        StorageError: a request cannot be written down; it is not made.
        OSError: the disk.
    """
    have = part.stat().st_size if part.exists() else 0
    if have > size:
        part.unlink()
        have = 0
    tick(have)
    fruitless, trouble = 0, ""
    while have < size:
        try:
            _attempt(url, part, have, size, tick=tick, record=record)
            trouble = "the connection was cut"
        except urllib.error.HTTPError as error:
            error.close()
            if error.code < HTTPStatus.INTERNAL_SERVER_ERROR and error.code != HTTPStatus.REQUEST_TIMEOUT:
                raise ModelFileError(
                    f"{url} answers {error.code} {error.reason}",
                    model=model,
                    message_key="model_unavailable",
                    cause=error,
                ) from error
            trouble = f"{error.code} {error.reason}"
        except (urllib.error.URLError, http.client.HTTPException, ConnectionError, TimeoutError) as error:
            trouble = str(error)
        arrived = part.stat().st_size if part.exists() else 0
        fruitless = 0 if arrived > have else fruitless + 1
        have = arrived
        if have < size:
            if fruitless >= _FRUITLESS_ATTEMPTS:
                raise ModelFileError(f"{url}: {trouble}", model=model, message_key="model_no_network")
            pause(_FIRST_PAUSE_S * 2**fruitless)


def _attempt(
    url: str, part: Path, have: int, size: int, *, tick: Callable[[int], None], record: RecordDownload
) -> None:
    """One connection: append what it gives."""
    opener = _web_opener(record)
    opener.addheaders = [("User-Agent", "sori"), *([("Range", f"bytes={have}-")] if have else [])]
    record(url)
    with opener.open(url, timeout=_TIMEOUT_S) as response:
        span = response.headers.get("Content-Range", "")
        resumed = response.status == HTTPStatus.PARTIAL_CONTENT and span.startswith(f"bytes {have}-")
        if have and not resumed:
            tick(-have)
            have = 0
        with part.open("ab" if have else "wb") as stream:
            while have < size and (chunk := response.read1(min(_CHUNK, size - have))):
                stream.write(chunk)
                have += len(chunk)
                tick(len(chunk))


class _RecordedRedirects(urllib.request.HTTPRedirectHandler):
    """Follows redirections, each written down first."""

    def __init__(self, record: RecordDownload) -> None:
        self._record = record

    def redirect_request(
        self,
        req: urllib.request.Request,
        fp: IO[bytes],
        code: int,
        msg: str,
        headers: http.client.HTTPMessage,
        newurl: str,
    ) -> urllib.request.Request | None:
        """The request that follows the redirection."""
        request = super().redirect_request(req, fp, code, msg, headers, newurl)
        if request is not None:
            self._record(newurl)
        return request


def _web_opener(record: RecordDownload) -> urllib.request.OpenerDirector:
    """Opens web addresses, through the user's proxy, and nothing else (no ``file:``, no ``ftp:``)."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        _RecordedRedirects(record),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener
