"""Lists of words, as they are written in the code."""


def words(text: str) -> frozenset[str]:
    """The words of a text that lists them with spaces between."""
    return frozenset(text.split())


def listed(text: str) -> list[str]:
    """The words of a text in their order."""
    return text.split()
