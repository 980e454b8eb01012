import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.routing import Strength, concerns_provider, judge, may_fall_back

LIGHT = [
    "오늘 기분 어때?",
    "안녕, 잘 잤어?",
    "지금 몇 시야?",
    "내일 서울 날씨 알려줘",
    "비 올 확률이 얼마나 돼?",
    "저녁 메뉴 추천해 줘",
    "TV 프로그램 추천해 줘",
    "햄버그 스테이크 맛있게 굽는 법",
    "드레스 코드가 뭐야?",
    "기타 코드 C 잡는 법 알려줘",
    "바코드 어디에 찍어?",
    "인증 코드가 안 와",
    "증명사진은 어디서 찍어?",
    "재직 증명서 떼는 곳 알려줘",
    "3 더하기 5는?",
    "재미있는 이야기 하나 해 줘",
    "'고마워'를 영어로 번역해 줘",
    "농담 하나 해 봐",
    "하늘은 왜 파란색이야?",
    "나 오늘 너무 힘들었어",
    "불 좀 꺼 줘",
    "5분 뒤에 알려 줘",
    "세종대왕은 언제 태어났어?",
    "How are you today?",
    "What's the capital of France?",
    "Tell me a joke.",
    "Set a timer for five minutes.",
    "What is the dress code for a wedding?",
    "I forgot my zip code.",
    "There's a bug in my room!",
    "Are pythons dangerous?",
    "Have you seen The Matrix?",
    "Is my kidney functioning properly?",
    "What's the chance of rain tomorrow?",
    "Translate 'good morning' into Korean.",
    "Do I need proof of address?",
    "Who wrote Hamlet?",
    "Good night!",
    "",
]
STRONG = [
    ("이 함수 시간복잡도 분석해줘", "이 함수"),
    ("파이썬으로 웹 크롤러 만들어 줘", "파이썬"),
    ("이 코드 좀 봐 줄래?", "코드"),
    ("퀵 정렬을 구현해 줘", "구현해"),
    ("Please implement quicksort", "implement"),
    ("바코드 읽는 코드 짜 줘", "코드"),
    ("정규식으로 이메일을 찾고 싶어", "정규식"),
    ("로그인 버그 좀 고쳐 줘", "버그"),
    ("SQL 쿼리가 너무 느려", "SQL"),
    ("삼각형 내각의 합이 180도임을 증명해 줘", "증명"),
    ("x^2 - 5x + 6 = 0 풀어 줘", "x^2"),
    ("이 함수를 미분하면 뭐가 돼?", "이 함수"),
    ("주사위 두 개의 합이 7일 확률을 구해 줘", "확률을"),
    ("전세와 월세의 장단점을 알려 줘", "장단점"),
    ("우리 회사 매출이 왜 줄었는지 분석해 줘", "분석"),
    ("이 계약서에 문제가 없는지 봐 줘", "계약서"),
    ("두 보험 상품을 비교해 줘", "비교해"),
    ("신제품 출시 전략을 세워 줘", "전략을"),
    ("논문 초록을 다듬어 줘", "논문"),
    ("리액트에서 상태 관리를 어떻게 해?", "리액트"),
    ("회귀 분석이 뭔지 알려 줘", "회귀 분석"),
    ("시스템 아키텍처를 제안해 줘", "아키텍처"),
    ("What is the time complexity of this function?", "time complexity"),
    ("Write a Python script that renames my photos", "Write a Python script"),
    ("Fix this bug in the parser, please", "Fix this bug"),
    ("Explain this code to me", "this code"),
    ("Write a regex for phone numbers", "regex"),
    ("Why does my SQL join return duplicates?", "SQL"),
    ("Prove that the square root of 2 is irrational", "Prove"),
    ("What's the derivative of sin(x) times x?", "derivative"),
    ("Compute the integral from 0 to 1", "integral"),
    ("Analyse the causes of the First World War", "Analyse"),
    ("Compare renting and buying over ten years", "Compare"),
    ("What are the pros and cons of electric cars?", "pros and cons"),
    ("Design a database for a library", "Design a"),
    ("How would you optimize a warehouse?", "optimize"),
    ("Walk me through it step by step", "step by step"),
    ("TypeError: unsupported operand type(s)", "TypeError:"),
    ("```\nprint(1)\n```", "```"),
    ("def add(a, b):\n    return a + b", "def add("),
    ("the dress code page has a memory leak", "memory leak"),
]


@pytest.mark.parametrize("text", LIGHT)
def test_general_conversation_is_for_the_light_model(text: str) -> None:
    judgement = judge(text)
    assert (judgement.strength, judgement.because) == (Strength.LIGHT, "")


@pytest.mark.parametrize(("text", "because"), STRONG)
def test_analysis_code_and_mathematics_are_for_the_strong_model_and_the_words_are_named(
    text: str, because: str
) -> None:
    judgement = judge(text)
    assert judgement.strength is Strength.STRONG
    assert judgement.because == because


def test_a_long_text_is_for_the_strong_model_sooner_in_korean() -> None:
    assert judge("오늘은 친구와 바다에 갔다. " * 20).strength is Strength.LIGHT
    assert judge("오늘은 친구와 바다에 갔다. " * 40).strength is Strength.STRONG
    assert judge("We went to the sea. " * 40).strength is Strength.LIGHT
    assert judge("We went to the sea. " * 80).strength is Strength.STRONG


def test_translating_a_paragraph_is_for_the_strong_model() -> None:
    assert judge("다음을 영어로 번역해 줘: " + "오늘은 친구와 바다에 갔다. " * 8).strength is Strength.STRONG
    assert judge("Translate this into Korean: " + "We went to the sea. " * 15).strength is Strength.STRONG


def test_a_file_is_for_the_strong_model() -> None:
    assert judge("이게 뭐야?", attachments=1).strength is Strength.STRONG


@pytest.mark.parametrize(
    ("code", "status", "expected"),
    [
        (ErrorCode.NETWORK, None, True),
        (ErrorCode.OVERLOADED, 503, True),
        (ErrorCode.AUTHENTICATION, 401, True),
        (ErrorCode.QUOTA, 429, True),
        (ErrorCode.MODEL_NOT_FOUND, 404, True),
        (ErrorCode.CONTEXT_TOO_LONG, 413, True),
        (ErrorCode.TIMEOUT, 408, True),
        (ErrorCode.TIMEOUT, None, False),
        (ErrorCode.INVALID_REQUEST, 400, False),
        (ErrorCode.CONTENT_REFUSED, None, False),
        (ErrorCode.CANCELLED, None, False),
        (ErrorCode.TOOL_LOOP, None, False),
    ],
)
def test_another_model_steps_in_only_where_it_may_do_better(
    code: ErrorCode, status: int | None, expected: bool
) -> None:
    assert may_fall_back(ProviderError(code, "", provider="p", status=status)) is expected


def test_a_missing_key_concerns_every_model_of_a_provider_and_a_missing_model_does_not() -> None:
    assert concerns_provider(ProviderError(ErrorCode.AUTHENTICATION, "", provider="p"))
    assert not concerns_provider(ProviderError(ErrorCode.MODEL_NOT_FOUND, "", provider="p"))
