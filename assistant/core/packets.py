"""Packets: the typed output of a running turn (C-31).

``turn_index`` is the block of the answer that a packet belongs to: a stretch of answer text, a stretch of reasoning, or
one tool call with its result. Blocks never interleave. Their JSON form (``core/formats/json_form.py``) is a public
interface. ``PacketEmitted`` and the lines of ``chat --json`` carry the conversation and the turn of a packet.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from assistant.core.formats.json_form import to_json
from assistant.core.knowledge.passages import Citation
from assistant.core.machine.states import TurnId
from assistant.core.messages import MadeFile


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerDelta:
    """The answer grew by ``text``."""

    type: ClassVar[str] = "answer_delta"
    turn_index: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """The answer is about to cite a document for the first time: ``[n]`` follows in its text (K-04).

    A number in brackets that no such packet has named is plain text.

    Attributes:
        citation: what the number refers to.
    """

    type: ClassVar[str] = "cited"
    turn_index: int
    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta:
    """The model's reasoning grew by ``text``."""

    type: ClassVar[str] = "reasoning_delta"
    turn_index: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A tool runs with ``arguments``. A call that the gate refuses has only a ``ToolResult``."""

    type: ClassVar[str] = "tool_call"
    turn_index: int
    id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """A tool returned ``text``, and ``files`` that it has made for the user."""

    type: ClassVar[str] = "tool_result"
    turn_index: int
    id: str
    name: str
    text: str
    is_error: bool = False
    files: tuple[MadeFile, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """A status to show while the user waits: ``loading_model``, ``retrying``, ``command`` and others.

    Attributes:
        status: the name of the status.
        detail: text for the user.
        wait_s: for ``retrying``, seconds until the next attempt.
    """

    type: ClassVar[str] = "status"
    turn_index: int
    status: str
    detail: str = ""
    wait_s: float = 0.0


WERE_THOUGHTS = "were_thoughts"
"""``Status.status`` of an answer that was reasoning so far: front ends take it back, and it follows as such."""

WAITS = "waits"
"""``Status.status`` of a turn that waits for those before it in its conversation. Its message is not stored yet; until
then ``StopTurn`` takes it back, and its only other packet is ``Done``."""

WAITING_REASONS = frozenset({"model_on_its_way", "model_on_its_way_soon", "model_waits_for_network"})
"""Failure reasons that are no faults of the request, which is answered once the model has been fetched. The last one
promises nothing: nobody knows when there is a network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """The turn failed.

    Attributes:
        code: one of ``ErrorCode``.
        reason: the specific error within its code (``SoriError.reason``). For example, ``api_key_missing`` and
            ``authentication`` (a key was refused) both have the code ``authentication``.
        provider: name of the provider that failed; empty when none did.
        message: text for the user.
        retryable: whether the same request may succeed when repeated.
        offers: remedies to show, in this order: ``continue``, ``retry``, ``other_model``, ``api_key``.
        alternatives: references of models that could answer instead, as far as the settings name any. For
            ``other_model`` without alternatives, the list of all models is shown.
    """

    type: ClassVar[str] = "error"
    turn_index: int
    code: str
    message: str
    reason: str = ""
    provider: str = ""
    retryable: bool = False
    offers: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """The turn is over. Always the last packet.

    Attributes:
        finish: ``complete``, ``incomplete``, ``cancelled`` or ``failed``.
        usage: token counts as reported by the server, e.g. ``{"input": 12, "output": 30}``; empty when it reported
            none.
        first_token_ms: time from the request to the first piece of the answer; ``None`` when there was none.
    """

    type: ClassVar[str] = "done"
    turn_index: int
    finish: str
    provider: str = ""
    model: str = ""
    usage: dict[str, int] = field(default_factory=dict)
    first_token_ms: float | None = None


