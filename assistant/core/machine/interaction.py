"""The interaction machine: one table, without clock and I/O (V-01 to V-04).

``Interaction.handle`` takes an event and returns effects. ``TABLE`` holds a few rules for each state and event; the
first rule whose guard holds applies. A rule names the interaction states that it passes through (each hop must be in
``ALLOWED_HOPS``), the new session state, and the function that gives the effects.

Invariants between two events:

- While Sori is idle, the session is inactive and there is no current turn.
- While Sori listens, the session is not inactive.
- While the session is ending, Sori listens or speaks and never processes.
- The snapshot has a processing sub-state exactly while a turn is processed or spoken.

An event of a turn that is not the current one comes late from a cancelled turn and is dropped. An event of the current
turn without a rule in the present state is a fault of the caller and raises an error.

A rule can defer an event, as in UML state charts: the event is kept until a state is reached in which the first rule
that applies does not defer it. ``Interaction.take_deferred`` gives it back then.
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
"""The permitted changes of the interaction state (V-01)."""


_TURN_EVENTS = get_args(ev.TurnEvent)


class ForbiddenTransitionError(Exception):
    """The current turn sent an event that has no rule in the present state, or a rule makes a forbidden hop."""


class Interaction:
    """Holds the interaction state and changes it by events.

    Args:
        name_turn: makes the id of a new turn, different each time.
    """

    def __init__(self, name_turn: Callable[[], TurnId]) -> None:
        self._it = MachineState(name_turn)

    @property
    def snapshot(self) -> Snapshot:
        """The observable state."""
        # A turn that waits for a spoken answer processes nothing, so listening and processing are never shown together.
        listening = self._it.state is LISTENING
        return Snapshot(
            interaction=self._it.state,
            session=self._it.session,
            processing=None if listening else self._it.processing,
            tool="" if listening else self._it.tool,
            turn=self._it.turn,
            question=self._it.question,
            by_voice=self._it.by_voice and not listening,
        )

    @property
    def awaits_request(self) -> bool:
        """Whether Sori listens for a request: not for an answer to its question, and not only because a timer rings."""
        return self._it.state is LISTENING and not self._it.question and not self._it.only_ringing

    @property
    def wants_address(self) -> bool:
        """Whether it matters if an utterance begins with a name of Sori's."""
        return self._it.only_ringing or self._it.once

    @property
    def awaits_words(self) -> bool:
        """Whether a question was asked aloud whose answer is words, not yes or no."""
        return self._it.question != "" and self._it.wants_words

    @property
    def is_changeable(self) -> bool:
        """Whether a question was asked aloud that other words than a yes or a no change."""
        return self._it.question != "" and self._it.changeable

    def handle(self, event: Event) -> list[Effect]:
        """Apply an event and return the effects, in order.

        Raises:
            ForbiddenTransitionError: the current turn sent an event that has no rule in the present state.
        """
        if isinstance(event, _TURN_EVENTS) and event.turn != self._it.turn:
            return []
        before = self.snapshot
        rule = self._rule_for(event)
        if rule.defers:
            self._it.deferred.append(event)
        self._change_states(rule)
        orders = rule.act(self._it, event)
        after = self.snapshot
        return orders if after == before else [PublishState(snapshot=after), *orders]

    def take_deferred(self, refreshed: Callable[[Event], Event]) -> Event | None:
        """The oldest deferred event, if the present state does not defer it again. It is no longer kept then.

        Args:
            refreshed: gives an event with what is true now of the facts that it carries.
        """
        if not self._it.deferred:
            return None
        event = refreshed(self._it.deferred[0])
        if self._rule_for(event).defers:
            return None
        self._it.deferred.pop(0)
        return event

    def _rule_for(self, event: Event) -> "Rule":
        for rule in TABLE[self._it.state].get(type(event), ()):
            if rule.when.holds(self._it, event):
                return rule
        states = f"{self._it.state}, session {self._it.session}"
        raise ForbiddenTransitionError(f"TABLE has no rule for {type(event).__name__} while {states}")

    def _change_states(self, rule: "Rule") -> None:
        for hop in pairwise((self._it.state, *rule.path)):
            if hop not in ALLOWED_HOPS:
                raise ForbiddenTransitionError(f"{hop[0]} to {hop[1]} is not in ALLOWED_HOPS")
            self._it.state = hop[1]
        if rule.session is not None:
            self._it.session = rule.session


