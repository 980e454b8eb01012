"""What a context is composed of: the kinds of its sections, and the materials that they are made of. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from assistant.agent.context.model_form import Files
from assistant.core.documents import Document, TurnDocuments
from assistant.core.messages import Message


class SectionKind(StrEnum):
    """The content of a section, in the order of the sections in a context."""

    PROMPT = "prompt"
    TOOLS = "tools"
    PERSONA = "persona"
    DATE = "date"
    WORKSPACE_MEMORY = "workspace_memory"
    AGENT_MEMORY = "agent_memory"
    PERSONAL_MEMORY = "personal_memory"
    SUMMARY = "summary"
    CITATIONS = "citations"
    """Last in the system prompt, because it comes and goes within a conversation."""
    AGENT_PROMPT = "agent_prompt"
    PROJECT = "project"
    NOTE = "note"
    MESSAGE = "message"
    FILES = "files"
    REMINDER = "reminder"


MEMORIES = frozenset({SectionKind.WORKSPACE_MEMORY, SectionKind.AGENT_MEMORY, SectionKind.PERSONAL_MEMORY})
"""The sections that hold remembered facts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPrompt:
    """A custom prompt of an agent (C-03).

    Attributes:
        text: the prompt.
        replaces_system: whether it replaces the base prompt. Otherwise it is a user message just above the user's
            newest message, and moves with it.
    """

    text: str
    replaces_system: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Materials:
    """Everything that one context may contain. Empty parts are left out.

    Attributes:
        base_prompt: the base system prompt.
        history: the last messages of the conversation, oldest first; ``window`` gives their number. Messages after the
            user's newest message come from an earlier attempt to answer it. Of these the tool calls and their results
            are sent and the words are not.
        now: the present time, in the user's time zone.
        tools: description of the tools for a small model; follows the base prompt.
        persona: who the agent is.
        workspace_memory: facts of the workspace, oldest first.
        agent_memory: facts that belong to the agent, oldest first.
        personal_memory: facts about the user, oldest first.
        small: whether it is for a small model. The facts about the user are followed by the order to say that anything
            else is unknown, which it invents otherwise. Its notes give only the time.
        about_sori: facts about Sori for the newest message; they stand in its note.
        summary: summary of the messages before ``history``. It is in the system prompt and not a message, because some
            models demand that messages of the user and the assistant alternate.
        orders: the user's orders about the language of answers in those messages, which a summary may not contain.
        agent_prompt: the agent's custom prompt.
        project: the files of the project; they stand just above the user's newest message.
        project_lacks: words of the newest question of which the found passages of the project tell nothing.
        reminder: the user's own reminder; it follows all other messages (C-05).
        searched: whether a search tool was used in this turn. Then the system prompt has the section on citations, as
            for a project, and
            the reminder to cite follows all other messages.
        files: the encoded files of ``history``, from ``encoded_files``.
        documents: numbers the documents of the turn.
        dated: whether the system prompt gives the date. A very small model mistakes the date for the question.
        notes: whether messages of the user's get notes.
    """

    base_prompt: str
    history: Sequence[Message]
    now: datetime
    tools: str = ""
    persona: str = ""
    workspace_memory: Sequence[str] = ()
    agent_memory: Sequence[str] = ()
    personal_memory: Sequence[str] = ()
    small: bool = False
    about_sori: str = ""
    summary: str = ""
    orders: Sequence[str] = ()
    agent_prompt: AgentPrompt | None = None
    project: Sequence[Document] = ()
    project_lacks: Sequence[str] = ()
    reminder: str = ""
    searched: bool = False
    files: Files = field(default_factory=dict)
    documents: TurnDocuments = field(default_factory=TurnDocuments)
    dated: bool = True
    notes: bool = True
