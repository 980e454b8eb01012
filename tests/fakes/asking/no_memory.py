"""A memory that is switched off."""

from pathlib import Path

from assistant.core.settings import MemorySettings
from assistant.memory.personal import PersonalMemory
from tests.fakes.clock import FakeClock


def no_memory() -> PersonalMemory:
    """A memory that the settings switch off; it has no file."""
    return PersonalMemory(Path("/nonexistent/user.md"), FakeClock(), lambda: MemorySettings(personal=False))
