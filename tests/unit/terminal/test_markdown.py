"""Markdown in a terminal: the same text whatever the pieces in which it streams."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.terminal.markdown import ReadableMarkdown, readable

ANSWER = """# 서울 **날씨**

오늘은 **맑고** 2 * 3 * 4 = 24, `a ** b` 그대로예요.
- 아침: **10도**
  * 낮: 18도
1. 순서

| 지역 | 기온 |
|:-----|-----:|
| 서울 | 18 |
| 부산광역시 | **9** |

```python
# 주석
x = 2 ** 3
- y
```
---
끝
"""
READABLE = """■ 서울 날씨

오늘은 맑고 2 * 3 * 4 = 24, `a ** b` 그대로예요.
• 아침: 10도
  • 낮: 18도
1. 순서

지역        기온
────────────────
서울          18
부산광역시     9

── python
# 주석
x = 2 ** 3
- y
──
────────────────────────────────────────
끝
"""


def test_an_answer_is_readable() -> None:
    assert readable(ANSWER, 80) == READABLE


@pytest.mark.parametrize("size", range(1, 9))
def test_pieces_of_any_size_give_the_same_text(size: int) -> None:
    markdown = ReadableMarkdown(lambda: 80)
    pieces = [ANSWER[start : start + size] for start in range(0, len(ANSWER), size)]
    assert "".join(map(markdown.feed, pieces)) + markdown.end() == READABLE


def test_text_appears_as_it_streams_and_only_what_may_be_a_mark_is_held_back() -> None:
    markdown = ReadableMarkdown(lambda: 80)
    assert [markdown.feed(piece) for piece in ("안녕", "하세", "요 *", "*굵", "게*", "*", "!")] == [
        *("안녕", "하세", "요 ", "굵", "게", "", "!")
    ]
    assert markdown.end() == ""


@pytest.mark.parametrize(
    "text",
    ["a ** b", "2 * 3", "*기울임*", "5 > 3", "C# ", "#태그", "-5도", "| 혼자", "snake_case_name", "```ls```"],
)
def test_what_is_no_mark_stays(text: str) -> None:
    assert readable(text, 80) == text


def test_a_table_that_is_too_wide_becomes_a_block_for_each_row() -> None:
    table = "| 이름 | 설명 |\n|---|---|\n| 가 | 아주 긴 설명입니다 |\n| 나 | 짧음 |\n"
    assert readable(table, 20) == "이름  가\n설명  아주 긴 설명입니다\n\n이름  나\n설명  짧음"


@given(st.text(alphabet="가a *`#|-\n~_:1.", max_size=60), st.integers(1, 5))
def test_no_letter_is_lost_whatever_the_text(text: str, size: int) -> None:
    markdown = ReadableMarkdown(lambda: 200)
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    shown = "".join(map(markdown.feed, pieces)) + markdown.end()
    assert shown == readable(text, 200)
    assert sorted(each for each in shown if each in "가a") == sorted(each for each in text if each in "가a")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("__이름(name)__은 중요", "이름(name)은 중요"),
        ("__굵게__ 하고 **또** 해", "굵게 하고 또 해"),
        ("- __항목__은 하나", "• 항목은 하나"),
        ("__React__를 쓴다", "React를 쓴다"),
        ("This is __really__ good.", "This is really good."),
        ("__끝__", "끝"),
        ("__끝__.", "끝."),
        ('**"소리"**가 **(삭제)**는', '"소리"가 (삭제)는'),
        ("__init__은 생성자", "__init__은 생성자"),
        ("def __init__(self): pass", "def __init__(self): pass"),
        ("__main__.py 실행", "__main__.py 실행"),
        ("snake__case 값", "snake__case 값"),
        ("a __b c", "a __b c"),
        ("`__x__` 그대로", "`__x__` 그대로"),
        ("~~(삭제)~~는 $A/$B", "~~(삭제)~~는 $A/$B"),
    ],
)
def test_underscores_emphasise_beside_particles_and_stay_in_names(written: str, read: str) -> None:
    markdown = ReadableMarkdown(lambda: 80)
    assert readable(written, 80) == read
    assert "".join(map(markdown.feed, written)) + markdown.end() == read
