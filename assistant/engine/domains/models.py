"""The domain of models: which can be chosen, and which are on this machine."""

import asyncio
import logging
import statistics
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from typing_extensions import override

from assistant.agent.ending import message_of, reason_of
from assistant.agent.model_choice import EMBEDDED, choose_for, choose_model, remembered
from assistant.core import updates as up
from assistant.core.errors import SoriError, StorageError
from assistant.core.records.usage import Exchange
from assistant.core.service.events import Audience
from assistant.core.service.requests import models as rq
from assistant.core.settings import Provider
from assistant.engine.chat_wiring import Chat
from assistant.engine.domains.stored.file_warnings import file_warnings
from assistant.engine.domains.weights import Weights
from assistant.engine.models.fetch_retry import may_pass
from assistant.engine.models.fitting import fit_of, memory_of
from assistant.engine.serving.table import SESSION, Domain, Handlers, serves
from assistant.host.added_provider import VENDORS, add_provider
from assistant.host.keys import has_keyring
from assistant.host.needed_models import free_memory, needed_models, total_memory
from assistant.host.places import Places
from assistant.llm.backend import ProviderBackend
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.transport.endpoint import wants_key
from assistant.tasks import TaskSupervisor
from assistant.weights.store import ModelState

_log = logging.getLogger(__name__)

_LEAST_TOKENS = 16
"""Fewest tokens of an answer for the measured speed; a shorter answer says little."""
_REMEMBERED = 20
"""Number of newest answers for the measured speed; older ones may be from other settings."""


