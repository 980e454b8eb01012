"""``sori test``: runs every test in a temporary home, on a virtual screen, with the user's weights."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assistant.host.places import PROJECT, Places

_THREADS = "2"
"""Limits of threads for numeric libraries, so that the thread pools of parallel tests do not compete."""

_PROCESSES = min(4, (os.cpu_count() or 1) + 1)
"""One more than processors, because some tests wait for a process or for sound."""


def _shared_by(processes: int) -> tuple[str, ...]:
    """Options of pytest with which several processes share the tests.

    Each process gets whole modules first, so that a module's engines are loaded once. A process without remaining tests
    takes tests of another process.
    """
    return ("--numprocesses", str(processes), "--dist", "worksteal")


_MOST = ("-m", "not sound", *_shared_by(_PROCESSES))
_SOUND = ("-m", "sound", "tests/e2e/sound")
"""Tests that play and record in real time. They mostly wait for sound, so they run beside the other tests."""

_QUICK = (
    "-m",
    "not models and not sound and not network and not long",
    *_shared_by(min(4, os.cpu_count() or 1)),
    *(f"tests/unit/{folder}" for folder in ("agent", "audio", "chat", "core", "desktop", "llm", "speech", "storage")),
    *(f"tests/unit/{folder}" for folder in ("tools", "voice", "app/cli", "host")),
)
"""The quick part of the suite: unit tests that use no weights and no sound, install nothing and take little time.

They do not wait, so they get a process for each processor; another process would only collect the tests once more."""

TESTS = PROJECT / "tests"
"""An installed package has none."""

QUICK = "--quick"
"""The only argument that is not passed to pytest."""


def run_tests(places: Places, arguments: Sequence[str]) -> int:
    """Run pytest with ``arguments``, or the whole suite without any; returns 0 if all of it passed.

    With ``--quick`` as the first argument, only the quick part runs. Further arguments go to pytest.

    The user's own data is out of reach: ``SORI_HOME`` is a folder that is deleted afterwards. Only the weights are
    shared, through ``SORI_MODELS``, so that they are fetched once.
    """
    with tempfile.TemporaryDirectory(prefix="sori-test-") as home, _screen() as display:
        environment = {
            # Tests start many processes. Without bytecode files each of them would compile Sori again.
            **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
            "SORI_HOME": home,
            "SORI_MODELS": str(places.models),
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", _THREADS),
            # A waiting thread that spins takes its processor from another test.
            "OMP_WAIT_POLICY": os.environ.get("OMP_WAIT_POLICY", "PASSIVE"),
            **display,
        }
        if not arguments:
            return _run_all(environment, Path(home))
        chosen = [*_QUICK, *arguments[1:]] if QUICK in arguments[:1] else arguments
        return subprocess.run(_command(chosen), cwd=PROJECT, env=environment, check=False).returncode


def _run_all(environment: Mapping[str, str], folder: Path) -> int:
    """Run the whole suite. The sound tests run beside the other tests, and their report is printed last.

    Sound does not wait for a processor, so the other tests have the lower priority.
    """
    nice = shutil.which("nice")
    patient = [*([nice] if nice else []), *_command(_MOST)]
    report = folder / "sound-tests.txt"
    with (
        report.open("wb") as file,
        subprocess.Popen(_command(_SOUND), cwd=PROJECT, env=environment, stdout=file, stderr=file) as sound,
        subprocess.Popen(patient, cwd=PROJECT, env=environment) as most,
    ):
        statuses = (most.wait(), sound.wait())
    sys.stdout.write(report.read_text(encoding="utf-8", errors="replace"))
    return next(filter(None, statuses), 0)


def _command(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "pytest", *arguments]


@contextlib.contextmanager
def _screen() -> Iterator[dict[str, str]]:
    """Start a virtual screen if Xvfb is installed, so that no test window appears on the user's screen."""
    server = shutil.which("Xvfb")
    if server is None:
        yield {}
        return
    reading, writing = os.pipe()
    command = [server, "-displayfd", str(writing), "-screen", "0", "1280x800x24", "-nolisten", "tcp"]
    process = subprocess.Popen(command, pass_fds=[writing], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            number = answer.readline().strip()
        # Xvfb prints its display number when it has started. Tests that need a screen report its absence.
        yield {"DISPLAY": f":{number}", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": "xcb"} if number else {}
    finally:
        process.terminate()
        process.wait()
