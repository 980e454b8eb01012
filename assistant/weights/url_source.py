"""Fetches a file from its upstream address, and resumes where an earlier attempt stopped."""

from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.core.errors import ModelFileError
from assistant.core.version import USER_AGENT
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
    tick: Callable[..., None],
    pause: Callable[[float], None],
    record: RecordDownload,
) -> None:
    """Fetch the rest of ``part`` from ``url``, until it has ``size`` bytes.

    A cut connection is resumed as long as every attempt brings some bytes. After five attempts in a row without any,
    the download fails.

    Args:
        url: address, HTTP or HTTPS.
        part: file to append to.
        size: bytes of the whole file.
        model: name of the model, for errors.
        tick: called with arrived bytes (negative when they are discarded), and ``kept=True`` for those that were here
            before; its exception ends the download.
        pause: waits for a number of seconds.
        record: called with every address before it is asked, including redirects.

    Raises:
        ModelFileError: the server does not answer, or answers with an error.
        StorageError: a request cannot be recorded, and is not made.
        OSError: the disk failed.
    """
    have = part.stat().st_size if part.exists() else 0
    if have > size:
        part.unlink()
        have = 0
    tick(have, kept=True)
    if have < size:
        with _client(url, model, record) as client:
            _fetch_rest(client, url, part, have, size, model=model, tick=tick, pause=pause)


def _client(url: str, model: str, record: RecordDownload) -> "httpx2.Client":
    """A client that uses the user's proxy and records every request before it is sent, including redirects."""
    import httpx2  # importing takes 0.1 s, and most starts do not need it

    try:
        return httpx2.Client(
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "identity"},
            timeout=_TIMEOUT_S,
            follow_redirects=True,
            event_hooks={"request": [lambda request: record(str(request.url))]},
        )
    except (ImportError, ValueError) as error:  # the client does not support this kind of proxy
        raise ModelFileError(f"{url}: {error}", model=model, message_key="model_no_network", cause=error) from error


def _fetch_rest(
    client: "httpx2.Client",
    url: str,
    part: Path,
    have: int,
    size: int,
    *,
    model: str,
    tick: Callable[..., None],
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
    """Whether a server that answers ``status`` may answer differently later."""
    return status >= HTTPStatus.INTERNAL_SERVER_ERROR or status == HTTPStatus.REQUEST_TIMEOUT


def _attempt(client: "httpx2.Client", url: str, part: Path, have: int, size: int, *, tick: Callable[..., None]) -> None:
    """Make one request and append its bytes."""
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
