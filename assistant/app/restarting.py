"""Starts the whole process again when its engine hangs (V-19).

A thread that hangs cannot be ended, and what it holds cannot be given back: sound card, database, model server. The end
of the process gives it all back. What was saved is as after any other sudden end.
"""

import os
import subprocess
import sys
from collections.abc import Mapping

RESTARTS = "SORI_RESTARTS"
"""Environment variable with the times of the last restarts, in seconds since 1970."""
_MOST = 3
_PERIOD_S = 3600.0
_JUST_NOW_S = 120.0


def may_restart(environment: Mapping[str, str], now_s: float) -> bool:
    """Whether another restart may help: not if there were three within an hour."""
    return len(_times(environment, now_s)) < _MOST


def was_restarted(environment: Mapping[str, str], now_s: float) -> bool:
    """Whether this process was started again just now, so that the user should be told."""
    return any(now_s - each < _JUST_NOW_S for each in _times(environment, now_s))


def restart(now_s: float) -> None:
    """Start the same command line in place of this process. Returns on Windows only, where the new one runs beside."""
    times = [*_times(os.environ, now_s), now_s]
    os.environ[RESTARTS] = " ".join(str(int(each)) for each in times)  # rounded up, it would be in the future
    start_again()


def start_again() -> None:
    """Start the same command line in place of this process, as ``restart``, because the user wants it."""
    command = [sys.executable, *sys.orig_argv[1:]]
    sys.stdout.flush()
    sys.stderr.flush()
    if sys.platform == "win32":
        subprocess.Popen(command)
    else:
        os.execv(sys.executable, command)


def _times(environment: Mapping[str, str], now_s: float) -> list[float]:
    """The restarts of the last hour."""
    times = [float(each) for each in environment.get(RESTARTS, "").split() if each.isdecimal()]
    return [each for each in times if 0 <= now_s - each < _PERIOD_S]
