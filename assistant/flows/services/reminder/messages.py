"""What the service says to the user, in both languages."""

from typing import Final

from assistant.flows.messages import Messages

MESSAGES: Final = Messages(
    ko={
        "label": "말씀을 정리하고 있어요.",
        "ask_what": "무엇을 알려 드릴까요?",
        "ask_when": "언제 알려 드릴까요?",
        "ask_hour": "몇 시에 알려 드릴까요?",
        "ask_repeat": "되풀이할까요? “매일”이나 “한 번만”처럼 말씀해 주세요.",
        "progress": "{total}개 중 {number}번째예요. ",
        "error_unclear": "잘 알아듣지 못했어요. ",
        "error_when": "그 시간에는 맞출 수 없어요. ",
        "confirm": "{when}에 “{what}” 알림을 맞출까요?",
        "unclear_ready": "아직 맞추지 않았어요. 맞추려면 “응”, 그만두려면 “취소”라고 말씀해 주세요.",
        "cancelled": "알림을 만들지 않았어요.",
        "failed": "알림을 맞추지 못했어요. {reason}",
        "unknown": "알림을 맞추다가 Sori가 꺼졌어요. 맞춰졌는지 알림 목록을 확인해 주세요.",
        "button_yes": "맞추기",
        "say_yes": "응",
        "button_no": "취소",
        "say_no": "취소",
    },
    en={
        "label": "Reading what you said.",
        "ask_what": "What shall I remind you of?",
        "ask_when": "When shall I remind you?",
        "ask_hour": "At what time shall I remind you?",
        "ask_repeat": "Shall it repeat? Say “every day” or “just once”, for example.",
        "progress": "This is number {number} of {total}. ",
        "error_unclear": "I did not understand that. ",
        "error_when": "It cannot be set for that time. ",
        "confirm": "Remind you of “{what}”: {when}?",
        "unclear_ready": "Nothing is set yet. Say “yes” to set it, or “cancel”.",
        "cancelled": "No reminder was made.",
        "failed": "The reminder was not set. {reason}",
        "unknown": "Sori ended while it set the reminder. Please look at your reminders to see whether it is there.",
        "button_yes": "Set it",
        "say_yes": "yes",
        "button_no": "Cancel",
        "say_no": "cancel",
    },
)
