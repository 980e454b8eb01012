import io
import json
import tracemalloc
from typing import TextIO

import pytest

from assistant.storage.transfer import elements as elements_module
from assistant.storage.transfer.elements import BrokenJsonError, JsonElements


class Slow(io.StringIO):
    """A text that is given a few characters at a time."""

    def read(self, size: int | None = -1, /) -> str:
        return super().read(min(size or 3, 3))


@pytest.mark.parametrize("kind", [io.StringIO, Slow])
@pytest.mark.parametrize(
    ("text", "head"),
    [
        ('[{"a": "강릉\\n"}, [1.5, null], "x]", 12]', {}),
        ('\n [ {"a": "강릉\\n"},\n[1.5, null] ,"x]",12 ]\n\n', {}),
        ('{"format": "f", "conversations": [{"a": "강릉\\n"}, [1.5, null], "x]", 12], "after": 1}', {"format": "f"}),
    ],
)
def test_elements_come_one_by_one(kind: type[io.StringIO], text: str, head: dict[str, object]) -> None:
    found = JsonElements(kind(text))
    elements = iter(found)
    assert next(elements) == {"a": "강릉\n"}
    assert found.head == head
    assert list(elements) == [[1.5, None], "x]", 12]


@pytest.mark.parametrize("text", ["[]", " [ ] ", '{"conversations": []}'])
def test_an_empty_list_has_no_elements(text: str) -> None:
    assert list(JsonElements(io.StringIO(text))) == []


@pytest.mark.parametrize("kind", [io.StringIO, Slow])
@pytest.mark.parametrize("text", ['{"a": 1, "b": [2]}', '{\n"a": 1 , "b":[2]\n}\n', "{}"])
def test_an_object_without_a_list_is_the_one_element(kind: type[io.StringIO], text: str) -> None:
    assert list(JsonElements(kind(text))) == [json.loads(text)]


@pytest.mark.parametrize(
    ("text", "taken", "line", "column"),
    [
        ("", 0, 1, 1),
        ("hello", 0, 1, 1),
        ("[1, 2", 2, 1, 6),
        ('[1,\n {"a": 2},\n {"a": tru', 2, 3, 8),
        ('[1,\n {"a": "강릉', 1, 2, 8),
        ("[1,\n2 3]", 2, 2, 3),
        ("[1] x", 1, 1, 5),
        ('{"format": 1', 0, 1, 13),
        ('{"format": 1} x', 1, 1, 15),
        ('{"conversations": [1]', 1, 1, 22),
    ],
)
def test_a_broken_text_names_the_place_after_what_was_whole(text: str, taken: int, line: int, column: int) -> None:
    for kind in (io.StringIO, Slow):
        elements = iter(JsonElements(kind(text)))
        for _ in range(taken):
            next(elements)
        with pytest.raises(BrokenJsonError) as caught:
            next(elements)
        assert (caught.value.line, caught.value.column) == (line, column)


def test_a_fault_far_from_the_end_is_reported_without_reading_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements_module, "_CHUNK", 200)
    text: TextIO = io.StringIO('[{"a": 1 "b"}, ' + "1, " * 1000)
    with pytest.raises(BrokenJsonError):
        list(JsonElements(text))
    assert text.tell() == 200


def test_a_long_list_takes_little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elements_module, "_CHUNK", 10_000)
    text = json.dumps([{"text": "바다 " * 200}] * 4000, ensure_ascii=False)
    source = io.StringIO(text)
    tracemalloc.start()
    try:
        count = sum(1 for _ in JsonElements(source))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 4000
    assert len(text) > 2_400_000
    assert peak < 300_000
