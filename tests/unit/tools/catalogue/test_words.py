import pytest

from assistant.tools.catalogue.meanings import meanings_of
from assistant.tools.catalogue.words import Vocabulary, letters, likeness, words_of
from tests.unit.tools.test_registry import TOOLS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("날씨가 어때?", ("날씨",)),
        ("사진을 좀 찾아 주세요", ("사진", "찾아")),
        ("이메일을 보내줘", ("이메일", "보내")),
        ("번역해줄래?", ("번역",)),
        ("PDF를 엑셀로", ("pdf", "엑셀")),
        ("Could you please send the emails?", ("send", "email")),
        ("mcp_github_createIssue", ("github", "creat", "issu")),
        ("creating, created, creates", ("creat",)),
        ("planning the studies", ("plan", "study")),
        ("\uff50\uff44\uff46 파일", ("pdf", "파일")),
        ("알려 줘", ()),
        ("", ()),
    ],
)
def test_words_lose_particles_endings_and_everything_that_says_nothing(text: str, words: tuple[str, ...]) -> None:
    assert words_of(text) == words


def test_korean_words_are_compared_by_letters() -> None:
    assert letters("지워").startswith(letters("지우"))
    assert letters("옮겨").startswith(letters("옮기"))
    assert letters("해").startswith(letters("하"))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("지우", "지워"),
        ("만들", "만들어"),
        ("예약", "기차예약"),
        ("앱", "앱을"),
        ("translat", "translation"),
        ("잠그", "잠가"),
    ],
)
def test_forms_of_one_word_are_alike(one: str, other: str) -> None:
    assert 0 < likeness(one, other) == likeness(other, one) < 1


@pytest.mark.parametrize(
    ("one", "other"), [("방", "방법"), ("차", "차례"), ("car", "cardio"), ("메일", "mail"), ("눈", "눈물")]
)
def test_different_words_are_not_alike(one: str, other: str) -> None:
    assert likeness(one, other) == 0


@pytest.mark.parametrize(
    ("korean", "english"), [("날씨", "weather"), ("번역", "translat"), ("지워", "delet"), ("일정표", "calendar")]
)
def test_words_of_both_languages_share_a_meaning(korean: str, english: str) -> None:
    assert meanings_of(korean) & meanings_of(english)


def test_a_word_outside_the_table_has_no_meaning() -> None:
    assert not meanings_of("방법")
    assert not meanings_of("zyzzyva")


def test_a_vocabulary_leaves_out_no_word_that_is_alike() -> None:
    texts = [" ".join((tool.name, tool.description, *tool.search_words, *tool.evidence.words)) for tool in TOOLS]
    words = sorted({word for text in texts for word in words_of(text)})
    asked = {*words, *(f"{word}s" for word in words), *(f"{word}하" for word in words), *(word[:2] for word in words)}
    vocabulary = Vocabulary(words)
    for word in asked:
        assert {other for other in words if likeness(word, other)} <= vocabulary.near(word)
    assert sum(len(vocabulary.near(word)) for word in asked) < len(asked) * len(words) / 10
