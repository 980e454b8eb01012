"""Shows the user what an entry starts or reaches, exactly and without disguise. Pure."""

import re
import shlex
import unicodedata
from urllib.parse import urlsplit, urlunsplit

from assistant.tools.mcp.entries import ServerEntry

HIDDEN = "••••"
"""Shown instead of a value that may be a secret."""

_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""Invisible characters that Unicode counts as letters, marks or symbols."""
_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
"""Classes of letters beside which a terminal may draw other characters in another order."""
_VARIATION_SELECTORS = (range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
_USER = re.compile(r"(?<=://)[^/?#]*@")
_ONLY_REFERENCE = re.compile(r"(?:(?:Bearer|Basic|Token) +)?\$\{(?:env:)?[A-Za-z_][A-Za-z0-9_]*\}", re.IGNORECASE)
_DECISIVE = re.compile(
    r"PATH|PATHEXT|COMSPEC|SHELL|ENV|IFS|HOME|LD_.*|DYLD_.*|BASH_.*|NODE_(?:OPTIONS|PATH)|PYTHON.*|PERL5.*|RUBY(?:OPT|LIB)"
    r"|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|GIT_.*|(?:npm_config|NPM_CONFIG|UV|PIP)_.*|.*_PROXY|.*_proxy"
)
"""Variables that decide which code runs or where it connects. Their values are shown."""


def command_line(entry: ServerEntry) -> str:
    """The command that an entry starts, quoted as in a shell."""
    return " ".join(map(quoted, (entry.command, *entry.arguments)))


def quoted(word: str) -> str:
    """A word of a command line. Two different words never look the same.

    A word with invisible characters becomes ``$'…'`` with escapes, as bash reads it.
    """
    if all(map(_is_visible, word)):
        return shlex.quote(word)
    return "$'" + "".join(_escaped(each, also="\\'") for each in word) + "'"


def visible(text: str) -> str:
    """The text with escapes instead of invisible characters and of those that change how other text looks."""
    return "".join(map(_escaped, text))


def shown_url(url: str) -> str:
    """An address with the computer's name in ASCII, so that foreign letters cannot imitate it. A password is hidden."""
    if "${" in url:  # The computer is not known before the start.
        return visible(_USER.sub(f"{HIDDEN}@", url))
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        host = host if host.isascii() else host.encode("idna").decode()
    except ValueError:  # also of letters that cannot stand in a name
        return visible(url.encode("ascii", "backslashreplace").decode())
    user = f"{HIDDEN}@" if "@" in parts.netloc else ""
    place = f"[{host}]" if ":" in host else host
    return visible(urlunsplit(parts._replace(netloc=f"{user}{place}{port}")))


def masked(value: str) -> str:
    """The value of a header or variable, hidden unless it only refers to a variable of the user's."""
    return visible(value) if not value or _ONLY_REFERENCE.fullmatch(value) else HIDDEN


def masked_variable(name: str, value: str) -> str:
    """The value of a variable of a process, hidden unless it refers to another or decides which code runs."""
    return quoted(value) if _DECISIVE.fullmatch(name) else masked(value)


def _is_visible(letter: str) -> bool:
    if not letter.isprintable() or letter in _INVISIBLE or unicodedata.bidirectional(letter) in _RIGHT_TO_LEFT:
        return False
    return not any(ord(letter) in each for each in _VARIATION_SELECTORS)


def _escaped(letter: str, also: str = "") -> str:
    if letter in also:
        return f"\\{letter}"
    if _is_visible(letter):
        return letter
    number = ord(letter)
    return f"\\x{number:02x}" if number < 0x80 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
