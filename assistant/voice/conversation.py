"""What the listener and the speaker need of the conversation that they serve. The session implements it."""

from collections.abc import Sequence
from typing import Protocol

from assistant.chat.agents.calling import AgentCalls
from assistant.core.errors import SoriError
from assistant.core.machine.events import Event, Meaning
from assistant.core.machine.states import TurnId
from assistant.tasks import TaskSupervisor
from assistant.voice.trace import Trace
from assistant.voice.work import Work


class HeardConversation(Protocol):
    """What the listener and its parts need.

    Attributes:
        trace: records what happens.
        listening: runs their tasks.
        work: counts the work in progress.
        conversation: id of the stored conversation.
        calls: the agents that can be called by name; ``None`` where only the wake word wakes.
        likely_words: what the user is likely to say now.
    """

    trace: Trace
    listening: TaskSupervisor
    work: Work
    conversation: str
    calls: AgentCalls | None
    likely_words: tuple[str, ...]

    @property
    def wake_phrases(self) -> Sequence[str]:
        """The wake phrases of the agents, which interrupt an answer as the wake word does."""
        ...

    @property
    def saying(self) -> str:
        """What Sori is saying, to tell its echo from the user's words."""
        ...

    def tell(self, event: Event) -> None:
        """Take an event."""
        ...

    def meaning(self, text: str, ending: bool) -> Meaning:
        """Classify an utterance; ``ending`` says whether the session is about to end."""
        ...

    def calls_other(self, text: str) -> bool:
        """Whether words call another agent than that of the conversation."""
        ...

    def show_partial(self, turn: TurnId, text: str, stable: int) -> None:
        """Show a partial transcript; ``stable`` is the length of its stable prefix in characters."""
        ...

    def show_level(self, level_db: float) -> None:
        """Show the level of the microphone in dBFS; called 20 times a second."""
        ...

    def prepare(self, turn: TurnId, text: str) -> None:
        """Begin to answer the words of a turn, which are probably complete."""
        ...

    def discard_prepared(self, turn: TurnId) -> None:
        """Discard what was prepared for a turn, because its words were not complete."""
        ...


class SpokenConversation(Protocol):
    """What the speaker needs.

    Attributes:
        trace: records what happens.
        speaking: runs its tasks.
    """

    trace: Trace
    speaking: TaskSupervisor

    @property
    def only_code(self) -> str:
        """What is said instead of an answer that is nothing but code; nothing while it is empty."""
        ...

    def tell(self, event: Event) -> None:
        """Take ``FirstAudioReady`` or ``SpeechFinished``."""
        ...

    def show_sentence(self, turn: TurnId, text: str) -> None:
        """Show the sentence that begins to be heard."""
        ...

    def cannot_say(self, error: SoriError) -> None:
        """A sentence cannot be spoken; told at most once a turn."""
        ...

    def other_voice(self, name: str) -> None:
        """Another voice speaks than the one that the agent wants. Told with each sentence."""
        ...
