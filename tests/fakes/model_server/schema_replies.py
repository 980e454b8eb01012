"""A scripted model server that follows the JSON Schema of a request, as far as it knows of schemas.

The object is made from the schema as it stands in the request: what the client has lost on the way is missing in it.
"""

import json
from collections.abc import Callable, Collection
from typing import Any

from tests.fakes.model_server.script import RecordedRequest, Reply, ScriptedCall, refusal
from tests.fakes.model_server.wire_google import failure

FORMS = frozenset({"schema", "object", "tool"})
"""The forms in which a server may be asked for an object: by a schema, as any JSON object, by a call of a tool."""


def following(known: Collection[str] = FORMS, *, ignores: bool = False) -> Callable[[RecordedRequest], Reply]:
    """A script.

    Args:
        known: the forms that the server knows; it refuses the others.
        ignores: whether the server ignores all forms instead, and only its model reads the schema in the prompt.
    """

    def reply_to(request: RecordedRequest) -> Reply:
        form, where, schema = _asked(request.body)
        if form and form not in known and not ignores:
            words = f"{where}: Extra inputs are not permitted"
            return failure(400, words) if "generationConfig" in request.body else refusal(400, words, param=where)
        if ignores or form not in ("schema", "tool"):
            schema = _told(request.body)
        text = json.dumps(instance_of(schema), ensure_ascii=False)
        if form == "tool" and not ignores:
            return Reply(text="", tool_calls=(ScriptedCall(name=request.body["tool_choice"]["name"], arguments=text),))
        in_words = ignores or not form
        return Reply(text=f"Here it is:\n```json\n{text}\n```\nAnything else?" if in_words else text)

    return reply_to


def _asked(body: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """The form in which a request asks for an object, the parameter, and its schema."""
    if wanted := body.get("response_format"):
        with_schema = wanted["type"] == "json_schema"
        schema = wanted["json_schema"]["schema"] if with_schema else {}
        return "schema" if with_schema else "object", "response_format", schema
    if wanted := body.get("output_config", {}).get("format"):
        return "schema", "output_config.format", wanted["schema"]
    if body.get("tool_choice", {}).get("type") == "tool":
        (schema,) = (tool["input_schema"] for tool in body["tools"] if tool["name"] == body["tool_choice"]["name"])
        return "tool", "tool_choice", schema
    generation = body.get("generationConfig", {})
    if "responseSchema" in generation:
        return "schema", "generation_config.response_schema", generation["responseSchema"]
    return ("object", "response_mime_type", {}) if "responseMimeType" in generation else ("", "", {})


def _told(body: dict[str, Any]) -> dict[str, Any]:
    """The schema in the system prompt: its last line."""
    system = body.get("system") or body.get("systemInstruction") or body["messages"][0]["content"]
    if isinstance(system, dict):
        system = system["parts"]
    if isinstance(system, list):
        system = system[-1]["text"]
    told: dict[str, Any] = json.loads(system.splitlines()[-1])
    return told


def instance_of(schema: dict[str, Any], root: dict[str, Any] | None = None) -> Any:
    """A value that follows a schema in JSON Schema's or Gemini's form. Members that are not required are left out."""
    root = root or schema
    if "$ref" in schema:
        return instance_of(root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if "const" in schema or "enum" in schema:
        return schema.get("const", (schema.get("enum") or [None])[-1])
    for name in ("anyOf", "any_of", "oneOf", "allOf"):
        if name in schema:
            return instance_of(schema[name][0], root)
    kind = schema["type"][0] if isinstance(schema["type"], list) else schema["type"]
    match kind.lower():
        case "object":
            return {name: instance_of(schema["properties"][name], root) for name in schema.get("required", ())}
        case "array":
            return [instance_of(schema["items"], root)] * int(schema.get("minItems") or schema.get("min_items") or 1)
        case "string":
            return '중괄호 {} 와 "따옴표"\n둘째 줄'
        case "boolean":
            return True
        case "null":
            return None
        case _:
            return schema.get("minimum", 50_000)
