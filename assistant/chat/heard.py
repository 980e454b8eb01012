"""Which part of a turn's answers was heard before the user spoke over it."""

from collections.abc import Sequence


def split_heard(answers: Sequence[tuple[str, str]], heard: str) -> list[tuple[str, str]]:
    """What was heard of each answer of a turn, for all from the first that was not heard whole.

    Speech passes over white space, so only what is seen is counted.

    Args:
        answers: ids and texts of the turn's answers, oldest first.
        heard: what was heard of all of them together.

    Returns:
        Ids and the heard part of their texts.
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
    """``text`` up to its ``visible``-th character that is not white space."""
    count = 0
    for position, character in enumerate(text):
        if count == visible:
            return text[:position].rstrip()
        count += not character.isspace()
    return text
