"""The connection of a program to the engine of another process. It comes back when the engine does."""

import logging
import secrets
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final, TypeVar

from assistant.core.errors import ErrorCode, SoriError, StorageError
from assistant.core.formats.json_form import INTERFACE_VERSION, FormError, fetching, from_json, tagged
from assistant.core.identity.uuid7 import Uuid7Source
from assistant.core.machine.states import TurnId
from assistant.core.service.connection import GONE_NOTICE, Connection
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
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.refusals import ENGINE_GONE, gone, refusal_of
from assistant.core.service.request import ClientId, Refusal, RefusedError, Request, RequestId, result_type
from assistant.core.service.requests.conversations import FilePart, ReadFile
from assistant.core.service.requests.timers import ListTimers
from assistant.core.texts import Texts
from assistant.core.updates import EngineStopped, Missed, NoticePosted, Severity, Update
from assistant.remote.local.endpoint import HeldHome, HomeHeldError, connected, is_running
from assistant.remote.local.framing import Frames
from assistant.tasks import reply_of

WELCOME_S: Final = 60.0
"""Seconds until the engine answers at most: it may have begun to load just now."""
ANSWER_S: Final = 5.0
"""Seconds until a running Sori answers that is not asked to do much; loading takes it one or two."""
ENDING_S: Final = 25.0
"""Seconds in which a process that holds the home and takes no connection begins to do so, or ends: its engine and its
window have 10 s each."""
WINDOW_OPEN: Final = "window_open"
"""``Refusal.reason`` for a window, if there is one already."""
_LOOK_S = 0.05
"""Seconds between two looks whether such a process has begun or ended."""
_BETWEEN_TRIES_S = (0.1, 0.2, 0.5, 1.0)
"""Seconds between the attempts to reach an engine that has gone; the last one repeats."""

R = TypeVar("R")

log = logging.getLogger(__name__)


