"""What the service says to the user, in both languages."""

from typing import Final

from assistant.flows.messages import Messages

MESSAGES: Final = Messages(
    ko={
        "today": "오늘",
        "tomorrow": "내일",
        "on_day": "{day}",
        "days": "{first}부터 {last}까지",
        "nothing": "{period:은/는} 예정된 일도, 생일도 없어요.",
        "no_due": "{period:은/는} 예정된 일이 없어요.",
        "due": "{period} 예정된 일이 {count}개 있어요.",
        "due_one": "{period} 예정된 일이 하나 있어요.",
        "birthdays": "생일인 사람이 {count}명 있어요.",
        "birthdays_one": "생일인 사람이 한 명 있어요.",
        "unclear": "날짜를 따져 보지 못한 것이 {count}개 있어요.",
        "unclear_one": "날짜를 따져 보지 못한 것이 하나 있어요.",
        "item": "{when}, {what}.",
        "more": "그 밖에 {count}개가 더 있어요.",
        "unread": "{lists:은/는} 읽지 못했어요.",
        "list_timers": "타이머",
        "list_alarms": "알람",
        "list_scheduled_requests": "예약한 요청",
        "request": "예약한 요청 “{what}”",
    },
    en={
        "today": "today",
        "tomorrow": "tomorrow",
        "on_day": "on {day}",
        "days": "from {first} to {last}",
        "nothing": "Nothing is due {period}, and nobody has a birthday.",
        "no_due": "Nothing is due {period}.",
        "due": "{count} things are due {period}.",
        "due_one": "One thing is due {period}.",
        "birthdays": "There are {count} birthdays.",
        "birthdays_one": "There is one birthday.",
        "unclear": "The days of {count} things could not be worked out.",
        "unclear_one": "The days of one thing could not be worked out.",
        "item": "{when}, {what}.",
        "more": "There are {count} more.",
        "unread": "I could not read everything: {lists}.",
        "list_timers": "timer",
        "list_alarms": "alarm",
        "list_scheduled_requests": "scheduled requests",
        "request": "scheduled request “{what}”",
    },
)
