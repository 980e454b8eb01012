"""Tools as they are listed for the user. ``assistant.tools`` has the tools."""

from dataclasses import dataclass

from assistant.core.permissions import Category


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedTool:
    """A tool of one agent.

    Attributes:
        name: its name.
        category: what it can affect.
        offered: whether a model is offered it at present.
        asks: whether each call needs a confirmation.
    """

    name: str
    category: Category
    offered: bool
    asks: bool
