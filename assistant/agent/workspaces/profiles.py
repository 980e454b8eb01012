"""The profile of each request, made of the files of the conversation's agent (M-05, X-05, P-23).

A profile holds the texts of its own memories. Nothing else of a workspace reaches a request, so an agent cannot be told
what another one remembers.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace

from assistant.agent.profile import LOCAL_PROFILE, AgentProfile
from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.agent.workspaces.files import FileProblem
from assistant.core.errors import SettingsError, SoriError, StorageError
from assistant.core.formats.toml_text import line_of
from assistant.core.permissions import LOCAL_ASSISTANT
from assistant.core.records.agents import DEFAULT_AGENT, DEFAULT_WORKSPACE, AgentId, AgentShown
from assistant.memory.facts import Fact
from assistant.memory.memory_file import MemoryFile
from assistant.storage.atomic import read_text

log = logging.getLogger(__name__)


class AgentProfiles:
    """Makes profiles.

    Args:
        workspaces: has the files.
        agent_of: gives the agent to which a conversation belongs.
        has_model: whether a reference names a model of the settings.
        on_problem: told once of each file that cannot be used as it is, and again after it was changed.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        agent_of: Callable[[str], Awaitable[AgentId]],
        *,
        has_model: Callable[[str], bool] = lambda _: True,
        on_problem: Callable[[FileProblem], None] = lambda _: None,
    ) -> None:
        self._workspaces = workspaces
        self._agent_of = agent_of
        self._has_model = has_model
        self._on_problem = on_problem
        self._told: set[tuple[str, str]] = set()

    async def of_conversation(self, conversation: str) -> AgentProfile:
        """The profile of the agent to which a conversation belongs, as its files are now.

        Where the agent was removed, the default agent answers: of the workspace, else of the default workspace.

        Raises:
            StorageError: the conversation cannot be read.
        """
        return await self.of(await self._agent_of(conversation))

    async def shown(self, conversation: str) -> AgentShown:
        """The agent that answers a conversation, as the user reads it.

        Raises:
            StorageError: the conversation cannot be read.
        """
        wanted = await self._agent_of(conversation)
        return await asyncio.to_thread(self._shown, wanted)

    async def voice_of(self, conversation: str) -> str:
        """The name of the voice of the agent that answers a conversation; empty for that of the settings.

        Raises:
            StorageError: the conversation cannot be read.
        """
        wanted = await self._agent_of(conversation)
        return (await asyncio.to_thread(self._existing, wanted)).file.voice

    def _shown(self, wanted: AgentId) -> AgentShown:
        agent = self._existing(wanted)
        workspace = agent.id.workspace
        return AgentShown(
            name="" if agent.title == DEFAULT_AGENT else agent.title,
            workspace="" if workspace == DEFAULT_WORKSPACE else self._workspaces.workspace(workspace).title,
        )

    async def of(self, wanted: AgentId) -> AgentProfile:
        """The profile of an agent as its files are now."""
        agent, shared, own = await asyncio.to_thread(self._read, wanted)
        lost = model_problems(agent, self._has_model)
        if not agent.own:
            lost = (*lost, _foreign(agent))
        model = "" if model_problems(agent, self._has_model) else agent.file.model
        self._tell_of([*agent.problems, *lost])
        return AgentProfile(
            name=str(agent.id),
            called="" if agent.title == DEFAULT_AGENT else agent.title,
            agent=agent.id,
            permissions=agent.file.permissions(LOCAL_ASSISTANT.unasked),
            tools=agent.file.tool_names,
            model=model,
            memory=LOCAL_PROFILE.memory,
            persona=agent.persona,
            prompt=agent.prompt,
            prompt_replaces=agent.file.placement == "replace",
            voice=agent.file.voice,
            workspace_memory=tuple(fact.text for fact in shared),
            agent_memory=tuple(fact.text for fact in own),
            unapproved=tuple(fact.text for fact in (*shared, *own) if fact.unasked),
            outside=not agent.own or any(fact.outside for fact in (*shared, *own)),
        )

    def _read(self, wanted: AgentId) -> tuple[Agent, tuple[Fact, ...], tuple[Fact, ...]]:
        """The agent, and the facts of its workspace and its own. Waits for the disk."""
        agent = self._existing(wanted)
        shared = self._facts(lambda: self._workspaces.workspace_memory(agent.id.workspace))
        return agent, shared, self._facts(lambda: self._workspaces.agent_memory(agent.id))

    def _existing(self, wanted: AgentId) -> Agent:
        for each in (wanted, replace(wanted, name=DEFAULT_AGENT)):
            try:
                return self._workspaces.agent(each)
            except SoriError as error:
                log.warning("the agent %s does not answer: %s", each, error)
        return self._workspaces.agent(AgentId())

    @staticmethod
    def _facts(file: Callable[[], MemoryFile]) -> tuple[Fact, ...]:
        try:
            return file().read_facts()
        except StorageError as error:
            # An answer without the facts is better than no answer.
            log.warning("a memory cannot be read: %s", error)
            return ()

    def _tell_of(self, problems: list[FileProblem]) -> None:
        present = {(str(each.path), str(each.error)): each for each in problems}
        for key, problem in present.items():
            if key not in self._told:
                log.warning("%s: %s", problem.path, problem.error)
                self._on_problem(problem)
        paths = {path for path, _ in present}
        self._told = {each for each in self._told if each[0] not in paths} | set(present)


def model_problems(agent: Agent, has_model: Callable[[str], bool]) -> tuple[FileProblem, ...]:
    """The problem of an agent whose model the settings do not have; empty for any other agent."""
    model = agent.file.model
    return () if not model or has_model(model) else (_without_model(agent),)


def _foreign(agent: Agent) -> FileProblem:
    error = SettingsError("agent_foreign", name=agent.id.name)
    return FileProblem(path=agent.folder / "persona.md", error=error)


def _without_model(agent: Agent) -> FileProblem:
    path = agent.folder / "agent.toml"
    lines = read_text(path).splitlines()
    error = SettingsError("agent_model", line=line_of(lines, "model"), value=agent.file.model)
    return FileProblem(path=path, error=error)
