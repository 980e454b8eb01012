"""The form in which Sori asked every model before small models had their own: the baseline of two benchmarks.

It has the system prompt for large models, all tools with their schemas through the template, and the time at the end of
each message. The server's reply is not changed.
"""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from assistant.core.settings import Language
from assistant.llm.backend import ModelMessage, ModelRequest, ToolSchema
from assistant.llm.openai.format import request_body
from assistant.llm.providers.local import LocalBackend

_PATIENT_S = 300
_PROMPTS = Path(__file__).with_name("former_prompts")
_SENT: dict[Language, str] = {
    "ko": "[보낸 시각: 2026년 11월 22일 일요일 15:05]",
    "en": "[sent: Sunday, November 22, 2026 15:05]",
}


@dataclass(frozen=True, slots=True)
class Reply:
    """The server's reply."""

    text: str
    call: tuple[str, dict[str, Any]] | None


async def ask(
    backend: LocalBackend, language: Language, text: str, tools: tuple[ToolSchema, ...], longest: int
) -> Reply:
    """Ask one question in the former form.

    Args:
        backend: the backend of the embedded server.
        language: language of the settings.
        text: the question.
        tools: the offered tools.
        longest: maximum tokens of the answer.
    """
    request = ModelRequest(
        model="",
        system=(_PROMPTS / f"{language}.md").read_text(encoding="utf-8").strip(),
        messages=(ModelMessage(role="user", text=f"{text}\n\n{_SENT[language]}"),),
        tools=tools,
        max_output_tokens=longest,
    )
    async with backend.embedded.use() as url:
        body = {**request_body(request), "stream": False}
        del body["stream_options"]
        reply = await asyncio.to_thread(_post, f"{url}/chat/completions", backend.embedded.key, body)
    message = reply["choices"][0]["message"]
    calls = message.get("tool_calls") or []
    call = calls[0]["function"] if calls else None
    made = (call["name"], json.loads(call["arguments"] or "{}")) if call else None
    return Reply(message.get("content") or "", made)


def _post(url: str, key: str, body: dict[str, Any]) -> Any:
    headers = {"Authorization": f"Bearer {key}"}
    return httpx2.post(url, json=body, headers=headers, timeout=_PATIENT_S).raise_for_status().json()
