"""Tools as they are listed for the user. ``assistant.tools`` has the tools."""

from dataclasses import dataclass

from assistant.core.permissions import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool of one agent.

    Attributes:
        name: its name.
        category: what it can affect.
        offered: whether it is permitted and can be used at present.
        told: whether a model is told of it at present. It can find and enable the other permitted tools.
        asks: whether each call needs a confirmation.
    """

    name: str
    category: Category
    offered: bool
    told: bool
    asks: bool
