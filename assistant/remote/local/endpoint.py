"""Where the engine of a home listens, and the connection to it. One process holds a home.

The holder has a lock on ``instance.lock``. The system releases it when the process ends, even after ``kill -9``. It
listens on a Unix socket in a folder that only the user can open, and asks the system whose a connection is. If the home
is no place for a socket, it makes a folder elsewhere, whose name nobody can know before, and writes it into a file in
the home. Where there are no Unix sockets (Windows), it listens on a loopback port, and writes the port and a secret
into a file that only the user can read.
"""

import contextlib
import errno
import json
import logging
import os
import secrets
import socket
import stat
import struct
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import filelock

LOCK_NAME = "instance.lock"
SOCKET_NAME = "engine.sock"
ADDRESS_NAME = "engine.json"
TAKING_S = 0.05
"""Seconds in which the lock must become free. Whoever looks whether it is held has it for some microseconds."""
LONGEST_PATH = 100
"""Longest path of a socket in bytes. Linux takes 107, macOS 103."""
_WAITING = 64
"""Connections that wait while the engine is being loaded."""
log = logging.getLogger(__name__)
_DARWIN_PEER = 1
"""``LOCAL_PEERCRED`` of ``sys/un.h``, which Python does not name."""


class HomeHeldError(Exception):
    """Another process holds this home."""


class HeldHome:
    """Holds a home and listens until closed.

    Args:
        home: the user's folder; it must exist.

    Attributes:
        listening: the socket. Connections wait in it until somebody accepts them.
        secret: what a client must send first; empty where the system tells whose a connection is.

    Raises:
        HomeHeldError: another process holds the home.
        OSError: the folder cannot be written, or there is no place for a socket.
    """

    def __init__(self, home: Path) -> None:
        self._lock = _lock(home / LOCK_NAME, TAKING_S)
        self.secret, self._address = "", _address_file(home)
        self._made: list[Callable[[], None]] = []
        try:
            self._forget_killed(home)
            self.listening = self._listen_at_path(home) if _has_paths() else self._listen_at_port()
            self.listening.listen(_WAITING)
        except OSError:
            self._remove_made()
            self._lock.release()
            raise

    def close(self) -> None:
        """Listen no more, and release the home."""
        self.stop_listening()
        self._lock.release()

    def stop_listening(self) -> None:
        """Take no further connections. Whoever comes now waits until the home is released."""
        # A thread that waits in ``accept`` goes on after ``shutdown`` on Linux, and after ``close`` elsewhere.
        with contextlib.suppress(OSError):
            self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        self._remove_made()

    def _remove_made(self) -> None:
        while self._made:
            with contextlib.suppress(OSError):  # Somebody has removed it.
                self._made.pop()()

    def _forget_killed(self, home: Path) -> None:
        """Remove what a process that was killed has left."""
        path = _path_in(_address(home))
        if path is not None:
            with contextlib.suppress(OSError):
                _own_folder(path.parent)
                path.unlink(missing_ok=True)
                path.parent.rmdir()

    def _listen_at_path(self, home: Path) -> socket.socket:
        path = home / "run" / SOCKET_NAME
        try:
            _make_private(path.parent)
            return self._bound(path)
        except OSError as error:  # such as a file system without sockets, or a folder that is somebody else's
            log.warning("%s is no place for a socket: %s", path, error)
        folder = Path(tempfile.mkdtemp(prefix="sori-", dir=_session_folder()))
        self._made.append(folder.rmdir)
        listening = self._bound(folder / SOCKET_NAME)
        self._write_address({"path": str(folder / SOCKET_NAME)})
        return listening

    def _bound(self, path: Path) -> socket.socket:
        if len(os.fsencode(path)) > LONGEST_PATH:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG), str(path))
        listening = socket.socket(socket.AF_UNIX)
        try:
            path.unlink(missing_ok=True)  # The process that made it holds the home no longer.
            listening.bind(str(path))
            path.chmod(0o600)
        except OSError:
            listening.close()
            raise
        self._made.append(path.unlink)
        return listening

    def _listen_at_port(self) -> socket.socket:
        # From 3.11.10 on, Python makes this folder the user's alone on Windows too.
        self._address.parent.mkdir(mode=0o700, exist_ok=True)
        listening = socket.create_server(("127.0.0.1", 0), backlog=_WAITING)
        self.secret = secrets.token_hex(16)
        self._write_address({"port": listening.getsockname()[1], "secret": self.secret})
        return listening

    def _write_address(self, address: Mapping[str, Any]) -> None:
        draft = self._address.with_suffix(".new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump(address, file)
        draft.replace(self._address)
        self._made.append(self._address.unlink)


def is_running(home: Path) -> bool:
    """Whether a process holds ``home``."""
    try:
        return _is_locked(home / LOCK_NAME)
    except OSError:
        return False


def connected(home: Path, timeout_s: float) -> tuple[socket.socket, str] | None:
    """Connect to the holder of ``home``; the socket, and the secret for the first frame. ``None`` without a holder."""
    if not _has_paths():
        return _connected_to_port(home, timeout_s)
    for path in filter(None, (home / "run" / SOCKET_NAME, _path_in(_address(home)))):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout_s)
        try:
            _own_folder(path.parent)
            connection.connect(str(path))
        except OSError:
            connection.close()
        else:
            return connection, ""
    return None


