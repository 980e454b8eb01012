"""What is shown of Markdown that is still being written."""

import pytest

from assistant.core.markdown.reading import read
from assistant.core.markdown.unfinished import presentable
from assistant.core.markdown.units import Paragraph


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("글 **굵", "글 **굵**"),
        ("글 **굵*", "글 **굵**"),
        ("글 **굵**", "글 **굵**"),
        ("글 *기", "글 *기*"),
        ("글 ~~지", "글 ~~지~~"),
        ("글 `코", "글 `코`"),
        ("글 [말](https://a", "글 말"),
        ("글\n-", "글"),
        ("글\n#", "글"),
        ("글\n```", "글"),
        ("글\n```pyt", "글"),
        ("- 하나\n- ", "- 하나"),
        ("1. 하나\n2", "1. 하나"),
        ("- [", ""),
        ("| 이름 | 값 |", ""),
        ("| 이름 | 값 |\n|--", ""),
        ("글\n\n| 이름 | 값 |\n|---|---|\n| 하", "글\n\n| 이름 | 값 |\n|---|---|"),
        ("$$x^2", "$$x^2$$"),
        ("```py\nx = 1", "```py\nx = 1"),
        ("```py\nx = 1\n``", "```py\nx = 1"),
        ("```py\nx = 1\n```", "```py\nx = 1\n```"),
        ("```py\n# **x\n- ", "```py\n# **x\n- "),
        ("2 * 3 = 6", "2 * 3 = 6"),
        ("5달러", "5달러"),
    ],
)
def test_marks_whose_meaning_is_open_are_held_back_or_closed(source: str, shown: str) -> None:
    assert presentable(source) == shown


ANSWER = """# 제목입니다

**"소리"**는 *음성 비서*예요. `pip install` 하고 [문서](https://example.com/a)를 보세요.

1. 첫째 **굵게**
2. 둘째
   - 안쪽 `x`

| 이름 | 값 |
|---|---|
| 하나 | 1 |

> 인용

끝 $x^2$ 입니다."""


def test_no_mark_is_ever_shown_as_text_while_an_answer_is_written() -> None:
    for end in range(len(ANSWER) + 1):
        for unit in read(presentable(ANSWER[:end])).units:
            if isinstance(unit, Paragraph):
                text = "".join(run.text for run in unit.runs)
                assert not set(text) & set("*`|#>~"), (ANSWER[:end][-30:], text)
                assert "](" not in text
