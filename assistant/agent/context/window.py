"""Which messages of a conversation a model is sent, and which are summarised (C-01, C-20). Pure."""

from collections.abc import Sequence

from assistant.agent.context.sections import KEPT_MESSAGES, message_sections, without_oldest
from assistant.core.messages import Message, Role


def window(count: int, most: int) -> int:
    """How many of a conversation's ``count`` messages are sent: at most ``most``.

    The beginning of the window moves by half of ``most`` at a time. A smaller step would change the beginning of the
    prompt more often, and a server would have to read the prompt again each time. A larger one would leave too few
    messages.
    """
    over, step = count - most, most // 2
    return count if over <= 0 else count + (-over // step) * step


def first_within(history: Sequence[Message], size: int) -> int:
    """Index of the first message that stays within ``size`` characters; the newest ``KEPT_MESSAGES`` always stay."""
    kept = without_oldest(message_sections(history), size)
    return kept[0].message if kept else 0


def first_in_steps(history: Sequence[Message], size: int) -> int:
    """As ``first_within``, but the first message moves by about half of ``size`` at a time.

    If it moved with each turn, the beginning of the prompt would change with each turn, and a server would have to read
    nearly the whole prompt again. With steps of a quarter, answers of 6,000 characters moved it in 17 of 44 turns, with
    half in 11. Steps are counted from the beginning of ``history``, which moves in steps as well.
    """
    first = first_within(history, size)
    step = size // 2
    if not first or step <= 0:
        return first
    sizes = [0] * len(history)
    for section in message_sections(history):
        sizes[section.message] += section.size
    left_out = sum(sizes[:first])
    edge = -(-left_out // step) * step
    while left_out < edge and first < len(history) - KEPT_MESSAGES:
        left_out += sizes[first]
        first += 1
    return first


def coherent_from(history: Sequence[Message], first: int) -> int:
    """Index at or near ``first`` from which the messages can be sent: that of a message of the user's.

    Messages must not begin with an answer without its question or a result without its call. When the user has no
    message from ``first`` on, the index is that of the user's newest message, so that a long turn with tools is whole.
    """
    asked = [index for index, message in enumerate(history) if message.role is Role.USER]
    return next((index for index in asked if index >= first), asked[-1] if asked else len(history))


def to_summarise(history: Sequence[Message], size: int) -> int:
    """How many of the oldest messages to summarise, so that about ``size`` characters of the newest messages stay.

    At least ``KEPT_MESSAGES`` stay, and they begin with a message of the user's. They may therefore exceed ``size``.
    """
    first = first_within(history, size)
    return max((index for index in range(first + 1) if history[index].role is Role.USER), default=0) if history else 0


def outside_window(history: Sequence[Message], count: int, most: int) -> int:
    """How many of the oldest messages in ``history`` leave the window when one more message is added.

    They end before a message of the user's.

    Args:
        history: the last messages of the conversation, oldest first.
        count: how many messages the conversation has.
        most: maximum number of messages in the window.
    """
    staying = window(count + 1, most) - 1
    first = len(history) - staying
    if first <= 0:
        return 0
    return next((index for index in range(first, len(history)) if history[index].role is Role.USER), 0)
