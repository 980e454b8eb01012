"""Shows the user what an entry starts or reaches, exactly and without disguise. Pure."""

import re
import shlex
import unicodedata
from urllib.parse import urlsplit, urlunsplit

from assistant.core.display.escaping import is_visible, visible
from assistant.tools.mcp.entries import ServerEntry

HIDDEN = "••••"
"""Shown instead of a value that may be a secret."""

_RIGHT_TO_LEFT = frozenset({"R", "AL", "AN"})
"""Classes of letters beside which a terminal may draw other characters in another order. In a command that matters."""
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
    if all(map(_is_certain, word)):
        return shlex.quote(word)
    return "$'" + "".join(_escaped(each, also="\\'") for each in word) + "'"


def in_one_line(text: str) -> str:
    """The text with escapes instead of line breaks and of what ``escaping.visible`` escapes."""
    return visible(text, one_line=True)


def shown_url(url: str) -> str:
    """An address with the computer's name in ASCII, so that foreign letters cannot imitate it. A password is hidden."""
    if "${" in url:  # The computer is not known before the start.
        return in_one_line(_USER.sub(f"{HIDDEN}@", url))
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
        port = f":{parts.port}" if parts.port else ""
        host = host if host.isascii() else host.encode("idna").decode()
    except ValueError:  # also of letters that cannot stand in a name
        return in_one_line(url.encode("ascii", "backslashreplace").decode())
    user = f"{HIDDEN}@" if "@" in parts.netloc else ""
    place = f"[{host}]" if ":" in host else host
    return in_one_line(urlunsplit(parts._replace(netloc=f"{user}{place}{port}")))


def masked(value: str) -> str:
    """The value of a header or variable, hidden unless it only refers to a variable of the user's."""
    return in_one_line(value) if not value or _ONLY_REFERENCE.fullmatch(value) else HIDDEN


def masked_variable(name: str, value: str) -> str:
    """The value of a variable of a process, hidden unless it refers to another or decides which code runs."""
    return quoted(value) if _DECISIVE.fullmatch(name) else masked(value)


def _is_certain(letter: str) -> bool:
    """Whether a character of a command can be seen, and leaves the others in their order."""
    return is_visible(letter) and unicodedata.bidirectional(letter) not in _RIGHT_TO_LEFT


def _escaped(letter: str, also: str) -> str:
    if letter in also:
        return f"\\{letter}"
    if _is_certain(letter):
        return letter
    number = ord(letter)
    return f"\\x{number:02x}" if number < 0x80 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
