"""Requests for agents, workspaces and the tools of agents."""

from dataclasses import field
from typing import Any

from assistant.core.records.agent_details import AgentDetails
from assistant.core.records.agents import ListedWorkspace
from assistant.core.records.tools import ListedTool
from assistant.core.service.request import Request, Right


class ListWorkspaces(Request[tuple[ListedWorkspace, ...]]):
    """List the workspaces with their agents."""


class SwitchAgent(Request[str], right=Right.MANAGE):
    """Begin a new conversation with an agent, or with the default agent of a workspace.

    Without a workspace the agent is searched in the current one first, then in the others.
    The result is its name as the user reads it.
    """

    agent: str = ""
    workspace: str = ""


class AddWorkspace(Request[ListedWorkspace], right=Right.MANAGE):
    """Add a workspace.

    Attributes:
        name: the name of its folder.
        title: its name as the user reads it; empty for ``name``.
    """

    name: str
    title: str = ""


class RenameWorkspace(Request[ListedWorkspace], right=Right.MANAGE):
    """Give a workspace another name for the user; its folder stays.

    Attributes:
        name: the name of its folder.
        title: the new name.
    """

    name: str
    title: str


class RestoreRemoved(Request[None], right=Right.MANAGE):
    """Bring back an agent or a workspace that was removed, unless its name is taken meanwhile.

    Attributes:
        folder: where it is now, as the reply to its removal has told.
    """

    folder: str


class RemoveWorkspace(Request[ListedWorkspace], right=Right.MANAGE):
    """Set this workspace aside with its agents and memories."""

    name: str


class ListAgents(Request[tuple[AgentDetails, ...]]):
    """List the agents of a workspace; empty for the current one."""

    workspace: str = ""


class ShowAgent(Request[AgentDetails]):
    """Show an agent of a workspace, and how it is called.

    Attributes:
        agent: its name, its display name or its wake phrase.
        workspace: the workspace; empty for the current one.
    """

    agent: str
    workspace: str = ""


class AddAgent(Request[AgentDetails], right=Right.OWN):
    """Add an agent, whose words are the user's own.

    Attributes:
        agent: its name.
        workspace: its workspace; empty for the current one.
        entries: entries of ``agent.toml``, each a text or a list of texts.
        persona: the text of ``persona.md``.
        prompt: the text of ``prompt.md``.
    """

    agent: str
    workspace: str = ""
    entries: dict[str, Any] = field(default_factory=dict)
    persona: str = ""
    prompt: str = ""


class EditAgent(Request[AgentDetails], right=Right.OWN):
    """Change an agent. Another wake phrase forgets the spellings of the former one.

    Attributes:
        agent: as in ``ShowAgent``.
        workspace: as in ``ShowAgent``.
        entries: the entries of ``agent.toml`` that change, each a text or a list of texts.
        persona: the new text of ``persona.md``; ``None`` to keep it.
        prompt: the new text of ``prompt.md``; ``None`` to keep it.
    """

    agent: str
    workspace: str = ""
    entries: dict[str, Any] = field(default_factory=dict)
    persona: str | None = None
    prompt: str | None = None


class ApproveAgent(Request[AgentDetails], right=Right.OWN):
    """Approve the words of an agent as they were shown. It is refused if they have changed since.

    Attributes:
        agent: as in ``ShowAgent``.
        workspace: as in ``ShowAgent``.
        words: ``AgentDetails.words`` of what was shown.
    """

    agent: str
    workspace: str = ""
    words: tuple[str, ...]


class RemoveAgent(Request[AgentDetails], right=Right.MANAGE):
    """Set an agent aside with its persona and memory.

    Attributes:
        agent: as in ``ShowAgent``.
        workspace: as in ``ShowAgent``.
    """

    agent: str
    workspace: str = ""


class ListTools(Request[tuple[ListedTool, ...]]):
    """List the tools of the agent to which a conversation belongs."""

    conversation: str
