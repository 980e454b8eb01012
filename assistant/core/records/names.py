"""The names by which agents are called, as a front end shows them (V-06)."""

from dataclasses import dataclass
from enum import StrEnum

from assistant.core.records.agents import AgentId


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledName:
    """An agent and how it is called.

    Attributes:
        agent: the agent.
        title: its name as the user reads it.
        phrase: its wake phrase; empty for none.
        enrolled: whether the user's own way of saying the phrase is known.
        learnt: whether Sori's own voices have said the phrase, so that it is better known.
        common: common words that sound like the phrase.
        alike: wake phrases of other agents that were heard when Sori's own voices said it.
    """

    agent: AgentId
    title: str
    phrase: str = ""
    enrolled: bool = False
    learnt: bool = False
    common: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()


class TakeResult(StrEnum):
    """What became of one utterance of an enrolment."""

    HEARD = "heard"
    SILENT = "silent"
    DIFFERENT = "different"


class EnrolmentStage(StrEnum):
    """Where an enrolment is."""

    LISTENING = "listening"
    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    NO_MICROPHONE = "no_microphone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Enrolment:
    """How far an enrolment is.

    Attributes:
        agent: the agent whose wake phrase is said.
        stage: where it is.
        heard: the accepted utterances, as the recogniser wrote them.
        wanted: number of utterances that are needed.
        result: what became of the last utterance; ``None`` before the first.
        text: the words of the last utterance.
        spellings: after the end, further spellings that were learnt.
        left_out: after the end, spellings that would also match other words.
        trouble: after a failure, the key of its text if it has one.
        unlike: after the end, whether later calls are not compared by their sound, because the utterances are too
            different or the model is missing.
    """

    agent: AgentId
    stage: EnrolmentStage = EnrolmentStage.LISTENING
    heard: tuple[str, ...] = ()
    wanted: int = 3
    result: TakeResult | None = None
    text: str = ""
    spellings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    trouble: str = ""
    unlike: bool = False
