import asyncio
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.server import EmbeddedServer
from assistant.llm.facts.discovery import FoundModel, FoundServer, find_servers
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.local_servers import JAN, LLAMA_CPP, LM_STUDIO, OLLAMA, Routes, listening

PATIENT_S = 20.0
"""So that a busy machine makes no difference where a server does answer."""
IMPATIENT_S = 0.05


async def found(*ports: int, limit_s: float = PATIENT_S) -> tuple[FoundServer, ...]:
    return await find_servers(MemoryLedger(), ports=ports, limit_s=limit_s)


async def test_ollama_tells_of_each_model_what_it_can_and_embeddings_are_left_out() -> None:
    async with listening(OLLAMA) as ollama:
        servers = await found(ollama.port)
    assert servers == (
        FoundServer(
            name="ollama",
            title="Ollama",
            base_url=f"http://127.0.0.1:{ollama.port}/v1",
            models=(
                FoundModel(name="qwen3:8b", context_tokens=40960, images=False, tools=True),
                FoundModel(name="gemma3:4b", context_tokens=131072, images=True, tools=False),
            ),
        ),
    )


async def test_an_ollama_that_cannot_describe_its_models_still_lists_them_without_embeddings() -> None:
    older = {path: OLLAMA[path] for path in ("/api/version", "/api/tags")}
    async with listening(older) as ollama:
        (server,) = await found(ollama.port)
    assert server.models == (FoundModel(name="qwen3:8b"), FoundModel(name="gemma3:4b"))


async def test_lm_studio_tells_the_context_that_it_loaded_a_model_with() -> None:
    async with listening(LM_STUDIO) as studio:
        (server,) = await found(studio.port)
    assert (server.name, server.title) == ("lmstudio", "LM Studio")
    assert server.models == (
        FoundModel(name="qwen2.5-vl-7b-instruct", context_tokens=128000, images=True, tools=None),
        FoundModel(name="exaone-4.0-1.2b", context_tokens=8192, images=False, tools=True),
    )


async def test_llama_cpp_tells_its_context_and_whether_it_can_see() -> None:
    async with listening(LLAMA_CPP) as llama:
        (server,) = await found(llama.port)
    assert server.name == "llamacpp"
    assert server.models == (FoundModel(name="gemma-3-4b-it-Q4_K_M.gguf", context_tokens=16384, images=True),)


async def test_jan_is_found_and_one_that_wants_a_key_is_said_to_want_it() -> None:
    async with listening(JAN) as open_jan, listening({**JAN, "/v1/models": (401, b"Missing authorization")}) as shut:
        first, second = await found(open_jan.port, shut.port)
    assert (first.name, first.models, first.needs_key) == ("jan", (FoundModel(name="jan-v3-4b-base-instruct"),), False)
    assert (second.name, second.models, second.needs_key) == ("jan", (), True)


async def test_all_are_found_at_once_wherever_they_listen_and_in_the_order_of_the_ports() -> None:
    async with listening(JAN) as a, listening(OLLAMA) as b, listening(LLAMA_CPP) as c, listening(LM_STUDIO) as d:
        servers = await found(d.port, c.port, b.port, a.port)
    assert [server.name for server in servers] == ["lmstudio", "llamacpp", "ollama", "jan"]


@pytest.mark.parametrize(
    "routes",
    [
        {"*": b"<!doctype html><title>My page</title>"},
        {"*": {"status": "ok"}},
        {"*": []},
        {"*": (500, b"")},
        {"*": (401, {"error": "unauthorized"})},
        {"*": b"\xff\xfe\x00"},
        {"/api/version": {"version": "1.0"}},
        {"/api/version": {"version": 3}, "/api/tags": {"models": []}},
        {"/openapi.json": {"info": {"title": "Petstore"}}, "/v1/models": {"data": [{"id": "x"}]}},
    ],
)
async def test_a_port_that_is_open_is_no_model_server_by_that(routes: Routes) -> None:
    async with listening(routes) as other:
        assert await found(other.port) == ()


