"""A conversation that a listener hears and a speaker speaks for, and that keeps what they tell it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from assistant.chat.agents.calling import AgentCalls
from assistant.core.errors import SoriError
from assistant.core.machine.events import Event, Meaning
from assistant.core.machine.states import TurnId
from assistant.tasks import TaskSupervisor
from assistant.voice.trace import Trace
from assistant.voice.work import Work


@dataclass(kw_only=True, slots=True)
class FakeConversation:
    """Takes every utterance for a request, unless ``meanings`` says otherwise.

    Attributes:
        react: called with each event.
        show: called with each partial transcript and the length of its stable prefix.
        meanings: the meaning of texts that are no request.
        says: what Sori is saying.
    """

    trace: Trace = field(default_factory=lambda: Trace(lambda: 0.0, lambda _entry: None))
    listening: TaskSupervisor = field(default_factory=TaskSupervisor)
    speaking: TaskSupervisor = field(default_factory=TaskSupervisor)
    work: Work = field(default_factory=Work)
    conversation: str = ""
    calls: AgentCalls | None = None
    likely_words: tuple[str, ...] = ()
    wake_phrases: Sequence[str] = ()
    react: Callable[[Event], object] = lambda _event: None
    show: Callable[[str, int], object] = lambda _text, _stable: None
    meanings: dict[str, Meaning] = field(default_factory=dict)
    says: str = ""
    only_code: str = ""
    events: list[Event] = field(default_factory=list)
    partials: list[tuple[str, int]] = field(default_factory=list)
    levels: list[float] = field(default_factory=list)
    prepared: list[str] = field(default_factory=list)
    unsaid: list[SoriError] = field(default_factory=list)
    other_voices: list[str] = field(default_factory=list)
    sentences: list[str] = field(default_factory=list)

    @property
    def saying(self) -> str:
        return self.says

    def tell(self, event: Event) -> None:
        self.events.append(event)
        self.react(event)

    def meaning(self, text: str, ending: bool) -> Meaning:
        return self.meanings.get(text, Meaning.REQUEST)

    def calls_other(self, text: str) -> bool:
        return False

    def show_partial(self, turn: TurnId, text: str, stable: int) -> None:
        self.partials.append((text, stable))
        self.show(text, stable)

    def show_level(self, level_db: float) -> None:
        self.levels.append(level_db)

    def prepare(self, turn: TurnId, text: str) -> None:
        self.prepared.append(text)

    def discard_prepared(self, turn: TurnId) -> None:
        self.prepared.clear()

    def show_sentence(self, turn: TurnId, text: str) -> None:
        self.sentences.append(text)

    def cannot_say(self, error: SoriError) -> None:
        self.unsaid.append(error)

    def other_voice(self, name: str) -> None:
        self.other_voices.append(name)
