"""Filters the chat models out of a server's list of models."""

import re
from collections.abc import Iterable

from assistant.core.errors import ErrorCode, ProviderError

_OTHERS = re.compile(
    r"embed|rerank|moderation|whisper|transcri|(^|[-_/])(asr|stt|tts|ocr)\b|text-to-speech|realtime|-live\b|native-audio"
    r"|dall-e|gpt-image|imagen|-image\b|-image-|sora|veo-|lyria|cogview|cogvideo|stable-diffusion|flux"
    r"|(^|[-_./])mmproj\b|davinci|babbage|-instruct-0914|(^|[-_/])(bge|clip|e5)-|minilm|aqa$",
    re.IGNORECASE,
)
"""Names of models for embeddings, speech, images or transcription. Lists of models seldom say what a model is for."""


def is_chat_model(name: str) -> bool:
    """Whether one can talk with the model of this name, as far as its name tells."""
    return not _OTHERS.search(name)


def chat_models(names: Iterable[str]) -> tuple[str, ...]:
    """The names of chat models, or all names if none would be left."""
    listed = tuple(dict.fromkeys(names))
    return tuple(name for name in listed if is_chat_model(name)) or listed


def chat_models_of(page: object, provider: str) -> tuple[str, ...]:
    """The chat models of a list in the format of OpenAI and Anthropic, ``{"data": [{"id": …}, …]}``.

    Raises:
        ProviderError: ``invalid_response`` when the list has another format.
    """
    listed = page.get("data") if isinstance(page, dict) else None
    if not isinstance(listed, list):
        detail = 'the server\'s list of models is not of the form {"data": […]}'
        raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=provider)
    return chat_models(str(each["id"]) for each in listed if isinstance(each, dict) and each.get("id"))
