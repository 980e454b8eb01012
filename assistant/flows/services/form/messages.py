"""What the service says to the user, in both languages."""

from typing import Final

from assistant.flows.messages import Messages

MESSAGES: Final = Messages(
    ko={
        "label": "말씀을 정리하고 있어요.",
        "ask_what": "무엇을 적을까요?",
        "ask_when": "언제로 적을까요?",
        "ask_count": "몇 명으로 적을까요?",
        "error_unclear": "잘 알아듣지 못했어요. ",
        "error_when": "지난 때이거나 알 수 없는 때예요. ",
        "error_count": "1명부터 50명까지 적을 수 있어요. ",
        "confirm": "{when}, {what}, {count}명. 이대로 저장할까요?",
        "unclear_ready": "아직 저장하지 않았어요. 저장하려면 “응”, 그만두려면 “취소”라고 말씀해 주세요.",
        "done": "저장했어요.",
        "cancelled": "저장하지 않았어요.",
        "failed": "저장하지 못했어요. {reason}",
        "unknown": "저장하다가 Sori가 꺼졌어요. 저장됐는지 확인해 주세요.",
        "button_yes": "저장",
        "say_yes": "응",
        "button_no": "취소",
        "say_no": "취소",
    },
    en={
        "label": "Reading what you said.",
        "ask_what": "What shall I write down?",
        "ask_when": "For when?",
        "ask_count": "For how many people?",
        "error_unclear": "I did not understand that. ",
        "error_when": "That time is past or not clear. ",
        "error_count": "It can be 1 to 50 people. ",
        "confirm": "{when}, {what}, people: {count}. Shall I save it?",
        "unclear_ready": "Nothing is saved yet. Say “yes” to save it, or “cancel”.",
        "done": "I saved it.",
        "cancelled": "I did not save it.",
        "failed": "It could not be saved. {reason}",
        "unknown": "Sori ended while it saved. Please check whether it is saved.",
        "button_yes": "Save",
        "say_yes": "yes",
        "button_no": "Cancel",
        "say_no": "cancel",
    },
)
