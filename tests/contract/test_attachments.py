"""What every backend does with a message's files: on a real server of its wire format, whatever API it speaks."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from assistant.core.settings import Provider
from assistant.llm.backend import (
    AttachmentLeftOut,
    Finished,
    ModelAttachment,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
)
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.server import EmbeddedServer, model_file
from assistant.llm.router import BackendRegistry
from tests.fakes.backend_bench import Bench, Open, needs, text_of
from tests.fakes.files_sent import files_in
from tests.fakes.model_server.script import RecordedRequest
from tests.fakes.model_server.server import Reply, refusal
from tests.fakes.pictures import PDF, WAV, decoded, drawn, encoded, noise

TAKES_PDF = {"anthropic", "google"}
TAKES_SOUND = {"openai", "google"}


def attached(data: bytes, mime_type: str, name: str) -> ModelAttachment:
    return ModelAttachment(mime_type=mime_type, data=base64.b64encode(data).decode(), name=name)


def asked(*files: ModelAttachment, model: str = "scripted-model") -> ModelRequest:
    return ModelRequest(
        model=model, system="", messages=(ModelMessage(role="user", text="뭐가 보여?", attachments=files),)
    )


def arrived(bench: Bench) -> list[tuple[str, bytes]]:
    """The files of the newest request."""
    return files_in(bench.server.chats[-1].body)


async def test_images_arrive_pixel_for_pixel_and_in_their_order(opened: Open) -> None:
    pictures = [drawn(left=(number, 0, 0)) for number in (10, 120, 250)]
    files = [attached(encoded(each), "image/png", f"{index}.png") for index, each in enumerate(pictures)]
    async with opened(Reply(text="네.")) as bench:
        deltas = await bench.all(asked(*files))
        files_sent = arrived(bench)
    assert text_of(deltas) == "네."
    assert not any(isinstance(delta, AttachmentLeftOut) for delta in deltas)
    assert [media for media, _ in files_sent] == ["image/png"] * 3
    assert [decoded(data).tobytes() for _, data in files_sent] == [each.tobytes() for each in pictures]


async def test_a_document_and_a_sound_arrive_where_they_can_and_are_said_to_be_left_out_where_not(opened: Open) -> None:
    files = (attached(PDF, "application/pdf", "report.pdf"), attached(WAV, "audio/wav", "note.wav"))
    async with opened(Reply(text="네.")) as bench:
        deltas = await bench.all(asked(*files))
        files_sent = arrived(bench)
        told = str(bench.server.chats[-1].body)
    kind = bench.provider.kind
    wanted = {data for data, takers in ((PDF, TAKES_PDF), (WAV, TAKES_SOUND)) if kind in takers}
    assert {data for _, data in files_sent} == wanted
    left_out = [delta for delta in deltas if isinstance(delta, AttachmentLeftOut)]
    assert deltas[: len(left_out)] == left_out
    assert {each.name for each in left_out} == {
        name for name, data in (("report.pdf", PDF), ("note.wav", WAV)) if data not in wanted
    }
    assert all(f"The attached file {each.name} ({each.mime_type}) cannot be shown to you." in told for each in left_out)


async def test_an_archive_is_left_out_and_told_and_a_text_of_any_type_arrives(opened: Open) -> None:
    archive = attached(b"PK\x03\x04\x14\0\0\0", "application/zip", "a.zip")
    table = attached('{"이름": "소리"}'.encode(), "application/json", "a.json")
    async with opened(Reply(text="네.")) as bench:
        deltas = await bench.all(asked(archive, table))
        told = json.dumps(bench.server.chats[-1].body, ensure_ascii=False)
    assert text_of(deltas) == "네."
    left_out = AttachmentLeftOut(name="a.zip", mime_type="application/zip", reason="type")
    assert [delta for delta in deltas if isinstance(delta, AttachmentLeftOut)] == [left_out]
    assert "a.zip (application/zip) cannot be shown to you" in told
    assert "소리" in told


@pytest.fixture(scope="session")
def photograph() -> bytes:
    return encoded(noise(3200, 2400), "JPEG", quality=100, subsampling=0)


async def test_a_photograph_of_thirty_megabytes_arrives_small(opened_format: Open, photograph: bytes) -> None:
    async with opened_format(Reply(text="네.")) as bench:
        await bench.all(asked(attached(photograph, "image/jpeg", "a.jpg")))
        ((media, data),) = arrived(bench)
    assert media == "image/jpeg"
    assert len(photograph) > 25_000_000
    assert len(data) < 2_500_000
    assert max(decoded(data).size) <= 2048


async def test_a_broken_image_is_left_out_and_told(opened: Open) -> None:
    cut = encoded(noise(300, 200), "JPEG")[:4000]
    async with opened(Reply(text="네.")) as bench:
        first, *rest = await bench.all(asked(attached(cut, "image/jpeg", "cut.jpg")))
        assert arrived(bench) == []
        assert "The attached file cut.jpg (image/jpeg) cannot be shown to you." in str(bench.server.chats[-1].body)
    assert first == AttachmentLeftOut(name="cut.jpg", mime_type="image/jpeg", reason="broken")
    assert text_of(rest) == "네."
    assert isinstance(rest[-1], Finished)


async def test_a_tool_may_return_an_image(opened: Open) -> None:
    image = attached(encoded(drawn()), "image/png", "a.png")
    call = ModelToolCall(id="a", name="look", arguments={})
    messages = (
        ModelMessage(role="user", text="찍어 봐."),
        ModelMessage(role="assistant", text="", tool_calls=(call,)),
        ModelMessage(role="tool", text="찍었어요.", tool_call_id="a", attachments=(image,)),
    )
    async with opened(Reply(text="네.")) as bench:
        deltas = await bench.all(ModelRequest(model="scripted-model", system="", messages=messages))
        ((_, data),) = arrived(bench)
    assert text_of(deltas) == "네."
    assert decoded(data).tobytes() == drawn().tobytes()


async def test_a_model_that_is_known_not_to_see_is_sent_no_image(opened: Open) -> None:
    async with opened(Reply(text="네.")) as bench:
        first, *_ = await bench.all(asked(attached(encoded(drawn()), "image/png", "a.png"), model="deepseek-v3"))
        assert arrived(bench) == []
        assert len(bench.server.chats) == 1
    assert first == AttachmentLeftOut(name="a.png", mime_type="image/png", reason="type")


async def test_a_model_that_turns_out_not_to_see_is_asked_again_without_and_that_is_remembered(opened: Open) -> None:
    image = attached(encoded(drawn()), "image/png", "a.png")
    missing = AttachmentLeftOut(name="a.png", mime_type="image/png", reason="type")

    def answer(request: RecordedRequest) -> Reply:
        if files_in(request.body):
            return refusal(400, "This model does not support image input")
        return Reply(text="안 보여요.")

    async with opened(Reply(text="네.")) as bench:
        bench.server.script = answer
        for asked_so_far in (2, 3):
            deltas = await bench.all(asked(image))
            assert deltas[0] == missing
            assert text_of(deltas) == "안 보여요."
            assert len(bench.server.chats) == asked_so_far


@pytest.mark.models
@pytest.mark.parametrize("kind", ["local", "anthropic"])
async def test_a_real_server_whose_model_turns_out_not_to_see_answers_without_the_image(
    kind: str, model_path: Callable[[str], Path], tmp_path: Path
) -> None:
    # Under another name nothing is known of it.
    model = tmp_path / "some-model.gguf"
    model.symlink_to(model_file(model_path(PLACEHOLDER_MODEL)))
    server = EmbeddedServer(model, context_tokens=2048)
    router = BackendRegistry.discovered(replace(needs(), key_of=lambda _: server.key))
    try:
        provider = Provider(name="embedded", kind=kind, base_url=await server.start())
        message = ModelMessage(role="user", text="Hi.", attachments=(attached(encoded(drawn()), "image/png", "a.png"),))
        request = ModelRequest(model="", system="", messages=(message,), max_output_tokens=8)
        first, *rest = [delta async for delta in router.backend_for(provider).stream(provider, request)]
    finally:
        await router.close()
        await server.stop()
    assert first == AttachmentLeftOut(name="a.png", mime_type="image/png", reason="type")
    assert text_of(rest)
