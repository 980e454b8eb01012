"""A backend that notes which of its abilities was used."""

import inspect
from typing import Any

from assistant.core.settings import Provider
from assistant.llm.backend import ProviderBackend

ABILITIES = [name for name, _ in inspect.getmembers(ProviderBackend, inspect.isfunction) if not name.startswith("_")]


class RecordingBackend(ProviderBackend):
    """Every ability notes its name and its arguments."""

    def __init__(self) -> None:
        self.used: list[tuple[Any, ...]] = []

    async def is_reached(self, backend: ProviderBackend, ability: str, provider: Provider) -> bool:
        """Whether an ability of ``backend``, used for a provider, arrives here with all arguments."""
        self.used.clear()
        parameters = [
            each for each in inspect.signature(getattr(ProviderBackend, ability)).parameters if each != "self"
        ]
        given = [provider if each == "provider" else each for each in parameters]
        answer = await getattr(backend, ability)(*given)
        told = answer == ability or inspect.signature(getattr(ProviderBackend, ability)).return_annotation is None
        return told and self.used == [(ability, *given)]


def _noting(ability: str) -> Any:
    async def note(self: RecordingBackend, *arguments: Any) -> str:
        self.used.append((ability, *arguments))
        return ability

    return note


for _ability in ABILITIES:
    setattr(RecordingBackend, _ability, _noting(_ability))
