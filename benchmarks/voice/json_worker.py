"""A worker process of a benchmark that takes one JSON job per line and writes one JSON answer per line."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self


class JsonWorker:
    """A Python script that runs in a process of its own; a context manager that ends the process.

    Args:
        script: the worker's file; it gets ``arguments``.
        arguments: its arguments, the first of which is the source tree; the process runs there.
        environment: variables in addition to those of this process.
    """

    def __init__(self, script: Path, *arguments: Path, environment: Mapping[str, str] | None = None) -> None:
        process = subprocess.Popen(
            [sys.executable, str(script), *map(str, arguments)],
            cwd=arguments[0],
            env={**os.environ, **(environment or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        if process.stdin is None or process.stdout is None:
            raise OSError("the worker has no pipes")
        self._process, self._jobs, self._answers = process, process.stdin, process.stdout

    @property
    def process(self) -> int:
        """The id of the process."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._jobs.close()
        self._process.wait()

    def answer(self, job: Mapping[str, Any]) -> dict[str, Any]:
        """Run a job and return its answer.

        Raises:
            SystemExit: the worker has ended; its standard error has the reason.
        """
        self._jobs.write(json.dumps(job) + "\n")
        self._jobs.flush()
        line = self._answers.readline()
        if not line:
            raise SystemExit("the worker failed; see above")
        answer: dict[str, Any] = json.loads(line)
        return answer
