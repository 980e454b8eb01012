"""Runs commands of Sori in this process and watches every connection that Python opens meanwhile.

An audit hook cannot be removed, which is why this is a program of its own. Its argument is a JSON object: ``database``
(the ledger's file), ``commands`` (command lines), ``url`` (a file to download) and ``rogue`` (an address that is asked
behind the ledger's back). The last line that it prints is a JSON object: ``connections``, and of these ``unrecorded``,
those to places that no row of the ledger named at that instant.
"""

import contextlib
import hashlib
import io
import json
import sqlite3
import sys
import urllib.request
from pathlib import Path
from typing import Any

_INTERNET = 2
"""Items of an address of the internet's first version; the second's has two more."""


class Watch:
    """The audit hook.

    Args:
        database: the ledger's file.
    """

    def __init__(self, database: Path) -> None:
        self._database = database
        self.connections: list[str] = []
        self.unrecorded: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Python is about to do something."""
        if event == "socket.connect":
            address = arguments[1]
        elif event == "socket.getaddrinfo":
            address = arguments[:2]
        else:
            return
        if not isinstance(address, tuple) or len(address) < _INTERNET or not address[1]:
            return
        place = f":{address[1]}"
        self.connections.append(f"{event} {place}")
        if not any(each.endswith(place) for each in self._recorded()):
            self.unrecorded.append(f"{event} {place}")

    def _recorded(self) -> list[str]:
        if not self._database.exists():
            return []
        with contextlib.closing(sqlite3.connect(f"file:{self._database}?mode=ro", uri=True)) as connection:
            return [row[0] for row in connection.execute("SELECT destination FROM egress")]


def main() -> None:
    """Run the commands."""
    given = json.loads(sys.argv[1])
    watch = Watch(Path(given["database"]))
    sys.addaudithook(watch)
    statuses = [_run(command) for command in given["commands"]]
    if given["url"]:
        _download(Path(given["database"]).parent, given["url"])
    if given["rogue"]:
        urllib.request.urlopen(given["rogue"]).close()  # noqa: S310  the address is the test's own
    found = {"statuses": statuses, "connections": watch.connections, "unrecorded": watch.unrecorded}
    sys.stdout.write(f"{json.dumps(found)}\n")


def _run(command: list[str]) -> int:
    from assistant.app.command_line import main as run_command

    with contextlib.redirect_stdout(io.StringIO()):
        return run_command(command)


def _download(home: Path, url: str) -> None:
    from assistant.host.model_store import open_store
    from assistant.weights.manifest import Model, WeightFile

    content = b"weights" * 1000
    file = WeightFile(name="a.bin", size=len(content), sha256=hashlib.sha256(content).hexdigest(), parts=(), url=url)
    model = Model(name="voice", title="", purpose="tts", licence="MIT", languages=("ko",), home="", files=(file,))
    open_store(home, manifest={"voice": model}).ensure(["voice"])


if __name__ == "__main__":
    main()
