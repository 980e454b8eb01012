import pytest

from assistant.agent.remembering.certain import certain_facts


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        ("내 동생 이름은 지수야. 생일 선물로 뭐가 좋을까?", ("내 동생 이름은 지수야",)),
        ("나는 부산에 살아", ("나는 부산에 살아",)),
        ("나는 창가 자리를 좋아해. 기차표는 어떻게 사?", ("나는 창가 자리를 좋아해",)),
        ("My phone number ends in 42.", ("My phone number ends in 42",)),
        ("I live in Busan. What is the weather?", ("I live in Busan",)),
    ],
)
def test_a_sentence_that_gives_a_value_to_a_known_attribute_is_a_fact(said: str, facts: tuple[str, ...]) -> None:
    assert certain_facts(said) == facts


@pytest.mark.parametrize(
    "said",
    [
        "내 생일이 언제야",
        "나는 지금 어디에 살아",
        "내 이름은 기억하니",
        "나 지금 기분이 좋아",
        "나는 이걸 좋아해",
        "내 생일은 다음 주야",
        "내 예약은 내일 3시야",
        "부산에 사는 친구 이름은 지수야",
        "나는 부산에 살고 치과 의사로 일해",
        "내 비밀번호 번호는 1234야",
        "I like to ask you something",
        "I like this",
        "If I live in Busan",
        "My cat sleeps a lot",
    ],
)
def test_questions_moods_and_sentences_that_are_not_understood_are_no_facts(said: str) -> None:
    assert certain_facts(said) == ()
