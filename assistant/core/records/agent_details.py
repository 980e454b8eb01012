"""An agent with all that its files say."""

from dataclasses import dataclass
from typing import Any

from assistant.core.records.agents import AgentId
from assistant.core.records.names import CalledName


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDetails:
    """An agent as its files describe it.

    Attributes:
        id: the agent.
        title: its name as the user reads it.
        current: whether new conversations are with it.
        folder: its folder, which may be missing; of a removed agent, where it is now.
        entries: the entries of its ``agent.toml``, each a text or a list of texts.
        persona: the text of ``persona.md``.
        prompt: the text of ``prompt.md``.
        problems: its files that cannot be used as they are, in the user's words.
        called: how it is called; ``None`` where nobody asked.
    """

    id: AgentId
    title: str
    current: bool
    folder: str
    entries: dict[str, Any]
    persona: str = ""
    prompt: str = ""
    problems: tuple[str, ...] = ()
    called: CalledName | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What it is told in somebody's words: its name, its persona and its prompt."""
        return tuple(filter(None, (str(self.entries["display_name"]), self.persona.strip(), self.prompt.strip())))
