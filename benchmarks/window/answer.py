"""The answer that both arms of the streaming figure show. It knows neither Sori nor Qt."""

LENGTH = 20_000
TOKENS_A_SECOND = 100
PIECE = 4
"""Characters of a token."""
_PROSE = "소리는 **음성 비서**예요. `코드`와 [문서](https://example.com)를 *함께* 보여 줘요. "
_PART = (
    f"## 설명\n\n{_PROSE * 3}\n\n"
    "| 이름 | 값 | 설명 |\n|---|---:|---|\n"
    + "| **하나** | 1,000 | `코드`와 글 |\n" * 12
    + "\n```python\n"
    + "def greet(name: str) -> str:\n    return f'안녕, {name}! {42}'  # 인사\n\n" * 6
    + "```\n\n"
    + f"- {_PROSE}\n" * 4
    + "\n"
)


def long_answer(length: int) -> str:
    """An answer with headings, prose, tables, code and lists."""
    return (_PART * (length // len(_PART) + 1))[:length]
