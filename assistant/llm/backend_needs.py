"""What a provider's backend is made from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.egress import EgressLedger
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Provider, Settings
from assistant.llm.backend import EmbeddedMemory, ServerState
from assistant.llm.embedded.prompt_states import PromptStates
from assistant.llm.facts.learnt_dialects import ModelMemory


def _unheard(_: object) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendNeeds:
    """What is handed to every provider's ``create``.

    Attributes:
        key_of: the API key of a provider, empty for none; asked anew for every request.
        settings: the settings: what the user knows of models, and how Sori's own server shall run.
        ledger: where every request is written down before it is sent (P-25).
        embedded_model: the model file of the embedded server, or a folder that holds exactly one.
        embedded_folder: where its other models lie, each in a folder of its name; ``None`` where there are none.
        clock: counts how long the embedded server goes unused.
        learnt: keeps what servers teach of their models; ``None`` forgets it with the process.
        prompt_states: where what the embedded server has read is kept on disk; ``None`` keeps nothing.
        on_prompt_trouble: told once, and why, when nothing can be kept there.
        on_embedded: told whenever the embedded server's state changes, on the event loop.
        on_embedded_memory: told what it takes, whenever it has been loaded or has ended.
    """

    key_of: Callable[[Provider], str]
    ledger: EgressLedger
    embedded_model: Path
    embedded_folder: Path | None = None
    settings: LiveSettings = field(default_factory=lambda: LiveSettings(Settings()))
    clock: Clock | None = None
    learnt: ModelMemory | None = None
    prompt_states: PromptStates | None = None
    on_prompt_trouble: Callable[[str], None] = _unheard
    on_embedded: Callable[[ServerState], None] = _unheard
    on_embedded_memory: Callable[[EmbeddedMemory], None] = _unheard
