"""What is a request to do something at a time, and what must never be taken for one."""

import pytest

from assistant.chat.alarms.requests import alarm_request
from assistant.chat.scheduled.requests import schedule_request
from assistant.chat.scheduled.wish import ScheduleWish
from assistant.core.settings import Language

ADDED: list[tuple[str, str]] = [
    ("매일 아침 8시에 오늘 할 일 읽어 줘", "오늘 할 일 읽어 줘"),
    ("평일 저녁 7시에 뉴스 요약해 줘", "뉴스 요약해 줘"),
    ("매주 금요일 오후 5시에 이번 주 메모 정리해 주세요", "이번 주 메모 정리해 줘"),
    ("소리야, 매일 아침 7시에 날씨 알려 줘.", "날씨 알려 줘"),
    ("매일 밤 10시에 내일 일정 알려줘", "내일 일정 알려 줘"),
    ("내일 아침 9시에 뉴스 요약해 줄래?", "뉴스 요약해 줘"),
    ("30분 뒤에 환율 검색해 줘", "환율 검색해 줘"),
    ("뉴스를 매일 아침 8시에 요약해 줘", "뉴스를 요약해 줘"),
    ("매달 1일 오전 9시에 지난달 지출 메모 정리해 줘", "지난달 지출 메모 정리해 줘"),
    ("매월 말일 오후 6시에 이번 달 메모 요약해 줘", "이번 달 메모 요약해 줘"),
    ("매일 오전 8시 오늘 할 일 읽어 줘", "오늘 할 일 읽어 줘"),
    ("토요일마다 오전 10시에 영화 추천해 줘", "영화 추천해 줘"),
    ("격주 월요일 9시에 프로젝트 메모 요약해 줘", "프로젝트 메모 요약해 줘"),
    ("매일 아침 8시에 오늘 뭐 해야 하는지 알려 줘", "오늘 뭐 해야 하는지 알려 줘"),
    ("두 시간마다 뉴스 헤드라인 읽어 줘", "뉴스 헤드라인 읽어 줘"),
    ("매일 저녁 9시에 오늘 메모 요약 부탁해", "오늘 메모 요약 부탁해"),
    ("매일 아침 8시에 브리핑해 줘", "브리핑해 줘"),
    ("이따 5시에 뉴스 읽어 줄 수 있어?", "뉴스 읽어 줘"),
    ("매주 화요일, 목요일 저녁 8시에 영어 단어 알려 줘", "영어 단어 알려 줘"),
    ("오늘 할 일을 매일 아침 8시에 읽어 줘", "오늘 할 일을 읽어 줘"),
    ("매일 아침 8시에. 뉴스 요약해 줘.", "뉴스 요약해 줘"),
    ("매일 아침 8시. 오늘 할 일 읽어 줘", "오늘 할 일 읽어 줘"),
    ("every day at 9.58 p.m. Give me my weekly briefing.", "Give me my weekly briefing"),
    ("Every Friday at five. Summarise this week's notes.", "Summarise this week's notes"),
    ("Tomorrow at 9 a.m. Read me the news.", "Read me the news"),
    ("give me my weekly briefing every day at 9", "give me my weekly briefing"),
    ("every Monday at 9 read the daily summary", "read the daily summary"),
    ("Every day at 1003 PM, give me my weekly briefing.", "give me my weekly briefing"),
    ("give me my briefing every day at 930 p.m.", "give me my briefing"),
    ("read the news daily at 8", "read the news"),
    ("every Tuesday and Thursday at 8 pm translate a sentence into Korean", "translate a sentence into Korean"),
    ("every night at 10 tell me what I have tomorrow", "tell me what I have tomorrow"),
    ("every Friday at five summarise this week's notes", "summarise this week's notes"),
    ("Every morning at 8, read me my to-do list.", "read me my to-do list"),
    ("tomorrow at nine tell me what is due", "tell me what is due"),
    ("On weekdays at 7 pm please summarize the news", "summarize the news"),
    ("Summarize the news every weekday at 7 pm", "Summarize the news"),
    ("tell me the weather every morning at 7", "tell me the weather"),
    ("every Friday summarise my notes at five", "summarise my notes"),
    ("Hey Sori, every day at 8 am give me today's headlines", "give me today's headlines"),
    ("read me the news every morning at 7:30", "read me the news"),
    ("every other Monday at 9 review my project notes", "review my project notes"),
    ("on the first of every month at 9 am summarize last month's notes", "summarize last month's notes"),
    ("on the last day of every month at 5 pm recap this month's notes", "recap this month's notes"),
    ("in thirty minutes look up the exchange rate", "look up the exchange rate"),
    ("at noon every day brief me", "brief me"),
    ("Could you recap my notes every Sunday at 6 pm?", "recap my notes"),
    ("every two hours check the news", "check the news"),
]

