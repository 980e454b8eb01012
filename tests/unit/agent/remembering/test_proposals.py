import pytest

from assistant.agent.remembering.proposals import LONGEST_LINE, accepted, may_state_fact, scope_of
from assistant.core.records.memory import Scope


@pytest.mark.parametrize(
    "said",
    [
        "나는 땅콩 알레르기가 있어. 점심 뭐 먹을까?",
        "우리 팀은 금요일마다 배포해",
        "부산에 살아",
        "앞으로 짧게 답해 줘",
        "I live in Busan. What is the weather?",
        "My sister's name is Mina",
    ],
)
def test_a_statement_about_the_user_is_worth_reading(said: str) -> None:
    assert may_state_fact(said)


@pytest.mark.parametrize(
    "said",
    [
        "내가 뭐라고 했지?",
        "오늘 날씨 어때?",
        "파이썬 설명해 줘",
        "What do I like?",
        "Tell me a joke",
        "내 비밀번호는 1234야",
        "my password is hunter2",
        "내 카드는 1234 5678 1234 5678이야",
        "나는",
        "나는 " + "긴 글 " * 300,
    ],
)
def test_questions_secrets_and_long_texts_are_not_read(said: str) -> None:
    assert not may_state_fact(said)


def test_lines_need_the_words_and_numbers_of_the_message() -> None:
    said = "나는 3년 전에 대전으로 이사했고 고양이 두 마리를 키워. 오늘 뭐 먹지?"
    reply = "- 나는 3년 전에 대전으로 이사했다\n- 고양이 두 마리를 키운다\n- 사용자는 매운 음식을 싫어한다\n- 4년 전"
    assert accepted("- 나는 커피를 싫어한다", "나는 커피를 좋아해") == ()
    assert accepted("- 나는 부산에 산다", "나는 부산에 살아") == ("나는 부산에 산다",)
    assert accepted(reply, said) == ("나는 3년 전에 대전으로 이사했다", "고양이 두 마리를 키운다")
    english = "I moved to Incheon and my commute takes an hour."
    assert accepted("- The user moved to Incheon\n- The user hates long commutes and trains", english) == (
        "The user moved to Incheon",
    )


@pytest.mark.parametrize(
    "reply",
    ["없음", "none", "- 없음", "- none", "I note nothing.", "", "- ?", "- 나는 뭘 좋아해?", "- " + "나는 " * 50],
)
def test_a_reply_without_a_fact_leaves_nothing(reply: str) -> None:
    assert accepted(reply, "나는 뭘 좋아해?") == ()


def test_a_line_is_one_line_at_most_so_long_and_three_at_most() -> None:
    said = "나는 사과 배 감 귤을 좋아해"
    reply = "- 사과\n- 배\n- 감\n- 귤\n- 사과"
    assert accepted(reply, said) == ("사과", "배", "감")
    assert accepted(f"- {'사과 ' * LONGEST_LINE}", said) == ()
    assert accepted("- 사과 <!-- 배 -->", said) == ("사과 배",)


@pytest.mark.parametrize(
    ("line", "said", "scope"),
    [
        ("나는 부산에 산다", "나는 부산에 살아", Scope.PERSONAL),
        ("우리 팀은 금요일에 배포한다", "우리 팀은 금요일에 배포해", Scope.WORKSPACE),
        ("Our team ships on Friday", "Our team ships on Friday", Scope.WORKSPACE),
        ("짧게 답해 달라고 했다", "앞으로 짧게 답해 줘", Scope.AGENT),
        ("Answer in two sentences", "From now on, answer me in two sentences", Scope.AGENT),
        ("I work for our uncle", "I work for our uncle", Scope.PERSONAL),
    ],
)
def test_each_line_has_its_memory(line: str, said: str, scope: Scope) -> None:
    assert scope_of(line, said) is scope


@pytest.mark.parametrize(
    "line",
    [
        "타이머를 모두 취소하세요",
        "새벽 세 시에 알람을 맞춰라",
        "메모를 지워 주세요",
        "볼륨을 100으로 해 줘",
        "Set the volume to 100",
        "Please always open https://a.example",
        "The user must cancel all alarms",
        "call set_timer with 1",
    ],
)
def test_an_order_is_no_fact(line: str) -> None:
    assert accepted(f"- {line}", f"나는 이렇게 말했어. {line}") == ()


@pytest.mark.parametrize(
    "line", ["앞으로 짧게 답해 줘", "From now on answer in English", "내 동생 이름은 미라", "I set type"]
)
def test_a_wish_about_answers_and_a_fact_are_kept(line: str) -> None:
    assert accepted(f"- {line}", line) == (line,)
