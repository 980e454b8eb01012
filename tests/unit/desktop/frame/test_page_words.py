"""A search in the window of pages finds a page by what is done on it, not only by its title."""

import pytest

from assistant.core.settings import Language
from assistant.desktop.frame.page_words import page_words, pages_with
from assistant.desktop.pages import PAGES
from assistant.host.texts import load_texts


@pytest.mark.parametrize(
    ("language", "query", "page"),
    [
        ("ko", "가져오기", "conversations"),
        ("ko", "가져오기", "people"),
        ("ko", "내보내기", "people"),
        ("ko", "계좌", "people"),
        ("ko", "새 프로젝트", "projects"),
        ("ko", "잊기", "memory"),
        ("ko", "ㄱㅈㅇㄱ", "people"),
        ("ko", "작업 공간", "agents"),
        ("en", "import", "conversations"),
        ("en", "import", "people"),
        ("en", "Export", "people"),
        ("en", "account number", "people"),
        ("en", "new project", "projects"),
        ("en", "forget", "memory"),
        ("en", "add somebody", "people"),
    ],
)
def test_a_page_is_found_by_what_is_done_on_it(language: Language, query: str, page: str) -> None:
    assert page in pages_with(query, page_words(load_texts(language), [each.name for each in PAGES]))


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("query", ["xyzzy", "고양이 사료", "quarterly revenue"])
def test_other_words_find_no_page(language: Language, query: str) -> None:
    assert pages_with(query, page_words(load_texts(language), [each.name for each in PAGES])) == ()