NOT_ADDED = [
    "지금 8시. 뉴스 읽어 줘",
    "내일 9시? 뉴스 읽어 줘",
    "It is 9 pm. Read me the news.",
    "Tomorrow at 9? Read the news",
    "The train leaves at 9. Tell me the weather.",
    "I wake up every day at 8. Give me my briefing.",
    "every day at 9 read the news weekly",
    # Alarms and reminders: the user does it.
    "8시에 깨워 줘",
    "내일 9시에 우산 챙기라고 알려 줘",
    "매일 저녁 8시에 약 먹으라고 말해 줘",
    "매일 아침 8시에 약 알려 줘",
    "매일 9시에 알려 줘",
    "매주 화요일 8시에 분리수거 알려 줘",
    "remind me to call mom at 5",
    "wake me at seven",
    "every day at 8 tell me to take my pills",
    "tomorrow at nine tell me that the meeting starts",
    # Questions of now about a time.
    "내일 3시에 회의 있는지 알려 줘",
    "내일 아침 7시 날씨 알려 줘",
    "내일 아침 7시에 날씨 알려 줘",
    "8시 뉴스 요약해 줘",
    "매일 저녁 8시 뉴스 요약해 줘",
    "내일 9시에 가는 기차 찾아 줘",
    "매일 8시에 서울로 가는 기차 찾아 줘",
    "내일 3시에 있을 회의 자료 요약해 줘",
    "엄마가 매일 아침 8시에 먹는 약 찾아 줘",
    "summarize the meeting at five",
    "what's the weather tomorrow at nine",
    "tell me what happens every day at five",
    "read the newsletter that arrives every Friday at five",
    "tell me about the meeting every Monday at 9",
    "at five tell me when the train leaves",
    "tell me the 5 pm news",
    "read me the news at seven",
    "어제 저녁 7시에 나눈 대화 요약해 줘",
    "어제 8시에 온 메일 요약해 줘",
    "매일 8시에 뭐 하는지 알려 줘",
    "내일 3시에 뭐 있는지 읽어 줘",
    "7시에 볼 영화 추천해 줘",
    "매일 아침 8시에 뉴스 요약해 주는 앱 추천해 줘",
    "매일 아침 8시에 운동하는 방법 알려 줘",
    "list the meetings I have tomorrow at nine",
    "tell me a story about a man who wakes every day at 8",
    "check if the shop opens every day at 9",
    # What changes something is no safe request.
    "매일 아침 8시에 음악 틀어 줘",
    "매일 저녁 7시에 뉴스 요약해서 엄마한테 보내 줘",
    "매일 밤 11시에 불 꺼 줘",
    "every day at 8 play some jazz",
    "every Friday at five email my notes to Bob",
    "every Friday at five summarise my notes and send them to Bob",
    # What is not understood as a whole.
    "다음 주까지 매일 8시에 뉴스 읽어 줘",
    "주말 빼고 매일 8시에 뉴스 읽어 줘",
    "매일 아침 8시에 그리고 저녁 6시에 뉴스 요약해 줘",
    "매일 8시에 읽어 줘",
    "every day at 8 until Friday read me the news",
    "every day at 8 except Sundays read me the news",
    "다음 주 매일 아침 8시에 읽어 줘",
    "내일부터 매일 아침 8시에 뉴스 읽어 줘",
    # Statements, refusals, and orders of now.
    "나는 매일 아침 8시에 뉴스 읽어",
    "매일 아침 8시에 뉴스 읽어 주지 마",
    "오늘 할 일 읽어 줘",
    "I read the news every morning at 8",
    "don't read me the news every morning at 8",
    "summarise this week's notes",
]


