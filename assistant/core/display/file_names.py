"""Names of files that others chose, as they are shown and saved."""

import re

LONGEST_NAME = 120


def shown_name(name: str) -> str:
    """A file's name without folders and without characters that cannot be seen or turn the writing round."""
    last = "".join(each for each in re.split(r"[/\\]", name)[-1] if each.isprintable()).strip(". ")
    return last[-LONGEST_NAME:] or "file"
