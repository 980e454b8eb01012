"""Requests for agents, workspaces and the tools of agents."""

from dataclasses import dataclass
from typing import ClassVar

from assistant.core.records.agents import ListedWorkspace
from assistant.core.records.tools import ListedTool
from assistant.core.service.request import Request, Right


@dataclass(frozen=True, slots=True, kw_only=True)
class ListWorkspaces(Request[tuple[ListedWorkspace, ...]]):
    """List the workspaces with their agents."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchAgent(Request[str]):
    """Begin a new conversation with an agent, or with the default agent of a workspace; one of the two is empty.

    The result is its name as the user reads it.
    """

    right: ClassVar[Right] = Right.MANAGE

    agent: str = ""
    workspace: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListTools(Request[tuple[ListedTool, ...]]):
    """List the tools of the agent to which a conversation belongs."""

    conversation: str
