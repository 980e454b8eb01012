import json

from assistant.core.documents import Document, TurnDocuments
from assistant.core.knowledge.passages import Citation

SEOUL = Document(title="회의록.md", contents="3시에 만난다", file="f1", passage=2, page=1)
PAGE = Document(title="Page", contents="Words", url="https://example.org/a")


def test_documents_are_the_numbered_json_of_the_specification() -> None:
    documents = [
        Document(title="안녕하세요", metadata="status closed", contents="내용"),
        Document(title="세상", contents="바"),
    ]
    text = TurnDocuments().json(documents)
    assert json.loads(text) == {
        "documents": [
            {"document": 1, "title": "안녕하세요", "metadata": "status closed", "contents": "내용"},
            {"document": 2, "title": "세상", "contents": "바"},
        ]
    }
    assert "안녕하세요" in text


def test_later_documents_of_a_turn_are_numbered_on_and_give_their_addresses_but_not_their_ids() -> None:
    turn = TurnDocuments()
    turn.json([Document(title="x", contents="1"), Document(title="y", contents="2")])
    found = json.loads(turn.json([PAGE, SEOUL]))
    assert found["documents"] == [
        {"document": 3, "title": "Page", "url": "https://example.org/a", "contents": "Words"},
        {"document": 4, "title": "회의록.md", "contents": "3시에 만난다"},
    ]
    assert turn.citations[4] == Citation(number=4, title="회의록.md", file="f1", passage=2, page=1, text="3시에 만난다")


def test_the_same_passage_keeps_its_number_and_a_changed_one_gets_another() -> None:
    turn = TurnDocuments()
    assert [turn.number(each) for each in (SEOUL, PAGE, SEOUL)] == [1, 2, 1]
    assert turn.number(Document(title="회의록.md", contents="4시에 만난다", file="f1", passage=2)) == 3
    noted = Document(title="Page", contents="Words", url="https://example.org/a", metadata="only the beginning")
    assert turn.number(noted) == 2
    assert turn.citations[1].text == "3시에 만난다"


def test_numbers_go_on_after_those_of_an_earlier_attempt_and_mean_the_same_files() -> None:
    first = TurnDocuments()
    first.json([Document(title="x", contents="1")])
    told = first.json([SEOUL, PAGE])
    kept = [Citation(number=2, title="", file="f1", passage=2, page=1)]
    turn = TurnDocuments()
    for result in (told, "no JSON", '{"documents": 3}', "[]", '{"documents": [{"document": "x"}]}'):
        turn.told_before(result, kept)
    assert turn.citations == {2: first.citations[2], 3: first.citations[3]}
    assert [turn.number(each) for each in (PAGE, SEOUL, Document(title="z", contents=""))] == [3, 2, 4]
