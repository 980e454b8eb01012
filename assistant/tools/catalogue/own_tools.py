"""The tools of the catalogue itself: ``tools.list``, ``tools.enable`` and ``tools.reset``.

Their names are ``list_tools``, ``enable_tools`` and ``reset_tools``, because servers accept no dot in a name. Enabling
a tool permits nothing: only permitted tools are in the catalogue, and the gate decides about each call.
"""

from collections.abc import Callable, Sequence

from assistant.core.permissions import Category
from assistant.tools.catalogue.enabled import MOST, Enabled
from assistant.tools.catalogue.search import first_sentence, search
from assistant.tools.signature import tool_of
from assistant.tools.tool import Tool, ToolError

_MOST_FOUND = 8
_MOST_LISTED = 100
_MOST_SHOWN = 200
"""Characters of a description."""


def catalogue_tools(others: Callable[[], Sequence[Tool]], enabled: Enabled) -> tuple[Tool, ...]:
    """The tools that list, enable and disable other tools.

    Args:
        others: gives the permitted tools that are not always offered.
        enabled: the enabled tools of the conversation.
    """

    async def list_tools(query: str = "") -> str:
        """Finds further tools by words for what is wanted. Look here before you say that you cannot do something.

        Args:
            query: what the tool is to do, in a few words; empty for the names of all further tools.
        """
        tools = others()
        if not query.strip():
            names = ", ".join(map(_name, tools[:_MOST_LISTED]))
            more = f" and {len(tools) - _MOST_LISTED} more" if len(tools) > _MOST_LISTED else ""
            return f"Further tools: {names}{more}." if tools else "There are no further tools."
        found = [each.tool for each in search(query, tools)[:_MOST_FOUND]]
        if not found:
            return f"None of the {len(tools)} further tools fits. Try other words, or none for the names of all."
        return "\n".join(f"- {_name(tool)}: {first_sentence(tool)[:_MOST_SHOWN]}" for tool in found)

    async def enable_tools(names: list[str]) -> str:
        """Enables tools that list_tools named. From your next step on you can call them, for some turns.

        Args:
            names: the names of the tools.
        """
        tools = others()
        known = {tool.name for tool in tools}
        wanted = [name for name in dict.fromkeys(names) if name in known]
        unknown = [name for name in dict.fromkeys(names) if name not in known]
        if len(wanted) > MOST:
            raise ToolError("tool_reason.too_many_tools", most=MOST)
        if unknown and not wanted:
            raise ToolError("tool_reason.no_tool", names=", ".join(_alike(unknown, tools)) or "-")
        enabled.add(wanted)
        said = f"You can call now: {', '.join(wanted)}." if wanted else "Nothing was to be enabled."
        return f"{said} Unknown: {', '.join(unknown)}. {_meant(unknown, tools)}" if unknown else said

    async def reset_tools() -> str:
        """Disables all tools that were enabled in this conversation."""
        enabled.reset()
        return "Only the usual tools are offered now."

    def _name(tool: Tool) -> str:
        return f"{tool.name} (enabled)" if tool.name in enabled.names else tool.name

    return tuple(
        tool_of(each, category=Category.SAFE, idempotent=True) for each in (list_tools, enable_tools, reset_tools)
    )


def _alike(unknown: Sequence[str], tools: Sequence[Tool]) -> list[str]:
    return [each.tool.name for each in search(" ".join(unknown), tools)[:_MOST_FOUND]]


def _meant(unknown: Sequence[str], tools: Sequence[Tool]) -> str:
    meant = _alike(unknown, tools)
    return f"Perhaps you mean: {', '.join(meant)}." if meant else "Call list_tools first."
