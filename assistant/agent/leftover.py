"""What an exchange leaves to be done when it is over."""

from dataclasses import dataclass

from assistant.agent.model_choice import ModelChoice
from assistant.agent.summaries.summarizer import Compression


@dataclass(slots=True)
class Leftover:
    """Collects what is left for later, and is read when the exchange is over.

    Attributes:
        answering: the model that was opened last; ``None`` before one was.
        unread: whether Sori's own server was asked without the conversation, so that it has not read what was said.
        compression: what there may be to compress; ``None`` for nothing.
        weak: whether a gate stopped an answer of a small model, or one of its calls failed.
    """

    answering: ModelChoice | None = None
    unread: bool = False
    compression: Compression | None = None
    weak: bool = False
