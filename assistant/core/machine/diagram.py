"""Generates ``docs/state-machine.md`` from the table of the interaction machine."""

from assistant.core.machine.interaction import TABLE, Rule
from assistant.core.machine.states import InteractionState


def mermaid() -> str:
    """The machine as a Mermaid state diagram, with one arrow for each rule that changes the interaction state.

    The label of an arrow is the event, the guard in brackets, and the new session state after a slash. Intermediate
    states are named before the event.
    """
    lines = ["stateDiagram-v2", f"    [*] --> {InteractionState.IDLE}"]
    for state, rows in TABLE.items():
        for event, rules in rows.items():
            lines.extend(f"    {state} --> {rule.path[-1]}: {_label(event, rule)}" for rule in rules if rule.path)
    return "\n".join(lines)


def table() -> str:
    """Every rule as a Markdown table, in the order in which guards are tried."""
    lines = ["| state | event | when | goes to | session becomes | what is done |", "|---|---|---|---|---|---|"]
    for state, rows in TABLE.items():
        for event, rules in rows.items():
            for rule in rules:
                path = " → ".join(rule.path) or "stays"
                done = rule.act.__name__.replace("_", " ") + (", defer" if rule.defers else "")
                session = rule.session or ""
                lines.append(f"| {state} | {event.__name__} | {rule.when.name} | {path} | {session} | {done} |")
    return "\n".join(lines)


def _label(event: type, rule: Rule) -> str:
    guard = f" [{rule.when.name}]" if rule.when.name else ""
    session = f" / {rule.session}" if rule.session else ""
    through = "".join(f"{state}, " for state in rule.path[:-1])
    return f"{through and f'via {through}'}{event.__name__}{guard}{session}"


def document() -> str:
    """The content of ``docs/state-machine.md``."""
    return (
        "# The interaction machine\n\n"
        "Generated from `assistant/core/machine/interaction.py` by `python -m assistant.app.cli.state_machine_page`; "
        "a test fails when this page and the table differ.\n\n"
        f"```mermaid\n{mermaid()}\n```\n\n{table()}\n"
    )
