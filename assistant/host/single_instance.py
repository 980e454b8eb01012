"""Allows one Sori per home: the first process holds it, and later ones send it a request.

The holder has a lock on ``instance.lock``. The system releases it when the process ends, even after ``kill -9``.
Requests go to a loopback port. The holder writes the port and a random token into ``instance.json``, which only the
user can read. A port works on every platform and with a path of any length; a Unix socket does not. The token excludes
other users. It also detects that another program has taken the port.
"""

import contextlib
import hmac
import json
import logging
import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

import filelock

log = logging.getLogger(__name__)

LOCK_NAME = "instance.lock"
ADDRESS_NAME = "instance.json"
ANSWER_TIMEOUT_S = 2.0
"""A running Sori answers in milliseconds. One that has just started may need a moment to write its address."""
_RETRY_S = 0.05
_LONGEST_REQUEST = 1024
_DONE = b"done\n"


class InstanceRequest(StrEnum):
    """A request of a later start or a shortcut to the running Sori."""

    SHOW = "show"
    TOGGLE = "toggle"


class AlreadyRunningError(Exception):
    """Another process holds this home."""


class SingleInstance:
    """Holds a home and receives requests until closed.

    Args:
        home: the user's folder; it must exist.
        obey: called with each request, on a separate thread.

    Raises:
        AlreadyRunningError: another process holds the home.
        OSError: the folder cannot be written, or there is no loopback network.
    """

    def __init__(self, home: Path, obey: Callable[[InstanceRequest], None]) -> None:
        self._obey = obey
        self._address = home / ADDRESS_NAME
        self._token = secrets.token_hex(16)
        self._closing = False
        self._lock = _lock(home / LOCK_NAME)
        try:
            self._socket = socket.create_server(("127.0.0.1", 0), backlog=8)
            self._write_address()
        except OSError:
            self._lock.release()
            raise
        self._thread = threading.Thread(target=self._serve, name="requests", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Release the home."""
        self._closing = True
        with contextlib.suppress(OSError):  # The connection only wakes the thread, which may have ended.
            socket.create_connection(self._socket.getsockname(), timeout=ANSWER_TIMEOUT_S).close()
        self._thread.join(ANSWER_TIMEOUT_S)
        self._socket.close()
        self._address.unlink(missing_ok=True)
        self._lock.release()

    def _write_address(self) -> None:
        """Write the address atomically, readable by the user alone."""
        place = json.dumps({"port": self._socket.getsockname()[1], "token": self._token, "process": os.getpid()})
        draft = self._address.with_suffix(".new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            file.write(place)
        draft.replace(self._address)

    def _serve(self) -> None:
        while not self._closing:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                log.exception("requests can no longer be taken")
                return
            with connection, contextlib.suppress(OSError):  # The caller may disconnect.
                connection.settimeout(ANSWER_TIMEOUT_S)
                self._answer(connection)

    def _answer(self, connection: socket.socket) -> None:
        """Read one line, execute its request, and confirm it."""
        with connection.makefile("rb") as lines:
            line = lines.readline(_LONGEST_REQUEST)
        try:
            asked = json.loads(line)
            token, request = str(asked["token"]), InstanceRequest(asked["request"])
        except (ValueError, KeyError, TypeError):
            return
        if hmac.compare_digest(token.encode(), self._token.encode()):
            self._obey(request)
            connection.sendall(_DONE)


def send_request(home: Path, request: InstanceRequest, timeout_s: float = ANSWER_TIMEOUT_S) -> bool:
    """Send a request to the Sori that holds ``home``.

    Returns:
        Whether it was executed; ``False`` when no Sori runs, or it does not answer within ``timeout_s``.
    """
    until = time.monotonic() + timeout_s
    while not _ask(home, request, timeout_s):
        if time.monotonic() > until or not is_running(home):
            return False
        time.sleep(_RETRY_S)
    return True


def is_running(home: Path) -> bool:
    """Whether a process holds ``home``."""
    path = home / LOCK_NAME
    if not path.exists():
        return False
    try:
        _lock(path).release()
    except AlreadyRunningError:
        return True
    except OSError:
        return False
    return False


def _ask(home: Path, request: InstanceRequest, timeout_s: float) -> bool:
    """Send one request to the stored address; returns false if the address is missing or outdated."""
    try:
        place = json.loads((home / ADDRESS_NAME).read_text(encoding="ascii"))
        line = json.dumps({"token": place["token"], "request": request}).encode() + b"\n"
        with socket.create_connection(("127.0.0.1", int(place["port"])), timeout=timeout_s) as connection:
            connection.sendall(line)
            connection.shutdown(socket.SHUT_WR)
            with connection.makefile("rb") as answer:
                return answer.readline(len(_DONE)) == _DONE
    except (OSError, ValueError, KeyError, TypeError):
        return False


def _lock(path: Path) -> filelock.BaseFileLock:
    """Take the lock on ``path``.

    Raises:
        AlreadyRunningError: another process holds it.
        OSError: the file cannot be written.
    """
    lock = filelock.FileLock(path, blocking=False, thread_local=False)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise AlreadyRunningError(str(path)) from error
    return lock
