"""A web server on this machine."""

import asyncio
import contextlib


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
