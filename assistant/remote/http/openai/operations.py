"""The addresses of the OpenAI API that Sori serves, as its official clients call them."""

from typing import Any, Final

from starlette.responses import JSONResponse, Response

from assistant.core.records.egress import DataClass
from assistant.core.service.requests.models import ListModels
from assistant.core.service.requests.speech import SoundForm
from assistant.remote.http.openai import audio, chat
from assistant.remote.http.operations import EVENTS, HttpCall, Operation

_OTHER: Final[dict[str, Any]] = {"type": "object", "additionalProperties": True}


async def list_models(call: HttpCall) -> Response:
    """The models that can be named; ``sori`` is the choice of the user's settings."""
    offered = await call.engine.result(call.caller, ListModels())
    told = [_model(chat.SORI, "sori", is_local=True, images=False)]
    told += [_model(each.reference, each.provider, is_local=each.local, images=each.images) for each in offered.models]
    return JSONResponse({"object": "list", "data": told})


def _model(name: str, owner: str, *, is_local: bool, images: bool) -> dict[str, Any]:
    told = {"id": name, "object": "model", "created": 0, "owned_by": owner}
    return {**told, "local": is_local, "images": images}


_MESSAGE: Final = {
    "type": "object",
    "properties": {
        "role": {"enum": ["system", "developer", "user", "assistant"]},
        "content": {"type": "string", "minLength": 1, "pattern": r"\S"},
    },
    "required": ["role", "content"],
}

OPENAI: Final = (
    Operation(
        method="GET",
        path="/v1/models",
        handle=list_models,
        summary="List the models that can be named, in the form of the OpenAI API.",
        gives=dict,
    ),
    Operation(
        method="POST",
        path="/v1/chat/completions",
        handle=chat.complete,
        summary="Answer messages that the caller keeps, in the form of the OpenAI API. Nothing is stored.",
        body={
            "type": "object",
            "properties": {
                "messages": {"type": "array", "items": _MESSAGE, "minItems": 1},
                "model": {"type": ["string", "null"]},
                "stream": {"type": ["boolean", "null"]},
            },
            "required": ["messages"],
        },
        gives=dict,
        also=(EVENTS,),
        data=(DataClass.CONVERSATION, DataClass.TOOL_RESULT),
    ),
    Operation(
        method="POST",
        path="/v1/audio/transcriptions",
        handle=audio.transcribe,
        summary="Transcribe a recording on this computer, in the form of the OpenAI API.",
        sends=audio.MULTIPART,
        body={
            "type": "object",
            "properties": {
                "file": {"type": "string", "contentMediaType": "application/octet-stream"},
                "model": {"type": "string"},
                "language": {"enum": ["ko", "en"]},
                "response_format": {"enum": ["json", "text", "verbose_json", "srt", "vtt", "sori"]},
                "saying": {"type": "string"},
                "fell_silent": {"enum": ["true", "false"]},
            },
            "required": ["file"],
        },
        gives=dict,
        also=("text/plain",),
        data=(DataClass.CONVERSATION,),
    ),
    Operation(
        method="POST",
        path="/v1/audio/speech",
        handle=audio.speak,
        summary="Read a text with a voice of this computer, in the form of the OpenAI API.",
        body={
            "type": "object",
            "properties": {
                "input": {"type": "string", "maxLength": 4096},
                "model": {"type": "string"},
                "voice": {"type": "string"},
                "response_format": {"enum": [each.value for each in SoundForm]},
                "speed": {"type": "number", "minimum": 0.25, "maximum": 4},
            },
            "required": ["input"],
        },
        media="audio/*",
        data=(DataClass.AUDIO,),
    ),
    Operation(
        method="GET",
        path="/v1/audio/voices",
        handle=audio.list_voices,
        summary="List the voices that can speak.",
        gives=dict,
    ),
)
