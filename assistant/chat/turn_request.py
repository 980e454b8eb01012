"""The request of a turn: one message to answer."""

from dataclasses import dataclass, replace

from assistant.agent.profile import AgentProfile
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import MAX_MESSAGE_LENGTH, Attachment, Message, Role
from assistant.core.permissions import Category
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.requests.turns import AS_SET, TurnOptions
from assistant.storage.conversations import ConversationStore, Recent, Wanted, unknown_conversation
from assistant.storage.stored_message import storable
from assistant.tools.frozen_call import FrozenCall
from assistant.tools.taint import own_words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """One message to answer.

    Attributes:
        turn: the turn's id.
        conversation: the id of a stored conversation.
        text: the user's text.
        origin: where the text came from.
        attachments: the files of the message.
        again: answer the conversation's newest stored message instead.
        instead: id of a shown message of which the turn makes a new version: with ``again`` an answer, else a message
            of the user, whose files are kept if the request has none. The former version stays in the store.
        model: the reference of a model for this turn only, which answers alone; empty for the conversation's own.
        aloud: whether the answer is read aloud.
        profile: the agent that answers; ``None`` for the one to which the conversation belongs.
        can_ask: whether somebody can answer questions of the turn (``Ask``).
        continues: the turn whose message was the first half of this one. It is withdrawn. If it had effects, it stays,
            and ``rest`` is the message instead.
        rest: the second half of the message.
        typed: what of the text the user typed, where the rest came from elsewhere, such as a pipe; ``None`` if unknown.
        grant: what whoever asks may do.
        options: choices in place of the settings; a named provider is part of ``model``.
        call: a call that was refused elsewhere and that the user runs now, in place of an answer; ``None`` for none.
        reply: what was done by code for the message, which is the answer; empty for an answer that is to be found.
        scheduled: whether Sori itself asks at the time that the user has chosen. ``typed`` are the user's words.
    """

    turn: TurnId
    conversation: str
    text: str
    origin: Origin
    attachments: tuple[Attachment, ...] = ()
    again: bool = False
    instead: str = ""
    model: str = ""
    aloud: bool = False
    profile: AgentProfile | None = None
    can_ask: bool = False
    continues: TurnId | None = None
    rest: str = ""
    typed: str | None = None
    grant: Grant = OWNER
    options: TurnOptions = AS_SET
    scheduled: bool = False
    call: FrozenCall | None = None
    reply: str = ""

    @property
    def confined(self) -> bool:
        """Whether a program asks that may use only tools which need no consent. Nobody is asked for it."""
        return Category.SENSITIVE not in self.grant.categories

    def waits_for(self, running: "TurnRequest") -> bool:
        """Whether this turn waits for one that runs in its conversation; else it replaces it.

        Typed text waits, except for an answer to speech that is read aloud: typing interrupts that (V-16).
        """
        typed = self.origin is Origin.TEXT and not self.again and not self.instead
        return typed and not (running.origin is Origin.VOICE and running.aloud)

    def own_words(self, question: Message) -> str:
        """What of the message to answer are the user's own words: what was typed, or said, but not pasted (X-08).

        A stored message keeps whose words it has, whoever asks to answer it again; a program's request has none. What
        the user writes in a linked chat is the user's own, though it gives no commands with effects.
        """
        if self.confined and not self.scheduled and not self.grant.by_user:
            return ""
        if question.own_words is None and self.typed is not None:
            return self.typed
        is_spoken = question.own_words is None and self.origin is not Origin.TEXT
        return question.text if is_spoken else own_words_of(question)


def question_text(request: TurnRequest) -> str:
    """The text of a request's message in the form in which it is stored."""
    return storable(request.text).strip()


async def accepted(store: ConversationStore, request: TurnRequest, wanted: Wanted) -> tuple[Message, Recent | None]:
    """The message to answer: the new one, checked and stored, or the newest stored one.

    Args:
        store: keeps the conversation.
        request: the request.
        wanted: the part of the conversation that its turn needs.

    Returns:
        The message, and what its turn needs, if that was read.

    Raises:
        SoriError: the message cannot be answered or stored.
    """
    if request.again and not await store.exists(request.conversation):
        raise unknown_conversation()
    if request.again and request.instead:
        question = await store.rewind(request.conversation, request.instead)
        if question is None:
            raise _unknown_message()
        return question, None
    if request.again:
        newest = await store.newest_request(request.conversation)
        if newest is None:
            raise SoriError(ErrorCode.INVALID_REQUEST, "nothing to answer again", message_key="nothing_to_retry")
        await store.supersede(request.conversation)
        return newest, None
    text = question_text(request)
    edited = await _edited(store, request)
    kept = edited.attachments if edited is not None else ()
    if not text and not request.attachments and not kept:
        raise SoriError(ErrorCode.INVALID_REQUEST, "the message is empty", message_key="empty_message")
    if len(text) > MAX_MESSAGE_LENGTH:
        raise SoriError(
            ErrorCode.INVALID_REQUEST,
            "the message is too long",
            message_key="message_too_long",
            values={"length": str(len(text)), "limit": str(MAX_MESSAGE_LENGTH)},
        )
    files = tuple(replace(each, name=storable(each.name)) for each in request.attachments)
    said = Message(role=Role.USER, text=text, attachments=files or kept, turn=request.turn)
    own = _own_words(request, said, edited)
    if own != own_words_of(said):
        said = replace(said, own_words=own)
    outside = bool(said.attachments) or own != text
    return await store.ask(
        request.conversation, said, wanted, origin=request.origin, instead=request.instead, outside=outside
    )


async def _edited(store: ConversationStore, request: TurnRequest) -> Message | None:
    """The message of which the request makes a new version."""
    if not request.instead:
        return None
    edited = await store.message(request.instead)
    if edited is None or edited.role is not Role.USER or not await store.is_shown(request.conversation, edited.id):
        raise _unknown_message()
    return edited


def _own_words(request: TurnRequest, said: Message, edited: Message | None) -> str:
    """The user's own words in a new message. Words that an edited one had from others stay theirs."""
    own = request.own_words(said)
    if edited is None:
        return own
    foreign = {*edited.text.split()} - {*own_words_of(edited).split()}
    kept = [word for word in own.split() if word not in foreign]
    return own if len(kept) == len(own.split()) else " ".join(kept)


def _unknown_message() -> SoriError:
    return SoriError(ErrorCode.INVALID_REQUEST, "no such message is shown", message_key="unknown_message")
