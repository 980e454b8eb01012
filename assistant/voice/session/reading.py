"""A text that is read aloud because the user wants to hear it: where it is, and how it goes on (D-09). Pure."""

from dataclasses import dataclass, field

from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.service.requests.voice import ReadingStep
from assistant.speech.text.sentences import SentenceChunker

_BY = {ReadingStep.NEXT: 1, ReadingStep.PREVIOUS: -1}


@dataclass(slots=True)
class ReadText:
    """One text.

    Attributes:
        text: the whole text.
        begins: where its sentences begin.
        at: number of the sentence that is being read.
        turn: the turn that reads it; ``NO_TURN`` while it waits.
        paused: whether the user has paused it.
    """

    text: str
    begins: tuple[int, ...] = ()
    at: int = 0
    turn: TurnId = NO_TURN
    paused: bool = False
    _heard: int = field(default=0, repr=False)
    """Where the sentence after the present one is looked for."""

    def __post_init__(self) -> None:
        chunker, place, begins = SentenceChunker(), 0, list[int]()
        for sentence in (*chunker.feed(self.text), *chunker.flush()):
            if (found := self.text.find(sentence, place)) >= 0:
                begins.append(found)
                place = found + len(sentence)
        self.begins = tuple(begins) or (0,)

    @property
    def rest(self) -> str:
        """What is read from the present sentence on."""
        return self.text[self.begins[self.at] :]

    def hear(self, sentence: str) -> bool:
        """Take a sentence that begins to be heard; return whether it is one of this text."""
        found = self.text.find(sentence, self._heard)
        if found < 0:
            return False
        self._heard = found + len(sentence)
        self.at = max((at for at, begin in enumerate(self.begins) if begin <= found), default=0)
        return True

    def can_move(self, step: ReadingStep) -> bool:
        """Whether anything is left to be read after a step."""
        return self.at + _BY.get(step, 0) < len(self.begins)

    def move(self, step: ReadingStep) -> bool:
        """Move to another sentence, or to the beginning of the present one; return whether anything is left."""
        if not self.can_move(step):
            return False
        self.at = max(0, self.at + _BY.get(step, 0))
        self._heard = self.begins[self.at]
        self.paused = False
        return True
