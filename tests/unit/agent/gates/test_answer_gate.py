"""What of an answer is shown, cut into pieces of every size."""

import pytest

from assistant.agent.gates.answer_gate import AnswerGate
from assistant.agent.gates.answer_language import AnswerLanguage, wanted_language
from assistant.core.messages import Message, Role

SIZES = range(1, 30)


def shown(text: str, size: int, language: AnswerLanguage = "", question: str = "안녕") -> tuple[str, bool]:
    gate = AnswerGate(language, question)
    pieces = [gate.take(text[start : start + size]) for start in range(0, len(text), size)]
    return "".join([*pieces, gate.end()]), bool(gate.wrong)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("안녕하세요, [이름]님! 반가워요.", "안녕하세요, 반가워요."),
        ("[이름]님, 안녕하세요!", "안녕하세요!"),
        ("Hello [Your Name], how are you?", "Hello how are you?"),
        ("○○님 반갑습니다.", "반갑습니다."),
        ("OO님은 어때요?", "어때요?"),
        ("{사용자 이름}님 요청하신 것", "요청하신 것"),
        ("네, <name> 안녕", "네, 안녕"),
    ],
)
def test_a_placeholder_for_the_users_name_is_never_shown(text: str, left: str) -> None:
    assert {shown(text, size) for size in SIZES} == {(left, False)}


@pytest.mark.parametrize(
    "text", ["a[0] = [1, 2] (x) <b>", "[이름](http://x)입니다", "XX가 아니라 OX 퀴즈", "배열 [사과]", "끝이 [이"]
)
def test_other_brackets_are_shown(text: str) -> None:
    assert {shown(text, size) for size in SIZES} == {(text, False)}


@pytest.mark.parametrize(
    "text",
    ['```python\nprint(f"안녕, {name}!")\n```\n{name}은 변수예요.', "`<user>`를 바꾸세요.", "글 `ls` <name>"],
)
def test_names_in_brackets_in_code_and_after_it_are_shown(text: str) -> None:
    assert {shown(text, size) for size in SIZES} == {(text, False)}


def test_a_placeholder_before_code_is_still_left_out() -> None:
    assert {shown("[이름]님, `ls {name}`", size) for size in SIZES} == {("`ls {name}`", False)}


def test_who_asks_for_a_form_gets_its_placeholders() -> None:
    text = "Dear [Your Name],"
    assert shown(text, 3, question="Write me an email template") == (text, False)
    assert shown("[이름]님께", 1, question="초대장 초안을 써 줘") == ("[이름]님께", False)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("你好！很高兴", "ko"),
        ("こんにちは、元気ですか", "ko"),
        ("Hello there, how can I help you today?", "ko"),
        ("안녕하세요", "en"),
        ("你好", "en"),
        ("# Lighthouse\n\n등대는 배의 길을 밝혀 줍니다.", "en"),
        ("## What is a lighthouse?\n등대는 배의 길을 밝혀 줍니다.", "en"),
        ("**Lighthouse**\n\n등대는 배의 길을 밝혀 줍니다.", "en"),
        ("`light` 등대는", "en"),
        ("### 등대\n\nA lighthouse shows ships the way at night.", "ko"),
    ],
)
def test_an_answer_that_begins_in_another_language_is_not_shown(text: str, language: AnswerLanguage) -> None:
    assert {shown(text, size, language) for size in SIZES} == {("", True)}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("네, 그렇습니다.", "ko"),
        ("Python의 list comprehension은 편해요.", "ko"),
        ("42", "ko"),
        ("```python\nprint(1)\n```", "ko"),
        ("Sure, 안녕 means hello.", "en"),
        ("OK", "ko"),
        ("# Lighthouse\n\nA lighthouse shows the way.", "en"),
        ("# 등대\n\n등대는 길을 밝혀 줍니다.", "ko"),
        ("**Lighthouse** (등대) shows the way.", "en"),
        ("# Python", "ko"),
    ],
)
def test_an_answer_in_the_language_is_shown(text: str, language: AnswerLanguage) -> None:
    assert {shown(text, size, language) for size in SIZES} == {(text, False)}


def test_no_more_is_held_back_than_is_needed_to_tell_the_language() -> None:
    assert AnswerGate("ko", "안녕").take("안") == "안"
    assert AnswerGate("en", "hello").take("H") == "H"


def said(*texts: str) -> list[Message]:
    return [Message(role=Role.USER, text=text) for text in texts]


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (("오늘 기분 어때?",), "ko"),
        (("파이썬 list 정렬은 어떻게 해?",), "ko"),
        (("how are you?",), "en"),
        (("오늘 뭐 해?", "what is a lighthouse?"), "en"),
        (("영어로 감사합니다가 뭐야?",), ""),
        (("이제부터 영어로 대답해", "오늘 뭐 했어?"), ""),
        (("how do you say thanks in Korean?",), ""),
        (("comment allez-vous",), ""),
        (("こんにちは",), ""),
        (("123",), ""),
        ((), ""),
    ],
)
def test_the_question_tells_the_language_unless_another_was_asked_for(
    texts: tuple[str, ...], language: AnswerLanguage
) -> None:
    assert wanted_language(said(*texts)) == language


@pytest.mark.parametrize("size", SIZES)
def test_who_it_is_is_shown_only_when_it_is_sori(size: int) -> None:
    def told(text: str, question: str) -> tuple[str, str]:
        gate = AnswerGate("en", question, as_sori=True)
        pieces = [gate.take(text[start : start + size]) for start in range(0, len(text), size)]
        return "".join([*pieces, gate.end()]), gate.wrong

    assert told("I was made by OpenAI. Ask me.", "who are you?") == ("", "identity")
    assert told("My name is Sori.", "who are you?") == ("My name is Sori.", "")
    assert told("It was made by OpenAI.", "who made ChatGPT?") == ("It was made by OpenAI.", "")


def test_answers_to_other_questions_do_not_wait_for_their_end() -> None:
    assert AnswerGate("", "why is the sky blue?", as_sori=True).take("The sky ") == "The sky "
