"""Names of workspaces and agents. ``assistant.agent.workspaces`` has their files."""

from dataclasses import dataclass

DEFAULT_WORKSPACE = "default"
"""The workspace that exists without a folder."""
DEFAULT_AGENT = "sori"
"""The agent that every workspace has without a folder."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class AgentId:
    """The name of an agent, and the workspace to which it belongs.

    Attributes:
        workspace: the name of the workspace's folder.
        name: the name of the agent's folder.
    """

    workspace: str = DEFAULT_WORKSPACE
    name: str = DEFAULT_AGENT

    def __str__(self) -> str:
        return f"{self.workspace}/{self.name}"
