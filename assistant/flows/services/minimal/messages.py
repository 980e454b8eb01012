"""What the service says to the user, in both languages."""

from typing import Final

from assistant.flows.messages import Messages

MESSAGES: Final = Messages(
    ko={
        "begun": "무엇이든 말씀해 보세요. 끝내려면 “그만”이라고 하세요.",
        "label_chat": "답을 쓰고 있어요.",
        "ended": "대화를 마칠게요.",
    },
    en={
        "begun": "Say what you like. To end it, say “stop”.",
        "label_chat": "Writing an answer.",
        "ended": "That is the end of it.",
    },
)
