"""Word lists written as strings in the code."""


def words(text: str) -> frozenset[str]:
    """The set of the space-separated words of a text."""
    return frozenset(text.split())


def listed(text: str) -> list[str]:
    """The space-separated words of a text, in order."""
    return text.split()
