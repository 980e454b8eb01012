"""The file ``agent.toml``: what an agent is called, may do and answers with. Pure."""

import json
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from assistant.core.configuration.parsing import parse_table
from assistant.core.errors import SettingsError
from assistant.core.formats.toml_text import line_of, line_of_value
from assistant.core.permissions import Category, Permissions

EVERY_TOOL = "*"
"""In ``tools``: every tool that the categories permit."""

Placement = Literal["newest", "replace"]
EntryValue = str | tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFile:
    """The entries of ``agent.toml``.

    Attributes:
        display_name: the name that the user reads; empty for the name of the folder.
        permitted: the categories of tools that the agent may use (X-05).
        tools: the names of the tools that it may use within its categories; ``*`` for all of them.
        model: the reference of its model; empty for that of the settings (P-23).
        wake_phrase: the words that wake it, in Korean or English; empty for none (V-06).
        wake_spellings: further spellings of the wake phrase, in which the recogniser hears it.
        voice: the name of its voice, or one for each language separated by commas; empty for that of the settings.
        placement: the place of ``prompt.md``: above the newest message, or instead of the system prompt (C-03).
    """

    display_name: str = ""
    permitted: tuple[str, ...] = (Category.SAFE.value,)
    tools: tuple[str, ...] = (EVERY_TOOL,)
    model: str = ""
    wake_phrase: str = ""
    wake_spellings: tuple[str, ...] = ()
    voice: str = ""
    placement: Placement = "newest"

    def permissions(self, unasked: Collection[str]) -> Permissions:
        """The permissions; ``unasked`` names the sensitive tools that run without a confirmation."""
        return Permissions(categories=frozenset(map(Category, self.permitted)), unasked=frozenset(unasked))

    @property
    def tool_names(self) -> frozenset[str] | None:
        """The names of the permitted tools; ``None`` for every tool."""
        return None if EVERY_TOOL in self.tools else frozenset(self.tools)


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultAgentFile(AgentFile):
    """The entries of the default agent: it may use sensitive tools unless its file says otherwise."""

    permitted: tuple[str, ...] = (Category.SAFE.value, Category.SENSITIVE.value)


def parse_agent(text: str, *, default: bool = False) -> AgentFile:
    """Parse the text of ``agent.toml``.

    Args:
        text: the text.
        default: whether it belongs to the default agent.

    Raises:
        SettingsError: the text is not TOML, or a key or value is not valid. The error names the line.
    """
    parsed = parse_table(DefaultAgentFile if default else AgentFile, text)
    known = [each.value for each in Category]
    for category in parsed.permitted:
        if category not in known:
            line = line_of_value(text.splitlines(), "permitted", category)
            raise SettingsError("choice", line=line, path="permitted", value=repr(category), choices=", ".join(known))
    return parsed


def with_values(text: str, values: Mapping[str, EntryValue]) -> str:
    """The text of a TOML file with these values on the top level. Comments and other lines stay as they are.

    Raises:
        SettingsError: the text is not TOML.
    """
    lines = text.splitlines()
    for key, value in values.items():
        written = f"{key} = {_toml(value)}"
        first = line_of(lines, key)
        if first:
            lines[first - 1 : _end_of(lines, first)] = [written]
        else:
            # Keys of the top level precede the first table.
            lines.insert(
                next((at for at, line in enumerate(lines) if line.lstrip().startswith("[")), len(lines)), written
            )
    return "".join(f"{line}\n" for line in lines)


def new_file(values: Mapping[str, EntryValue]) -> str:
    """The text of an ``agent.toml`` with the given values; the other keys are comments with their defaults."""
    defaults = AgentFile()
    lines = []
    for each in fields(AgentFile):
        given = values.get(each.name)
        value = getattr(defaults, each.name) if given is None else given
        lines.append(f"{'# ' if given is None else ''}{each.name} = {_toml(value)}\n")
    return "".join(lines)


def _end_of(lines: Sequence[str], first: int) -> int:
    """Number of the last line of the value that begins on line ``first``."""
    for end in range(first, len(lines) + 1):
        try:
            tomllib.loads("\n".join(lines[first - 1 : end]))
        except tomllib.TOMLDecodeError:
            continue
        return end
    raise SettingsError("toml", line=first, reason="value")


def _toml(value: EntryValue) -> str:
    # A TOML text is written as in JSON, apart from the delete character.
    return json.dumps(value if isinstance(value, str) else list(value), ensure_ascii=False).replace("\x7f", "\\u007f")
