import pytest

from assistant.core.records.memory import Scope
from assistant.core.settings import Language
from assistant.memory.requests import MemoryRequest, Wish, memory_request

REMEMBER = [
    ("나 땅콩 알레르기 있다고 기억해 줘", "나 땅콩 알레르기 있다"),
    ("내 생일은 5월 3일이라고 기억해 줘.", "내 생일은 5월 3일이다"),
    ("우리 집 강아지 이름은 보리라고 기억해줘", "우리 집 강아지 이름은 보리"),
    ("내 직업은 의사라고 기억해 둬", "내 직업은 의사"),
    ("소리야, 나는 커피를 안 마신다고 꼭 기억해 주세요", "나는 커피를 안 마신다"),
    ("기억해 줘: 현관 비밀번호는 사무실에 있어", "현관 비밀번호는 사무실에 있어"),
    ("이거 기억해 줘, 차는 지하 2층 B12에 있어", "차는 지하 2층 B12에 있어"),
    ("앞으로 짧게 답해 달라고 기억해 줘", "앞으로 짧게 답해 달라"),
    ("나를 대장이라고 불러 달라고 기억해 줘", "나를 대장이라고 불러 달라"),
    ("우리 집 고양이 이름은 별달이라고 기억해 줘", "우리 집 고양이 이름은 별달이다"),
    ("내 생일은 6월 4일이야, 기억해 줘", "내 생일은 6월 4일이야"),
    ("나는 땅콩 알레르기가 있어. 꼭 기억해 줘", "나는 땅콩 알레르기가 있어"),
    ("우리 팀은 금요일마다 배포해, 그거 기억해 둬", "우리 팀은 금요일마다 배포해"),
    ("제 사무실은 3층이에요. 기억해 주세요", "제 사무실은 3층이에요"),
    ("Remember that my sister lives in Busan.", "my sister lives in Busan"),
    ("please remember: the car is on level B2", "the car is on level B2"),
    ("Don't forget that I am allergic to peanuts", "I am allergic to peanuts"),
    ("Could you remember that I like tea?", "I like tea"),
    ("My birthday is June 4, remember that", "My birthday is June 4"),
    ("I'm allergic to peanuts. Please remember it.", "I'm allergic to peanuts"),
    ("내 이름은 민수야 기억해 줘", "내 이름은 민수야"),
    ("나는 고양이를 키워. 기억해 줘", "나는 고양이를 키워"),
    ("나는 새봄중학교에 다녀, 그거 기억해 줘", "나는 새봄중학교에 다녀"),
    ("내가 커피 좋아하는 거 기억해 줘", "내가 커피 좋아한다"),
    ("나 땅콩 알레르기 있는 거 기억해 줘", "나 땅콩 알레르기 있다"),
    ("내가 매운 거 못 먹는 거 기억해 줘", "내가 매운 거 못 먹는다"),
    ("내가 서울에 사는 거 꼭 기억해 줘", "내가 서울에 산다"),
    ("엄마 생신이 4월 5일인 것 기억해 줘", "엄마 생신이 4월 5일이다"),
    ("내가 어제 차를 산 거 기억해 줘", "내가 어제 차를 산 것"),
    ("내가 영화 제일 좋아하는 거 기억해 줘", "내가 영화 제일 좋아한다"),
    ("내가 제일 좋아하는 게 커피인 거 기억해 줘", "내가 제일 좋아하는 게 커피이다"),
    ("나는 의사가 아니라고 기억해 줘", "나는 의사가 아니다"),
    ("내가 학생이 아니라는 거 기억해 줘", "내가 학생이 아니다"),
    ("내가 왼손잡이라는 사실을 기억해 줘", "내가 왼손잡이다"),
    ("나는 왼손잡이라고 기억해 줘", "나는 왼손잡이다"),
    ('내 별명은 "대장"이라고 기억해 줘', '내 별명은 "대장"이다'),
    ("물건 1번은 창고 안에 있다고 기억해 줘", "물건 1번은 창고 안에 있다"),
    ("창고 열쇠는 서랍에 있다고 기억해 줘", "창고 열쇠는 서랍에 있다"),
    ("나는 커피를 마시고 담배는 안 피운다고 기억해 줘", "나는 커피를 마시고 담배는 안 피운다"),
    ("나는 사과, 배, 감을 좋아한다고 기억해 줘, 고마워", "나는 사과, 배, 감을 좋아한다"),
    ("나는 이 프로젝트에 3년째 참여한다고 기억해 줘", "나는 이 프로젝트에 3년째 참여한다"),
    ("Note that I use Python 3.11.", "I use Python 3.11"),
    ("Remember that my flight is KE 901 on Dec. 24", "my flight is KE 901 on Dec. 24"),
    ("Remember that I like tea, coffee and cake, please", "I like tea, coffee and cake"),
    ("Remember that I have a cat, a dog, and two birds", "I have a cat, a dog, and two birds"),
    ("Remember that Dr. Kim is my dentist", "Dr. Kim is my dentist"),
    ("Remember that today I am on call", "today I am on call"),
    ("Remember that Mom has a new number", "Mom has a new number"),
    ("Remember that I was born on May 3, 1990", "I was born on May 3, 1990"),
    ("Remember that I like tea but not coffee", "I like tea but not coffee"),
    ("Remember that I work in this project", "I work in this project"),
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
        ("지금까지 나한테서 뭘 기억했어?", Wish.TELL),
        ("너 나에 대해 뭘 알아?", Wish.TELL),
        ("나에 대해 기억하는 거 다 보여 줘", Wish.TELL),
        ("나에 대해 아는 게 뭐야?", Wish.TELL),
        ("기억해 둔 것 좀 보여 줄래?", Wish.TELL),
        ("네가 기억하고 있는 거 다 말해 줘", Wish.TELL),
        ("나에 대해 기억하는 거 있어?", Wish.TELL),
        ("What have you remembered about me so far?", Wish.TELL),
        ("show me what you remember about me", Wish.TELL),
        ("Tell me what you know about me", Wish.TELL),
        ("what have you learned about me", Wish.TELL),
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
        "뭘 알아?",
        "기억해 둔 것 좀 지워 줄래?",
        "기억해 둔 노래 좀 들려줘",
        "나에 대해 뭘 알고 싶어?",
        "너 뭘 기억하고 싶어?",
        "지금 뭘 알고 있어?",
        "tell me what you know",
        "show me what you know about physics",
        "what do you know about cats",
        "what have you learned",
        "Remember me",
        "Forget it",
        "잊어 줘",
        "기억력이 좋아지는 방법 알려 줘",
        "응 알겠어, 기억해 줘",
        "이건 중요해, 기억해 줘",
        "나는 내일 우유를 사야 해, 기억해 줘",
        "나는 배고파, 내 생일이 언제인지 기억해?",
        "I have to buy milk, remember that",
        "Tell me a joke, remember that",
        "나 " + "아주 " * 120 + "좋아한다고 기억해 줘",
        "내가 좋아하는 거 기억해 줘",
        "내가 제일 좋아하는 거 기억해 줘",
        "내가 가장 아끼는 거 기억해 줘",
        "내가 어제 본 거 기억해 줘",
        "내가 지난주에 산 거 기억해 줘",
        "우리가 매년 가는 거 기억해 줘",
        "우유 사는 거 기억해 줘",
        "저녁에 세탁기 돌리는 거 기억해 줘",
        "내일 우유 사야 하는 거 기억해 줘",
        "내가 내일 엄마한테 전화해야 되는 거 기억해 줘",
        "내가 말한 거 기억해 줘",
        "내 거 기억해 줘",
        "내가 커피 좋아하는 거 기억해?",
        "내가 커피 좋아하는 거 기억해",
        "내 생일이 언제라고 기억해",
        "내 생일은 5월 3일이라고 기억하지 마",
        "내 생일은 5월 3일이라고 기억해 줘. 그리고 농담 하나 해 줘",
        "농담 하나 해 주고 내 생일은 5월 3일이라고 기억해 줘",
        "TV 끄고 내 생일은 5월 3일이라고 기억해 줘",
        "농담하고 나는 채식한다고 기억해 줘",
        "날씨 알려 줘. 내 생일은 5월 3일이라고 기억해 줘",
        "기억해 줘: 나는 커피를 좋아해. 농담 하나 해 줘",
        "기억해 줘: 나는 커피를 좋아해 그리고 농담 하나 해 줘",
        "기억해 줘: 우유 사기",
        "메모해 줘: 우유 사기 그리고 날씨 알려 줘",
        "물 마시라고 기억해 줘",
        "나는 물을 마시라고 기억해 줘",
        "우유 사라는 거 기억해 줘",
        "점심 같이 먹자고 기억해 줘",
        "나한테 농담 해 줘, 기억해 줘",
        "나는 커피를 좋아해 그리고 날씨도 알려 줘야 해, 기억해 줘",
        "나는 세탁기 돌리라고 기억해 줘",
        "내가 커피 좋아하는 거랑 차 싫어하는 거 기억해 줘",
        "알람에 대한 거 잊어 줘",
        "forget about the timer",
        "I'm leaving now. Don't forget",
        "Remember that I like hiking also turn on the lights",
        "Remember that I like hiking then set a timer for 5 minutes",
        "내가 말한 거 잊어 줘",
        "모든 거 잊어 줘",
        "내 생일과 주소에 대한 거 잊어 줘",
        "농담해 주고 내 생일에 대한 거 잊어 줘",
        "음악을 재즈로 바꾸고 내 생일을 3월 5일로 고쳐서 기억해 줘",
        "Forget about the weather, tell me a joke.",
        "Forget about the weather and tell me a joke",
        "Forget about dinner. What's the weather?",
        "Forget that, let's talk about music",
        "Forget about everything",
        "forget about the alarm and set a new one",
        "Note that I use Python 3.11. Write a script that prints my name",
        "Note that I use Python 3.11 and write a script",
        "Note: buy milk",
        "Remember that I like tea and tell me a joke",
        "Remember that I like tea and dim the lights",
        "Remember that I like tea and then stop",
        "remember that I like tea tell me a joke",
        "Remember that my name is Ann. I live in Seoul.",
        "Remember that my name is Ann; what's yours",
        "Remember that time we went to Paris",
        "Remember that time we had lunch in Rome",
        "Remember that song that was on yesterday",
        "Remember that this is important",
        "remember, call mom",
        "don't forget: call mom",
        "My order is wrong, keep it",
        "I moved to Busan. What's the weather? Remember that",
        "Don't remember that I like tea",
        "How do I say remember that I like tea in Korean",
    ],
)
def test_anything_else_is_left_to_the_model(said: str) -> None:
    assert memory_request(said) is None


