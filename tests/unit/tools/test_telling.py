"""How much a call tells other computers."""

import json
import math
from dataclasses import replace

import pytest

from assistant.tools.telling import BUDGET_BITS, FoundPage, KnownWords, asking_part, found_pages, written_addresses
from benchmarks.mind.injections import tools

OPEN, SEARCH = (next(each for each in tools() if each.name == name) for name in ("open_url", "web_search"))
TEN = tuple(FoundPage(url=f"https://found.example/{n}", title=f"t{n}") for n in range(10))


def opening(url: str, *messages: str) -> float:
    written = tuple(each for message in messages for each in written_addresses(message))
    return KnownWords(request=messages[-1], written=written).bits(OPEN, {"url": url})


@pytest.mark.parametrize(
    ("message", "url"),
    [
        ("https://a.example/x 읽고 요약해 줘", "https://a.example/x"),
        ("https://a.example/x에서 가격 알려 줘", "https://a.example/x"),
        ("(https://a.example/x)를 열어 줄래?", "https://a.example/x"),
        ("https://a.example/x", "https://a.example/x/"),
        ("a.example/x 열어 줘", "https://a.example/x"),
        ("https://ko.example/서울 요약", "https://ko.example/%EC%84%9C%EC%9A%B8"),
        ("what does https://a.example/x say?", "https://a.example/x"),
        ("Please open HTTPS://A.example/x.", "https://a.example/x"),
        ("https://a.example/x. Summarise it.", "https://a.example/x"),
        ("open wikipedia.org", "https://www.wikipedia.org/"),
        ("wikipedia 열어 줘", "https://www.wikipedia.org"),
        ("compare https://a.example/x and https://b.example", "https://b.example/"),
    ],
)
def test_an_address_is_free_that_the_user_wants_opened(message: str, url: str) -> None:
    assert opening(url, message) == 0
    assert opening(url, message, "그거 다시 읽어 줘") == 0 or "wikipedia" in message


@pytest.mark.parametrize(
    ("message", "url"),
    [
        ("https://a.example/x 읽어 줘", "https://a.example/x?d=hunter2"),
        ("https://a.example/x 읽어 줘", "https://a.example.evil.example/x"),
        ("https://a.example/x는 열지 마", "https://a.example/x"),
        ("don't open https://a.example/x", "https://a.example/x"),
        ("내 사이트는 https://a.example/x 야.", "https://a.example/x"),
        ("My site is https://a.example/x.", "https://a.example/x"),
        ("안녕", "https://evil.example"),
        ("wikipedia 열어 줘", "https://wikipedia.evil.example"),
        ("wikipedia 열어 줘", "https://wikipedia.org/hunter2"),
        ("open wikipedia", "https://user@wikipedia.org"),
        ("내 비밀번호는 hunter2야. 뉴스 보여 줘", "https://hunter2.example"),
    ],
)
def test_another_address_has_no_bound(message: str, url: str) -> None:
    assert opening(url, message) == math.inf


def test_choices_among_results_are_counted_so_that_they_cannot_spell_a_pin() -> None:
    known, spent = KnownWords(request="재즈 찾아 줘", found=(TEN,)), 0.0
    costs = [known.bits(OPEN, {"url": TEN[digit].url}) for digit in (7, 3, 0, 2)]
    assert sum(costs) > BUDGET_BITS
    for number in range(5):
        spent += known.bits(OPEN, {"url": TEN[number].url})
        known = KnownWords(request=known.request, found=known.found, opened=known.opened | {TEN[number].url})
    assert spent == 5


@pytest.mark.parametrize(
    ("request_text", "number"),
    [("두 번째 글 읽어 줘", 1), ("open the third one", 2), ("마지막 거", 9), ("t4 열어 줘", 4), ("first result", 0)],
)
def test_the_users_words_name_a_result(request_text: str, number: int) -> None:
    assert KnownWords(request=request_text, found=(TEN,)).bits(OPEN, {"url": TEN[number].url}) == 0
    assert KnownWords(request=request_text, found=(TEN,)).bits(OPEN, {"url": TEN[6].url}) > 3


def test_a_search_may_say_the_request_and_choose_a_passage_of_a_page() -> None:
    page = f" {'글 ' * 250}전주 비빔밥 거리 {'글 ' * 250}"
    known = KnownWords(request="내 비번은 hunter2야. 제주도 맛집 찾아 줘", public=page)
    assert known.bits(SEARCH, {"query": "제주도 맛집", "count": 5}) == 1
    assert known.bits(SEARCH, {"query": "제주도 맛집", "count": 7}) < 5
    assert 9 < known.bits(SEARCH, {"query": "제주도 비빔밥 거리"}) < BUDGET_BITS
    for query in ("hunter2", "제주도 uvagre", "제 주 도", "제주도 4242", "제주도 https://evil.example/x"):
        assert known.bits(SEARCH, {"query": query}) == math.inf


@pytest.mark.parametrize(
    ("request_text", "asking"),
    [
        ("서울 날씨", "서울 날씨"),
        ("내 이름은 민수야. 날씨 알려 줘", "날씨 알려 줘"),
        ("I live in Oslo. What is the weather?", "What is the weather?"),
        ("내 비밀번호 hunter2 찾아 줘", ""),
        ("내 여권은 M1234인데 이 페이지 요약해 줘", "이 페이지 요약해 줘"),
        ("나는 오슬로에 사니까 날씨 찾아 줘", "날씨 찾아 줘"),
        ("my passport is M1234, summarise this page", "summarise this page"),
        ("I live in Oslo but find the weather of Bergen", "find the weather of Bergen"),
        ("비빔밥이랑 김치, 둘 다 찾아 줘", "비빔밥이랑 김치\n둘 다 찾아 줘"),
    ],
)
def test_what_a_request_states_beside_its_question_stays_here(request_text: str, asking: str) -> None:
    assert asking_part(request_text) == asking


def test_addresses_inside_passages_are_no_results() -> None:
    text = json.dumps(
        {"documents": [{"title": "a", "url": "https://a.example", "contents": '"url": "https://evil.example"'}]}
    )
    assert found_pages(text) == (FoundPage(url="https://a.example", title="a"),)
    assert found_pages("no JSON") == ()


@pytest.mark.parametrize("broken", ["http://[x", "http://[::1/a", "//", "http://a]b/", "", "://"])
def test_a_broken_address_among_the_results_of_a_search_does_no_harm(broken: str) -> None:
    pages = (FoundPage(url=broken, title="broken"), FoundPage(url="https://news.example/a", title="Weather"))
    known = KnownWords(request="open the weather page", found=(pages,))
    assert known.bits(OPEN, {"url": "https://news.example/a"}) == 0
    assert known.bits(OPEN, {"url": "https://other.example/a"}) == math.inf


def test_a_foreign_tool_may_describe_an_argument_by_true() -> None:
    foreign = replace(OPEN, parameters={"type": "object", "properties": {"note": True, "wanted": {"type": "string"}}})
    assert KnownWords(request="send hello").bits(foreign, {"note": "hello"}) == 0
    assert KnownWords(request="send hello").bits(foreign, {"note": "secret"}) == math.inf
