"""Fixtures that every test can use."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.app.models import ModelStore
from assistant.app.places import default_home


@pytest.fixture(scope="session")
def model_path() -> Callable[[str], Path]:
    """The folder of a real model by name, fetched once into the user's (or the test run's) store."""
    store = ModelStore(default_home())

    def path(name: str) -> Path:
        store.ensure([name])
        return store.path(name)

    return path
