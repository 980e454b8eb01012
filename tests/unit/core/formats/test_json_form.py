"""What the interface holds survives its JSON form, and what is not understood is refused with its place."""

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, NewType, Union, get_args, get_origin, get_type_hints

import jsonschema_rs
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from assistant.app.cli.interface_page import PAGE, SCHEMA, documents
from assistant.core.errors import StorageError
from assistant.core.formats.json_form import FileElsewhere, FormError, form_of, from_json, tagged, to_json, type_name
from assistant.core.formats.json_schema import Schemas
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, MadeFile
from assistant.core.packets import Packet, ToolResult, to_line
from assistant.core.service.every_request import REQUESTS
from assistant.core.service.frames import ClientFrame, EngineFrame
from assistant.core.service.request import result_type
from assistant.core.updates import NoticePosted, Update

_EVERY = [
    pytest.param(each, id=f"{group}-{type_name(each)}")
    for group, kinds in {
        "request": REQUESTS,
        "event": get_args(Update),
        "packet": get_args(Packet),
        "client": get_args(ClientFrame),
        "engine": get_args(EngineFrame),
    }.items()
    for each in kinds
]
_SHORT = st.text(max_size=4)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _SHORT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_SHORT, inner, max_size=2),
    max_leaves=3,
)
_SIZE = st.integers(0, 2**40)
_KEPT = st.builds(FileElsewhere, size=_SIZE, reference=st.text(min_size=1, max_size=4))
_MADE = st.builds(
    Attachment, mime_type=_SHORT, name=_SHORT, data=st.builds(FileElsewhere, size=_SIZE, reference=st.just(""))
)
_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    Any: _JSON,
    str: _SHORT,
    int: st.integers(),
    bool: st.booleans(),
    float: st.floats(allow_nan=False, allow_infinity=False),
    bytes: st.binary(max_size=4),
    NoneType: st.none(),
    Attachment: st.builds(Attachment, mime_type=_SHORT, name=_SHORT, data=st.binary(max_size=4) | _KEPT),
    MadeFile: st.builds(MadeFile, attachment=_MADE, path=_SHORT),
}


