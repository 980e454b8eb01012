"""Chat completions in the form of the OpenAI API. The caller keeps the conversation; Sori stores nothing."""

import binascii
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from starlette.responses import JSONResponse, Response

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Role
from assistant.core.service.request import RefusedError
from assistant.core.service.requests.completions import AnswerMessages, Completed, GivenMessage
from assistant.remote.http.clients import EventStream
from assistant.remote.http.openai.annotations import annotations_of
from assistant.remote.http.operations import HttpCall
from assistant.remote.http.refusals import HttpRefusedError, failure_of, failure_response, refusal_json, refused
from assistant.remote.http.server_sent import BEAT, EventsResponse, data_line, unless_gone
from assistant.tasks import TaskSupervisor

SORI: Final = "sori"
"""The model that means the choice of the user's settings."""
_REFUSED: Final[Mapping[str, tuple[Any, ...]]] = {
    "tools": ([],),
    "functions": ([],),
    "n": (1,),
    "logprobs": (False,),
    "top_logprobs": (0,),
    "response_format": ({"type": "text"},),
    "audio": (),
    "modalities": (["text"],),
    "prediction": (),
    "web_search_options": (),
    "stop": ([], ""),
    "store": (False,),
}
"""Fields that change what an answer is, with the values that ask for nothing."""
_IGNORED: Final = (
    "temperature",
    "top_p",
    "max_tokens",
    "max_completion_tokens",
    "presence_penalty",
    "frequency_penalty",
    "seed",
    "logit_bias",
    "reasoning_effort",
    "verbosity",
    "service_tier",
    "tool_choice",
    "parallel_tool_calls",
)
"""Fields that tune an answer. The user's settings decide them; the answer names those that were passed over."""
_FINISH: Final = {"complete": "stop", "cancelled": "stop", "incomplete": "length"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """A request for a completion.

    Attributes:
        request: what the engine is asked.
        model: the model as the caller named it.
        streams: whether the answer is wanted in pieces.
        counts: whether a stream ends with the counts of tokens.
        created: Unix time in seconds.
        ignored: names of the fields that are passed over.
    """

    request: AnswerMessages
    model: str
    streams: bool
    counts: bool
    created: int
    ignored: tuple[str, ...]

    @property
    def headers(self) -> dict[str, str]:
        return {"x-sori-ignored": ", ".join(self.ignored)} if self.ignored else {}

    def told(self, kind: str, completed: Completed | None = None) -> dict[str, Any]:
        """What every answer and every piece of one begins with."""
        model = f"{completed.provider}/{completed.model}" if completed is not None and completed.model else self.model
        return {"id": f"chatcmpl-{self.request.turn}", "object": kind, "created": self.created, "model": model}


async def complete(call: HttpCall) -> Response:
    """Answer messages, at once or in pieces."""
    asked = _asked(call, await call.body())
    if asked.streams:
        stream = call.engine.follow(call.caller)
        return EventsResponse(_pieces(stream, asked), asked.headers, on_end=stream.close)
    with closing(call.engine.follow(call.caller)) as stream:
        completed = await unless_gone(call.http.receive, stream.connection.result(asked.request))
    if completed.failure is not None and completed.finish == "failed":
        return failure_response(completed.failure, asked.headers)
    choice = {
        "index": 0,
        "message": {
            "role": "assistant",
            "content": completed.text,
            "refusal": None,
            "annotations": annotations_of(completed),
        },
        "logprobs": None,
        "finish_reason": _FINISH.get(completed.finish, "stop"),
    }
    told = {**asked.told("chat.completion", completed), "choices": [choice], "usage": _usage(completed)}
    return JSONResponse(told, headers=asked.headers)


async def _pieces(stream: EventStream, asked: _Asked) -> AsyncGenerator[bytes, None]:
    """The answer in pieces, as the OpenAI API sends them."""

    def piece(delta: Mapping[str, Any], finish: str | None = None, completed: Completed | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return data_line({**asked.told("chat.completion.chunk", completed), "choices": [choice]})

    tasks = TaskSupervisor()
    answering = tasks.start(stream.connection.result(asked.request), name="streamed answer", handled=True)
    answering.add_done_callback(lambda _: stream.wake())
    try:
        yield piece({"role": "assistant", "content": ""})
        while (delivery := await stream.next()) is not None or not answering.done():
            if delivery is None:
                yield BEAT
            elif delta := _delta(delivery.event, asked.request.turn):
                yield piece(delta)
        completed = await answering
        if completed.failure is not None and completed.finish == "failed":
            yield data_line(refusal_json(failure_of(completed.failure)))
        else:
            if annotations := annotations_of(completed):
                yield piece({"annotations": annotations})
            yield piece({}, _FINISH.get(completed.finish, "stop"), completed)
            if asked.counts:
                told = asked.told("chat.completion.chunk", completed)
                yield data_line({**told, "choices": [], "usage": _usage(completed)})
    except RefusedError as error:
        yield data_line(refusal_json(error.refusal))
    finally:
        await tasks.close()
    yield b"data: [DONE]\n\n"


def _delta(event: up.Update, turn: TurnId) -> dict[str, Any]:
    """What an event adds to the answer of a turn; empty for nothing."""
    if not isinstance(event, up.PacketEmitted) or event.turn != turn:
        return {}
    match event.packet:
        case pk.AnswerDelta(text=text):
            return {"content": text}
        case pk.ReasoningDelta(text=text):
            return {"reasoning_content": text}
        case _:
            return {}


def _usage(completed: Completed) -> dict[str, int] | None:
    counts = completed.usage
    if not counts:
        return None
    asked, answered = counts.get("input", 0), counts.get("output", 0)
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _asked(call: HttpCall, body: Mapping[str, Any]) -> _Asked:
    """Read the body of a request.

    Raises:
        HttpRefusedError: it has mistakes, or asks for something that Sori does not do.
    """
    for name, nothing in _REFUSED.items():
        if body.get(name) is not None and body[name] not in nothing:
            raise refused(call.texts, HTTPStatus.BAD_REQUEST, "unsupported", name=name)
    given_as = {name: each for name, each in body.items() if each is not None}
    messages, model, streams = given_as.get("messages"), given_as.get("model", SORI), given_as.get("stream", False)
    options = given_as.get("stream_options", {})
    if not isinstance(messages, list) or not isinstance(model, str) or not isinstance(streams, bool):
        raise _wrong(call, "messages, model, stream")
    if not isinstance(options, dict):
        raise _wrong(call, "stream_options")
    given = [_message(call, each, f"messages[{number}]") for number, each in enumerate(messages)]
    told = tuple(each for each in given if isinstance(each, GivenMessage))
    if not told or told[-1].role is not Role.USER:
        raise _wrong(call, "messages: the last one must be the user's")
    request = AnswerMessages(
        turn=TurnId(call.engine.new_id()),
        messages=told,
        instructions="\n\n".join(each for each in given if isinstance(each, str)),
        model="" if model in ("", SORI) else model,
    )
    return _Asked(
        request=request,
        model=model or SORI,
        streams=streams,
        counts=options.get("include_usage") is True,
        created=int(time.time()),
        ignored=tuple(name for name in _IGNORED if body.get(name) is not None),
    )


def _message(call: HttpCall, message: Any, place: str) -> GivenMessage | str:
    """A message; the text alone of one with instructions."""
    if not isinstance(message, dict):
        raise _wrong(call, place)
    role, content = message.get("role"), message.get("content")
    if role not in ("system", "developer", "user", "assistant") or message.get("tool_calls"):
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "unsupported", name=f"{place}.role: {role}"[:80])
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    if not isinstance(parts, list):
        raise _wrong(call, f"{place}.content")
    text, files = _content(call, parts, f"{place}.content")
    if role in ("system", "developer"):
        return text
    if role == "user" and not text.strip() and not files:
        raise _wrong(call, f"{place}.content")
    return GivenMessage(role=Role(role), text=text, attachments=files)


def _content(call: HttpCall, parts: Sequence[Any], place: str) -> tuple[str, tuple[Attachment, ...]]:
    texts: list[str] = []
    files: list[Attachment] = []
    for number, part in enumerate(parts):
        match part:
            case {"type": "text", "text": str(text)}:
                texts.append(text)
            case {"type": "image_url", "image_url": {"url": str(url)}}:
                files.append(_image(call, url, f"{place}[{number}]"))
            case {"type": str(kind)} if kind != "text":
                raise refused(call.texts, HTTPStatus.BAD_REQUEST, "unsupported", name=f"{place}[{number}]: {kind}"[:80])
            case _:
                raise _wrong(call, f"{place}[{number}]")
    return "".join(texts), tuple(files)


def _image(call: HttpCall, url: str, place: str) -> Attachment:
    """A picture in the message itself. An address elsewhere is not fetched for a caller."""
    head, _, data = url.partition(",")
    kind = head.removeprefix("data:").removesuffix(";base64")
    if not head.startswith("data:image/") or not head.endswith(";base64"):
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "unsupported", name=f"{place}.image_url")
    try:
        return Attachment(mime_type=kind, name="image", data=binascii.a2b_base64(data, strict_mode=True))
    except (binascii.Error, ValueError):
        raise _wrong(call, f"{place}.image_url") from None


def _wrong(call: HttpCall, detail: str) -> HttpRefusedError:
    return refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail=detail)
