"""Serves the window's list of models: fetches, pauses and removes weights, and stores keys."""

import asyncio
import logging
import statistics
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from assistant.agent.model_choice import EMBEDDED
from assistant.core import controls as ct
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.records.usage import Exchange
from assistant.core.settings import Provider
from assistant.engine.chat_wiring import Chat
from assistant.host.added_provider import VENDORS, add_provider
from assistant.host.key_file import KeyFile
from assistant.host.keys import check_key, has_keyring, store_key
from assistant.host.places import Places
from assistant.llm.providers.local import PLACEHOLDER_MODEL
from assistant.llm.transport.endpoint import wants_key
from assistant.weights.store import ModelState

_log = logging.getLogger(__name__)

_LEAST_TOKENS = 16
"""Fewest tokens of an answer for the measured speed; a shorter answer says little."""
_REMEMBERED = 20
"""Number of newest answers for the measured speed; older ones may be from other settings."""


class ModelShelf:
    """Shows the models on this machine and carries out the user's actions on them. Lives on the engine's loop.

    Args:
        chat: has the fetches, settings and usage.
        home: the user's folder.
        publish: takes updates.
        tell_of: reports an error to the user.
        start_job: runs a coroutine in the background.
        on_new_provider: called when a provider was added to the settings.
    """

    def __init__(
        self,
        chat: Chat,
        home: Path,
        *,
        publish: Callable[[up.Update], None],
        tell_of: Callable[[SoriError], None],
        start_job: Callable[[Coroutine[Any, Any, None]], None],
        on_new_provider: Callable[[], None],
    ) -> None:
        self._chat, self._home = chat, home
        self._publish, self._tell_of, self._start_job = publish, tell_of, start_job
        self._on_new_provider = on_new_provider
        self._wanted = False
        self._showing = asyncio.Lock()
        chat.fetches.changed.add(lambda _: self._changed())

    def _changed(self) -> None:
        # Show nothing before the user has opened the list. A running update is followed by another soon.
        if self._wanted and not self._showing.locked():
            self._start_job(self._show())

    async def obey(self, control: ct.ModelControl) -> None:
        """Carry out a control and report an error."""
        self._wanted = True
        try:
            match control:
                case ct.ListKeptModels():
                    pass
                case ct.FetchModel(model=model):
                    self._chat.fetches.begin(model)
                case ct.PauseFetch(model=model):
                    self._chat.fetches.pause(model)
                case ct.RemoveModel(model=model):
                    await asyncio.to_thread(self._chat.fetches.store.remove, model)
                case ct.StoreKey():
                    await self._store_key(control)
        except SoriError as error:
            _log.warning("%s was not done: %s", type(control).__name__, error)
            self._tell_of(error)
        await self._show()

    async def _store_key(self, control: ct.StoreKey) -> None:
        name, key = control.provider, control.key.strip()
        check_key(key)
        if control.in_file:
            aside = await asyncio.to_thread(KeyFile(Places(self._home).keys).store, name, key)
            if aside is not None:
                values = {"path": str(aside)}
                self._publish(up.NoticePosted(key="notice.keys_aside", severity=up.Severity.WARNING, values=values))
        else:
            await asyncio.to_thread(store_key, name, key)
        self._chat.keys.forget(name)
        live = self._chat.live
        if name not in [each.name for each in live.current.providers]:
            await self._chat.settings.edit(lambda config: add_provider(config, name))
        self._on_new_provider()

    async def _show(self) -> None:
        async with self._showing:
            await self._chat.fetches.rescan()
            states = await asyncio.to_thread(self._chat.fetches.store.states)
            exchanges = await self._chat.usage.exchanges()
            models = [self._kept(each, exchanges) for each in states if each.model.purpose == "llm"]
            models.sort(key=lambda each: (each.keeping is up.Keeping.ABSENT, each.model == PLACEHOLDER_MODEL))
            self._publish(
                up.ModelsKept(
                    models=tuple(models),
                    keys=await asyncio.to_thread(self._key_places),
                    keyring=await asyncio.to_thread(has_keyring),
                    file=str(Places(self._home).keys),
                )
            )

    def _kept(self, state: ModelState, exchanges: tuple[Exchange, ...]) -> up.KeptModel:
        model, fetches = state.model, self._chat.fetches
        progress = fetches.progress(model.name)
        keeping = up.Keeping.HERE if state.present else up.Keeping.ABSENT if state.absent else up.Keeping.DAMAGED
        if not state.present and progress is not None:
            keeping = up.Keeping.FETCHING
        elif not state.present and fetches.store.paused(model.name):
            keeping = up.Keeping.PAUSED
        return up.KeptModel(
            model=model.name,
            title=model.title,
            reference=f"{EMBEDDED.name}/{model.name}",
            size=model.size,
            licence=model.licence,
            keeping=keeping,
            fraction=progress.fraction if progress is not None else fetches.store.fraction(model.name),
            left=fetches.left(model.name),
            own=model.own,
            third_party=model.source == "third_party",
            tokens_per_s=pace(exchanges, model.name),
        )

    def _key_places(self) -> tuple[up.KeyPlace, ...]:
        settings = self._chat.live.current
        configured = [each for each in settings.providers if wants_key(each)]
        names = {each.name for each in settings.providers}
        taken = names | {each.kind for each in configured if not each.base_url}
        vendors = [Provider(name=kind, kind=kind) for kind in VENDORS if kind not in taken]
        return tuple(
            up.KeyPlace(
                provider=each.name,
                kind=each.kind,
                has_key=bool(self._chat.keys.of(each)),
                configured=each.name in names,
            )
            for each in (*configured, *vendors)
        )


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
