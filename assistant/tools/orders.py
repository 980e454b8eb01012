"""Recognises lines that tell somebody to do something. Pure."""

import re

_ABOUT_ANSWERS = re.compile(
    r"(?:앞으로|다음부터|항상|이제부터|늘).*(?:답해|답하|답한|대답|말해|불러|설명|써)|^(?:나를|날|저를).*(?:불러|부르)"
    r"|\b(?:from now on|always)\b.*\b(?:answer|reply|speak|explain|call|write|use)\b|\bcall me\b",
    re.IGNORECASE,
)
_ORDER = re.compile(
    r"(?:세요|십시오|시오|해\s?줘|해\s?라|하라|도록|[어아춰워켜꺼려으두]라)[.!]?$"
    r"|^(?:please\s+|always\s+|never\s+|now\s+)*(?:ignore|set|open|send|write|remember|forget|cancel|delete|remove|call|search"
    r"|run|execute|turn|play|pause|stop|create|add|append|read|tell|show|switch|do not|don't|use|find|look|include)\b"
    r"|\bmust\b|\binstructions?\b|지시",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?。])\s+|\n|[:>)\]]\s")


def is_about_answers(line: str) -> bool:
    """Whether a line is a wish about how an agent speaks: "always answer briefly"."""
    return _ABOUT_ANSWERS.search(line) is not None


def gives_order(line: str) -> bool:
    """Whether a sentence of a line tells somebody to do something. A wish about how an agent speaks is no order."""
    if is_about_answers(line):
        return False
    return any(_ORDER.search(each.strip()) for each in _SENTENCES.split(line))
