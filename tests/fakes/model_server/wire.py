"""How one API words what a script says: the seam between a scripted model server and the wire formats it can speak."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from tests.fakes.model_server.script import RecordedRequest, Reply


class ReplyWords(Protocol):
    """One streamed answer in the words of an API; every piece is bytes of a body of server-sent events."""

    def opening(self) -> Iterable[bytes]:
        """What comes before the first token."""
        ...

    def tokens(self) -> Iterator[bytes]:
        """The answer, a piece for every token; faults count these."""
        ...

    def ending(self, tokens_sent: int) -> Iterable[bytes]:
        """Finish reason, token counts, and whatever else marks the end."""
        ...

    def error(self) -> bytes:
        """``Reply.error`` as an event inside the stream."""
        ...

    def garbage(self) -> bytes:
        """An event that is not JSON."""
        ...

    def invalid_utf8(self) -> bytes:
        """An event whose bytes are not text."""
        ...


class Wire(Protocol):
    """One API."""

    root: str
    """Path of ``base_url``, as it stands in a configuration."""

    def key(self, request: RecordedRequest) -> str:
        """The API key that a request carries, empty for none."""
        ...

    def unknown_key(self) -> Reply:
        """The refusal of a request with another key, or with none."""
        ...

    def is_chat(self, request: RecordedRequest) -> bool:
        """Whether a request asks a model for an answer."""
        ...

    def other(self, request: RecordedRequest, models: Sequence[str]) -> Reply | None:
        """The answer to a request for something else, such as the list of models; ``None`` when there is no such."""
        ...

    def objection(self, request: RecordedRequest) -> Reply | None:
        """What is wrong with a request for an answer, or ``None``."""
        ...

    def refusal(self, reply: Reply) -> str:
        """Body of an error with ``reply.status``, worded from ``reply.error``."""
        ...

    def words(self, request: RecordedRequest, reply: Reply) -> ReplyWords:
        """``reply`` as a stream."""
        ...
