"""Turns over HTTP: begun, followed from any packet, stopped when the caller is gone (F-08)."""

from collections.abc import AsyncGenerator
from contextlib import closing
from dataclasses import dataclass, fields
from http import HTTPStatus
from typing import Any, TypeGuard
from urllib.parse import quote

from starlette.responses import JSONResponse, Response

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.formats.json_form import to_json
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.records.egress import DataClass
from assistant.core.service.request import RefusedError
from assistant.core.service.requests import conversations as cv
from assistant.core.service.requests import turns as tn
from assistant.remote.http.clients import EventStream
from assistant.remote.http.operations import EVENTS, HttpCall, Operation, asks, query_values
from assistant.remote.http.refusals import failure_response, refusal_json, refused
from assistant.remote.http.server_sent import BEAT, EventsResponse, event, unless_gone

_ANSWERS = (DataClass.CONVERSATION, DataClass.TOOL_RESULT)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatBody:
    """A message to answer.

    Attributes:
        text: the message.
        conversation: id of its conversation; empty for a new one.
        turn: id of the turn, a UUID of version 7 made by the caller; empty for one that Sori makes.
        attachments: files of the message.
        model: the reference of a model for this turn only; empty for the conversation's own.
        can_ask: whether somebody at the caller can answer questions.
        aloud: whether the answer is read aloud at the computer.
        keep: whether the turn goes on when the caller is gone.
    """

    text: str
    conversation: str = ""
    turn: str = ""
    attachments: tuple[Attachment, ...] = ()
    model: str = ""
    can_ask: bool = False
    aloud: bool = False
    keep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AgainBody:
    """An answer that is wanted again. The former answer stays as a version.

    Attributes:
        conversation: the conversation's id.
        message: id of a message of the answer; empty for the newest answer.
        turn: id of the turn, a UUID of version 7 made by the caller; empty for one that Sori makes.
        model: the reference of a model for this turn only; empty for the conversation's own.
        can_ask: whether somebody at the caller can answer questions.
        keep: whether the turn goes on when the caller is gone.
    """

    conversation: str
    message: str = ""
    turn: str = ""
    model: str = ""
    can_ask: bool = False
    keep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EditBody:
    """A message of the user that is replaced and answered. The former message stays as a version.

    Attributes:
        conversation: the conversation's id.
        message: the message's id.
        text: its new text.
        attachments: its new files; empty to keep those it has.
        turn: id of the turn, a UUID of version 7 made by the caller; empty for one that Sori makes.
        can_ask: whether somebody at the caller can answer questions.
        keep: whether the turn goes on when the caller is gone.
    """

    conversation: str
    message: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    turn: str = ""
    can_ask: bool = False
    keep: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FollowQuery:
    """From where a turn is followed.

    Attributes:
        turn: the turn's id.
        after: number of the last packet that the caller has; 0 for all. ``Last-Event-ID`` says the same.
    """

    turn: str
    after: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeAnswer:
    """A turn that is over.

    Attributes:
        conversation: id of its conversation.
        turn: its id.
        text: the text of the answer.
        packets: everything that it showed.
        flow: where the guided flow stands that has answered: the payload of its last ``DONE``, with ``hooks``,
            ``buttons``, ``confirm`` and ``state_snapshot``; empty if none has.
    """

    conversation: str
    turn: str
    text: str
    packets: tuple[pk.Packet, ...]
    flow: dict[str, Any]


async def _begin(
    call: HttpCall, body: ChatBody | AgainBody | EditBody
) -> tn.BeginTurn | tn.AnswerAgain | tn.EditMessage:
    """The request that begins the turn. A new conversation is made for a message without one."""
    turn = TurnId(body.turn or call.engine.new_id())
    given = {each.name: getattr(body, each.name) for each in fields(body) if each.name not in ("keep", "turn")}
    if isinstance(body, AgainBody):
        return tn.AnswerAgain(turn=turn, aloud=False, **given)
    if isinstance(body, EditBody):
        return tn.EditMessage(turn=turn, **given)
    if not body.text.strip() and not body.attachments:
        raise refused(call.texts, HTTPStatus.BAD_REQUEST, "invalid", detail="text")
    given["conversation"] = body.conversation or await call.engine.result(call.caller, cv.CreateConversation())
    return tn.BeginTurn(turn=turn, **given)


class _Followed:
    """A turn that a caller follows.

    Args:
        call: the call.
        stream: the client that follows.
        turn: the turn.
        after: number of the last packet that the caller has.
        stops: whether the turn is stopped when the caller is gone before its end.
    """

    def __init__(self, call: HttpCall, stream: EventStream, turn: TurnId, *, after: int = 0, stops: bool) -> None:
        self._call, self._stream, self._turn = call, stream, turn
        self._after, self._stops = after, stops
        self.is_over = False

    def close(self) -> None:
        """Follow no more, and stop the turn if nobody else wants it."""
        if self._stops and not self.is_over:
            self._call.engine.send(self._call.caller, tn.StopTurn(turn=self._turn))
        self._stream.close()

    def take(self, begun: tn.TurnBegun) -> None:
        """Take how far the turn is."""
        self.is_over = begun.over and self._after >= begun.packets

    async def packets(self) -> AsyncGenerator[up.PacketEmitted | None, None]:
        """The packets until the end, each once; ``None`` after each heartbeat."""
        while not self.is_over:
            delivery = await self._stream.next()
            if self._stream.missed or (delivery is not None and isinstance(delivery.event, up.Missed)):
                self._stream.missed = False
                self.take(await self._stream.connection.result(tn.FollowTurn(turn=self._turn, after=self._after)))
            elif delivery is None:
                yield None
            elif isinstance(delivery.event, up.EngineStopped):
                raise ConnectionAbortedError("the engine has ended")
            elif self._is_next(delivery.event):
                self._after = delivery.event.number
                self.is_over = isinstance(delivery.event.packet, pk.Done)
                yield delivery.event

    def _is_next(self, event: up.Update) -> TypeGuard[up.PacketEmitted]:
        return isinstance(event, up.PacketEmitted) and event.turn == self._turn and event.number > self._after

    async def events(self) -> AsyncGenerator[bytes, None]:
        """The packets as events whose ids are their numbers."""
        try:
            yield BEAT  # The headers reach the caller at once.
            async for emitted in self.packets():
                yield BEAT if emitted is None else packet_event(emitted)
        except RefusedError as error:
            yield event("refused", {"type": "refused", **refusal_json(error.refusal)})


