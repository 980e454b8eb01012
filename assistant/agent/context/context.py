"""Composes what a model is sent, so that its beginning stays the same from turn to turn (C-01, C-03, C-05, C-08).

Servers reuse their work on a prompt as far as its first bytes equal those of the previous prompt. So nothing near the
beginning may change from turn to turn: the system prompt gives the date, not the time. What belongs to the newest
message only, the agent's custom prompt, the project's files and reminders, stands at the end and moves with it.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from assistant.agent.context.file_room import within_room
from assistant.agent.context.flow_exchanges import of_flows
from assistant.agent.context.materials import MEMORIES, Materials, SectionKind
from assistant.agent.context.model_form import documents_in, from_earlier_attempt, to_model, with_all_results
from assistant.agent.context.notes import notes_before
from assistant.agent.context.sections import (
    KEPT_MESSAGES,
    Section,
    inserted_section,
    message_sections,
    note_section,
    size_of,
    system_of,
    system_sections,
)
from assistant.agent.context.tokens import estimated_tokens, tokens_of
from assistant.agent.context.window import coherent_from, first_in_steps
from assistant.agent.context.wording import written_date
from assistant.core.messages import Message, Role
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """One composed context.

    Attributes:
        system: the system prompt.
        talk: the messages of the conversation.
        inserted: messages just above the user's newest message: the agent's custom prompt, then the project's files.
        newest: index in ``talk`` before which they stand.
        reminders: messages that follow everything, also the calls and results of the running turn (C-05).
        size: size in characters, files included.
        dropped: how many messages of the window were left out because of the size.
        shortened: names of the files that were cut or left out because of the size.
        sections: the sections of the context, in order.
    """

    system: str
    talk: tuple[ModelMessage, ...] = ()
    inserted: tuple[ModelMessage, ...] = ()
    newest: int = 0
    reminders: tuple[ModelMessage, ...] = ()
    size: int = 0
    dropped: int = 0
    shortened: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()

    @property
    def messages(self) -> tuple[ModelMessage, ...]:
        """The messages before those of the running turn."""
        return (*self.talk[: self.newest], *self.inserted, *self.talk[self.newest :])

    @property
    def memories(self) -> int:
        """Size of the memories in characters."""
        return size_of(section for section in self.sections if section.part in MEMORIES)


def compose(materials: Materials, texts: Texts, *, max_size: int) -> Context:
    """Compose a context.

    Args:
        materials: what it is composed of.
        texts: texts of sections and notes.
        max_size: maximum size of the context in characters. The oldest messages are left out if needed.
    """
    fixed = system_sections(_system_texts(materials, texts))
    _number_files(materials)
    inserted = _inserted(materials, texts)
    reminders = _reminders(materials, texts)
    standing = len(system_of(fixed)) + size_of((*inserted, *reminders))
    room = max_size - standing
    first = first_in_steps(materials.history, room, materials.files)
    begin = coherent_from(materials.history, first)
    kept = materials.history[begin:]
    asked = _newest_question(kept)
    noted = (
        notes_before(kept[: asked + 1], texts, small=materials.small, about_sori=materials.about_sori)
        if materials.notes
        else {}
    )
    left_out = of_flows(kept[:asked]) if materials.small else frozenset()
    talk, files = _without(left_out, message_sections(kept)), materials.files
    shortened: tuple[str, ...] = ()
    if files:
        files, shortened = within_room(kept, files, room - size_of(talk), texts)
        talk = _without(left_out, message_sections(kept, files))
    messages, newest = _messages(kept, asked, replace(materials, files=files), texts, noted, left_out)
    return Context(
        system=system_of(fixed),
        talk=messages,
        inserted=tuple(_as_message(section) for section in inserted),
        newest=newest,
        reminders=tuple(_as_message(section) for section in reminders),
        size=standing + size_of(talk),
        dropped=begin if first else 0,
        shortened=shortened,
        sections=(*fixed, *_in_order(talk, noted, inserted, asked), *reminders),
    )


def _without(left_out: Collection[int], sections: Iterable[Section]) -> tuple[Section, ...]:
    return tuple(each for each in sections if each.message not in left_out)


def _system_texts(materials: Materials, texts: Texts) -> dict[SectionKind, str]:
    own = materials.agent_prompt
    base = own.text if own is not None and own.replaces_system else materials.base_prompt
    now = materials.now
    return {
        SectionKind.PROMPT: base.strip(),
        SectionKind.TOOLS: materials.tools,
        SectionKind.PERSONA: texts("context.persona", persona=materials.persona.strip())
        if materials.persona.strip()
        else "",
        SectionKind.DATE: texts("context.date", date=written_date(now, texts.language), zone=_zone(now))
        if materials.dated
        else "",
        SectionKind.WORKSPACE_MEMORY: _remembered("context.workspace_memory", materials.workspace_memory, texts),
        SectionKind.AGENT_MEMORY: _remembered("context.agent_memory", materials.agent_memory, texts),
        SectionKind.PERSONAL_MEMORY: _remembered(
            "context.personal_memory_small" if materials.small else "context.personal_memory",
            materials.personal_memory,
            texts,
        ),
        SectionKind.SUMMARY: "\n".join(
            [
                *([texts("context.summary", summary=materials.summary)] if materials.summary else []),
                *([texts("context.orders", said=" / ".join(materials.orders))] if materials.orders else []),
            ]
        ),
        SectionKind.CITATIONS: texts("context.citations")
        if materials.searched or (materials.project and not materials.small)
        else "",
    }


def _remembered(key: str, facts: Sequence[str], texts: Texts) -> str:
    return texts(key, facts="\n".join(f"- {fact}" for fact in facts)) if facts else ""


def _inserted(materials: Materials, texts: Texts) -> tuple[Section, ...]:
    own = materials.agent_prompt
    above = {
        SectionKind.AGENT_PROMPT: own.text.strip() if own is not None and not own.replaces_system else "",
        SectionKind.PROJECT: _project(materials, texts),
    }
    return tuple(inserted_section(part, text) for part, text in above.items() if text)


def _project(materials: Materials, texts: Texts) -> str:
    """The project's files, with the rule that reminds of them. A small model is cited by code."""
    if not materials.project:
        return ""
    rule = texts("context.project_rule_small" if materials.small else "context.project_rule")
    lacks = texts("context.project_lacks", words=", ".join(materials.project_lacks)) if materials.project_lacks else ""
    files = texts("context.project", documents=materials.documents.json(materials.project))
    return "\n".join(filter(None, (files, rule, lacks)))


