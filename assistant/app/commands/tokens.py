"""``sori tokens``: who may call Sori over HTTP. ``sori web``: a link that signs the user's browser in."""

import argparse
import socket

from assistant.core.addresses import LOOPBACK
from assistant.core.display.table import fitting
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import Right
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.tokens import CODE_S, TokenFile

_COLUMNS = ("name", "right", "categories", "added")
_BROWSER = "browser"
_WAIT_S = 0.5


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """List the tokens, make one or revoke one; returns the exit status.

    Raises:
        SoriError: the name cannot be used, has a token already, or has none.
        StorageError: the file of the tokens cannot be written.
    """
    tokens = TokenFile(places.tokens, SystemClock())
    match arguments.action:
        case "add":
            return _add(tokens, settings, texts, arguments)
        case "revoke":
            if not tokens.revoke(arguments.name):
                raise _unknown(arguments.name, tokens)
            print(texts("tokens.revoked", name=arguments.name))
            return 0
        case _:
            return _list(tokens, texts)


def sign_in(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Print a link that signs a browser in, once; returns the exit status.

    Raises:
        SoriError: HTTP is off, or nobody listens.
    """
    _check_on(settings)
    if not _listens(settings.http.port):
        detail = f"nobody listens on port {settings.http.port}"
        values = {"port": str(settings.http.port)}
        raise SoriError(ErrorCode.NETWORK, detail, message_key="http_not_running", values=values)
    tokens = TokenFile(places.tokens, SystemClock())
    code = tokens.add_code(Caller(name=_BROWSER, right=Right.MANAGE, categories=_categories(arguments.categories)))
    print(texts("tokens.link", minutes=CODE_S // 60))
    print(f"http://{LOOPBACK}:{settings.http.port}/#code={code}")
    return 0


def _add(tokens: TokenFile, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    right = Right.MANAGE if arguments.manage else Right.USE
    caller = Caller(name=arguments.name, right=right, categories=_categories(arguments.categories))
    secret = tokens.add(caller)
    print(texts("tokens.added", name=caller.name, right=texts(f"tokens.right.{right}"), categories=_named(caller)))
    print(secret)
    print(texts("tokens.once"))
    if not settings.http.enabled:
        print(texts("tokens.off"))
    return 0


def _list(tokens: TokenFile, texts: Texts) -> int:
    if damage := tokens.damage:
        print(texts("tokens.damaged", reason=damage))
    callers = tokens.all()
    if not callers:
        print(texts("tokens.none"))
        return 0
    heads = [texts(f"tokens.column.{each}") for each in _COLUMNS]
    rows = [[each.name, texts(f"tokens.right.{each.right}"), _named(each), each.added_at[:10]] for each in callers]
    for line in fitting([heads, *rows]):
        print(line)
    return 0


def _named(caller: Caller) -> str:
    return ", ".join(each for each in Category if each in caller.categories)


def _categories(given: str) -> frozenset[Category]:
    """The categories of a list with commas; each one includes nothing but itself.

    Raises:
        SoriError: there is no such category.
    """
    names = [each.strip() for each in given.split(",") if each.strip()]
    wrong = [each for each in names if each not in {*Category}]
    if wrong or not names:
        values = {"value": ", ".join(wrong), "known": ", ".join(Category)}
        raise SoriError(
            ErrorCode.INVALID_REQUEST, f"no categories: {given}", message_key="token_categories", values=values
        )
    return frozenset(map(Category, names))


def _check_on(settings: Settings) -> None:
    if not settings.http.enabled:
        raise SoriError(ErrorCode.SETTINGS, "HTTP is off", message_key="http_off")


def _listens(port: int) -> bool:
    try:
        socket.create_connection((LOOPBACK, port), timeout=_WAIT_S).close()
    except OSError:
        return False
    return True


def _unknown(name: str, tokens: TokenFile) -> SoriError:
    values = {"name": name, "known": ", ".join(each.name for each in tokens.all()) or "–"}
    return SoriError(ErrorCode.INVALID_REQUEST, f"no token {name!r}", message_key="token_unknown", values=values)
