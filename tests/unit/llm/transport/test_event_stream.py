"""Server-sent events in their plainest form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.llm.transport.event_stream import PlainEvents

PLAIN = b'data: {"a": 1}\n\ndata: [DONE]\n\n'


def plain(stream: bytes, *, named: bool = False, size: int = 1 << 20) -> bytes:
    events = PlainEvents(named=named)
    pieces = [stream[start : start + size] for start in range(0, len(stream), size)]
    return b"".join(map(events.feed, pieces)) + events.end()


@pytest.mark.parametrize(
    "stream",
    [
        PLAIN,
        b'data:{"a": 1}\n\ndata:[DONE]\n\n',
        b'id: 1\nretry: 10\n: hello\ndata: {"a": 1}\n\n:\n\nid: 2\n\ndata: [DONE]\n\n',
        PLAIN.replace(b"\n", b"\r\n"),
        PLAIN.replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" + PLAIN,
        b"event: message\n" + PLAIN,
        b": no data at all\n\n" + PLAIN,
        PLAIN.removesuffix(b"\n\n"),
    ],
)
@pytest.mark.parametrize("size", [1, 2, 3, 1 << 20])
def test_every_form_becomes_the_plainest(stream: bytes, size: int) -> None:
    assert plain(stream, size=size) == PLAIN


def test_data_over_several_lines_becomes_one() -> None:
    assert plain(b'data: {\ndata: "a": 1}\n\n') == b'data: { "a": 1}\n\n'


def test_names_are_kept_for_an_api_that_goes_by_them() -> None:
    stream = b'event:ping\nid: 1\ndata: {}\n\ndata: {"b": 2}\n\n'
    assert plain(stream, named=True) == b'event: ping\ndata: {}\n\ndata: {"b": 2}\n\n'


def test_bytes_that_are_no_text_are_passed_on_for_whoever_reads_them() -> None:
    assert plain(b"data: \xff\xfe\n\n") == b"data: \xff\xfe\n\n"


@given(
    st.lists(st.binary(min_size=1).filter(lambda each: not set(each) & set(b"\r\n") and each[:1] != b" ")), st.data()
)
def test_how_a_stream_is_cut_changes_nothing(events: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(b"data: " + each + b"\r\n\r\n" for each in events)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)))))
    reader = PlainEvents(named=False)
    pieces = [stream[start:end] for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    read = b"".join(map(reader.feed, pieces)) + reader.end()
    assert read == b"".join(b"data: " + each + b"\n\n" for each in events)
