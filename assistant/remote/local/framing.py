"""Frames on a socket: one JSON object a line, in UTF-8."""

import contextlib
import json
import socket
import threading
from typing import Any

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.formats.json_form import from_json, to_json
from assistant.core.messages import MAX_FILE_BYTES

LONGEST_FRAME = MAX_FILE_BYTES * 4 // 3 + 1024 * 1024
"""Longest frame in bytes: the largest file in base64, and the message around it."""
LONGEST_GREETING = 4096
"""Longest first frame in bytes, before the other side is known."""


class FrameError(SoriError):
    """What arrived is no frame."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(ErrorCode.INVALID_REQUEST, detail, message_key=reason, values={"detail": detail})


class Frames:
    """Sends frames on a socket from any thread, and receives them on one.

    Args:
        connection: a stream socket; ``close`` closes it.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._lines = connection.makefile("rb")
        self._sending = threading.Lock()

    def send(self, kind: Any, frame: object) -> None:
        """Send a frame, one of the types in ``kind``. The call waits while the other side does not read.

        Raises:
            OSError: the connection is closed.
        """
        line = encoded(to_json(kind, frame))
        with self._sending:
            self._socket.sendall(line)

    def receive(self, kind: Any, *, longest: int = LONGEST_FRAME, lenient: bool = False) -> Any:
        """Receive a frame of the types in ``kind``; ``None`` at the end, also at the end within a frame.

        Args:
            kind: the types.
            longest: longest frame in bytes.
            lenient: whether fields that are not known are passed over.

        Raises:
            FrameError: it is longer, or no JSON.
            FormError: it has another form.
            OSError: the connection broke, or nothing came within its time limit.
        """
        try:
            line = self._lines.readline(longest + 1)
        except ValueError as error:  # It was closed on another thread just now.
            raise OSError("the connection is closed") from error
        if not line.endswith(b"\n"):
            if len(line) > longest:
                raise FrameError("frame_too_long", f"{longest} bytes at most")
            return None
        return from_json(kind, decoded(line), lenient=lenient)

    def wait_at_most(self, seconds: float | None) -> None:
        """Limit the time of each wait for the other side."""
        self._socket.settimeout(seconds)

    def let_read(self, seconds: float, most: int = 1024 * 1024) -> None:
        """Send nothing more, and let the other side read what was sent before the connection is closed.

        A connection that is closed with bytes unread is reset, and what was sent is lost. So up to ``most`` bytes are
        read, for so many seconds.

        Raises:
            OSError: the other side takes longer, or has reset the connection.
        """
        self._socket.shutdown(socket.SHUT_WR)
        self._socket.settimeout(seconds)
        while most > 0 and (piece := self._socket.recv(64 * 1024)):
            most -= len(piece)

    def close(self) -> None:
        """Close the connection; a thread that waits for it goes on."""
        with contextlib.suppress(OSError):  # The other side may have closed it.
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._lines.close()


def encoded(value: Any) -> bytes:
    """One line of JSON."""
    line = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return f"{line}\n".encode()
    except UnicodeEncodeError:  # half of a surrogate pair, which only an escape can tell
        return f"{json.dumps(value, allow_nan=False, separators=(',', ':'))}\n".encode()


def decoded(line: bytes) -> Any:
    """The value of one line of JSON.

    Raises:
        FrameError: it is no JSON.
    """
    try:
        return json.loads(line, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise FrameError("frame_not_json", str(error)[:200]) from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON")
