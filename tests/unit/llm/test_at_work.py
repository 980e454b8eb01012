"""Whether a server on this machine is at work, with real connections."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from assistant.llm import at_work
from assistant.llm.at_work import takes_connections


@asynccontextmanager
async def served(reply: Callable[[], Awaitable[bytes]]) -> Any:
    """The address of a server that answers every request this way."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(await reply())
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/v1"


def response(body: object, status: int = 200) -> bytes:
    return f"HTTP/1.0 {status} X\r\nContent-Type: application/json\r\n\r\n{json.dumps(body)}".encode()


@pytest.mark.parametrize(
    ("reply", "at_work"),
    [
        (response([{"id": 0, "is_processing": True}]), True),
        (response([{"id": 0, "is_processing": False}, {"id": 1, "is_processing": True}]), True),
        (response([{"id": 0, "is_processing": False}]), False),
        (response({"error": {"message": "Loading model"}}, 503), True),
        (response({"error": "no such path"}, 404), True),
        (response([]), True),
        (response([1, 2]), True),
        (b"Ollama is running", True),
        (b"", True),
        (b"\xff\xfe", True),
    ],
)
async def test_a_server_that_takes_connections_is_at_work_unless_it_says_that_it_is_idle(
    reply: bytes, at_work: bool
) -> None:
    async def say() -> bytes:
        return reply

    async with served(say) as address:
        assert await takes_connections(address) == at_work


async def test_a_list_that_arrives_in_pieces_is_read_whole() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head, _, body = response([{"id": 0, "is_processing": False}]).partition(b"\r\n\r\n")
        for piece in (head, b"\r\n\r\n", body[:5], body[5:]):
            writer.write(piece)
            await writer.drain()
            await asyncio.sleep(0.01)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        assert not await takes_connections(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1")


async def test_a_server_that_answers_no_other_request_is_at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_work, "_LIMIT_S", 0.05)
    ends = asyncio.Event()

    async def wait() -> bytes:
        await ends.wait()
        return b""

    async with served(wait) as address:
        assert await takes_connections(address)
        ends.set()


@pytest.mark.parametrize(
    "address", ["", "http://127.0.0.1:1/v1", "https://example.com/v1", "http://192.0.2.1:80/v1", "http://[::1]:1/v1"]
)
async def test_a_closed_port_and_another_machine_are_not(address: str) -> None:
    assert not await takes_connections(address)
