"""Sori as the official OpenAI SDK sees it."""

import time
from collections.abc import Iterator
from typing import Any

import openai
import pytest

from tests.e2e.remote.conftest import LIMIT_S, Sori

ANSWER = "반가워요. 무엇을 도와드릴까요?"
HELLO: list[Any] = [{"role": "user", "content": "안녕하세요, 반갑습니다"}]


@pytest.fixture(scope="module")
def client(sori: Sori) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=sori.base_url, api_key=sori.confined, max_retries=0, timeout=LIMIT_S) as client:
        yield client


def test_a_completion(client: openai.OpenAI, sori: Sori) -> None:
    before = sori.call("GET", "/v1/conversations")[1]
    answer = client.chat.completions.create(model="sori", messages=HELLO)
    assert answer.choices[0].message.content == ANSWER
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 0
    assert answer.model == "mine/scripted-model"
    # Sori keeps nothing of it.
    assert sori.call("GET", "/v1/conversations")[1] == before


def test_a_completion_in_pieces(client: openai.OpenAI) -> None:
    chunks = [
        *client.chat.completions.create(
            model="sori", messages=HELLO, stream=True, stream_options={"include_usage": True}
        )
    ]
    assert "".join(each.choices[0].delta.content or "" for each in chunks if each.choices) == ANSWER
    assert len([each for each in chunks if each.choices and each.choices[0].delta.content]) > 1
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert chunks[-1].usage is not None
    assert len({each.id for each in chunks}) == 1


def test_the_whole_conversation_and_the_instructions_of_the_caller_reach_the_model(
    client: openai.OpenAI, sori: Sori
) -> None:
    messages: list[Any] = [
        {"role": "system", "content": "Answer like a pirate."},
        {"role": "user", "content": "제 이름은 바다예요"},
        {"role": "assistant", "content": "반가워요, 바다 님."},
        {"role": "user", "content": [{"type": "text", "text": "제 이름이 "}, {"type": "text", "text": "뭐였죠?"}]},
    ]
    client.chat.completions.create(model="sori", messages=messages)
    sent = sori.model.chats[-1].body["messages"]
    assert "Answer like a pirate." in sent[0]["content"]
    texts = str([each["content"] for each in sent])
    assert all(word in texts for word in ("제 이름은 바다예요", "반가워요, 바다 님.", "제 이름이 뭐였죠?"))


def test_what_sori_remembers_of_the_user_is_not_told_to_other_programs(client: openai.OpenAI, sori: Sori) -> None:
    sori.call("POST", "/v1/agent/chat", {"text": "제 여동생은 부산에 산다고 기억해 줘"})
    client.chat.completions.create(model="sori", messages=HELLO)
    assert "부산" not in str(sori.model.chats[-1].body)


def test_a_stream_that_is_closed_stops_the_answer(client: openai.OpenAI, sori: Sori) -> None:
    stream = client.chat.completions.create(
        model="sori", messages=[{"role": "user", "content": "천천히 세다가 멈춰요"}], stream=True
    )
    next(iter(stream))
    next(iter(stream))
    stream.close()
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until and sori.model.chats[-1].disconnected_at is None:
        time.sleep(0.01)
    assert sori.model.chats[-1].disconnected_at is not None


@pytest.mark.parametrize(
    "extra",
    [
        {"tools": [{"type": "function", "function": {"name": "f", "parameters": {}}}]},
        {"n": 2},
        {"response_format": {"type": "json_object"}},
        {"logprobs": True},
        {"stop": ["."]},
        {"modalities": ["text", "audio"]},
        {"functions": [{"name": "f"}]},
        {"store": True},
        {"messages": [{"role": "tool", "content": "x", "tool_call_id": "1"}]},
        {
            "messages": [
                {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "wav"}}]}
            ]
        },
        {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "http://a/b.png"}}]}]},
    ],
)
def test_what_sori_does_not_do_is_refused_by_name(client: openai.OpenAI, extra: dict[str, Any]) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(**{"model": "sori", "messages": HELLO, **extra})
    assert refused.value.body["reason"] == "unsupported"  # type: ignore[index]


@pytest.mark.parametrize("extra", [{"n": 1}, {"stop": None}, {"tools": []}, {"response_format": {"type": "text"}}])
def test_fields_that_ask_for_nothing_are_taken(client: openai.OpenAI, extra: dict[str, Any]) -> None:
    assert client.chat.completions.create(**{"model": "sori", "messages": HELLO, **extra}).choices


def test_fields_that_the_settings_decide_are_named(client: openai.OpenAI) -> None:
    raw = client.chat.completions.with_raw_response.create(
        model="sori", messages=HELLO, temperature=0.2, max_completion_tokens=9
    )
    assert raw.headers["x-sori-ignored"] == "temperature, max_completion_tokens"


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "system", "content": "x"}],
        [{"role": "user", "content": " "}],
        [*HELLO, {"role": "assistant", "content": "x"}],
    ],
)
def test_messages_without_a_question_are_refused(client: openai.OpenAI, messages: list[Any]) -> None:
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="sori", messages=messages)


def test_a_failure_of_the_model_is_told_with_its_reason(client: openai.OpenAI) -> None:
    with pytest.raises(openai.APIStatusError) as failed:
        client.chat.completions.create(model="sori", messages=[{"role": "user", "content": "거절해 보세요"}])
    assert failed.value.status_code == 404
    with pytest.raises(openai.APIError):
        _ = [
            *client.chat.completions.create(
                model="sori", messages=[{"role": "user", "content": "거절해 보세요"}], stream=True
            )
        ]


def test_models_are_listed_and_an_unknown_one_is_told(client: openai.OpenAI) -> None:
    names = [each.id for each in client.models.list()]
    assert names[0] == "sori"
    assert "mine/scripted-model" in names
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="nobody/nothing", messages=HELLO)
    assert client.chat.completions.create(model="mine/scripted-model", messages=HELLO).choices


def test_without_a_valid_token_the_sdk_says_so(sori: Sori) -> None:
    stranger = openai.OpenAI(base_url=sori.base_url, api_key="sori_wrong", max_retries=0)
    with stranger, pytest.raises(openai.AuthenticationError):
        stranger.models.list()
