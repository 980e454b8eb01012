import pytest

from assistant.core.settings import Language
from assistant.memory.requests import MemoryRequest, Wish, memory_request

REMEMBER = [
    ("나 땅콩 알레르기 있다고 기억해 줘", "나 땅콩 알레르기 있다"),
    ("내 생일은 5월 3일이라고 기억해 줘.", "내 생일은 5월 3일"),
    ("우리 집 강아지 이름은 보리라고 기억해줘", "우리 집 강아지 이름은 보리"),
    ("내 직업은 의사라고 기억해 둬", "내 직업은 의사"),
    ("소리야, 나는 커피를 안 마신다고 꼭 기억해 주세요", "나는 커피를 안 마신다"),
    ("기억해 줘: 현관 비밀번호는 사무실에 있어", "현관 비밀번호는 사무실에 있어"),
    ("이거 기억해 줘, 차는 지하 2층 B12에 있어", "차는 지하 2층 B12에 있어"),
    ("Remember that my sister lives in Busan.", "my sister lives in Busan"),
    ("please remember: the car is on level B2", "the car is on level B2"),
    ("Don't forget that I am allergic to peanuts", "I am allergic to peanuts"),
    ("Could you remember that I like tea?", "I like tea"),
]


@pytest.mark.parametrize(("said", "fact"), REMEMBER)
def test_a_fact_keeps_the_users_words(said: str, fact: str) -> None:
    language: Language = "ko" if any("가" <= each <= "힣" for each in said) else "en"
    assert memory_request(said) == MemoryRequest(wish=Wish.REMEMBER, language=language, text=fact)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("내 생일 잊어 줘", None),
        ("내 생일에 대한 거 잊어 줘", "내 생일"),
        ("땅콩 알레르기 있다는 거 잊어줘", "땅콩 알레르기 있"),
        ("강아지 이름에 대한 기억 잊어 주세요", "강아지 이름"),
        ("Forget about my sister.", "my sister"),
        ("forget what I told you about the car", "the car"),
    ],
)
def test_what_is_to_be_forgotten_is_named(said: str, words: str | None) -> None:
    found = memory_request(said)
    assert (found and (found.wish, found.text)) == (words and (Wish.FORGET, words))


@pytest.mark.parametrize(
    ("said", "wish"),
    [
        ("방금 기억한 거 잊어 줘", Wish.FORGET_NEWEST),
        ("방금 말한 거 취소해 줘", Wish.FORGET_NEWEST),
        ("forget what you just remembered", Wish.FORGET_NEWEST),
        ("나에 대해 뭘 알고 있어?", Wish.TELL),
        ("나에 대해서 뭐 기억하고 있어?", Wish.TELL),
        ("뭘 기억하고 있어?", Wish.TELL),
        ("What do you know about me?", Wish.TELL),
        ("what do you remember", Wish.TELL),
    ],
)
def test_other_wishes(said: str, wish: Wish) -> None:
    found = memory_request(said)
    assert found is not None
    assert found.wish is wish


@pytest.mark.parametrize(
    "said",
    [
        "",
        "기억해 줘",
        "이거 기억해 줘",
        "그걸 기억해 줘",
        "내 생일이 언제인지 기억해?",
        "내일 우유 사라고 기억해 줘",
        "엄마한테 전화하라고 기억해 줘",
        "약 먹으라고 기억해 줘",
        "remember to buy milk",
        "Do you remember that my sister lives in Busan?",
        "Remember me",
        "Forget it",
        "잊어 줘",
        "기억력이 좋아지는 방법 알려 줘",
        "나 " + "아주 " * 120 + "좋아한다고 기억해 줘",
    ],
)
def test_anything_else_is_left_to_the_model(said: str) -> None:
    assert memory_request(said) is None
