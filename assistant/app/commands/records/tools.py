"""``sori tools``: which tools run without a question, and what is always allowed (X-05)."""

import argparse
from typing import TYPE_CHECKING

from assistant.app.cli.asking import carry_out
from assistant.core.display.table import aligned
from assistant.core.service.requests.grants import ForgetGrants, LastingGrants, LetToolsAsk, ListGrants, SwitchTools
from assistant.core.texts import Texts
from assistant.host.places import Places

if TYPE_CHECKING:
    from assistant.engine.serving.hub import Hub
    from assistant.engine.serving.table import Domain


_TITLE = "tool.name."


def run(places: Places, texts: Texts, arguments: argparse.Namespace) -> int:
    """List the tools that run unasked, let some ask or not, or switch some off or on; returns the exit status.

    Raises:
        RefusedError: there is no such tool, nothing of this name is always allowed, or the choice cannot be kept.
    """

    def part(_: "Hub") -> "Domain":
        from assistant.engine.domains.grants import LastingDecisions
        from assistant.tools.grants import GrantFile

        return LastingDecisions(GrantFile(places.grants), lambda: own_tools(texts))

    names = tuple(arguments.names or ())
    match arguments.action:
        case "ask" | "unask":
            request: LetToolsAsk | SwitchTools | ForgetGrants | ListGrants = LetToolsAsk(
                tools=names, asks=arguments.action == "ask"
            )
        case "on" | "off":
            request = SwitchTools(tools=names, on=arguments.action == "on")
        case "forget":
            request = ForgetGrants(keys=names)
        case _:
            request = ListGrants()
    for line in lines(carry_out(places, texts, part, request), texts):
        print(line)
    return 0


def lines(grants: LastingGrants, texts: Texts) -> list[str]:
    """The tools with whether each asks, and what is always allowed."""
    rows = [
        (
            name,
            texts(f"tool.name.{name}") if f"tool.name.{name}" in texts else "",
            texts("console.tool_asks" if asks else "console.tool_runs"),
        )
        for name, asks in grants.asks.items()
    ]
    always = []
    for key in grants.always:
        kind, _, name = key.partition(":")
        always.append(f"  {key}  {texts(f'ask.scope.{kind}', name=name)}")
    told = [texts("cli.tools.unasked"), "", *aligned(rows), "", texts("cli.tools.when")]
    if always:
        told += ["", texts("cli.tools.always"), "", *always]
    if grants.off:
        told += ["", texts("cli.tools.switched_off"), "", *(f"  {each}" for each in grants.off)]
    return told


def own_tools(texts: Texts) -> tuple[str, ...]:
    """The names of Sori's own tools: each has a title. Those of MCP servers are known only while an engine runs."""
    from assistant.tools.catalogue.enabled import Enabled
    from assistant.tools.catalogue.own_tools import catalogue_tools

    needed = {each.name for each in catalogue_tools(tuple, Enabled())}  # They find the others, and are never off.
    named = {each.removeprefix(_TITLE) for each in texts.keys if each.startswith(_TITLE)}
    return tuple(sorted(named - needed))
