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
        off: whether the user has switched it off. Then no model is told of it, and no call runs.
    """

    name: str
    category: Category
    offered: bool
    told: bool
    asks: bool
    off: bool = False
