"""Which messages of a conversation a model is sent, and which are summarised (C-01, C-20). Pure.

Questions and answers count as messages (``Message.is_spoken``). Tool calls and their results go with them uncounted.
"""

from collections.abc import Sequence

from assistant.agent.context.model_form import Files
from assistant.agent.context.sections import KEPT_MESSAGES, message_sections, newest_spoken, without_oldest
from assistant.core.messages import Message, Role


def window(count: int, least: int) -> int:
    """How many of a conversation's ``count`` messages are sent: at least ``least``, and less than half of it more.

    The beginning of the window moves by half of ``least`` at a time. A smaller step would change the beginning of the
    prompt more often, and a server would have to read the prompt again each time.
    """
    step = max(1, least // 2)
    return count if count <= least else least + (count - least) % step


def first_within(history: Sequence[Message], size: int, files: Files) -> int:
    """Index of the first message that stays within ``size`` characters; the newest ``KEPT_MESSAGES`` always stay."""
    kept = without_oldest(message_sections(history, files), size)
    return kept[0].message if kept else 0


def first_in_steps(history: Sequence[Message], size: int, files: Files) -> int:
    """As ``first_within``, but the first message moves by about a quarter of ``size`` at a time (C-20).

    If it moved with each turn, the beginning of the prompt would change with each turn, and a server would have to read
    nearly the whole prompt again. Steps are counted from the beginning of ``history``, which moves in steps as well.
    """
    first = first_within(history, size, files)
    step = size // 4
    if not first or step <= 0:
        return first
    sizes = [0] * len(history)
    for section in message_sections(history, files):
        sizes[section.message] += section.size
    left_out = sum(sizes[:first])
    edge, last = -(-left_out // step) * step, newest_spoken(history, KEPT_MESSAGES)
    while left_out < edge and first < last:
        left_out += sizes[first]
        first += 1
    return first


def coherent_from(history: Sequence[Message], first: int) -> int:
    """Index at or near ``first`` from which the messages can be sent: that of a message of the user's.

    Messages must not begin with an answer without its question or a result without its call. The index is after
    ``first``, unless that would leave fewer than ``KEPT_MESSAGES``.
    """
    asked = [index for index, message in enumerate(history) if message.role is Role.USER]
    if not asked:
        return len(history)
    last = newest_spoken(history, KEPT_MESSAGES)
    first = min(first, last)
    after = next((index for index in asked if first <= index <= last), None)
    return max((index for index in asked if index <= first), default=asked[0]) if after is None else after


def outside_window(history: Sequence[Message], count: int, least: int) -> int:
    """How many of the oldest messages in ``history`` leave the window when one more message is added.

    They end before a message of the user's.

    Args:
        history: the last messages of the conversation, oldest first.
        count: how many messages the conversation has, calls and results not counted.
        least: how many messages the window has at least.
    """
    return window_begin(history, window(count + 1, least) - 1)


def window_begin(history: Sequence[Message], number: int) -> int:
    """Index of the message of the user's with which the newest ``number`` messages begin, or one more; 0 for all."""
    first = newest_spoken(history, number)
    return next((index for index in range(first, -1, -1) if history[index].role is Role.USER), 0) if history else 0
