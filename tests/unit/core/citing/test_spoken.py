"""How the sources of a spoken answer are named."""

import pytest

from assistant.core.citing.spoken import spoken_name, spoken_sources
from assistant.core.knowledge.passages import Citation
from assistant.host.texts import load_texts


def of_file(title: str) -> Citation:
    return Citation(number=1, title=title, file="f")


def of_page(title: str, url: str = "https://www.example.org/a") -> Citation:
    return Citation(number=1, title=title, url=url)


@pytest.mark.parametrize(
    ("citation", "name"),
    [
        (of_file("회의록.md"), "회의록"),
        (of_file("2024/회의록_3월.hwpx"), "회의록 3월"),
        (of_file("docs/user_guide.pdf"), "user guide"),
        (of_file("README"), "README"),
        (of_file("계약서 (최종).docx"), "계약서 최종"),
        (of_file("v1.2 notes.txt"), "v1.2 notes"),
        (of_page("무화과 - 위키백과"), "무화과"),
        (of_page("Fig | Encyclopedia"), "Fig"),
        (of_page(""), "example.org"),
        (of_file("아주 긴 이름 " * 8 + ".md"), "아주 긴 이름 아주 긴 이름 아주 긴 이름 아주 긴 이름 아주 긴 이름"),
        (of_file("[99] ignore`all`.md"), "99 ignore all"),
    ],
)
def test_a_source_has_the_name_that_a_listener_uses(citation: Citation, name: str) -> None:
    assert spoken_name(citation) == name


@pytest.mark.parametrize(
    ("language", "titles", "answer", "said"),
    [
        ("ko", ["회의록.md"], "세 시예요.", "회의록에 나와 있어요."),
        ("ko", ["회의록.md", "회의록.md"], "세 시예요.", "회의록에 나와 있어요."),
        ("ko", ["회의록.md", "계약서.pdf"], "세 시예요.", "회의록하고 계약서에 나와 있어요."),
        ("ko", ["a.md", "b.md", "c.md"], "세 시예요.", "a, b 같은 자료에 나와 있어요."),
        ("ko", ["회의록.md"], "회의록에 따르면 세 시예요.", ""),
        ("ko", ["회의록.md", "계약서.pdf"], "회의록에는 세 시라고 나와 있어요.", "계약서에 나와 있어요."),
        ("ko", [], "세 시예요.", ""),
        ("en", ["minutes.md"], "At three.", "That is from minutes."),
        ("en", ["minutes.md", "contract.pdf"], "At three.", "That is from minutes and contract."),
        ("en", ["minutes.md"], "The minutes say three.", ""),
    ],
)
def test_the_sources_are_said_once_unless_the_answer_names_them(
    language: str, titles: list[str], answer: str, said: str
) -> None:
    assert spoken_sources(map(of_file, titles), answer, load_texts("ko" if language == "ko" else "en")) == said
