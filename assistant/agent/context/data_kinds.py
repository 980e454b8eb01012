"""Which kinds of user data a context holds, for the egress ledger (P-25). Pure."""

from collections.abc import Sequence

from assistant.agent.context.context import Context
from assistant.agent.context.materials import MEMORIES, SectionKind
from assistant.core.records.egress import DataClass
from assistant.llm.backend import ModelMessage

_OF_SECTIONS = {
    **dict.fromkeys(MEMORIES, DataClass.FACTS),
    SectionKind.PERSONA: DataClass.PERSONA,
    SectionKind.AGENT_PROMPT: DataClass.PERSONA,
    SectionKind.SUMMARY: DataClass.SUMMARY,
    SectionKind.PROJECT: DataClass.DOCUMENT,
}
_OF_TOOLS = {
    **dict.fromkeys(("list_notes", "read_note", "search_notes"), DataClass.NOTES),
    **dict.fromkeys(("find_person", "keep_person"), DataClass.PEOPLE),
    **dict.fromkeys(("list_files", "read_file", "read_clipboard"), DataClass.FILES),
    **dict.fromkeys(("search_project", "list_project_files", "read_project_file"), DataClass.DOCUMENT),
}
"""The tools whose results are told apart from those of others."""


def data_in(context: Context, added: Sequence[ModelMessage]) -> tuple[DataClass, ...]:
    """The kinds, each once, in the order of their declaration. Files and results of tools are told by the ledger.

    Args:
        context: the context.
        added: the messages that the turn has produced so far.
    """
    found = {DataClass.CONVERSATION}
    found |= {
        _OF_SECTIONS[section.part] for section in context.sections if section.part in _OF_SECTIONS and section.text
    }
    called = {call.name for message in (*context.messages, *added) for call in message.tool_calls}
    found |= {kind for name, kind in _OF_TOOLS.items() if name in called}
    return tuple(each for each in DataClass if each in found)