def _number_files(materials: Materials) -> None:
    """Number the documents in messages before all others, so that they keep their numbers from turn to turn (C-08)."""
    for message in materials.history:
        for document in documents_in(message, materials.files):
            materials.documents.number(document)


def _reminders(materials: Materials, texts: Texts) -> tuple[Section, ...]:
    cite = texts("context.citation_reminder") if materials.searched else ""
    text = "\n\n".join(filter(None, [cite, materials.reminder.strip()]))
    return (inserted_section(SectionKind.REMINDER, text),) if text else ()


def _as_message(section: Section) -> ModelMessage:
    return ModelMessage(role="user", text=section.text)


def _newest_question(kept: Sequence[Message]) -> int:
    """Index of the user's newest message; the number of messages where the user has none."""
    return max((index for index, message in enumerate(kept) if message.role is Role.USER), default=len(kept))


def _messages(
    kept: Sequence[Message],
    asked: int,
    materials: Materials,
    texts: Texts,
    noted: Mapping[int, str],
    left_out: Collection[int],
) -> tuple[tuple[ModelMessage, ...], int]:
    """The messages for the model, and the index of the user's newest message among them."""

    def sent(part: Sequence[Message], first: int) -> list[ModelMessage]:
        made = (
            to_model(
                message,
                texts,
                materials.files,
                noted.get(index, ""),
                materials.documents,
            )
            for index, message in enumerate(part, first)
            if index not in left_out
        )
        return [message for message in made if message is not None]

    done = [message for each in kept[asked + 1 :] if (message := from_earlier_attempt(each)) is not None]
    before = with_all_results(sent(kept[:asked], 0), texts)
    return (*before, *with_all_results([*sent(kept[asked : asked + 1], asked), *done], texts)), len(before)


def _in_order(
    talk: Sequence[Section], noted: Mapping[int, str], inserted: Sequence[Section], asked: int
) -> Iterator[Section]:
    for section in talk:
        if section.part is SectionKind.MESSAGE:
            if section.message == asked:
                yield from inserted
            if text := noted.get(section.message):
                yield note_section(text, section.message)
        yield section


def _zone(now: datetime) -> str:
    offset = now.strftime("%z")
    return f"UTC{offset[:3]}:{offset[3:5]}"


def fitted(compose_to: Callable[[int], Context], max_size: int, room: int) -> Context:
    """A context of at most ``room`` tokens. It may be larger when no more old messages can be left out.

    Args:
        compose_to: composes the context within a maximum size in characters.
        max_size: the first maximum size to try, in characters.
        room: maximum number of tokens.
    """
    context = compose_to(max_size)
    while (tokens := tokens_in(context)) > room and max_size > 1 and _may_shrink(context):
        max_size = max(1, min(int(context.size * room / tokens), max_size * 3 // 4))
        context = compose_to(max_size)
    return context


def _may_shrink(context: Context) -> bool:
    return len(context.talk) > KEPT_MESSAGES or any(each.part is SectionKind.FILES for each in context.sections)


def tokens_in(context: Context) -> int:
    """Estimate of the tokens in a context."""
    return estimated_tokens(context.system) + tokens_of((*context.messages, *context.reminders))
