"""Checks of the machine: devices, servers, stores. No check changes anything permanently."""

import contextlib
import os
import socket
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import keyring

from assistant.llm.embedded.server import EMBEDDED_MODULE

_CONNECT_TIMEOUT_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SoundDevices:
    """Names of the default devices, empty if missing, and the reason if the devices could not be listed."""

    microphone: str = ""
    speaker: str = ""
    reason: str = ""


def sound_devices() -> SoundDevices:
    """The default microphone and speaker."""
    try:
        with _quiet_stderr():
            import sounddevice
    except (ImportError, OSError) as error:
        return SoundDevices(reason=str(error))
    names = dict[str, str]()
    for kind in ("input", "output"):
        try:
            names[kind] = str(sounddevice.query_devices(kind=kind)["name"])
        except (sounddevice.PortAudioError, ValueError):
            names[kind] = ""
    return SoundDevices(microphone=names["input"], speaker=names["output"])


@contextlib.contextmanager
def _quiet_stderr() -> Iterator[None]:
    """Suppress ALSA's messages about missing devices on the terminal."""
    saved, sink = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, 2)
    try:
        yield
    finally:
        os.dup2(saved, 2)
        os.close(saved)
        os.close(sink)


def sound_server(environment: Mapping[str, str] = os.environ) -> str:
    """Name of the sound server of this Linux session; empty if none answers."""
    runtime = Path(environment.get("XDG_RUNTIME_DIR", f"/run/user/{os.getuid()}"))
    chosen = environment.get("PULSE_SERVER", "").removeprefix("unix:")
    places = (
        ("PipeWire", runtime / "pipewire-0"),
        ("PulseAudio", Path(chosen) if chosen.startswith("/") else runtime / "pulse" / "native"),
        ("PulseAudio", Path("/var/run/pulse/native")),
    )
    return next((name for name, path in places if _answers(path)), "")


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(_CONNECT_TIMEOUT_S)
        try:
            client.connect(str(path))
        except OSError:
            return False
    return True


def has_secret_store() -> str:
    """Name of the keyring in use; empty if there is none."""
    backend = keyring.get_keyring()
    return "" if backend.priority <= 0 else str(backend.name)


def writable(folder: Path) -> str:
    """Reason why ``folder`` (created if missing) is not writable; empty if it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as stream:
            stream.write(b"sori")
    except OSError as error:
        return error.strerror or str(error)
    return ""


def embedded_memory(processes: Path = Path("/proc")) -> int | None:
    """Bytes of memory of all embedded language models of this user; ``None`` if the system has no ``/proc``."""
    if not processes.is_dir():
        return None
    pages = 0
    for folder in processes.glob("[0-9]*"):
        # A process may end during the check, and processes of other users cannot be read.
        with contextlib.suppress(OSError):
            command = (folder / "cmdline").read_bytes().split(b"\0")
            if EMBEDDED_MODULE.encode() in command and folder.stat().st_uid == os.getuid():
                pages += int((folder / "statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
