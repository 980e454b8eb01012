import asyncio
import hashlib
import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.errors import ErrorCode, ModelFileError, ProviderError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.llm.backend import (
    EmbeddedMemory,
    Finished,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ServerState,
    TextDelta,
    ThoughtDelta,
    Usage,
)
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded import server as server_module
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.prompt_states import PromptStates
from assistant.llm.embedded.server import EmbeddedServer, model_file
from assistant.llm.providers.local import LocalBackend
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger
from tests.fakes.system.processes import alive
from tests.unit.llm.embedded.test_gguf import PLAIN, head

ModelPath = Callable[[str], Path]
PROVIDER = Provider(name="embedded", kind="local")
REQUEST = ModelRequest(
    model=PLACEHOLDER_MODEL, system="", messages=(ModelMessage(role="user", text="Hello!"),), max_output_tokens=8
)
LONG = replace(
    REQUEST,
    messages=(
        ModelMessage(role="user", text="The quick brown fox jumps over the lazy dog near the river bank. " * 10),
    ),
)
KEPT = replace(
    REQUEST,
    messages=(ModelMessage(role="user", text="The quick brown fox jumps over the lazy dog near the river bank. " * 5),),
    kept_as="conversation",
)

PARENT = """
import asyncio, sys
from pathlib import Path
from assistant.llm.embedded.server import EmbeddedServer

async def main():
    server = EmbeddedServer(Path(sys.argv[1]), threads=1, context_tokens=512)
    starting = asyncio.create_task(server.start())
    if sys.argv[2] == "ready":
        await starting
    while server.pid is None:
        await asyncio.sleep(0.001)
    print(server.pid, flush=True)
    await asyncio.get_running_loop().create_future()

asyncio.run(main())
"""


def test_a_model_is_a_file_or_a_folder_with_one(tmp_path: Path) -> None:
    (tmp_path / "some.gguf").touch()
    assert model_file(tmp_path) == tmp_path / "some.gguf"
    assert model_file(tmp_path / "some.gguf") == tmp_path / "some.gguf"


def test_the_files_of_a_split_model_are_one_model(tmp_path: Path) -> None:
    first, second = (tmp_path / f"some-0000{number}-of-00002.gguf" for number in (1, 2))
    first.write_bytes(b"1234")
    second.write_bytes(b"567")
    assert model_file(tmp_path) == first
    server = EmbeddedServer(first)
    assert (server.model_name, server.model_bytes) == ("some", 7)
    second.unlink()
    assert server.model_bytes is None


def test_a_folder_with_several_models_names_them(tmp_path: Path) -> None:
    for name in ("a.gguf", "b.gguf"):
        (tmp_path / name).touch()
    with pytest.raises(ModelFileError, match=r"a\.gguf, b\.gguf"):
        model_file(tmp_path)


async def test_a_missing_model_is_said_to_be_missing_and_starts_no_process(tmp_path: Path) -> None:
    states: list[ServerState] = []
    server = EmbeddedServer(tmp_path / "smollm2-135m", on_state=states.append)
    with pytest.raises(ModelFileError) as raised:
        await server.start()
    assert raised.value.message_key == "error.model_missing"
    assert raised.value.model == "smollm2-135m"
    assert states == [ServerState.STARTING, ServerState.FAILED]
    assert (server.pid, server.memory_bytes, server.running) == (None, 0, False)


async def test_a_damaged_model_is_said_to_be_damaged(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + b"x" * 1000)
    server = EmbeddedServer(tmp_path / "broken.gguf")
    with pytest.raises(ModelFileError, match="cannot load") as raised:
        await server.start()
    assert raised.value.message_key == "error.model_unloadable"
    assert server.state is ServerState.FAILED
    assert server.pid is None


