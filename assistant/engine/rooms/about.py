"""Sori's state, for answers about Sori itself."""

import asyncio
import logging
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from urllib.parse import urlsplit

from assistant.agent.model_choice import ModelChoice, choose_for, choose_model, remembered, roles, stays_here
from assistant.chat.about.state import SoriState
from assistant.core.addresses import is_local_host
from assistant.core.display.words import wake_name
from assistant.core.errors import SoriError, StorageError
from assistant.core.records.egress import Egress
from assistant.core.settings import Provider, Settings
from assistant.core.version import VERSION
from assistant.engine.rooms.agents import AgentRoom
from assistant.engine.rooms.basis import Basis
from assistant.engine.rooms.storage import StorageRoom
from assistant.engine.rooms.tools import ToolRoom

_SERVED = "openai"
"""The voice engine that asks a server."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class StateOfSori:
    """Implements ``StateSource``."""

    basis: Basis
    storage: StorageRoom
    agents: AgentRoom
    tools: ToolRoom

    async def __call__(self, conversation: str) -> SoriState:
        """The state for a conversation; its id is empty for none."""
        settings = self.basis.live.current
        own, work = await self._own_model(settings, conversation), roles(settings)
        chosen = work.conversation if own is None else own
        others = (work.summaries, *work.fallbacks, *((work.analysis,) if own is None else ()))
        asked = (chosen, *filter(None, others))
        return SoriState(
            settings=settings,
            model=chosen.model,
            provider=chosen.provider.name,
            here=stays_here(chosen.provider),
            asked=_elsewhere(each.provider for each in asked),
            speech=_elsewhere(_speech_providers(settings)),
            files=file_servers(settings),
            account=account_server(settings),
            left=await self._left_today(),
            tools=frozenset(tool.name for tool in self.tools.all if tool.available()),
            facts=await self._facts(),
            home=str(self.basis.places.home),
            version=VERSION,
            called=await self._called(conversation) or wake_name(settings.voice.wake_word),
        )

    async def _own_model(self, settings: Settings, conversation: str) -> ModelChoice | None:
        """The model that the conversation or its agent has chosen; ``None`` for the settings' model."""
        if not conversation:
            return None
        try:
            agent = await self.storage.conversations.agent_of(conversation)
            reference = remembered(settings, await self.storage.conversations.chosen_model(conversation))
            reference = reference or (await self.agents.profiles.of(agent)).model
            return choose_for(settings, chosen=reference).choices[0] if reference else None
        except SoriError as error:
            log.warning("the model of the conversation is unknown: %s", error)
            return None

    async def _called(self, conversation: str) -> str:
        """The name by which the agent of a conversation is called; empty if it has none."""
        try:
            current = self.storage.current.get()
            agent = await self.storage.conversations.agent_of(conversation) if conversation else current
            return (await asyncio.to_thread(self.agents.workspaces.agent, agent)).file.wake_phrase.strip()
        except SoriError as error:
            log.warning("the name of the agent is unknown: %s", error)
            return ""

    async def _left_today(self) -> tuple[Egress, ...]:
        midnight = self.basis.clock.now().replace(hour=0, minute=0, second=0, microsecond=0)
        try:
            return await self.storage.ledger.rows(midnight)
        except StorageError as error:
            log.warning("the record of what left cannot be read: %s", error)
            return ()

    async def _facts(self) -> int:
        try:
            return len(await self.agents.personal.facts())
        except StorageError as error:
            log.warning("the memory cannot be read: %s", error)
            return 0


def _speech_providers(settings: Settings) -> Iterator[Provider]:
    if settings.voice.stt_model:
        yield choose_model(settings, settings.voice.stt_model).provider
    if settings.voice.tts == _SERVED:
        with suppress(SoriError):  # No server is named, so nothing is sent.
            # Imported here, because it needs NumPy, which an answer to a plain command does not.
            from assistant.engine.models.speech_models import speech_choice

            yield speech_choice(settings).provider


def file_servers(settings: Settings) -> tuple[str, ...]:
    """The servers elsewhere that compute the meanings of files, or keep their passages."""
    meanings: tuple[str, ...] = ()
    if settings.files.meanings:
        with suppress(SoriError):  # Its provider was removed, so nothing is sent.
            meanings = _elsewhere([choose_model(settings, settings.files.meanings).provider])
    host = urlsplit(settings.files.index).hostname
    return (*meanings, *([host] if host and not is_local_host(host) else ()))


def account_server(settings: Settings) -> str:
    """The server elsewhere that keeps the user's computers alike; empty for none, or while that is paused."""
    host = urlsplit(settings.sync.server).hostname or ""
    return "" if settings.sync.paused or is_local_host(host) else host


def _elsewhere(providers: Iterable[Provider]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each.name for each in providers if not stays_here(each)))
