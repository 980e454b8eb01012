"""The bytes of files of messages and tools, in a form in which no browser runs anything of them."""

import re
from collections.abc import AsyncIterator
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from assistant.core.records.egress import DataClass
from assistant.core.service.requests.conversations import FilePart, ReadFile
from assistant.remote.http.operations import HttpCall, Operation
from assistant.remote.http.refusals import refused

SHOWN: Final = frozenset(
    {
        *("image/png", "image/jpeg", "image/gif", "image/webp", "image/avif", "image/bmp"),
        *("audio/wav", "audio/mpeg", "audio/ogg", "audio/flac", "audio/mp4", "audio/webm"),
    }
)
"""Types that a browser shows and that cannot hold a script. SVG, HTML and PDF can."""
OTHER: Final = "application/octet-stream"
_RANGE = re.compile(r"bytes=(\d{0,15})-(\d{0,15})")
_PIECE = 1024 * 1024


async def read_file(call: HttpCall) -> Response:
    """Send a file, or the one range of it that is asked for."""
    reference = f"{call.http.path_params['message']}/{call.http.path_params['position']}"
    file = await _part(call, reference, 0, 1)
    kind = file.mime_type.partition(";")[0].strip().lower()
    shown = kind in SHOWN
    headers = {
        "accept-ranges": "bytes",
        "content-disposition": f"{'inline' if shown else 'attachment'}; filename*=UTF-8''{quote(_name(file), safe='')}",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    }
    wanted = call.http.headers.get("range")
    first, end = (0, file.size) if wanted is None else _range(call, wanted, file.size)
    headers["content-length"] = str(end - first)
    if wanted is not None:
        headers["content-range"] = f"bytes {first}-{end - 1}/{file.size}"
    status = HTTPStatus.OK if wanted is None else HTTPStatus.PARTIAL_CONTENT
    body = _bytes(call, reference, first, end)
    return StreamingResponse(body, status, headers, media_type=kind if shown else OTHER)


async def _bytes(call: HttpCall, reference: str, first: int, end: int) -> AsyncIterator[bytes]:
    for at in range(first, end, _PIECE):
        yield (await _part(call, reference, at, min(_PIECE, end - at))).data


async def _part(call: HttpCall, reference: str, offset: int, length: int) -> FilePart:
    part: FilePart = await call.engine.result(call.caller, ReadFile(reference=reference, offset=offset, length=length))
    return part


def _range(call: HttpCall, wanted: str, size: int) -> tuple[int, int]:
    """The first byte of a range, and the one behind it (RFC 9110, 14.1.2).

    Raises:
        HttpRefusedError: it is none, there are several, or it begins behind the end.
    """
    found = _RANGE.fullmatch(wanted.replace(" ", ""))
    first, last = found.groups() if found is not None else ("", "")
    begin = int(first) if first else size - min(int(last or 0), size)
    end = min(int(last) + 1, size) if first and last else size
    if begin >= end:
        headers = {"content-range": f"bytes */{size}"}
        status = HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE
        raise refused(call.texts, status, "invalid", headers=headers, detail=f"range: {wanted[:80]}")
    return begin, end


def _name(file: FilePart) -> str:
    """The file's name without folders and characters that cannot be seen."""
    return "".join(each for each in re.split(r"[/\\]", file.name)[-1] if each.isprintable())[:200] or "file"


FILES: Final = Operation(
    method="GET",
    path="/v1/files/{message}/{position}",
    handle=read_file,
    summary="Send a file of a message or of a tool's result: `reference` of the message, with its slash.",
    gives=bytes,
    media=OTHER,
    also=("image/*", "audio/*"),
    data=(DataClass.IMAGE, DataClass.AUDIO, DataClass.DOCUMENT),
)
