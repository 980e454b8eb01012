"""The workspaces of this user, for several parts."""

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.settings import Settings
from assistant.host.clock import SystemClock
from assistant.host.places import Places


def workspaces_of(places: Places, settings: Settings) -> Workspaces:
    """The workspaces of this user."""
    return Workspaces(places.workspaces, SystemClock(), lambda: settings.memory.max_size)