LATE_LOG = """
import os, select, sys
sys.stdin.readline()
for step in ('{"state": "loading"}', '{"state": "failed", "reason": "no"}'):
    print(step, flush=True)
if select.select([sys.stdin], [], [], 0.2)[0]:
    os._exit(1)
sys.stderr.write("error loading model: late words\\nexiting due to model loading error\\n")
sys.stdin.read()
sys.exit(1)
"""
"""A process whose log comes after its failure, and never if it is ended before."""


@pytest.mark.skipif(sys.platform == "win32", reason="select takes no pipes on Windows")
async def test_the_cause_of_a_failure_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "late_log.py").write_text(LATE_LOG)
    (tmp_path / "some.gguf").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(server_module, "EMBEDDED_MODULE", "late_log")
    with pytest.raises(ModelFileError, match="late words"):
        await EmbeddedServer(tmp_path / "some.gguf").start()


async def test_a_folder_named_like_ours_where_sori_was_started_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "assistant").mkdir()
    (tmp_path / "assistant" / "__init__.py").write_text("raise SystemExit('the wrong one')")
    (tmp_path / "broken.gguf").write_bytes(b"GGUF" + b"x" * 1000)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelFileError):
        await EmbeddedServer(tmp_path / "broken.gguf").start()


async def test_a_process_that_cannot_be_run_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "some.gguf").touch()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "no-python"))
    with pytest.raises(ProviderError) as raised:
        await EmbeddedServer(tmp_path).start()
    assert raised.value.code is ErrorCode.OVERLOADED
    assert raised.value.message_key == "error.embedded_server_failed"


async def test_a_context_beyond_what_the_model_was_trained_for_is_refused_with_the_most(tmp_path: Path) -> None:
    (tmp_path / "some.gguf").write_bytes(head(*PLAIN))
    with pytest.raises(ModelFileError) as raised:
        await EmbeddedServer(tmp_path / "some.gguf", context_tokens=16384).start()
    assert raised.value.message_key == "error.embedded_context_untrained"
    assert (raised.value.values["wanted"], raised.value.values["most"]) == ("16384", "8192")


def test_the_usual_context_is_cut_to_what_a_smaller_model_was_trained_for(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(head(*(dict(PLAIN) | {"llama.context_length": 2048}).items()))
    assert EmbeddedServer(file)._context_for(file) == 2048


async def test_a_context_that_does_not_fit_into_memory_is_refused_with_one_that_does(tmp_path: Path) -> None:
    # 40 TB of cache.
    (tmp_path / "some.gguf").write_bytes(
        head(
            ("general.architecture", "llama"),
            ("llama.block_count", 1000),
            ("llama.context_length", 1_000_000),
            ("llama.embedding_length", 10_000),
            ("llama.attention.head_count", 1),
        )
    )
    server = EmbeddedServer(tmp_path / "some.gguf", context_tokens=1_000_000)
    with pytest.raises(
        ModelFileError, match=r"needs 400\d\d\.\d GB of memory with a context of 1000000 tokens"
    ) as raised:
        await server.start()
    assert raised.value.message_key in ("error.embedded_context_memory", "error.embedded_model_memory")
    assert (server.state, server.pid) == (ServerState.FAILED, None)


async def test_a_model_that_the_embedded_server_does_not_have_is_not_answered_for(tmp_path: Path) -> None:
    backend = LocalBackend(
        BackendNeeds(ledger=MemoryLedger(), key_of=lambda _: "", embedded_model=tmp_path / PLACEHOLDER_MODEL)
    )
    other = ModelRequest(model="gpt-x", system="", messages=REQUEST.messages)
    with pytest.raises(ProviderError) as raised:
        await anext(backend.stream(PROVIDER, other))
    assert raised.value.code is ErrorCode.MODEL_NOT_FOUND
    await backend.close()


@asynccontextmanager
async def keeping(
    model_path: ModelPath, folder: Path, *, clock: FakeClock | None = None, unload_after_s: float = 0
) -> AsyncIterator[LocalBackend]:
    """A backend that keeps in ``folder`` what its server has read."""
    needs = BackendNeeds(
        ledger=MemoryLedger(),
        key_of=lambda _: "",
        embedded_model=model_path(PLACEHOLDER_MODEL),
        settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=512, threads=1, unload_after_s=unload_after_s))),
        clock=clock,
        prompt_states=PromptStates(folder, most=4, most_bytes=100_000_000, free_bytes=lambda _: 1 << 40),
    )
    backend = LocalBackend(needs)
    yield backend
    await backend.close()


