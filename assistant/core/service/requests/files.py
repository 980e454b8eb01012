"""Requests for files that are to go with a message."""

from dataclasses import dataclass

from assistant.core.messages import Attachment
from assistant.core.service.request import Request
from assistant.core.service.requests.models import FileWarning


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
    """

    conversation: str
    file: Attachment
    id: str = ""
