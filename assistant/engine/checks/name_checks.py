"""Checks of the names by which agents are called."""

from collections.abc import Iterator

from assistant.agent.workspaces.directory import Workspaces
from assistant.core.records.names import CalledName
from assistant.engine.checks.check import Check, Grade, SettingsChecks
from assistant.engine.names.called_names import called_name
from assistant.engine.names.own_voices import OwnVoices
from assistant.host.clock import SystemClock
from assistant.host.model_store import open_store
from assistant.speech.text.names.evidence import language_of_phrase


class NameChecks(SettingsChecks):
    """Checks how well each name is known."""

    def names(self) -> Iterator[Check]:
        """Whether the user, or Sori with its own voices, has enrolled each name."""
        workspaces = Workspaces(self._places.workspaces, SystemClock(), lambda: self._settings.memory.max_size)
        own = OwnVoices(open_store(self._places.home), self._settings)
        waiting = {each.agent.id: each.damaged for each in own.to_learn(workspaces)}
        for workspace in workspaces.workspaces():
            agents = workspaces.agents(workspace.name)
            for agent in agents:
                called = called_name(workspaces, agent, agents)
                if called.phrase:
                    known = agent.id not in waiting and own.known(workspaces, agent)
                    yield self._known(called, own, known=known, damaged=waiting.get(agent.id))
                if called.alike:
                    yield self._alike(called)

    def _known(self, called: CalledName, own: OwnVoices, *, known: bool, damaged: bool | None) -> Check:
        """How a name is known.

        Args:
            called: the name.
            own: knows the voices.
            known: whether Sori has enrolled it with its present voices.
            damaged: whether the file of Sori's own voices is damaged; ``None`` if Sori has nothing to enrol.
        """
        values = {"phrase": called.phrase, "agent": called.agent.name}
        if called.enrolled:
            return self._line("names", Grade.OK, "enrolled", **values)
        if damaged is None:
            return self._line("names", Grade.OK, "learnt" if known else "by_text", **values)
        if not own.voices(language_of_phrase(called.phrase)):
            return self._line("names", Grade.WARN, "no_voice", remedy="remedy", **values)
        return self._line("names", Grade.OK, "damaged" if damaged else "waiting", **values)

    def _alike(self, called: CalledName) -> Check:
        values = {"phrase": called.phrase, "names": ", ".join(called.alike)}
        return self._line("names", Grade.WARN, "alike", remedy="rename", **values)
