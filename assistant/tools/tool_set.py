"""The tools that there are: the built-in ones, and those of sources that change while Sori runs."""

import logging
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator

from assistant.llm.reply.argument_check import check_schema
from assistant.tools.tool import Tool

ToolSource = Callable[[], Iterable[Tool]]
"""Gives the tools that there are at present, with schemas that were checked before. It must return at once."""

Arrival = Callable[[str, float], Awaitable[str]]
"""Waits for a missing tool of this name for at most so many seconds. Returns the name of the server that should bring
it and is not ready; empty if the tool is there, or if no server has it."""

log = logging.getLogger(__name__)


class ToolSet:
    """Finds tools by name and lists them in a fixed order: the built-in ones first, then those of each source.

    Args:
        tools: the built-in tools.

    Raises:
        ValueError: two tools have the same name, or a tool's schema is not valid.
    """

    def __init__(self, tools: Iterable[Tool] = ()) -> None:
        self._fixed: dict[str, Tool] = {}
        self._sources: list[ToolSource] = []
        self._arrivals: list[Arrival] = []
        self._names: frozenset[str] | None = None
        self._without: frozenset[str] = frozenset()
        for tool in tools:
            if tool.name in self._fixed:
                raise ValueError(f"two tools are named {tool.name}; rename one of them")
            if not tool.generated:
                _check_parameters(tool)
            self._fixed[tool.name] = tool

    def add_source(self, source: ToolSource, arrival: Arrival | None = None) -> None:
        """List the tools of a source too, also in sets that were narrowed before. A name that is taken is ignored.

        Args:
            source: gives the tools.
            arrival: waits for tools that the source does not have yet; ``None`` if it has all from the beginning.
        """
        self._sources.append(source)
        if arrival is not None:
            self._arrivals.append(arrival)

    async def await_tool(self, name: str, limit_s: float) -> str:
        """Wait for a tool that a starting server may bring; returns the server's name if it is not ready, else empty.

        Nothing is waited for if the tool is there and its server is ready, or if it is outside a narrowed set.
        """
        tool = self.get(name)
        if (tool is not None and not tool.arriving) or (self._names is not None and name not in self._names):
            return ""
        for arrival in self._arrivals:
            if server := await arrival(name, limit_s):
                return server
        return ""

    def narrowed(self, names: Collection[str] | None, *, projects: bool = True) -> "ToolSet":
        """The same tools, restricted.

        Args:
            names: the names of the tools that stay; ``None`` for all.
            projects: whether those stay that need a project.
        """
        narrowed = ToolSet()
        narrowed._fixed, narrowed._sources, narrowed._arrivals = self._fixed, self._sources, self._arrivals
        narrowed._names = self._names
        if names is not None:
            narrowed._names = frozenset(names) if self._names is None else self._names & frozenset(names)
        narrowed._without = self._without
        if not projects:
            narrowed._without |= {tool.name for tool in self._fixed.values() if tool.in_projects}
        return narrowed

    def get(self, name: str) -> Tool | None:
        """The tool of this name; ``None`` if there is none."""
        if name in self._without or (self._names is not None and name not in self._names):
            return None
        if name in self._fixed:
            return self._fixed[name]
        return next((tool for source in self._sources for tool in source() if tool.name == name), None)

    def __iter__(self) -> Iterator[Tool]:
        """All tools in order."""
        seen = set[str]()
        for tool in self._all():
            if tool.name in seen:
                log.warning("two tools are named %s; the first one is used", tool.name)
            elif tool.name not in self._without and (self._names is None or tool.name in self._names):
                yield tool
            seen.add(tool.name)

    def _all(self) -> Iterator[Tool]:
        yield from self._fixed.values()
        for source in self._sources:
            yield from source()


def _check_parameters(tool: Tool) -> None:
    try:
        check_schema(tool.parameters)
    except ValueError as error:
        raise ValueError(f"the parameters of the tool {tool.name} are not a valid JSON Schema: {error}") from error
