"""Pictures from Google: Gemini's image models reply with a picture as a part.

Imagen's own request is missing, because Google and its SDK have given it up.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from google import genai
from google.genai import types

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import ImageRequest, ImageShape

_RATIOS: Mapping[ImageShape, str] = MappingProxyType({"square": "1:1", "portrait": "3:4", "landscape": "4:3"})
_REFUSED = frozenset({"SAFETY", "IMAGE_SAFETY", "PROHIBITED_CONTENT", "IMAGE_PROHIBITED_CONTENT", "BLOCKLIST", "SPII"})


async def image_of(sdk: genai.Client, request: ImageRequest, provider: str) -> bytes:
    """Make one picture.

    Raises:
        ProviderError: ``content_refused``; or ``invalid_response`` when the reply holds no picture. The SDK's own
            exceptions pass.
    """
    config = types.GenerateContentConfig(
        response_modalities=["IMAGE"],
        image_config=types.ImageConfig(aspect_ratio=_RATIOS[request.shape]),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents: Any = request.prompt
    reply = await sdk.aio.models.generate_content(model=request.model, contents=contents, config=config)
    feedback = reply.prompt_feedback
    if feedback is not None and feedback.block_reason is not None:
        raise _refusal(feedback.block_reason.value, provider)
    for candidate in reply.candidates or ():
        for part in (candidate.content.parts if candidate.content else None) or ():
            if part.inline_data is not None and part.inline_data.data:
                return part.inline_data.data
        if candidate.finish_reason is not None and candidate.finish_reason.value in _REFUSED:
            raise _refusal(candidate.finish_reason.value, provider)
    detail = "the reply holds no picture"
    raise ProviderError(ErrorCode.INVALID_RESPONSE, detail, provider=provider, message_key="image_unusable")


def _refusal(reason: str, provider: str) -> ProviderError:
    return ProviderError(ErrorCode.CONTENT_REFUSED, f"refused: {reason}", provider=provider)
