import pytest

from assistant.llm.facts.chat_models import chat_models


@pytest.mark.parametrize(
    "name",
    [
        "gpt-5.2",
        "o4-mini",
        "gpt-4o-2024-11-20",
        "claude-opus-4-8",
        "gemini-3-pro",
        "models/gemini-flash-latest",
        "glm-4.7",
        "qwen3:8b",
        "llama3.2-vision:11b",
        "EXAONE-4.0-32B",
        "google/gemma-3-12b",
    ],
)
def test_a_model_to_talk_with_is_kept(name: str) -> None:
    assert chat_models([name, "whisper-1"]) == (name,)


@pytest.mark.parametrize(
    "name",
    [
        "text-embedding-3-small",
        "nomic-embed-text:latest",
        "bge-m3",
        "all-minilm:l6-v2",
        "BAAI/bge-reranker-v2-m3",
        "omni-moderation-latest",
        "gpt-4o-transcribe",
        "gpt-4o-mini-tts",
        "gemini-2.5-flash-preview-tts",
        "gpt-realtime",
        "dall-e-3",
        "mmproj-gemma-3-4b-it",
        "gpt-image-1",
        "gemini-2.5-flash-image",
        "imagen-4.0-generate-001",
        "sora-2",
        "davinci-002",
    ],
)
def test_a_model_for_something_else_is_left_out(name: str) -> None:
    assert chat_models(["gpt-5.2", name, "gpt-5.2"]) == ("gpt-5.2",)


def test_a_server_that_has_nothing_else_is_not_left_without_any() -> None:
    assert chat_models(["my-whisper-llm"]) == ("my-whisper-llm",)
    assert chat_models([]) == ()
