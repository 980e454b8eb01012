"""Records pip's requests in the egress ledger (P-25).

pip knows where packages come from. Before a download, the help of ``pip download`` shows the index in effect and
``pip config list`` shows further places. Afterwards pip's log shows the requests that were made, because an index may
name files on another host.
"""

import ast
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

from assistant.weights.record import RecordDownload

_INDEX = re.compile(r"--index-url <url>.*?\(default (\S+)\)", re.DOTALL)
_SETTING = re.compile(r"(?m)^(\S+?)\.(extra-index-url|find-links|no-index)=(.*)$")
_SECTIONS = ("global", "download", ":env:")
"""Sections with settings of ``pip download``. A later section overrides earlier ones."""
_REQUEST = re.compile(r'(?m)^\S*\s+(https?://\S+) "[A-Z]+ ')
"""A request in pip's log, in the format of urllib3."""


class PipPlaces:
    """The places where pip looks for packages. They are determined once, because this takes two runs of pip.

    Safe to use from several threads.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._places: list[str] | None = None

    def of(self, environment: Mapping[str, str]) -> list[str]:
        """The indexes and pages that pip asks in this environment."""
        with self._lock:
            if self._places is None:
                self._places = _places({**environment, "COLUMNS": "1000"})
            return self._places


class PipEgress:
    """Records the requests of one run of pip.

    Args:
        record: called with every address.
        environment: pip's environment variables.
        places: the places where pip looks.
    """

    def __init__(self, record: RecordDownload, environment: Mapping[str, str], places: PipPlaces) -> None:
        self._record = record
        self._environment = environment
        self._places = places
        self._expected: list[str] = []

    def before(self) -> None:
        """Record the places that pip is going to ask.

        Raises:
            StorageError: the ledger cannot be written.
        """
        for url in self._places.of(self._environment):
            self._record(url)
            self._expected.append(_host(url))

    def after(self, log: Path) -> None:
        """Record the further requests that pip has made: for files of an index, on its host or another.

        Raises:
            StorageError: the ledger cannot be written.
        """
        made = _REQUEST.findall(log.read_text(encoding="utf-8", errors="replace")) if log.exists() else []
        for url in made:
            if _host(url) in self._expected:
                self._expected.remove(_host(url))
            else:
                self._record(url)


def _places(environment: Mapping[str, str]) -> list[str]:
    settings = {name: values for name, values in _settings(environment).items() if values}
    pages = settings.get("find-links", [])
    if settings.get("no-index", [""])[0].lower() in ("1", "true", "yes", "on"):
        return _web(pages)
    index = _INDEX.search(_pip(environment, "download", "--help"))
    return _web([*([index.group(1)] if index else []), *settings.get("extra-index-url", []), *pages])


def _settings(environment: Mapping[str, str]) -> dict[str, list[str]]:
    found: dict[tuple[str, str], list[str]] = {}
    for section, name, value in _SETTING.findall(_pip(environment, "config", "list")):
        try:
            found[section, name] = str(ast.literal_eval(value)).split()
        except (SyntaxError, ValueError):
            continue
    settings: dict[str, list[str]] = {}
    for section in _SECTIONS:
        settings |= {name: values for (where, name), values in found.items() if where == section}
    return settings


def _pip(environment: Mapping[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, stdin=subprocess.DEVNULL
    )
    return done.stdout


def _web(urls: list[str]) -> list[str]:
    return [url for url in urls if re.match("https?://", url, re.IGNORECASE)]


def _host(url: str) -> str:
    """Host and port. urllib3 always names the port; a configured address names only an unusual one."""
    scheme, _, rest = url.partition("://")
    place = rest.partition("/")[0].rpartition("@")[2].lower()
    usual = "443" if scheme.lower() == "https" else "80"
    return place if re.search(r":\d+$", place) else f"{place}:{usual}"
