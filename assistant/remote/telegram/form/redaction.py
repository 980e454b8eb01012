"""Takes out of a text what tells about this computer: places of files, account, device, keys (G-05).

Ordinary text stays as it is: places that every computer has, addresses on the web, examples with placeholders. A name
that could be a word, such as an account called ``ubuntu``, tells something only where an account or a machine is named.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final

from assistant.remote.telegram.form.markup import rich
from assistant.remote.telegram.form.rich_text import RichText

GONE: Final = "•••"
"""What stands in place of a key, a name or an id."""

_END: Final = r"\s\"'`<>|*?\\/:;,()\[\]{}…"
"""Characters that end a part of a path."""
_PART: Final = rf"[^{_END}]+"
_WRITTEN: Final = rf"(?:[^{_END}]|\\(?:[^\w\s\\/]|_))+"
"""A part of a path, also with the backslashes that Markdown wants before underscores."""
_ESCAPE: Final = re.compile(r"\\(?=[^\w\s\\/]|_)")
_ROOTS: Final = "home|Users|media|run/media|mnt|Volumes|run/user|tmp|private|var/folders|srv"
"""Folders with what belongs to accounts, or to whoever set the computer up. That they exist is no secret."""
_SHARED: Final = r"/(?:etc|opt|var|usr/local)"
"""Folders that systems fill alike in their first two steps; what is deeper was made on this computer."""
_EVERYWHERE: Final = frozenset(
    [
        *("Applications", "Library", "System", "bin", "boot", "cores", "dev", "etc", "lib", "lib32", "lib64", "libx32"),
        *("lost+found", "opt", "proc", "root", "run", "sbin", "snap", "sys", "usr", "var"),
    ]
)
"""Folders at the root that systems have by themselves."""
_WEB: Final = r"(?P<web>\b(?:https?|ftp)://[^\s<>\"']+)"
_SPACED: Final = rf"{_PART}(?: {_PART}){{1,3}}(?=\\)|{_PART}"
"""A folder of Windows, which may have spaces: what leads from it to a backslash is its name."""
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
_GIVEN: Final = re.compile(
    r"(?i)(?:api[-_ ]?key|access[-_]?key|secret|token|passw(?:or)?d|비밀번호|암호)[\"'`]?\s*(?:=|:|는|은)\s*[\"'`]?"
    r"(?P<value>(?=[^\s\"'`]*\d)(?=[^\s\"'`]*[A-Za-z])[A-Za-z0-9_\-+/=.!@#%^&*]{12,})(?![A-Za-z0-9_(\[<{])"
)
"""A value behind the name of a key. One without a digit is a word of a program, such as ``read_token_of_user``."""
_ADDRESS_PASSWORD: Final = re.compile(r"(?<=://)[^\s/@:]+:[^\s/@]+(?=@)")
_SHORTEST_HOME: Final = 3
_SHORTEST_NAME: Final = 2
_SHORTEST_KEY: Final = 6
_COMMON: Final = frozenset({"root", "user", "users", "admin", "administrator", "home", "guest", "test", "localhost"})
"""Names that tell nothing, because accounts and machines everywhere have them."""
_ACCOUNT_OF: Final = (
    r"(?i:\b(?:user(?:name)?|account|login|logname|owner|host(?:name)?|machine)\b|계정|사용자|컴퓨터|호스트)"
    r"(?i:\s?(?:name|이름|명))?(?:은|는|이|가)?\s?[:=]?\s?[\"'`(]?"
    r"|(?:uid|gid|groups)=\d+\(|[-dl][rwxsStT-]{9}\S?\s+\d+\s+(?:\S+\s+)??|(?<![\w.])~"
)
"""What stands before the name of an account or of a machine."""
_OF_ACCOUNT: Final = r"@(?![\w-]+\.)|\s?(?:계정|사용자)|\s+(?:account|user)\b"
"""What stands behind it; ``name@example.com`` is an address for mail."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Own:
    """What is known of this computer.

    Attributes:
        home: the folder of the user.
        account: the name of the account.
        machine: the name of the machine.
        ids: ids of the machine, of its network card and of this device among the user's.
        keys: keys that are kept here.
        roots: names of the folders at the root of the files.
    """

    home: str = ""
    account: str = ""
    machine: str = ""
    ids: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    roots: tuple[str, ...] = ()


def no_keys() -> Iterable[str]:
    """No keys but those that are known from the beginning."""
    return ()


