"""Scripted model servers for benchmarks, each a process of its own."""

import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from assistant.core.settings import Language

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def scripted_servers(replies: Mapping[Language, str], *options: str) -> Iterator[dict[Language, str]]:
    """Run a server for each language and yield their base URLs.

    Args:
        replies: the reply of each server to every request.
        options: further options of ``tests.fakes.model_server.server``, such as its pace.
    """
    processes = []
    urls: dict[Language, str] = {}
    try:
        for language, reply in replies.items():
            command = [
                sys.executable,
                "-m",
                "tests.fakes.model_server.server",
                "--port",
                "0",
                "--text",
                reply,
                *options,
            ]
            process = subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            processes.append(process)
            urls[language] = process.stdout.readline().strip() if process.stdout else ""
        yield urls
    finally:
        for process in processes:
            process.terminate()
            process.wait()
