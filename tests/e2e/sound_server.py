"""A private sound server with a virtual card: what is played can be recorded, and what is heard can be fed.

The fixture ``sound_server`` of this folder gives one to a test. The daemon has its own runtime folder and socket,
touches no other sound server, and ends with the test. It works as root in a container. PortAudio reads its environment
when it starts, so whoever shall see this card runs in a process of its own, with ``SoundServer.environment``.
"""

import asyncio
import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.wav_writer import WavWriter

SPEAKER = "speaker"
ROOM = "room"
MICROPHONE = "microphone"
START_LIMIT_S = 60.0
_RECORDED_RATE = 48_000
_SOUND_LIMIT_S = 60.0
_SPARE_MS = 5_000
"""What the daemon's buffer holds more than a sound: it lets the sink have up to two seconds of it."""

_ASOUNDRC = """
</usr/share/alsa/alsa.conf>
pcm.laptop {
    type pulse
    hint { show on description "Virtual laptop card" }
}
"""


class SoundServer:
    """A running PulseAudio daemon with a speaker, a room and a microphone that hears the room.

    Args:
        folder: a short path of its own, for socket and state.
    """

    def __init__(self, folder: Path) -> None:
        folder.chmod(0o700)
        self._folder = folder
        self._socket = folder / "native"
        asoundrc = folder / "asoundrc"
        asoundrc.write_text(_ASOUNDRC, encoding="utf-8")
        self.environment: Mapping[str, str] = {
            **os.environ,
            "HOME": str(folder),
            "XDG_RUNTIME_DIR": str(folder),
            "PULSE_SERVER": f"unix:{self._socket}",
            "ALSA_CONFIG_PATH": str(asoundrc),
        }
        self._listeners: list[subprocess.Popen[bytes]] = []
        self._log = (folder / "log").open("wb")
        self._daemon = subprocess.Popen(self._command(), env=self.environment, stdout=self._log, stderr=self._log)

    def _command(self) -> list[str]:
        modules = (
            f"module-native-protocol-unix socket={self._socket} auth-anonymous=1",
            f"module-null-sink sink_name={SPEAKER} rate=48000 channels=1",
            f"module-null-sink sink_name={ROOM} rate=48000 channels=1",
            f"module-remap-source source_name={MICROPHONE} master={ROOM}.monitor",
        )
        options = ["-n", "--daemonize=no", "--exit-idle-time=-1", "--disallow-exit", "--system=no", "--disable-shm=yes"]
        options += ["--use-pid-file=no", "--log-target=stderr", "--log-level=warning"]
        return ["pulseaudio", *options, *(f"--load={module}" for module in modules)]

    def wait_until_ready(self) -> None:
        """Wait until the microphone, loaded last, is there, and make the pair the default.

        Raises:
            RuntimeError: the daemon ended or did not get ready; with its log.
        """
        until = time.monotonic() + START_LIMIT_S
        while MICROPHONE not in self._ask("list", "short", "sources"):
            if self._daemon.poll() is not None or time.monotonic() > until:
                raise RuntimeError(f"PulseAudio did not start: {(self._folder / 'log').read_text(errors='replace')}")
            time.sleep(0.05)
        self.control("set-default-sink", SPEAKER)
        self.control("set-default-source", MICROPHONE)
        self._keep_prompt(f"{SPEAKER}.monitor")
        self._keep_prompt(f"{ROOM}.monitor")

    def _keep_prompt(self, source: str) -> None:
        """Keep somebody listening who wants sound at once.

        A null sink on which nobody makes demands renders two seconds of silence ahead, and whoever plays next waits.
        """
        command = ["parec", f"--device={source}", "--rate=48000", "--channels=1", "--latency-msec=10"]
        self._listeners.append(
            subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=self._log)
        )

    def control(self, *arguments: str) -> str:
        """Run ``pactl``; give what it prints."""
        return subprocess.run(
            ["pactl", *arguments], env=self.environment, capture_output=True, text=True, check=True, timeout=60
        ).stdout

    def unplug_everything(self) -> None:
        """Take away the microphone, the room and the speaker while the daemon goes on."""
        for module in ("module-remap-source", "module-null-sink"):
            self.control("unload-module", module)

    async def say(self, pcm48: NDArray[np.int16]) -> None:
        """Play samples at 48 kHz into the room, as somebody who speaks; returns when all is said.

        The daemon begins when it has all of the sound, so a busy computer makes no pauses in it.
        """
        path = self._folder / "said.wav"
        writer = WavWriter(path)
        writer.write(pcm48)
        writer.close()
        buffered_ms = len(pcm48) * 1000 // _RECORDED_RATE + _SPARE_MS
        player = await asyncio.create_subprocess_exec(
            "paplay", f"--device={ROOM}", f"--latency-msec={buffered_ms}", str(path), env=self.environment
        )
        if await player.wait():
            raise RuntimeError("paplay failed")

    def record(self, source: str = f"{SPEAKER}.monitor") -> "Recorder":
        """Start recording what a source delivers."""
        return Recorder(self.environment, source, self._folder / "recorded")

    def stop(self) -> None:
        """End the daemon; safe to call twice."""
        for listener in self._listeners:
            listener.terminate()
            listener.wait(timeout=60)
        self._listeners.clear()
        self._daemon.terminate()
        try:
            self._daemon.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._daemon.kill()
            self._daemon.wait()
        self._log.close()

    def _ask(self, *arguments: str) -> str:
        return subprocess.run(
            ["pactl", *arguments], env=self.environment, capture_output=True, text=True, check=False, timeout=20
        ).stdout


class Recorder:
    """Records 48 kHz mono into a file until ``stop``."""

    def __init__(self, environment: Mapping[str, str], source: str, path: Path) -> None:
        command = [
            "parec",
            f"--device={source}",
            f"--rate={_RECORDED_RATE}",
            "--channels=1",
            "--format=s16le",
            "--latency-msec=20",
        ]
        self._path = path
        with path.open("wb") as file:
            self._process = subprocess.Popen(command, env=environment, stdout=file)

    @property
    def recorded_s(self) -> float:
        """Length of what has been recorded so far, in seconds."""
        return self._path.stat().st_size / 2 / _RECORDED_RATE

    def record_more(self, seconds: float) -> None:
        """Wait until so much more sound has been recorded: the card's time, however busy the computer is.

        Raises:
            RuntimeError: the card delivers no sound.
        """
        wanted = self._path.stat().st_size + round(seconds * _RECORDED_RATE) * 2
        until = time.monotonic() + _SOUND_LIMIT_S
        while self._path.stat().st_size < wanted:
            if time.monotonic() > until:
                raise RuntimeError("the card delivers no sound")
            time.sleep(0.02)

    def stop(self) -> NDArray[np.int16]:
        """End the recording; give its samples."""
        self._process.terminate()
        self._process.wait(timeout=60)
        data = self._path.read_bytes()
        return np.frombuffer(data[: len(data) // 2 * 2], "<i2")


@contextlib.contextmanager
def running_sound_server() -> Iterator[SoundServer]:
    """A virtual sound card of one's own for as long as the context lasts."""
    folder = Path(tempfile.mkdtemp(prefix="sori-sound-"))
    server = SoundServer(folder)
    try:
        server.wait_until_ready()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)
