"""What a model is told beside the conversation: the time, and that it must go on with an answer that was cut off."""

from dataclasses import replace

import pytest

from assistant.agent.context.notes import notes_before, wants_the_rest
from assistant.agent.gates.answer_language import wanted_language
from assistant.core.errors import ErrorCode, offers_after
from assistant.core.messages import Completion, Message, Role
from assistant.core.settings import Language
from assistant.core.texts import Texts
from tests.fakes.clock import START


def asked(text: str) -> Message:
    return Message(role=Role.USER, text=text, created_at=START.isoformat())


def answered(text: str, completion: Completion = Completion.COMPLETE) -> Message:
    return Message(role=Role.ASSISTANT, text=text, completion=completion)


@pytest.mark.parametrize(
    "text",
    [
        *("계속", "계속.", "계속해", "계속해 줘", "이어서 말해 줘"),
        *("이어서 해줘", "마저 얘기해 줘", "하던 얘기 계속해"),
        *("계속 말해 주세요", "응, 계속해", "계속하세요", "끝까지 말해 줘", "계속 이어서 해 줘", "계속 진행해"),
        *("계속해요", "이어서"),
        *("continue", "Continue, please", "go on", "please go on.", "keep going!", "carry on with it", "OK, continue"),
        *("continue from where you left off", "go ahead", "Continue the answer"),
    ],
)
def test_who_says_only_that_sori_goes_on_wants_the_rest(text: str) -> None:
    assert wants_the_rest(text)
    history = [asked("how are you?"), answered("I am", Completion.INCOMPLETE), asked(text)]
    # The rest comes in the language of its beginning.
    assert wanted_language(history) == ""


@pytest.mark.parametrize(
    "text",
    [
        *("계속 비가 와?", "이어서 5분 타이머", "마저 정리할 목록 만들어 줘", "계속 재생해 줘"),
        *("이어서 두 번째 질문", "다음"),
        *("끝까지 가 보자", "계속 듣고 있어?", "하던 말이 뭐야?", "계속 같은 알람을 울려 줘", "더", "응"),
        *(
            "continue the timer",
            "go on a diet",
            "continue the story with a dragon",
            "keep going to bed late",
            "go",
            "yes",
        ),
    ],
)
def test_other_requests_with_such_words_are_requests_of_their_own(text: str) -> None:
    assert not wants_the_rest(text)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("small", [True, False])
@pytest.mark.parametrize(
    ("completion", "goes_on"),
    [
        (Completion.INCOMPLETE, True),
        (Completion.CANCELLED, True),
        (Completion.INTERRUPTED, True),
        (Completion.FAILED, True),
        (Completion.COMPLETE, False),
    ],
)
def test_the_model_is_told_to_go_on_after_an_answer_that_was_cut_off(
    all_texts: dict[Language, Texts], language: Language, completion: Completion, *, small: bool, goes_on: bool
) -> None:
    texts = all_texts[language]
    history = [asked("이야기해 줘"), answered("옛날에", completion), asked("계속")]
    notes = notes_before(history, texts, small=small)
    assert (texts("context.go_on") in notes.get(2, "")) == goes_on
    other = notes_before([*history[:2], asked("고마워")], texts, small=small)
    assert texts("context.go_on") not in other.get(2, "")
    assert (2 in other) == (goes_on and not small)


def test_a_small_model_is_told_the_time_in_plain_words(all_texts: dict[Language, Texts]) -> None:
    notes = notes_before([asked("안녕"), answered("네"), asked("몇 시야?")], all_texts["ko"], small=True)
    assert notes == {0: "지금 시각: 2026년 11월 22일 일요일 15:05."}
    later = replace(asked("또?"), created_at=START.replace(hour=18).isoformat())
    assert "18:05" in notes_before([asked("안녕"), answered("네"), later], all_texts["en"], small=True)[2]


def test_only_where_a_part_of_the_answer_is_there_its_rest_is_offered() -> None:
    assert offers_after(ErrorCode.TIMEOUT, answered=True)[0] == "continue"
    assert offers_after(ErrorCode.INCOMPLETE, answered=True)[0] == "continue"
    assert "continue" not in offers_after(ErrorCode.TIMEOUT, answered=False)
    assert "continue" not in offers_after(ErrorCode.QUOTA, answered=True)


@pytest.mark.parametrize("small", [True, False])
def test_facts_about_sori_stand_before_the_newest_message_alone(all_texts: dict[Language, Texts], small: bool) -> None:
    history = [asked("안녕"), answered("네"), asked("네 목소리는 왜 그래?")]
    notes = notes_before(history, all_texts["ko"], small=small, about_sori="목소리는 자동이에요.")
    assert "목소리는 자동이에요." in notes[2]
    assert "목소리는 자동이에요." not in notes.get(0, "")
