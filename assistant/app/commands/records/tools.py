"""``sori tools``: which tools run without a question, and what is always allowed (X-05)."""

import argparse

from assistant.core.display.table import aligned
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.permissions import LOCAL_ASSISTANT
from assistant.core.texts import Texts
from assistant.host.places import Places
from assistant.tools.grants import GrantFile

UNASKED = tuple(sorted(LOCAL_ASSISTANT.unasked))


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """List the tools that run unasked, or let some ask, or no longer; returns the exit status.

    Raises:
        SoriError: there is no such tool, or nothing of this name is always allowed.
        StorageError: the choice cannot be kept.
    """
    grants = GrantFile(places.grants)
    names: list[str] = arguments.names or []
    match arguments.action:
        case "ask" | "unask":
            for name in names:
                if name not in UNASKED:
                    raise _unknown(name, UNASKED)
            grants.let_ask(names, asks=arguments.action == "ask")
        case "forget":
            known = tuple(each.key for each in grants.all())
            for name in names:
                if not grants.remove(name):
                    raise _unknown(name, known)
    for line in lines(grants, texts):
        print(line)
    return 0


def lines(grants: GrantFile, texts: Texts) -> list[str]:
    """The tools with whether each asks, and what is always allowed."""
    rows = [
        (name, texts(f"tool.name.{name}") if f"tool.name.{name}" in texts else "", _state(grants, name, texts))
        for name in UNASKED
    ]
    always = [f"  {each.key}  {texts(f'ask.scope.{each.kind}', name=each.name)}" for each in grants.all()]
    told = [texts("cli.tools.unasked"), "", *aligned(rows), "", texts("cli.tools.when")]
    return [*told, "", texts("cli.tools.always"), "", *always] if always else told


def _state(grants: GrantFile, name: str, texts: Texts) -> str:
    return texts("console.tool_asks" if grants.asks(name) else "console.tool_runs")


def _unknown(name: str, known: tuple[str, ...]) -> SoriError:
    return SoriError(
        ErrorCode.INVALID_REQUEST,
        f"{name!r} is none of {known}",
        message_key="tool_unknown",
        values={"name": name, "known": ", ".join(known) or "-"},
    )
