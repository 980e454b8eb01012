"""The tools of one agent in one conversation: which of them a model is offered (X-12)."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from assistant.tools.catalogue.choice import SELECTED, SMALL_SELECTED, baseline_of, selected_by, without
from assistant.tools.catalogue.enabled import Enabled
from assistant.tools.catalogue.own_tools import catalogue_tools
from assistant.tools.catalogue.search import search
from assistant.tools.tool import Tool

_MOST_MEANT = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenTools:
    """The tools that a model is offered.

    Attributes:
        tools: those that stay from turn to turn, in an order that stays.
        selected: those that only this request has selected.
    """

    tools: tuple[Tool, ...]
    selected: tuple[Tool, ...] = ()


class Catalogue:
    """Chooses among the permitted tools.

    Args:
        permitted: gives the permitted tools in a fixed order.
        named: whether the agent names its tools. Then they are its baseline.
        enabled: the tools that are enabled in the conversation; ``None`` to offer all tools.
    """

    def __init__(self, permitted: Callable[[], tuple[Tool, ...]], *, named: bool, enabled: Enabled | None) -> None:
        self._permitted = permitted
        self._named = named
        self._enabled = enabled
        own = catalogue_tools(self._others, Enabled() if enabled is None else enabled)
        self._own = {tool.name: tool for tool in own}

    @property
    def enabled(self) -> tuple[str, ...]:
        """The names of the enabled tools."""
        return () if self._enabled is None else self._enabled.names

    def get(self, name: str) -> Tool | None:
        """The catalogue's own tool of this name; ``None`` if there is none."""
        return self._own.get(name)

    def chosen(self, *, small: bool = False, request: str = "", beside: bool = False) -> ChosenTools:
        """The tools to offer: the baseline, then the enabled ones.

        What the request seems to need is enabled, so that the model need not search for it.

        Args:
            small: whether the model is small.
            request: the user's request; empty to enable nothing.
            beside: whether the model is told of selected tools beside the request. Then nothing is enabled, and the
                tools that stay never change.
        """
        tools = self._permitted()
        if self._enabled is None:
            return ChosenTools(tools=tools)
        baseline = baseline_of(tools, small=small, named=self._named)
        others = without(tools, baseline)
        selected = selected_by(request, others, SMALL_SELECTED if small else SELECTED)
        if beside:
            return ChosenTools(tools=baseline, selected=selected)
        self._enabled.add([tool.name for tool in selected])
        found = {tool.name: tool for tool in others}
        names = self._enabled.newest(SMALL_SELECTED) if small else self._enabled.names
        own = () if small or not others else tuple(self._own.values())
        return ChosenTools(tools=(*baseline, *own, *(found[name] for name in names if name in found)))

    def note(self, names: Iterable[str]) -> None:
        """Enable the tools that are called, and renew those that are enabled."""
        if self._enabled is not None:
            others = {tool.name for tool in self._others()}
            self._enabled.add([name for name in names if name in others])

    def known(self, wrong: str) -> tuple[str, ...]:
        """The names to tell a model that called a tool which does not exist: what is offered, and what it may mean."""
        offered = self.chosen().tools
        meant = search(wrong, without(self._permitted(), offered))[:_MOST_MEANT]
        return tuple(tool.name for tool in (*offered, *(found.tool for found in meant)))

    def _others(self) -> tuple[Tool, ...]:
        """The permitted tools that a model which is not small is not always offered."""
        tools = self._permitted()
        return without(tools, baseline_of(tools, small=False, named=self._named))