@dataclass(frozen=True, slots=True)
class Guard:
    """The condition of a rule; ``name`` is its text in the diagram."""

    name: str
    holds: Callable[[MachineState, Any], bool]


@dataclass(frozen=True, slots=True)
class Rule:
    """The effect of an event in a state.

    Attributes:
        when: the guard; the first rule whose guard holds applies.
        act: gives the effects, called after the states have changed.
        path: the interaction states to pass through, ending with the new one; empty to keep the state.
        session: the new session state; ``None`` to keep it.
        defers: whether the event is kept for a later state.
    """

    when: Guard
    act: Callable[[MachineState, Any], list[Effect]]
    path: tuple[InteractionState, ...] = ()
    session: SessionState | None = None
    defers: bool = False


_QUESTION = Guard("question", lambda it, _event: it.question != "")
_SPOKEN_QUESTION = Guard("question, in session", lambda it, _event: it.question != "" and it.session is not INACTIVE)
_ALOUD_IN_SESSION = Guard(
    "read aloud, in session", lambda it, _event: it.speaks and it.session is ACTIVE and it.prompt is None
)
_THE_QUESTION = Guard("the question", lambda it, event: it.question != "" and event.question == it.question)
_QUESTION_YES = Guard(
    "question, yes",
    lambda it, event: it.question != "" and event.meaning is Meaning.YES and not it.may_be_echo,
)
_QUESTION_WORDS = Guard(
    "question for words",
    lambda it, event: it.question != "" and it.wants_words and event.meaning.answers and not it.may_be_echo,
)
_QUESTION_CHANGE = Guard(
    "question, a change",
    lambda it, event: it.question != "" and it.changeable and event.meaning.answers and not it.may_be_echo,
)
_QUESTION_NO = Guard(
    "question, no or stop",
    lambda it, event: it.question != "" and event.meaning in (Meaning.NO, Meaning.STOP),
)
_QUESTION_UNCLEAR = Guard("question, first time", lambda it, _event: it.question != "" and not it.asked_again)
_QUESTION_UNCLEAR_SOUND = Guard(
    "question, speech, first time",
    lambda it, event: it.question != "" and event.was_speech and not it.asked_again,
)
_QUESTION_NOISE = Guard("question, noise", lambda it, event: it.question != "" and not event.was_speech)
_ALWAYS = Guard("", lambda _it, _event: True)
_ENDING = Guard("ending", lambda it, _event: it.session is ENDING)
_IN_SESSION = Guard("in session", lambda it, _event: it.session is not INACTIVE)
_NO_SESSION = Guard("no session", lambda it, _event: it.session is INACTIVE)
_NO_REQUEST_YET = Guard("no request yet", lambda it, _event: it.requests == 0)
_CLOSING = Guard("closing words", lambda _it, event: event.meaning is Meaning.CLOSING)
_YES_TO_END = Guard(
    "ending, yes or stop",
    lambda it, event: it.session is ENDING and event.meaning in (Meaning.YES, Meaning.STOP),
)
_NO_TO_END = Guard("ending, no", lambda it, event: it.session is ENDING and event.meaning is Meaning.NO)
_STOP_WORD = Guard("stop word", lambda _it, event: event.meaning is Meaning.STOP)
_REST_OF_REQUEST = Guard("rest of the request", lambda _it, event: event.continues is not None)
_SOON_AFTER_REQUEST = Guard(
    "in session, just after the request",
    lambda it, event: event.soon and it.session is not INACTIVE and it.prompt is None,
)
_SPEECH_FIRST_TIME = Guard(
    "speech, first time",
    lambda it, event: event.was_speech and it.session is ACTIVE and not it.misheard,
)
_NOISE = Guard("noise", lambda _it, event: not event.was_speech)
_SPEECH_TO_COME = Guard("speech to come", lambda _it, event: event.will_speak)
_READ_ALOUD = Guard("read aloud", lambda it, _event: it.speaks)
_READ_ALOUD_IN_SESSION = Guard(
    "answer read, in session",
    lambda it, _event: it.speaks and it.session is not INACTIVE,
)
_USER_SPEAKS = Guard("the user speaks", lambda _it, event: event.user_speaks)
_ONCE = Guard("only one utterance", lambda it, _event: it.once)
_ONCE_UNNAMED = Guard("only one utterance, no name", lambda it, event: it.once and not event.addressed)
_ONCE_REST = Guard("only one utterance, rest of the request", lambda it, event: it.once and event.continues is not None)
_ONCE_STOP = Guard("only one utterance, stop word", lambda it, event: it.once and event.meaning is Meaning.STOP)
_CALLED = Guard("a name is called", lambda _it, event: event.called)
_AWAITS_REPLY = Guard("reply awaited", lambda _it, event: event.awaits_reply)
_RINGS = Guard("a timer rings", lambda it, _event: it.rings)
_ONLY_RINGING = Guard("only a timer rings", lambda it, _event: it.only_ringing)
_NOT_FOR_SORI = Guard(
    "only a timer rings, no command, no name",
    lambda it, event: it.only_ringing and event.meaning is Meaning.REQUEST and not event.addressed,
)
_END_QUESTION = Guard("end question", lambda it, _event: it.prompt is Prompt.END_QUESTION and it.session is ACTIVE)

