"""The object of a reply, in pieces of any size."""

import pytest

from assistant.llm.backend import Finish, Finished, ModelDelta, TextDelta, ThoughtsBefore, ToolCallDelta
from assistant.llm.text_calls.schema_reply import SchemaReply

OBJECT = '{"memo": "생일 } \\" {", "list": [{"a": null}]}'
REPLIES = {
    "alone": (OBJECT, OBJECT),
    "in a fence": (f"```json\n{OBJECT}\n```", OBJECT),
    "in an unnamed fence": (f"```\n{OBJECT}```", OBJECT),
    "after a word": (f"네, 알겠어요: {OBJECT}", OBJECT),
    "before a word": (f"{OBJECT}\n더 필요한 게 있나요?", OBJECT),
    "between words": (f"Sure!\n\n{OBJECT}\n\nAnything else?", OBJECT),
    "twice": (f"{OBJECT}\n{OBJECT}", OBJECT),
    "empty": ("{}", "{}"),
    "with spaces": (f"  {OBJECT}  \n", OBJECT),
    "cut": (OBJECT[:20], OBJECT[:20]),
    "none": ("할 수 없어요.", "할 수 없어요."),
    "a list": ('["a"]', '["a"]'),
}


def read(*deltas: ModelDelta) -> tuple[str, ModelDelta]:
    reply = SchemaReply()
    read = [each for delta in (*deltas, Finished(reason=Finish.TOOL_CALLS)) for each in reply.read(delta)]
    return "".join(each.text for each in read if isinstance(each, TextDelta)), read[-1]


@pytest.mark.parametrize("size", [1, 3, 1000])
@pytest.mark.parametrize("name", REPLIES)
def test_only_the_object_is_passed_on(name: str, size: int) -> None:
    text, wanted = REPLIES[name]
    pieces = [TextDelta(text=text[start : start + size]) for start in range(0, len(text), size)]
    assert read(*pieces) == (wanted, Finished(reason=Finish.STOP))


def test_the_arguments_of_a_call_are_the_object() -> None:
    pieces = [ToolCallDelta(index=0, id="1", name="reply", arguments=each) for each in (OBJECT[:9], OBJECT[9:])]
    assert read(*pieces) == (OBJECT, Finished(reason=Finish.STOP))


def test_an_object_that_was_a_thought_is_not_the_reply() -> None:
    reply = SchemaReply()
    reply.read(TextDelta(text='{"a": '))
    reply.read(ThoughtsBefore())
    assert reply.read(TextDelta(text=f"Here: {OBJECT}")) == (TextDelta(text=OBJECT),)
