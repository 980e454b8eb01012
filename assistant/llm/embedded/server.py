"""The embedded language model's server: llama.cpp in a separate process, on loopback."""

import asyncio
import json
import logging
import os
import secrets
import sys
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant.child_processes import end_process
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, ModelFileError, ProviderError
from assistant.core.gguf_names import SUFFIX, gguf_model, gguf_models
from assistant.core.settings import LlmSettings
from assistant.llm.backend import ServerState
from assistant.llm.embedded.gguf import gguf_bytes, gguf_facts
from assistant.tasks import TaskSupervisor

_log = logging.getLogger(__name__)

EMBEDDED_MODULE = "assistant.llm.embedded.process"
"""Module that the process runs. It identifies the process among all others."""

_PROVIDER = "embedded"
_START_S = 300.0
"""Reading a model of many gigabytes from a slow disk takes a few minutes."""

_STOP_S = 2.0
"""Seconds in which the process may end by itself; it may be loading."""
_PIECE = 1 << 14
_LAST_OF_FAILURE = "exiting due to"
"""In the last line that llama.cpp logs when it cannot load a model."""
_EXPLAINED_S = 5.0
"""Longest wait for that line after a failure was reported. A thread of llama.cpp writes it, usually within 1 ms."""
_PACKAGE_ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Child:
    """The process and its pipes."""

    process: Process
    input: asyncio.StreamWriter
    output: asyncio.StreamReader
    errors: asyncio.StreamReader

    @classmethod
    async def spawn(cls) -> "_Child":
        """Start the process.

        Raises:
            OSError: the process cannot be started.
        """
        paths = [str(_PACKAGE_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # otherwise a folder of the same name in the working directory would come first
            "-m",
            EMBEDDED_MODULE,
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
        if process.stdin is None or process.stdout is None or process.stderr is None:
            raise OSError("the process has no pipes")
        return cls(process=process, input=process.stdin, output=process.stdout, errors=process.stderr)


class EmbeddedServer:
    """Starts, watches and stops the server's process. Lives on one event loop.

    The process ends with Sori, however Sori ends. If the process has died or was unloaded, the next ``start`` starts a
    new one, without the prompts of the old one.

    Args:
        model: the first GGUF file of a model, or a folder with the files of exactly one.
        threads: threads for inference; 0 for one per physical core that this process may use.
        context_tokens: context size. The default is reduced to what the model was trained for; any other is refused.
        on_state: called on the event loop at every change of state.
        unload_after_s: seconds without use after which the process is stopped; 0 keeps it.
        clock: measures that time; without one the process is kept.
        states: folder for prompt states; ``None`` for none.
        before_unload: awaited before unloading; a request that comes meanwhile cancels the unloading.
    """

    def __init__(
        self,
        model: Path,
        *,
        threads: int = 0,
        context_tokens: int = 4096,
        on_state: Callable[[ServerState], None] | None = None,
        unload_after_s: float = 0.0,
        clock: Clock | None = None,
        states: Path | None = None,
        before_unload: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self.state = ServerState.STOPPED
        self.key = secrets.token_urlsafe(32)
        """API key that requests must carry, new for every instance."""
        self._model = model
        self._threads = threads
        self._context_tokens = context_tokens
        self._on_state = on_state
        self._child: _Child | None = None
        self._base_url = ""
        self._starting: asyncio.Task[str] | None = None
        self._said: deque[str] = deque(maxlen=30)
        self._unload_after_s = unload_after_s
        self._clock = clock
        self._states = states
        self._before_unload = before_unload
        self._users = 0
        self._unused = asyncio.Event()
        self._unused.set()
        self._changing = asyncio.Lock()
        self._resting: asyncio.Task[None] | None = None
        self._tasks = TaskSupervisor()
        # A new process starts only after the previous one has released its memory.
        self._one_process = asyncio.Lock()

    def adjust(self, *, threads: int, context_tokens: int, unload_after_s: float) -> None:
        """Take other values from the next use on. For other threads or another context the process ends when unused."""
        same = (threads, context_tokens) == (self._threads, self._context_tokens)
        self._threads, self._context_tokens, self._unload_after_s = threads, context_tokens, unload_after_s
        if not same and self.running:
            self._tasks.start(self.unload(), name="end the embedded server")

    @property
    def model(self) -> Path:
        """The first file of the model, or the folder of its files."""
        return self._model

    @property
    def model_name(self) -> str:
        """The model's name: the folder's name, or the file's without its suffix and number."""
        return gguf_model(self._model.name).name

    @property
    def base_url(self) -> str:
        """Address for requests; empty while the server is not ready."""
        return self._base_url if self.running else ""

    @property
    def running(self) -> bool:
        """Whether the server answers requests."""
        return self.state is ServerState.READY

    @property
    def pid(self) -> int | None:
        """Process id, or ``None`` without a process."""
        return self._child.process.pid if self._child is not None and self._child.process.returncode is None else None

    @property
    def memory_bytes(self) -> int | None:
        """Resident memory of the process; 0 without a process, ``None`` where the system does not say."""
        if self.pid is None:
            return 0
        try:
            pages = int(Path(f"/proc/{self.pid}/statm").read_text(encoding="ascii").split()[1])
        except OSError:
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    @property
    def model_bytes(self) -> int | None:
        """Size of the model's files, ``None`` when one is missing."""
        try:
            return gguf_bytes(model_file(self._model))
        except (ModelFileError, OSError):
            return None

    @asynccontextmanager
    async def use(self) -> AsyncIterator[str]:
        """Start the server and keep it loaded while it is used; yields its base URL.

        Raises:
            ModelFileError: as ``start`` does.
            ProviderError: as ``start`` does.
        """
        self._users += 1
        self._unused.clear()
        self._keep_awake()
        try:
            yield await self.start()
        finally:
            self._users -= 1
            if self._users == 0:
                self._unused.set()
            self._rest()

    async def change_model(self, model: Path) -> None:
        """Serve another model from now on. The loaded model is unloaded when no request uses it.

        Raises:
            ModelFileError: the model does not exist; the current one stays.
        """
        async with self._changing:
            if model == self._model:
                return
            await asyncio.to_thread(model_file, model)
            await self._stop_unused()
            self._model = model

    async def unload(self) -> None:
        """Stop when no request uses the server. The next request starts it again."""
        async with self._changing:
            await self._stop_unused()

    async def _stop_unused(self) -> None:
        """Stop when no request uses the server."""
        await self._unused.wait()
        if self._before_unload is not None and self.running:
            await self._before_unload()
        await self.stop()

    async def start(self) -> str:
        """Start the server unless it runs, and return its base URL.

        Cancelling this call does not stop the start, because the model will be needed again.

        Raises:
            ModelFileError: the model's file is missing, llama.cpp cannot load it, or the context is larger than the
                model or the memory allows.
            ProviderError: the process cannot be run or died while loading.
        """
        if self.running:
            return self._base_url
        if self._starting is None or self._starting.done():
            self._starting = self._tasks.start(self._start(), name="start the embedded server", handled=True)
        return await asyncio.shield(self._starting)

    async def stop(self) -> None:
        """End the process and free its memory."""
        self._keep_awake()
        if self._starting is not None and not self._starting.done():
            self._starting.cancel()
            with suppress(asyncio.CancelledError):
                await self._starting
        # From now on a new caller starts a new process instead of asking the one that ends.
        self._change(ServerState.STOPPED)
        async with self._one_process:
            await self._end_child()

    async def close(self) -> None:
        """End the process, and everything that waits for it."""
        await self.stop()
        await self._tasks.close()

    def _keep_awake(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None

    def _rest(self) -> None:
        """Start the timer for unloading if the server is unused."""
        self._keep_awake()
        if self._users == 0 and self.running and self._unload_after_s > 0 and self._clock is not None:
            self._resting = self._tasks.start(self._unload(self._clock), name="unload the embedded server")

    async def _unload(self, clock: Clock) -> None:
        await clock.sleep(self._unload_after_s)
        if self._before_unload is not None:
            await self._before_unload()
        # From here on it cannot be cancelled. Otherwise a process that is ending would be lost.
        self._resting = None
        _log.info("the embedded server is unloaded: nobody has used it for %s s", self._unload_after_s)
        await self.stop()

    async def _start(self) -> str:
        async with self._one_process:
            address = await self._start_process()
        self._rest()
        return address

    async def _start_process(self) -> str:
        self._change(ServerState.STARTING)
        try:
            async with asyncio.timeout(_START_S):
                address = await self._bring_up(model_file(self._model))
        except asyncio.CancelledError:
            await self._end_child()
            raise
        except (ModelFileError, ProviderError, OSError) as error:
            await self._end_child()
            self._change(ServerState.FAILED)
            if isinstance(error, OSError):
                reason = "did not come up in time" if isinstance(error, TimeoutError) else f"cannot be run: {error}"
                raise _failed(f"the embedded server {reason}", error) from error
            raise
        self._base_url = f"{address}/v1"
        self._change(ServerState.READY)
        return self._base_url

    async def _bring_up(self, file: Path) -> str:
        """Start the process, follow its steps until it is ready, and return the server's address."""
        self._said.clear()
        context_tokens = await asyncio.to_thread(self._context_for, file)
        child = self._child = await _Child.spawn()
        configuration = {
            "parent": os.getpid(),
            "model": str(file),
            "name": self.model_name,
            "key": self.key,
            "threads": self._threads or _allowed_threads(),
            "context_tokens": context_tokens,
            # llama.cpp appends the file's name without a separator.
            "states": "" if self._states is None else f"{self._states}{os.sep}",
        }
        child.input.write(json.dumps(configuration).encode() + b"\n")
        explained = asyncio.Event()
        listening = self._tasks.start(self._listen(child.errors, explained), name="log of the embedded server")
        reason = ""
        async for line in child.output:
            step: dict[str, Any] = json.loads(line)
            if step["state"] == "ready":
                self._tasks.start(self._watch(child), name="end of the embedded server")
                return str(step["address"])
            if step["state"] == "too_large":
                await listening
                raise self._too_large(step)
            if step["state"] == "failed":
                reason = step["reason"]
                with suppress(TimeoutError):
                    await asyncio.wait_for(explained.wait(), _EXPLAINED_S)
                child.input.close()
            self._change(ServerState.LOADING)
        status = await child.process.wait()
        await listening
        raise self._not_up(status, reason)

    def _context_for(self, file: Path) -> int:
        """The context size to request.

        Raises:
            ModelFileError: the user's setting is larger than what the model was trained for.
        """
        facts = gguf_facts(file)
        trained = None if facts is None else facts.context_tokens
        if trained is None or self._context_tokens <= trained:
            return self._context_tokens
        if self._context_tokens == LlmSettings().context_tokens:
            return trained
        raise ModelFileError(
            f"context_tokens is {self._context_tokens}, but the model was trained for at most {trained}",
            model=self.model_name,
            message_key="embedded_context_untrained",
            values={"wanted": str(self._context_tokens), "most": str(trained)},
        )

    def _too_large(self, step: dict[str, Any]) -> ModelFileError:
        """The error for a process that reported too little memory."""
        fits = int(step["fits"])
        values = {name: _gigabytes(int(step[name])) for name in ("needed", "free")}
        return ModelFileError(
            f"the model needs {values['needed']} of memory with a context of {step['context_tokens']} tokens,"
            f" and {values['free']} are free",
            model=self.model_name,
            message_key="embedded_context_memory" if fits else "embedded_model_memory",
            values={**values, "wanted": str(step["context_tokens"]), "most": str(fits)},
        )

    def _not_up(self, status: int, reason: str) -> ModelFileError | ProviderError:
        """The error for a process that ended before it was ready, from its log."""
        unreadable = next((line for line in self._said if "error loading model" in line), "")
        if reason and unreadable:
            detail = f"llama.cpp cannot load it: {unreadable.partition('error loading model: ')[2] or unreadable}"
            return ModelFileError(detail, model=self.model_name, message_key="model_unloadable")
        last = self._said[-1] if self._said else "it said nothing"
        return _failed(f"the embedded server ended with status {status} while it started: {reason or last}")

    async def _listen(self, errors: asyncio.StreamReader, explained: asyncio.Event) -> None:
        """Read the process's log, so that its pipe never fills, and keep the last lines to explain a failure.

        Args:
            errors: the process's standard error.
            explained: is set when the log has the cause of a failure, or has ended.
        """
        while piece := await errors.read(_PIECE):
            for line in filter(None, map(str.strip, piece.decode(errors="replace").splitlines())):
                self._said.append(line)
                if _LAST_OF_FAILURE in line:
                    explained.set()
                _log.debug("llama.cpp: %s", line)
        explained.set()

    async def _watch(self, child: _Child) -> None:
        status = await child.process.wait()
        if child is self._child:
            _log.warning("the embedded server ended by itself with status %s", status)
            self._change(ServerState.STOPPED)

    async def _end_child(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            await end_process(child.process, grace_s=_STOP_S)

    def _change(self, state: ServerState) -> None:
        if state is not self.state:
            self.state = state
            if self._on_state is not None:
                self._on_state(state)


def model_file(model: Path) -> Path:
    """The first GGUF file of the model at ``model``.

    Raises:
        ModelFileError: there is no file, or the folder holds several models.
    """
    if model.is_file():
        return model
    found = gguf_models(each.name for each in model.glob(f"*{SUFFIX}")) if model.is_dir() else []
    if len(found) == 1:
        return model / found[0].files[0]
    if found:
        names = ", ".join(each.files[0] for each in found)
        raise ModelFileError(f"{model} holds several GGUF models, keep one of them: {names}", model=model.name)
    raise ModelFileError(f"{model} holds no GGUF file", model=model.name, message_key="model_missing")


def _gigabytes(count: int) -> str:
    return f"{count / 1e9:.1f} GB"


def _allowed_threads() -> int:
    """Number of threads if none is set. -1 lets llama.cpp count physical cores, but it ignores the CPU affinity."""
    if sys.platform == "linux":
        allowed = len(os.sched_getaffinity(0))
        if allowed < (os.cpu_count() or 1):
            return allowed
    return -1


def _failed(detail: str, cause: BaseException | None = None) -> ProviderError:
    return ProviderError(
        ErrorCode.OVERLOADED, detail, provider=_PROVIDER, message_key="embedded_server_failed", cause=cause
    )
