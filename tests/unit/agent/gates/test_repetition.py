"""Answers that run away into repetition, and those that rightly repeat; cut into pieces of every size."""

import pytest

from assistant.agent.gates.answer_gate import AnswerGate
from assistant.agent.gates.repetition import RepetitionGate

SIZES = (1, 2, 3, 5, 8, 13, 40, 4000)


def shown(text: str, size: int, question: str = "알려 줘") -> tuple[str, bool]:
    gate = RepetitionGate(AnswerGate("", question), question)
    pieces = [gate.take(text[start : start + size]) for start in range(0, len(text), size)]
    return "".join([*pieces, gate.end()]), gate.over


def begun(text: str, size: int) -> tuple[str, bool]:
    """What is shown, without the space and the list's mark that came before what was not."""
    left, over = shown(text, size)
    return left.rstrip(" \n-"), over


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("불고기는 " + "섭취할 재료를 섭취하고 " * 30, "불고기는 섭취할 재료를 섭취하고"),
        ("불고기는 " + "재료를 넣고 굽고, " * 30, "불고기는 재료를 넣고 굽고,"),
        ("먼저 씻습니다. " + "고기를 양념에 재웁니다. " * 20, "먼저 씻습니다. 고기를 양념에 재웁니다."),
        ("나는 봅니다. " + "오늘은 하늘을 봅니다. " * 20, "나는 봅니다. 오늘은 하늘을 봅니다."),
        ("The dish is " + "cooked and served and " * 20, "The dish is cooked and served and"),
        ("Well. " + "The sea is blue because the sky is blue. " * 9, "Well. The sea is blue because the sky is blue."),
        ("It is " + "very " * 40, "It is very"),
        ("재료\n" + "- 소금을 조금 넣습니다\n" * 40, "재료\n- 소금을 조금 넣습니다"),
    ],
)
def test_a_phrase_that_is_said_again_and_again_is_shown_once(text: str, left: str) -> None:
    assert {begun(text, size) for size in SIZES} == {(left, True)}


def test_copies_that_are_only_counted_are_copies() -> None:
    ordinals = ["첫", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉", "열"]
    text = "방법은 " + " ".join(f"{ordinal} 번째는 섭취하고" for ordinal in ordinals)
    assert {begun(text, size) for size in SIZES} == {("방법은 첫 번째는 섭취하고", True)}


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "잘 섞습니다. "
            + "".join(f"고기를 {number} 번 뒤집어 줍니다. " for number in ("두", "세", "네", "다섯", "여섯")),
            "잘 섞습니다. 고기를 두 번 뒤집어 줍니다.",
        ),
        (
            "시작합니다. " + "".join(f"{number}번째로 재료를 넣고 섞어 줍니다. " for number in range(1, 9)),
            "시작합니다. 1번째로 재료를 넣고 섞어 줍니다.",
        ),
        (
            "Well. " + "".join(f"Step {number}: Add the meat to the pan and stir it. " for number in range(1, 14)),
            "Well. Step 1: Add the meat to the pan and stir it.",
        ),
        (
            "Stir it once. " + "".join(f"Then stir the soup {number} times slowly. " for number in range(2, 9)),
            "Stir it once. Then stir the soup 2 times slowly.",
        ),
        ("방법: " + "".join(f"{number}단계 섞기, " for number in range(1, 20)), "방법: 1단계 섞기,"),
        (
            "How:\n" + "".join(f"{number}. Add the salt to the water and stir it slowly.\n" for number in range(1, 30)),
            "How:\n1. Add the salt to the water and stir it slowly.",
        ),
    ],
)
def test_copies_with_a_counter_that_grows_are_copies(text: str, left: str) -> None:
    assert {begun(text, size) for size in SIZES} == {(left, True)}


