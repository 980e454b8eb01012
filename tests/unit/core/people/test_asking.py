import pytest

from assistant.core.people.asking import PersonFact, PersonQuestion, person_question

BIRTHDAY, PHONE, EMAIL, ACCOUNT = PersonFact.BIRTHDAY, PersonFact.PHONE, PersonFact.EMAIL, PersonFact.ACCOUNT


@pytest.mark.parametrize(
    ("text", "who", "fact"),
    [
        ("엄마 생일이 언제야?", "엄마", BIRTHDAY),
        ("엄마 생신 언제지", "엄마", BIRTHDAY),
        ("소리야, 민지 전화번호 알려 줘", "민지", PHONE),
        ("김 대리님 연락처 좀 알려줘", "김 대리님", PHONE),
        ("우리 엄마 계좌번호가 뭐야?", "우리 엄마", ACCOUNT),
        ("철수 형 이메일 주소가 어떻게 돼요?", "철수 형", EMAIL),
        ("동생 생일 며칠이야", "동생", BIRTHDAY),
        ("아버지의 생신은 언제인가요?", "아버지의", BIRTHDAY),
        ("할머니 휴대폰 번호 불러 줘", "할머니", PHONE),
        ("민지 생일 기억나?", "민지", BIRTHDAY),
    ],
)
def test_a_korean_question_about_somebody(text: str, who: str, fact: PersonFact) -> None:
    assert person_question(text) == PersonQuestion(who=who, fact=fact, language="ko")


@pytest.mark.parametrize(
    ("text", "who", "fact"),
    [
        ("When's my mom's birthday?", "my mom", BIRTHDAY),
        ("when is Minji’s birthday", "Minji", BIRTHDAY),
        ("What is Minji Kim's phone number?", "Minji Kim", PHONE),
        ("tell me the birthday of my sister, please", "my sister", BIRTHDAY),
        ("what's Mr. Smith's number", "Mr. Smith", PHONE),
        ("What's my boss's email address?", "my boss", EMAIL),
        ("Do you know Minji's birthday?", "Minji", BIRTHDAY),
        ("can you tell me mom's bank account", "mom", ACCOUNT),
        ("What's the account number of Ann Lee?", "Ann Lee", ACCOUNT),
        ("Show me dad's mobile number please", "dad", PHONE),
    ],
)
def test_an_english_question_about_somebody(text: str, who: str, fact: PersonFact) -> None:
    assert person_question(text) == PersonQuestion(who=who, fact=fact, language="en")


@pytest.mark.parametrize(
    "text",
    [
        *(
            "엄마 생일",
            "엄마 생일에 뭐 사 드릴까?",
            "엄마 생일을 3월 4일로 바꿔 줘",
            "생일이 언제야?",
            "민지한테 전화해 줘",
        ),
        *("엄마한테 오만 원 보내 줘", "엄마 생일 전날에 알려 줘", "민지 생일 선물 추천해 줘", "내일이 무슨 날이야?"),
        *("When is Easter?", "What is Kim's account number and when is it due?", "Call Minji", "What's a birthday?"),
        *("Remind me of mom's birthday", "mom's birthday", "How do I find Minji's number?", "Is it Minji's birthday?"),
    ],
)
def test_other_sentences_are_no_such_question(text: str) -> None:
    assert person_question(text) is None
