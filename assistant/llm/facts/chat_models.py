"""Which of the models that a server lists one can talk with."""

import re
from collections.abc import Iterable

from assistant.core.errors import ErrorCode, ProviderError

_OTHERS = re.compile(
    r"embed|rerank|moderation|whisper|transcri|(^|[-_/])(asr|stt|tts|ocr)\b|text-to-speech|realtime|-live\b|native-audio"
    r"|dall-e|gpt-image|imagen|-image\b|-image-|sora|veo-|lyria|cogview|cogvideo|stable-diffusion|flux"
    r"|davinci|babbage|-instruct-0914|(^|[-_/])(bge|clip|e5)-|minilm|aqa$",
    re.IGNORECASE,
)
"""Names of models that turn texts into vectors, sounds or pictures, or sounds into texts; lists seldom say it."""


def is_chat_model(name: str) -> bool:
    """Whether one can talk with the model of this name, as far as its name tells."""
    return not _OTHERS.search(name)


def chat_models(names: Iterable[str]) -> tuple[str, ...]:
    """The names without those of models for something else; all of them when nothing would be left."""
    listed = tuple(dict.fromkeys(names))
    return tuple(name for name in listed if is_chat_model(name)) or listed


def chat_models_of(page: object, provider: str) -> tuple[str, ...]:
    """The same of a list of models as OpenAI and Anthropic word it, ``{"data": [{"id": …}, …]}``.

    Raises:
        ProviderError: ``invalid_response`` when it is none.
    """
    listed = page.get("data") if isinstance(page, dict) else None
    if not isinstance(listed, list):
        raise ProviderError(ErrorCode.INVALID_RESPONSE, "the list of models is not one", provider=provider)
    return chat_models(str(each["id"]) for each in listed if isinstance(each, dict) and each.get("id"))
