import json

from assistant.core.documents import Document, documents_json, numbers_after


def test_documents_are_the_numbered_json_of_the_specification() -> None:
    documents = [
        Document(title="안녕하세요", metadata="status closed", contents="내용"),
        Document(title="세상", contents="바"),
    ]
    text = documents_json(documents)
    assert json.loads(text) == {
        "documents": [
            {"document": 1, "title": "안녕하세요", "metadata": "status closed", "contents": "내용"},
            {"document": 2, "title": "세상", "contents": "바"},
        ]
    }
    assert "안녕하세요" in text


def test_later_results_of_a_turn_are_numbered_on_and_give_their_addresses() -> None:
    found = json.loads(documents_json([Document(title="a", contents="", url="https://example.org")], first=3))
    assert found["documents"] == [{"document": 3, "title": "a", "url": "https://example.org", "contents": ""}]


def test_numbers_go_on_after_those_that_the_model_knows() -> None:
    known = documents_json([Document(title="a", contents=""), Document(title="b", contents="")], first=3)
    numbers = numbers_after([known, "no JSON", '{"documents": 3}', "[]"])
    assert (numbers.take(2), numbers.take(1), numbers_after([]).take(1)) == (5, 7, 1)
