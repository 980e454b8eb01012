"""The placeholder model is asked for no more than it can do."""

from dataclasses import replace

from assistant.llm.backend import ModelMessage, ModelRequest, ToolSchema
from assistant.llm.providers.local import _within_its_means

ASKED = ModelRequest(model="smollm2-135m", system="", messages=(ModelMessage(role="user", text="안녕"),))


def test_answers_are_short_and_in_letters_it_knows() -> None:
    limited = _within_its_means(ASKED)
    assert limited.max_output_tokens is not None
    assert limited.max_output_tokens <= 128
    assert limited.extra["grammar"] == "root ::= [ -~]+"


def test_tools_are_not_offered_to_it() -> None:
    tool = ToolSchema(name="clock", description="Tells the time.", parameters={"type": "object"})
    assert _within_its_means(replace(ASKED, tools=(tool,))).tools == ()


def test_what_the_user_sets_is_left_alone() -> None:
    own = ModelRequest(
        model="smollm2-135m",
        system="",
        messages=ASKED.messages,
        temperature=0.0,
        max_output_tokens=5,
        extra={"grammar": ""},
    )
    assert _within_its_means(own) == own
