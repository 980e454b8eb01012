"""What of a server's messages is read."""

import asyncio
from collections.abc import AsyncIterator

import httpx2
import pytest

from assistant.tools.mcp.running import http
from assistant.tools.mcp.running.limits import LONGEST_MESSAGE, MessagePace, problem_of


def test_messages_that_would_hold_up_the_program_are_not_read() -> None:
    assert "objects" in problem_of(b"[" + b"{}," * 5_000 + b"{}]")
    assert problem_of(b'{"inputSchema": 1, "a": [' + b"{}," * 5_000 + b"{}]}") == ""
    assert "objects" in problem_of(b'{"inputSchema": 1, "a": [' + b"{}," * 15_000 + b"{}]}")
    assert "parts" in problem_of(b"[" + b"1," * 60_000 + b"1]")
    assert "parts" in problem_of(b"[" * 60_000)


@pytest.mark.parametrize("inside", [b"{", b",", b"[", b'\\"{', b"\\\\", b'\\\\\\"{'])
def test_signs_in_strings_do_not_count(inside: bytes) -> None:
    assert problem_of(b'{"result": {"text": "' + inside * 60_000 + b'"}}') == ""
    assert "objects" in problem_of(b'{"text": "' + inside * 60_000 + b'", "a": [' + b"{}," * 4_000)


@pytest.mark.timeout(20)
def test_a_string_without_an_end_is_read_once() -> None:
    """Looking for its end from each quote would take hours."""
    assert problem_of(b"{" * 2_000 + b'"' + b'\\"{' * 1_000_000) == ""


def test_few_messages_do_not_wait() -> None:
    pace = MessagePace()
    assert [pace.wait_s(number * 0.01) for number in range(1_000)] == [0.0] * 1_000
    assert pace.problem == ""


def test_many_messages_wait_for_the_next_period_and_at_last_end_the_connection() -> None:
    pace, now_s, read = MessagePace(), 0.0, 0
    while not pace.problem:
        now_s += 0.0001 + pace.wait_s(now_s)
        read += 1
    assert 4.0 < now_s < 7.0
    assert read / now_s < 600
    assert "messages" in pace.problem


def test_a_burst_is_forgiven() -> None:
    pace, now_s = MessagePace(), 0.0
    for _ in range(20):
        for _ in range(500):
            now_s += 0.0001 + pace.wait_s(now_s)
        now_s += 1.0
    assert pace.problem == ""


class Body(httpx2.AsyncByteStream):
    def __init__(self, *pieces: bytes) -> None:
        self.pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self.pieces:
            yield piece


async def passed(*pieces: bytes, kind: str = "application/json", **headers: str) -> list[bytes]:
    response = httpx2.Response(200, headers={"content-type": kind, **headers}, stream=Body(*pieces))
    await http._limited(response)
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    return [piece async for piece in response.stream]


async def test_an_answer_passes_whole_and_an_event_line_by_line() -> None:
    assert await passed(b'{"a":', b"1}") == [b'{"a":1}']
    events = await passed(b"data: 1\n\nda", b"ta: 2\n", b"\n", kind="text/event-stream")
    assert b"".join(events) == b"data: 1\n\ndata: 2\n\n"
    assert events[0] == b"data: 1\n"


@pytest.mark.parametrize("kind", ["application/json", "text/event-stream; charset=utf-8"])
@pytest.mark.parametrize("body", [b"x" * (LONGEST_MESSAGE + 1), b"{}," * 5_000, b"1," * 60_000])
async def test_an_answer_that_would_hold_up_the_program_is_not_read(kind: str, body: bytes) -> None:
    with pytest.raises(httpx2.ReadError, match="more than"):
        await passed(body, b"\n\n", kind=kind)


async def test_a_compressed_answer_is_not_read() -> None:
    with pytest.raises(httpx2.ReadError, match="compresses"):
        await passed(b"", **{"content-encoding": "gzip"})


async def test_events_that_do_not_stop_are_slowed_down(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def noted(wait_s: float) -> None:
        waits.append(wait_s)

    monkeypatch.setattr(asyncio, "sleep", noted)
    assert len(await passed(b"data: 1\n" * 60, kind="text/event-stream")) >= 60
    assert waits
