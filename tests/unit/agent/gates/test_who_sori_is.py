"""Who Sori says that it is."""

import pytest

from assistant.agent.gates.who_sori_is import asks_identity, claims_other_identity


@pytest.mark.parametrize(
    "question",
    [
        "너는 누구야?",
        "이름이 뭐야?",
        "네 이름 알려줘",
        "너 누가 만들었어?",
        "당신은 어떤 모델인가요?",
        "자기소개 해줘",
        "너 챗GPT야?",
        "소리는 누가 개발했어?",
        "Who are you?",
        "what's your name",
        "Who made you?",
        "who has created you?",
        "What model are you?",
        "which company are you from?",
        "Tell me about yourself",
        "are you ChatGPT?",
    ],
)
def test_questions_about_who_sori_is_are_known(question: str) -> None:
    assert asks_identity(question)


@pytest.mark.parametrize(
    "question",
    [
        "안녕?",
        "세종대왕은 어떤 사람이야?",
        "구글 주가 알려줘",
        "지금 몇 시야?",
        "what is Google?",
        "how are you?",
        "make me laugh",
    ],
)
def test_other_questions_are_not(question: str) -> None:
    assert not asks_identity(question)


@pytest.mark.parametrize(
    "answer",
    [
        "I am an AI language model created by Alibaba Cloud.",
        "I was created by OpenAI.",
        "I'm Qwen, a helpful assistant.",
        "Yes, I am ChatGPT.",
        "저는 OpenAI에서 개발한 인공지능입니다.",
        "안녕하세요! 저는 구글이 만든 비서입니다.",
    ],
)
def test_an_answer_for_somebody_else_is_known(answer: str) -> None:
    assert claims_other_identity(answer, "Who are you?")


def test_agreeing_to_be_somebody_else_is_the_same() -> None:
    assert claims_other_identity("Yes, I am.", "Are you Siri?")
    assert claims_other_identity("네, 맞아요.", "너 챗GPT야?")
    assert not claims_other_identity("네, 저는 소리입니다.", "너는 소리야?")


@pytest.mark.parametrize(
    "answer",
    [
        "My name is Sori.",
        "제 이름은 소리예요.",
        "No, I am Sori, not ChatGPT.",
        "아니요, 저는 ChatGPT가 아닙니다.",
        "저는 소리 프로젝트에서 만든 음성 비서입니다. 이야기를 시리즈로 들려 드려요.",
    ],
)
def test_an_answer_for_sori_is_right(answer: str) -> None:
    assert not claims_other_identity(answer, "Are you ChatGPT?")
