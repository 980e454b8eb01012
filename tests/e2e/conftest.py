"""What end-to-end tests share."""

import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.sound_server import SoundServer, running_sound_server

STOLEN_SHARE = 0.03
"""Of the processors' time; with more taken away by the host of the machine, a sound card in software drops sound,
and no program on it can help that."""

_BEFORE = pytest.StashKey[tuple[int, int]]()


@pytest.fixture
def sound_server(request: pytest.FixtureRequest) -> Iterator[SoundServer]:
    """A virtual sound card of a test's own."""
    request.node.stash[_BEFORE] = _processor_time()
    with running_sound_server() as server:
        yield server


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """A test in real time proves nothing while the host takes the processors away; it then counts as not run."""
    report = yield
    before = item.stash.get(_BEFORE, None)
    if before is not None and report.when == "call" and report.failed:
        stolen, total = (now - then for now, then in zip(_processor_time(), before, strict=True))
        if stolen > STOLEN_SHARE * total:
            report.outcome = "skipped"
            reason = f"Skipped: the host took {stolen / total:.0%} of the processors' time; real time did not hold"
            report.longrepr = (str(item.path), item.location[1] or 0, reason)
    return report


def _processor_time() -> tuple[int, int]:
    """Ticks that the host of a virtual machine took away, and all ticks, since the machine started."""
    if sys.platform != "linux":
        return 0, 0
    fields = [int(each) for each in Path("/proc/stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]]
    return fields[7], sum(fields)
