"""Pictures from a server on loopback, through the whole way of a request to a provider."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest

from assistant.core.errors import KEY_MISSING, ErrorCode, ProviderError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import DataClass
from assistant.core.settings import ImagesSettings, Provider, Settings
from assistant.engine.models.image_models import ImageModels
from assistant.host.texts import load_texts
from assistant.llm.attachments.made_image import MOST_BYTES
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import Fault, ModelServer, Reply, refusal
from tests.fakes.model_server.wire import Wire
from tests.fakes.model_server.wire_images import (
    GoogleImagesWire,
    OpenAIImagesWire,
    gemini_picture,
    picture_reply,
)
from tests.fakes.pictures import announcing, drawn, encoded
from tests.unit.engine.models.conftest import Backends

PICTURE = encoded(drawn())
Make = Callable[..., ImageModels]


@pytest.fixture
def make(backends: Backends) -> Make:
    """Makes ``ImageModels`` whose provider ``mine`` is at an address."""

    def made(base_url: str, model: str = "mine/gpt-image-1", *, kind: str = "openai", key: str = "k") -> ImageModels:
        provider = Provider(name="mine", kind=kind, base_url=base_url, api_key_env="MINE_KEY")
        live = LiveSettings(Settings(providers=(provider,), images=ImagesSettings(model=model)))
        return ImageModels(live, backends(live, key))

    return made


def drawing(script: Any, wire: Wire | None = None) -> ModelServer:
    return ModelServer(script, wire=wire or OpenAIImagesWire())


async def test_a_picture_is_asked_for_and_checked(make: Make, ledger: MemoryLedger) -> None:
    async with drawing([picture_reply(PICTURE)]) as server:
        kind, data = await make(server.base_url).make("고양이", "landscape")
    (asked,) = server.requests
    assert (kind, data) == ("image/png", PICTURE)
    assert asked.body == {"model": "gpt-image-1", "prompt": "고양이", "n": 1, "size": "1536x1024"}
    assert asked.headers["authorization"] == "Bearer k"
    (row,) = ledger.rows
    assert (row.purpose, row.provider, row.local, row.data) == ("image", "mine", True, (DataClass.CONVERSATION,))
    assert row.size == len(json.dumps(asked.body, separators=(",", ":"), ensure_ascii=False).encode())


@pytest.mark.parametrize(
    ("model", "shape", "size"),
    [("dall-e-3", "portrait", "1024x1792"), ("dall-e-2", "portrait", "1024x1024"), ("sd", "square", "1024x1024")],
)
async def test_other_models_are_told_their_own_size_and_to_send_the_picture(
    make: Make, model: str, shape: Any, size: str
) -> None:
    async with drawing([picture_reply(PICTURE)]) as server:
        await make(server.base_url, f"mine/{model}").make("a cat", shape)
    (asked,) = server.requests
    assert (asked.body["size"], asked.body["response_format"]) == (size, "b64_json")


async def test_a_local_server_without_a_key_draws_as_well(make: Make) -> None:
    async with drawing([picture_reply(PICTURE)]) as server:
        models = make(server.base_url, "mine", kind="local", key="k")
        await models.make("a cat", "square")
    (asked,) = server.requests
    assert "model" not in asked.body
    assert models.stays_here()


async def test_a_parameter_that_the_server_refuses_is_left_out(make: Make) -> None:
    async with ModelServer(
        [picture_reply(PICTURE)], wire=OpenAIImagesWire(), refuse=frozenset({"response_format", "size"})
    ) as server:
        await make(server.base_url, "mine/sd").make("a cat", "square")
    assert [set(each.body) for each in server.requests] == [
        {"model", "prompt", "n", "size", "response_format"},
        {"model", "prompt", "n", "size"},
        {"model", "prompt", "n"},
    ]


@pytest.mark.parametrize(
    ("reply", "code", "reason", "words"),
    [
        (
            refusal(400, "Your request was rejected by the safety system.", code="moderation_blocked"),
            ErrorCode.CONTENT_REFUSED,
            "image_refused",
            "거절",
        ),
        (
            refusal(429, "You exceeded your current quota.", code="insufficient_quota"),
            ErrorCode.QUOTA,
            "quota",
            "한도",
        ),
        (refusal(401, "Incorrect API key provided."), ErrorCode.AUTHENTICATION, "authentication", "API 키"),
        (refusal(404, "no such route"), ErrorCode.MODEL_NOT_FOUND, "image_model_missing", "[images] model"),
        (
            Reply(body="<html>", content_type="text/html"),
            ErrorCode.INVALID_RESPONSE,
            "invalid_response",
            "읽을 수 없는",
        ),
        (
            Reply(body='{"data": [{"url": "https://elsewhere.example/1.png"}]}'),
            ErrorCode.INVALID_RESPONSE,
            "image_unusable",
            "address",
        ),
        (Reply(body='{"data": [{"b64_json": "%%%"}]}'), ErrorCode.INVALID_RESPONSE, "image_unusable", "base64"),
        (picture_reply(b"GIF89a"), ErrorCode.INVALID_RESPONSE, "image_unusable", "image/gif"),
        (picture_reply(PICTURE[:60]), ErrorCode.INVALID_RESPONSE, "image_unusable", "쓸 수 있는 그림"),
        (picture_reply(announcing(10_000, 10_000)), ErrorCode.INVALID_RESPONSE, "image_unusable", "10000"),
        (
            picture_reply(PICTURE + bytes(MOST_BYTES)),
            ErrorCode.INVALID_RESPONSE,
            "image_unusable",
            str(MOST_BYTES + len(PICTURE)),
        ),
    ],
    ids=["policy", "quota", "key", "model", "page", "address", "base64", "gif", "damaged", "pixels", "bytes"],
)
async def test_what_goes_wrong_is_told_by_its_name(
    make: Make, reply: Reply, code: ErrorCode, reason: str, words: str
) -> None:
    async with drawing([reply]) as server:
        with pytest.raises(ProviderError) as raised:
            await make(server.base_url).make("a cat", "square")
    assert (raised.value.code, raised.value.reason) == (code, reason)
    assert words in load_texts("ko")(raised.value.message_key, **raised.value.values)
    assert load_texts("en")(raised.value.message_key, **raised.value.values)


async def test_without_a_key_nothing_is_sent(make: Make) -> None:
    async with drawing([picture_reply(PICTURE)]) as server:
        with pytest.raises(ProviderError) as raised:
            await make(server.base_url, key="").make("a cat", "square")
    assert (raised.value.reason, server.requests) == (KEY_MISSING, [])


async def test_cancelling_closes_the_connection(make: Make) -> None:
    async with drawing([Reply(fault=Fault.STALL, fault_after=0)]) as server:
        task = asyncio.create_task(make(server.base_url).make("a cat", "square"))
        request = await server.request()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await request.over.wait()
        assert request.disconnected_at is not None


async def test_google_draws(make: Make, ledger: MemoryLedger) -> None:
    async with drawing([gemini_picture(PICTURE)], GoogleImagesWire()) as server:
        models = make(server.base_url, "mine/gemini-2.5-flash-image", kind="google")
        kind, data = await models.make("a cat", "portrait")
    (asked,) = server.requests
    assert (kind, data) == ("image/png", PICTURE)
    assert asked.body["generationConfig"]["imageConfig"] == {"aspectRatio": "3:4"}
    assert [row.purpose for row in ledger.rows] == ["image"]


async def test_google_refuses(make: Make) -> None:
    refused = Reply(body='{"candidates": [{"finishReason": "IMAGE_SAFETY"}]}')
    async with drawing([refused], GoogleImagesWire()) as server:
        with pytest.raises(ProviderError) as raised:
            await make(server.base_url, "mine/gemini-2.5-flash-image", kind="google").make("a cat", "square")
    assert raised.value.reason == "image_refused"


async def test_a_provider_without_pictures_says_so(make: Make) -> None:
    with pytest.raises(ProviderError) as raised:
        await make("http://127.0.0.1:1", "mine/claude", kind="anthropic").make("a cat", "square")
    assert raised.value.reason == "no_images"


def test_pictures_are_available_with_a_model_of_a_server_that_can_make_them(make: Make) -> None:
    assert make("http://127.0.0.1:1").available()
    assert not make("http://127.0.0.1:1", "").available()
    assert not make("http://127.0.0.1:1", "embedded/x").available()
    assert not make("https://images.example").stays_here()
