"""Transcription in the OpenAI format: ``POST /audio/transcriptions``, which local servers speak as well."""

from collections.abc import Mapping
from typing import Any, Final

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import TranscribedSpeech, TranscriptionRequest

LONGEST_REPLY: Final = 4 * 1024 * 1024
"""Bytes of a reply that are read: half a minute of speech, with each word's time."""

_PLAIN_ONLY: Final = ("gpt-4o", "gpt-audio")
"""Beginnings of the names of models that refuse ``verbose_json``."""
OPTIONAL: Final = ("response_format", "temperature", "language")
"""Fields that a server may not know; without them it uses its own values."""
_LANGUAGES: Final = {"korean": "ko", "english": "en"}
"""``verbose_json`` has names of languages in place of codes."""


def form_fields(request: TranscriptionRequest) -> dict[str, str]:
    """The fields of the form beside the file."""
    fields = {"temperature": "0"}
    if request.model:
        fields["model"] = request.model
    if request.language:
        fields["language"] = request.language
    # The evidence for the words is only in the detailed format.
    fields["response_format"] = "json" if request.model.startswith(_PLAIN_ONLY) else "verbose_json"
    return fields


def speech_in(reply: Mapping[str, Any], provider: str) -> TranscribedSpeech:
    """The text in a reply, with the evidence for it if the server gives any.

    Raises:
        ProviderError: ``invalid_response``, when the reply holds no text.
    """
    text = reply.get("text")
    if not isinstance(text, str):
        raise ProviderError(ErrorCode.INVALID_RESPONSE, "the reply holds no transcript", provider=provider)
    told = str(reply.get("language") or "").strip().lower()
    return TranscribedSpeech(
        text=" ".join(text.split()),
        language=_LANGUAGES.get(told, told if len(told) == 2 else ""),
        average_log_probability=_mean(reply, "avg_logprob"),
        no_speech_probability=_mean(reply, "no_speech_prob"),
    )


def _mean(reply: Mapping[str, Any], name: str) -> float:
    """The mean of a number in all segments; 0 if no segment has it."""
    segments = reply.get("segments")
    found = [each.get(name) for each in segments if isinstance(each, Mapping)] if isinstance(segments, list) else []
    numbers = [float(each) for each in found if isinstance(each, int | float)]
    return sum(numbers) / len(numbers) if numbers else 0.0
