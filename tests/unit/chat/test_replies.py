import pytest

from assistant.chat.replies import changing_reply_meaning, refuses, reply_meaning, spoken_choice
from assistant.core.machine.events import Meaning
from assistant.core.packets import ANSWER_ALWAYS, ANSWER_NO, ANSWER_NO_TO_ALL, ANSWER_YES
from assistant.core.settings import Language
from assistant.host.texts import load_texts


@pytest.mark.parametrize(
    "text",
    [
        "네",
        "네.",
        "네, 네!",
        "예",
        "응",
        "응, 그래",
        "그래 보내",
        "응 보내 줘",
        "네, 이대로 진행해 주세요",
        "응, 맞춰 줘",
        "그래요",
        "네 실행해 주세요",
        "예스",
        "좋아",
        "물론이죠",
        "해도 돼요",
        "Yes.",
        "yes please",
        "Sure",
        "OK, go ahead",
        "Yeah, do it",
        "Of course",
    ],
)
def test_an_agreement_is_a_yes(text: str) -> None:
    assert reply_meaning(text) is Meaning.YES


@pytest.mark.parametrize(
    "text",
    [
        "아니",
        "아니요",
        "아뇨, 됐어요",
        "아냐",
        "됐어",
        "취소",
        "취소해 줘",
        "안 돼",
        "하지 마세요",
        "싫어요",
        "괜찮아요",
        "네 아니 잠깐",
        "No",
        "no thanks",
        "Don't",
        "Don’t do it",
        "please do not",
        "Cancel",
        "stop",
        "wait",
    ],
)
def test_a_refusal_is_a_no_wherever_it_stands(text: str) -> None:
    assert reply_meaning(text) is Meaning.NO


@pytest.mark.parametrize(
    "text",
    [
        "",
        "어",
        "음",
        "일기 읽기 도구를 쓰려고 해요. 실행해도 될까요?",
        "실행해도 될까요",
        "May I run it?",
        "네 그런데 뭘 지우는 거야",
        "yes but which file",
        "내일 날씨",
        "yesterday",
        "네시에 깨워 줘",
    ],
)
def test_anything_else_is_neither_not_even_the_question_itself(text: str) -> None:
    assert reply_meaning(text) is Meaning.REQUEST


@pytest.mark.parametrize(
    ("text", "choice"),
    [
        *(
            (text, ANSWER_YES)
            for text in ("허용해", "네, 허용할게요", "허용합니다", "Allow it.", "Yes, allow that", "Allow")
        ),
        *(
            (text, ANSWER_YES)
            for text in ("사용해", "네, 써도 돼요", "쓰세요", "응 써 줘", "네 사용하세요", "Yes, use it")
        ),
        *((text, ANSWER_ALWAYS) for text in ("항상 사용해 주세요", "앞으로도 써")),
        *(
            (text, "")
            for text in ("사용법 알려 줘", "어디에 써?", "뭘 쓰려고 합니다", "쓰려고 합니다", "use it for what")
        ),
        *(
            (text, ANSWER_ALWAYS)
            for text in ("항상 허용해", "네, 항상 허용해 주세요.", "응 항상", "앞으로도 허용해 줘")
        ),
        *((text, ANSWER_ALWAYS) for text in ("언제나 해도 돼요", "항상 그렇게 해 줘", "항상 할게요", "항상 허락해요")),
        *((text, ANSWER_ALWAYS) for text in ("Always.", "Yes, always allow it.", "Allow it always", "OK, always")),
        *(
            (text, ANSWER_NO)
            for text in ("아니요", "이건 안 돼", "항상은 안 돼", "허용 안 해", "No.", "Don't allow it", "never")
        ),
        *(
            (text, ANSWER_NO_TO_ALL)
            for text in ("전부 안 돼", "아니, 전부 다 하지 마", "모두 거절", "다 안 돼", "싹 다 취소해")
        ),
        *((text, ANSWER_NO_TO_ALL) for text in ("No to all.", "No, none of them", "no to all of these", "Stop asking")),
        *(
            (text, "")
            for text in ("전부 허용해", "허용해도 되나", "항상 그래 왔지만", "allow me to think", "always on Monday")
        ),
        *(
            (text, "")
            for text in ("허용 목록 보여 줘", "계속 물어볼 거야?", "all of them", "전부 다", "이게 항상 묻는 거야?")
        ),
    ],
)
def test_a_reply_covers_one_call_or_all_and_what_is_not_understood_is_neither(text: str, choice: str) -> None:
    meaning = reply_meaning(text)
    assert ("" if meaning is Meaning.REQUEST else spoken_choice(text, agrees=meaning is Meaning.YES)) == choice


@pytest.mark.parametrize("language", ["ko", "en"])
def test_no_end_of_the_question_is_a_yes_so_that_its_echo_approves_nothing(language: Language) -> None:
    texts = load_texts(language)
    for key in ("ask.tool", "ask.tool_alone"):
        question = f"{texts('ask.again')} {texts(key, tool='t', arguments='a: 1')}"
        for start in range(len(question)):
            assert reply_meaning(question[start:]) is not Meaning.YES


@pytest.mark.parametrize("text", ["아니요.", "취소해 줘", "답 안 할래요", "거절할게요", "No.", "Cancel!", "never mind"])
def test_a_question_for_words_is_refused_by_a_whole_reply(text: str) -> None:
    assert refuses(text)


@pytest.mark.parametrize(
    "text", ["노트북", "아니요 말고 부산이요", "November", "no limit", "네", "그만두지 않는 사람", ""]
)
def test_words_that_only_contain_a_refusal_are_an_answer(text: str) -> None:
    assert not refuses(text)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("아니 사만 원으로", Meaning.REQUEST),
        ("아니, 아빠한테", Meaning.REQUEST),
        ("잠깐 내일로 바꿔 줘", Meaning.REQUEST),
        ("no, forty thousand", Meaning.REQUEST),
        ("not today, tomorrow", Meaning.REQUEST),
        ("네 근데 사만 원으로", Meaning.REQUEST),
        ("아니", Meaning.NO),
        ("아니요, 취소해 줘", Meaning.NO),
        ("no", Meaning.NO),
        ("네, 보내 줘", Meaning.YES),
        ("yes, send it", Meaning.YES),
    ],
)
def test_a_no_with_other_words_changes_what_can_be_changed(text: str, meaning: Meaning) -> None:
    assert changing_reply_meaning(text) is meaning
