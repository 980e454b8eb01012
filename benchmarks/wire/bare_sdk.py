"""Direct use of a vendor's SDK: the baseline for Sori's overhead."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

QUESTION = "Tell me a long story."
MODEL = "scripted-model"
KEY = "sk-benchmark"
MAX_TOKENS = 50_000


async def openai_text(client: Any) -> AsyncIterator[str]:
    """Text of a chat completion, piece by piece."""
    stream = await client.chat.completions.create(
        model=MODEL,
        messages=[{"role": "user", "content": QUESTION}],
        stream=True,
        stream_options={"include_usage": True},
    )
    async with stream:
        async for chunk in stream:
            if chunk.choices and chunk.choices[0].delta.content:
                yield chunk.choices[0].delta.content


async def anthropic_text(client: Any) -> AsyncIterator[str]:
    """Text of a message, piece by piece."""
    stream = await client.messages.create(
        model=MODEL, max_tokens=MAX_TOKENS, messages=[{"role": "user", "content": QUESTION}], stream=True
    )
    async with stream:
        async for event in stream:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                yield event.delta.text


async def google_text(client: Any) -> AsyncIterator[str]:
    """Text of generated content, piece by piece."""
    async for chunk in await client.aio.models.generate_content_stream(model=MODEL, contents=QUESTION):
        if chunk.text:
            yield chunk.text


def openai_client(base_url: str) -> Any:
    """The SDK's client as in its documentation, without retries."""
    import openai

    return openai.AsyncOpenAI(api_key=KEY, base_url=base_url, max_retries=0)


def anthropic_client(base_url: str) -> Any:
    """The SDK's client as in its documentation, without retries."""
    import anthropic

    return anthropic.AsyncAnthropic(api_key=KEY, base_url=base_url, max_retries=0)


def google_client(base_url: str) -> Any:
    """The SDK's client as in its documentation; it adds the version to the path itself."""
    from google import genai

    return genai.Client(api_key=KEY, http_options={"base_url": base_url.removesuffix("/v1")})


async def close(client: Any) -> None:
    """Close a client of any of the SDKs."""
    if hasattr(client, "aio"):
        await client.aio.aclose()
        await asyncio.to_thread(client.close)
    else:
        await client.close()


CLIENTS = {"openai": openai_client, "anthropic": anthropic_client, "google": google_client}
TEXTS = {"openai": openai_text, "anthropic": anthropic_text, "google": google_text}
