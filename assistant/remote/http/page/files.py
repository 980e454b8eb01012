"""The files of the web page, and its words. They hold nothing of the user's, so they need no token."""

from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from assistant.core.texts import Texts

_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_WORDS = ("web.", "desktop.", "flow.", "notice.", "memory.notice.", "tool.", "file_state.", "file_reason.")
"""Beginnings of the keys of the words that the page shows."""
_POLICY = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; media-src blob:; "
        "connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    ),
    "permissions-policy": "microphone=(self), camera=(), geolocation=()",
}


class PageFiles:
    """An ASGI application that serves ``/`` and ``/static/``.

    Args:
        folder: the files of the page.
        icons: the icons of the window, which the page shows too.
        texts: the user's words.
    """

    def __init__(self, folder: Path, icons: Path, texts: Texts) -> None:
        self._texts = texts
        self._files: Mapping[str, Path] = {
            **{
                f"/static/{each.name}": each
                for each in (*icons.glob("*.svg"), *folder.iterdir())
                if each.suffix in _TYPES
            },
            "/": folder / "index.html",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        await self._response(scope["path"])(scope, receive, send)

    def _response(self, path: str) -> Response:
        if path == "/static/words.json":
            words = {key: self._texts.raw(key) for key in self._texts.keys if key.startswith(_WORDS)}
            return JSONResponse({"language": self._texts.language, "words": words})
        file = self._files.get(path)
        if file is None:
            return Response(status_code=HTTPStatus.NOT_FOUND)
        return Response(file.read_bytes(), media_type=_TYPES[file.suffix], headers=_POLICY)
