"""The hub: who is connected, what each client follows, and exactly one reply to each request."""

import asyncio
import logging
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.packets import Done
from assistant.core.records.conversations import ConversationMark
from assistant.core.service.connection import Connection
from assistant.core.service.events import Audience, Delivery, audience_of
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.refusals import cancelled, gone, refusal_of
from assistant.core.service.request import ClientId, Refusal, Request, RequestId
from assistant.core.texts import Texts
from assistant.core.updates import (
    ConversationMarked,
    ConversationOpened,
    EmbeddedModelMemory,
    EngineProgressed,
    EngineStopped,
    MessageAdded,
    Missed,
    ModelChosen,
    PacketEmitted,
    ReadingChanged,
    StateChanged,
    TimersChanged,
    TurnWithdrawn,
    Update,
    VoiceAvailable,
)
from assistant.engine.serving.outbox import Outbox
from assistant.engine.serving.table import Asker, RequestTable, WithEvents
from assistant.storage.identities import new_id
from assistant.tasks import TaskSupervisor, reply_of

R = TypeVar("R")

SETTLE_S = 5.0
"""Longest wait at the end for requests that are carried out in order; each takes milliseconds."""

log = logging.getLogger(__name__)


class Hub:
    """Implements ``EngineService``. Clients may connect and ask before the engine runs, and after its end.

    Args:
        texts: the user's words.

    Attributes:
        left: told of each client that has gone, on the engine's loop.
    """

    def __init__(self, texts: Texts) -> None:
        self.texts = texts
        self.left: Listeners[[ClientId], None] = Listeners()
        self._lock = threading.Lock()
        self._clients: dict[ClientId, _Client] = {}
        self._newest: dict[str, Update] = {}
        self._open = ""
        self._changes: Counter[str] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._table: RequestTable | None = None
        self.tasks = TaskSupervisor()
        self._early: list[_Open] = []
        self._over = False

    # Clients

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect a client; see ``EngineService``. It gets the newest states first."""
        client = _Client(Asker(client=ClientId(new_id()), grant=grant), name)
        with self._lock:
            self._clients[client.asker.client] = client
            for event in self._newest.values():
                client.outbox.put(event)
        threading.Thread(target=client.run, args=(deliver, self._states), name=f"client {name}", daemon=True).start()
        return _InProcess(self, client)

    def disconnect(self, client: "_Client") -> None:
        """Forget a client: refuse what it has asked for, and deliver nothing more."""
        with self._lock:
            self._clients.pop(client.asker.client, None)
        for request in client.open_requests():
            request.given_up = True
            self._call(request.cancel)
            request.reply(gone(self.texts))
        client.outbox.close()
        self._call(self.left.tell, client.asker.client)

    def follow(self, client: ClientId, conversation: str) -> None:
        """Send a client the events of a conversation; empty for those of the open one, wherever it goes."""
        with self._lock:
            if (known := self._clients.get(client)) is not None:
                known.follows.add(conversation)

    def unfollow(self, client: ClientId, conversation: str) -> None:
        """Send a client no more events of a conversation; empty for those of the open one."""
        with self._lock:
            if (known := self._clients.get(client)) is not None:
                known.follows.discard(conversation)

    def is_followed(self, conversation: str) -> bool:
        """Whether a client follows this conversation by its id."""
        with self._lock:
            return any(conversation in each.follows for each in self._clients.values())

    def followers(self, besides: ClientId) -> tuple[str, ...]:
        """The kinds of the other clients that follow what goes on, one for each client, sorted."""
        with self._lock:
            others = (each for identity, each in self._clients.items() if identity != besides)
            return tuple(sorted(each.name for each in others if each.follows or each.turns))

    def follow_turn(self, client: ClientId, turn: TurnId) -> None:
        """Send a client what a turn shows until its end, also in a conversation that it does not follow."""
        with self._lock:
            if (known := self._clients.get(client)) is not None:
                known.turns.add(turn)

    def enter(self, conversation: str) -> None:
        """Another conversation is the open one."""
        with self._lock:
            self._open = conversation

    # Events

    def deliver(self, event: Update, audience: Audience | None = None) -> None:
        """Put an event into the outboxes of its audience; safe to call from any thread."""
        audience = audience or audience_of(event)
        with self._lock:
            if self._over:
                return
            self._keep(event)
            if isinstance(event, MessageAdded | TurnWithdrawn | ConversationOpened):
                self._changes[event.conversation] += 1
            clients = [each for each in self._clients.values() if each.wants(event, audience, self._open)]
        for client in clients:
            client.outbox.put(event)

    def changes(self, conversation: str) -> int:
        """How often the messages of a conversation have changed; packets do not count."""
        with self._lock:
            return self._changes[conversation]

    def _keep(self, event: Update) -> None:
        """Keep an event that tells a whole state, for clients that come later or miss something."""
        match event:
            case StateChanged() | VoiceAvailable() | TimersChanged() | EmbeddedModelMemory() | ReadingChanged():
                self._newest[type(event).__name__] = event
            case EngineProgressed(part=part):
                self._newest[f"progress {part}"] = event
            case ModelChosen(conversation=""):
                self._newest["model"] = event
            case ConversationMarked(conversation=conversation, mark=mark, turn=turn):
                self._newest.pop(f"mark {conversation}", None)
                if mark is not ConversationMark.NONE or turn != NO_TURN:
                    self._newest[f"mark {conversation}"] = event
            case _:
                pass

    def _states(self) -> list[Update]:
        with self._lock:
            return [*self._newest.values()]

    # Requests

    def loop_for(self, request: "_Open") -> asyncio.AbstractEventLoop | None:
        """The loop on which a request begins; ``None`` where it waits for the engine, or was refused at its end."""
        with self._lock:
            over, loop = self._over or request.client.asker.client not in self._clients, self._loop
            if not over and loop is None:
                self._early.append(request)
        if over:
            request.reply(gone(self.texts))
        return None if over else loop

    def cancel(self, request: "_Open") -> None:
        """Give a request up; may be called on any thread."""
        request.given_up = True
        if not self._call(request.cancel):
            request.reply(cancelled(self.texts))

    def serve(self, table: RequestTable) -> None:
        """Carry out the requests, also those that came before; called on the engine's loop."""
        with self._lock:
            self._table, self._loop = table, asyncio.get_running_loop()
            early, self._early = self._early, []
        for request in early:
            self.tasks.start(self.carry_out(request), name="early request")

    async def close(self) -> None:
        """End what is being carried out, after what was asked for in order; called on the engine's loop."""
        if self._table is not None:
            await self._table.settle(SETTLE_S)
        await self.tasks.close()

    def end(self, event: EngineStopped) -> None:
        """Refuse what is still open, deliver this last event, and nothing more; may be called on any thread."""
        with self._lock:
            if self._over:
                return
            self._over, clients, early = True, [*self._clients.values()], self._early
            self._newest = {"stopped": event}
        for request in [*early, *(each for client in clients for each in client.open_requests())]:
            request.reply(gone(self.texts))
        for client in clients:
            client.outbox.put(event)

    def _call(self, call: Callable[..., object], *arguments: Any) -> bool:
        """Call something on the engine's loop; returns whether there is one."""
        with suppress(RuntimeError):
            if self._loop is not None:
                self._loop.call_soon_threadsafe(call, *arguments)
                return True
        return False

    def _end_of(self, request: "_Open") -> Refusal:
        return cancelled(self.texts) if request.given_up else gone(self.texts)

    async def carry_out(self, request: "_Open") -> None:
        """Carry out a request and reply; on the engine's loop. What never begins is refused at the engine's end."""
        events: tuple[Update, ...] = ()
        request.task, asker = asyncio.current_task(), request.client.asker
        if self._table is None or request.given_up:
            request.reply(self._end_of(request))
            return
        try:
            owner = self._table.admit(request.request, asker)
            async with self._table.lane(owner.lane):
                result = await owner.handler(request.request, asker)
            if isinstance(result, WithEvents):
                result, events = result.result, result.events
        except asyncio.CancelledError:
            result = self._end_of(request)
        except SoriError as error:
            log.warning("%s is refused: %s", type(request.request).__name__, error)
            result = refusal_of(error, self.texts)
        except Exception as error:
            log.exception("%s failed", type(request.request).__name__)
            result = refusal_of(error, self.texts)
        request.reply(result)
        for event in events:
            request.client.outbox.put(event)


