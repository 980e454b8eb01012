"""What a text tells in a window: without the commands for a terminal, whose pages are offered instead.

The engine words its notices and refusals once for all doors, and names the command that helps. Somebody at a window may
have no terminal, so the clause with the command gives way to a button.
"""

import re
from dataclasses import dataclass
from typing import Final

_COMMAND: Final = re.compile(r"(?<![\w/.-])(?:sori|python3? main\.py)\s+(?P<command>[a-z][a-z-]*)")
"""A command of Sori as a text names it."""
_PIECES: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[.!?…][)”’])\s+|\n+")
"""Between two sentences."""
_OPEN_END: Final = re.compile(r"[\s:,;(“‘—–-]+$")
_IN_BRACKETS: Final = re.compile(r"\s*\([^()]*\)")
OF_THE_DESKTOP: Final = frozenset({"toggle"})
"""Commands that are entered in the desktop's settings, not in a terminal."""
PAGE_OF: Final = {
    "mcp": "tools",
    "agents": "agents",
    "workspaces": "agents",
    "models": "models",
    "keys": "models",
    "providers": "models",
    "memory": "memory",
    "conversations": "conversations",
    "traces": "traces",
    "usage": "usage",
    "egress": "privacy",
    "audit": "audit",
    "projects": "projects",
    "people": "people",
    "files": "projects",
    "telegram": "telegram",
    "sync": "sync",
    "phone": "phone",
    "voices": "settings",
    "settings": "settings",
    "tools": "tools",
    "audio-check": "settings",
}
"""The window's page for what a command does. A window offers the settings in place of a page that it lacks."""


@dataclass(frozen=True, slots=True)
class WindowWords:
    """A text for a window.

    Attributes:
        words: the text without commands.
        page: the page that does what the command would have done; empty for none.
    """

    words: str
    page: str = ""


def for_window(text: str) -> WindowWords:
    """A text as a window tells it; unchanged if it names no command for a terminal."""
    named = [each for each in _COMMAND.finditer(text) if each["command"] not in OF_THE_DESKTOP]
    if not named:
        return WindowWords(text)
    page = next((PAGE_OF[each["command"]] for each in named if each["command"] in PAGE_OF), "settings")
    bare = _IN_BRACKETS.sub(lambda found: "" if _has_command(found[0]) else found[0], text)
    bare = bare if bare.strip() else text.strip("()")
    kept = [each for each in _PIECES.split(bare) if each.strip() and not _has_command(each)]
    if not kept:  # One sentence says both what is wrong and the command.
        kept = [_OPEN_END.sub("", bare[: found.start()]) if (found := _first_command(bare)) else bare]
        kept = [each.rpartition(". ")[0] or each for each in kept]
    return WindowWords(" ".join(each.strip() for each in kept), page)


def _first_command(text: str) -> "re.Match[str] | None":
    return next((each for each in _COMMAND.finditer(text) if each["command"] not in OF_THE_DESKTOP), None)


def _has_command(text: str) -> bool:
    return _first_command(text) is not None
