"""Makes a model the one that answers everywhere from now on, as soon as it is here."""

import asyncio
from contextlib import suppress
from pathlib import Path

from assistant.agent.model_choice import choose_model, is_embedded
from assistant.core.errors import SoriError
from assistant.core.service.requests import models as rq
from assistant.engine.chat_wiring import Chat
from assistant.engine.serving.table import Domain, serves
from assistant.host.added_provider import add_entry
from assistant.storage.kept_object import read_object, write_object
from assistant.tasks import TaskSupervisor


class Adoption(Domain):
    """Owns the request to adopt a model.

    A model of Sori's own server is fetched first; until it is here the former one answers. Which one is awaited stands
    in a file, so that it is adopted also after a restart.

    Args:
        chat: has the settings, the fetches and the servers that were found.
        path: the file.
        jobs: runs what goes on in the background.
    """

    def __init__(self, chat: Chat, path: Path, jobs: TaskSupervisor) -> None:
        self._chat, self._path, self._jobs = chat, path, jobs
        chat.models.fetches.ended.add(lambda error: self._arrived() if error is None else None)

    @property
    def awaited(self) -> str:
        """The model that is adopted as soon as it is here; empty for none."""
        return str(read_object(self._path, ", so no model is awaited").get("model", ""))

    async def go_on(self) -> None:
        """Fetch the model that was awaited when Sori ended."""
        model = await asyncio.to_thread(lambda: self.awaited)
        if model:
            with suppress(SoriError):  # Told like every failed fetch, or the manifest has no such model any more.
                await self._adopt_own(model)

    @serves(lane="adopt")
    async def _adopt_model(self, request: rq.AdoptModel) -> None:
        """Adopt a model.

        Raises:
            SettingsError: there is no such provider, or the settings file cannot be changed.
            SoriError: the model cannot be fetched at all, or the file cannot be written.
        """
        settings, live = self._chat.settings, self._chat.basis.live
        choice = choose_model(live.current, request.model)
        if is_embedded(choice.provider):
            await self._adopt_own(choice.model)
            return
        await self._await("")
        if choice.provider.name not in {each.name for each in live.written.providers}:
            await settings.edit(lambda config: add_entry(config, choice.provider))
        await settings.set("llm.model", choice.model)
        await settings.set("llm.provider", choice.provider.name)

    async def _adopt_own(self, model: str) -> None:
        fetches = self._chat.models.fetches
        if not await fetches.here(model):
            await self._await(model)
            fetches.begin(model)
            return
        settings = self._chat.settings
        await settings.set("llm.embedded_model", model)
        for name in ("llm.provider", "llm.model"):
            await settings.change(name, None)
        await self._await("")

    def _arrived(self) -> None:
        if self.awaited:
            self._jobs.start(self._adopt_arrived(), name="adopt a model")

    async def _adopt_arrived(self) -> None:
        model = await asyncio.to_thread(lambda: self.awaited)
        if model and await self._chat.models.fetches.here(model):
            await self._adopt_own(model)

    async def _await(self, model: str) -> None:
        if model != self.awaited:
            await asyncio.to_thread(write_object, self._path, {"model": model})
