"""Keeps on disk what the embedded server has read, and gives it back to a process that has read nothing (P-08).

Reading is most of what a small computer does before the first word. What has been read is saved when the server has
rested for some seconds, before it is unloaded, at the end, and before something else takes its place that nobody waits
for. It is restored before the first request that it could serve. Nothing that anybody waits for waits for a save.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from dataclasses import asdict

from assistant.core.clock import Clock
from assistant.llm.backend import ModelDelta, ModelRequest, Usage
from assistant.llm.embedded.prompt_states import SYSTEM, PromptStates, StateKey, can_own, fingerprint
from assistant.llm.embedded.slots import SlotRefusedError, Slots, SlotUnreachableError

_log = logging.getLogger(__name__)

_REST_S = 3.0
"""So long after the last answer nobody is likely to be waiting."""
_WORTH_SAVING = 128
"""Tokens that were read since the last save: some seconds of a small computer's reading."""
_WORTH_KEEPING = 16
"""The same, where it would be lost otherwise."""
_AT_THE_END_S = 2.0
"""Longer than this the end of the program does not wait."""
_BYTES_PER_TOKEN = 128 * 1024
"""What a token's keys and values take in a model of 8 billion parameters; by this the room on the disk is judged."""


class KeptPrompts:
    """Watches what the embedded server reads, and saves and restores it. Lives on one event loop.

    Args:
        states: the files; ``None`` keeps nothing.
        slots: how to reach the server that runs now, ``None`` while there is none.
        model: ``file_fingerprint`` of its model.
        clock: counts the server's rest; without one nothing is saved between turns.
        on_trouble: told once, and why, when nothing can be saved.
    """

    def __init__(
        self,
        states: PromptStates | None,
        slots: Callable[[], Slots | None],
        model: Callable[[], str],
        *,
        clock: Clock | None = None,
        on_trouble: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._states = states if states is not None and states.enabled else None
        self._slots = slots
        self._model = model
        self._clock = clock
        self._on_trouble = on_trouble
        self._in_trouble = False
        self._lock = asyncio.Lock()
        self._resting: asyncio.Task[None] | None = None
        self._saving: set[asyncio.Task[None]] = set()
        self._requests = 0
        self.server_is_new()

    def server_is_new(self) -> None:
        """A process has come up, which has read nothing."""
        self._key: StateKey | None = None
        self._unsaved = 0
        self._read: set[str] = set()
        self._users = 0

    async def through(
        self, request: ModelRequest, deltas: AsyncGenerator[ModelDelta, None]
    ) -> AsyncGenerator[ModelDelta, None]:
        """The deltas of a request that has not been sent yet; what could serve it is restored before it is.

        Args:
            request: what is going to be read.
            deltas: the answer; the request is sent when the first one is asked for.
        """
        async with aclosing(deltas):
            if self._states is None:
                async for delta in deltas:
                    yield delta
                return
            self._wake()
            await self._make_way(request)
            self._begin(request)
            usage: Usage | None = None
            begun = False
            try:
                async for delta in deltas:
                    begun = True
                    if isinstance(delta, Usage):
                        usage = delta
                    yield delta
            finally:
                self._end(usage, begun=begun)

    async def save(self, least_tokens: int = _WORTH_KEEPING) -> None:
        """Save what the server has read, if it has read at least so many tokens since it was saved.

        Being cancelled here does not leave half a file: what has begun goes through.
        """
        if self._unsaved >= least_tokens and self._key is not None and not self._in_trouble:
            saving = asyncio.create_task(self._save(self._key), name="prompt-state-save")
            self._saving.add(saving)
            saving.add_done_callback(self._saving.discard)
            await asyncio.shield(saving)

    async def close(self) -> None:
        """Save what would be lost, within a short time."""
        self._wake()
        with suppress(TimeoutError):
            async with asyncio.timeout(_AT_THE_END_S):
                await self.save()

    async def _make_way(self, request: ModelRequest) -> None:
        """Save what this request would push out, where nobody waits for its answer; restore what it begins with."""
        key = self._key_of(request)
        if key is None:
            await self.save(_WORTH_SAVING)
        elif key.owner not in self._read:
            await self._restore(key, own=bool(self._read))

    async def _restore(self, key: StateKey, *, own: bool) -> None:
        states, slots = self._states, self._slots()
        if states is None or slots is None:
            return
        async with self._lock:
            path = await asyncio.to_thread(states.find, key, own=own)
            if path is not None:
                try:
                    await slots.restore(path.name)
                except (SlotRefusedError, SlotUnreachableError) as error:
                    _log.warning("the kept state %s cannot be used; it is removed: %s", path.name, error)
                    await asyncio.to_thread(states.remove, path)
                else:
                    self._unsaved = 0
            self._read.add(key.owner)

    async def _save(self, key: StateKey) -> None:
        states, slots = self._states, self._slots()
        if states is None or slots is None:
            return
        part = ""
        async with self._lock:
            requests, unsaved, self._unsaved = self._requests, self._unsaved, 0
            try:
                part = await asyncio.to_thread(states.part, unsaved * _BYTES_PER_TOKEN)
                size = await slots.save(part)
                # Otherwise the server may have read something else by then.
                if (requests, key) == (self._requests, self._key):
                    await asyncio.to_thread(states.admit, part, key, size)
            except SlotUnreachableError as error:
                _log.info("what was read is not saved: %s", error)
            except (SlotRefusedError, OSError) as error:
                self._give_up(str(error))
            finally:
                if part:
                    states.discard(part)

    def _give_up(self, reason: str) -> None:
        """Say once that nothing is saved; until the next start nothing is tried again."""
        _log.warning("what was read cannot be saved: %s", reason)
        self._in_trouble = True
        self._on_trouble(reason)

    def _begin(self, request: ModelRequest) -> None:
        """From now on the server holds this."""
        key = self._key_of(request)
        if key is None or self._key is None or key.owner != self._key.owner:
            self._unsaved = 0
        self._key = key
        if key is not None:
            self._read.add(key.owner)
        self._requests += 1
        self._users += 1

    def _end(self, usage: Usage | None, *, begun: bool) -> None:
        """A request is over, or was stopped; unless it has ``begun``, the server may still hold what it held before."""
        self._users -= 1
        if not begun:
            self._key, self._unsaved = None, 0
        elif self._key is not None:
            # Of an answer that was stopped nobody knows how much was read for it.
            self._unsaved += _WORTH_KEEPING if usage is None else usage.input - usage.cached + (usage.output or 0)
        self._wake()
        if self._users == 0 and self._clock is not None and self._unsaved >= _WORTH_SAVING:
            self._resting = asyncio.create_task(self._save_at_rest(self._clock), name="prompt-state-rest")

    def _key_of(self, request: ModelRequest) -> StateKey | None:
        if request.kept_as is None or (request.kept_as and not can_own(request.kept_as)):
            return None
        try:
            model = self._model()
        except OSError:
            # The file is gone; the request will say so.
            return None
        # Of tools that the system prompt tells of, a request names those that may be called now; nobody reads that.
        told = () if request.tools_told else request.tools
        tools = json.dumps([asdict(tool) for tool in told], ensure_ascii=False, sort_keys=True)
        text = fingerprint(request.system, tools)
        return StateKey(owner=request.kept_as or SYSTEM, model=model, text=text)

    def _wake(self) -> None:
        if self._resting is not None:
            self._resting.cancel()
            self._resting = None

    async def _save_at_rest(self, clock: Clock) -> None:
        await clock.sleep(_REST_S)
        await self.save(_WORTH_SAVING)
