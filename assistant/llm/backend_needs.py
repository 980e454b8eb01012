"""The dependencies of a provider's backend."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.core.clock import Clock
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import EgressLedger
from assistant.core.settings import Provider, Settings
from assistant.llm.backend import EmbeddedMemory, ServerState
from assistant.llm.embedded.prompt_states import PromptStates
from assistant.llm.facts.learnt_dialects import ModelMemory


def _unheard(_: object) -> None:
    """Ignore a report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendNeeds:
    """The dependencies that every provider's ``create`` gets.

    Attributes:
        key_of: the API key of a provider, empty for none; called for every request.
        settings: the settings, with the user's facts of models and the options of the embedded server.
        ledger: records every request before it is sent (P-25).
        embedded_model: the model of the embedded server: its first GGUF file, or the folder of its files.
        embedded_place: returns the place of a model by its name, in the form of ``embedded_model``; ``None`` if there
            is no other model.
        clock: measures how long the embedded server is unused.
        learnt: keeps dialects learnt from servers; ``None`` keeps them only while the process runs.
        prompt_states: files with the prompt states of the embedded server; ``None`` keeps none.
        on_prompt_trouble: called once, with the reason, when no state can be saved.
        on_embedded: called on the event loop at every change of the embedded server's state.
        on_embedded_memory: called with the memory use after the embedded server is loaded or has ended.
    """

    key_of: Callable[[Provider], str]
    ledger: EgressLedger
    embedded_model: Path
    embedded_place: Callable[[str], Path] | None = None
    settings: LiveSettings = field(default_factory=lambda: LiveSettings(Settings()))
    clock: Clock | None = None
    learnt: ModelMemory | None = None
    prompt_states: PromptStates | None = None
    on_prompt_trouble: Callable[[str], None] = _unheard
    on_embedded: Callable[[ServerState], None] = _unheard
    on_embedded_memory: Callable[[EmbeddedMemory], None] = _unheard
