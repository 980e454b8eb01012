"""Finds the part of a turn's answers that was heard before the user spoke over it."""

from collections.abc import Sequence


def split_heard(answers: Sequence[tuple[str, str]], heard: str) -> list[tuple[str, str]]:
    """The heard parts of a turn's answers, from the first answer on that was not completely heard.

    White space is not counted, because it is not spoken.

    Args:
        answers: ids and texts of the turn's answers, oldest first.
        heard: the heard text of all answers together.

    Returns:
        Ids of answers and the heard parts of their texts.
    """
    left = len("".join(heard.split()))
    marks: list[tuple[str, str]] = []
    for identity, text in answers:
        length = len("".join(text.split()))
        if not marks and length <= left and identity != answers[-1][0]:
            left -= length
            continue
        marks.append((identity, _beginning(text, left)))
        left = max(0, left - length)
    return marks


def _beginning(text: str, visible: int) -> str:
    """``text`` up to its first ``visible`` characters, not counting white space."""
    count = 0
    for position, character in enumerate(text):
        if count == visible:
            return text[:position].rstrip()
        count += not character.isspace()
    return text
