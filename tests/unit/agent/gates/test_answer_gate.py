"""What of an answer is shown, cut into pieces of every size."""

import pytest

from assistant.agent.gates.answer_gate import AnswerGate
from assistant.agent.gates.answer_language import (
    AnswerLanguage,
    Directions,
    orders_language,
    spoken_language,
    wanted_language,
)
from assistant.core.messages import Attachment, Message, Role
from assistant.core.settings import Language

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
    [
        "__이름(name)__은 남깁니다.",
        "__name(이름)__ stays.",
        "함수 greet(name)을 부르세요.",
        "Call greet(name) first.",
        "값은 users[name]에 있어요.",
        "Use ${name} or row[user].",
        "f(user)와 g(name)을 비교해요.",
        "성명(이름)을 적으세요.",
        "hash_(username) is stored.",
        "닉네임(사용자명)이 보입니다.",
    ],
)
def test_brackets_that_explain_the_word_before_them_are_shown(text: str) -> None:
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
        ("안녕하세요, 반갑습니다", "en"),
        ("你好！很高兴", "en"),
        ("Привет, как дела?", "ko"),
        ("I am fine, thank you. And what about you today?", "ko"),
        ("1. The weather is mostly sunny in the morning.", "ko"),
        ("# Lighthouse\n\n등대는 배의 길을 밝혀 줍니다.", "en"),
        ("## What is a lighthouse?\n등대는 배의 길을 밝혀 줍니다.", "en"),
        ("**Lighthouse**\n\n등대는 배의 길을 밝혀 줍니다.", "en"),
        ("`light` 등대는 길을 밝혀 줍니다", "en"),
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
        ("안녕하세요", "en"),
        ("你好", "ko"),
        ("臥薪嘗膽(와신상담)은 원수를 갚으려 애쓴다는 말이에요.", "ko"),
        ("Harry Potter and the Order of the Phoenix", "ko"),
        ("for word in the_list: print(word) if word is not None", "ko"),
        ("ls -la /home/user and then cat the file", "ko"),
        ("Je m'appelle Sori et je suis très heureuse de vous aider", "ko"),
        ("Lionel Messi, Cristiano Ronaldo, Kylian Mbappé, Erling Haaland", "ko"),
        ("https://example.com/the-best-way-to-learn-python-for-you", "ko"),
        ("SELECT name FROM users WHERE id = 1 ORDER BY name", "ko"),
        ("sin(x)² + cos(x)² = 1", "ko"),
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
        (("밥은 먹었어?", "뭐 보고 있어?", "논문은 어디서 찾아?", "정말로 그래?"), "ko"),
        (("단어 시험 봤어", *["오늘 뭐 했어?"] * 7), "ko"),
        (("I had an English test today", *["what is a lighthouse?"] * 7), "en"),
        (("영어로 감사합니다가 뭐야?",), ""),
        (("이제부터 영어로 답해", "오늘 뭐 했어?"), ""),
        (("how do you say thanks in Korean?",), ""),
        (("이 문장 좀 봐줘: I have went to the school yesterday.",), ""),
        (("다음 글을 요약해 줘\nThe quick brown fox jumps over the lazy dog.",), ""),
        (("Translate it please",), ""),
        (("비틀즈 노래 가사 알려 줘",), ""),
        (("힘이 되는 명언 하나만",), ""),
        (("summarize this: 오늘은 날씨가 좋았다. 그래서 산책을 했다.",), ""),
        (("let it be 노래 알아?",), ""),
        (("아이폰 15 pro max 가격은?",), "ko"),
        (("파이썬으로 hello world 출력하는 법",), "ko"),
        (("comment allez-vous",), ""),
        (("こんにちは",), ""),
        (("이 말이 무슨 뜻이야? 一期一会",), ""),
        (("123",), ""),
        ((), ""),
    ],
)
def test_the_question_tells_the_language_unless_another_was_asked_for(
    texts: tuple[str, ...], language: AnswerLanguage
) -> None:
    assert wanted_language(said(*texts)) == language


@pytest.mark.parametrize(
    ("texts", "language"),
    [
        (["send fifty thousand won to mom"], "en"),
        (["send mom 50,000 won"], "en"),
        (["start orders"], "en"),
        (["orders 시작"], "ko"),
        (["Sarah한테 3만 원 보내 줘"], "ko"),
        (["OK 보내"], "ko"),
        (["send it to mom", "Shall I?", "50,000"], "en"),
        (["send mom 50,000 won", "Shall I?", "ok"], "en"),
        (["send it to mom", "Shall I?", "취소"], "ko"),
        (["엄마한테 보내 줘", "얼마요?", "50,000"], "ko"),
        (["엄마한테 보내 줘", "얼마요?", "OK"], "ko"),
        (["엄마한테 보내 줘", "누구요?", "Sarah Lee"], "ko"),
        (["엄마한테 보내 줘", "얼마요?", "make it 20,000 won to her"], "en"),
    ],
)
@pytest.mark.parametrize("otherwise", ["ko", "en"])
def test_code_answers_in_the_language_that_was_spoken(
    texts: list[str], language: Language, otherwise: Language
) -> None:
    assert spoken_language(said(*texts), otherwise) == language


