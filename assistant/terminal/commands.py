"""The commands of the terminal: their names, arguments and groups. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from assistant.core.display.table import aligned
from assistant.core.texts import Texts


class Argument(StrEnum):
    """What may follow a command."""

    NONE = ""
    NUMBER = "number"
    """How many."""
    NUMBERED = "numbered"
    """The number of something that was listed."""
    WORDS = "words"
    TITLE = "title"
    READING = "reading"
    """What is read, or how it goes on."""
    CONVERSATION = "conversation"
    MODEL = "model"
    AGENT = "agent"
    WORKSPACE = "workspace"
    FILE = "file"
    MEMORY = "memory"
    MESSAGES = "messages"
    """A message, and whether all after it are meant too."""
    KEPT_FILE = "kept_file"
    """A file of the conversation, and where it is saved."""


class Group(StrEnum):
    """A part of the help."""

    ANSWERS = "answers"
    CONVERSATIONS = "conversations"
    AGENT = "agent"
    VOICE = "voice"
    TERMINAL = "terminal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command.

    Attributes:
        name: its name with the slash; the text ``console.command.NAME`` describes it.
        group: the part of the help that shows it.
        argument: what may follow it.
    """

    name: str
    group: Group
    argument: Argument = Argument.NONE


COMMANDS = (
    Command(name="/stop", group=Group.ANSWERS),
    Command(name="/regenerate", group=Group.ANSWERS, argument=Argument.MODEL),
    Command(name="/retry", group=Group.ANSWERS, argument=Argument.MODEL),
    Command(name="/edit", group=Group.ANSWERS, argument=Argument.NUMBERED),
    Command(name="/versions", group=Group.ANSWERS, argument=Argument.NUMBERED),
    Command(name="/version", group=Group.ANSWERS, argument=Argument.NUMBERED),
    Command(name="/attach", group=Group.ANSWERS, argument=Argument.FILE),
    Command(name="/save", group=Group.ANSWERS, argument=Argument.KEPT_FILE),
    Command(name="/copy", group=Group.ANSWERS),
    Command(name="/yes", group=Group.ANSWERS),
    Command(name="/no", group=Group.ANSWERS),
    Command(name="/always", group=Group.ANSWERS),
    Command(name="/none", group=Group.ANSWERS),
    Command(name="/whole", group=Group.ANSWERS),
    Command(name="/answer", group=Group.ANSWERS, argument=Argument.WORDS),
    Command(name="/skip", group=Group.ANSWERS),
    Command(name="/new", group=Group.CONVERSATIONS),
    Command(name="/conversations", group=Group.CONVERSATIONS, argument=Argument.NUMBER),
    Command(name="/open", group=Group.CONVERSATIONS, argument=Argument.CONVERSATION),
    Command(name="/search", group=Group.CONVERSATIONS, argument=Argument.WORDS),
    Command(name="/history", group=Group.CONVERSATIONS, argument=Argument.NUMBER),
    Command(name="/branch", group=Group.CONVERSATIONS, argument=Argument.NUMBERED),
    Command(name="/remove", group=Group.CONVERSATIONS, argument=Argument.MESSAGES),
    Command(name="/title", group=Group.CONVERSATIONS, argument=Argument.TITLE),
    Command(name="/export", group=Group.CONVERSATIONS, argument=Argument.FILE),
    Command(name="/delete", group=Group.CONVERSATIONS, argument=Argument.CONVERSATION),
    Command(name="/restore", group=Group.CONVERSATIONS),
    Command(name="/model", group=Group.AGENT, argument=Argument.MODEL),
    Command(name="/tools", group=Group.AGENT),
    Command(name="/mcp", group=Group.AGENT),
    Command(name="/agent", group=Group.AGENT, argument=Argument.AGENT),
    Command(name="/workspace", group=Group.AGENT, argument=Argument.WORKSPACE),
    Command(name="/memory", group=Group.AGENT, argument=Argument.MEMORY),
    Command(name="/voice", group=Group.VOICE),
    Command(name="/mute", group=Group.VOICE),
    Command(name="/read", group=Group.VOICE, argument=Argument.READING),
    Command(name="/help", group=Group.TERMINAL),
    Command(name="/quit", group=Group.TERMINAL),
)
BY_NAME: Mapping[str, Command] = {each.name: each for each in COMMANDS}


def split(line: str) -> tuple[str, str]:
    """The command of a line and its argument, without spaces around it."""
    name, _, argument = line.partition(" ")
    return name, argument.strip()


def description(command: Command, texts: Texts) -> str:
    """What a command does, in the user's words."""
    return texts(f"console.command.{command.name[1:]}")


def help_lines(texts: Texts, *, hears: bool = True) -> list[str]:
    """The help: the groups with their commands, and the keys; without the voice unless Sori ``hears``."""
    rows = [
        (f"  {each.name} {texts(f'console.argument.{each.argument}') if each.argument else ''}".rstrip(), each)
        for each in COMMANDS
    ]
    lines = aligned([(usage, description(each, texts)) for usage, each in rows])
    parts: list[str] = []
    for group in Group:
        if group is Group.VOICE and not hears:
            continue
        parts.append(texts(f"console.group.{group}"))
        parts += [line for line, (_, each) in zip(lines, rows, strict=True) if each.group is group]
    return [*parts, texts("console.keys")]
