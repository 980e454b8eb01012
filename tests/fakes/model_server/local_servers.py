"""Fake model servers of other programs on loopback, with their answers, and other programs on a port."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from assistant.llm.facts import discovery

PATIENT_S = 20.0
"""Time limit in seconds for servers that answer, long enough for a busy machine."""

Routes = Mapping[str, Any]
"""Answers by path: JSON, bytes that are sent unchanged, or a tuple of a status and one of these. For posted JSON the
key is the path, a space and its ``model``."""

OLLAMA: Routes = {
    "/api/version": {"version": "0.15.2"},
    "/api/tags": {
        "models": [
            {"name": "qwen3:8b", "size": 5_200_000_000, "details": {"family": "qwen3"}},
            {"name": "gemma3:4b", "size": 3_300_000_000, "details": {"family": "gemma3"}},
            {"name": "nomic-embed-text:latest", "size": 274_000_000, "details": {"family": "nomic-bert"}},
        ]
    },
    "/api/show qwen3:8b": {
        "capabilities": ["completion", "tools", "thinking"],
        "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
    },
    "/api/show gemma3:4b": {
        "capabilities": ["completion", "vision"],
        "model_info": {"general.architecture": "gemma3", "gemma3.context_length": 131072},
    },
    "/api/show nomic-embed-text:latest": {
        "capabilities": ["embedding"],
        "model_info": {"general.architecture": "nomic-bert", "nomic-bert.context_length": 2048},
    },
    "/": b"Ollama is running",
}

LM_STUDIO: Routes = {
    "/api/v0/models": {
        "object": "list",
        "data": [
            {
                "id": "qwen2.5-vl-7b-instruct",
                "type": "vlm",
                "state": "not-loaded",
                "max_context_length": 128000,
            },
            {
                "id": "exaone-4.0-1.2b",
                "type": "llm",
                "state": "loaded",
                "max_context_length": 65536,
                "loaded_context_length": 8192,
                "capabilities": ["tool_use"],
            },
            {
                "id": "text-embedding-nomic-embed-text-v1.5",
                "type": "embeddings",
                "state": "not-loaded",
                "max_context_length": 2048,
            },
        ],
    },
    # Its answer to every unknown path, with status 200.
    "*": {"error": "Unexpected endpoint or method."},
}

LLAMA_CPP: Routes = {
    "/props": {
        "default_generation_settings": {"n_ctx": 16384},
        "total_slots": 4,
        "model_path": "gemma-3-4b-it-Q4_K_M.gguf",
        "modalities": {"vision": True, "audio": False},
    },
    "/v1/models": {"object": "list", "data": [{"id": "gemma-3-4b-it-Q4_K_M.gguf", "owned_by": "llamacpp"}]},
    "/api/tags": {"models": [{"name": "gemma-3-4b-it-Q4_K_M.gguf"}]},
}

JAN: Routes = {
    "/openapi.json": {"openapi": "3.0.0", "info": {"title": "Jan API Server Endpoints"}},
    "/v1/models": {"object": "list", "data": [{"id": "jan-v3-4b-base-instruct", "object": "model"}]},
}


@dataclass
class Neighbour:
    """A program that listens on a port of this machine.

    Attributes:
        routes: its answers.
        port: its port.
        asked: the requested paths.
        heads: the requests' heads.
    """

    routes: Routes
    port: int = 0
    asked: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                while True:
                    await self._answer(reader, writer)
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.lower().splitlines()
        length = next((int(line.split(":")[1]) for line in lines if line.startswith("content-length:")), 0)
        posted = await reader.readexactly(length)
        key = head.split()[1] + (f" {json.loads(posted)['model']}" if posted else "")
        self.asked.append(key)
        self.heads.append(head)
        status, answer = 200, self.routes.get(key, self.routes.get("*", (404, b"404 page not found")))
        if isinstance(answer, tuple):
            status, answer = answer
        if answer is None:
            await asyncio.Event().wait()
        body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        writer.write(f"HTTP/1.1 {status} -\r\nContent-Length: {len(body)}\r\n\r\n".encode())
        if key in self.routes.get("half way", ()):
            writer.write(body[: len(body) // 2])
            await writer.drain()
            await asyncio.Event().wait()
        writer.write(body)
        await writer.drain()


@asynccontextmanager
async def listening(routes: Routes, host: str = "127.0.0.1", port: int = 0) -> AsyncIterator[Neighbour]:
    """Run a neighbour on ``host``. A route ``None`` never answers; ``half way`` names routes that stop in the
    middle."""
    neighbour = Neighbour(routes)
    serving: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving.add(asyncio.get_running_loop().create_task(neighbour.serve(reader, writer)))

    server = await asyncio.start_server(connected, host, port)
    neighbour.port = server.sockets[0].getsockname()[1]
    try:
        yield neighbour
    finally:
        server.close()
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving, return_exceptions=True)


@contextmanager
def neighbours(*programs: Routes) -> Iterator[list[int]]:
    """Run programs on a thread of their own, for callers with an event loop of their own; yields their ports.

    The search for servers gets a long time limit, so that it also succeeds on a busy machine.
    """
    ports: list[int] = []
    ready, over = threading.Event(), asyncio.Event()

    async def serve() -> None:
        async with asyncio.TaskGroup() as tasks:
            up: list[asyncio.Future[Neighbour]] = []
            for routes in programs:
                listens: asyncio.Future[Neighbour] = asyncio.get_running_loop().create_future()
                up.append(listens)
                tasks.create_task(one(routes, listens))
            ports.extend([(await each).port for each in up])
            ready.set()

    async def one(routes: Routes, listens: asyncio.Future[Neighbour]) -> None:
        async with listening(routes) as neighbour:
            listens.set_result(neighbour)
            await over.wait()

    with asyncio.Runner() as runner:
        thread = threading.Thread(target=lambda: runner.run(serve()))
        loop = runner.get_loop()
        thread.start()
        ready.wait()
        try:
            with patch.object(discovery, "LIMIT_S", PATIENT_S):
                yield ports
        finally:
            loop.call_soon_threadsafe(over.set)
            thread.join()
