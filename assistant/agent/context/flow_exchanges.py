"""What a small model is told of guided flows. Pure.

A small model imitates the questions and the outcomes of a flow that it reads as its own words: it asks to confirm a
transfer, or claims one. So it reads only how the flows ended, in a note before the message that it answers.
"""

from collections.abc import Sequence

from assistant.core.messages import Message, Role

_MOST = 3
"""How many of the newest outcomes are told."""


def of_flows(messages: Sequence[Message]) -> frozenset[int]:
    """The indices of the messages that flows have answered, and of their answers."""
    answers = [index for index, message in enumerate(messages) if message.flow]
    asked = (_question_before(messages, index) for index in answers)
    return frozenset((*answers, *asked)) - {-1}


def outcomes(answers: Sequence[str]) -> str:
    """What flows have told in their answers, without their questions."""
    return " ".join([each for each in answers if "?" not in each][-_MOST:])


def _question_before(messages: Sequence[Message], index: int) -> int:
    return next((at for at in range(index - 1, -1, -1) if messages[at].role is Role.USER), -1)