@pytest.mark.parametrize("text", ["50,000", "", "👍", "123-456", "room booking 시작", "transfer 엄마 50,000 won"])
def test_code_answers_in_the_users_language_where_nothing_was_said_in_one(text: str) -> None:
    assert (spoken_language(said(text), "ko"), spoken_language(said(text), "en")) == ("ko", "en")


@pytest.mark.parametrize(
    "order",
    [
        "이제부터 영어로 답해",
        "앞으로는 영어로만 말해 줘",
        "일본어로 대화하자",
        "우르두어로 얘기해 줘",
        "영문으로 써 줘",
        "지금부터 한국말로 해",
        "영어만 써",
        "From now on answer in English.",
        "please speak French with me",
        "English only, please",
        "Let's talk in Swahili language",
        "Switch to German",
        "reply in Portuguese from here on",
        "Speak Klingon",
        "English, please",
        "한국어 말고 영어로",
        "이제 한국어로 돌아와",
        "독일어로",
    ],
)
@pytest.mark.parametrize(("question", "turns"), [("오늘 뭐 했어?", 1), ("한국의 수도는?", 12), ("how are you?", 12)])
def test_an_order_counts_until_the_end_of_the_conversation(order: str, question: str, turns: int) -> None:
    history = said(order, *[question] * turns)
    assert wanted_language(history) == ""
    assert orders_language(order)


@pytest.mark.parametrize(
    "text",
    [
        "영어로 된 책을 읽었어?",
        "영어 시험을 봤어",
        "중국어 학원에 다녀",
        "I had an English breakfast.",
        "알아서 해 줘",
        "전화로 알려 줘",
    ],
)
def test_a_language_that_is_only_named_is_no_order_for_later(text: str) -> None:
    assert not orders_language(text)


@pytest.mark.parametrize(
    ("directions", "question", "language"),
    [
        (Directions(prompts=("당신은 친절한 정원사입니다.",)), "오늘 뭐 해?", "ko"),
        (Directions(prompts=("You are a friendly gardener.",)), "what is a rose?", "en"),
        (Directions(remembered=("나는 서울에 산다", "메일은 tom@example.com")), "오늘 뭐 해?", "ko"),
        (Directions(prompts=("You are a pirate.",)), "오늘 뭐 해?", ""),
        (Directions(prompts=("항상 영어로 말하는 집사",)), "오늘 뭐 해?", ""),
        (Directions(prompts=("한국어를 모르는 미국인",)), "오늘 뭐 해?", ""),
        (Directions(prompts=("Always answer in French.",)), "what is a rose?", ""),
        (Directions(prompts=("모든 답을 번역해서 같이 적는다",)), "오늘 뭐 해?", ""),
        (Directions(prompts=("친절한 한국 할머니",)), "what is a rose?", ""),
        (Directions(remembered=("답은 영어로 듣고 싶다",)), "오늘 뭐 해?", ""),
        (Directions(remembered=("I prefer answers in Spanish",)), "what is a rose?", ""),
        (Directions(remembered=("- 사용자는 독일어로 답해 달라고 했다",)), "오늘 뭐 해?", ""),
    ],
)
def test_a_persona_a_prompt_and_a_fact_may_direct_the_language(
    directions: Directions, question: str, language: AnswerLanguage
) -> None:
    assert wanted_language(said(question), directions) == language


def test_who_was_answered_in_another_language_may_want_that() -> None:
    answer = Message(role=Role.ASSISTANT, text="I would go to the beach, because the weather is lovely today.")
    history = [*said("어디 가고 싶어?"), answer, *said("왜?")]
    assert wanted_language(history) == ""
    assert wanted_language([*said("where do you want to go?"), answer, *said("왜?")]) == "ko"


def test_a_question_with_a_file_may_be_answered_with_its_words() -> None:
    file = Attachment(mime_type="text/plain", data=b"Dear Sir or Madam", name="letter.txt")
    assert wanted_language([Message(role=Role.USER, text="이거 읽어 줘", attachments=(file,))]) == ""


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("The meeting with the board is moved to Monday morning.", "note: The meeting with the board is moved to Mon…"),
        ('"Dear all, there is a cake for you in the kitchen."', "Dear all,  there is a cake for you in the kitchen."),
        ("“It was the best of times, it was the worst of times”", "It was the best of times, it was the worst of"),
    ],
)
def test_an_answer_that_quotes_what_was_sent_is_in_any_language(answer: str, source: str) -> None:
    gate = AnswerGate("ko", "메모 읽어 줘", sent=lambda: ("무엇이든", source))
    assert gate.take(answer) + gate.end() == answer
    gate = AnswerGate("ko", "메모 읽어 줘", sent=lambda: ("무엇이든",))
    assert gate.take(answer) + gate.end() == ""


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
