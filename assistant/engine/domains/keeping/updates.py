"""Looks for a newer version where this copy of Sori came from, when the user asks, and never otherwise.

A checkout knows the repository that it was cloned from. Git asks it for its names of versions; nothing else is sent.
"""

import os
import re
import subprocess
from pathlib import Path
from typing import Final

from assistant.core.addresses import is_local_host, origin
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.records.egress import Egress

_LIMIT_S: Final = 20.0
_ADDRESS: Final = re.compile(r"(?P<scheme>https?|ssh|git)://(?:[^/@]*@)?(?P<host>[^/:]+)(?::(?P<port>\d+))?/")
_SHORT: Final = re.compile(r"(?:[^/@]+@)?(?P<host>[^/:]+\.[^/:]+):(?!/)")
"""The short form of SSH: ``git@example.org:sori.git``."""
_TAG: Final = re.compile(r"refs/tags/v?(\d+(?:\.\d+)+)$", re.MULTILINE)
_PORTS: Final = {"https": 443, "http": 80, "ssh": 22, "git": 9418}


def source_of(project: Path) -> str:
    """The address that this copy was cloned from; empty for a copy that was not, or that was cloned from a folder."""
    if not (project / ".git").exists():
        return ""
    try:
        address = _git(project, "remote", "get-url", "origin").strip()
    except (OSError, subprocess.SubprocessError):
        return ""
    return address if destination_of(address) else ""


def destination_of(address: str) -> str:
    """Scheme, host and port of an address, as the ledger has them; empty for what is no address of a server."""
    if found := _ADDRESS.match(address):
        scheme = found["scheme"]
        return origin(scheme, found["host"], int(found["port"] or _PORTS[scheme]))
    if found := _SHORT.match(address):
        return origin("ssh", found["host"], _PORTS["ssh"])
    return ""


def request_for(address: str) -> Egress:
    """What the ledger is told before the repository is asked."""
    destination = destination_of(address)
    host = destination.partition("://")[2].rpartition(":")[0]
    return Egress(destination=destination, local=is_local_host(host), purpose="update")


def newest_version(project: Path) -> str:
    """The highest version that the repository names; empty if it names none. Waits for the network.

    Raises:
        SoriError: the repository does not answer.
    """
    try:
        told = _git(project, "ls-remote", "--tags", "--refs", "origin")
    except (OSError, subprocess.SubprocessError) as error:
        raise SoriError(ErrorCode.NETWORK, str(error), message_key="update_unknown", cause=error) from error
    return max(_TAG.findall(told), key=_numbers, default="")


def is_newer(version: str, than: str) -> bool:
    """Whether a version is higher than another one."""
    return bool(version) and _numbers(version) > _numbers(than)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(map(int, re.findall(r"\d+", version)))


def _git(project: Path, *arguments: str) -> str:
    """What git prints.

    Raises:
        OSError: there is no git.
        SubprocessError: it fails, asks for a password, or takes too long.
    """
    quiet = {**os.environ, "GIT_TERMINAL_PROMPT": "0", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes"}
    command = ["git", "-C", str(project), *arguments]
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, timeout=_LIMIT_S, check=True)
    return done.stdout