class Redaction:
    """Takes out of texts what is private.

    Args:
        own: what is known of this computer.
        keys: gives keys that became known meanwhile, such as those of providers.
    """

    def __init__(self, own: Own, keys: Callable[[], Iterable[str]] = no_keys) -> None:
        exact = [re.escape(each) for each in sorted((*own.ids, *own.keys), key=len, reverse=True) if each]
        self._exact = (
            re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(exact)})(?![A-Za-z0-9_-])", re.IGNORECASE) if exact else None
        )
        self._names = _names(own)
        self._home = _home(own.home)
        self._keys = keys
        self._quoted, self._paths = _paths(own.roots)

    def __call__(self, text: str) -> str:
        """The text without what is private. Of a path the name of the file is left."""
        for key in sorted(self._keys(), key=len, reverse=True):
            text = text.replace(key, GONE) if len(key) >= _SHORTEST_KEY else text
        text = _ADDRESS_PASSWORD.sub(GONE, _KEYS.sub(GONE, text))
        text = _GIVEN.sub(lambda found: found[0].replace(found["value"], GONE), text)
        if self._exact is not None:
            text = self._exact.sub(GONE, text)
        text = self._quoted.sub(_found, text)
        if self._home is not None:
            text = self._home.sub(_base, text)
        text = self._paths.sub(_found, text)
        return text if self._names is None else self._names.sub(_without_name, text)

    def rich(self, source: str) -> RichText:
        """Markdown as text with formats, without what is private: also what markup has hidden in the source."""
        found = rich(self(source))
        text = self(found.text)
        spans = tuple(each for each in found.spans if self(each.value) == each.value)
        before = _alike(found.text, text)
        after = _alike(reversed(found.text[before:]), reversed(text[before:]))
        whole = replace(found, spans=spans)
        end, size = len(text) - after, len(found.text)
        return whole.part(0, before) + RichText(text[before:end]) + whole.part(size - after, size)


def _alike(first: Iterable[str], second: Iterable[str]) -> int:
    """How many characters are the same before the first one that is not."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _names(own: Own) -> re.Pattern[str] | None:
    """Finds the names. One of letters only counts where an account or a machine is named, any other everywhere."""
    names = {each for each in (own.account, own.machine) if _tells(each)}
    words = "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
    if not words:
        return None
    # A name is followed by Korean particles, but not by more of a name.
    alone = "|".join(re.escape(each) for each in sorted(names) if not each.isalpha())
    end = "(?![A-Za-z0-9_-])"
    one, begin = rf"(?:{words}){end}", r"(?<![\w.-])"
    places = (
        rf"(?P<before>{_ACCOUNT_OF}){one}(?:(?P<between>[ :]){one})?"
        rf"|{begin}{one}(?P<at>@){one}|{begin}{one}(?P<behind>{_OF_ACCOUNT})"
    )
    return re.compile(rf"{_WEB}|{places}" + (rf"|{begin}(?:{alone}){end}" if alone else ""))


def _without_name(found: re.Match[str]) -> str:
    if found["web"]:
        return found["web"]
    between = found["between"] or found["at"]
    return f"{found['before'] or ''}{GONE}{between + GONE if between else ''}{found['behind'] or ''}"


def _paths(own_roots: Iterable[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Finds paths in quotes, which may have spaces, and any others."""
    found = [re.escape(each) for each in own_roots if each not in _EVERYWHERE]
    roots = rf"(?:/(?:{'|'.join([_ROOTS, *found])})|/root|{_SHARED}/{_PART}/{_PART})"
    quoted = rf"(?<=[\"'`])(?:{roots}/|[A-Za-z]:[\\/]|\\\\)[^\"'`\n]+(?=[\"'`])"
    others = (
        _WEB + r"|file:///?[^\s\"'<>]+"
        rf"|(?<![\w/.~$%}})]){roots}(?:/{_WRITTEN})+/?"
        rf"|(?<![\w/])(?:[A-Za-z]:|\\\\{_PART})(?:[\\/](?:{_SPACED}))+[\\/]?"
    )
    return re.compile(quoted), re.compile(others)


def _home(home: str) -> re.Pattern[str] | None:
    """Finds paths in the user's folder, whose name may have spaces."""
    if len(home.strip("/\\")) < _SHORTEST_HOME:
        return None
    start = r"[\\/]+".join(map(re.escape, re.split(r"[\\/]+", home.rstrip("/\\"))))
    more = rf"(?:[\\/]{_WRITTEN})+[\\/]?|(?![A-Za-z0-9_-])"
    return re.compile(rf"(?<![A-Za-z0-9_./-])(?:file:///?)?{start}(?:{more})", re.IGNORECASE)


def _found(found: re.Match[str]) -> str:
    """Addresses on the web and the system's own programs stay."""
    stays = found.groupdict().get("web") or _SYSTEM.match(found.string, found.start())
    return found[0] if stays else _base(found)


def _base(found: re.Match[str]) -> str:
    """The name of a path's file, behind an ellipsis for its folders; of a folder of an account not even its name."""
    parts = [each for each in re.split(r"[\\/]+", _ESCAPE.sub("", found[0].removeprefix("file:"))) if each]
    at = 1 if parts[0].endswith(":") else 0
    of_account = parts[at : at + 1] and parts[at].casefold() in ("home", "users")
    return f"…/{parts[-1]}" if len(parts) > at + (2 if of_account else 1) else "…"


def _tells(name: str) -> bool:
    return len(name) >= _SHORTEST_NAME and name.casefold() not in _COMMON
