"""The file that names the current workspace and agent of this device: those of new conversations."""

import logging
from pathlib import Path

from assistant.agent.workspaces.agent_file import with_values
from assistant.agent.workspaces.files import read
from assistant.agent.workspaces.names import is_name
from assistant.core.configuration.parsing import parse_table
from assistant.core.errors import SettingsError
from assistant.core.records.agents import AgentId
from assistant.storage.atomic import write_text

log = logging.getLogger(__name__)


class CurrentAgent:
    """The current agent.

    Args:
        path: the file; it may be missing.
    """

    def __init__(self, path: Path) -> None:
        self._path = path

    def get(self) -> AgentId:
        """The current agent; the default one without a usable file."""
        try:
            chosen = parse_table(AgentId, read(self._path, self._path.parent))
        except SettingsError as error:
            log.warning("%s is not used: %s", self._path, error)
            return AgentId()
        return chosen if is_name(chosen.workspace) and is_name(chosen.name) else AgentId()

    def set(self, agent: AgentId) -> None:
        """Make an agent the current one.

        Raises:
            StorageError: the file cannot be written.
        """
        write_text(self._path, with_values("", {"workspace": agent.workspace, "name": agent.name}))
