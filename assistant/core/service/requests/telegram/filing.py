"""The request by which a chat's file becomes one of a project (G-03)."""

from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment
from assistant.core.service.request import Request, Right


class FileIntoProject(Request[bool], right=Right.OWN):
    """Keep files in a project, if a message of a linked chat asks for that and for nothing else.

    The result is whether it asks for that. Then a turn has begun that answers the message with what was done.

    Attributes:
        chat: Telegram's id of the chat.
        conversation: the conversation of the message.
        turn: id of that turn, made by the client.
        text: the message.
        files: its files; without any, those of the newest message of the conversation that has some.
    """

    chat: int
    conversation: str
    turn: TurnId
    text: str
    files: tuple[Attachment, ...] = ()
