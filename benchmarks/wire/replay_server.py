"""A model server in a process of its own that repeats one long answer, as fast as it is read.

    python -m benchmarks.wire.replay_server openai 4000

prints its base URL and serves until its input is closed. The answer is composed once and written in one piece, so that
the client's measurement contains only reading.
"""

import asyncio
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.fakes.model_server.script import RecordedRequest, Reply
from tests.fakes.model_server.wire import Wire
from tests.fakes.model_server.wire_anthropic import AnthropicWire
from tests.fakes.model_server.wire_google import GoogleWire
from tests.fakes.model_server.wire_openai import OpenAIWire

WIRES: dict[str, Wire] = {"openai": OpenAIWire(), "anthropic": AnthropicWire(), "google": GoogleWire()}
WORD = " 안녕"
"""One token."""


@contextmanager
def replaying(kind: str, tokens: int) -> Iterator[str]:
    """Run the server in a process of its own and yield its base URL."""
    command = [sys.executable, "-m", "benchmarks.wire.replay_server", kind, str(tokens)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        if process.stdin is None or process.stdout is None:
            raise OSError("the server has no pipes")
        yield process.stdout.readline().strip()
        process.stdin.close()


class _Replay:
    def __init__(self, wire: Wire, tokens: int) -> None:
        self._wire = wire
        self._reply = Reply(text=WORD * tokens)
        self._worded = b""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                writer.write(self._answer(await _request(reader)))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def _answer(self, request: RecordedRequest) -> bytes:
        if not self._wire.is_chat(request):
            other = self._wire.other(request, ["scripted-model"]) or Reply(body="{}")
            body = (other.body or "").encode()
            head = f"HTTP/1.1 {other.status} -\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            return head.encode() + body
        if not self._worded:
            self._worded = self._word(request)
        return self._worded

    def _word(self, request: RecordedRequest) -> bytes:
        words = self._wire.words(request, self._reply)
        tokens = list(words.tokens())
        events = [*words.opening(), *tokens, *words.ending(len(tokens))]
        head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\nTransfer-Encoding: chunked\r\n\r\n"
        return head.encode() + b"".join(b"%x\r\n%s\r\n" % (len(event), event) for event in events) + b"0\r\n\r\n"


async def _request(reader: asyncio.StreamReader) -> RecordedRequest:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    length = int(headers.get("content-length", "0"))
    body = json.loads(await reader.readexactly(length)) if length else None
    method, path, _ = first.split(" ", 2)
    return RecordedRequest(method=method, path=path, headers=headers, body=body, at=0.0, connection=0)


async def _serve(kind: str, tokens: int) -> None:
    replay = _Replay(WIRES[kind], tokens)
    server = await asyncio.start_server(replay.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(f"http://127.0.0.1:{port}{WIRES[kind].root}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(_serve(sys.argv[1], int(sys.argv[2])))