@pytest.mark.parametrize(
    "routes", [{"*": None}, {**OLLAMA, "/api/tags": None}, {**OLLAMA, "half way": ("/api/version",)}]
)
async def test_one_that_hangs_is_given_up_and_hides_no_other(routes: Routes) -> None:
    async with listening(routes) as hanging:
        assert await found(hanging.port, limit_s=IMPATIENT_S) == ()


@pytest.mark.long
async def test_what_hangs_beside_a_server_does_not_hide_it() -> None:
    async with listening({"*": None}) as hanging, listening(JAN) as jan:
        servers = await found(hanging.port, jan.port, limit_s=2.0)
    assert [server.name for server in servers] == ["jan"]


@pytest.mark.long
async def test_a_description_that_hangs_leaves_a_fact_open_and_not_the_model_out() -> None:
    async with listening({**OLLAMA, "/api/show gemma3:4b": None}) as ollama:
        (server,) = await found(ollama.port, limit_s=1.0)
    assert FoundModel(name="gemma3:4b") in server.models


async def test_a_server_on_the_other_loopback_is_found_and_one_on_both_is_one() -> None:
    async with listening(JAN, "::1") as jan:
        (server,) = await found(jan.port)
        assert server.base_url == f"http://[::1]:{jan.port}/v1"
        async with listening(JAN, "127.0.0.1", jan.port):
            (server,) = await found(jan.port)
    assert server.base_url == f"http://127.0.0.1:{jan.port}/v1"


async def test_no_proxy_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening({"*": b"proxied"}) as proxy, listening(JAN) as jan:
        for variable in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.port}")
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.delenv("no_proxy", raising=False)
        assert len(await found(jan.port)) == 1
    assert proxy.asked == []


async def test_every_question_is_in_the_ledger_and_none_goes_to_a_port_that_is_closed() -> None:
    ledger = MemoryLedger()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = taken.getsockname()[1]
    async with listening(OLLAMA) as ollama:
        await find_servers(ledger, ports=(ollama.port, closed), limit_s=PATIENT_S)
    assert len(ledger.rows) == len(ollama.asked) == 8
    assert {row.destination for row in ledger.rows} == {f"http://127.0.0.1:{ollama.port}"}
    for row in ledger.rows:
        assert (row.local, row.purpose, row.data) == (True, "discovery", (DataClass.NONE,))


async def test_nothing_is_asked_when_it_cannot_be_written_down() -> None:
    async with listening(OLLAMA) as ollama:
        with pytest.raises(StorageError):
            await find_servers(MemoryLedger(broken=True), ports=(ollama.port,), limit_s=PATIENT_S)
    assert ollama.asked == []


async def test_writing_down_takes_none_of_the_servers_time(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    now, hours = loop.time, 0
    monkeypatch.setattr(loop, "time", lambda: now() + 3600 * hours)

    class Slow(MemoryLedger):
        async def record(self, egress: Egress) -> None:
            nonlocal hours
            hours += 1

    async with listening(OLLAMA) as ollama:
        servers = await find_servers(Slow(), ports=(ollama.port,), limit_s=PATIENT_S)
    assert hours == len(ollama.asked)
    assert len(servers[0].models) == 2


@pytest.mark.models
async def test_a_real_llama_cpp_is_recognised(model_path: Callable[[str], Path]) -> None:
    server = EmbeddedServer(model_path(PLACEHOLDER_MODEL), context_tokens=1024)
    try:
        address = await server.start()
        (found_one,) = await find_servers(
            MemoryLedger(), ports=(int(address.split(":")[2].split("/")[0]),), limit_s=PATIENT_S
        )
    finally:
        await server.stop()
    assert (found_one.name, found_one.base_url, found_one.needs_key) == ("llamacpp", address, True)
