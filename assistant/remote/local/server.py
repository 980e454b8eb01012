"""Serves the programs of this user: each connection to the local socket is a client of the engine."""

import hmac
import logging
import os
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, Final

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.formats.json_form import INTERFACE_VERSION, tagged, to_json, type_name
from assistant.core.service.connection import Connection, EngineService
from assistant.core.service.events import Delivery
from assistant.core.service.frames import (
    CancelFrame,
    ClientFrame,
    EngineFrame,
    Hello,
    RefusalFrame,
    ReplyFrame,
    RequestFrame,
    ShowFrame,
    Welcome,
)
from assistant.core.service.refusals import gone, refusal_of
from assistant.core.service.request import Refusal, Request, RequestId, result_type
from assistant.core.texts import Texts
from assistant.core.updates import EngineStopped
from assistant.remote.local.endpoint import HeldHome, is_from_user
from assistant.remote.local.framing import LONGEST_GREETING, FrameError, Frames

MOST_CLIENTS: Final = 64
"""Clients at a time. A terminal and a command are one each."""
MOST_OPEN: Final = 100
"""Requests of one client without a reply, after which nothing more is read from it."""
GREETING_S: Final = 5.0
"""Seconds that a client has to present itself."""
FAREWELL_S: Final = 1.0
"""Seconds that a client has to read why it is refused, and all of them to read that the engine has ended."""

log = logging.getLogger(__name__)


class LocalServer:
    """Accepts connections on a thread, and serves each on a thread of its own.

    A client that does not read fills the socket, then its own outbox (``EngineService``), and holds up nobody else.

    Args:
        held: the home; its socket may have connections that wait already.
        service: the engine.
        texts: the user's words.
        show: brings the window to the front, and returns whether it came; ``None`` in a process without one, where
            clients may be windows.

    Attributes:
        ending: whether the engine is about to end. Whoever comes now waits for its end, and may take its place.
    """

    def __init__(
        self, held: HeldHome, service: EngineService, texts: Texts, show: Callable[[], bool] | None = None
    ) -> None:
        self._held, self._service, self._texts, self._show = held, service, texts, show
        self.ending = False
        self._clients = set[_Served]()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._accept, name="local socket", daemon=True)

    def start(self) -> None:
        """Begin to accept connections."""
        self._thread.start()

    def stop_accepting(self) -> None:
        """Take no further clients: the engine is about to end. A program that comes now waits for the next one."""
        self.ending = True
        self._held.stop_listening()

    def close(self) -> None:
        """Close all connections and release the home. The engine has ended before, which clients are told first."""
        self._held.close()
        self._thread.join()
        with self._lock:
            clients = [*self._clients]
        until = time.monotonic() + FAREWELL_S
        for client in clients:
            client.let_hear_the_end(until - time.monotonic())
            client.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._held.listening.accept()
            except OSError:
                return
            served = _Served(connection, self._held.secret, self._service, self._texts, self)
            with self._lock:
                full = len(self._clients) >= MOST_CLIENTS
                if not full:
                    self._clients.add(served)
            threading.Thread(target=partial(self._serve, served, full=full), name="local client", daemon=True).start()

    def show_window(self) -> bool:
        """Bring the window to the front; returns whether there is one."""
        if self._show is not None:
            return self._show()
        with self._lock:
            windows = [each for each in self._clients if each.window]
        return any(each.show_window() for each in windows)

    def take_window(self, client: "_Served", window: str) -> None:
        """Take a client for the home's window.

        Raises:
            SoriError: there is another one, which is in front now.
        """
        with self._lock:
            alone = self._show is None and all(each.window in {"", window} for each in self._clients)
            if alone:
                client.window = window
        if not alone and self.show_window():
            raise SoriError(ErrorCode.INVALID_REQUEST, "there is a window already", message_key="window_open")
        client.window = window

    def _serve(self, served: "_Served", *, full: bool) -> None:
        try:
            served.run(full=full)
        except SoriError as error:
            log.warning("a client is refused: %s", error)
            served.refuse(error)
        except OSError as error:
            log.info("a client broke off: %s", error)
        except Exception:
            log.exception("a client failed")
        finally:
            served.close()
            with self._lock:
                self._clients.discard(served)