RIGHTLY = [
    "1번 방은 비어 있고, 2번 방은 비어 있고, 3번 방은 비어 있고, 4번 방은 비어 있고, 5번 방은 비어 있습니다.",
    "1번 문제의 답은 3번이고, 2번 문제의 답은 1번이고, 3번 문제의 답은 4번이고, 4번 문제의 답은 2번 중에 없습니다.",
    "1 times 0 is 0, 2 times 0 is 0, 3 times 0 is 0, 4 times 0 is 0, 5 times 0 is 0, 6 times 0 is 0.",
    "Step 1 leads on to step 2. Step 2 leads on to step 3. Step 3 leads on to step 4. Step 4 leads on to step 5.",
    "Step 1: Wash the rice. Step 2: Soak the rice. Step 3: Cook the rice. Step 4: Stir the rice.",
    "오전 9시에 물을 마시고, 오전 10시에 물을 마시고, 오전 11시에 물을 마시고, 오전 12시에 물을 마시세요.",
    "아침에 한 번 양치하고, 점심에 두 번 양치하고, 저녁에 세 번 양치하고, 자기 전에 네 번 양치하세요.",
    "한 번 접고, 두 번 접고, 세 번 접고, 네 번 접으면 됩니다.",
    "It rains 2 times in May, 3 times in June, 4 times in July, 5 times in August and 6 times in September.",
    "1. 소금 한 큰술을 넣습니다.\n2. 설탕 한 큰술을 넣습니다.\n3. 간장 한 큰술을 넣습니다.",
    "1회에 10초 쉬고, 2회에 20초 쉬고, 3회에 30초 쉬고, 4회에 40초 쉬고, 5회에 50초 쉬고, 6회에 60초 쉽니다.",
    "네, 네, 네, 알겠어요.",
    "정말 정말 정말 정말 고마워요!",
    "하하하하하하하하하하하하하하하하하하하하, 재미있네요.",
    "잘했어요, 잘했어요, 정말 잘했어요.",
    "하나 둘 셋 넷, 하나 둘 셋 넷, 하나 둘 셋 넷, 숨을 고르세요.",
    "4초 동안 들이쉬고 4초 동안 내쉬고, 4초 동안 들이쉬고 4초 동안 내쉬세요.",
    "빨강, 초록, 노랑, 빨강, 초록, 노랑, 빨강, 초록, 노랑 순서로 칠하세요.",
    "원주율은 3.14이고, 1/3은 0.33333333333333333333333333333333333333333333333333입니다.",
    "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    "2 times 1 is 2, 2 times 2 is 4, 2 times 3 is 6, 2 times 4 is 8, 2 times 5 is 10, 2 times 6 is 12.",
    "월요일은 쉬고, 화요일은 일하고, 수요일은 쉬고, 목요일은 일하고, 금요일은 쉬고, 토요일은 쉽니다.",
    "첫 번째는 소고기를 썰고 두 번째는 양파를 썰고 세 번째는 배를 갈고 네 번째는 모두 섞고 다섯 번째는 굽습니다.",
    "The first is red, the second is red, the third is blue and the fourth is red.",
    "He went on and on and on and on and on until nobody listened.",
    "Let it be, let it be, let it be, let it be.",
    "Buffalo buffalo Buffalo buffalo buffalo buffalo Buffalo buffalo is a sentence.",
    "No, no, no, no, no, no. I will not lie. I will not lie.",
    "Happy birthday to you, happy birthday to you, happy birthday dear Mina, happy birthday to you.",
    "Row, row, row your boat\nGently down the stream\nMerrily, merrily, merrily, merrily\nLife is but a dream",
    "나 보기가 역겨워\n가실 때에는\n말없이 고이 보내 드리우리다\n\n" * 3,
    "Way down south\nthe river runs slow\nand so do we\n\n" * 3,
    "- 소금 1큰술\n- 설탕 1큰술\n- 간장 1큰술\n- 식초 1큰술\n- 참기름 1큰술\n- 고춧가루 1큰술\n- 다진 마늘 1큰술",
    "1. 예\n2. 예\n3. 예\n4. 예\n5. 예\n6. 예\n7. 예\n8. 예\n9. 예\n10. 예\n11. 예\n12. 예",
    "- yes\n" * 12,
    "- Rest day\n" * 7,
    "| 요일 | 할 일 |\n|---|---|\n" + "| 휴무 | 아무 일도 하지 않고 쉽니다 |\n" * 30,
    "이름 | 값\n--- | ---\n" + "빈 칸입니다 | 빈 칸입니다\n" * 30,
    "```python\n" + 'print("안녕하세요 여러분")\n' * 40 + "```\n끝입니다.",
    "~~~\n" + "go forward one step at a time; " * 20 + "\n~~~",
    "이렇게 씁니다.\n\n" + "    move forward one step now\n" * 40,
    "짜장면은 중국집에서, 짬뽕도 중국집에서, 탕수육도 중국집에서 시키면 됩니다.",
    "비가 오면 우산을 쓰고, 눈이 오면 장갑을 끼고, 바람이 불면 모자를 쓰세요. 비가 오면 우산을 쓰세요.",
    "The water boils, the steam rises, the steam cools, the water falls, and the water boils again.",
]


@pytest.mark.parametrize("text", RIGHTLY)
def test_what_rightly_repeats_is_shown_whole(text: str) -> None:
    assert {shown(text, size) for size in SIZES} == {(text, False)}


@pytest.mark.parametrize(
    "question",
    ["사랑해를 열 번 써 줘", "같은 말을 반복해 줘", "Say I love you twenty times", "Write the lyrics of a song"],
)
def test_who_asks_for_repetition_gets_it(question: str) -> None:
    text = "나는 너를 사랑해. " * 20
    assert shown(text, 3, question) == (text, False)


@pytest.mark.parametrize("question", ["3번째 이야기야. 들어 봐.", "두 번째 문제를 풀어 줘", "7번 길과 2번지를 찾아 줘"])
def test_an_ordinal_asks_for_no_repetition(question: str) -> None:
    text = "나는 너를 사랑해. " * 20
    told, over = shown(text, 3, question)
    assert over
    assert told.startswith("나는 너를 사랑해.")
    assert told.count("사랑해") < 3


def test_words_that_are_said_for_the_first_time_are_not_held_back() -> None:
    gate = RepetitionGate(AnswerGate("", ""), "")
    assert [gate.take(piece) for piece in ("안녕", "하세요, ", "저는 ", "소리예요.")] == [
        "안녕",
        "하세요, ",
        "저는 ",
        "소리예요.",
    ]


def test_prose_after_code_is_watched_again() -> None:
    text = "```\nx\n```\n" + "섭취할 재료를 섭취하고 " * 20
    assert begun(text, 4) == ("```\nx\n```\n섭취할 재료를 섭취하고", True)
