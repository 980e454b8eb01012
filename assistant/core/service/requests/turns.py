"""Requests that begin, follow, stop and answer turns."""

from dataclasses import dataclass
from typing import Final

from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.service.request import Request
from assistant.core.service.requests.models import FileWarning
from assistant.core.settings import ReasoningEffort


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBegun:
    """A turn was taken on. Its message and its packets follow as events.

    Attributes:
        conversation: the conversation in which it runs.
        turn: its id.
        packets: number of its packets so far.
        over: whether it has ended.
    """

    conversation: str
    turn: TurnId
    packets: int = 0
    over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnOptions:
    """Choices for one turn, in place of the settings.

    Attributes:
        provider: the name of the provider that answers; empty for that of the model, the conversation or the settings.
        reasoning: whether the model thinks before it answers; ``None`` as ``reasoning_effort`` implies, or as set.
        reasoning_effort: effort of the thinking; ``None`` as set.
        temperature: sampling temperature; ``None`` as set.
        tools: whether the model may use tools.
    """

    provider: str = ""
    reasoning: bool | None = None
    reasoning_effort: ReasoningEffort | None = None
    temperature: float | None = None
    tools: bool = True


AS_SET: Final = TurnOptions()
"""No choices: the settings hold."""


class BeginTurn(Request[TurnBegun]):
    """Answer a typed message. The client follows the turn.

    If another turn runs in the conversation, this one waits for it (``Status`` ``waits``), unless that one answers what
    was said and is read aloud.

    Attributes:
        turn: the turn's id, a UUID of version 7 made by the client. A known turn is not begun again.
        conversation: the conversation's id.
        text: the message.
        attachments: its files.
        model: the reference of a model for this turn only, which then answers alone; empty for the conversation's own.
        aloud: whether the answer is read aloud; ``None`` for what the user has set for typed messages.
        can_ask: whether somebody at this client can answer questions of the turn.
        typed: what of the text the user typed, where the rest came from elsewhere, such as a pipe; ``None`` for all.
        options: choices in place of the settings.
    """

    turn: TurnId
    conversation: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    model: str = ""
    aloud: bool | None = None
    can_ask: bool = True
    typed: str | None = None
    options: TurnOptions = AS_SET


class AnswerAgain(Request[TurnBegun]):
    """Answer a stored message of the user again, without storing it twice. The former answer stays as a version.

    Attributes:
        turn: the new turn's id, made by the client.
        conversation: the conversation's id.
        message: id of a message of the answer that is replaced; empty for the answer to the newest message.
        model: the reference of a model for this turn only, which then answers alone; empty for the conversation's own.
        aloud: whether the answer is read aloud; ``None`` for what the user has set for typed messages.
        can_ask: whether somebody at this client can answer questions of the turn.
        options: choices in place of the settings.
    """

    turn: TurnId
    conversation: str
    message: str = ""
    model: str = ""
    aloud: bool | None = None
    can_ask: bool = True
    options: TurnOptions = AS_SET


class EditMessage(Request[TurnBegun]):
    """Replace a message of the user, and answer it. The former message stays as a version.

    Attributes:
        turn: the new turn's id, made by the client.
        conversation: the conversation's id.
        message: the message's id.
        text: its new text.
        attachments: its new files; empty to keep those it has.
        can_ask: whether somebody at this client can answer questions of the turn.
        options: choices in place of the settings.
    """

    turn: TurnId
    conversation: str
    message: str
    text: str
    attachments: tuple[Attachment, ...] = ()
    can_ask: bool = True
    options: TurnOptions = AS_SET


class FollowTurn(Request[TurnBegun]):
    """Send this client the packets of a turn, those it has missed and those to come.

    Attributes:
        turn: the turn's id.
        after: the number of the last packet that the client has; 0 for all. The user's message comes with all.
    """

    turn: TurnId
    after: int = 0


class StopTurn(Request[None]):
    """Stop this turn, in whichever conversation it runs.

    One that waits is taken back. One that is over is left as it is.

    Attributes:
        turn: the turn's id.
        heard: the beginning of its answer that the user heard, where the client itself reads it aloud: later turns tell
            the model only that, also if the turn is over. ``None`` if nothing was cut off.
    """

    turn: TurnId
    heard: str | None = None


class QuestionShown(Request[None]):
    """Tell that a person can see a question of a turn now (``Ask``): its time counts from the first such request.

    Attributes:
        turn: id of the turn that asks.
        question: the question's id.
        held: whether the person looks closely at it from now on, as with the mouse or the keyboard on it, so that its
            time does not count; ``False`` for no longer. ``None`` if it is only shown.
    """

    turn: TurnId
    question: str
    held: bool | None = None


class GiveAnswer(Request[None]):
    """Answer a question of a turn (``Ask``). Only the first answer counts, and only before the deadline.

    A later answer is refused with the reason ``question_over``.

    Attributes:
        turn: id of the turn that asks.
        question: the question's id.
        choice: one of the question's choices.
        text: the words of the choice ``ANSWER_TEXT``.
    """

    turn: TurnId
    question: str
    choice: str
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedFile:
    """What Sori has read of a file.

    Attributes:
        media_type: its kind, by its content.
        characters: length of its text; 0 for a file that goes to the model as it is, such as an image.
        tokens: tokens of its text, by the tokenizer of the model that answers, or an estimate.
        pages: number of its pages or slides; 0 for none.
        notes: what to know of it, in the user's words.
        failure: why it cannot go with the message; ``None`` if it can.
        for_project: whether it can be made a file of a project all the same, which is searched instead of sent whole.
    """

    media_type: str
    characters: int = 0
    tokens: int = 0
    pages: int = 0
    notes: tuple[str, ...] = ()
    failure: FileWarning | None = None
    for_project: bool = False


class PrepareFile(Request[PreparedFile]):
    """Store a file, read its text and count its tokens (K-01). ``FileReading`` tells how far it is.

    What was read is kept for an hour, so sending the file afterwards waits for nothing.

    Attributes:
        conversation: the conversation that it is for; empty for a new one.
        file: the file.
        id: the client's own id for it, which ``FileReading`` names.
        model: a model reference for this message alone; empty for the model of the conversation.
    """

    conversation: str
    file: Attachment
    id: str = ""
    model: str = ""
