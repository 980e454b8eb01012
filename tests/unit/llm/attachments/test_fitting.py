import base64
from collections.abc import AsyncGenerator

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import ModelFacts, Provider
from assistant.llm.attachments.fitting import (
    ANTHROPIC,
    GOOGLE,
    LOCAL,
    LONGEST_QUOTATION,
    OPENAI,
    ZAI,
    Accepted,
    AttachmentPost,
    refused,
)
from assistant.llm.attachments.images import ImageLimits
from assistant.llm.backend import (
    AttachmentLeftOut,
    Finish,
    Finished,
    ModelAttachment,
    ModelDelta,
    ModelMessage,
    ModelRequest,
    ModelToolCall,
    TextDelta,
)
from tests.fakes.asking.replies import posted
from tests.fakes.pictures import HEIC, MP3, PDF, WAV, decoded, drawn, encoded, noise

MINE = Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1")
BLIND = ModelFacts(model="blind", images=False)
REPLY: list[ModelDelta] = [TextDelta(text="Yes."), Finished(reason=Finish.STOP)]
PNG = encoded(drawn())


def attached(data: bytes, mime_type: str, name: str = "file") -> ModelAttachment:
    return ModelAttachment(mime_type=mime_type, data=base64.b64encode(data).decode(), name=name)


def asked(*files: ModelAttachment, text: str = "What is this?") -> ModelMessage:
    return ModelMessage(role="user", text=text, attachments=files)


def refusal(detail: str, status: int = 400) -> ProviderError:
    return ProviderError(ErrorCode.INVALID_REQUEST, detail, provider="mine", status=status)