class _Served:
    """One connection and the client behind it.

    Attributes:
        window: the client's id as a window; empty if it is none.
    """

    def __init__(
        self,
        connection: socket.socket,
        secret: str,
        service: EngineService,
        texts: Texts,
        server: "LocalServer",
    ) -> None:
        self._socket, self._frames = connection, Frames(connection)
        self._secret, self._service, self._texts, self._server = secret, service, texts, server
        self._engine: Connection | None = None
        self.window = ""
        self._wants_events, self._told = False, threading.Event()
        self._open: dict[RequestId, RequestId] = {}
        self._lock = threading.RLock()
        self._room = threading.Semaphore(MOST_OPEN)

    def run(self, *, full: bool) -> None:
        """Serve the client until it leaves.

        Args:
            full: whether there are too many clients already.

        Raises:
            SoriError: it is one too many or somebody else's, or what it sends is not understood.
            OSError: the connection broke.
        """
        if full:
            raise SoriError(ErrorCode.OVERLOADED, "too many clients", message_key="too_many_clients")
        hello = self._greeted()
        if self._server.ending:
            return
        if hello.window:
            self._server.take_window(self, hello.window)
        names = tuple(map(type_name, _requests()))
        self._frames.send(EngineFrame, Welcome(version=INTERFACE_VERSION, process=os.getpid(), requests=names))
        if hello.events:
            self._connected(hello)
            self._wants_events = True
        while (frame := self._frames.receive(ClientFrame)) is not None:
            match frame:
                case RequestFrame():
                    self._ask(self._connected(hello), frame)
                case CancelFrame(id=identity):
                    self._cancel(self._connected(hello), identity)
                case ShowFrame(id=identity):
                    self._reply(identity, self._shown())
                case _:
                    raise FrameError("frame_unexpected", type_name(type(frame)))

    def show_window(self) -> bool:
        """Have the client, a window, come to the front; returns whether it is still there."""
        try:
            self._frames.send(EngineFrame, ShowFrame())
        except OSError:
            return False
        return True

    def refuse(self, error: SoriError) -> None:
        """Tell the client why it is not served."""
        with suppress(OSError):
            self._frames.wait_at_most(FAREWELL_S)
            self._frames.send(EngineFrame, RefusalFrame(refusal=refusal_of(error, self._texts)))
            self._frames.let_read(FAREWELL_S)

    def let_hear_the_end(self, seconds: float) -> None:
        """Wait until a client that wants events was told that the engine has ended."""
        if self._wants_events:
            self._told.wait(max(seconds, 0.0))

    def close(self) -> None:
        """End the connection. Its turns go on."""
        self._frames.close()
        if self._engine is not None:
            self._engine.close()

    def _connected(self, hello: Hello) -> Connection:
        """The connection to the engine, made when it is needed: the engine may still be loading, or have failed."""
        if self._engine is None:
            self._engine = self._service.connect(self._deliver if hello.events else _leave, name=hello.name[:40])
        return self._engine

    def _greeted(self) -> Hello:
        if not is_from_user(self._socket):
            detail = "the connection is another user's"
            raise SoriError(ErrorCode.PERMISSION, detail, message_key="not_this_user")
        self._frames.wait_at_most(GREETING_S)
        hello = self._frames.receive(ClientFrame, longest=LONGEST_GREETING, lenient=True)
        self._frames.wait_at_most(None)
        if not isinstance(hello, Hello):
            raise FrameError("frame_unexpected", "the first frame is hello")
        if not hmac.compare_digest(hello.secret.encode(), self._secret.encode()):
            raise SoriError(ErrorCode.PERMISSION, "wrong secret", message_key="not_this_user")
        if hello.version != INTERFACE_VERSION:
            values = {"version": str(INTERFACE_VERSION), "other": str(hello.version)}
            detail = f"the client speaks version {hello.version}, the engine {INTERFACE_VERSION}"
            raise SoriError(ErrorCode.INVALID_REQUEST, detail, message_key="other_version", values=values)
        return hello

    def _ask(self, engine: Connection, frame: RequestFrame) -> None:
        """Pass a request on. Its reply is sent on the thread of the client's outbox."""
        try:
            request: Request[Any] = tagged(_requests()).read(frame.request)
        except SoriError as error:
            self._reply(frame.id, refusal_of(error, self._texts))
            return
        kind = result_type(type(request))
        self._room.acquire()

        def reply(result: Any) -> None:
            with self._lock:
                self._open.pop(frame.id, None)
            self._room.release()
            self._reply(frame.id, result, kind)

        with self._lock:
            self._open[frame.id] = engine.ask(request, reply)

    def _cancel(self, engine: Connection, identity: RequestId) -> None:
        with self._lock:
            asked = self._open.get(identity)
        if asked is not None:
            engine.cancel(asked)

    def _shown(self) -> Refusal | None:
        if not self._server.show_window():
            if self._server.ending:
                return gone(self._texts)
            error = SoriError(ErrorCode.INVALID_REQUEST, "this Sori has no window", message_key="no_window")
            return refusal_of(error, self._texts)
        return None

    def _reply(self, identity: RequestId, result: Any, kind: Any = None) -> None:
        if isinstance(result, Refusal):
            frame = ReplyFrame(id=identity, refusal=result)
        else:
            frame = ReplyFrame(id=identity, result=to_json(kind, result))
        with suppress(OSError):  # The client has left.
            self._frames.send(EngineFrame, frame)

    def _deliver(self, delivery: Delivery) -> None:
        with suppress(OSError):
            self._frames.send(EngineFrame, delivery)
        if isinstance(delivery.event, EngineStopped):
            self._told.set()


def _leave(_: Delivery) -> None:
    """Pass over the events for a client that wants none."""


def _requests() -> tuple[type[Request[Any]], ...]:
    """Every request. A window that starts needs few of them."""
    from assistant.core.service.every_request import REQUESTS

    return REQUESTS
