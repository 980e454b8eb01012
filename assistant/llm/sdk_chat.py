"""The base class of a wire format over an official SDK."""

from collections.abc import AsyncGenerator

from assistant.llm.backend import (
    EmbeddingRequest,
    Embeddings,
    ImageRequest,
    ModelDelta,
    ModelRequest,
    SpeechRequest,
    SpokenPart,
    TranscribedSpeech,
    TranscriptionRequest,
    without_embeddings,
    without_images,
    without_speech,
    without_transcription,
)
from assistant.llm.transport.endpoint import Endpoint


class SdkChat:
    """Speaks one wire format through its SDK. Lives on one event loop.

    The requests that not every format has are members too, which raise the error of a missing ability.
    """

    async def prepare(self, endpoint: Endpoint) -> None:
        """Make the provider's client, so that the first request need not wait for it.

        Raises:
            ProviderError: the key or the address is malformed.
        """
        raise NotImplementedError

    def stream(self, endpoint: Endpoint, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        """Run one inference; closing the generator closes the connection.

        Raises:
            ProviderError: as in ``ProviderBackend.stream``.
        """
        raise NotImplementedError

    async def model_names(self, endpoint: Endpoint) -> tuple[str, ...]:
        """The chat models that the server lists.

        Raises:
            ProviderError: the list cannot be read.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Close every client."""
        raise NotImplementedError

    async def image(self, endpoint: Endpoint, request: ImageRequest) -> bytes:
        """Make one picture.

        Raises:
            ProviderError: as in ``ProviderBackend.image``.
        """
        raise without_images(endpoint.provider, request.model)

    async def embed(self, endpoint: Endpoint, request: EmbeddingRequest) -> Embeddings:
        """Compute the vectors of texts.

        Raises:
            ProviderError: as in ``ProviderBackend.embed``.
        """
        raise without_embeddings(endpoint.provider, request.model)

    async def transcribe(self, endpoint: Endpoint, request: TranscriptionRequest) -> TranscribedSpeech:
        """Transcribe a recording.

        Raises:
            ProviderError: as in ``ProviderBackend.transcribe``.
        """
        raise without_transcription(endpoint.provider, request.model)

    def speak(self, endpoint: Endpoint, request: SpeechRequest) -> AsyncGenerator[SpokenPart, None]:
        """Say a text.

        Raises:
            ProviderError: as in ``ProviderBackend.speak``.
        """
        raise without_speech(endpoint.provider, request.model)