class SilentEngineError(SoriError):
    """An engine holds the home and does not answer."""

    def __init__(self) -> None:
        super().__init__(
            ErrorCode.ENGINE_UNAVAILABLE, "the engine that runs does not answer", message_key="engine_silent"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientWindow:
    """A window that is a client. Its functions are called on a thread of the connection.

    Attributes:
        id: tells it from other windows; the same on all its connections.
        show: brings it to the front.
        leave: ends it, because the home has another window already.
    """

    id: str
    show: Callable[[], None]
    leave: Callable[[], None]


def connect(
    home: Path,
    texts: Texts,
    deliver: Callable[[Delivery], None] | None = None,
    *,
    name: str,
    returns: bool = False,
    window: ClientWindow | None = None,
    within_s: float = WELCOME_S,
) -> "LocalConnection | None":
    """Connect to the engine that runs for ``home``; ``None`` if none runs.

    While a process that holds the home begins or ends, the call waits.

    Args:
        home: the user's folder.
        texts: the user's words.
        deliver: takes the events, on a thread of the connection; ``None`` if none are wanted.
        name: what kind of client it is.
        returns: whether to connect again after the end of the engine. Instead of ``EngineStopped``, ``deliver`` is then
            told that it has gone (the notice ``notice.engine_gone``) and that it answers again
            (``notice.engine_back``), and then gets ``Missed``.
        window: the window, if the client is one.
        within_s: seconds in which the engine must answer; it may be loading.

    Raises:
        RefusedError: the engine does not take the client.
        SilentEngineError: an engine runs and does not answer in time.
    """
    hello = _hello(name, deliver, window)
    way = _reach(home, hello, within_s, ENDING_S)
    return None if way is None else LocalConnection(home, texts, deliver, hello, way, returns=returns, window=window)


def take_home(home: Path, texts: Texts) -> HeldHome | None:
    """Take ``home`` for this process; ``None`` if another process holds it and takes clients.

    Raises:
        RefusedError: another process holds it and takes no clients of this version.
        SilentEngineError: another process holds it and does not answer.
        OSError: the folder cannot be used.
    """
    while True:
        if (connection := connect(home, texts, name="start", within_s=ANSWER_S)) is not None:
            connection.close()
            return None
        with suppress(HomeHeldError):  # Another start was faster.
            return HeldHome(home)


class AttachedEngine:
    """The engine of another process; implements ``EngineService``. Its connections come back when the engine does.

    Args:
        home: the user's folder.
        texts: the user's words.
        window: the window, if the client is one.
    """

    def __init__(self, home: Path, texts: Texts, window: ClientWindow | None = None) -> None:
        self._home, self._texts, self._window = home, texts, window

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect a client, which is told that the engine has gone if it has ended meanwhile.

        Whoever can open the socket is the owner, whatever ``grant`` says.

        Raises:
            RefusedError: the engine does not take the client.
            SilentEngineError: an engine runs and does not answer in time.
        """
        del grant
        hello = _hello(name, deliver, self._window)
        way = _reach(self._home, hello, WELCOME_S, ENDING_S)
        return LocalConnection(self._home, self._texts, deliver, hello, way, returns=True, window=self._window)


def _hello(name: str, deliver: Callable[[Delivery], None] | None, window: ClientWindow | None) -> Hello:
    identity = "" if window is None else window.id
    return Hello(version=INTERFACE_VERSION, name=name, events=deliver is not None, window=identity)


class LocalConnection:
    """Implements ``Connection`` over the local socket. ``connect`` makes it."""

    def __init__(
        self,
        home: Path,
        texts: Texts,
        deliver: Callable[[Delivery], None] | None,
        hello: Hello,
        way: Frames | None,
        *,
        returns: bool,
        window: ClientWindow | None = None,
    ) -> None:
        self._home, self._texts, self._hello = home, texts, hello
        self._deliver, self._window = deliver or _leave, window
        self._frames, self._here, self._returns = way, way is not None, returns
        self._waits = False
        self._number = 0
        self._ids = Uuid7Source(lambda: time.time_ns() // 1_000_000, secrets.randbits)
        self._lock = threading.Lock()
        self._client = ClientId(self._new_id())
        self._open: dict[RequestId, tuple[Any, Callable[[Any], None]]] = {}
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="engine connection", daemon=True)
        self._thread.start()

    @property
    def client(self) -> ClientId:
        """The client's id."""
        return self._client

    def new_turn(self) -> TurnId:
        """A new id for a turn."""
        return TurnId(self._new_id())

    def ask(self, request: Request[R], reply: Callable[[R | Refusal], None] = lambda _: None) -> RequestId:
        """Send a request; see ``Connection``."""
        kind = result_type(type(request))
        told = tagged((type(request),)).write(request)
        return self._ask(kind, reply, lambda identity: RequestFrame(id=identity, request=told))

    async def show_window(self) -> None:
        """Bring Sori's window to the front.

        Raises:
            RefusedError: there is no window.
        """
        await reply_of(lambda take: self._ask(None, take, lambda identity: ShowFrame(id=identity)), self.cancel)

    def _ask(
        self, kind: Any, reply: Callable[[Any], None], frame: Callable[[RequestId], RequestFrame | ShowFrame]
    ) -> RequestId:
        identity = RequestId(self._new_id())
        with self._lock:
            here = self._here
            if here:
                self._open[identity] = kind, reply
        if not here:
            reply(gone(self._texts))
        elif not self._send(frame(identity)):
            self._settle(identity, gone(self._texts))
        return identity

    async def result(self, request: Request[R]) -> R:
        """Send a request and wait for its result; see ``Connection``."""
        result: R = await reply_of(partial(self.ask, request), self.cancel)
        return result

    def cancel(self, request: RequestId) -> None:
        """Give a request up."""
        self._send(CancelFrame(id=request))

    def close(self) -> None:
        """End the connection."""
        self._closed.set()
        if self._frames is not None:
            self._frames.close()
        if threading.current_thread() is not self._thread:
            self._thread.join(ANSWER_S)  # It may be greeting an engine that does not answer.

    def _new_id(self) -> str:
        with self._lock:
            return self._ids.next().hex

    def _send(self, frame: ClientFrame) -> bool:
        frames = self._frames
        try:
            if frames is not None:
                frames.send(ClientFrame, frame)
        except OSError:
            return False
        return frames is not None

    def _settle(self, identity: RequestId, reply: Any) -> None:
        """Reply to a request, unless that has been done."""
        with self._lock:
            _, take = self._open.pop(identity, (None, None))
        if take is not None:
            take(reply)

    def read_file(self, reference: str) -> bytes:
        """The bytes of a file of the engine. Waits for them; call it on no thread of the connection or of a window.

        Raises:
            StorageError: the engine refuses, or has gone.
        """
        data = bytearray()
        while True:
            replies = SimpleQueue[FilePart | Refusal]()
            self.ask(ReadFile(reference=reference, offset=len(data)), replies.put)
            part = replies.get()
            if isinstance(part, Refusal):
                raise StorageError(reference, part.message)
            data += part.data
            if not part.data or len(data) >= part.size:
                return bytes(data)

    # The thread of the connection

    def _run(self) -> None:
        fetching.set(self.read_file)
        frames = self._frames
        while not self._closed.is_set():
            if frames is not None:
                self._stay(frames)
            if self._closed.is_set() or not self._returns:
                return
            if not self._waits:
                self._waits = True
                self._tell(NoticePosted(key=GONE_NOTICE, severity=Severity.WARNING, about=GONE_NOTICE))
                frames = self._come_back(0)
            else:  # This one took the connection and could not load.
                frames = self._come_back(len(_BETWEEN_TRIES_S))
            if frames is not None:
                # An engine that is being loaded takes connections, and answers once it runs.
                self.ask(ListTimers(), self._tell_of_return)

    def _stay(self, frames: Frames) -> None:
        """Take what the engine sends until its end, and reply to what it has not done."""
        try:
            self._receive(frames)
        except (OSError, SoriError) as error:
            log.warning("the connection to the engine broke: %s", error)
        except Exception:
            log.exception("the client failed")
        frames.close()
        with self._lock:
            self._here, opened = False, [*self._open]
        for identity in opened:
            self._settle(identity, gone(self._texts))

    def _tell_of_return(self, reply: object) -> None:
        if not isinstance(reply, Refusal) or reply.reason != ENGINE_GONE:
            self._waits = False
            self._tell(NoticePosted(key="notice.engine_back", about=GONE_NOTICE))
            self._tell(Missed(count=0, conversations=()))

    def _receive(self, frames: Frames) -> None:
        """Take what the engine sends until its end.

        Raises:
            OSError: the connection broke.
            SoriError: it is not understood.
        """
        while (frame := _next(frames)) is not None:
            match frame:
                case ReplyFrame(id=identity):
                    self._settle(identity, frame.refusal or self._read(identity, frame.result))
                case Delivery(event=EngineStopped(reason=reason)) if self._returns:
                    if reason:
                        values = {"reason": reason}
                        self._tell(NoticePosted(key="notice.engine_failed", severity=Severity.ERROR, values=values))
                case Delivery():
                    self._tell(frame.event)
                case RefusalFrame(refusal=refusal):
                    log.warning("the engine refuses the connection: %s", refusal.message)
                case ShowFrame():
                    if self._window is not None:
                        self._window.show()
                case Welcome():
                    pass

    def _read(self, identity: RequestId, result: Any) -> Any:
        with self._lock:
            kind, _ = self._open.get(identity, (Any, None))
        try:
            return from_json(kind, result, lenient=True)
        except FormError as error:
            return refusal_of(error, self._texts)

    def _tell(self, event: Update) -> None:
        self._number += 1
        try:
            self._deliver(Delivery(number=self._number, event=event))
        except Exception:
            log.exception("an event cannot be shown")

    def _come_back(self, tries: int) -> Frames | None:
        """Connect again as soon as an engine runs; ``None`` if the connection is closed before.

        Args:
            tries: how often that failed already.
        """
        told = False
        while not self._closed.wait(_BETWEEN_TRIES_S[min(tries, len(_BETWEEN_TRIES_S) - 1)]):
            tries += 1
            try:
                frames = _reach(self._home, self._hello, WELCOME_S, 0.0)
            except RefusedError as error:
                if self._window is not None and error.refusal.reason == WINDOW_OPEN:
                    self._closed.set()
                    self._window.leave()
                elif not told:
                    told = True
                    self._tell_of_refusal(error.refusal)
            except SilentEngineError as error:
                log.warning("the engine does not take the client again: %s", error)
            else:
                if frames is None:
                    continue
                with self._lock:
                    self._frames, self._here = frames, True
                if self._closed.is_set():
                    frames.close()
                return frames
        return None

    def _tell_of_refusal(self, refusal: Refusal) -> None:
        """Tell why an engine that is there does not take the client, such as another version after an update."""
        log.warning("the engine does not take the client again: %s", refusal.message)
        key = f"error.{refusal.reason}"
        self._tell(NoticePosted(key=key, values=refusal.values, severity=Severity.WARNING, about=GONE_NOTICE))


def _next(frames: Frames) -> Any:
    """The next frame that this program understands; ``None`` at the end."""
    while True:
        try:
            return frames.receive(EngineFrame, lenient=True)
        except FormError as error:
            if error.problem != "unknown_type":
                raise
            log.info("an event is passed over: %s", error)  # A newer engine tells more.


def _leave(_: Delivery) -> None:
    """Pass over an event that nobody wants."""


def _reach(home: Path, hello: Hello, within_s: float, ending_s: float) -> Frames | None:
    """Connect and greet; ``None`` if no engine runs.

    Args:
        home: the user's folder.
        hello: the greeting.
        within_s: seconds in which the engine must answer.
        ending_s: seconds to wait for a process that holds the home and listens not yet, or no longer.

    Raises:
        RefusedError: the engine does not take the client.
        SilentEngineError: a process holds the home and does not answer.
    """
    until = time.monotonic() + ending_s
    while True:
        if (found := connected(home, within_s)) is not None and (frames := _greet(*found, hello)) is not None:
            return frames
        if not is_running(home):
            return None
        if time.monotonic() >= until:
            raise SilentEngineError
        time.sleep(_LOOK_S)


def _greet(connection: socket.socket, secret: str, hello: Hello) -> Frames | None:
    """Present the client; ``None`` if the connection ends.

    Raises:
        RefusedError: the engine does not take the client.
        SilentEngineError: it does not answer.
    """
    frames = Frames(connection)
    try:
        frames.send(ClientFrame, replace(hello, secret=secret))
        frame = frames.receive(EngineFrame, lenient=True)
        frames.wait_at_most(None)
    except TimeoutError as error:
        frames.close()
        raise SilentEngineError from error
    except (OSError, SoriError) as error:
        log.warning("the engine broke off: %s", error)
        frame = None
    if isinstance(frame, Welcome):
        return frames
    frames.close()
    if isinstance(frame, RefusalFrame):
        raise RefusedError(frame.refusal)
    return None
