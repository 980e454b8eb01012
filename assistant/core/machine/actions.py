"""What the rules of the interaction machine do: each action notes what changed and returns orders.

Actions run after the rule has set the interaction and session states.
"""

from collections.abc import Callable
from dataclasses import dataclass

from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Effect
from assistant.core.machine.events import Event, Timer
from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, SessionState, TurnId


@dataclass(slots=True)
class MachineState:
    """All that the machine remembers.

    Attributes:
        name_turn: gives each turn its id.
        requests: requests in this session; none yet means that waking it was perhaps a mistake.
        misheard: whether Sori has just asked the user to repeat.
        prompt: the fixed sentence that the current turn says instead of an answer.
        speaks: whether the current turn is read aloud.
        question: id of the question that was asked aloud and waits for an answer.
        question_text: the question in words.
        asked_again: whether it was asked a second time.
        overheard: whether what is heard now began while Sori spoke: it cannot approve anything.
    """

    name_turn: Callable[[], TurnId]
    state: InteractionState = InteractionState.IDLE
    session: SessionState = SessionState.INACTIVE
    processing: ProcessingState | None = None
    tool: str = ""
    turn: TurnId = NO_TURN
    requests: int = 0
    misheard: bool = False
    prompt: do.Prompt | None = None
    speaks: bool = False
    question: str = ""
    question_text: str = ""
    asked_again: bool = False
    overheard: bool = False


def nothing(_it: MachineState, _event: Event) -> list[Effect]:
    """Only the states change, if anything does."""
    return []


def open_session(it: MachineState, event: Event) -> list[Effect]:
    """A spoken conversation begins, instead of whatever was going on."""
    it.requests = 0
    it.misheard = False
    return [*_drop_turn(it), do.PlayCue(cue=do.Cue.AWAKE), *listen(it, event)]


def listen(it: MachineState, _event: Event) -> list[Effect]:
    """Listen for the next utterance, for as long as the silence timeout allows."""
    _name_turn(it)
    return [
        do.BeginListening(turn=it.turn),
        do.StartTimer(turn=it.turn, timer=Timer.SILENCE),
    ]


def listen_on(it: MachineState, _event: Event) -> list[Effect]:
    """It was only noise: the silence goes on, so that a noisy room does not keep Sori listening for ever."""
    _name_turn(it)
    return [
        do.BeginListening(turn=it.turn),
        do.StartTimer(turn=it.turn, timer=Timer.SILENCE, resumed=True),
    ]


def await_speech(_it: MachineState, _event: Event) -> list[Effect]:
    """The user has begun to speak: no silence to wait for."""
    return [do.CancelTimer(timer=Timer.SILENCE)]


def close_session(it: MachineState, _event: Event) -> list[Effect]:
    """The spoken conversation ends while Sori listens; a turn that waits for an answer ends with it."""
    turn = it.turn
    dropped = _drop_turn(it)
    return [do.CancelTimer(timer=Timer.SILENCE), do.EndListening(turn=turn), *dropped]


def abort_session(it: MachineState, event: Event) -> list[Effect]:
    """The running turn ends, and nothing follows."""
    return [*_drop_turn(it), *rest(it, event)]