TABLE: Mapping[InteractionState, Mapping[type[Event], tuple[Rule, ...]]] = {
    IDLE: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.open_session, (LISTENING,), ACTIVE),),
        ev.VoiceToggled: (Rule(_ALWAYS, act.open_session, (LISTENING,), ACTIVE),),
        ev.TurnBegan: (Rule(_ALWAYS, act.follow_turn, (PROCESSING,)),),
        ev.StopPressed: (Rule(_ALWAYS, act.do_nothing),),
        ev.ConversationLeft: (Rule(_ALWAYS, act.do_nothing),),
        ev.MicrophoneLost: (Rule(_ALWAYS, act.do_nothing),),
        ev.AnnouncementDue: (
            Rule(_USER_SPEAKS, act.ring, defers=True),
            Rule(_AWAITS_REPLY, act.announce, (PROCESSING,), ACTIVE),
            Rule(_ALWAYS, act.announce, (PROCESSING,)),
        ),
        ev.RingingChanged: (Rule(_ALWAYS, act.note_ringing),),
    },
    LISTENING: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.do_nothing),),
        ev.VoiceToggled: (Rule(_ALWAYS, act.close_session, (IDLE,), INACTIVE),),
        ev.TurnBegan: (
            Rule(_ONCE, act.stop_listening_and_follow_turn, (IDLE, PROCESSING), INACTIVE),
            Rule(_ALWAYS, act.stop_listening_and_follow_turn, (IDLE, PROCESSING), ACTIVE),
        ),
        ev.StopPressed: (
            Rule(_QUESTION, act.stop_and_listen),
            Rule(_ALWAYS, act.close_session, (IDLE,), INACTIVE),
        ),
        ev.ConversationLeft: (
            Rule(_QUESTION, act.stop_and_listen),
            Rule(_ALWAYS, act.do_nothing),
        ),
        ev.MicrophoneLost: (
            Rule(_QUESTION, act.stop_awaiting_answer, (PROCESSING,), INACTIVE),
            Rule(_ALWAYS, act.close_session, (IDLE,), INACTIVE),
        ),
        ev.AnnouncementDue: (
            Rule(_QUESTION, act.ring, defers=True),
            Rule(_USER_SPEAKS, act.ring, defers=True),
            Rule(_ALWAYS, act.announce_and_listen_again, (PROCESSING,), ACTIVE),
        ),
        ev.RingingChanged: (Rule(_ALWAYS, act.note_ringing),),
        ev.SpeechStarted: (Rule(_QUESTION, act.note_echo), Rule(_ALWAYS, act.end_silence)),
        ev.UtteranceTranscribed: (
            Rule(_CLOSING, act.close_session, (IDLE,), INACTIVE),
            Rule(_QUESTION_WORDS, act.answer_in_words, (PROCESSING,)),
            Rule(_QUESTION_YES, act.approve, (PROCESSING,)),
            Rule(_QUESTION_NO, act.decline, (PROCESSING,)),
            Rule(_QUESTION_CHANGE, act.change_instead, (IDLE, PROCESSING), ACTIVE),
            Rule(_QUESTION_UNCLEAR, act.ask_again, (PROCESSING,)),
            Rule(_QUESTION, act.give_up, (PROCESSING,)),
            Rule(_NOT_FOR_SORI, act.listen),
            Rule(_YES_TO_END, act.close_session, (IDLE,), INACTIVE),
            Rule(_NO_TO_END, act.listen, (), ACTIVE),
            Rule(_ONCE_STOP, act.close_session, (IDLE,), INACTIVE),
            Rule(_STOP_WORD, act.listen),
            Rule(_ONCE_REST, act.answer_joined, (PROCESSING,), INACTIVE),
            Rule(_REST_OF_REQUEST, act.answer_joined, (PROCESSING,), ACTIVE),
            Rule(_ONCE_UNNAMED, act.answer_speech, (PROCESSING,), INACTIVE),
            Rule(_ALWAYS, act.answer_speech, (PROCESSING,), ACTIVE),
        ),
        ev.UtteranceRejected: (
            Rule(_QUESTION_UNCLEAR_SOUND, act.ask_again, (PROCESSING,)),
            Rule(_QUESTION_NOISE, act.await_answer),
            Rule(_QUESTION, act.give_up, (PROCESSING,)),
            Rule(_ONLY_RINGING, act.listen),
            Rule(_SPEECH_FIRST_TIME, act.ask_to_repeat, (PROCESSING,)),
            Rule(_ONCE, act.close_session, (IDLE,), INACTIVE),
            Rule(_NOISE, act.keep_listening),
            Rule(_ALWAYS, act.listen),
        ),
        ev.QuestionClosed: (Rule(_THE_QUESTION, act.resume_turn, (PROCESSING,)),),
        ev.AnswerCompleted: (Rule(_QUESTION, act.finish_and_listen),),
        ev.TurnFailed: (Rule(_QUESTION, act.listen_after_failure),),
        ev.TimerFired: (
            Rule(_QUESTION, act.give_up, (PROCESSING,)),
            Rule(_RINGS, act.listen_while_it_rings, (), ACTIVE),
            Rule(_ONCE, act.close_session, (IDLE,), INACTIVE),
            Rule(_ENDING, act.close_session, (IDLE,), INACTIVE),
            Rule(_NO_REQUEST_YET, act.close_session, (IDLE,), INACTIVE),
            Rule(_ALWAYS, act.ask_whether_to_end, (PROCESSING,)),
        ),
    },
    PROCESSING: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.open_session, (IDLE, LISTENING), ACTIVE),),
        ev.VoiceToggled: (
            Rule(_NO_SESSION, act.do_nothing, (), ACTIVE),
            Rule(_ALWAYS, act.abort_session, (IDLE,), INACTIVE),
        ),
        ev.TurnBegan: (Rule(_ALWAYS, act.follow_turn, (IDLE, PROCESSING)),),
        ev.StopPressed: (
            Rule(_IN_SESSION, act.stop_and_listen, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.abort_session, (IDLE,)),
        ),
        ev.ConversationLeft: (
            Rule(_READ_ALOUD_IN_SESSION, act.stop_and_listen, (IDLE, LISTENING)),
            Rule(_READ_ALOUD, act.abort_session, (IDLE,)),
            Rule(_IN_SESSION, act.leave_and_listen, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.become_idle, (IDLE,)),
        ),
        ev.MicrophoneLost: (Rule(_ALWAYS, act.restore, (), INACTIVE),),
        ev.AnnouncementDue: (Rule(_ALWAYS, act.ring, defers=True),),
        ev.RingingChanged: (Rule(_ALWAYS, act.note_ringing),),
        ev.QuestionAsked: (Rule(_ALOUD_IN_SESSION, act.ask_aloud), Rule(_ALWAYS, act.do_nothing)),
        ev.QuestionClosed: (Rule(_THE_QUESTION, act.resume_turn), Rule(_ALWAYS, act.do_nothing)),
        ev.TimerFired: (Rule(_QUESTION, act.give_up),),
        ev.ToolStarted: (Rule(_ALWAYS, act.show_tool),),
        ev.ToolFinished: (Rule(_ALWAYS, act.show_tool_result),),
        ev.AnswerCompleted: (
            Rule(_SPEECH_TO_COME, act.complete),
            Rule(_IN_SESSION, act.finish_and_listen, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.become_idle, (IDLE,)),
        ),
        ev.TurnFailed: (
            Rule(_READ_ALOUD, act.say_error),
            Rule(_IN_SESSION, act.listen_after_failure, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.become_idle_after_failure, (IDLE,)),
        ),
        ev.FirstAudioReady: (
            Rule(_END_QUESTION, act.do_nothing, (SPEAKING,), ENDING),
            Rule(_ALWAYS, act.do_nothing, (SPEAKING,)),
        ),
        ev.SpeechFinished: (
            Rule(_QUESTION, act.count_time),
            Rule(_END_QUESTION, act.finish_and_listen, (IDLE, LISTENING), ENDING),
            Rule(_IN_SESSION, act.finish_and_listen, (IDLE, LISTENING)),
            Rule(_ALWAYS, act.become_idle, (IDLE,)),
        ),
        ev.OverlapSuspected: (Rule(_ALWAYS, act.do_nothing),),
        ev.OverlapHeard: (Rule(_ALWAYS, act.pause),),
        ev.OverlapDismissed: (Rule(_ALWAYS, act.restore),),
        ev.OverlapConfirmed: (
            Rule(_SOON_AFTER_REQUEST, act.listen_for_rest, (IDLE, LISTENING)),
            Rule(_IN_SESSION, act.barge_in, (IDLE, LISTENING)),
            Rule(_CALLED, act.barge_in, (IDLE, LISTENING), ACTIVE),
            Rule(_ALWAYS, act.barge_in_once, (IDLE, LISTENING), ACTIVE),
        ),
    },
    SPEAKING: {
        ev.WakeWordHeard: (Rule(_ALWAYS, act.open_session, (LISTENING,), ACTIVE),),
        ev.VoiceToggled: (
            Rule(_NO_SESSION, act.do_nothing, (), ACTIVE),
            Rule(_ALWAYS, act.abort_session, (IDLE,), INACTIVE),
        ),
        ev.TurnBegan: (
            Rule(_IN_SESSION, act.follow_turn, (IDLE, PROCESSING), ACTIVE),
            Rule(_ALWAYS, act.follow_turn, (IDLE, PROCESSING)),
        ),
        ev.StopPressed: (
            Rule(_ENDING, act.abort_session, (IDLE,), INACTIVE),
            Rule(_IN_SESSION, act.stop_and_listen, (LISTENING,)),
            Rule(_ALWAYS, act.abort_session, (IDLE,)),
        ),
        ev.ConversationLeft: (
            Rule(_ENDING, act.abort_session, (IDLE,), INACTIVE),
            Rule(_IN_SESSION, act.stop_and_listen, (LISTENING,)),
            Rule(_ALWAYS, act.abort_session, (IDLE,)),
        ),
        ev.MicrophoneLost: (Rule(_ALWAYS, act.restore, (), INACTIVE),),
        ev.AnnouncementDue: (Rule(_ALWAYS, act.ring, defers=True),),
        ev.RingingChanged: (Rule(_ALWAYS, act.note_ringing),),
        ev.QuestionAsked: (Rule(_ALOUD_IN_SESSION, act.ask_aloud), Rule(_ALWAYS, act.do_nothing)),
        ev.QuestionClosed: (
            Rule(_THE_QUESTION, act.resume_turn, (LISTENING, PROCESSING)),
            Rule(_ALWAYS, act.do_nothing),
        ),
        ev.TimerFired: (Rule(_QUESTION, act.give_up, (LISTENING, PROCESSING)),),
        ev.ToolStarted: (Rule(_ALWAYS, act.show_tool),),
        ev.ToolFinished: (Rule(_ALWAYS, act.show_tool_result),),
        ev.AnswerCompleted: (Rule(_ALWAYS, act.complete),),
        ev.TurnFailed: (Rule(_READ_ALOUD, act.say_error),),
        ev.SpeechFinished: (
            Rule(_SPOKEN_QUESTION, act.await_answer, (LISTENING,)),
            Rule(_QUESTION, act.count_time, (IDLE, PROCESSING)),
            Rule(_IN_SESSION, act.finish_and_listen, (LISTENING,)),
            Rule(_ALWAYS, act.become_idle, (IDLE,)),
        ),
        ev.OverlapSuspected: (Rule(_ALWAYS, act.duck),),
        ev.OverlapHeard: (Rule(_ALWAYS, act.pause),),
        ev.OverlapDismissed: (Rule(_ALWAYS, act.restore),),
        ev.OverlapConfirmed: (
            Rule(_SPOKEN_QUESTION, act.interrupt_question, (LISTENING,)),
            Rule(_SOON_AFTER_REQUEST, act.listen_for_rest, (LISTENING,)),
            Rule(_IN_SESSION, act.barge_in, (LISTENING,)),
            Rule(_CALLED, act.barge_in, (LISTENING,), ACTIVE),
            Rule(_ALWAYS, act.barge_in_once, (LISTENING,), ACTIVE),
        ),
    },
}
"""The rules by interaction state and event."""
