"""Server-sent events in every form that the standard allows: each backend reads the same from all of them.

https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
"""

import re
from collections.abc import Callable

import pytest

from assistant.llm.backend import Finish, Finished
from tests.fakes.backend_bench import Open, text_of
from tests.fakes.model_server.server import Reply, ScriptedCall

KOREAN = "안녕하세요! 서울은 지금 3.5도예요."

Form = Callable[[bytes], bytes]


def with_id(event: bytes) -> bytes:
    return b"id: 7\n" + event


def with_retry(event: bytes) -> bytes:
    return b"retry: 3000\n" + event


def with_a_comment_inside(event: bytes) -> bytes:
    return b": still here\n" + event


def after_a_comment(event: bytes) -> bytes:
    return b": keep-alive\n\n:\n\n" + event


def with_an_unknown_field(event: bytes) -> bytes:
    return b"trace: 4f\nnothing\n" + event


def without_a_space(event: bytes) -> bytes:
    return re.sub(rb"(?m)^(data|event): ", rb"\1:", event)


def with_crlf(event: bytes) -> bytes:
    return event.replace(b"\n", b"\r\n")


def with_cr(event: bytes) -> bytes:
    return event.replace(b"\n", b"\r")


def over_several_lines(event: bytes) -> bytes:
    """JSON whose first member stands on a line of its own."""
    return event.replace(b"data: {", b"data: {\ndata: ", 1)


def with_an_id_alone_before(event: bytes) -> bytes:
    return b"id: 7\n\n" + event


def with_a_retry_alone_before(event: bytes) -> bytes:
    return b"retry: 3000\n\n" + event


def all_at_once(event: bytes) -> bytes:
    return with_crlf(over_several_lines(without_a_space(b": hello\nid: 1\nretry: 10\n" + event)))


FORMS = (
    with_id,
    with_retry,
    with_a_comment_inside,
    after_a_comment,
    with_an_unknown_field,
    without_a_space,
    with_crlf,
    with_cr,
    over_several_lines,
    with_an_id_alone_before,
    with_a_retry_alone_before,
    all_at_once,
)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("piece_bytes", [0, 3])
async def test_an_answer_is_read_in_every_form_of_its_events(opened_format: Open, form: Form, piece_bytes: int) -> None:
    async with opened_format(Reply(text=KOREAN, dressed=form, piece_bytes=piece_bytes)) as bench:
        deltas = await bench.all()
    assert text_of(deltas) == KOREAN
    assert deltas[-1] == Finished(reason=Finish.STOP)


@pytest.mark.parametrize("form", FORMS)
async def test_a_tool_call_is_read_in_every_form_of_its_events(opened_format: Open, form: Form) -> None:
    call = ScriptedCall(name="clock", arguments='{"city": "서울"}')
    async with opened_format(Reply(text="", tool_calls=(call,), dressed=form)) as bench:
        finished = (await bench.all())[-1]
    assert isinstance(finished, Finished)
    assert [(each.name, each.arguments) for each in finished.tool_calls] == [("clock", {"city": "서울"})]


async def test_every_kind_reads_what_its_format_does(opened: Open) -> None:
    async with opened(Reply(text=KOREAN, dressed=all_at_once, piece_bytes=3)) as bench:
        assert text_of(await bench.all()) == KOREAN


async def test_events_with_a_name_are_read_by_their_data(opened: Open) -> None:
    def named(event: bytes) -> bytes:
        return event if b"event:" in event else b"event: message\n" + event

    async with opened(Reply(text=KOREAN, dressed=named)) as bench:
        assert text_of(await bench.all()) == KOREAN
