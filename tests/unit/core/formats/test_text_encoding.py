import pytest

from assistant.core.formats.text_encoding import ANY, KOREAN, decoded

TEXT = "안녕하세요, hello"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp949", "euc-kr"])
def test_korean_is_read_in_every_usual_encoding(encoding: str) -> None:
    found = decoded(TEXT.encode(encoding))
    assert found is not None
    assert found.text == TEXT


def test_other_old_encodings_are_tried_only_where_they_are_wanted() -> None:
    content = b"caf\xe9 au lait"
    found = decoded(content, ANY)
    assert found is not None
    assert (found.text, found.encoding) == ("caf\u00e9 au lait", "cp1252")
    assert decoded(content, KOREAN) is None


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp949"])
def test_text_that_ends_within_a_character_loses_that_character(encoding: str) -> None:
    content = ("가" * 9).encode(encoding)[:-1]
    found = decoded(content, is_cut=True)
    assert found is not None
    assert found.text == "가" * 8


@pytest.mark.parametrize("content", [b"\x89PNG\0\0", b"\xff\xfe\xd8", b"\xff\xff\xff"])
def test_bytes_are_no_text(content: bytes) -> None:
    assert decoded(content) is None
