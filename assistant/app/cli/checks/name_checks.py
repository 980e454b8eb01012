"""Checks of the names by which agents are called."""

from collections.abc import Iterator

from assistant.agent.workspaces.directory import Agent, Workspaces
from assistant.app.cli.checks.check import Check, Checks, Grade
from assistant.app.engine.names.called_names import called_name
from assistant.app.engine.names.own_voices import OwnVoices
from assistant.app.host.clock import SystemClock
from assistant.app.host.model_store import open_store
from assistant.app.host.places import Places
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.speech.text.names.evidence import language_of


class NameChecks(Checks):
    """Checks how well each name is known.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings) -> None:
        super().__init__(places, texts)
        self._settings = settings

    def names(self) -> Iterator[Check]:
        """Whether the user, or Sori with its own voices, has enrolled each name."""
        workspaces = Workspaces(self._places.workspaces, SystemClock(), lambda: self._settings.memory.max_size)
        own = OwnVoices(open_store(self._places.home), self._settings)
        waiting = {each.agent.id: each.damaged for each in own.to_learn(workspaces)}
        for workspace in workspaces.workspaces():
            agents = workspaces.agents(workspace.name)
            for agent in agents:
                if agent.file.wake_phrase.strip():
                    yield self._known(own, workspaces, agent, waiting.get(agent.id))
                    yield from self._alike(workspaces, agent, agents)

    def _known(self, own: OwnVoices, workspaces: Workspaces, agent: Agent, damaged: bool | None) -> Check:
        """How an agent's name is known.

        Args:
            own: knows the voices.
            workspaces: has the agent.
            agent: the agent.
            damaged: whether its file is damaged; ``None`` if Sori has nothing to enrol.
        """
        called = called_name(workspaces, agent, ())
        values = {"phrase": called.phrase, "agent": agent.id.name}
        if called.enrolled:
            return self._line("names", Grade.OK, "enrolled", **values)
        if damaged is None:
            return self._line("names", Grade.OK, "learnt" if own.known(workspaces, agent) else "by_text", **values)
        if not own.voices(language_of(called.phrase)):
            return self._line("names", Grade.WARN, "no_voice", remedy="remedy", **values)
        return self._line("names", Grade.OK, "damaged" if damaged else "waiting", **values)

    def _alike(self, workspaces: Workspaces, agent: Agent, agents: tuple[Agent, ...]) -> Iterator[Check]:
        called = called_name(workspaces, agent, agents)
        if called.alike:
            values = {"phrase": called.phrase, "names": ", ".join(called.alike)}
            yield self._line("names", Grade.WARN, "alike", remedy="rename", **values)
