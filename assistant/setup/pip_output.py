"""Reads progress and errors from pip's output."""

import re
from dataclasses import dataclass

_TROUBLES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("wrong_sum", ("DO NOT MATCH THE HASHES",)),
    ("disk_full", ("No space left on device", "Disk quota exceeded")),
    (
        "no_network",
        (
            "NewConnectionError",
            "NameResolutionError",
            "ConnectTimeout",
            "ReadTimeout",
            "ProxyError",
            "SSLError",
            "Max retries exceeded",
            "Connection refused",
            "Network is unreachable",
            "Temporary failure in name resolution",
            "Connection broken",
        ),
    ),
    ("read_only", ("Permission denied", "Read-only file system")),
    ("no_wheel", ("No matching distribution found", "is not a supported wheel on this platform")),
    ("no_pip", ("No module named pip",)),
)
"""Signs of each error; the first match decides. pip reports that nothing matches when it reached no index at all, so
the network comes before that."""

_STEP = re.compile(
    r"(?:Collecting|Requirement already satisfied:|Ignoring) (?P<named>[\w.\-]+)"
    r"|Processing (?:\S*[/\\])?(?P<file>[\w.\-]+?)-\d"
)
"""A package on an index is named, one in a folder by its file."""
_DOWNLOAD = re.compile(r"\s+(?:Downloading|Using cached) (?P<file>[\w.+\-]+)\S* \((?P<size>[^)]+)\)")


@dataclass(frozen=True)
class Trouble:
    """The error of a failed pip.

    Attributes:
        kind: ``wrong_sum``, ``disk_full``, ``no_network``, ``read_only``, ``no_wheel``, ``no_pip`` or ``other``.
        reason: pip's last line about it.
        package: the requirement that failed, empty if pip does not name it.
    """

    kind: str
    reason: str
    package: str


def trouble_in(output: str) -> Trouble:
    """The error in a failed pip's output."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    named = re.search(r"No matching distribution found for ([^\s(]+)", output)
    found = ((kind, [line for line in lines if any(sign in line for sign in signs)]) for kind, signs in _TROUBLES)
    other = ("other", [line for line in lines if line.startswith("ERROR")] or lines)
    kind, telling = next((each for each in found if each[1]), other)
    return Trouble(
        kind=kind,
        reason=telling[-1] if telling else "pip printed no error",
        package=named.group(1) if named else "",
    )


def step_in(line: str) -> str:
    """The package that this line of pip's output begins or leaves out on this platform, or an empty string.

    The name is normalised, as in lock files.
    """
    found = _STEP.match(line)
    return re.sub(r"[-_.]+", "-", found.group("named") or found.group("file")).lower() if found else ""


def download_in(line: str) -> str:
    """The download in this line with its size, or an empty string."""
    found = _DOWNLOAD.match(line)
    return f"{found.group('file').split('-')[0]} {found.group('size')}" if found else ""