def is_from_user(connection: socket.socket) -> bool:
    """Whether the other side of a Unix socket belongs to this user, as the system says."""
    system: str = sys.platform if _has_paths() else ""
    if system == "linux":
        size = struct.calcsize("3i")
        _, user, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
        return bool(user == os.geteuid())
    if system == "darwin":
        _, user = struct.unpack("2I", connection.getsockopt(0, _DARWIN_PEER, struct.calcsize("2I")))
        return bool(user == os.geteuid())
    return True  # The folder or the secret keeps others out.


def _has_paths() -> bool:
    return hasattr(socket, "AF_UNIX") and sys.platform != "win32"


def _session_folder() -> Path:
    """Where the sockets of this session are; the folder for temporary files if there is no such place."""
    session = os.environ.get("XDG_RUNTIME_DIR", "")
    return Path(session if session and os.access(session, os.W_OK | os.X_OK) else tempfile.gettempdir())


def _address_file(home: Path) -> Path:
    """A path is no secret, and there is one only where ``run`` is no good folder."""
    return home / ADDRESS_NAME if _has_paths() else home / "run" / ADDRESS_NAME


def _address(home: Path) -> Mapping[str, Any]:
    """What the holder has written; empty if it has written nothing."""
    try:
        address = json.loads(_address_file(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return address if isinstance(address, dict) else {}


def _path_in(address: Mapping[str, Any]) -> Path | None:
    path = address.get("path")
    return Path(path) if isinstance(path, str) else None


def _make_private(folder: Path) -> None:
    """Make a folder that only the user can open.

    Raises:
        OSError: it cannot be made, or it is somebody else's.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    _own_folder(folder)
    folder.chmod(0o700)


def _own_folder(folder: Path) -> None:
    """Check that a folder is the user's own and no link.

    Raises:
        OSError: it is not.
    """
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise PermissionError(f"{folder} is not this user's folder")


def _connected_to_port(home: Path, timeout_s: float) -> tuple[socket.socket, str] | None:
    address = _address(home)
    try:
        return socket.create_connection(("127.0.0.1", int(address["port"])), timeout=timeout_s), str(address["secret"])
    except (OSError, OverflowError, ValueError, KeyError, TypeError):
        return None


def _is_locked(path: Path) -> bool:
    """Whether a process has the lock on ``path``.

    Raises:
        OSError: there is no such file, or it cannot be opened.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        path.stat()
        try:
            _lock(path, 0.0).release()
        except HomeHeldError:
            return True
        return False
    with path.open("rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def _lock(path: Path, within_s: float) -> "filelock.BaseFileLock":
    """Take the lock on ``path``, if it is free within so many seconds.

    Raises:
        HomeHeldError: another process holds it.
        OSError: the file cannot be written.
    """
    import filelock  # takes 20 ms, which a command that only connects need not wait

    # Whoever can open the file can hold the lock, also another user.
    lock = filelock.FileLock(path, timeout=within_s, poll_interval=0.02, thread_local=False, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise HomeHeldError(str(path)) from error
    return lock
