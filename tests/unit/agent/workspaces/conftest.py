from pathlib import Path

import pytest

from assistant.agent.workspaces.directory import Workspaces
from tests.fakes.clock import FakeClock


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    return Workspaces(tmp_path / "workspaces", FakeClock(), lambda: 4_000)
