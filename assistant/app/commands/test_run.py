"""``sori test``: runs every test in a temporary home, on a virtual screen, with the user's weights."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence

from assistant.app.host.places import PROJECT, Places

_THREADS = "2"
"""Threads for numeric libraries in tests, so that the thread pools of parallel tests do not compete."""

_WHOLE = (
    ("-m", "not sound", "--numprocesses", "auto", "--maxprocesses", "4"),
    ("-m", "sound"),
)
"""The runs of the whole suite: first tests that can run in parallel, then those that play and record in real time."""


_QUICK = (
    "-m",
    "not models and not sound and not network",
    "--numprocesses",
    "auto",
    "--maxprocesses",
    "4",
    *(f"tests/unit/{folder}" for folder in ("agent", "audio", "chat", "core", "desktop", "llm", "speech", "storage")),
    *(f"tests/unit/{folder}" for folder in ("tools", "voice", "app/cli", "app/host")),
)
"""What one runs while working: units without weights, without sound, without installing anything."""

QUICK = "--quick"
"""The one argument that is not pytest's."""


def run_tests(places: Places, arguments: Sequence[str]) -> int:
    """Run pytest with ``arguments``, or the whole suite without any; returns the first exit status that is not 0.

    With ``--quick`` first, it is the quick part of the suite; further arguments go to pytest.

    The user's own data is out of reach: ``SORI_HOME`` is a folder that is deleted afterwards. Only the weights are
    shared, through ``SORI_MODELS``, so that they are fetched once.
    """
    with tempfile.TemporaryDirectory(prefix="sori-test-") as home, _screen() as display:
        environment = {
            **os.environ,
            "SORI_HOME": home,
            "SORI_MODELS": str(places.models),
            "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", _THREADS),
            **display,
        }
        runs = _runs(arguments)
        statuses = [
            subprocess.run([sys.executable, "-m", "pytest", *run], cwd=PROJECT, env=environment, check=False).returncode
            for run in runs
        ]
    return next(filter(None, statuses), 0)


def _runs(arguments: Sequence[str]) -> Sequence[Sequence[str]]:
    """The arguments of each run of pytest."""
    if QUICK in arguments[:1]:
        return [(*_QUICK, *arguments[1:])]
    return [arguments] if arguments else _WHOLE


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
        # Without a number Xvfb did not start. Tests that need a screen report that themselves.
        yield {"DISPLAY": f":{number}", "WAYLAND_DISPLAY": "", "QT_QPA_PLATFORM": "xcb"} if number else {}
    finally:
        process.terminate()
        process.wait()
