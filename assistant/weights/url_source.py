"""Fetches a file from its upstream address, going on where an earlier attempt stopped."""

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.core.errors import ModelFileError
from assistant.weights.record import RecordDownload

if TYPE_CHECKING:
    import httpx2

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
    if have < size:
        with _client(url, model, record) as client:
            _fetch_rest(client, url, part, have, size, model=model, tick=tick, pause=pause)


def _client(url: str, model: str, record: RecordDownload) -> "httpx2.Client":
    """A client through the user's proxy that records every request before it is sent, redirections too."""
    import httpx2  # takes 0.1 s, which most starts do not need

    try:
        return httpx2.Client(
            headers={"User-Agent": "sori", "Accept-Encoding": "identity"},
            timeout=_TIMEOUT_S,
            follow_redirects=True,
            event_hooks={"request": [lambda request: record(str(request.url))]},
        )
    except (ImportError, ValueError) as error:  # a proxy of a kind that the client does not know
        raise ModelFileError(f"{url}: {error}", model=model, message_key="model_no_network", cause=error) from error


def _fetch_rest(
    client: "httpx2.Client",
    url: str,
    part: Path,
    have: int,
    size: int,
    *,
    model: str,
    tick: Callable[[int], None],
    pause: Callable[[float], None],
) -> None:
    import httpx2

    fruitless, trouble = 0, ""
    while have < size:
        try:
            _attempt(client, url, part, have, size, tick=tick)
            trouble = "the connection was cut"
        except (httpx2.HTTPStatusError, httpx2.TooManyRedirects, httpx2.InvalidURL) as error:
            if not (isinstance(error, httpx2.HTTPStatusError) and _may_pass(error.response.status_code)):
                raise ModelFileError(
                    f"{url}: {error}", model=model, message_key="model_unavailable", cause=error
                ) from error
            trouble = str(error)
        except httpx2.TransportError as error:
            trouble = str(error) or type(error).__name__
        arrived = part.stat().st_size if part.exists() else 0
        fruitless = 0 if arrived > have else fruitless + 1
        have = arrived
        if have < size:
            if fruitless >= _FRUITLESS_ATTEMPTS:
                raise ModelFileError(f"{url}: {trouble}", model=model, message_key="model_no_network")
            pause(_FIRST_PAUSE_S * 2**fruitless)


def _may_pass(status: int) -> bool:
    """Whether a server that answers ``status`` may answer otherwise later."""
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT


def _attempt(
    client: "httpx2.Client", url: str, part: Path, have: int, size: int, *, tick: Callable[[int], None]
) -> None:
    """One request: append what it gives."""
    with client.stream("GET", url, headers={"Range": f"bytes={have}-"} if have else {}) as response:
        response.raise_for_status()
        span = response.headers.get("Content-Range", "")
        resumed = response.status_code == HTTPStatus.PARTIAL_CONTENT and span.startswith(f"bytes {have}-")
        if have and not resumed:
            tick(-have)
            have = 0
        with part.open("ab" if have else "wb") as stream:
            for chunk in response.iter_raw():
                taken = chunk[: size - have]
                stream.write(taken)
                have += len(taken)
                tick(len(taken))
                if have == size:
                    return
