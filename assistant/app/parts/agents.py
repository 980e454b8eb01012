"""Workspaces and their agents."""

from assistant.agent.workspaces.current import CurrentAgent
from assistant.app.parts.workspaces import workspaces_of
from assistant.chat.agents.switching import AgentSwitch
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.domains.agents import Agents
from assistant.host.places import Places


def agents(places: Places, settings: Settings, texts: Texts) -> Agents:
    """Make the domain."""
    workspaces, current = workspaces_of(places, settings), CurrentAgent(places.current_agent)
    return Agents(workspaces, current, texts, switch=AgentSwitch(workspaces, current))