def values_of(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a type of the interface."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if isinstance(kind, NewType):
        return values_of(kind.__supertype__)
    origin, arguments = get_origin(kind), get_args(kind)
    if isinstance(kind, UnionType) or origin is Union:
        return st.one_of(*map(values_of, arguments))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin in (dict, Mapping):
        return st.dictionaries(_SHORT, values_of(arguments[1]), max_size=2)
    if origin is tuple and arguments[-1] is ...:
        return st.lists(values_of(arguments[0]), max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(values_of, arguments))
    if origin is Callable:
        return values_of(arguments[1]).map(lambda made: lambda: made)
    if issubclass(kind, Enum):
        return st.sampled_from(list(kind))
    hints = get_type_hints(kind)
    return st.builds(kind, **{each.name: values_of(hints[each.name]) for each in fields(kind) if each.init})


@pytest.mark.parametrize("kind", _EVERY)
def test_a_value_survives_its_json_form(kind: Any) -> None:
    schemas = Schemas()
    schema = {**schemas.of(kind), "$defs": schemas.definitions}
    validator = jsonschema_rs.Draft202012Validator(schema)

    @settings(max_examples=10, deadline=None, database=None, phases=[Phase.generate])
    @given(value=values_of(kind))
    def check(value: Any) -> None:
        told = json.loads(json.dumps(to_json(kind, value)))
        validator.validate(told)
        assert from_json(kind, told) == value
        assert to_json(kind, from_json(kind, told)) == told

    check()


@settings(max_examples=100, deadline=None, database=None, phases=[Phase.generate])
@given(data=st.data())
def test_a_result_survives_its_json_form(data: st.DataObject) -> None:
    kind = result_type(data.draw(st.sampled_from(REQUESTS)))
    told = json.loads(json.dumps(to_json(kind, data.draw(values_of(kind or NoneType)))))
    assert to_json(kind, from_json(kind, told)) == told


TURN = {"type": "begin_turn", "turn": "t", "conversation": "c", "text": "안녕"}
REFUSED = [
    pytest.param(None, "wrong_value", ".", id="nothing"),
    pytest.param([], "wrong_value", ".", id="an array"),
    pytest.param("begin_turn", "wrong_value", ".", id="text"),
    pytest.param({}, "missing_field", "type", id="no type"),
    pytest.param({"type": "시작"}, "unknown_type", "type", id="an unknown type"),
    pytest.param({"type": ["begin_turn"]}, "unknown_type", "type", id="a type that is no text"),
    pytest.param({"type": "begin_turn"}, "missing_field", "turn", id="no fields"),
    pytest.param({**TURN, "말": 1}, "unknown_field", "말", id="an unknown field"),
    pytest.param({**TURN, "text": 7}, "wrong_value", "text", id="a number as text"),
    pytest.param({**TURN, "text": None}, "wrong_value", "text", id="null as text"),
    pytest.param({**TURN, "can_ask": 1}, "wrong_value", "can_ask", id="a number as truth"),
    pytest.param({**TURN, "aloud": "네"}, "wrong_value", "aloud", id="text as truth or null"),
    pytest.param({**TURN, "attachments": {}}, "wrong_value", "attachments", id="an object as array"),
    pytest.param({**TURN, "attachments": [3]}, "wrong_value", "attachments[0]", id="a number as file"),
    pytest.param(
        {**TURN, "attachments": [{"name": "a"}]}, "missing_field", "attachments[0].mime_type", id="no type of file"
    ),
    pytest.param(
        {**TURN, "attachments": [{"mime_type": "image/png", "name": "고양이.png", "data": "안녕"}]},
        "wrong_value",
        "attachments[0].data",
        id="no base64",
    ),
    pytest.param({"type": "list_traces", "limit": 1.5}, "wrong_value", "limit", id="a fraction as integer"),
    pytest.param({"type": "list_traces", "limit": True}, "wrong_value", "limit", id="truth as integer"),
    pytest.param(
        {"type": "export_conversation", "conversation": "c", "form": "pdf"}, "wrong_value", "form", id="no such choice"
    ),
    pytest.param(
        {"type": "set_wake_phrase", "agent": {"workspace": 1}, "phrase": "소리야"},
        "wrong_value",
        "agent.workspace",
        id="inside",
    ),
]


@pytest.mark.parametrize(("told", "reason", "place"), REFUSED)
def test_what_is_not_understood_is_refused_with_its_place(told: Any, reason: str, place: str) -> None:
    with pytest.raises(FormError) as refused:
        tagged(REQUESTS).read(told)
    assert (refused.value.reason, refused.value.values["place"]) == (reason, place)


def test_a_client_passes_over_what_a_newer_engine_tells_besides() -> None:
    told = {"key": "notice.storage_set_aside", "values": {"경로": "/집"}, "colour": "red"}
    with pytest.raises(FormError):
        from_json(NoticePosted, told)
    notice = from_json(NoticePosted, told, lenient=True)
    assert notice == NoticePosted(key="notice.storage_set_aside", values={"경로": "/집"})


def test_the_lines_of_chat_keep_their_names() -> None:
    made = MadeFile(
        attachment=Attachment(mime_type="image/png", name="고양이.png", data=b"12345"),
        path="/p/고양이.png",
        reference="m1/0",
    )
    result = ToolResult(turn_index=3, id="c1", name="image", text="saved", files=(made,))
    line = to_line(result, conversation="c", turn=TurnId("t"))
    assert list(line)[:4] == ["type", "turn_index", "conversation", "turn"]
    assert line == {
        "type": "tool_result",
        "turn_index": 3,
        "conversation": "c",
        "turn": "t",
        "id": "c1",
        "name": "image",
        "text": "saved",
        "is_error": False,
        "files": [
            {"name": "고양이.png", "mime_type": "image/png", "size": 5, "path": "/p/고양이.png", "reference": "m1/0"}
        ],
    }


def test_a_file_travels_with_its_bytes_or_as_a_reference() -> None:
    here = Attachment(mime_type="text/plain", name="메모.txt", data=b"")
    kept = Attachment(mime_type="text/plain", name="메모.txt", data=FileElsewhere(size=9, reference="m1/0"))
    assert to_json(Attachment, here) == {"mime_type": "text/plain", "name": "메모.txt", "size": 0, "data": ""}
    assert to_json(Attachment, kept) == {"mime_type": "text/plain", "name": "메모.txt", "size": 9, "reference": "m1/0"}
    with pytest.raises(StorageError):
        from_json(Attachment, to_json(Attachment, kept)).read()


@pytest.mark.parametrize("kind", [set[str], complex, str | int, Callable, dict[str, complex]], ids=str)
def test_a_type_without_a_form_is_an_error_of_the_program(kind: Any) -> None:
    with pytest.raises(TypeError):
        form_of(kind)


def test_the_page_is_current() -> None:
    assert (PAGE.read_text("utf-8"), SCHEMA.read_text("utf-8")) == documents()