@pytest.mark.parametrize(
    ("said", "scope", "fact"),
    [
        ("이 작업공간에 프린터는 3층에 있다고 기억해 줘", Scope.WORKSPACE, "프린터는 3층에 있다"),
        ("프린터는 3층에 있다고 이 워크스페이스에 기억해 줘", Scope.WORKSPACE, "프린터는 3층에 있다"),
        ("이 프로젝트에 기억해 줘: 커밋은 영어로 쓴다", Scope.WORKSPACE, "커밋은 영어로 쓴다"),
        ("이 에이전트에만 나를 대장이라고 부른다고 기억해 줘", Scope.AGENT, "나를 대장이라고 부른다"),
        ("내 개인 기억에 나는 채식을 한다고 기억해 줘", Scope.PERSONAL, "나는 채식을 한다"),
        ("이 프로젝트에서는 커밋을 영어로 쓴다고 기억해 줘", None, "이 프로젝트에서는 커밋을 영어로 쓴다"),
        ("Remember in this workspace that the printer is upstairs", Scope.WORKSPACE, "the printer is upstairs"),
        ("Remember that the printer is upstairs in this workspace", Scope.WORKSPACE, "the printer is upstairs"),
        ("Remember for this project: commits are in English", Scope.WORKSPACE, "commits are in English"),
    ],
)
def test_the_memory_that_is_named_is_no_part_of_the_fact(said: str, scope: Scope | None, fact: str) -> None:
    found = memory_request(said)
    assert found is not None
    assert (found.wish, found.scope, found.text) == (Wish.REMEMBER, scope, fact)


@pytest.mark.parametrize(
    ("said", "fact"),
    [
        ("기억에서 내 생일을 3월 5일로 고쳐 줘", "내 생일은 3월 5일"),
        ("내 주소를 새터로 8로 바꿔서 기억해 줘", "내 주소는 새터로 8"),
        ("회의에 대한 기억을 10시로 수정해 줘", "회의는 10시"),
        ("Change my birthday to March 5 in your memory", "my birthday is March 5"),
        ("In your memory, correct my address to 8 Hill Road", "my address is 8 Hill Road"),
    ],
)
def test_a_fact_is_changed_by_its_words(said: str, fact: str) -> None:
    found = memory_request(said)
    assert found is not None
    assert (found.wish, found.text, found.changed) == (Wish.REMEMBER, fact, True)


@pytest.mark.parametrize("said", ["코치 에이전트로 바꿔 줘", "소리를 30으로 바꿔 줘", "Change the agent to coach"])
def test_other_changes_are_not_changes_of_the_memory(said: str) -> None:
    assert memory_request(said) is None
