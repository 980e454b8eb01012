"""Words that steer a text that is read aloud, and words that do not."""

import pytest

from assistant.core.service.requests.voice import ReadingStep
from assistant.voice.session.reading_words import reading_step

STEERS = {
    ReadingStep.NEXT: (
        *(
            "다음 문장",
            "다음 문장 읽어 줘",
            "다음 문장으로 넘어가 줘.",
            "다음",
            "다음으로 넘어가",
            "그다음 문장",
            "건너뛰어 줘",
            "이 문장은 건너뛰어",
        ),
        *("Next sentence.", "next", "Skip this sentence", "Go to the next sentence, please", "Can you skip ahead?"),
    ),
    ReadingStep.PREVIOUS: (
        *("이전 문장", "앞 문장 읽어 줘", "바로 앞 문장으로 돌아가", "이전 문장부터 읽어 줘", "한 문장 뒤로 돌아가 줘"),
        *(
            "Previous sentence",
            "Go back one sentence",
            "the previous sentence please",
            "go back to the previous sentence",
        ),
    ),
    ReadingStep.AGAIN: (
        *("다시 읽어 줘", "그 문장 다시 읽어 줘", "한 번 더 읽어 주세요", "이 문장 한 번 더"),
        *("Read that again", "Repeat that sentence", "Could you read this sentence again?", "say it again"),
    ),
    ReadingStep.GO_ON: (
        *("계속", "계속 읽어 줘", "이어서 읽어 주세요", "마저 읽어 줘", "계속해 줘"),
        *("Continue", "Keep reading", "go on, please", "read the rest", "Resume reading"),
    ),
}
OTHERS = (
    *(
        "다음 주 날씨 알려 줘",
        "다음 문장을 영어로 번역해 줘",
        "이전 대화 열어 줘",
        "계속 비가 와?",
        "다시 말해서 무슨 뜻이야?",
        "문장",
        "다음 회의 언제야?",
    ),
    *(
        "What is the next sentence about?",
        "Next week's weather",
        "Continue my alarm",
        "Read that book again tomorrow",
        "go back home",
    ),
    *("skip lunch", "Who wrote the previous sentence?"),
)


@pytest.mark.parametrize(("text", "step"), [(text, step) for step, texts in STEERS.items() for text in texts])
def test_words_that_steer(text: str, step: ReadingStep) -> None:
    assert reading_step(text) is step


@pytest.mark.parametrize("text", OTHERS)
def test_other_words_are_left_to_the_model(text: str) -> None:
    assert reading_step(text) is None
