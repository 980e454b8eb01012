"""Following: a conversation, or what concerns everybody, as events."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

from starlette.responses import Response

from assistant.core import updates as up
from assistant.core.formats.json_form import to_json
from assistant.core.records.egress import DataClass
from assistant.core.service.request import RefusedError
from assistant.core.service.requests import conversations as cv
from assistant.remote.http.clients import MOST_WAITING, EventStream
from assistant.remote.http.operations import EVENTS, HttpCall, Operation
from assistant.remote.http.refusals import refusal_json
from assistant.remote.http.server_sent import BEAT, EventsResponse, event

_SILENT = (up.LevelMeasured,)
"""Events that are not passed on: the level of the microphone comes 20 times a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowPath:
    """Which conversation is followed."""

    conversation: str


async def _follow_one(call: HttpCall) -> Response:
    conversation = call.read(FollowPath, call.http.path_params).conversation
    stream = call.engine.follow(call.caller)
    try:
        opened = await stream.connection.result(cv.FollowConversation(conversation=conversation))
    except BaseException:
        stream.close()
        raise
    return EventsResponse(_events(stream, conversation, opened), on_end=stream.close)


async def _follow_all(call: HttpCall) -> Response:
    stream = call.engine.follow(call.caller)
    return EventsResponse(_events(stream, "", None), on_end=stream.close)


async def _events(
    stream: EventStream, conversation: str, opened: up.ConversationOpened | None
) -> AsyncGenerator[bytes, None]:
    """The events of a client; those of a conversation begin with a picture of it, also after events were missed."""
    number = 0
    try:
        yield BEAT
        if opened is not None:
            yield _ENCODING.told(opened, number)
        while True:
            delivery = await stream.next()
            missed = stream.missed or (delivery is not None and isinstance(delivery.event, up.Missed))
            if missed and conversation:
                stream.missed = False
                opened = await stream.connection.result(cv.FollowConversation(conversation=conversation))
                yield _ENCODING.told(opened, number)
            elif stream.missed:
                stream.missed = False
                yield _ENCODING.told(up.Missed(count=MOST_WAITING, conversations=()), number)
            elif delivery is None:
                yield BEAT
            elif not isinstance(delivery.event, _SILENT):
                number = delivery.number
                yield _ENCODING.told(delivery.event, number)
                if isinstance(delivery.event, up.EngineStopped):
                    return
    except RefusedError as error:
        yield event("refused", {"type": "refused", **refusal_json(error.refusal)})


class _Encoding:
    """Writes events as JSON. All followers get the same event, so the newest one is written once."""

    def __init__(self) -> None:
        self._newest: tuple[up.Update, bytes] | None = None

    def told(self, update: up.Update, number: int) -> bytes:
        """An event with its number."""
        if self._newest is None or self._newest[0] is not update:
            told: dict[str, Any] = to_json(up.Update, update)
            self._newest = update, event(told["type"], told)
        return f"id: {number}\n".encode() + self._newest[1]


_ENCODING = _Encoding()


FOLLOWING = (
    Operation(
        method="GET",
        path="/v1/conversations/{conversation}/events",
        handle=_follow_one,
        summary="Follow a conversation. The first event is a picture of it; the packets of its running turns follow.",
        reads=FollowPath,
        gives=up.Update,
        media=EVENTS,
        data=(DataClass.CONVERSATION, DataClass.TOOL_RESULT),
    ),
    Operation(
        method="GET",
        path="/v1/events",
        handle=_follow_all,
        summary="Follow what concerns everybody: the list of conversations, timers, models, notices.",
        gives=up.Update,
        media=EVENTS,
        data=(DataClass.CONVERSATION,),
    ),
)
