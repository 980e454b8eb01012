"""Sizes as a person reads them."""


def size_words(size: int) -> str:
    """A number of bytes in readable form: ``138.5 MB``."""
    amount = float(size)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.2f} GB"
