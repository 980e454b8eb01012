"""What end-to-end tests share."""

from collections.abc import Iterator

import pytest

from tests.e2e.sound_server import SoundServer, running_sound_server


@pytest.fixture
def sound_server() -> Iterator[SoundServer]:
    """A virtual sound card of a test's own."""
    with running_sound_server() as server:
        yield server
