"""The interaction machine: one table, one owner, no clock, no I/O (V-01 to V-04).

``Interaction.handle`` takes a fact and returns orders. Which facts mean what, in which state, is ``TABLE``: for each
state and event a few rules, of which the first whose guard holds applies. A rule names the states it passes through
(each hop must be one of ``ALLOWED_HOPS``), the session state it leaves behind, and the function that gives the orders.

What always holds between two events:

- idle: the session is inactive and no turn is named; listening: it is not inactive;
- ending: Sori is listening or speaking, never processing;
- a processing sub-state exists exactly while a turn is processed or spoken.

An event of another turn than the current one is what a cancelled turn still says, and is dropped. An event of the
current turn for which the state has no rule is a fault in the caller and raises.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, get_args

from assistant.core.machine import actions as act
from assistant.core.machine import events as ev
from assistant.core.machine.actions import MachineState
from assistant.core.machine.effects import Effect, Prompt, PublishState
from assistant.core.machine.events import Event, Meaning
from assistant.core.machine.states import InteractionState, SessionState, Snapshot, TurnId

IDLE = InteractionState.IDLE
LISTENING = InteractionState.LISTENING
PROCESSING = InteractionState.PROCESSING
SPEAKING = InteractionState.SPEAKING

INACTIVE = SessionState.INACTIVE
ACTIVE = SessionState.ACTIVE
ENDING = SessionState.ENDING

ALLOWED_HOPS = frozenset(
    {
        (IDLE, LISTENING),
        (IDLE, PROCESSING),
        (LISTENING, PROCESSING),
        (LISTENING, IDLE),
        (PROCESSING, SPEAKING),
        (PROCESSING, IDLE),
        (SPEAKING, IDLE),
        (SPEAKING, LISTENING),
    }
)
"""Every change of interaction state that exists (V-01)."""


_TURN_EVENTS = get_args(ev.TurnEvent)


class ForbiddenTransitionError(Exception):
    """The current turn reported something that cannot happen in this state."""


class Interaction:
    """The state of one conversation and what each event does to it.

    Args:
        name_turn: gives each turn its id; no two are the same.
    """

    def __init__(self, name_turn: Callable[[], TurnId]) -> None:
        self._it = MachineState(name_turn)

    @property
    def snapshot(self) -> Snapshot:
        """The observable state."""
        # A turn that waits for a spoken answer does nothing: nothing is processed while Sori listens.
        listening = self._it.state is LISTENING
        return Snapshot(
            interaction=self._it.state,
            session=self._it.session,
            processing=None if listening else self._it.processing,
            tool="" if listening else self._it.tool,
            turn=self._it.turn,
            question=self._it.question,
        )

    def handle(self, event: Event) -> list[Effect]:
        """Take a fact and return what shall be done, in order.

        Raises:
            ForbiddenTransitionError: the current turn reports what cannot be in this state.
        """
        if isinstance(event, _TURN_EVENTS) and event.turn != self._it.turn:
            return []
        before = self.snapshot
        rule = self._rule_for(event)
        self._walk(rule)
        orders = rule.act(self._it, event)
        after = self.snapshot
        return orders if after == before else [PublishState(snapshot=after), *orders]

    def _rule_for(self, event: Event) -> "Rule":
        for rule in TABLE[self._it.state].get(type(event), ()):
            if rule.when.holds(self._it, event):
                return rule
        raise ForbiddenTransitionError(f"{type(event).__name__} while {self._it.state} and {self._it.session}")

    def _walk(self, rule: "Rule") -> None:
        for hop in pairwise((self._it.state, *rule.path)):
            if hop not in ALLOWED_HOPS:
                raise ForbiddenTransitionError(f"{hop[0]} to {hop[1]}")
            self._it.state = hop[1]
        if rule.session is not None:
            self._it.session = rule.session


@dataclass(frozen=True, slots=True)
class Guard:
    """When a rule applies; ``name`` is what the diagram shows."""

    name: str
    holds: Callable[[MachineState, Any], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """What an event does in a state.

    Attributes:
        when: the rule applies when this holds and no earlier rule's guard does.
        act: gives the orders, after the hops.
        path: the interaction states passed through, the last one stays; empty to remain.
        session: the session state left behind, ``None`` to leave it as it is.
    """

    when: Guard
    act: Callable[[MachineState, Any], list[Effect]]
    path: tuple[InteractionState, ...] = ()
    session: SessionState | None = None


_QUESTION = Guard("question", lambda it, _event: it.question != "")
_SPOKEN_QUESTION = Guard("question, in session", lambda it, _event: it.question != "" and it.session is not INACTIVE)
_ALOUD = Guard("read aloud, in session", lambda it, _event: it.speaks and it.session is ACTIVE and it.prompt is None)
_ITS_QUESTION = Guard("the question", lambda it, event: it.question != "" and event.question == it.question)
_AGREED = Guard(
    "question, yes",
    lambda it, event: it.question != "" and event.meaning is Meaning.YES and not it.overheard,
)
_REFUSED = Guard(
    "question, no or stop",
    lambda it, event: it.question != "" and event.meaning in (Meaning.NO, Meaning.STOP),
)
_UNCLEAR = Guard("question, first time", lambda it, _event: it.question != "" and not it.asked_again)
_UNCLEAR_SOUND = Guard(
    "question, speech, first time",
    lambda it, event: it.question != "" and event.was_speech and not it.asked_again,
)
_QUESTION_NOISE = Guard("question, noise", lambda it, event: it.question != "" and not event.was_speech)
_ALWAYS = Guard("", lambda _it, _event: True)
_ENDING = Guard("ending", lambda it, _event: it.session is ENDING)
_IN_SESSION = Guard("in session", lambda it, _event: it.session is not INACTIVE)
_NO_SESSION = Guard("no session", lambda it, _event: it.session is INACTIVE)
_UNUSED = Guard("no request yet", lambda it, _event: it.requests == 0)
_CLOSING = Guard("closing words", lambda _it, event: event.meaning is Meaning.CLOSING)
_YES_TO_END = Guard(
    "ending, yes or stop",
    lambda it, event: it.session is ENDING and event.meaning in (Meaning.YES, Meaning.STOP),
)
_NO_TO_END = Guard("ending, no", lambda it, event: it.session is ENDING and event.meaning is Meaning.NO)
_STOP_WORD = Guard("stop word", lambda _it, event: event.meaning is Meaning.STOP)
_SECOND_HALF = Guard("rest of the request", lambda _it, event: event.continues is not None)
_GOES_ON = Guard(
    "in session, just after the request",
    lambda it, event: event.soon and it.session is not INACTIVE and it.prompt is None,
)
_UNINTELLIGIBLE = Guard(
    "speech, first time",
    lambda it, event: event.was_speech and it.session is ACTIVE and not it.misheard,
)
_NOISE = Guard("noise", lambda _it, event: not event.was_speech)
_STILL_TO_SPEAK = Guard("speech to come", lambda _it, event: event.will_speak)
_SPEAKS = Guard("read aloud", lambda it, _event: it.speaks)
_AWAITS_REPLY = Guard("reply awaited", lambda _it, event: event.awaits_reply)
_END_QUESTION = Guard("end question", lambda it, _event: it.prompt is Prompt.END_QUESTION and it.session is ACTIVE)

TABLE: Mapping[InteractionState, Mapping[type[Event], tuple[Rule, ...]]] = {
    IDLE: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.open_session, (LISTENING,), ACTIVE),),
        ev.VoiceToggled: (Rule(_ALWAYS, act.open_session, (LISTENING,), ACTIVE),),
        ev.TextSubmitted: (Rule(_ALWAYS, act.answer_text, (PROCESSING,)),),
        ev.RetryPressed: (Rule(_ALWAYS, act.answer_again, (PROCESSING,)),),
        ev.StopPressed: (Rule(_ALWAYS, act.nothing),),
        ev.MicrophoneLost: (Rule(_ALWAYS, act.nothing),),
        ev.AnnouncementDue: (
            Rule(_AWAITS_REPLY, act.announce, (PROCESSING,), ACTIVE),
            Rule(_ALWAYS, act.announce, (PROCESSING,)),
        ),
    },
    LISTENING: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.nothing),),
        ev.VoiceToggled: (Rule(_ALWAYS, act.close_session, (IDLE,), INACTIVE),),
        ev.TextSubmitted: (Rule(_ALWAYS, act.answer_text_instead, (IDLE, PROCESSING), ACTIVE),),
        ev.RetryPressed: (Rule(_ALWAYS, act.answer_again_instead, (IDLE, PROCESSING), ACTIVE),),
        ev.StopPressed: (
            Rule(_QUESTION, act.stop_and_listen),
            Rule(_ALWAYS, act.close_session, (IDLE,), INACTIVE),
        ),
        ev.MicrophoneLost: (
            Rule(_QUESTION, act.hear_no_answer, (PROCESSING,), INACTIVE),
            Rule(_ALWAYS, act.close_session, (IDLE,), INACTIVE),
        ),
        ev.AnnouncementDue: (Rule(_ALWAYS, act.ring),),
        ev.SpeechStarted: (Rule(_QUESTION, act.note_speech), Rule(_ALWAYS, act.await_speech)),
        ev.UtteranceTranscribed: (
            Rule(_CLOSING, act.close_session, (IDLE,), INACTIVE),
            Rule(_AGREED, act.approve, (PROCESSING,)),
            Rule(_REFUSED, act.decline, (PROCESSING,)),
            Rule(_UNCLEAR, act.ask_again, (PROCESSING,)),
            Rule(_QUESTION, act.decline, (PROCESSING,)),
            Rule(_YES_TO_END, act.close_session, (IDLE,), INACTIVE),
            Rule(_NO_TO_END, act.listen, (), ACTIVE),
            Rule(_STOP_WORD, act.listen),
            Rule(_SECOND_HALF, act.answer_joined, (PROCESSING,), ACTIVE),
            Rule(_ALWAYS, act.answer_speech, (PROCESSING,), ACTIVE),
        ),
        ev.UtteranceRejected: (
            Rule(_UNCLEAR_SOUND, act.ask_again, (PROCESSING,)),
            Rule(_QUESTION_NOISE, act.await_answer),
            Rule(_QUESTION, act.decline, (PROCESSING,)),
            Rule(_UNINTELLIGIBLE, act.ask_to_repeat, (PROCESSING,)),
            Rule(_NOISE, act.listen_on),
            Rule(_ALWAYS, act.listen),
        ),
        ev.QuestionClosed: (Rule(_ITS_QUESTION, act.go_on, (PROCESSING,)),),
        ev.AnswerCompleted: (Rule(_QUESTION, act.finish_and_listen),),
        ev.TurnFailed: (Rule(_QUESTION, act.listen_after_failure),),
        ev.TimerFired: (
            Rule(_QUESTION, act.decline, (PROCESSING,)),
            Rule(_ENDING, act.close_session, (IDLE,), INACTIVE),
            Rule(_UNUSED, act.close_session, (IDLE,), INACTIVE),
            Rule(_ALWAYS, act.ask_whether_to_end, (PROCESSING,)),
        ),
    },
    PROCESSING: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.open_session, (IDLE, LISTENING), ACTIVE),),
        ev.VoiceToggled: (
            Rule(_NO_SESSION, act.nothing, (), ACTIVE),
            Rule(_ALWAYS, act.abort_session, (IDLE,), INACTIVE),
        ),
        ev.TextSubmitted: (Rule(_ALWAYS, act.answer_text, (IDLE, PROCESSING)),),
        ev.RetryPressed: (Rule(_ALWAYS, act.answer_again, (IDLE, PROCESSING)),),
        ev.StopPressed: (
            Rule(_IN_SESSION, act.stop_and_listen, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.abort_session, (IDLE,)),
        ),
        ev.MicrophoneLost: (Rule(_ALWAYS, act.nothing, (), INACTIVE),),
        ev.AnnouncementDue: (Rule(_ALWAYS, act.ring),),
        ev.QuestionAsked: (Rule(_ALOUD, act.ask_aloud), Rule(_ALWAYS, act.nothing)),
        ev.QuestionClosed: (Rule(_ITS_QUESTION, act.go_on), Rule(_ALWAYS, act.nothing)),
        ev.TimerFired: (Rule(_QUESTION, act.decline),),
        ev.ToolStarted: (Rule(_ALWAYS, act.show_tool),),
        ev.ToolFinished: (Rule(_ALWAYS, act.show_tool_result),),
        ev.AnswerCompleted: (
            Rule(_STILL_TO_SPEAK, act.complete),
            Rule(_IN_SESSION, act.finish_and_listen, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.rest, (IDLE,)),
        ),
        ev.TurnFailed: (
            Rule(_SPEAKS, act.say_error),
            Rule(_IN_SESSION, act.listen_after_failure, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.rest_after_failure, (IDLE,)),
        ),
        ev.FirstAudioReady: (
            Rule(_END_QUESTION, act.nothing, (SPEAKING,), ENDING),
            Rule(_ALWAYS, act.nothing, (SPEAKING,)),
        ),
        ev.SpeechFinished: (
            Rule(_QUESTION, act.nothing),
            Rule(_END_QUESTION, act.finish_and_listen, (IDLE, LISTENING), ENDING),
            Rule(_IN_SESSION, act.finish_and_listen, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.rest, (IDLE,)),
        ),
        ev.OverlapSuspected: (Rule(_ALWAYS, act.nothing),),
        ev.OverlapDismissed: (Rule(_ALWAYS, act.nothing),),
        ev.OverlapConfirmed: (
            Rule(_GOES_ON, act.hear_rest, (IDLE, LISTENING)),
            Rule(_IN_SESSION, act.hear_out, (IDLE, LISTENING)),
        ),
    },
    SPEAKING: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.open_session, (LISTENING,), ACTIVE),),
        ev.VoiceToggled: (
            Rule(_NO_SESSION, act.nothing, (), ACTIVE),
            Rule(_ALWAYS, act.abort_session, (IDLE,), INACTIVE),
        ),
        ev.TextSubmitted: (
            Rule(_IN_SESSION, act.answer_text, (IDLE, PROCESSING), ACTIVE),
            Rule(_ALWAYS, act.answer_text, (IDLE, PROCESSING)),
        ),
        ev.RetryPressed: (
            Rule(_IN_SESSION, act.answer_again, (IDLE, PROCESSING), ACTIVE),
            Rule(_ALWAYS, act.answer_again, (IDLE, PROCESSING)),
        ),
        ev.StopPressed: (
            Rule(_ENDING, act.abort_session, (IDLE,), INACTIVE),
            Rule(_IN_SESSION, act.stop_and_listen, (LISTENING,)),
            Rule(_ALWAYS, act.abort_session, (IDLE,)),
        ),
        ev.MicrophoneLost: (Rule(_ALWAYS, act.nothing, (), INACTIVE),),
        ev.AnnouncementDue: (Rule(_ALWAYS, act.ring),),
        ev.QuestionAsked: (Rule(_ALOUD, act.ask_aloud), Rule(_ALWAYS, act.nothing)),
        ev.QuestionClosed: (Rule(_ITS_QUESTION, act.go_on, (LISTENING, PROCESSING)), Rule(_ALWAYS, act.nothing)),
        ev.TimerFired: (Rule(_QUESTION, act.decline, (LISTENING, PROCESSING)),),
        ev.ToolStarted: (Rule(_ALWAYS, act.show_tool),),
        ev.ToolFinished: (Rule(_ALWAYS, act.show_tool_result),),
        ev.AnswerCompleted: (Rule(_ALWAYS, act.complete),),
        ev.TurnFailed: (Rule(_SPEAKS, act.say_error),),
        ev.SpeechFinished: (
            Rule(_SPOKEN_QUESTION, act.await_answer, (LISTENING,)),
            Rule(_QUESTION, act.nothing, (IDLE, PROCESSING)),
            Rule(_IN_SESSION, act.finish_and_listen, (LISTENING,)),
            Rule(_ALWAYS, act.rest, (IDLE,)),
        ),
        ev.OverlapSuspected: (Rule(_ALWAYS, act.duck),),
        ev.OverlapDismissed: (Rule(_ALWAYS, act.restore),),
        ev.OverlapConfirmed: (
            Rule(_SPOKEN_QUESTION, act.hear_over_question, (LISTENING,)),
            Rule(_GOES_ON, act.hear_rest, (LISTENING,)),
            Rule(_IN_SESSION, act.hear_out, (LISTENING,)),
        ),
    },
}
"""Every event's meaning in every state."""
