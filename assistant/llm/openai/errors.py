"""Translates exceptions of the ``openai`` SDK into Sori's errors."""

import openai

from assistant.llm.transport.sdk_errors import SdkErrors

_ERRORS = SdkErrors(openai, openai.OpenAIError)

translated = _ERRORS.translated
provider_error = _ERRORS.provider_error