class _Open:
    """A request that has no reply yet.

    Attributes:
        reply_to: takes the reply; ``None`` once there is one.
        task: what carries it out.
        given_up: whether the client has given it up.
    """

    def __init__(self, client: "_Client", request: Request[Any], reply_to: Callable[[Any], None]) -> None:
        self.id, self.client, self.request = RequestId(new_id()), client, request
        self.reply_to: Callable[[Any], None] | None = reply_to
        self.task: asyncio.Task[None] | None = None
        self.given_up = False

    def cancel(self) -> None:
        if self.task is not None:
            self.task.cancel()

    def reply(self, reply: Any) -> None:
        """Reply, unless that has been done."""
        reply_to = self.client.settle(self)
        if reply_to is not None and not self.client.outbox.reply(partial(reply_to, reply)):
            reply_to(reply)


class _Client:
    """The engine's side of one client."""

    def __init__(self, asker: Asker, name: str) -> None:
        self.asker, self.name = asker, name
        self.outbox = Outbox()
        self.follows: set[str] = set()
        self.turns: set[TurnId] = set()
        self._open: dict[RequestId, _Open] = {}
        self._lock = threading.Lock()
        self._number = 0

    def wants(self, event: Update, audience: Audience, open_conversation: str) -> bool:
        """Whether it belongs to the audience of an event."""
        if audience.client:
            return audience.client == self.asker.client
        if isinstance(event, PacketEmitted | MessageAdded) and event.turn in self.turns:
            if isinstance(event, PacketEmitted) and isinstance(event.packet, Done):
                self.turns.discard(event.turn)
            return True
        conversation = audience.conversation
        attends = "" in self.follows and conversation == open_conversation
        return not conversation or attends or conversation in self.follows

    def add(self, request: _Open) -> None:
        with self._lock:
            self._open[request.id] = request

    def find(self, request: RequestId) -> _Open | None:
        with self._lock:
            return self._open.get(request)

    def settle(self, request: _Open) -> Callable[[Any], None] | None:
        """Take what waits for the reply; ``None`` if the request has one already."""
        with self._lock:
            self._open.pop(request.id, None)
            reply_to, request.reply_to = request.reply_to, None
            return reply_to

    def open_requests(self) -> list[_Open]:
        with self._lock:
            return [*self._open.values()]

    def run(self, deliver: Callable[[Delivery], None], states: Callable[[], list[Update]]) -> None:
        """Deliver what waits, on a thread of the client's own, until it is closed."""
        while (item := self.outbox.take()) is not None:
            try:
                if callable(item):
                    item()
                    continue
                for event in (item, *states()) if isinstance(item, Missed) else (item,):
                    self._number += 1
                    deliver(Delivery(number=self._number, event=event))
            except Exception:
                log.exception("the client %s failed", self.name)


class _InProcess:
    """Implements ``Connection`` for a client in the engine's process."""

    def __init__(self, hub: Hub, client: _Client) -> None:
        self._hub, self._client = hub, client
        self._closed = False

    @property
    def client(self) -> ClientId:
        return self._client.asker.client

    def new_turn(self) -> TurnId:
        return TurnId(new_id())

    def ask(self, request: Request[R], reply: Callable[[R | Refusal], None] = lambda _: None) -> RequestId:
        opened = _Open(self._client, request, reply)
        self._client.add(opened)
        if (loop := self._hub.loop_for(opened)) is not None:
            name, work = type(request).__name__, self._hub.carry_out(opened)
            try:
                loop.call_soon_threadsafe(partial(self._hub.tasks.start, work, name=name))
            except RuntimeError:  # the loop has ended
                work.close()
                opened.reply(gone(self._hub.texts))
        return opened.id

    async def result(self, request: Request[R]) -> R:
        result: R = await reply_of(partial(self.ask, request), self.cancel)
        return result

    def cancel(self, request: RequestId) -> None:
        if (opened := self._client.find(request)) is not None:
            self._hub.cancel(opened)

    def close(self) -> None:
        self._hub.disconnect(self._client)
