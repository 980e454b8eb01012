import pytest

from assistant.chat.replies import refuses, reply_meaning
from assistant.core.machine.events import Meaning
from assistant.core.settings import Language
from assistant.host.texts import load_texts


@pytest.mark.parametrize(
    "text",
    [
        "네",
        "네.",
        "네, 네!",
        "예",
        "응",
        "응, 그래",
        "그래요",
        "네 실행해 주세요",
        "예스",
        "좋아",
        "물론이죠",
        "해도 돼요",
        "Yes.",
        "yes please",
        "Sure",
        "OK, go ahead",
        "Yeah, do it",
        "Of course",
    ],
)
def test_an_agreement_is_a_yes(text: str) -> None:
    assert reply_meaning(text) is Meaning.YES


@pytest.mark.parametrize(
    "text",
    [
        "아니",
        "아니요",
        "아뇨, 됐어요",
        "아냐",
        "됐어",
        "취소",
        "취소해 줘",
        "안 돼",
        "하지 마세요",
        "싫어요",
        "괜찮아요",
        "네 아니 잠깐",
        "No",
        "no thanks",
        "Don't",
        "Don’t do it",
        "please do not",
        "Cancel",
        "stop",
        "wait",
    ],
)
def test_a_refusal_is_a_no_wherever_it_stands(text: str) -> None:
    assert reply_meaning(text) is Meaning.NO


@pytest.mark.parametrize(
    "text",
    [
        "",
        "어",
        "음",
        "일기 읽기 도구를 쓰려고 합니다. 실행해도 될까요?",
        "실행해도 될까요",
        "May I run it?",
        "네 그런데 뭘 지우는 거야",
        "yes but which file",
        "내일 날씨",
        "yesterday",
        "네시에 깨워 줘",
    ],
)
def test_anything_else_is_neither_not_even_the_question_itself(text: str) -> None:
    assert reply_meaning(text) is Meaning.REQUEST


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_end_of_the_question_is_a_yes_so_that_its_echo_approves_nothing(language: Language) -> None:
    texts = load_texts(language)
    for key in ("ask.tool", "ask.tool_alone"):
        question = f"{texts('ask.again')} {texts(key, tool='t', arguments='a: 1')}"
        for start in range(len(question)):
            assert reply_meaning(question[start:]) is not Meaning.YES


@pytest.mark.parametrize("text", ["아니요.", "취소해 줘", "답 안 할래요", "거절할게요", "No.", "Cancel!", "never mind"])
def test_a_question_for_words_is_refused_by_a_whole_reply(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text", ["노트북", "아니요 말고 부산이요", "November", "no limit", "네", "그만두지 않는 사람", ""]
)
def test_words_that_only_contain_a_refusal_are_an_answer(text: str) -> None:
    assert not refuses(text)
