"""The connection of a program to the engine of another process. It comes back when the engine does."""

import logging
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final, TypeVar

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.formats.json_form import INTERFACE_VERSION, FormError, from_json, tagged
from assistant.core.identity.uuid7 import Uuid7Source
from assistant.core.machine.states import TurnId
from assistant.core.service.connection import Connection
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
from assistant.core.service.refusals import gone, refusal_of
from assistant.core.service.request import ClientId, Refusal, RefusedError, Request, RequestId, result_type
from assistant.core.texts import Texts
from assistant.core.updates import EngineStopped, Missed, NoticePosted, Severity, Update
from assistant.remote.local.endpoint import connected, is_running
from assistant.remote.local.framing import Frames
from assistant.tasks import reply_of

WELCOME_S: Final = 60.0
"""Seconds until the engine answers at most: it may have begun to load just now."""
ANSWER_S: Final = 5.0
"""Seconds until a running Sori answers that is not asked to do much; loading takes it one or two."""
ENGINE_GONE: Final = "notice.engine_gone"
"""``NoticePosted.key`` when the engine has gone."""
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


def connect(
    home: Path,
    texts: Texts,
    deliver: Callable[[Delivery], None] | None = None,
    *,
    name: str,
    returns: bool = False,
    show: Callable[[], None] | None = None,
    within_s: float = WELCOME_S,
) -> "LocalConnection | None":
    """Connect to the engine that runs for ``home``; ``None`` if none runs.

    Args:
        home: the user's folder.
        texts: the user's words.
        deliver: takes the events, on a thread of the connection; ``None`` if none are wanted.
        name: what kind of client it is.
        returns: whether to connect again when the engine has gone without a word (``EngineStopped``). ``deliver`` is
            told that it has gone (the notice ``notice.engine_gone``) and that it is back (``notice.engine_back``), and
            then gets ``Missed``.
        show: see ``AttachedEngine``.
        within_s: seconds in which the engine must answer; it may be loading.

    Raises:
        RefusedError: the engine does not take the client.
        SilentEngineError: an engine runs and does not answer in time.
    """
    hello = Hello(version=INTERFACE_VERSION, name=name, events=deliver is not None, window=show is not None)
    way = _reach(home, hello, within_s)
    return None if way is None else LocalConnection(home, texts, deliver, hello, way, returns=returns, show=show)


class AttachedEngine:
    """The engine of another process; implements ``EngineService``. Its connections come back when the engine does.

    Args:
        home: the user's folder.
        texts: the user's words.
        show: brings the client to the front if it is a window; called on a thread of the connection. A window waits for
            the next engine also after the end of one on purpose.
    """

    def __init__(self, home: Path, texts: Texts, show: Callable[[], None] | None = None) -> None:
        self._home, self._texts, self._show = home, texts, show

    def connect(self, deliver: Callable[[Delivery], None], *, name: str, grant: Grant = OWNER) -> Connection:
        """Connect a client. Whoever can open the socket is the owner, whatever ``grant`` says.

        Raises:
            SoriError: no engine runs.
            RefusedError: the engine does not take the client.
        """
        del grant
        connection = connect(self._home, self._texts, deliver, name=name, returns=True, show=self._show)
        if connection is None:
            raise SoriError(ErrorCode.ENGINE_UNAVAILABLE, "no engine runs", message_key="engine_gone")
        return connection


