"""Runs of pip that are forked from a process with pip already imported, as importing it takes most of a run's time."""

import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing.reduction import DupFd
from types import SimpleNamespace
from typing import IO, Any

import pytest

from assistant.weights import package_source

_IMPORTED = ("pip._internal.cli.main", "pip._internal.commands.download", "pip._internal.network.session")


class ForkedProcess:
    """What ``fetch_archive`` uses of ``subprocess.Popen``, for command lines of this interpreter.

    Each run is a process of its own with its own environment, and runs the same code as a command line does.
    """

    def __init__(
        self, command: Sequence[str], *, stdin: int, stdout: IO[bytes], stderr: int, env: Mapping[str, str]
    ) -> None:
        assert (command[0], stdin, stderr) == (sys.executable, subprocess.DEVNULL, subprocess.STDOUT)
        context: Any = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload([*_IMPORTED])
        arguments = (list(command[1:]), DupFd(stdout.fileno()), dict(env))
        self._process = context.Process(target=_run, args=arguments, daemon=True)
        self._process.start()

    @property
    def returncode(self) -> int | None:
        """Exit status, ``None`` while the process runs."""
        status: int | None = self._process.exitcode
        return status

    def poll(self) -> int | None:
        """Exit status, ``None`` while the process runs."""
        return self.returncode

    def wait(self, timeout: float | None = None) -> None:
        """Wait for the end.

        Raises:
            subprocess.TimeoutExpired: it has not ended after ``timeout`` seconds.
        """
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("pip", timeout or 0)

    def terminate(self) -> None:
        """Ask the process to end."""
        self._process.terminate()


def fork_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let downloads of packages fork their pip. Systems without ``fork`` start it as usual."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return
    names = {name: getattr(subprocess, name) for name in ("DEVNULL", "STDOUT", "TimeoutExpired")}
    monkeypatch.setattr(package_source, "subprocess", SimpleNamespace(Popen=ForkedProcess, **names))


def _run(arguments: list[str], output: Any, environment: dict[str, str]) -> None:
    """Run ``python ARGUMENTS`` in this new process; the exit status is that of the command."""
    descriptor = output.detach()
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        assert arguments[0] == "-P"
        sys.argv = arguments[1:]
        runpy.run_path(arguments[1], run_name="__main__")
