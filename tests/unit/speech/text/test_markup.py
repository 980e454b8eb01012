import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.speech.text.characters import plain_characters
from assistant.speech.text.markup import plain_text


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("오늘은 **맑고** *따뜻*합니다.", "오늘은 맑고 따뜻합니다."),
        ("***정말*** ~~아니~~ __네__", "정말 아니 네"),
        ("## 오늘의 날씨", "오늘의 날씨"),
        ("> 인용한 문장입니다.", "인용한 문장입니다."),
        ("- 사과", "사과"),
        ("- [x] 우유 사기", "우유 사기"),
        ("* 하나", "하나"),
        ("1. 사과 두 개", "1, 사과 두 개"),
        ("`print` 함수를 쓰세요.", "print 함수를 쓰세요."),
        ("``a`b`` 입니다", "ab 입니다"),
        ("```python\nprint(1)\n```", ""),
        ("이렇게 합니다.\n```\ncode. here\n```\n끝입니다.", "이렇게 합니다. 끝입니다."),
        ("```\n끝나지 않은", ""),
        ("[서울시](https://seoul.go.kr/a?b=c)를 보세요.", "서울시를 보세요."),
        ("![지도](map.png) 참고", "지도 참고"),
        ("See https://www.example.com/path.", "See https://www.example.com/path."),
        ("<https://example.com/a>에서 보세요", "https://example.com/a에서 보세요"),
        ("서울은 수도입니다 [1][2].", "서울은 수도입니다."),
        ("각주가 있습니다[^3].", "각주가 있습니다."),
        ("좋아요! 😊👍🏽", "좋아요!"),
        ("👨‍👩‍👧‍👦 가족", "가족"),
        ("🇰🇷 한국", "한국"),
        ("서울 → 부산", "서울, 부산"),
        ("A -> B", "A, B"),
        ("|이름|나이|\n|---|:-:|\n|민수|7|", "이름, 나이, 민수, 7"),
        ("---", ""),
        ("😀", ""),
        ("굵게 <b>표시</b><br>다음", "굵게 표시 다음"),
        ("Tom &amp; Jerry", "Tom & Jerry"),
        ("snake_case_name을 쓰세요", "snake_case_name을 쓰세요"),
        ("_기울임_입니다", "기울임입니다"),
        ("- 사과\n- 배", "사과, 배"),
        ("한 줄이\n둘로 나뉨", "한 줄이 둘로 나뉨"),
        ("제목\n\n본문", "제목, 본문"),
        ("5 * 3 = 15", "5 * 3 = 15"),
        ("3.5도, 25%", "3.5도, 25%"),
        ("a < b 그리고 c > d", "a < b 그리고 c > d"),
        ("Hello there.", "Hello there."),
        ("C#은 언어입니다", "C#은 언어입니다"),
        ("**안녕하세요**", "안녕하세요"),
        ("\\*별표\\*", "별표"),
    ],
)
def test_written_signs_are_not_spoken(written: str, spoken: str) -> None:
    assert plain_text(plain_characters(written)) == spoken


@given(st.text(max_size=200))
def test_any_text_can_be_prepared_and_has_no_signs_of_emphasis(text: str) -> None:
    spoken = plain_text(text)
    assert "**" not in spoken
    assert "```" not in spoken
    assert "\n" not in spoken
