"""Texts are sent to a model as it was trained on them."""

import pytest

from assistant.knowledge.meaning.prefixes import Prefixes, prefixes_of

E5 = Prefixes(question="query: ", passage="passage: ")
NOTHING = Prefixes()


@pytest.mark.parametrize(
    ("model", "prefixes"),
    [
        ("multilingual-e5-small", E5),
        ("intfloat/multilingual-e5-large", E5),
        ("e5-base-v2", E5),
        ("E5:latest", E5),
        ("jeffh/intfloat-multilingual-e5-large:f16", E5),
        ("multilingual_e5_base.gguf", E5),
        ("snowflake-arctic-embed2-v2.0", E5),
        ("bge-m3", NOTHING),
        ("BAAI/bge-m3:latest", NOTHING),
        ("text-embedding-3-small", NOTHING),
        ("qwen3-coder", NOTHING),
        ("model-e50", NOTHING),
        ("the5-model", NOTHING),
        ("all-minilm:l6-v2", NOTHING),
        ("nomic-embed-text:v1.5", Prefixes("search_query: ", "search_document: ")),
        ("embeddinggemma:300m", Prefixes("task: search result | query: ", "title: none | text: ")),
    ],
)
def test_a_model_gets_the_prefixes_of_its_family(model: str, prefixes: Prefixes) -> None:
    assert prefixes_of(model) == prefixes


@pytest.mark.parametrize("model", ["intfloat/multilingual-e5-large-instruct", "Qwen/Qwen3-Embedding-0.6B"])
def test_a_model_that_takes_a_task_gets_it_before_questions_alone(model: str) -> None:
    question, passage = prefixes_of(model)
    assert question.startswith("Instruct: ")
    assert question.endswith("\nQuery: ")
    assert passage == ""
