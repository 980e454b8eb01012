"""Saves the embedded server's prompt states on disk, and restores them in a new process (P-08).

On a small computer most of the time before the first word is prompt reading. A state is saved when the server has been
idle for some seconds, before it is unloaded, at the end of the program, and before a background request replaces it. A
state is restored before the first request that can use it. No user ever waits for a save.

What is saved is the conversation's slot. The slot of requests without the conversation (``slots.py``) is only given the
system prompt that an earlier process has read.
"""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace

from assistant.core.clock import Clock
from assistant.llm.backend import ModelDelta, ModelRequest, Usage
from assistant.llm.embedded.prompt_states import SYSTEM, PromptStates, StateKey, can_own, fingerprint
from assistant.llm.embedded.slots import ASIDE_SLOT, CONVERSATION_SLOT, SlotRefusedError, Slots, SlotUnreachableError
from assistant.tasks import TaskSupervisor

_log = logging.getLogger(__name__)

_REST_S = 3.0
"""Seconds after the last answer until the server counts as idle."""
_WORTH_SAVING = 128
"""Tokens read since the last save that make a save worthwhile: some seconds of reading on a small computer."""
_WORTH_KEEPING = 16
"""The same when the state would otherwise be lost."""
_AT_THE_END_S = 2.0
"""Longest time that the end of the program waits for a save."""
_BYTES_PER_TOKEN = 128 * 1024
"""Size of keys and values of a token in a model of 8 billion parameters, for the estimate of disk space."""


@dataclass(slots=True)
class ServedRequest:
    """What the server has done for one request.

    Attributes:
        begun: whether any delta of the answer has arrived.
        usage: the server's last count of tokens, ``None`` before the first.
    """

    begun: bool = False
    usage: Usage | None = None

    def heard(self, delta: ModelDelta) -> None:
        """Take note of a delta of the answer."""
        self.begun = True
        if isinstance(delta, Usage):
            self.usage = delta


class KeptPrompts:
    """Tracks what the embedded server has read, and saves and restores it. Lives on one event loop.

    Args:
        states: the state files; ``None`` keeps nothing.
        slots: returns the connection to the running server, ``None`` while there is no server.
        model: returns the ``file_fingerprint`` of the model.
        clock: measures idle time; without one nothing is saved between turns.
        on_trouble: called once, with the reason, when nothing can be saved.
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
        self._tasks = TaskSupervisor()
        self._requests = 0
        self.server_is_new()

    def server_is_new(self) -> None:
        """Reset the record for a new process, which has read nothing."""
        self._key: StateKey | None = None
        self._unsaved = 0
        self._read: set[str] = set()
        self._has_read_aside = False
        self._users = 0

    @asynccontextmanager
    async def serving(self, request: ModelRequest) -> AsyncIterator["ServedRequest"]:
        """Restore the state that serves a request, which is sent and answered inside the block."""
        served = ServedRequest()
        if self._states is None:
            yield served
            return
        self._wake()
        if request.aside:
            await self._give_system_prompt(request)
        else:
            await self._make_way(request)
            self._begin(request)
        self._users += 1
        try:
            yield served
        finally:
            self._users -= 1
            if not request.aside:
                self._end(served.usage, begun=served.begun)
            self._save_when_idle()

    async def save(self, least_tokens: int = _WORTH_KEEPING) -> None:
        """Save the server's state if it has read at least ``least_tokens`` since the last save.

        Cancelling this call does not interrupt a save that has begun, so no file stays half written.
        """
        if self._unsaved >= least_tokens and self._key is not None and not self._in_trouble:
            await asyncio.shield(self._tasks.start(self._save(self._key), name="save a prompt state", handled=True))

    async def close(self) -> None:
        """Save unsaved state within ``_AT_THE_END_S``."""
        self._wake()
        with suppress(TimeoutError):
            async with asyncio.timeout(_AT_THE_END_S):
                await self.save()
        await self._tasks.close()

    async def _give_system_prompt(self, request: ModelRequest) -> None:
        """Before the first request without the conversation, restore the system prompt into its slot.

        The state of a conversation serves too: it begins with the system prompt, and the server drops the rest. What
        the server has read meanwhile is saved first: copying is quicker than reading the system prompt again.
        """
        key = self._key_of(request)
        if key is not None and not self._has_read_aside:
            await self.save(_WORTH_SAVING)
            await self._restore(replace(key, owner=SYSTEM), own=False, slot=ASIDE_SLOT)
        self._has_read_aside = True

    async def _make_way(self, request: ModelRequest) -> None:
        """Before a background request, save the state that it replaces. Before any other, restore a state."""
        key = self._key_of(request)
        if key is None:
            await self.save(_WORTH_SAVING)
        elif key.owner not in self._read:
            await self._restore(key, own=bool(self._read), slot=CONVERSATION_SLOT)
            self._read.add(key.owner)

    async def _restore(self, key: StateKey, *, own: bool, slot: int) -> None:
        states, slots = self._states, self._slots()
        if states is None or slots is None:
            return
        async with self._lock:
            path = await asyncio.to_thread(states.find, key, own=own)
            if path is not None:
                try:
                    await slots.restore(path.name, slot)
                except (SlotRefusedError, SlotUnreachableError) as error:
                    _log.warning("the kept state %s cannot be restored into slot %d: %s", path.name, slot, error)
                    if slot == CONVERSATION_SLOT:
                        await asyncio.to_thread(states.remove, path)
                    # Otherwise the state may be intact, but too long for the room beside the conversation.
                else:
                    if slot == CONVERSATION_SLOT:
                        self._unsaved = 0

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
                # If another request came meanwhile, the saved state may be that request's.
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
        """Report once that states cannot be saved, and stop trying until the next start."""
        _log.warning("what was read cannot be saved: %s", reason)
        self._in_trouble = True
        self._on_trouble(reason)

    def _begin(self, request: ModelRequest) -> None:
        """Record that the server now holds the state of this request."""
        key = self._key_of(request)
        if key is None or self._key is None or key.owner != self._key.owner:
            self._unsaved = 0
        self._key = key
        if key is not None:
            self._read.add(key.owner)
        self._requests += 1

    def _end(self, usage: Usage | None, *, begun: bool) -> None:
        """Record the end of a request. If it has not ``begun``, the server may still hold the state before it."""
        if not begun:
            self._key, self._unsaved = None, 0
        elif self._key is not None:
            # A stopped answer has no final count of tokens.
            self._unsaved += _WORTH_KEEPING if usage is None else usage.input - usage.cached + (usage.output or 0)

    def _save_when_idle(self) -> None:
        self._wake()
        if self._users == 0 and self._clock is not None and self._unsaved >= _WORTH_SAVING:
            self._resting = self._tasks.start(self._save_at_rest(self._clock), name="save a prompt state at rest")

    def _key_of(self, request: ModelRequest) -> StateKey | None:
        if request.kept_as is None or (request.kept_as and not can_own(request.kept_as)):
            return None
        try:
            model = self._model()
        except OSError:
            # The file is missing. The request itself will report that.
            return None
        # If the system prompt describes the tools, the server does not read the request's list of allowed tools.
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
