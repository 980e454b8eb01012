"""What stands at the cursor after utterances: signs by their names, phrases taken back, and words that stay (D-08)."""

import pytest

from assistant.speech.dictation.composing import Composing
from assistant.speech.dictation.reading import steps_of


def written(*utterances: str) -> str:
    """The text at the cursor after these utterances, as the changes make it."""
    composing, text = Composing(), ""
    for each in utterances:
        edit = composing.take(steps_of(each))
        assert edit.erased <= len(text)
        text = text[: len(text) - edit.erased] + edit.text
    return text


SPOKEN_SIGNS = [
    (("안녕하세요 쉼표 저는 김민수입니다 마침표",), "안녕하세요, 저는 김민수입니다."),
    (("안녕하세요, 쉼표, 반갑습니다. 마침표.",), "안녕하세요, 반갑습니다."),
    (("오늘 뭐 해 물음표",), "오늘 뭐 해?"),
    (("정말 고마워요 느낌표",), "정말 고마워요!"),
    (("사과 쉼표 배 쉼표 감 마침표",), "사과, 배, 감."),
    (("저는 쉼표 오늘 집에 갑니다 마침표",), "저는, 오늘 집에 갑니다."),
    (("오후 세 시 물음표",), "오후 세 시?"),
    (("첫 줄입니다 마침표 새 줄 둘째 줄입니다",), "첫 줄입니다.\n둘째 줄입니다"),
    (("첫 문단입니다. 새 문단. 둘째입니다.",), "첫 문단입니다.\n\n둘째입니다."),
    (("안녕하세요.", "줄 바꿔.", "반갑습니다."), "안녕하세요.\n반갑습니다."),
    (("준비물 콜론 연필 쉼표 종이",), "준비물: 연필, 종이"),
    (("그는 말했다 쉼표 따옴표 열고 가자 따옴표 닫고 그리고 갔다",), '그는 말했다, "가자" 그리고 갔다'),
    (("안녕하세요", "쉼표", "반갑습니다"), "안녕하세요, 반갑습니다"),
    (("그게 정말이에요 물음표 느낌표",), "그게 정말이에요?!"),
    (("hello comma how are you question mark",), "hello, how are you?"),
    (("Hello, comma, how are you? Question mark.",), "Hello, how are you?"),
    (("I walked to school period. Then I slept.",), "I walked to school. Then I slept."),
    (("Dear John comma new line thank you period",), "Dear John,\nThank you."),
    (("No comma I won't go period",), "No, I won't go."),
    (("Bring three things colon, milk comma bread comma eggs",), "Bring three things: milk, bread, eggs"),
    (("We won exclamation mark",), "We won!"),
    (("I went home full stop New paragraph it was late",), "I went home.\n\nIt was late"),
    (("Hello.", "Comma.", "my friend."), "Hello, my friend."),
    (("It was late semicolon we left",), "It was late; we left"),
    (("The meeting is today open parenthesis at noon close parenthesis",), "The meeting is today (at noon)"),
]

STAY_WORDS = [
    "여기에 쉼표를 찍어 주세요",
    "쉼표 사용법을 알려 줘",
    "인생의 쉼표",
    "쉼표 마침표 물음표의 차이가 뭐야",
    "마침표 다음에 한 칸 띄워 주세요",
    "문장 부호에는 쉼표 마침표가 있다",
    "이 문장은 물음표로 끝나야 해요",
    "줄 바꿔 주세요",
    "다음 줄에 쓰세요",
    "내 머릿속에 물음표",
    "아주 중요한 마침표",
    "콜론 버튼을 눌러",
    "이 파일을 지워.",
    "칠판을 지워 주세요.",
    "I need a comma here",
    "The trial period ended yesterday",
    "That was a difficult period.",
    "Use commas and periods",
    "There is a big question mark over his future",
    "a new line of products",
    "The comma is missing",
    "We are in a transition period.",
    "He came to a full stop",
    "Put comma after hello",
    "The colon is a part of the body",
    "I want to scratch that itch.",
    "Please delete that file.",
    "Punctuation such as comma matters",
]

TAKEN_BACK = [
    (("안녕하세요.", "지워."), ""),
    (("안녕하세요.", "반갑습니다.", "지워 줘."), "안녕하세요."),
    (("오늘은 춥습니다. 지워. 내일은 덥습니다.",), "내일은 덥습니다."),
    (("하나입니다.", "둘입니다.", "지워.", "지워."), ""),
    (("안녕하세요.", "방금 거 지워.", "네."), "네."),
    (("가나다 쉼표", "라마바.", "지워"), "가나다,"),
    (("Hello there.", "Scratch that."), ""),
    (("I'd like the blue one, scratch that, the red one.",), "the red one."),
    (("One is enough.", "Two are more.", "Delete that."), "One is enough."),
    (("We meet on Monday.", "scratch that", "We meet on Tuesday."), "We meet on Tuesday."),
    (("Good morning.", "Scratch that.", "Scratch that."), ""),
]


@pytest.mark.parametrize(("utterances", "text"), SPOKEN_SIGNS)
def test_the_name_of_a_sign_is_written_as_the_sign(utterances: tuple[str, ...], text: str) -> None:
    assert written(*utterances) == text


@pytest.mark.parametrize("text", STAY_WORDS)
def test_words_about_signs_and_doubtful_ones_stay(text: str) -> None:
    assert written(text) == text


@pytest.mark.parametrize(("utterances", "text"), TAKEN_BACK)
def test_the_last_phrase_is_taken_back(utterances: tuple[str, ...], text: str) -> None:
    assert written(*utterances) == text


def test_a_sentence_that_goes_on_loses_the_full_stop_of_the_recogniser() -> None:
    assert written("I went to the store.", "and bought milk.") == "I went to the store and bought milk."


def test_decomposed_hangul_is_written_in_whole_syllables() -> None:
    assert written("\u1112\u1161\u11ab글") == "한글"
