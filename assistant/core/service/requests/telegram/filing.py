"""The request by which a chat's file becomes one of a project (G-03)."""

from assistant.core.messages import Attachment
from assistant.core.service.request import Request, Right


class FileIntoProject(Request[str], right=Right.OWN):
    """Keep files in a project, if a message of a linked chat asks for that and for nothing else.

    The result is what was done, in the user's words; empty if the message asks for something else.

    Attributes:
        chat: Telegram's id of the chat.
        text: the message.
        files: its files; without any, those of the newest message of the conversation that has some.
    """

    chat: int
    text: str
    files: tuple[Attachment, ...] = ()
