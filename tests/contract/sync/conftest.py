import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest

from tests.contract.postgres import database_of
from tests.contract.sync.computer import Computer

NUMBERS = itertools.count()


@pytest.fixture
def address(postgres: str) -> str:
    """A database of its own on the server."""
    name = f"synced{next(NUMBERS)}"
    with psycopg.connect(postgres, autocommit=True) as owner:
        owner.execute(f"CREATE DATABASE {name}")
    return database_of(postgres, name)


@pytest.fixture
async def computers(tmp_path: Path) -> AsyncIterator[tuple[Computer, Computer]]:
    pair = Computer(tmp_path, "laptop"), Computer(tmp_path, "desktop")
    for each in pair:
        await each.start()
    yield pair
    for each in pair:
        await each.stop()
