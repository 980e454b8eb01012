"""What is asked of scheduled requests."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.settings import Language
from assistant.core.times.said import SaidTime


class ScheduleWish(StrEnum):
    """What is asked for."""

    ADD = "add"
    LIST = "list"
    CANCEL = "cancel"
    PAUSE = "pause"
    RESUME = "resume"
    RUN = "run"
    MOVE = "move"
    CATCH_UP = "catch_up"
    """Carry out now what was missed or interrupted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduleRequest:
    """A request about scheduled requests.

    Attributes:
        wish: what is asked for.
        language: the language of the request.
        words: what Sori is to do, or words of the scheduled request that is meant; empty for none.
        said: the time as it was said; ``None`` without one.
    """

    wish: ScheduleWish
    language: Language
    words: str = ""
    said: SaidTime | None = None