def only_file(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


async def usage_of(backend: LocalBackend, request: ModelRequest) -> Usage:
    """What the server counts for a request."""
    return [delta async for delta in backend.stream(PROVIDER, request) if isinstance(delta, Usage)][-1]


@pytest.mark.models
class TestWithAModel:
    @pytest.fixture
    async def backend(self, model_path: ModelPath) -> AsyncIterator[LocalBackend]:
        needs = BackendNeeds(
            ledger=MemoryLedger(),
            key_of=lambda _: "",
            embedded_model=model_path(PLACEHOLDER_MODEL),
            settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=512, threads=1))),
        )
        backend = LocalBackend(needs)
        yield backend
        await backend.close()

    async def test_it_starts_once_for_all_who_wait_and_gives_its_memory_back(self, model_path: ModelPath) -> None:
        states: list[ServerState] = []
        server = EmbeddedServer(model_path(PLACEHOLDER_MODEL), threads=1, context_tokens=512, on_state=states.append)
        one, two = await asyncio.gather(server.start(), server.start())
        assert one == two
        assert one.startswith("http://127.0.0.1:")
        assert states == [ServerState.STARTING, ServerState.LOADING, ServerState.READY]
        assert server.memory_bytes is None or server.memory_bytes > 90_000_000
        await server.stop()
        assert (server.pid, server.memory_bytes, server.state) == (None, 0, ServerState.STOPPED)

    async def test_whoever_stops_waiting_does_not_stop_it_from_coming_up(self, backend: LocalBackend) -> None:
        waiting = asyncio.create_task(backend.embedded.start())
        await until(lambda: backend.embedded.pid is not None)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        pid = backend.embedded.pid
        await backend.embedded.start()
        assert backend.embedded.pid == pid

    async def test_stopping_it_while_it_loads_ends_its_process(self, backend: LocalBackend) -> None:
        waiting = asyncio.create_task(backend.embedded.start())
        await until(lambda: backend.embedded.state is ServerState.LOADING)
        await backend.embedded.stop()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (backend.embedded.pid, backend.embedded.state) == (None, ServerState.STOPPED)

    @pytest.mark.skipif(not hasattr(os, "nice"), reason="this system has no niceness")
    async def test_its_process_leaves_the_cores_to_speech(self, backend: LocalBackend) -> None:
        waiting = asyncio.create_task(backend.embedded.start())
        await until(lambda: backend.embedded.state is ServerState.LOADING)
        assert backend.embedded.pid is not None
        server, sori = (os.getpriority(os.PRIO_PROCESS, process) for process in (backend.embedded.pid, 0))
        assert server > sori or server == 19
        await backend.embedded.stop()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    async def test_it_is_started_by_the_first_request_and_again_after_a_crash(self, backend: LocalBackend) -> None:
        assert any([isinstance(delta, TextDelta) async for delta in backend.stream(PROVIDER, REQUEST)])
        first = backend.embedded.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        await until(lambda: not backend.embedded.running)
        deltas = [delta async for delta in backend.stream(PROVIDER, REQUEST)]
        assert isinstance(deltas[-1], Finished)
        assert backend.embedded.pid not in (None, first)

    async def test_a_crash_in_the_middle_of_an_answer_is_a_broken_connection(self, backend: LocalBackend) -> None:
        story = ModelRequest(
            model="", system="", messages=(ModelMessage(role="user", text="Tell a very long story."),), temperature=0.0
        )
        stream = backend.stream(PROVIDER, story)
        await anext(stream)
        assert backend.embedded.pid is not None
        os.kill(backend.embedded.pid, signal.SIGKILL)

        async def rest() -> None:
            async for _ in stream:
                pass

        with pytest.raises(ProviderError) as raised:
            await rest()
        assert raised.value.retryable

    async def test_a_cancelled_prompt_is_not_read_to_its_end(self, backend: LocalBackend) -> None:
        await backend.prepare(PROVIDER)
        text = "The quick brown fox jumps over the lazy dog near the river bank. " * 20
        long = ModelRequest(model="", system="", messages=(ModelMessage(role="user", text=text),), max_output_tokens=1)
        stream = backend.stream(PROVIDER, long)
        assert await anext(stream) == ThoughtDelta(text="")  # it has begun to read
        await stream.aclose()
        (usage,) = [delta async for delta in backend.stream(PROVIDER, long) if isinstance(delta, Usage)]
        assert usage.cached < usage.input / 2

    async def test_requests_without_its_key_are_refused(self, backend: LocalBackend) -> None:
        address = (await backend.embedded.start()).removeprefix("http://").partition("/")[0]
        host, _, port = address.partition(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        body = json.dumps({"messages": [{"role": "user", "content": "hi"}]})
        head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: {host}\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}Content-Type: application/json\r\nConnection: close\r\n\r\n{body}".encode())
        assert b"401" in await reader.readline()
        writer.close()
        await writer.wait_closed()

    async def test_what_it_has_read_outlives_its_process(self, model_path: ModelPath, tmp_path: Path) -> None:
        async with keeping(model_path, tmp_path) as backend:
            assert (await usage_of(backend, KEPT)).cached == 0
        file = only_file(tmp_path)
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        async with keeping(model_path, tmp_path) as backend:
            again = await usage_of(backend, KEPT)
        assert again.cached > 0.9 * again.input

    async def test_what_it_has_read_outlives_being_unloaded(self, model_path: ModelPath, tmp_path: Path) -> None:
        clock = FakeClock()
        async with keeping(model_path, tmp_path, clock=clock, unload_after_s=600) as backend:
            await usage_of(backend, KEPT)
            await clock.until_sleeping()
            clock.advance(600)
            await until(lambda: backend.embedded.pid is None)
            again = await usage_of(backend, KEPT)
        assert again.cached > 0.9 * again.input

    async def test_damaged_states_end_no_server_and_are_removed(self, model_path: ModelPath, tmp_path: Path) -> None:
        async with keeping(model_path, tmp_path) as backend:
            await usage_of(backend, KEPT)
        file = only_file(tmp_path)
        file.write_bytes(file.read_bytes()[:-1000])
        async with keeping(model_path, tmp_path) as backend:
            assert (await usage_of(backend, KEPT)).cached == 0
            assert not file.exists()

    async def test_a_state_of_something_else_under_a_right_sum_ends_no_server(
        self, model_path: ModelPath, tmp_path: Path
    ) -> None:
        async with keeping(model_path, tmp_path) as backend:
            await usage_of(backend, KEPT)
        file = only_file(tmp_path)
        content = b"GGUF" * 100
        owner, model, text, *_ = file.name.split(".")
        file.unlink()
        foreign = tmp_path / f"{owner}.{model}.{text}.{hashlib.blake2b(content, digest_size=16).hexdigest()}.state"
        foreign.write_bytes(content)
        async with keeping(model_path, tmp_path) as backend:
            assert (await usage_of(backend, KEPT)).cached == 0
            assert not foreign.exists()

    async def test_it_is_unloaded_when_nobody_has_used_it_for_a_while_and_loaded_by_the_next_request(
        self, model_path: ModelPath
    ) -> None:
        states: list[ServerState] = []
        taken: list[EmbeddedMemory] = []
        clock = FakeClock()
        backend = LocalBackend(
            BackendNeeds(
                ledger=MemoryLedger(),
                key_of=lambda _: "",
                embedded_model=model_path(PLACEHOLDER_MODEL),
                settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=512, threads=1, unload_after_s=600))),
                clock=clock,
                on_embedded=states.append,
                on_embedded_memory=taken.append,
            )
        )
        await backend.prepare(PROVIDER)
        await clock.until_sleeping()
        clock.advance(599)
        stream = backend.stream(PROVIDER, REQUEST)
        await anext(stream)
        clock.advance(10_000)
        assert [delta async for delta in stream]
        assert backend.embedded.running
        await clock.until_sleeping()
        clock.advance(599)
        assert backend.embedded.running
        clock.advance(1)
        await until(lambda: backend.embedded.pid is None)
        assert backend.embedded.memory_bytes == 0
        assert states[-1] is ServerState.STOPPED
        loaded, unloaded = taken
        assert loaded.memory is None or loaded.memory > 90_000_000
        assert loaded.size == unloaded.size == 98_362_432
        assert unloaded.memory == 0
        assert isinstance([delta async for delta in backend.stream(PROVIDER, REQUEST)][-1], Finished)
        assert states[-3:] == [ServerState.STARTING, ServerState.LOADING, ServerState.READY]
        await backend.close()
        assert clock.sleeping == 0

    async def test_a_request_in_the_instant_of_unloading_waits_for_a_new_process(self, model_path: ModelPath) -> None:
        clock = FakeClock()
        server = EmbeddedServer(
            model_path(PLACEHOLDER_MODEL), threads=1, context_tokens=512, unload_after_s=5, clock=clock
        )
        await server.start()
        first = server.pid
        await clock.until_sleeping()
        clock.advance(5)
        await until(lambda: not server.running)
        async with server.use():
            assert server.running
            assert server.pid not in (None, first)
        await server.stop()

    async def test_without_a_time_it_is_never_unloaded(self, model_path: ModelPath) -> None:
        clock = FakeClock()
        server = EmbeddedServer(model_path(PLACEHOLDER_MODEL), threads=1, context_tokens=512, clock=clock)
        async with server.use():
            pass
        assert clock.sleeping == 0
        assert server.running
        await server.stop()

    async def test_what_it_has_read_of_a_conversation_is_not_read_again(self, backend: LocalBackend) -> None:
        answered = [delta async for delta in backend.stream(PROVIDER, LONG)]
        said = "".join(delta.text for delta in answered if isinstance(delta, TextDelta))
        more = (ModelMessage(role="assistant", text=said), ModelMessage(role="user", text="And then?"))
        second = replace(LONG, messages=(*LONG.messages, *more))
        (usage,) = [delta async for delta in backend.stream(PROVIDER, second) if isinstance(delta, Usage)]
        assert usage.cached > 0.8 * usage.input

    async def test_a_request_aside_leaves_the_conversation_in_its_cache(self, backend: LocalBackend) -> None:
        await usage_of(backend, LONG)
        aside = replace(REQUEST, messages=(ModelMessage(role="user", text="Five plus five? " * 12),), aside=True)
        await usage_of(backend, aside)
        again = await usage_of(backend, aside)
        assert again.cached > 0.9 * again.input
        conversation = await usage_of(backend, LONG)
        assert conversation.cached > 0.9 * conversation.input

    async def test_while_it_reads_a_long_conversation_it_gives_signs_of_life(self, backend: LocalBackend) -> None:
        deltas = [delta async for delta in backend.stream(PROVIDER, LONG)]
        before = deltas[: next(number for number, delta in enumerate(deltas) if isinstance(delta, TextDelta))]
        assert before.count(ThoughtDelta(text="")) > 2

    async def test_what_it_has_read_ahead_is_in_its_cache_after_each_start(self, backend: LocalBackend) -> None:
        asked = replace(LONG, messages=(*LONG.messages, ModelMessage(role="user", text="And then?")))
        for _ in range(2):
            await backend.read_ahead(PROVIDER, the_long_one)
            (usage,) = [delta async for delta in backend.stream(PROVIDER, asked) if isinstance(delta, Usage)]
            assert usage.cached > 0.8 * usage.input
            await backend.embedded.stop()

    async def test_reading_that_was_stopped_is_gone_on_with_another_time(self, backend: LocalBackend) -> None:
        reading = asyncio.create_task(backend.read_ahead(PROVIDER, the_long_one))
        await until(lambda: backend.embedded.running)
        reading.cancel()
        await asyncio.wait({reading})
        assert reading.cancelled()
        await backend.read_ahead(PROVIDER, the_long_one)
        asked = replace(LONG, messages=(*LONG.messages, ModelMessage(role="user", text="And then?")))
        (usage,) = [delta async for delta in backend.stream(PROVIDER, asked) if isinstance(delta, Usage)]
        assert usage.cached > 0.8 * usage.input

    async def test_nothing_is_read_ahead_while_a_conversation_goes_on(
        self, backend: LocalBackend, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def compose() -> ModelRequest:
            more = (ModelMessage(role="assistant", text="Hi."), ModelMessage(role="user", text="…"))
            return replace(REQUEST, messages=(*REQUEST.messages, *more))

        async for _ in backend.stream(PROVIDER, REQUEST):
            pass
        sent = list[ModelRequest]()
        stream = backend.stream

        def noted(provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
            sent.append(request)
            return stream(provider, request)

        monkeypatch.setattr(backend, "stream", noted)
        await backend.read_ahead(PROVIDER, compose)
        assert sent == []

    @pytest.mark.parametrize("changed", [replace(LONG, system="The user likes tea."), LONG], ids=["system", "messages"])
    async def test_a_prompt_with_another_beginning_is_read_ahead(
        self, backend: LocalBackend, changed: ModelRequest
    ) -> None:
        async def compose() -> ModelRequest:
            return changed

        async for _ in backend.stream(PROVIDER, REQUEST):
            pass
        await backend.read_ahead(PROVIDER, compose)
        usage = await usage_of(backend, changed)
        assert usage.cached > 0.8 * usage.input

    async def test_a_conversation_is_read_again_after_a_request_aside(self, backend: LocalBackend) -> None:
        composed = asyncio.Event()

        async def compose() -> ModelRequest:
            composed.set()
            return REQUEST

        async for _ in backend.stream(PROVIDER, replace(REQUEST, aside=True)):
            pass
        await backend.read_ahead(PROVIDER, compose)
        assert composed.is_set()

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL; there the closed pipe alone ends it")
    @pytest.mark.parametrize("moment", ["loading", "ready"])
    def test_it_ends_when_sori_is_killed(self, model_path: ModelPath, moment: str) -> None:
        command = [sys.executable, "-c", PARENT, str(model_path(PLACEHOLDER_MODEL)), moment]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as parent:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            parent.kill()
        while alive(pid):
            time.sleep(0.001)


async def the_long_one() -> ModelRequest:
    return LONG


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what tells nobody that it has come about."""
    while not condition():  # noqa: ASYNC110  a process's end and a property have no event to wait for
        await asyncio.sleep(0.001)


async def test_a_server_with_other_threads_or_context_ends_when_it_is_unused_and_starts_with_them(
    model_path: ModelPath,
) -> None:
    ended = asyncio.Event()

    def on_state(state: ServerState) -> None:
        if state is ServerState.STOPPED:
            ended.set()

    server = EmbeddedServer(model_path(PLACEHOLDER_MODEL), threads=1, context_tokens=512, on_state=on_state)
    try:
        async with server.use():
            first = server.pid
            server.adjust(threads=1, context_tokens=512, unload_after_s=7)
            server.adjust(threads=1, context_tokens=1024, unload_after_s=7)
            assert not ended.is_set()
        await ended.wait()
        async with server.use():
            assert server.pid not in {None, first}
    finally:
        await server.close()