class Server:
    """Answers what it is sent, or refuses it.

    Args:
        refusals: what to raise, one a request; ``None`` and what follows them is answered.
        after: what is said before a refusal.
    """

    def __init__(self, *refusals: ProviderError | None, after: str = "") -> None:
        self.refusals = list(refusals)
        self.requests: list[ModelRequest] = []
        self.after = after

    async def __call__(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        self.requests.append(request)
        refused = self.refusals.pop(0) if self.refusals else None
        if refused is not None:
            if self.after:
                yield TextDelta(text=self.after)
            raise refused
        for delta in REPLY:
            yield delta


async def send(
    accepted: Accepted, *messages: ModelMessage, model: str = "some-model", server: Server | None = None
) -> tuple[list[AttachmentLeftOut], ModelRequest]:
    """What was left out, and the request as it was sent."""
    server = server or Server()
    post = AttachmentPost(accepted, lambda: (BLIND,))
    request = ModelRequest(model=model, system="", messages=messages)
    deltas = [delta async for delta in posted(post, MINE, request, server)]
    left_out = [delta for delta in deltas if isinstance(delta, AttachmentLeftOut)]
    assert deltas == [*left_out, *REPLY]
    return left_out, server.requests[-1]


@pytest.mark.parametrize(
    ("accepted", "taken"),
    [
        (OPENAI, {"image", "wav", "mp3"}),
        (ANTHROPIC, {"image", "pdf"}),
        (GOOGLE, {"image", "wav", "mp3", "pdf", "csv"}),
        (ZAI, {"image"}),
        (LOCAL, {"image"}),
    ],
)
async def test_each_api_is_sent_what_it_takes_and_of_the_rest_both_sides_are_told(
    accepted: Accepted, taken: set[str]
) -> None:
    files = {
        "image": attached(PNG, "image/png", "image"),
        "wav": attached(WAV, "audio/x-wav", "wav"),
        "mp3": attached(MP3, "audio/mp3", "mp3"),
        "pdf": attached(PDF, "application/pdf", "pdf"),
        "csv": attached(b"a,b", "text/csv", "csv"),
    }
    left_out, sent = await send(accepted, asked(*files.values()))
    assert {each.name for each in left_out} == files.keys() - taken - {"csv"}
    assert {each.reason for each in left_out} <= {"type"}
    (message,) = sent.messages
    assert [each.name for each in message.attachments] == [name for name in files if name in taken]
    for name in files:
        assert (f"[The attached file {name} (" in message.text) == (name not in taken | {"csv"})
    assert ('<file name="csv">\na,b\n</file>' in message.text) == ("csv" not in taken)


@pytest.mark.parametrize(
    ("name", "declared", "sent_as"),
    [
        ("a.mp4", "video/mp4", "video/mp4"),
        ("a.avi", "video/x-msvideo", "video/avi"),
        ("a.mov", "video/quicktime", "video/quicktime"),
        ("a.wmv", "video/x-ms-wmv", "video/wmv"),
        ("a.aiff", "audio/x-aiff", "audio/aiff"),
        ("a.aac", "audio/aac", "audio/aac"),
        ("a.html", "text/html", "text/html"),
        ("a.md", "text/markdown", "text/markdown"),
        ("a.js", "application/javascript", "text/javascript"),
        ("a.xml", "application/xml", "text/xml"),
    ],
)
async def test_gemini_is_sent_films_sounds_and_texts_by_the_names_that_it_knows(
    name: str, declared: str, sent_as: str
) -> None:
    left_out, sent = await send(GOOGLE, asked(attached(b"\1\2\3 something", declared, name)))
    assert left_out == []
    assert [each.mime_type for each in sent.messages[0].attachments] == [sent_as]


async def test_what_gemini_refuses_is_left_out_and_texts_of_other_types_are_quoted() -> None:
    archive = attached(b"PK\x03\x04\0", "application/zip", "a.zip")
    program = attached(b"MZ\0", "application/octet-stream", "a.exe")
    linked = ModelAttachment(mime_type="application/zip", url="https://example.org/b.zip", name="b.zip")
    table = attached(b'{"a": 1}', "application/json", "a.json")
    left_out, sent = await send(GOOGLE, asked(archive, table, program, linked, attached(PDF, "application/pdf", "p")))
    assert [(each.name, each.reason) for each in left_out] == [("a.zip", "type"), ("a.exe", "type"), ("b.zip", "type")]
    assert [each.name for each in sent.messages[0].attachments] == ["p"]
    assert '<file name="a.json">\n{"a": 1}\n</file>' in sent.messages[0].text
    assert "a.zip (application/zip) cannot be shown to you" in sent.messages[0].text


async def test_a_type_that_was_refused_is_quoted_or_left_out_from_then_on_and_others_are_sent() -> None:
    files = (attached(b"{rtf}", "text/rtf", "a.rtf"), attached(PDF, "application/pdf", "p"))
    film = attached(b"\0\1", "video/wmv", "a.wmv")
    server = Server(refusal("400: Unsupported MIME type: text/rtf"), refusal("400: unsupported mime type: video/wmv"))
    post = AttachmentPost(GOOGLE)
    request = ModelRequest(model="m", system="", messages=(asked(*files, film),))
    missing = AttachmentLeftOut(name="a.wmv", mime_type="video/wmv", reason="type")
    for requests in (3, 4):
        assert [delta async for delta in posted(post, MINE, request, server)] == [missing, *REPLY]
        assert len(server.requests) == requests
    (message,) = server.requests[-1].messages
    assert [each.name for each in message.attachments] == ["p"]
    assert '<file name="a.rtf">\n{rtf}\n</file>' in message.text


async def test_a_mail_goes_as_what_a_person_reads_of_it() -> None:
    headers = "Subject: =?utf-8?B?7JWI64WV?=\nFrom: a@b.kr\nContent-Type: text/html; charset=utf-8\n\n"
    written = f"{headers}<script>x</script><p>본문</p>".encode()
    _, sent = await send(LOCAL, asked(attached(written, "message/rfc822", "m.eml"), text="요약해 줘"))
    read = "From: a@b.kr\nSubject: 안녕\n\n본문"
    assert sent.messages[0].text == f'요약해 줘\n\n<file name="m.eml">\n{read}\n</file>'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949"])
async def test_a_text_file_goes_as_text_to_an_api_that_takes_no_files(encoding: str) -> None:
    poem = "산에는 꽃 피네\n꽃이 피네"
    left_out, sent = await send(LOCAL, asked(attached(poem.encode(encoding), "text/plain", "시.txt"), text="요약해 줘"))
    assert left_out == []
    assert sent.messages[0].text == f'요약해 줘\n\n<file name="시.txt">\n{poem}\n</file>'
    assert sent.messages[0].attachments == ()


@pytest.mark.parametrize(
    ("data", "mime_type", "reason"),
    [
        (b"x" * (LONGEST_QUOTATION + 1), "text/plain", "size"),
        (b"PK\x03\x04 not a text", "application/zip", "type"),
        (b"\xff\xfe\xff", "text/plain", "type"),
        (b" \n ", "text/plain", "broken"),
    ],
)
async def test_what_is_no_text_of_sensible_length_does_not_go_as_one(data: bytes, mime_type: str, reason: str) -> None:
    (left_out,), sent = await send(LOCAL, asked(attached(data, mime_type)))
    assert left_out.reason == reason
    assert "cannot be shown to you" in sent.messages[0].text


@pytest.mark.parametrize(
    ("file", "reason"),
    [
        (attached(b"no image", "image/png"), "broken"),
        (attached(encoded(noise(200, 200), "JPEG")[:3000], "image/jpeg"), "broken"),
        (attached(b"no document", "application/pdf"), "broken"),
        (ModelAttachment(mime_type="image/png", data="not base64!"), "broken"),
        (ModelAttachment(mime_type="image/png"), "broken"),
        (attached(HEIC, "image/heic"), "type"),
        (attached(b"<svg/>", "image/svg+xml"), "type"),
        (attached(encoded(drawn(), "TIFF"), "image/tiff"), "type"),
    ],
)
async def test_what_is_broken_or_of_no_use_is_left_out_with_its_reason(file: ModelAttachment, reason: str) -> None:
    (left_out,), sent = await send(GOOGLE, asked(file))
    assert left_out.reason == reason
    assert sent.messages[0].attachments == ()
    assert "cannot be shown to you" in sent.messages[0].text


async def test_a_file_is_sent_as_what_it_is_and_not_as_what_it_is_called() -> None:
    _, sent = await send(ANTHROPIC, asked(attached(PDF, "application/octet-stream"), attached(PNG, "image/jpeg")))
    assert [each.mime_type for each in sent.messages[0].attachments] == ["application/pdf", "image/png"]


@pytest.mark.long
async def test_an_image_of_thirty_megabytes_arrives_small() -> None:
    photograph = encoded(noise(3200, 2400), "JPEG", quality=100, subsampling=0)
    assert len(photograph) > 25_000_000
    left_out, sent = await send(ANTHROPIC, asked(attached(photograph, "image/jpeg")))
    assert left_out == []
    (image,) = sent.messages[0].attachments
    assert len(image.data) < 5 * 1024 * 1024
    assert max(decoded(base64.b64decode(image.data)).size) == 1568


async def test_images_keep_their_order_around_one_that_is_left_out() -> None:
    colours = [(10, 0, 0), (20, 0, 0), (30, 0, 0)]
    images = [attached(encoded(drawn(left=colour, right=colour)), "image/png") for colour in colours]
    _, sent = await send(OPENAI, asked(images[0], attached(b"?", "image/png"), *images[1:]))
    seen = [decoded(base64.b64decode(each.data)).getpixel((1, 1)) for each in sent.messages[0].attachments]
    assert seen == colours


async def test_addresses_are_passed_on_where_the_server_may_fetch_them() -> None:
    image = ModelAttachment(mime_type="image/jpg", url="https://example.org/a.jpg")
    pdf = ModelAttachment(mime_type="application/pdf", url="https://example.org/a.pdf", name="a.pdf")
    left_out, sent = await send(ANTHROPIC, asked(image, pdf))
    assert left_out == []
    assert [each.url for each in sent.messages[0].attachments] == [image.url, pdf.url]
    (missing,), _ = await send(OPENAI, asked(image, pdf))
    assert missing.name == "a.pdf"


async def test_what_has_no_room_in_a_request_is_the_oldest() -> None:
    files = [attached(PDF + bytes(60_000) + name.encode(), "application/pdf", name) for name in "abc"]
    pdf = frozenset({"application/pdf"})
    cramped = Accepted(image=ImageLimits(edge=100, size=1000), files=pdf, total=2 * len(files[0].data))
    left_out, sent = await send(cramped, *(asked(each) for each in files))
    assert left_out == [AttachmentLeftOut(name="a", mime_type="application/pdf", reason="size")]
    assert [len(message.attachments) for message in sent.messages] == [0, 1, 1]


async def test_a_model_that_is_known_not_to_see_is_shown_nothing() -> None:
    left_out, sent = await send(OPENAI, asked(attached(PNG, "image/png", "a.png")), model="blind")
    assert left_out == [AttachmentLeftOut(name="a.png", mime_type="image/png", reason="type")]
    assert sent.messages[0].text == "What is this?\n\n[The attached file a.png (image/png) cannot be shown to you.]"


async def test_files_of_earlier_turns_are_left_out_without_telling_the_user_again() -> None:
    call = ModelToolCall(id="a", name="look", arguments={})
    messages = (
        asked(attached(b"?", "image/png", "old")),
        ModelMessage(role="assistant", text="A cat."),
        asked(attached(b"?", "image/png", "new")),
        ModelMessage(role="assistant", text="", tool_calls=(call,)),
        ModelMessage(role="tool", text="", tool_call_id="a", attachments=(attached(b"?", "image/png", "found"),)),
    )
    left_out, sent = await send(OPENAI, *messages)
    assert [each.name for each in left_out] == ["new", "found"]
    assert sent.messages[4].text == "[The attached file found (image/png) cannot be shown to you.]"


REFUSALS = [
    ("400: invalid_request_error Invalid content type. image_url is only supported by certain models.", 400, "image"),
    ("400: Image input modality is not enabled for models/gemma", 400, "image"),
    ("400: Image inputs are not supported by this model.", 400, "image"),
    ("404: No endpoints found that support image input", 404, "image"),
    ("500: image input is not supported - hint: you may need to provide the mmproj", 500, "image"),
    ("500: this model is missing data required for image input", 500, "image"),
    ("422: messages[0]: unknown variant `image_url`, expected `text`", 422, "image"),
    ("400: messages[0].content must be a string", 400, "image"),
    ("400: 'claude-2' does not support image input", 400, "image"),
    ("400: m is not a multimodal model; does not support images", 400, "image"),
    ("400: Invalid content type. input_audio is not supported by this model", 400, "audio"),
    ("400: this model does not support PDF documents", 400, "file"),
]


SENT = {"image": "image/png", "audio": "audio/wav", "file": "application/pdf"}


@pytest.mark.parametrize(("words", "status", "family"), REFUSALS)
def test_a_server_may_say_in_many_ways_what_its_model_does_not_take(words: str, status: int, family: str) -> None:
    assert refused(refusal(words, status), {SENT[family]}) == family


def test_a_type_that_a_server_names_is_all_that_its_model_does_not_take() -> None:
    sent = {"text/rtf", "application/pdf", "image/png"}
    words = "400: Unsupported MIME type: text/rtf. Supported are image/png and application/pdf."
    assert refused(refusal(words), sent) == "text/rtf"


@pytest.mark.parametrize(
    "error",
    [
        refusal("400: Could not process image"),
        refusal("400: image exceeds 5 MB maximum"),
        refusal("400: temperature is not supported by this model"),
        ProviderError(ErrorCode.NETWORK, "the image connection is not supported", provider="mine"),
    ],
)
def test_other_refusals_are_not_taken_for_that(error: ProviderError) -> None:
    assert refused(error, {"image/png"}) is None


async def test_after_a_refusal_the_request_is_made_once_more_without_and_so_from_then_on() -> None:
    server = Server(refusal("400: this model does not support image input"))
    post = AttachmentPost(OPENAI)
    request = ModelRequest(model="m", system="", messages=(asked(attached(PNG, "image/png", "a.png")),))
    missing = AttachmentLeftOut(name="a.png", mime_type="image/png", reason="type")
    assert [delta async for delta in posted(post, MINE, request, server)] == [missing, *REPLY]
    assert [len(each.messages[0].attachments) for each in server.requests] == [1, 0]
    assert [delta async for delta in posted(post, MINE, request, server)] == [missing, *REPLY]
    assert len(server.requests) == 3
    other = ModelRequest(model="other", system="", messages=request.messages)
    assert [delta async for delta in posted(post, MINE, other, server)] == REPLY


async def test_a_refusal_of_something_else_is_the_callers() -> None:
    request = ModelRequest(model="m", system="", messages=(asked(attached(PNG, "image/png")),))
    for error, after in ((refusal("400: no"), ""), (refusal("400: images are not supported"), "Well")):
        server = Server(error, after=after)
        with pytest.raises(ProviderError) as raised:
            _ = [delta async for delta in posted(AttachmentPost(OPENAI), MINE, request, server)]
        assert raised.value is error
        assert len(server.requests) == 1


async def test_an_image_is_made_smaller_once_and_not_for_every_round() -> None:
    post = AttachmentPost(OPENAI)
    request = ModelRequest(model="m", system="", messages=(asked(attached(PNG, "image/png")),))
    server = Server()
    for _ in range(2):
        assert [delta async for delta in posted(post, MINE, request, server)] == REPLY
    first, second = (each.messages[0].attachments[0] for each in server.requests)
    assert second is first


async def test_a_request_without_files_is_passed_on_as_it_is() -> None:
    server = Server()
    request = ModelRequest(model="m", system="", messages=(asked(),))
    assert [delta async for delta in posted(AttachmentPost(OPENAI), MINE, request, server)] == REPLY
    assert server.requests[0] is request
