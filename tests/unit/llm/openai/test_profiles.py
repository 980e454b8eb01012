from dataclasses import replace

from assistant.llm.backend import ModelMessage, ModelRequest
from assistant.llm.openai.format import request_body
from assistant.llm.openai.profiles import PROFILES

REQUEST = ModelRequest(
    model="", system="", messages=(ModelMessage(role="user", text="Hi."),), temperature=0.4, max_output_tokens=9
)


def test_openai_is_asked_as_it_is() -> None:
    assert PROFILES["openai"].worded(REQUEST) == REQUEST


def test_z_ai_does_not_think_unless_it_is_wanted_and_has_a_default_model() -> None:
    worded = PROFILES["zai"].worded(REQUEST)
    body = request_body(worded)
    assert worded.model == "glm-4.7"
    assert (body["enable_thinking"], body["max_tokens"], body["temperature"]) == (False, 9, 0.4)
    assert "max_completion_tokens" not in body


def test_z_ai_thinks_without_an_effort() -> None:
    body = request_body(PROFILES["zai"].worded(replace(REQUEST, model="glm-5", reasoning=True)))
    assert body["enable_thinking"] is True
    assert "reasoning_effort" not in body


def test_the_users_own_words_are_above_a_profiles() -> None:
    worded = PROFILES["zai"].worded(replace(REQUEST, extra={"enable_thinking": True}))
    assert worded.extra["enable_thinking"] is True