CONFIRM_TOOL = "confirm_tool"
"""``Ask.kind`` of the question whether a tool may run."""
ASK_YES_NO = "yes_no"
"""``Ask.kind`` of another question with yes or no, which came up while a tool runs."""
ASK_WORDS = "words"
"""``Ask.kind`` of a question that is answered with words. They go to the tool alone, and no packet repeats them."""
ANSWER_YES, ANSWER_NO = "yes", "no"
"""The choices of a yes-or-no question."""
ANSWER_LATE = "late"
"""What a client answers that has asked aloud and got no clear answer in time; the outcome of such a question."""
ANSWER_ALWAYS, ANSWER_NO_TO_ALL = "always", "no_to_all"
"""Further choices for a tool's call: yes to all of ``Ask.scope``, no to all questions of the turn."""
ANSWER_TEXT, ANSWER_SKIP = "text", "skip"
"""Further choices of a question that is answered with words: the answer's text comes with it, or there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """The turn asks the user a question and waits. ``Answered`` always follows.

    The time for an answer counts from when a person can see or hear the question, which ``AskShown`` tells. One that
    nobody sees within some minutes is over as well (``unseen``).

    Attributes:
        question: the question's id, a UUID.
        kind: kind of the question: ``CONFIRM_TOOL``, ``ASK_YES_NO`` or ``ASK_WORDS``.
        text: the question for the user, to be shown and spoken.
        choices: the possible answers. Without one (``ANSWER_LATE``), nothing runs.
        tool: name of the tool that is to run, or that runs.
        arguments: the exact arguments of the tool; of a question that came up later, what else is shown exactly.
        digest: SHA-256 of ``tool`` and ``arguments``. The call that runs has the same digest.
        within_s: seconds in which it must be answered.
        options: the texts from which words are chosen; empty for words of the user's own.
        because: why a call is asked about that usually runs unasked, in words that ``text`` holds too; else empty.
        scope: what ``ANSWER_ALWAYS`` covers, in words; empty where it is no choice.
        category: what the tool can affect (``Category``).
        server: name of the MCP server whose tool it is; empty for Sori's own.
        changeable: whether the user may say or write something else, which is a new message that changes what is asked
            about: a step of a guided flow.
    """

    type: ClassVar[str] = "ask"
    turn_index: int
    question: str
    kind: str
    text: str
    choices: tuple[str, ...]
    within_s: float
    tool: str = ""
    arguments: dict[str, Any] = field(default_factory=dict)
    digest: str = ""
    options: tuple[str, ...] = ()
    because: str = ""
    scope: str = ""
    category: str = ""
    server: str = ""
    changeable: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AskShown:
    """A person can see or hear a question, so that its time counts.

    A question can be shown again, with a later deadline: one that is read aloud while it is seen has its whole time
    when the reading has ended.

    Attributes:
        question: the question's id.
        deadline: time after which no answer counts, ISO 8601 with offset; empty while somebody looks closely at it, so
            that no time counts.
    """

    type: ClassVar[str] = "ask_shown"
    turn_index: int
    question: str
    deadline: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """A question is closed.

    Attributes:
        question: the question's id.
        outcome: the chosen answer, ``late`` when nobody answered in time, or ``cancelled`` when the turn was stopped.
    """

    type: ClassVar[str] = "answered"
    turn_index: int
    question: str
    outcome: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOffer:
    """The answer names a place where the user can go on: a page of the window, or a command.

    Attributes:
        page: the page, such as ``settings``, ``models`` or a name of the window's menu; empty where only the command
            leads there.
        title: what the page shows there, in the user's words.
        setting: the dotted name of the setting at which the page opens; empty for its beginning.
        command: the command for a terminal, such as ``sori settings get voice.speed``; empty for none.
    """

    type: ClassVar[str] = "page_offer"
    turn_index: int
    page: str
    title: str
    setting: str = ""
    command: str = ""


FLOW_DONE = "DONE"
"""``FlowStep.event`` of the last event of a guided flow's turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowStep:
    """An event of a guided flow (F-04). The text of its answer comes as ``AnswerDelta``.

    Attributes:
        event: ``AGENT_START``, ``AGENT_DONE``, ``ERROR`` or ``DONE``.
        payload: its data: ``agent``, ``label``; of ``DONE`` the message, the action, the state (``state_snapshot``),
            ``hooks``, ``buttons``, ``progress`` and what waits for a yes (``confirm``).
    """

    type: ClassVar[str] = "flow_step"
    turn_index: int
    event: str
    payload: dict[str, Any] = field(default_factory=dict)


Packet = (
    AnswerDelta
    | Cited
    | ReasoningDelta
    | Ask
    | AskShown
    | Answered
    | ToolCall
    | ToolResult
    | PageOffer
    | FlowStep
    | Status
    | Failure
    | Done
)


def goes_on(before: Packet, after: Packet) -> bool:
    """Whether a packet is more of the text that the packet before it has."""
    grows = isinstance(after, AnswerDelta | ReasoningDelta) and type(before) is type(after)
    return grows and before.turn_index == after.turn_index


def joined(parts: Sequence[Packet]) -> Packet:
    """One packet for parts of which each goes on with the one before."""
    deltas = [each for each in parts if isinstance(each, AnswerDelta | ReasoningDelta)]
    return replace(deltas[0], text="".join(each.text for each in deltas)) if len(parts) > 1 else parts[0]


def to_line(packet: Packet, *, conversation: str, turn: TurnId) -> dict[str, Any]:
    """The JSON form of a packet with its conversation and turn, as ``chat --json`` prints it."""
    told = to_json(Packet, packet)
    first = {"type": told.pop("type"), "turn_index": told.pop("turn_index")}
    return {**first, "conversation": conversation, "turn": turn, **told}
