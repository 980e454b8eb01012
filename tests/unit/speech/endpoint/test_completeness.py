import pytest

from assistant.speech.endpoint.completeness import text_completeness
from assistant.speech.endpoint.policy import WORDS_FINISHED, WORDS_UNFINISHED

KOREAN_FINISHED = (
    "모든 불을 파란색으로 다 바꿔 줘.",
    "모든 불을 파란색으로 다 바꿔줘",
    "지금 몇 시야",
    "지금 몇 시예요",
    "오늘 날씨 어때",
    "내일 비가 올까",
    "내일 비가 옵니까",
    "예약은 가능한가요?",
    "그는 길 한 옆으로 걸어갔다.",
    "타이머 맞춰 주세요",
    "음악 틀어",
    "불 꺼",
    "이제 그만",
    "그렇게 하죠",
    "점심 먹자고 했어",
    "고마워요",
    "그럼 시작하자",
    "그게 뭐야",
    "배가 고프네",
    "지금 갈게",
    "네",
    "감사합니다",
    "그건 내가 할 거니까요",
    "다리를 다쳤어",
    "시간이 없어",
    "볼륨을 줄여",
    "소리를 키워.",
    "서울에서 부산까지 얼마나 걸려?",
    "회의를 내일로 미뤄",
    "사진을 찍어",
    "커피를 마셔도 돼?",
)
KOREAN_UNFINISHED = (
    "모든 불을",
    "모든 불을 파란색으로 다",
    "오늘 날씨가",
    "내일 비가 오면",
    "집에 가서",
    "음악을 틀고",
    "예약을 하고 싶은데",
    "호텔 예약을 하려고",
    "비가 오지만",
    "비가 오니까",
    "그리고",
    "지금 몇 시야 그리고",
    "음",
    "어...",
    "오늘 서울에서",
    "내일 아침에",
    "친구랑",
    "그래서,",
    "타이머를 십 분으로",
    "그는 이리저리 피하면서",
    "내가 어제 말한",
    "만약",
    "오늘 날씨는",
    "네 명 숙박할",
    "내가 어제 보고 있는",
    "모든 불을 파란색",
    "친구한테 메시지",
    "그는 이리저리 피하면서.",
    "타이머를?",
)
ENGLISH_FINISHED = (
    "What time is it?",
    "Turn the lights on.",
    "Can I have a medium double shot americano?",
    "Stop!",
    "Set a timer for ten minutes.",
    "I don't think so.",
    "Play some music, please.",
    'He said "stop."',
    "Turn the lights on",
    "Turn off the lights in the living room",
    "Set a timer for ten minutes",
    "What time is it",
    "Who is he",
    "How are you",
    "What do you want",
    "What should I do",
    "Tell me a joke",
    "What is the capital of New Zealand",
    "Yes, I do",
    "Thank you",
    "Louder, please",
    "Is there any traffic",
    "Cancel that.",
    "Can you repeat that?",
    "Don't do that",
    "What's that?",
    "What was that?",
)
ENGLISH_UNFINISHED = (
    "is",
    "Don't",
    "Could",
    "I want to go to",
    "Set a timer for",
    "Turn on the",
    "What time is it and",
    "I would like to because",
    "Because.",
    "So I was thinking,",
    "Um",
    "Remind me to...",
    "Send a message to my",
    "If it rains tomorrow —",
    "If it rains tomorrow.",
    "Can I?",
    "Can I get?",
    "Can I have a medium?",
    "Can I have a medium double?",
    "Can I have...",
    "Turn off the lights in the living.",
    "What is the capital of New?",
    "Remind me.",
    "Tell me.",
    "How long it?",
    "What time is?",
    "Turn the volume.",
    "Put the blue jacket.",
    "What's Peter's?",
    "It is very.",
    "I want.",
    "Remember that.",
    "Say that.",
    "That.",
    "Mr. Quilter is the apostle of.",
)


@pytest.mark.parametrize("text", KOREAN_FINISHED)
def test_a_korean_final_ending_finishes(text: str) -> None:
    completeness = text_completeness(text, "ko")
    assert completeness is not None
    assert completeness >= WORDS_FINISHED


@pytest.mark.parametrize("text", KOREAN_UNFINISHED)
def test_a_korean_connective_particle_or_filler_does_not_finish(text: str) -> None:
    completeness = text_completeness(text, "ko")
    if text == "친구랑":  # a single word may be a whole answer
        assert completeness == pytest.approx(0.5)
        return
    assert completeness is not None
    assert completeness <= WORDS_UNFINISHED


@pytest.mark.parametrize("text", ENGLISH_FINISHED)
def test_an_english_sentence_that_lacks_nothing_finishes(text: str) -> None:
    completeness = text_completeness(text, "en")
    assert completeness is not None
    assert completeness >= WORDS_FINISHED


