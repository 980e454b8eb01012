"""Makes pictures with the model of ``[images] model``."""

import asyncio
from collections.abc import Callable

from assistant.agent.model_choice import choose_model, is_embedded, stays_here
from assistant.core.errors import ErrorCode, ProviderError, SettingsError
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Provider
from assistant.llm.attachments.images import UnfitImageError
from assistant.llm.attachments.made_image import made_image_type
from assistant.llm.backend import ImageRequest, ImageShape, ProviderBackend

_WORDS = {ErrorCode.CONTENT_REFUSED: "image_refused", ErrorCode.MODEL_NOT_FOUND: "image_model_missing"}
"""Texts for errors whose usual text speaks of answers."""


class ImageModels:
    """Implements ``ImageMaker`` of ``tools/builtin/online/images.py``.

    Args:
        live: the settings.
        backend_for: gives the backend of a provider.
    """

    def __init__(self, live: LiveSettings, backend_for: Callable[[Provider], ProviderBackend]) -> None:
        self._live = live
        self._backend_for = backend_for

    def available(self) -> bool:
        """Whether the settings name a model, and its provider is not Sori's own server, which makes no pictures."""
        provider = self._provider()
        return provider is not None and not is_embedded(provider)

    def stays_here(self) -> bool:
        """Whether the model's server is on this machine."""
        provider = self._provider()
        return provider is not None and stays_here(provider)

    def _provider(self) -> Provider | None:
        settings = self._live.current
        if not settings.images.model:
            return None
        try:
            return choose_model(settings, settings.images.model).provider
        except SettingsError:
            return None

    async def make(self, prompt: str, shape: ImageShape) -> tuple[str, bytes]:
        """Make a picture; see ``ImageMaker``.

        Raises:
            ProviderError: the server refuses, cannot be reached, or sends no picture.
        """
        choice = choose_model(self._live.current, self._live.current.images.model)
        backend = self._backend_for(choice.provider)
        request = ImageRequest(model=choice.model, prompt=prompt, shape=shape)
        try:
            data = await backend.image(choice.provider, request)
        except ProviderError as error:
            if error.code not in _WORDS:
                raise
            raise error.with_text(_WORDS[error.code]) from error
        try:
            return await asyncio.to_thread(made_image_type, data), data
        except UnfitImageError as error:
            name = choice.provider.name
            raise ProviderError(
                ErrorCode.INVALID_RESPONSE, str(error), provider=name, message_key="image_unusable"
            ) from error
