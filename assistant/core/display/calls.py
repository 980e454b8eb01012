"""A tool's call as a person reads it: which tool of whom, and each of its arguments by its name in the user's language.

The exact form is ``visible_arguments``. Both show the same text, and neither hides a character.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from assistant.core.display.escaping import shortened_text, visible
from assistant.core.display.words import say
from assistant.core.texts import Texts

_MCP = "mcp_"
"""Begins the names of the tools of MCP servers."""
_MOST_BRIEF = 3
"""Arguments that stand in one line."""
_BRIEF_LENGTH = 60
_FIRST_GROUPED = 10_000


def tool_title(texts: Texts, tool: str, server: str = "") -> str:
    """A tool's name in the user's language. A tool of a server has its own name, without the server's.

    Args:
        texts: the user's texts.
        tool: its name in a call.
        server: its MCP server, if that is known; empty for Sori's own tools.
    """
    own = tool
    if tool.startswith(_MCP):
        own = tool.removeprefix(_MCP).removeprefix(f"{re.sub(r'[^a-z0-9]+', '_', server.lower()).strip('_')}_")
    words = visible(own.replace("_", " ").replace(".", " "), one_line=True)
    return say(texts, f"tool.name.{tool}", otherwise=say(texts, f"tool.step.{tool}", otherwise=words))


def done_words(texts: Texts, tool: str) -> str:
    """What a call of a tool has done, in the user's language; of a tool without such words, that it was used."""
    return say(texts, f"tool.did.{tool}", otherwise=texts("tool.used", tool=tool_title(texts, tool)))


def argument_label(texts: Texts, tool: str, name: str) -> str:
    """What an argument is, in the user's language; its own name where it is unknown, as those of servers may be."""
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().replace("-", "_")
    for key in (f"tool.argument.{tool}_{name}", f"tool.argument.{plain}"):
        if key in texts:
            return texts(key)
    return visible(name.replace("_", " "), one_line=True)


def argument_lines(
    texts: Texts, tool: str, arguments: Mapping[str, Any], *, whole: bool = False
) -> tuple[tuple[str, str], ...]:
    """The arguments, each with its label, as text with line breaks in which every character can be seen.

    Args:
        texts: the user's texts.
        tool: the tool's name.
        arguments: the arguments; what was left empty is not shown.
        whole: whether long texts are shown whole.
    """
    shown = ((name, _value(texts, tool, value)) for name, value in arguments.items())
    return tuple(
        (argument_label(texts, tool, name), visible(text if whole else shortened_text(text)))
        for name, text in shown
        if text
    )


def brief_call(texts: Texts, tool: str, arguments: Mapping[str, Any]) -> str:
    """The arguments in one line. A text speaks for itself; a number needs its unit, and a yes or no its label."""
    parts = []
    for name, value in arguments.items():
        text = visible(shortened_text(" ".join(_value(texts, tool, value).split()), _BRIEF_LENGTH), one_line=True)
        if text:
            named = isinstance(value, str) and not value.replace(".", "").isdigit()
            amount = f"tool.amount.{name}"
            if named:
                parts.append(text)
            elif amount in texts and not isinstance(value, bool):
                parts.append(texts(amount, value=text))
            else:
                parts.append(f"{argument_label(texts, tool, name)} {text}")
    return " · ".join(parts[:_MOST_BRIEF]) + (" …" if len(parts) > _MOST_BRIEF else "")


def _value(texts: Texts, tool: str, value: Any) -> str:
    """A value in words: lists by lines, an object by its fields."""
    match value:
        case None:
            return ""
        case bool():
            return texts("tool.yes" if value else "tool.no")
        case str():
            return value
        case int():
            # Thousands are set apart from 10,000 on, because people count the zeros of an amount.
            return str(value) if abs(value) < _FIRST_GROUPED else f"{value:,}"
        case float():
            return _value(texts, tool, int(value)) if value.is_integer() else str(value)
        case list() if all(isinstance(each, str | int | float) for each in value):
            return "\n".join(_value(texts, tool, each) for each in value)
        case dict() if value:
            return "\n".join(
                f"{argument_label(texts, tool, str(name))}: {_value(texts, tool, each)}" for name, each in value.items()
            )
        case _:
            return json.dumps(value, ensure_ascii=False) if value else ""
