"""Image models for a scripted model server: OpenAI's ``/images/generations``, and Gemini's pictures."""

import base64
import json

from tests.fakes.model_server.script import RecordedRequest, Reply, refusal
from tests.fakes.model_server.wire_google import GoogleWire
from tests.fakes.model_server.wire_openai import CREATED, OpenAIWire

_SIZES = {
    "dall-e-2": {"256x256", "512x512", "1024x1024"},
    "dall-e-3": {"1024x1024", "1792x1024", "1024x1792"},
    "gpt-image-1": {"1024x1024", "1536x1024", "1024x1536", "auto"},
}


class OpenAIImagesWire(OpenAIWire):
    """Pictures in place of answers. As strict as the API: ``gpt-image-1`` knows no ``response_format``."""

    def is_chat(self, request: RecordedRequest) -> bool:
        return request.path.endswith("/images/generations")

    def objection(self, request: RecordedRequest) -> Reply | None:
        body, model = request.body, str(request.body.get("model", "dall-e-2"))
        if not isinstance(body.get("prompt"), str) or not body["prompt"]:
            return refusal(400, "Missing required parameter: 'prompt'.", param="prompt")
        if model == "gpt-image-1" and "response_format" in body:
            return refusal(400, "Unknown parameter: 'response_format'.", param="response_format")
        if "size" in body and model in _SIZES and body["size"] not in _SIZES[model]:
            return refusal(400, f"The size is not supported by {model}.", param="size")
        return None


def picture_reply(data: bytes) -> Reply:
    """The reply with a picture."""
    entry = {"b64_json": base64.b64encode(data).decode()}
    return Reply(body=json.dumps({"created": CREATED, "data": [entry]}))


class GoogleImagesWire(GoogleWire):
    """Pictures in place of answers, by ``generateContent``."""

    def is_chat(self, request: RecordedRequest) -> bool:
        return request.path.endswith(":generateContent")

    def objection(self, request: RecordedRequest) -> Reply | None:
        return None


def gemini_picture(data: bytes) -> Reply:
    """Gemini's reply with a picture."""
    part = {"inlineData": {"mimeType": "image/png", "data": base64.b64encode(data).decode()}}
    candidate = {"content": {"role": "model", "parts": [{"text": "Here."}, part]}, "finishReason": "STOP"}
    return Reply(body=json.dumps({"candidates": [candidate]}))
