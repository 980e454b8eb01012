"""Takes out of a text what tells about this computer: places of files, account, device, keys (G-05).

Ordinary text stays as it is: places that every computer has, addresses on the web, examples with placeholders.
"""

import re
from dataclasses import dataclass
from typing import Final

GONE: Final = "•••"
"""What stands in place of a key, a name or an id."""

_END: Final = r"\s\"'`<>|*?\\/:;,()\[\]{}…"
"""Characters that end a part of a path."""
_PART: Final = rf"[^{_END}]+"
_ROOTS: Final = "/(?:home|Users|media|run/media|mnt|Volumes|run/user|tmp|private|var/folders)"
"""Folders with what belongs to accounts. That they exist is no secret."""
_WEB: Final = r"(?P<web>\b(?:https?|ftp)://[^\s<>\"']+)"
_PATH: Final = re.compile(
    _WEB + r"|file:///?[^\s\"'<>]+"
    rf"|(?<![\w/.~$%}})])(?:{_ROOTS}|/root)(?:/{_PART})+/?"
    rf"|(?<![\w/])(?:[A-Za-z]:|\\\\{_PART})(?:[\\/]{_PART})+[\\/]?"
)
_QUOTED: Final = re.compile(rf"(?<=[\"'`])(?:(?:{_ROOTS}|/root)/|[A-Za-z]:[\\/]|\\\\)[^\"'`\n]+(?=[\"'`])")
"""A path with spaces."""
_SYSTEM: Final = re.compile(r"[A-Za-z]:[\\/](?:Windows|Program Files|ProgramData)\b", re.IGNORECASE)
_KEYS: Final = re.compile(
    r"(?<![A-Za-z0-9_-])(?:"
    r"\d{6,12}:[A-Za-z0-9_-]{30,}"  # a bot of Telegram
    r"|(?:sk|pk|rk)-[A-Za-z0-9_-]{16,}|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{16,}"  # OpenAI, Anthropic, Stripe
    r"|gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,}|glpat-[A-Za-z0-9_-]{20,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{35}|ya29\.[A-Za-z0-9_-]{20,}|xox[abprs]-[A-Za-z0-9_-]{10,}|hf_[A-Za-z0-9]{30,}"
    r"|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"  # a token of JSON
    r")(?![A-Za-z0-9_-])"
    r"|(?<=Bearer )[A-Za-z0-9_.~+/-]{16,}=*"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY-----.*?(?:-----END [A-Z ]*PRIVATE KEY-----|\Z)",
    re.DOTALL,
)
_SHORTEST_NAME: Final = 3
_COMMON: Final = frozenset({"root", "user", "users", "admin", "administrator", "home", "guest", "test", "localhost"})
"""Names that tell nothing, because accounts and machines everywhere have them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """What is known of this computer.

    Attributes:
        home: the folder of the user.
        account: the name of the account.
        machine: the name of the machine.
        ids: ids of the machine, of its network card and of this device among the user's.
        keys: keys that are kept here.
    """

    home: str = ""
    account: str = ""
    machine: str = ""
    ids: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()


class Redaction:
    """Takes out of texts what is private.

    Args:
        own: what is known of this computer.
    """

    def __init__(self, own: Own) -> None:
        exact = [re.escape(each) for each in sorted((*own.ids, *own.keys), key=len, reverse=True) if each]
        names = [re.escape(each) for each in (own.account, own.machine) if _tells(each)]
        self._exact = (
            re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(exact)})(?![A-Za-z0-9_-])", re.IGNORECASE) if exact else None
        )
        # A name is followed by Korean particles, but not by more of a name.
        self._names = re.compile(rf"{_WEB}|(?<![\w.-])(?:{'|'.join(names)})(?![A-Za-z0-9_-])") if names else None
        self._home = _home(own.home)

    def __call__(self, text: str) -> str:
        """The text without what is private. Of a path the name of the file is left."""
        text = _KEYS.sub(GONE, text)
        if self._exact is not None:
            text = self._exact.sub(GONE, text)
        text = _QUOTED.sub(_found, text)
        if self._home is not None:
            text = self._home.sub(_base, text)
        text = _PATH.sub(_found, text)
        return text if self._names is None else self._names.sub(lambda found: found["web"] or GONE, text)


def _home(home: str) -> re.Pattern[str] | None:
    """Finds paths in the user's folder, whose name may have spaces."""
    if len(home.strip("/\\")) < _SHORTEST_NAME:
        return None
    start = r"[\\/]+".join(map(re.escape, re.split(r"[\\/]+", home.rstrip("/\\"))))
    more = rf"(?:[\\/]{_PART})+[\\/]?|(?![A-Za-z0-9_-])"
    return re.compile(rf"(?<![\w./-])(?:file:///?)?{start}(?:{more})", re.IGNORECASE)


def _found(found: re.Match[str]) -> str:
    """Addresses on the web and the system's own programs stay."""
    stays = found.groupdict().get("web") or _SYSTEM.match(found.string, found.start())
    return found[0] if stays else _base(found)


def _base(found: re.Match[str]) -> str:
    """The name of a path's file, behind an ellipsis for its folders; of a folder of an account not even its name."""
    parts = [each for each in re.split(r"[\\/]+", found[0].removeprefix("file:")) if each]
    at = 1 if parts[0].endswith(":") else 0
    of_account = parts[at : at + 1] and parts[at].casefold() in ("home", "users")
    return f"…/{parts[-1]}" if len(parts) > at + (2 if of_account else 1) else "…"


def _tells(name: str) -> bool:
    return len(name) >= _SHORTEST_NAME and name.casefold() not in _COMMON