class Models(Domain):
    """Owns the requests for models. Lives on the engine's loop.

    Args:
        chat: has the offers, the fetches, the settings and the usage.
        home: the user's folder.
        publish: takes events for everybody.
        deliver: takes events for one client.
        tell_of: reports an error to the user.
        jobs: runs the engine's background work.
    """

    def __init__(
        self,
        chat: Chat,
        home: Path,
        *,
        publish: Callable[[up.Update], None],
        deliver: Callable[[up.Update, Audience], None],
        tell_of: Callable[[SoriError], None],
        jobs: TaskSupervisor,
    ) -> None:
        self._chat, self._home = chat, home
        self._publish, self._deliver, self._tell_of, self._jobs = publish, deliver, tell_of, jobs
        self._wanted = False
        self._showing = asyncio.Lock()
        chat.models.fetches.changed.add(lambda _: self._changed())

    def _changed(self) -> None:
        # Show nothing before the user has opened the list. A running update is followed by another soon.
        if self._wanted and not self._showing.locked():
            self._jobs.start(self._show(), name="show a fetch")

    @override
    def handlers(self) -> Handlers:
        weights = Weights(lambda: self._chat.models.fetches.store, self._deliver, self._show)
        return {**super().handlers(), **weights.handlers()}

    @serves()
    async def _list_models(self, request: rq.ListModels) -> rq.OfferedModels:
        chosen = (
            await self._chat.storage.conversations.chosen_model(request.conversation) if request.conversation else ""
        )
        await self._search()
        offers = self._chat.models.offers
        return rq.OfferedModels(
            chosen=chosen,
            models=offers.offers,
            unlisted=tuple(
                rq.UnlistedModels(
                    provider=provider,
                    code=error.code.value,
                    reason=reason_of(error, self._chat.basis.texts),
                    message=message_of(error, self._chat.basis.texts),
                )
                for provider, error in offers.unlisted.items()
            ),
        )

    async def found(self) -> tuple[up.ModelOffer, ...]:
        """Search the models to choose from."""
        await self._search()
        return self._chat.models.offers.offers

    @serves()
    async def _check_files(self, request: rq.CheckFiles) -> tuple[rq.FileWarning | None, ...]:
        return await file_warnings(self._chat, request)

    @serves(lane=SESSION)
    async def _choose_model(self, request: rq.ChooseModel) -> None:
        reference = request.model
        if reference:
            # Store the provider's name too, even if only the model's name was typed.
            reference = choose_model(self._chat.basis.live.current, reference).reference
        await self._chat.storage.conversations.choose_model(request.conversation, reference)
        self._show_choice(request.conversation, reference)

    async def recall(self, conversation: str) -> None:
        """Show the choice of a conversation that is opened. Its server may have to be found again."""
        reference = await self._chat.storage.conversations.chosen_model(conversation)
        try:
            await self._chat.models.offers.recall(reference)
        except StorageError as error:
            _log.warning("no server is looked for: %s", error)
        self._show_choice(conversation, reference)

    async def choice(self, conversation: str) -> tuple[up.Update, ...]:
        """What a client that follows a conversation is told of its model."""
        reference = await self._chat.storage.conversations.chosen_model(conversation)
        with suppress(SoriError):
            return self._chosen(conversation, reference), up.ModelsOffered(models=self._chat.models.offers.offers)
        return ()

    @serves()
    async def _list_kept_models(self, _: rq.ListKeptModels) -> up.ModelsKept:
        self._wanted = True
        return await self._kept_now()

    @serves()
    async def _fetch_model(self, request: rq.FetchModel) -> None:
        self._chat.models.fetches.begin(request.model)
        await self._show()

    @serves()
    async def _pause_fetch(self, request: rq.PauseFetch) -> None:
        self._chat.models.fetches.pause(request.model)
        await self._show()

    @serves()
    async def _unload_model(self, _: rq.UnloadModel) -> None:
        await self._own_server.unload()
        await self._show()

    @property
    def _own_server(self) -> ProviderBackend:
        return self._chat.models.router.backend_for(EMBEDDED)

    async def key_changed(self, provider: str) -> None:
        """Use another key of a provider; its models are searched in the background."""
        self._chat.models.keys.forget(provider)
        await self._show()
        self._jobs.start(self._search(), name="look for models")

    async def configure(self, vendor: str) -> None:
        """Add a vendor to the settings, unless they have it."""
        if vendor not in [each.name for each in self._chat.basis.live.current.providers]:
            await self._chat.settings.edit(lambda config: add_provider(config, vendor))

    async def _search(self) -> None:
        try:
            await self._chat.models.fetches.rescan()
            await self._chat.models.offers.look(lambda offers: self._publish(up.ModelsOffered(models=offers)))
        finally:
            self._publish(up.ModelsOffered(models=self._chat.models.offers.offers))

    def _show_choice(self, conversation: str, reference: str) -> None:
        """Show the model that answers in a conversation, and the models to choose from."""
        try:
            self._publish(self._chosen(conversation, reference))
        except SoriError as error:
            # The chosen model's provider may have been removed from the settings.
            _log.warning("the model of this conversation cannot be used: %s", error)
            self._tell_of(error)
        self._publish(up.ModelsOffered(models=self._chat.models.offers.offers))

    def _chosen(self, conversation: str, reference: str) -> up.ModelChosen:
        settings = self._chat.basis.live.current
        choice = choose_for(settings, chosen=remembered(settings, reference)).choices[0]
        return up.ModelChosen(
            provider=choice.provider.name,
            model=choice.model,
            placeholder=choice.placeholder,
            conversation=conversation,
            reference=reference,
        )

    async def _show(self) -> None:
        async with self._showing:
            self._publish(await self._kept_now())

    async def kept(self) -> up.ModelsKept:
        """The models that Sori can run itself, and how they stand here."""
        return await self._kept_now()

    async def _kept_now(self) -> up.ModelsKept:
        await self._chat.models.fetches.rescan()
        states = await asyncio.to_thread(self._chat.models.fetches.store.states)
        exchanges = await self._chat.storage.usage.exchanges()
        needed = await asyncio.to_thread(needed_models, self._chat.basis.live.current)
        total, free = total_memory(), free_memory()
        models = [replace(self._kept(each, exchanges), needed=each.model.name in needed) for each in states]
        models = [
            replace(each, fit=fit_of(each.memory, total=total, free=free)) if each.memory is not None else each
            for each in models
        ]
        models.sort(key=_order)
        loaded = self._own_server.loaded()
        return up.ModelsKept(
            models=tuple(models),
            keys=await asyncio.to_thread(self._key_places),
            keyring=await asyncio.to_thread(has_keyring),
            file=str(Places(self._home).keys),
            loaded="" if loaded is None else loaded.model,
            loaded_memory=None if loaded is None else loaded.memory,
            memory_total=total,
            memory_free=free,
        )

    def _kept(self, state: ModelState, exchanges: tuple[Exchange, ...]) -> up.KeptModel:
        model, fetches = state.model, self._chat.models.fetches
        progress = fetches.progress(model.name)
        keeping = up.Keeping.HERE if state.present else up.Keeping.ABSENT if state.absent else up.Keeping.DAMAGED
        if not state.present and progress is not None:
            keeping = up.Keeping.FETCHING
        elif not state.present and fetches.store.paused(model.name):
            keeping = up.Keeping.PAUSED
        trouble = None if state.present else fetches.trouble(model.name)
        if trouble is not None:
            keeping = up.Keeping.WAITING if may_pass(trouble) else up.Keeping.FAILED
        return up.KeptModel(
            model=model.name,
            title=model.title,
            reference=f"{EMBEDDED.name}/{model.name}" if model.purpose == "llm" else "",
            size=model.size,
            licence=model.licence,
            keeping=keeping,
            fraction=progress.fraction if progress is not None else fetches.store.fraction(model.name),
            left=fetches.left(model.name),
            trouble="" if trouble is None else message_of(trouble, self._chat.basis.texts).strip(),
            detail="" if trouble is None else trouble.detail,
            own=model.own,
            third_party=model.source == "third_party",
            tokens_per_s=pace(exchanges, model.name),
            purpose=model.purpose,
            languages=model.languages,
            memory=memory_of(model) if model.purpose == "llm" else None,
            memory_measured=model.memory is not None,
            korean=model.korean,
            tools=model.tools,
        )

    def _key_places(self) -> tuple[up.KeyPlace, ...]:
        settings = self._chat.basis.live.current
        configured = [each for each in settings.providers if wants_key(each)]
        names = {each.name for each in settings.providers}
        taken = names | {each.kind for each in configured if not each.base_url}
        vendors = [Provider(name=kind, kind=kind) for kind in VENDORS if kind not in taken]
        return tuple(
            up.KeyPlace(
                provider=each.name,
                kind=each.kind,
                has_key=bool(self._chat.models.keys.of(each)),
                configured=each.name in names,
            )
            for each in (*configured, *vendors)
        )


def _order(model: up.KeptModel) -> tuple[bool, bool, bool]:
    return model.purpose != "llm", model.keeping is up.Keeping.ABSENT, model.model == PLACEHOLDER_MODEL


def pace(exchanges: tuple[Exchange, ...], model: str) -> float | None:
    """Median speed of a model of Sori's own server in its newest answers, in tokens per second; ``None`` if unknown.

    Args:
        exchanges: oldest first.
        model: its name.
    """
    seen = [
        each.output / (each.total_ms - each.first_token_ms) * 1000
        for each in exchanges
        if each.provider == EMBEDDED.name
        and each.model == model
        and each.requests == 1
        and each.output is not None
        and each.output >= _LEAST_TOKENS
        and each.first_token_ms is not None
        and each.total_ms > each.first_token_ms
        and each.outcome == "complete"
    ]
    return statistics.median(seen[-_REMEMBERED:]) if seen else None
