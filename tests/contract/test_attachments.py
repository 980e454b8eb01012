"""What every backend does with a message's files: on a real server of its wire format, whatever API it speaks."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from assistant.core.settings import ModelFacts, Provider
from assistant.llm.backend import (
    Attachment,
    AttachmentLeftOut,
    BackendNeeds,
    Finished,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    ProviderBackend,
    TextDelta,
)
from assistant.llm.router import Router
from tests.fakes.backend_bench import KINDS, WIRES, text_of
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_script import RecordedRequest
from tests.fakes.model_server import ModelServer, Reply, refusal
from tests.fakes.pictures import PDF, WAV, decoded, drawn, encoded, noise

BLIND = ModelFacts(model="blind", images=False)
TAKES_PDF = {"anthropic", "google"}
TAKES_SOUND = {"openai", "google"}


def attached(data: bytes, mime_type: str, name: str) -> Attachment:
    return Attachment(mime_type=mime_type, data=base64.b64encode(data).decode(), name=name)


def asked(*files: Attachment, model: str = "scripted-model") -> ModelRequest:
    return ModelRequest(
        model=model, system="", messages=(ModelMessage(role="user", text="뭐가 보여?", attachments=files),)
    )


def files_in(content: Any) -> list[tuple[str, bytes]]:
    """Media type and bytes of every file in a request's body, in order, whatever API's body it is."""
    match content:
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            head, _, data = url.partition(";base64,")
            return [(head.removeprefix("data:"), base64.b64decode(data))]
        case {"type": "input_audio", "input_audio": {"data": data, "format": kind}}:
            return [(f"audio/{kind}", base64.b64decode(data))]
        case {"type": "base64", "media_type": kind, "data": data}:
            return [(kind, base64.b64decode(data))]
        case {"inlineData": {"mime_type": kind, "data": data}}:
            # As Google's SDK spells it, which the API takes as well.
            return [(kind, base64.urlsafe_b64decode(data))]
        case dict():
            return [file for each in content.values() for file in files_in(each)]
        case list():
            return [file for each in content for file in files_in(each)]
        case _:
            return []


class Bench:
    """A backend before a scripted server."""

    def __init__(self, kind: str, backend: ProviderBackend, server: ModelServer) -> None:
        self.kind = kind
        self.backend = backend
        self.server = server
        self.provider = Provider(name="mine", kind=kind, base_url=server.base_url)

    async def ask(self, request: ModelRequest) -> list[ModelDelta]:
        return [delta async for delta in self.backend.stream(self.provider, request)]

    def arrived(self) -> list[tuple[str, bytes]]:
        return files_in(self.server.chats[-1].body)


@asynccontextmanager
async def opened(kind: str, *script: Reply) -> AsyncIterator[Bench]:
    needs = BackendNeeds(
        ledger=MemoryLedger(), key_of=lambda _: "sk-0123456789", embedded_model=Path("absent.gguf"), facts=(BLIND,)
    )
    router = Router.discovered(needs)
    async with ModelServer(script or (Reply(text="네."),), wire=WIRES[kind]()) as server:
        try:
            yield Bench(kind, router.backend_for(Provider(name="mine", kind=kind)), server)
        finally:
            await router.close()


pytestmark = pytest.mark.parametrize("kind", KINDS)


async def test_images_arrive_pixel_for_pixel_and_in_their_order(kind: str) -> None:
    pictures = [drawn(left=(number, 0, 0)) for number in (10, 120, 250)]
    files = [attached(encoded(each), "image/png", f"{index}.png") for index, each in enumerate(pictures)]
    async with opened(kind) as bench:
        deltas = await bench.ask(asked(*files))
        arrived = bench.arrived()
    assert text_of(deltas) == "네."
    assert not any(isinstance(delta, AttachmentLeftOut) for delta in deltas)
    assert [media for media, _ in arrived] == ["image/png"] * 3
    assert [decoded(data).tobytes() for _, data in arrived] == [each.tobytes() for each in pictures]


async def test_a_document_and_a_sound_arrive_where_they_can_and_are_said_to_be_left_out_where_not(kind: str) -> None:
    files = (attached(PDF, "application/pdf", "report.pdf"), attached(WAV, "audio/wav", "note.wav"))
    async with opened(kind) as bench:
        deltas = await bench.ask(asked(*files))
        arrived = bench.arrived()
        told = str(bench.server.chats[-1].body)
    wanted = {data for data, takers in ((PDF, TAKES_PDF), (WAV, TAKES_SOUND)) if kind in takers}
    assert {data for _, data in arrived} == wanted
    left_out = [delta for delta in deltas if isinstance(delta, AttachmentLeftOut)]
    assert deltas[: len(left_out)] == left_out
    assert {each.name for each in left_out} == {
        name for name, data in (("report.pdf", PDF), ("note.wav", WAV)) if data not in wanted
    }
    assert all(f"The attached file {each.name} ({each.mime_type}) cannot be shown to you." in told for each in left_out)


async def test_a_photograph_of_thirty_megabytes_arrives_small(kind: str) -> None:
    photograph = encoded(noise(3200, 2400), "JPEG", quality=100, subsampling=0)
    async with opened(kind) as bench:
        await bench.ask(asked(attached(photograph, "image/jpeg", "a.jpg")))
        ((media, data),) = bench.arrived()
    assert media == "image/jpeg"
    assert len(photograph) > 25_000_000
    assert len(data) < 2_500_000
    assert max(decoded(data).size) <= 2048


async def test_a_broken_image_is_left_out_and_told(kind: str) -> None:
    cut = encoded(noise(300, 200), "JPEG")[:4000]
    async with opened(kind) as bench:
        first, *rest = await bench.ask(asked(attached(cut, "image/jpeg", "cut.jpg")))
        assert bench.arrived() == []
        assert "The attached file cut.jpg (image/jpeg) cannot be shown to you." in str(bench.server.chats[-1].body)
    assert first == AttachmentLeftOut(name="cut.jpg", mime_type="image/jpeg", reason="broken")
    assert isinstance(rest[0], TextDelta)
    assert isinstance(rest[-1], Finished)


async def test_a_tool_may_return_an_image(kind: str) -> None:
    image = attached(encoded(drawn()), "image/png", "a.png")
    call = ModelToolCall(id="a", name="look", arguments={})
    messages = (
        ModelMessage(role="user", text="찍어 봐."),
        ModelMessage(role="assistant", text="", tool_calls=(call,)),
        ModelMessage(role="tool", text="찍었어요.", tool_call_id="a", attachments=(image,)),
    )
    async with opened(kind) as bench:
        deltas = await bench.ask(ModelRequest(model="scripted-model", system="", messages=messages))
        ((_, data),) = bench.arrived()
    assert text_of(deltas) == "네."
    assert decoded(data).tobytes() == drawn().tobytes()


async def test_a_model_that_is_known_not_to_see_is_sent_no_image(kind: str) -> None:
    async with opened(kind) as bench:
        first, *_ = await bench.ask(asked(attached(encoded(drawn()), "image/png", "a.png"), model="blind"))
        assert bench.arrived() == []
        assert len(bench.server.chats) == 1
    assert first == AttachmentLeftOut(name="a.png", mime_type="image/png", reason="type")


async def test_a_model_that_turns_out_not_to_see_is_asked_again_without_and_that_is_remembered(kind: str) -> None:
    image = attached(encoded(drawn()), "image/png", "a.png")
    missing = AttachmentLeftOut(name="a.png", mime_type="image/png", reason="type")

    def answer(request: RecordedRequest) -> Reply:
        if files_in(request.body):
            return refusal(400, "This model does not support image input")
        return Reply(text="안 보여요.")

    async with opened(kind) as bench:
        bench.server.script = answer
        for asked_so_far in (2, 3):
            deltas = await bench.ask(asked(image))
            assert deltas[0] == missing
            assert text_of(deltas) == "안 보여요."
            assert len(bench.server.chats) == asked_so_far
