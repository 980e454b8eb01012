"""What answers a message: from what the turn showed while it ran, and from what is stored of it after a restart."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from assistant.core import packets as pk
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.core.texts import Texts
from assistant.remote.telegram.form.markup import rich

_NOTES = frozenset({"only_in_app", "attachment_left_out"})
"""``Status.status`` of what the user has to know beside the answer: a call that the gate put before the user in the
app, a file that the model was not given."""

_ANEW = frozenset({pk.WERE_THOUGHTS, "asked_again"})
"""``Status.status`` after which the whole answer comes anew: what was shown were thoughts, or it was cut off."""
_COMMAND = "command"
"""``Status.status`` of a plain command, whose detail is no text for people."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer.

    Attributes:
        text: its Markdown.
        files: references and names of files that were made for it.
        buttons: labels, and what each sends.
    """

    text: str
    files: tuple[Attachment, ...] = ()
    buttons: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True, kw_only=True)
class Shown:
    """What a turn has shown so far.

    Attributes:
        text: the answer.
        block: which block of the turn its end is of.
        status: what the user waits for, in words; empty for nothing.
        tool: name of the tool that runs; empty for none.
        notes: what was refused and left out, in words.
        buttons: labels, and what each sends.
        failure: why it failed.
        finish: how it ended; empty while it runs.
        turn: id of the turn; empty before one runs.
    """

    text: str = ""
    turn: str = ""
    block: int = -1
    status: str = ""
    tool: str = ""
    notes: list[str] = field(default_factory=list)
    buttons: tuple[tuple[str, str], ...] = ()
    failure: pk.Failure | None = None
    finish: str = ""

    def say(self, text: str) -> None:
        """Let words of Sori's own be the whole answer."""
        self.finish, self.text = "complete", text

    def take(self, packet: pk.Packet) -> None:
        """Take the next packet."""
        match packet:
            case pk.AnswerDelta(turn_index=block, text=text):
                between = "\n\n" if self.text and block != self.block else ""
                self.text, self.block, self.status, self.tool = self.text + between + text, block, "", ""
            case pk.Status():
                self._take_status(packet.status, packet.detail)
            case pk.ToolCall(name=name):
                self.tool = name
            case pk.ToolResult():
                self.tool = ""
            case pk.FlowStep(event=pk.FLOW_DONE, payload=payload):
                # The engine lets no flow begin here that is not safe, so its confirmations may be pressed as well.
                self.buttons = tuple((each["label"], each["text"]) for each in payload.get("buttons", ()))
            case pk.Failure():
                self.failure = packet
            case pk.Done(finish=finish):
                self.finish = finish
            case _:
                pass

    def _take_status(self, status: str, detail: str) -> None:
        if status in _ANEW:
            self.text = ""
        if status in _NOTES:
            self.notes = [*dict.fromkeys((*self.notes, detail))]
        elif status != _COMMAND:
            self.status = detail


def stored_answer(messages: Iterable[Message], turn: str) -> Answer | None:
    """What is stored of the answer of a turn; ``None`` if it was cut off."""
    of_turn = [each for each in messages if each.turn == turn and each.role is not Role.USER]
    said = [each for each in of_turn if each.role is Role.ASSISTANT and each.is_spoken]
    if not said or said[-1].completion in (Completion.STREAMING, Completion.INCOMPLETE):
        return None
    # What was cut off comes anew in the next one.
    whole = [each for each in said if each.completion is not Completion.INCOMPLETE]
    text = "\n\n".join(each.text for each in whole if each.text)
    if said[-1].error_text and said[-1].completion is Completion.FAILED:
        text = "\n\n".join(filter(None, (text, said[-1].error_text)))
    files = tuple(file for each in of_turn if each.role is Role.TOOL for file in each.attachments)
    return Answer(text=text, files=files)


def told(answer: Answer | None, shown: Shown, texts: Texts) -> Answer:
    """The answer as it is sent: with what was refused, or what went wrong."""
    found = answer or Answer(text=shown.text)
    if shown.failure is not None:
        failed = f"{texts('telegram.chat.failed')}\n{shown.failure.message}"
        found = replace(found, text="\n\n".join(filter(None, (shown.text, failed))))
    said = found.text if _is_seen(rich(found.text).text) else ""
    text = "\n\n".join(filter(None, (said, *shown.notes)))
    silent = "stopped_early" if shown.finish == "cancelled" else "nothing"
    return replace(found, text=text or texts(f"telegram.chat.{silent}"), buttons=shown.buttons)


def _is_seen(text: str) -> bool:
    """Whether Telegram takes a text as one."""
    return any(each.isprintable() and not each.isspace() for each in text)
