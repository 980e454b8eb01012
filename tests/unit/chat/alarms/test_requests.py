import pytest

from assistant.chat.alarms.requests import AlarmWish, alarm_request
from assistant.core.settings import Language
from assistant.storage.timers import TimerKind

A, R = TimerKind.ALARM, TimerKind.REMINDER


@pytest.mark.parametrize(
    ("text", "kind", "hour", "what"),
    [
        ("내일 아침 7시에 깨워 줘", A, 7, ""),
        ("헤이 자비스, 내일 여섯 시 반에 나 좀 깨워 줄래?", A, 6, ""),
        ("매일 아침 7시에 알람 맞춰 줘", A, 7, ""),
        ("오후 3시 알람", A, 3, ""),
        ("내일 8시에 약 먹는 알람 설정해줘", A, 8, "약 먹는"),
        ("알람 내일 아침 6시로 맞춰줘", A, 6, ""),
        ("5시에 엄마한테 전화하라고 알려 줘", R, 5, "엄마한테 전화하기"),
        ("다음 주 화요일 오후 3시에 병원 가라고 알려줘", R, 3, "병원 가기"),
        ("저녁 8시에 약 먹으라고 말해 줘", R, 8, "약 먹기"),
        ("매일 밤 10시에 약 먹으라고 알려줘", R, 10, "약 먹기"),
        ("내일 3시에 회의 있다고 알려줘", R, 3, "회의 있음"),
        ("내일 3시에 회의라고 알려줘", R, 3, "회의"),
        ("내일 9시에 우산 챙기는 거 잊지 않게 알려줘", R, 9, "우산 챙기기"),
        ("내일 오후 2시에 나한테 보고서 보내야 한다고 알려줘", R, 2, "보고서 보내기"),
        ("3시에 회의 알림 맞춰 줘", R, 3, "회의"),
        ("내일 아침 7시에 회의 알려 줘", R, 7, "회의"),
        ("매주 월요일 오전 9시에 팀 회의 알려줘", R, 9, "팀 회의"),
        ("30분 뒤에 약 꼭 알려 주세요", R, None, "약"),
        ("오후 네 시에 알려 줘", R, 4, ""),
        ("두 시간 있다가 약 먹으라고 알려줘", R, None, "약 먹기"),
        ("wake me up tomorrow at 7", A, 7, ""),
        ("Hey Jarvis, could you wake me at half past six?", A, 6, ""),
        ("set an alarm for 7:30 am", A, 7, ""),
        ("set an alarm for 6 every weekday", A, 6, ""),
        ("set a gym alarm for 6 pm", A, 6, "gym"),
        ("remind me to call mum at 5", R, 5, "call mum"),
        ("Remind me at 5 to call Mum, please", R, 5, "call Mum"),
        ("please remind me tomorrow at 9 that the rent is due", R, 9, "the rent is due"),
        ("remind me in twenty minutes to check the oven", R, None, "check the oven"),
        ("set a reminder for tomorrow at noon to water the plants", R, 12, "water the plants"),
    ],
)
def test_an_alarm_or_a_reminder_is_asked_for(text: str, kind: TimerKind, hour: int | None, what: str) -> None:
    found = alarm_request(text, "ko")
    assert found is not None
    assert (found.wish, found.kind, found.said.hour, found.what) == (AlarmWish.SET, kind, hour, what)


@pytest.mark.parametrize(
    ("text", "hour", "what"),
    [
        ("7시 알람 꺼줘", 7, ""),
        ("내일 아침 7시 알람 취소해 줘", 7, ""),
        ("3시 회의 알림 지워줘", 3, "회의"),
        ("cancel the 7 am alarm", 7, ""),
        ("delete my alarm for 6:30", 6, ""),
    ],
)
def test_an_alarm_is_cancelled_by_its_time(text: str, hour: int, what: str) -> None:
    found = alarm_request(text, "ko")
    assert found is not None
    assert (found.wish, found.said.hour, found.what) == (AlarmWish.CANCEL, hour, what)


@pytest.mark.parametrize("waking", ["내일 5시에 깨워줘", "wake me at 5"])
def test_who_wants_to_be_woken_says_so(waking: str) -> None:
    found = alarm_request(waking, "ko")
    assert found is not None
    assert found.waking


@pytest.mark.parametrize(
    "text",
    [
        "내일 날씨 알려줘",
        "내일 아침 7시 서울 날씨 알려줘",
        "오늘 몇 시에 해가 지는지 알려줘",
        "내일 3시 회의 어디서 하는지 알려줘",
        "내일 회의 알려 줘",
        "내일 3시 회의 장소 알려줘",
        "3시에 서울 병원 찾아서 알려줘",
        "3시에 뭐 하라고 했지?",
        "7시에 시작하는 영화 뭐 있어?",
        "알람 소리가 너무 커",
        "내일 아침 7시 알람은 왜 안 울렸어?",
        "오늘 밤 12시에 마감이야",
        "매일 아침 7시에 일어나려면 어떻게 해야 해?",
        "what happens at 7 am",
        "is there an alarm at 7",
        "who woke me at 5",
        "why did you remind me at 5",
        "tell me about tomorrow",
        "the train leaves at 5, remind her",
    ],
)
def test_what_only_sounds_like_one_goes_to_the_model(text: str) -> None:
    for language in ("ko", "en"):
        hint: Language = "ko" if language == "ko" else "en"
        assert alarm_request(text, hint) is None
