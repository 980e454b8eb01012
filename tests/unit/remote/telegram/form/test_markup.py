"""Markdown as text with Telegram's entities: nothing of it breaks, and nothing is lost."""

import json
import random

import pytest

from assistant.remote.telegram.delivery import entities
from assistant.remote.telegram.form.markup import rich
from assistant.remote.telegram.form.splitting import parts
from tests.fakes.telegram_server.text_rules import Formatted, formatted


def shown(source: str) -> tuple[str, list[tuple[str, str]]]:
    """The text, and what its entities cover, after the rules of Telegram's server."""
    text = rich(source)
    told = json.dumps([each.to_dict() for each in entities(text)])
    kept: Formatted = formatted(text.text, told, None)
    return kept.text, [(str(each["type"]), kept.shown(str(each["type"]))[0]) for each in kept.entities[:1]] + [
        (str(each["type"]), _covered(kept, each)) for each in kept.entities[1:]
    ]


def _covered(kept: Formatted, entity: object) -> str:
    return Formatted(kept.text, (entity,)).shown(str(entity["type"]))[0]  # type: ignore[arg-type, index]


@pytest.mark.parametrize(
    ("source", "text", "formats"),
    [
        ("**중요**합니다", "중요합니다", [("bold", "중요")]),
        ("이건 **아주 중요한 것**입니다만", "이건 아주 중요한 것입니다만", [("bold", "아주 중요한 것")]),
        (
            "**“인용”**은 *그것*이 **A(가)**를",
            "“인용”은 그것이 A(가)를",
            [("bold", "“인용”"), ("italic", "그것"), ("bold", "A(가)")],
        ),
        ("~~옛것~~을 `코드`로", "옛것을 코드로", [("strikethrough", "옛것"), ("code", "코드")]),
        ("***둘 다***예요", "둘 다예요", [("bold", "둘 다"), ("italic", "둘 다")]),
        (
            "**굵고 *기운* 것**",
            "굵고 기운 것",
            [("bold", "굵고 "), ("bold", "기운"), ("italic", "기운"), ("bold", " 것")],
        ),
        ("메일은 <kim@example.com>이에요", None, []),
        ("`<kim@example.com>`과 <b>굵게</b>", "<kim@example.com>과 <b>굵게</b>", [("code", "<kim@example.com>")]),
        ("1 < 2 && 3 > 2 &amp; <script>", None, []),
        ("snake_case_name과 a_b_c", None, []),
        ("[소리](https://sori.example/길)를 보세요", "소리를 보세요", [("text_link", "소리")]),
        ("[`코드` 링크](https://a.example)", "코드 링크", [("text_link", "코드"), ("text_link", " 링크")]),
        ("[나쁜 것](javascript:alert(1))", "[나쁜 것](javascript:alert(1))", []),
        ("😀 **웃음**이 👨‍👩‍👧 `x`", "😀 웃음이 👨‍👩‍👧 x", [("bold", "웃음"), ("code", "x")]),
        ("# 제목이에요\n본문", "제목이에요\n\n본문", [("bold", "제목이에요")]),
        ("- 하나\n- **둘**은\n  1. 셋", "• 하나\n• 둘은\n    1. 셋", [("bold", "둘")]),
        ("> 첫째\n> 둘째\n\n끝", "첫째\n둘째\n\n끝", [("blockquote", "첫째\n둘째")]),
        ("```python\nif a < b:\n    *c*\n```", "if a < b:\n    *c*", [("pre", "if a < b:\n    *c*")]),
        ("```\n```", "", []),
        ("- [x] 했다\n- [ ] 안 했다", "☑ 했다\n☐ 안 했다", []),
        ("Price: **$5**. It's *fine*!", "Price: $5. It's fine!", [("bold", "$5"), ("italic", "fine")]),
        ("끝이 **없는 굵은", "끝이 **없는 굵은", []),
        ("\\*그대로\\* [대괄호] (괄호) _", "*그대로* [대괄호] (괄호) _", []),
    ],
)
def test_markdown_becomes_text_with_entities(source: str, text: str | None, formats: list[tuple[str, str]]) -> None:
    found, kinds = shown(source)
    if text is not None:
        assert found == text
    for word in ("kim@example.com", "script", "snake_case_name"):
        assert (word in found) is (word in source)
    assert sorted(kinds) == sorted(formats)


def test_a_wide_table_names_the_cells_of_its_last_row_as_of_its_first() -> None:
    rows = "".join(f"| {at}일 | 해야 할 일이 꽤 길어서 한 줄에 들어가지 않는 내용이에요 |\n" for at in range(150))
    text = rich(f"| 날짜 | 할 일 |\n|---|---|\n{rows}").text
    assert [text.count(name) for name in ("• 날짜: ", "• 할 일: ")] == [150, 150]
    assert "• 날짜: 149일\n" in text


def test_a_narrow_table_has_columns_and_a_wide_one_names_its_cells() -> None:
    narrow = "| 이름 | 값 |\n|---|--:|\n| 사과 | 3 |\n| 배 | 12 |"
    text, formats = shown(narrow)
    assert text.splitlines() == ["이름 │ 값", "─────┼───", "사과 │  3", "배   │ 12"]
    assert [kind for kind, _ in formats] == ["pre"]
    wide = "| 이름 | 설명 |\n|---|---|\n| **사과** | 빨갛고 동그랗고 아주 달콤해서 누구나 좋아하는 과일이에요 |"
    text, formats = shown(wide)
    assert text == "• 이름: 사과\n• 설명: 빨갛고 동그랗고 아주 달콤해서 누구나 좋아하는 과일이에요"
    assert formats == [("bold", "사과")]


@pytest.mark.parametrize(
    "source",
    ["|a|\n|-|", "> ```\n> x\n> ```", "- \n- 가", "---", "$x^2$와 $$\\frac{1}{2}$$", "1. ", "#", "> > 안쪽\n> 바깥"],
)
def test_odd_markdown_passes_the_server(source: str) -> None:
    text, _ = shown(source)
    assert "\u2028" not in text


PIECES = (
    *(
        "**",
        "*",
        "_",
        "~~",
        "`",
        "```py\n",
        "\n```\n",
        "# ",
        "- ",
        "1. ",
        "> ",
        "\n",
        "\n\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
    ),
    *(
        "[",
        "](https://x.kr/a_b)",
        "<b>",
        "<kim@example.com>",
        "https://a.kr/길?x=1&y=2",
        "가나다",
        "합니다",
        "word ",
        "😀",
    ),
    *("👨‍👩‍👧‍👦", "🇰🇷", "$x^2$", "    ", "\\*", "***", "&amp;", "e\u0301", "\u2028", "“", "”", "- [x] ", "끝."),
)


@pytest.mark.parametrize("seed", range(5))
def test_whatever_a_model_writes_passes_the_server_in_parts_that_lose_nothing(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(25):
        text = rich("".join(chance.choices(PIECES, k=chance.randrange(1, 80))))
        longest = chance.choice([40, 120, 4096])
        found = parts(text, longest)
        for part in found:
            told = json.dumps([each.to_dict() for each in entities(part)])
            assert formatted(part.text, told, None, longest=longest).text.strip()
        assert "".join("".join(each.text for each in found).split()) == "".join(text.text.split())
