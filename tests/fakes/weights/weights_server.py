"""A web server for files on loopback, with scripted failures."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import cast


@dataclass
class WeightsServer:
    """Serves ``files``. The first ``cuts`` answers break off after ``cut_after`` bytes.

    Attributes:
        files: content by path.
        cut_after: number of bytes before the connection breaks.
        cuts: number of answers that break off; later answers are complete.
        ranges: whether Range headers are supported.
        stalled: whether an answer stops after its first bytes until ``go_on`` is set.
        redirects: addresses to redirect to, by path.
        requests: the Range header of every request; empty without one.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    cut_after: int = 0
    cuts: int = 0
    ranges: bool = True
    stalled: bool = False
    go_on: threading.Event = field(default_factory=threading.Event)
    redirects: dict[str, str] = field(default_factory=dict)
    requests: list[str] = field(default_factory=list)
    address: str = ""

    def url(self, path: str) -> str:
        return f"{self.address}/{path}"


class _Handler(BaseHTTPRequestHandler):
    @property
    def _server(self) -> WeightsServer:
        return cast("_Http", self.server).weights

    def do_GET(self) -> None:
        server = self._server
        span = self.headers.get("Range", "")
        server.requests.append(span)
        if elsewhere := server.redirects.get(self.path.lstrip("/")):
            self.send_response(302)
            self.send_header("Location", elsewhere)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        whole = server.files.get(self.path.lstrip("/"))
        if whole is None:
            self.send_error(404)
            return
        first = int(span.removeprefix("bytes=").rstrip("-")) if span and server.ranges else 0
        body = whole[first:]
        self.send_response(206 if span and server.ranges else 200)
        self.send_header("Content-Length", str(len(body)))
        if self.path.endswith("/"):
            self.send_header("Content-Type", "text/html")
        if span and server.ranges:
            self.send_header("Content-Range", f"bytes {first}-{len(whole) - 1}/{len(whole)}")
        self.end_headers()
        self._send(body, server)

    def _send(self, body: bytes, server: WeightsServer) -> None:
        if server.cuts > 0:
            server.cuts -= 1
            self.wfile.write(body[: server.cut_after])
            self.close_connection = True
            return
        if server.stalled:
            self.wfile.write(body[: server.cut_after])
            self.wfile.flush()
            server.go_on.wait(60)
            return
        self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        """Write no log."""


class _Http(ThreadingHTTPServer):
    daemon_threads = True
    weights: WeightsServer


@contextmanager
def weights_server() -> Iterator[WeightsServer]:
    """Run a server."""
    weights = WeightsServer()
    http = _Http(("127.0.0.1", 0), _Handler)
    http.weights = weights
    weights.address = f"http://127.0.0.1:{http.server_port}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield weights
    finally:
        weights.go_on.set()
        http.shutdown()
        http.server_close()
        thread.join()
