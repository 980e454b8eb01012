"""Fixtures that every test can use."""

import gc
from collections.abc import Callable, Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from assistant.app.qt import load_qt
from assistant.host.model_store import open_store
from assistant.host.places import default_home

load_qt()  # As the product does, before pytest-qt loads it.

# How long an example takes says something about the computer, not about the code.
settings.register_profile("any-computer", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-computer")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are found, because nearly all new objects stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Leave tests and libraries out of all later garbage collections, which would read millions of objects again."""
    gc.freeze()


@pytest.fixture(autouse=True)
def _weights(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide this machine's weights from a test that does not ask for them, so that it behaves alike anywhere."""
    if request.node.get_closest_marker("models") is None and request.node.get_closest_marker("sound") is None:
        monkeypatch.delenv("SORI_MODELS", raising=False)


@pytest.fixture(scope="session")
def model_path() -> Callable[[str], Path]:
    """The folder of a real model by name, fetched once into the user's (or the test run's) store."""
    store = open_store(default_home())

    def path(name: str) -> Path:
        store.ensure([name])
        return store.path(name)

    return path
