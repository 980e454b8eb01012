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


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentShown:
    """The agent of a conversation as the user reads it.

    Attributes:
        name: its name; empty for Sori itself.
        workspace: the name of its workspace; empty for the default one.
    """

    name: str = ""
    workspace: str = ""


SORI = AgentShown()
"""Sori itself, in the default workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedAgent:
    """An agent as it is listed.

    Attributes:
        id: the agent.
        title: its name as the user reads it.
        current: whether new conversations are with it.
    """

    id: AgentId
    title: str
    current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedWorkspace:
    """A workspace as it is listed.

    Attributes:
        name: the name of its folder.
        title: its name as the user reads it.
        current: whether the current agent belongs to it.
        agents: its agents.
        folder: its folder, which may be missing; of a removed workspace, where it is now.
        problems: its files that cannot be used as they are, in the user's words.
    """

    name: str
    title: str
    current: bool
    agents: tuple[ListedAgent, ...]
    folder: str = ""
    problems: tuple[str, ...] = ()