@pytest.mark.parametrize("text", ENGLISH_UNFINISHED)
def test_an_english_word_that_needs_another_does_not_finish(text: str) -> None:
    completeness = text_completeness(text, "en")
    assert completeness is not None
    assert completeness <= WORDS_UNFINISHED


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("에이 컴퓨터", "ko"),
        ("부산까지 어떻게 가?", "ko"),
        ("오늘 날씨", "ko"),
        ("서울 냉장고", "ko"),
        ("the weather in Seoul", "en"),
        ("Turn on.", "en"),
        ("Set a timer.", "en"),
        ("Set a timer for ten.", "en"),
        ("Mr. Quill.", "en"),
        ("Where are you from?", "en"),
        ("What time does the supermarket?", "en"),
        ("Book a table.", "en"),
        ("Turn it down a bit.", "en"),
        ("모든 불닭", "ko"),
        ("오늘 날씨는?", "ko"),
        ("4명.", "ko"),
    ],
)
def test_a_bare_noun_says_nothing_for_certain(text: str, language: str) -> None:
    completeness = text_completeness(text, language)
    assert completeness is not None
    assert WORDS_UNFINISHED < completeness < WORDS_FINISHED


@pytest.mark.parametrize("text", ["", "   ", "…", "?", "."])
def test_no_word_is_no_evidence(text: str) -> None:
    assert text_completeness(text, "ko") is None


@pytest.mark.parametrize("text", ["Can I have a medium", "Turn on the lights", "집에 가서", "불을 꺼 줘"])
def test_the_recognisers_full_stop_and_question_mark_change_nothing(text: str) -> None:
    language = "en" if text.isascii() else "ko"
    plain = text_completeness(text, language)
    assert [text_completeness(text + mark, language) for mark in (".", "?", "!")] == [plain] * 3


def test_korean_letters_decide_even_when_english_was_detected() -> None:
    completeness = text_completeness("불을 켜고", "en")
    assert completeness is not None
    assert completeness <= WORDS_UNFINISHED


def test_a_reason_is_told_from_a_formal_question() -> None:
    reason, question = text_completeness("비가 오니까", "ko"), text_completeness("비가 옵니까", "ko")
    assert reason is not None
    assert question is not None
    assert reason < question


@pytest.mark.parametrize(
    "text",
    [
        "Can I get a triple shot",
        "Can I get a medium roast single shot house?",
        "Give me a small house.",
        "May I have a light roast",
        "I'd like a large cheese",
        "I want a new phone",
        "Order me a thin crust",
        "Get us a window seat",
        "Could you bring me a glass of wine",
        "I'll take a small",
        "Please make me a cup of green",
        "We need two extra large",
    ],
)
def test_an_order_that_ends_with_a_short_noun_may_get_another_noun(text: str) -> None:
    completeness = text_completeness(text, "en")
    assert completeness is not None
    assert completeness < WORDS_FINISHED


@pytest.mark.parametrize("text", ["Can I get a sixteen ounce", "A 12 ounce", "Give me a ten minute", "Book a two hour"])
def test_a_measure_before_a_noun_is_unfinished(text: str) -> None:
    completeness = text_completeness(text, "en")
    assert completeness is not None
    assert completeness <= WORDS_UNFINISHED


@pytest.mark.parametrize(
    "text",
    [
        "Can I have a tea?",
        "Can I have a medium double shot americano?",
        "Make me a large cappuccino",
        "I'd like a small latte with milk",
        "Add two large eggs",
        "Give me a quick call",
        "Tell me a funny joke",
        "Do we have a big plan for tonight",
        "Get me a yellow cab now",
        "Have we got the right time?",
        "Set a timer for ten minutes",
        "Turn on the small lamp",
        "Play a slow song",
        "Wake me up in a half hour",
    ],
)
def test_other_requests_are_not_waited_for(text: str) -> None:
    completeness = text_completeness(text, "en")
    assert completeness is not None
    assert completeness >= WORDS_FINISHED


@pytest.mark.parametrize(
    ("text", "open_list"),
    [
        ("Add milk, eggs, bread.", True),
        ("Buy apples, two lemons, some rice", True),
        ("Call Anna, Ben, Carl", True),
        ("Add milk, eggs, and bread.", False),
        ("Add milk, eggs and bread.", False),
        ("Turn on the light, please.", False),
        ("Tell me a joke, Jarvis.", False),
        ("Okay, Jarvis, please.", False),
        ("Wait, wait, wait.", False),
        ("Yes, yes, turn it off.", False),
        ("When I come home, in the evening, turn on the lamp in the hall.", False),
    ],
)
def test_a_list_without_its_and_may_go_on(text: str, open_list: bool) -> None:
    completeness = text_completeness(text, "en")
    assert completeness is not None
    assert (completeness < WORDS_FINISHED) is open_list
