"""The shape of a request has no content: planted words and keys are in none."""

import json

import pytest

from assistant.core.records.request_shape import shape_of

SECRET = "-".join(["sk", "Abcdefghijklmnopqrstuvwxyz0123456789"])
WORDS = "내 비밀은 파란 여우"


@pytest.mark.parametrize(
    ("path", "body", "shape"),
    [
        (
            "/v1/chat/completions",
            {"model": "gpt-4.1", "messages": [{"role": "user", "content": WORDS}], "stream": True},
            "POST /v1/chat/completions; model: gpt-4.1; messages: 1 items; stream: true",
        ),
        (
            "/v1/messages",
            {"system": WORDS, "max_tokens": 64},
            "POST /v1/messages; system: 11 characters; max_tokens: 64",
        ),
        ("/v1beta/models/gemini:generateContent", {"contents": [WORDS] * 3, "config": {WORDS: 1}}, None),
        (f"/bot{SECRET}/send", {"text": WORDS}, "POST /…/send; text: 11 characters"),
        ("/x", {"model": SECRET}, "POST /x; model: 39 characters"),
        ("/x", {SECRET: 1, WORDS: 2, "a b": 3, "ok": None}, "POST /x; ok: null"),
        ("/x", [WORDS], "POST /x"),
        ("/x", {"nested": {"deep": {"deeper": WORDS}}}, "POST /x; nested: 1 fields"),
        ("/x", {"tools": [], "n": 1.5}, "POST /x; tools: 0 items; n: 1.5"),
        ("/x", {f"f{each}": each for each in range(90)}, None),
    ],
)
def test_only_names_and_sizes_are_told(path: str, body: object, shape: str | None) -> None:
    told = shape_of("POST", path, json.dumps(body).encode())
    assert shape is None or told == shape
    assert SECRET not in told
    assert WORDS not in told
    assert len(told) < 1_500


@pytest.mark.parametrize("body", [b"", b"\xff\x00", b"{", WORDS.encode(), b"x" * 1_000_000])
def test_what_is_no_json_has_no_fields(body: bytes) -> None:
    assert shape_of("GET", "/v1/models", body) == "GET /v1/models"