@pytest.mark.parametrize("hint", ["ko", "en"])
@pytest.mark.parametrize(("text", "words"), ADDED)
def test_an_order_for_a_time_is_kept_with_its_own_words(text: str, words: str, hint: Language) -> None:
    found = schedule_request(text, hint)
    assert found is not None
    assert (found.wish, found.words) == (ScheduleWish.ADD, words)
    assert found.said is not None
    assert alarm_request(text, hint) is None


@pytest.mark.parametrize("hint", ["ko", "en"])
@pytest.mark.parametrize("text", NOT_ADDED)
def test_what_may_be_anything_else_is_left_alone(text: str, hint: Language) -> None:
    assert schedule_request(text, hint) is None


@pytest.mark.parametrize(
    ("text", "wish", "words"),
    [
        ("예약 요청 뭐 있어?", ScheduleWish.LIST, ""),
        ("예약된 요청 목록 보여 줘", ScheduleWish.LIST, ""),
        ("뉴스 요약 예약 요청 취소해 줘", ScheduleWish.CANCEL, "뉴스 요약"),
        ("예약 요청 지워 줘", ScheduleWish.CANCEL, ""),
        ("뉴스 예약 요청 잠시 멈춰 줘", ScheduleWish.PAUSE, "뉴스"),
        ("뉴스 예약 요청 다시 시작해 줘", ScheduleWish.RESUME, "뉴스"),
        ("예약 요청 지금 실행해 줘", ScheduleWish.RUN, ""),
        ("뉴스 예약 요청 아침 7시로 바꿔 줘", ScheduleWish.MOVE, "뉴스"),
        ("뉴스 예약 요청을 평일 저녁 6시로 옮겨 줘", ScheduleWish.MOVE, "뉴스"),
        ("놓친 요청 지금 해 줘", ScheduleWish.CATCH_UP, ""),
        ("끊긴 예약 요청 다시 해 줘", ScheduleWish.CATCH_UP, ""),
        ("run the missed requests", ScheduleWish.CATCH_UP, ""),
        ("list my scheduled requests", ScheduleWish.LIST, ""),
        ("what scheduled requests do I have?", ScheduleWish.LIST, ""),
        ("cancel the news scheduled request", ScheduleWish.CANCEL, "news"),
        ("please pause the weekly notes scheduled request", ScheduleWish.PAUSE, "weekly notes"),
        ("resume the notes recurring task", ScheduleWish.RESUME, "notes"),
        ("run the notes scheduled request now", ScheduleWish.RUN, "notes"),
        ("move the news scheduled request to 7 am", ScheduleWish.MOVE, "news"),
    ],
)
def test_what_is_scheduled_is_listed_and_changed_by_its_noun(text: str, wish: ScheduleWish, words: str) -> None:
    found = schedule_request(text, "ko")
    assert found is not None
    assert (found.wish, found.words) == (wish, words)


@pytest.mark.parametrize(
    "text",
    ["병원 예약 취소해 줘", "요청 취소해 줘", "뉴스 예약 요청 이쪽으로 바꿔 줘", "cancel my order", "stop the task"],
)
def test_other_things_that_are_reserved_or_asked_for_are_left_alone(text: str) -> None:
    assert schedule_request(text, "ko") is None
