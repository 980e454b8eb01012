"""Where the engine of a home listens, and the connection to it. One process holds a home.

The holder has a lock on ``instance.lock``. The system releases it when the process ends, even after ``kill -9``. It
listens on a Unix socket in a folder that only the user can open, and asks the system whose a connection is. Where there
are no Unix sockets (Windows), it listens on a loopback port and writes the port and a secret into a file that only the
user can read.
"""

import contextlib
import hashlib
import json
import os
import secrets
import socket
import stat
import struct
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import filelock

LOCK_NAME = "instance.lock"
SOCKET_NAME = "engine.sock"
ADDRESS_NAME = "engine.json"
LONGEST_PATH = 100
"""Longest path of a socket in bytes. Linux takes 107, macOS 103."""
_WAITING = 64
"""Connections that wait while the engine is being loaded."""
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
        self._lock = _lock(home / LOCK_NAME)
        self.secret, self._made = "", list[Path]()
        try:
            self.listening = self._listen_at_path(home) if _has_paths() else self._listen_at_port(home)
            self.listening.listen(_WAITING)
        except OSError:
            self._lock.release()
            raise

    def close(self) -> None:
        """Listen no more, and release the home."""
        # A thread that waits in ``accept`` goes on after ``shutdown`` on Linux, and after ``close`` elsewhere.
        with contextlib.suppress(OSError):
            self.listening.shutdown(socket.SHUT_RDWR)
        self.listening.close()
        for path in self._made:
            path.unlink(missing_ok=True)
        self._lock.release()

    def _listen_at_path(self, home: Path) -> socket.socket:
        problem = OSError("no place for a socket")
        for path in _paths(home):
            listening = socket.socket(socket.AF_UNIX)
            try:
                _make_private(path.parent)
                path.unlink(missing_ok=True)  # The process that made it holds the home no longer.
                listening.bind(str(path))
                path.chmod(0o600)
            except OSError as error:  # such as a folder on a file system without sockets
                listening.close()
                problem = error
            else:
                self._made = [path]
                return listening
        raise problem

    def _listen_at_port(self, home: Path) -> socket.socket:
        listening = socket.create_server(("127.0.0.1", 0), backlog=_WAITING)
        self.secret = secrets.token_hex(16)
        path = home / ADDRESS_NAME
        draft = path.with_suffix(".new")
        draft.unlink(missing_ok=True)
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="ascii") as file:
            json.dump({"port": listening.getsockname()[1], "secret": self.secret}, file)
        draft.replace(path)
        self._made = [path]
        return listening


def is_running(home: Path) -> bool:
    """Whether a process holds ``home``."""
    path = home / LOCK_NAME
    if not path.exists():
        return False
    try:
        _lock(path).release()
    except HomeHeldError:
        return True
    except OSError:
        return False
    return False


def connected(home: Path, timeout_s: float) -> tuple[socket.socket, str] | None:
    """Connect to the holder of ``home``; the socket, and the secret for the first frame. ``None`` without a holder."""
    if not _has_paths():
        return _connected_to_port(home, timeout_s)
    for path in _paths(home):
        connection = socket.socket(socket.AF_UNIX)
        connection.settimeout(timeout_s)
        try:
            connection.connect(str(path))
            _own_folder(path.parent)
        except OSError:
            connection.close()
        else:
            return connection, ""
    return None


def is_from_user(connection: socket.socket) -> bool:
    """Whether the other side of a Unix socket belongs to this user, as the system says."""
    system: str = sys.platform
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


def _paths(home: Path) -> list[Path]:
    """Where the socket may be, best place first: in the home, and in the folder of the session."""
    name = hashlib.sha256(os.fsencode(home.resolve())).hexdigest()[:12]
    session = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir())
    paths = [home / "run" / SOCKET_NAME, session / f"sori-{os.getuid()}-{name}" / SOCKET_NAME]
    return [each for each in paths if len(os.fsencode(each)) <= LONGEST_PATH]


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
    try:
        place = json.loads((home / ADDRESS_NAME).read_text(encoding="ascii"))
        return socket.create_connection(("127.0.0.1", int(place["port"])), timeout=timeout_s), str(place["secret"])
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _lock(path: Path) -> "filelock.BaseFileLock":
    """Take the lock on ``path``.

    Raises:
        HomeHeldError: another process holds it.
        OSError: the file cannot be written.
    """
    import filelock  # takes 20 ms, which a command that only connects need not wait

    # Whoever can open the file can hold the lock, also another user.
    lock = filelock.FileLock(path, blocking=False, thread_local=False, mode=0o600)
    try:
        lock.acquire()
    except filelock.Timeout as error:
        raise HomeHeldError(str(path)) from error
    return lock
