"""The language models: keys, backends, weights, and the models to choose from."""

import asyncio
from dataclasses import dataclass
from pathlib import Path

from assistant.agent.model_choice import EMBEDDED, choose_model, offered_models
from assistant.core import updates as up
from assistant.core.errors import ModelFileError
from assistant.core.settings import Settings
from assistant.engine.models.embedded_backends import EmbeddedBackends
from assistant.engine.models.fetches import ModelFetches
from assistant.engine.models.offers import ModelOffers
from assistant.engine.rooms.basis import Basis
from assistant.engine.rooms.storage import StorageRoom
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys
from assistant.host.model_store import open_store
from assistant.llm.backend import EmbeddedMemory, ServerState
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.server import model_file
from assistant.llm.facts.discovery import PORTS
from assistant.llm.facts.model_facts import known_model
from assistant.llm.gguf_size import parameters_in_file
from assistant.llm.router import BackendRegistry
from assistant.storage.learnt_models import LearntModels

_SERVER_PROGRESS = {ServerState.STARTING: 0.0, ServerState.LOADING: 0.5, ServerState.READY: 1.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRoom:
    """The keys, the backends (``answering`` has missing weights fetched), the weights, the models to choose from."""

    keys: Keys
    router: BackendRegistry
    fetches: ModelFetches
    answering: EmbeddedBackends
    offers: ModelOffers

    def parameters_of(self, name: str) -> float | None:
        """Number of parameters of a model of Sori's own server; ``None`` while it is missing. Reads its file."""
        try:
            return parameters_in_file(model_file(self.fetches.store.place(name)))
        except ModelFileError:
            return None


async def model_room(basis: Basis, storage: StorageRoom, *, wait_for_weights: bool) -> ModelRoom:
    """Make the backends; no model is loaded.

    Args:
        basis: what the room stands on.
        storage: keeps the records of requests.
        wait_for_weights: whether a request to Sori's own server waits until its model has been fetched.
    """
    places, live = basis.places, basis.live
    key_file = KeyFile(places.keys)
    if (damage := await asyncio.to_thread(lambda: key_file.damage)) is not None:
        basis.warn(damage.message_key, **damage.values)
    keys = Keys(file=key_file)
    fetches = ModelFetches(open_store(places.home), live, basis.tell)
    learnt = LearntModels(places.learnt_models, basis.clock)
    await asyncio.to_thread(learnt.load)

    def own() -> str:
        return choose_model(live.current, EMBEDDED.name).model

    router = BackendRegistry.discovered(_needs(basis, storage, fetches, keys, learnt, own()))
    return ModelRoom(
        keys=keys,
        router=router,
        fetches=fetches,
        answering=EmbeddedBackends(router, fetches, own, wait=wait_for_weights),
        offers=ModelOffers(
            live,
            named=lambda settings: (*offered_models(settings), *_weights_here(fetches, settings)),
            backend_for=router.backend_for,
            ledger=storage.ledger,
            clock=basis.clock,
            ports=PORTS,
        ),
    )


def _needs(
    basis: Basis, storage: StorageRoom, fetches: ModelFetches, keys: Keys, learnt: LearntModels, own: str
) -> BackendNeeds:
    def place(name: str) -> Path:
        return fetches.store.place(name)

    def on_embedded(state: ServerState) -> None:
        if state in _SERVER_PROGRESS:
            basis.tell(up.EngineProgressed(part="progress.language_model", fraction=_SERVER_PROGRESS[state]))

    def on_embedded_memory(taken: EmbeddedMemory) -> None:
        basis.tell(up.EmbeddedModelMemory(model=taken.model, size=taken.size or 0, memory=taken.memory))

    states = storage.states
    return BackendNeeds(
        key_of=keys.of,
        ledger=storage.ledger,
        learnt=learnt,
        embedded_model=place(own),
        embedded_place=place,
        settings=basis.live,
        clock=basis.clock,
        prompt_states=states,
        on_prompt_trouble=lambda reason: basis.warn("notice.prompt_not_kept", path=str(states.folder), reason=reason),
        on_embedded=on_embedded,
        on_embedded_memory=on_embedded_memory,
    )


def _weights_here(fetches: ModelFetches, settings: Settings) -> list[up.ModelOffer]:
    """Offers for the models of Sori's own server whose weights are on this machine."""
    store = fetches.store
    return [
        up.ModelOffer(
            reference=f"{EMBEDDED.name}/{name}",
            provider=EMBEDDED.name,
            model=name,
            images=known_model(EMBEDDED, name, settings.models).sees,
            local=True,
        )
        for name, model in store.manifest.items()
        if model.purpose == "llm" and all(each.exists() for each in store.files(model))
    ]
