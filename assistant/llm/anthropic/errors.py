"""Translates exceptions of the ``anthropic`` SDK into Sori's errors."""

import anthropic

from assistant.llm.transport.sdk_errors import SdkErrors

_ERRORS = SdkErrors(anthropic, anthropic.AnthropicError)

translated = _ERRORS.translated
provider_error = _ERRORS.provider_error
