"""Finds backends, and has the weights of Sori's own server fetched before a request."""

from collections.abc import Awaitable, Callable

from assistant.agent.model_choice import is_embedded
from assistant.core.settings import Provider
from assistant.engine.models.fetches import ModelFetches
from assistant.llm.backend import ForwardingBackend, ProviderBackend
from assistant.llm.router import BackendRegistry


class EmbeddedBackends:
    """A router that has the embedded models' weights fetched before their server starts.

    Args:
        router: finds the backends.
        fetches: fetches weights.
        model: tells the embedded server's default model.
        wait: whether a request waits for the weights without a limit. Otherwise it fails with the remaining time.
    """

    def __init__(self, router: BackendRegistry, fetches: ModelFetches, model: Callable[[], str], *, wait: bool) -> None:
        self._router = router
        self._fetches = fetches
        self._model = model
        self._wait = wait

    def backend_for(self, provider: Provider) -> ProviderBackend:
        """The provider's backend."""
        backend = self._router.backend_for(provider)
        return _Fetching(backend, self._have) if is_embedded(provider) else backend

    async def _have(self, model: str) -> None:
        name = model or self._model()
        await (self._fetches.ensure(name) if self._wait else self._fetches.have(name))


class _Fetching(ForwardingBackend):
    """A backend whose model is fetched when the model is first prepared."""

    def __init__(self, backend: ProviderBackend, have: Callable[[str], Awaitable[None]]) -> None:
        super().__init__(backend)
        self._have = have

    async def prepare(self, provider: Provider, model: str = "") -> None:
        """Fetch the model if it is missing, and load it."""
        await self._have(model)
        await super().prepare(provider, model)