def _streams(kind: type[ChatBody | AgainBody | EditBody], path: str, summary: str) -> Operation:
    async def handle(call: HttpCall) -> Response:
        body = call.read(kind, await call.body())
        request = await _begin(call, body)
        followed = _Followed(call, stream := call.engine.follow(call.caller), request.turn, stops=not body.keep)
        try:
            begun = await stream.connection.result(request)
        except BaseException:
            followed.close()
            raise
        headers = {"x-sori-conversation": quote(begun.conversation), "x-sori-turn": begun.turn}
        return EventsResponse(followed.events(), headers, on_end=followed.close)

    return Operation(
        method="POST",
        path=path,
        handle=handle,
        summary=summary,
        reads=kind,
        gives=pk.Packet,
        media=EVENTS,
        data=_ANSWERS,
    )


async def _whole(call: HttpCall) -> Response:
    body = call.read(ChatBody, await call.body())
    return await unless_gone(call.http.receive, _answer_whole(call, body))


async def _answer_whole(call: HttpCall, body: ChatBody) -> Response:
    request = await _begin(call, body)
    stream = call.engine.follow(call.caller)
    with closing(_Followed(call, stream, request.turn, stops=not body.keep)) as followed:
        begun = await stream.connection.result(request)
        packets = [each.packet async for each in followed.packets() if each is not None]
    failure = next((each for each in packets if isinstance(each, pk.Failure)), None)
    if failure is not None and isinstance(packets[-1], pk.Done) and packets[-1].finish == "failed":
        return failure_response(failure)
    text = "".join(each.text for each in packets if isinstance(each, pk.AnswerDelta))
    ends = [each.payload for each in packets if isinstance(each, pk.FlowStep) and each.event == pk.FLOW_DONE]
    whole = WholeAnswer(
        conversation=begun.conversation,
        turn=begun.turn,
        text=text,
        packets=tuple(packets),
        flow=ends[-1] if ends else {},
    )
    return JSONResponse(to_json(WholeAnswer, whole))


async def _follow(call: HttpCall) -> Response:
    query = call.read(FollowQuery, {**call.http.path_params, **query_values(call, FollowQuery, ("after",))})
    last = call.http.headers.get("last-event-id", "")
    after = max(0, int(last) if last.isascii() and last.isdecimal() and len(last) < 16 else query.after)
    turn, stream = TurnId(query.turn), call.engine.follow(call.caller)
    followed = _Followed(call, stream, turn, after=after, stops=False)
    try:
        followed.take(await stream.connection.result(tn.FollowTurn(turn=turn, after=after)))
    except BaseException:
        followed.close()
        raise
    return EventsResponse(followed.events(), on_end=followed.close)


def packet_event(emitted: up.PacketEmitted) -> bytes:
    """A packet as an event of its type; that of a guided flow has the name of the flow's event, such as ``DONE``."""
    told: dict[str, Any] = to_json(pk.Packet, emitted.packet)
    kind = emitted.packet.event if isinstance(emitted.packet, pk.FlowStep) else told["type"]
    return event(kind, {**told, "conversation": emitted.conversation, "turn": emitted.turn}, emitted.number)


TURNS = (
    _streams(ChatBody, "/v1/agent/chat/stream", "Answer a message. The packets of the turn follow as events."),
    _streams(AgainBody, "/v1/agent/again/stream", "Answer a stored message again. The packets follow as events."),
    _streams(EditBody, "/v1/agent/edit/stream", "Replace a message and answer it. The packets follow as events."),
    Operation(
        method="POST",
        path="/v1/agent/chat",
        handle=_whole,
        summary="Answer a message, and tell the whole answer when it is over.",
        reads=ChatBody,
        gives=WholeAnswer,
        data=_ANSWERS,
    ),
    Operation(
        method="GET",
        path="/v1/turns/{turn}/events",
        handle=_follow,
        summary="Follow a turn that runs, or has just ended, from any packet on.",
        reads=FollowQuery,
        query=("after",),
        gives=pk.Packet,
        media=EVENTS,
        data=_ANSWERS,
    ),
    asks("POST", "/v1/conversations/{conversation}/turns", tn.BeginTurn, status=202),
    asks("POST", "/v1/conversations/{conversation}/turns/again", tn.AnswerAgain, status=202),
    asks("POST", "/v1/conversations/{conversation}/turns/edit", tn.EditMessage, status=202),
    asks("POST", "/v1/turns/{turn}/stop", tn.StopTurn),
    asks("POST", "/v1/turns/{turn}/questions/{question}/shown", tn.QuestionShown),
    asks("POST", "/v1/turns/{turn}/answers", tn.GiveAnswer),
)