class LocalConnection:
    """Implements ``Connection`` over the local socket. ``connect`` makes it."""

    def __init__(
        self,
        home: Path,
        texts: Texts,
        deliver: Callable[[Delivery], None] | None,
        hello: Hello,
        way: "tuple[Frames, Welcome]",
        *,
        returns: bool,
        show: Callable[[], None] | None = None,
    ) -> None:
        self._home, self._texts, self._hello = home, texts, hello
        self._deliver, self._show = deliver or _leave, show
        self._frames, self.welcome = way
        self._returns = returns
        self._number = 0
        self._ids = Uuid7Source(lambda: time.time_ns() // 1_000_000, secrets.randbits)
        self._lock = threading.Lock()
        self._client = ClientId(self._new_id())
        self._open: dict[RequestId, tuple[Any, Callable[[Any], None]]] = {}
        self._here = True
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
            here, frames = self._here, self._frames
            if here:
                self._open[identity] = kind, reply
        if not here:
            reply(gone(self._texts))
        elif not self._send(frames, frame(identity)):
            self._settle(identity, gone(self._texts))
        return identity

    async def result(self, request: Request[R]) -> R:
        """Send a request and wait for its result; see ``Connection``."""
        result: R = await reply_of(partial(self.ask, request), self.cancel)
        return result

    def cancel(self, request: RequestId) -> None:
        """Give a request up."""
        self._send(self._frames, CancelFrame(id=request))

    def close(self) -> None:
        """End the connection."""
        self._closed.set()
        self._frames.close()
        if threading.current_thread() is not self._thread:
            self._thread.join(ANSWER_S)  # It may be greeting an engine that does not answer.

    def _new_id(self) -> str:
        with self._lock:
            return self._ids.next().hex

    def _send(self, frames: Frames, frame: ClientFrame) -> bool:
        try:
            frames.send(ClientFrame, frame)
        except OSError:
            return False
        return True

    def _settle(self, identity: RequestId, reply: Any) -> None:
        """Reply to a request, unless that has been done."""
        with self._lock:
            _, take = self._open.pop(identity, (None, None))
        if take is not None:
            take(reply)

    # The thread of the connection

    def _run(self) -> None:
        while not self._closed.is_set():
            try:
                self._receive()
            except (OSError, SoriError) as error:
                log.warning("the connection to the engine broke: %s", error)
            except Exception:
                log.exception("the client failed")
            self._frames.close()
            with self._lock:
                self._here, opened = False, [*self._open]
            for identity in opened:
                self._settle(identity, gone(self._texts))
            if self._closed.is_set() or not self._returns:
                return
            self._tell(NoticePosted(key=ENGINE_GONE, severity=Severity.WARNING, about=ENGINE_GONE))
            if self._come_back():
                self._tell(NoticePosted(key="notice.engine_back", about=ENGINE_GONE))
                self._tell(Missed(count=0, conversations=()))

    def _receive(self) -> None:
        """Take what the engine sends until its end.

        Raises:
            OSError: the connection broke.
            SoriError: it is not understood.
        """
        while (frame := self._next()) is not None:
            match frame:
                case ReplyFrame(id=identity):
                    self._settle(identity, frame.refusal or self._read(identity, frame.result))
                case Delivery():
                    if isinstance(frame.event, EngineStopped) and self._show is None:
                        self._returns = False  # It was ended on purpose.
                    self._tell(frame.event)
                case RefusalFrame(refusal=refusal):
                    log.warning("the engine refuses the connection: %s", refusal.message)
                case ShowFrame():
                    if self._show is not None:
                        self._show()
                case Welcome():
                    pass

    def _read(self, identity: RequestId, result: Any) -> Any:
        with self._lock:
            kind, _ = self._open.get(identity, (Any, None))
        try:
            return from_json(kind, result, lenient=True)
        except FormError as error:
            return refusal_of(error, self._texts)

    def _next(self) -> Any:
        """The next frame that this program understands; ``None`` at the end."""
        while True:
            try:
                return self._frames.receive(EngineFrame, lenient=True)
            except FormError as error:
                if error.problem != "unknown_type":
                    raise
                log.info("an event is passed over: %s", error)  # A newer engine tells more.

    def _tell(self, event: Update) -> None:
        self._number += 1
        try:
            self._deliver(Delivery(number=self._number, event=event))
        except Exception:
            log.exception("an event cannot be shown")

    def _come_back(self) -> bool:
        """Connect again as soon as an engine runs; returns whether it does before the connection is closed."""
        tries = 0
        while not self._closed.wait(_BETWEEN_TRIES_S[min(tries, len(_BETWEEN_TRIES_S) - 1)]):
            tries += 1
            try:
                way = _reach(self._home, self._hello, WELCOME_S)
            except (RefusedError, SilentEngineError) as error:
                log.warning("the engine does not take the client again: %s", error)
                way = None
            if way is not None:
                with self._lock:
                    (self._frames, self.welcome), self._here = way, True
                if self._closed.is_set():
                    self._frames.close()
                return True
        return False


def _leave(_: Delivery) -> None:
    """Pass over an event that nobody wants."""


def _reach(home: Path, hello: Hello, within_s: float) -> tuple[Frames, Welcome] | None:
    """Connect and greet; ``None`` if nobody listens.

    Raises:
        RefusedError: the engine does not take the client.
        SilentEngineError: it does not answer.
    """
    found = connected(home, within_s)
    if found is None:
        return None
    connection, secret = found
    frames = Frames(connection)
    try:
        frames.send(ClientFrame, replace(hello, secret=secret))
        frame = frames.receive(EngineFrame, lenient=True)
        frames.wait_at_most(None)
    except (OSError, SoriError) as error:
        log.warning("the engine does not answer: %s", error)
        frame = None
    if isinstance(frame, Welcome):
        return frames, frame
    frames.close()
    if isinstance(frame, RefusalFrame):
        raise RefusedError(frame.refusal)
    if is_running(home):
        raise SilentEngineError
    return None  # It has ended meanwhile.
