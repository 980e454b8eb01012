"""What answers about Sori follow: its state when it is asked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from assistant.core.configuration.catalogue import Setting, Value
from assistant.core.records.egress import Egress
from assistant.core.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class SoriState:
    """Sori's state for one conversation.

    Attributes:
        settings: the settings as they are written.
        model: the model that answers the conversation; empty for its provider's default.
        provider: the provider of that model.
        here: whether that model runs on this computer.
        asked: the providers elsewhere that may be sent the conversation.
        speech: the providers elsewhere that are sent speech, or text to be read.
        files: the servers elsewhere that are sent the texts of files, so that they are found.
        account: the server elsewhere through which the user's computers are kept alike; empty for none.
        left: the requests that have left this computer today.
        tools: the names of the tools that work now.
        facts: number of facts about the user that are remembered.
        home: Sori's folder; empty for a caller that may not know it.
        version: Sori's version.
        called: what wakes the agent of the conversation, as it is said: its own name, else the wake word.
    """

    settings: Settings
    model: str
    provider: str
    here: bool
    asked: Sequence[str]
    speech: Sequence[str]
    files: Sequence[str]
    account: str
    left: Sequence[Egress]
    tools: frozenset[str]
    facts: int
    home: str
    version: str
    called: str


class StateSource(Protocol):
    """Tells Sori's state."""

    async def __call__(self, conversation: str) -> SoriState:
        """The state for a conversation; its id is empty for none."""
        ...


class SettingsHand(Protocol):
    """Reads and changes the settings in their file. Implemented by ``SettingsKeeper``."""

    async def look(self) -> None:
        """Read the file now."""
        ...

    def written(self, setting: Setting) -> Value:
        """The value in the file."""
        ...

    def trouble(self, setting: Setting) -> str:
        """Why the value in the file is not in force, in the user's words; empty if it is, or will be."""
        ...

    async def set(self, name: str, value: Value) -> None:
        """Change a setting.

        Raises:
            SettingsError: the value is not possible, or the file is invalid; it stays as it is.
            StorageError: the file cannot be written.
        """
        ...