def answer_speech(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Answer what was said."""
    it.requests += 1
    it.misheard = False
    return [
        do.CancelTimer(timer=Timer.SILENCE),
        do.PlayCue(cue=do.Cue.HEARD),
        *_start(it, do.StartTurn(turn=it.turn, text=event.text, origin=do.Origin.VOICE, speak=True)),
    ]


def answer_joined(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Answer both halves of a request whose first half was answered too early; it is the same request still."""
    it.misheard = False
    start = do.StartTurn(
        turn=it.turn,
        text=event.text,
        origin=do.Origin.VOICE,
        speak=True,
        continues=event.continues,
        rest=event.rest,
    )
    return [do.CancelTimer(timer=Timer.SILENCE), do.PlayCue(cue=do.Cue.HEARD), *_start(it, start)]


def answer_text(it: MachineState, event: ev.TextSubmitted) -> list[Effect]:
    """Answer what was typed, instead of whatever turn was running."""
    dropped = _drop_turn(it)
    it.requests += 1
    _name_turn(it)
    start = do.StartTurn(
        turn=it.turn, text=event.text, origin=do.Origin.TEXT, speak=event.speak, attachments=event.attachments
    )
    return [*dropped, *_start(it, start)]


def answer_text_instead(it: MachineState, event: ev.TextSubmitted) -> list[Effect]:
    """Answer what was typed, although Sori was listening."""
    return [*close_session(it, event), *answer_text(it, event)]


def answer_again(it: MachineState, event: ev.RetryPressed) -> list[Effect]:
    """Answer the newest message again, instead of whatever turn was running."""
    dropped = _drop_turn(it)
    it.requests += 1
    _name_turn(it)
    start = do.StartTurn(turn=it.turn, text="", origin=do.Origin.TEXT, speak=event.speak, again=True, model=event.model)
    return [*dropped, *_start(it, start)]


def answer_again_instead(it: MachineState, event: ev.RetryPressed) -> list[Effect]:
    """Answer the newest message again, although Sori was listening."""
    return [*close_session(it, event), *answer_again(it, event)]


def _start(it: MachineState, start: do.StartTurn) -> list[Effect]:
    it.processing = ProcessingState.STREAMING
    it.speaks = start.speak
    it.prompt = None
    return [start]


def ask_to_repeat(it: MachineState, _event: Event) -> list[Effect]:
    """Say that nothing was understood (V-11)."""
    it.misheard = True
    return _say(it, do.Prompt.MISHEARD)


def ask_whether_to_end(it: MachineState, _event: Event) -> list[Effect]:
    """Say the question that comes before the end of a session (V-02)."""
    return _say(it, do.Prompt.END_QUESTION)


def _say(it: MachineState, prompt: do.Prompt) -> list[Effect]:
    it.processing = ProcessingState.COMPLETE
    it.speaks = True
    it.prompt = prompt
    return [do.CancelTimer(timer=Timer.SILENCE), do.SayPrompt(turn=it.turn, prompt=prompt)]


def announce(it: MachineState, event: ev.AnnouncementDue) -> list[Effect]:
    """Say something by itself; nobody is being listened to or answered."""
    it.requests = 0
    it.misheard = False
    _name_turn(it)
    it.processing = ProcessingState.COMPLETE
    it.speaks = True
    return [do.PlayCue(cue=do.Cue.TIMER), do.SayText(turn=it.turn, text=event.text)]


def ring(_it: MachineState, _event: Event) -> list[Effect]:
    """Something is to be announced while Sori listens or answers: a sound must do."""
    return [do.PlayCue(cue=do.Cue.TIMER)]


def say_error(it: MachineState, event: ev.TurnFailed) -> list[Effect]:
    """Say what went wrong, after what is already being said."""
    complete(it, event)
    return [do.PlayCue(cue=do.Cue.ERROR), do.SayError(turn=it.turn, code=event.code)]


def ask_aloud(it: MachineState, event: ev.QuestionAsked) -> list[Effect]:
    """Say the question of the turn; its time runs from now on."""
    it.question, it.question_text = event.question, event.text
    it.asked_again = it.overheard = False
    return [do.StartTimer(turn=it.turn, timer=Timer.ANSWER), do.SayQuestion(turn=it.turn, text=event.text)]


def await_answer(it: MachineState, _event: Event) -> list[Effect]:
    """The question was said: listen for its answer, as the same turn."""
    it.overheard = False
    return [do.BeginListening(turn=it.turn)]


def hear_over_question(it: MachineState, _event: Event) -> list[Effect]:
    """The user speaks while the question is said: be silent and listen, but this cannot approve."""
    it.overheard = True
    return [do.StopSpeech(turn=it.turn), do.BeginListening(turn=it.turn, keep_onset=True)]


def note_speech(it: MachineState, event: ev.SpeechStarted) -> list[Effect]:
    """The user, or an echo of the question, is heard."""
    it.overheard = it.overheard or event.overheard
    return []


def approve(it: MachineState, _event: Event) -> list[Effect]:
    """The user has agreed."""
    return _answer(it, agrees=True)


def decline(it: MachineState, _event: Event) -> list[Effect]:
    """The user has not agreed, or not in time, or not clearly."""
    return _answer(it, agrees=False)


def _answer(it: MachineState, *, agrees: bool) -> list[Effect]:
    answer = do.AnswerQuestion(turn=it.turn, question=it.question, agrees=agrees)
    return [*_end_question(it), answer, do.SpeakOn(turn=it.turn)]


def go_on(it: MachineState, _event: Event) -> list[Effect]:
    """The question was answered elsewhere, or is over: the turn goes on."""
    return [*_end_question(it), do.SpeakOn(turn=it.turn)]


def _end_question(it: MachineState) -> list[Effect]:
    it.question = ""
    return [do.CancelTimer(timer=Timer.ANSWER), do.EndListening(turn=it.turn), do.StopSpeech(turn=it.turn)]


def ask_again(it: MachineState, _event: Event) -> list[Effect]:
    """The answer was neither yes nor no: ask once more."""
    it.asked_again = True
    it.overheard = False
    return [do.EndListening(turn=it.turn), do.SayQuestion(turn=it.turn, text=it.question_text, again=True)]


def hear_no_answer(it: MachineState, _event: Event) -> list[Effect]:
    """Nobody can be heard any more; the question waits for an answer by hand."""
    return [do.EndListening(turn=it.turn)]


def show_tool(it: MachineState, event: ev.ToolStarted) -> list[Effect]:
    """A tool runs."""
    it.processing = ProcessingState.TOOL_CALLING
    it.tool = event.name
    return []


def show_tool_result(it: MachineState, event: ev.ToolFinished) -> list[Effect]:
    """A tool returned; the model goes on."""
    it.processing = ProcessingState.TOOL_ERROR if event.failed else ProcessingState.STREAMING
    it.tool = event.name if event.failed else ""
    return []


def complete(it: MachineState, _event: Event) -> list[Effect]:
    """The model has finished; speech may still be to come."""
    it.processing = ProcessingState.COMPLETE
    it.tool = ""
    it.question = ""
    return []


def duck(it: MachineState, _event: Event) -> list[Effect]:
    """Perhaps the user speaks: lower the voice."""
    return [do.DuckSpeech(turn=it.turn)]


def restore(it: MachineState, _event: Event) -> list[Effect]:
    """The user did not speak: raise the voice."""
    return [do.RestoreSpeech(turn=it.turn)]


def hear_out(it: MachineState, _event: Event) -> list[Effect]:
    """The user speaks over the turn: drop it and listen, from the syllable already spoken."""
    dropped = _drop_turn(it)
    _name_turn(it)
    return [*dropped, do.BeginListening(turn=it.turn, keep_onset=True)]


def hear_rest(it: MachineState, event: ev.OverlapConfirmed) -> list[Effect]:
    """The user goes on, or says something else, just after the request: listen as to a barge-in; the words decide."""
    dropped = _drop_turn(it)
    _name_turn(it)
    return [*dropped, do.BeginListening(turn=it.turn, keep_onset=True, continues=event.turn)]


def stop_and_listen(it: MachineState, event: Event) -> list[Effect]:
    """Drop the turn and wait for the next utterance."""
    return [*_drop_turn(it), *listen(it, event)]


def finish_and_listen(it: MachineState, event: Event) -> list[Effect]:
    """The turn is over; wait for the next utterance."""
    _forget_turn(it)
    return listen(it, event)


def rest(it: MachineState, _event: Event) -> list[Effect]:
    """The turn is over, and nothing follows."""
    _forget_turn(it)
    return []


def rest_after_failure(it: MachineState, event: Event) -> list[Effect]:
    """The turn failed, and nothing follows."""
    return [do.PlayCue(cue=do.Cue.ERROR), *rest(it, event)]


def listen_after_failure(it: MachineState, event: Event) -> list[Effect]:
    """The turn failed; wait for the next utterance."""
    return [do.PlayCue(cue=do.Cue.ERROR), *finish_and_listen(it, event)]


def _drop_turn(it: MachineState) -> list[Effect]:
    """Cancel the turn that runs, if one does."""
    turn = it.turn
    runs = it.processing is not None
    _forget_turn(it)
    if not runs:
        return []
    return [do.StopSpeech(turn=turn), do.CancelTurn(turn=turn)]


def _forget_turn(it: MachineState) -> None:
    it.turn = NO_TURN
    it.processing = None
    it.tool = ""
    it.prompt = None
    it.question = ""
    it.speaks = False


def _name_turn(it: MachineState) -> None:
    it.turn = it.name_turn()
