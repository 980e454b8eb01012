"""The actions of the interaction machine's rules: each updates the machine's state and returns effects.

An action runs after its rule has set the interaction and session states.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.effects import Effect
from assistant.core.machine.events import Event, Timer
from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, SessionState, TurnId


@dataclass(slots=True)
class MachineState:
    """The whole state of the machine.

    Attributes:
        name_turn: makes the id of a new turn.
        state: the interaction state.
        session: the session state.
        processing: the sub-state of the running turn; ``None`` when no turn runs.
        tool: name of the tool that runs or failed; empty otherwise.
        turn: id of the current turn; ``NO_TURN`` when idle.
        requests: requests in this session. While it is 0, the wake word may have been a false alarm.
        misheard: whether Sori has just asked the user to repeat.
        prompt: the fixed sentence that the current turn says instead of an answer.
        speaks: whether the current turn is read aloud.
        question: id of the question that was asked aloud and is not answered yet; empty for none.
        question_text: the text of that question.
        wants_words: whether its answer is words, not yes or no.
        changeable: whether other words than a yes or a no are a new request.
        answer_within_s: seconds for its answer.
        heard: whether it was said to its end, or interrupted, so that the time for its answer counts.
        asked_again: whether that question was asked a second time.
        may_be_echo: whether the present utterance may be an echo, because it began during Sori's speech or shortly
            after it. Such an utterance approves nothing.
        rings: whether a timer rings. Silence does not end the session meanwhile.
        only_ringing: whether Sori listens only because a timer rings. Then it obeys stop words, plain commands and what
            begins with its name, and ignores other speech, which may be a television.
        once: whether the session ends with the next utterance, because an answer outside a session was interrupted.
        by_voice: whether the current turn answers something that was spoken.
        deferred: the events that wait for a state whose rule does not defer them, oldest first.
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
    wants_words: bool = False
    changeable: bool = False
    answer_within_s: float = 0.0
    heard: bool = False
    asked_again: bool = False
    may_be_echo: bool = False
    rings: bool = False
    only_ringing: bool = False
    once: bool = False
    by_voice: bool = False
    deferred: list[Event] = field(default_factory=list)


def do_nothing(_it: MachineState, _event: Event) -> list[Effect]:
    """Give no effects. The rule may still change the states."""
    return []


def open_session(it: MachineState, event: Event) -> list[Effect]:
    """Begin a spoken conversation; cancel the running turn."""
    it.requests = 0
    it.misheard = it.only_ringing = it.once = False
    return [*_drop_turn(it), do.PlayCue(cue=do.Cue.AWAKE), *listen(it, event)]


def listen(it: MachineState, _event: Event) -> list[Effect]:
    """Listen for the next utterance until the silence timeout."""
    _name_turn(it)
    return [
        do.BeginListening(turn=it.turn),
        do.StartTimer(turn=it.turn, timer=Timer.SILENCE),
    ]


def keep_listening(it: MachineState, _event: Event) -> list[Effect]:
    """Listen on after noise. The silence timeout is not restarted, so that noise cannot keep Sori listening forever."""
    _name_turn(it)
    return [
        do.BeginListening(turn=it.turn),
        do.StartTimer(turn=it.turn, timer=Timer.SILENCE, resumed=True),
    ]


def end_silence(_it: MachineState, _event: Event) -> list[Effect]:
    """Stop the silence timeout: the user has begun to speak."""
    return [do.StopTimer(timer=Timer.SILENCE)]


def close_session(it: MachineState, _event: Event) -> list[Effect]:
    """End the spoken conversation while Sori listens. A turn that waits for an answer is cancelled."""
    turn = it.turn
    it.once = False
    dropped = _drop_turn(it)
    return [do.StopTimer(timer=Timer.SILENCE), do.EndListening(turn=turn), *dropped]


def abort_session(it: MachineState, event: Event) -> list[Effect]:
    """Cancel the running turn and become idle."""
    return [*_drop_turn(it), *become_idle(it, event)]


def answer_speech(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Answer the utterance."""
    it.requests += 1
    it.misheard = False
    return [
        do.StopTimer(timer=Timer.SILENCE),
        do.PlayCue(cue=do.Cue.HEARD),
        *_start(it, do.StartTurn(turn=it.turn, text=event.text)),
    ]


def answer_joined(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Answer both halves of a request whose first half was answered too early. They count as one request."""
    it.misheard = False
    start = do.StartTurn(turn=it.turn, text=event.text, continues=event.continues, rest=event.rest)
    return [do.StopTimer(timer=Timer.SILENCE), do.PlayCue(cue=do.Cue.HEARD), *_start(it, start)]


def follow_turn(it: MachineState, event: ev.TurnBegan) -> list[Effect]:
    """Follow a turn that was begun elsewhere; cancel the running one."""
    dropped = _drop_turn(it)
    it.requests += 1
    it.turn = event.turn
    return [*dropped, *_start(it, do.JoinTurn(turn=event.turn, aloud=event.aloud))]


def stop_listening_and_follow_turn(it: MachineState, event: ev.TurnBegan) -> list[Effect]:
    """Stop listening and follow a turn that was begun elsewhere."""
    return [*close_session(it, event), *follow_turn(it, event)]


def _start(it: MachineState, start: do.StartTurn | do.JoinTurn) -> list[Effect]:
    it.processing = ProcessingState.STREAMING
    it.by_voice = isinstance(start, do.StartTurn)
    it.speaks = isinstance(start, do.StartTurn) or start.aloud
    it.prompt = None
    it.only_ringing = it.once = False
    return [start]


def ask_to_repeat(it: MachineState, _event: Event) -> list[Effect]:
    """Say that the utterance was not understood (V-11)."""
    it.misheard = True
    return _say(it, do.Prompt.MISHEARD)


def ask_whether_to_end(it: MachineState, _event: Event) -> list[Effect]:
    """Ask whether to end the session (V-02)."""
    return _say(it, do.Prompt.END_QUESTION)


def _say(it: MachineState, prompt: do.Prompt) -> list[Effect]:
    it.processing = ProcessingState.COMPLETE
    it.speaks = True
    it.prompt = prompt
    return [do.StopTimer(timer=Timer.SILENCE), do.SayPrompt(turn=it.turn, prompt=prompt)]


def announce(it: MachineState, event: ev.AnnouncementDue) -> list[Effect]:
    """Say an announcement while Sori is idle."""
    it.requests = 0
    return _announce(it, event)


def announce_and_listen_again(it: MachineState, event: ev.AnnouncementDue) -> list[Effect]:
    """Say an announcement while Sori listens and nobody speaks. The spoken conversation goes on afterwards."""
    ended: list[Effect] = [do.StopTimer(timer=Timer.SILENCE), do.EndListening(turn=it.turn)]
    return [*ended, *_announce(it, event)]


def _announce(it: MachineState, event: ev.AnnouncementDue) -> list[Effect]:
    it.misheard = it.only_ringing = it.once = False
    _name_turn(it)
    it.processing = ProcessingState.COMPLETE
    it.speaks = True
    return [*_call(event), do.SayText(turn=it.turn, text=event.text)]


def ring(_it: MachineState, event: ev.AnnouncementDue) -> list[Effect]:
    """Play a sound. The announcement waits, because the user speaks or Sori answers."""
    return _call(event)


def _call(event: ev.AnnouncementDue) -> list[Effect]:
    """Call for attention, unless the user wants to hear the text."""
    return [] if event.wanted else [do.PlayCue(cue=do.Cue.TIMER)]


def note_ringing(it: MachineState, event: ev.RingingChanged) -> list[Effect]:
    """Remember whether a timer rings. Announcements that wait are out of date when none does."""
    it.rings = event.rings
    it.only_ringing &= event.rings
    if not event.rings:
        it.deferred.clear()
    return []


def listen_while_it_rings(it: MachineState, event: Event) -> list[Effect]:
    """Listen on, so that "stop" needs no wake word while a timer rings."""
    it.only_ringing = True
    return listen(it, event)


def say_error(it: MachineState, event: ev.TurnFailed) -> list[Effect]:
    """Say the error after the sentences that are already being spoken."""
    complete(it, event)
    return [do.PlayCue(cue=do.Cue.ERROR), do.SayError(turn=it.turn, code=event.code)]


def ask_aloud(it: MachineState, event: ev.QuestionAsked) -> list[Effect]:
    """Say the turn's question."""
    it.question, it.question_text, it.wants_words = event.question, event.text, event.words
    it.answer_within_s, it.changeable = event.within_s, event.changeable
    it.heard = it.asked_again = it.may_be_echo = False
    return [do.SayQuestion(turn=it.turn, question=event.question, text=event.text, words=event.words)]


def count_time(it: MachineState, _event: Event) -> list[Effect]:
    """The question was heard: start the timer for its answer. Noise does not start it again."""
    if it.heard:
        return []
    it.heard = True
    return [do.AwaitAnswer(turn=it.turn, question=it.question, within_s=it.answer_within_s)]


def await_answer(it: MachineState, event: Event) -> list[Effect]:
    """Listen for the answer to the question, within the same turn."""
    it.may_be_echo = False
    return [do.BeginListening(turn=it.turn), *count_time(it, event)]


def interrupt_question(it: MachineState, event: Event) -> list[Effect]:
    """Stop saying the question and listen, because the user speaks. This utterance cannot approve anything."""
    it.may_be_echo = True
    listening = do.BeginListening(turn=it.turn, keep_onset=True)
    return [do.StopSpeech(turn=it.turn), listening, *count_time(it, event)]


def note_echo(it: MachineState, event: ev.SpeechStarted) -> list[Effect]:
    """Remember whether the utterance may be an echo of the question."""
    it.may_be_echo = it.may_be_echo or event.may_be_echo
    return []


def approve(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Answer the question with yes."""
    return _answer(it, agrees=True, said=event.text)


def answer_in_words(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Answer the question with the words of the utterance."""
    return _answer(it, agrees=True, text=event.text)


def change_instead(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Leave the question open and answer the utterance, which changes what was asked about."""
    return [*_end_question(it), *_drop_turn(it), *answer_speech(it, event)]


def decline(it: MachineState, event: ev.UtteranceTranscribed) -> list[Effect]:
    """Answer the question with no: the user refused."""
    return _answer(it, agrees=False, said=event.text)


def give_up(it: MachineState, _event: Event) -> list[Effect]:
    """Tell the turn that the user gave no clear answer in time."""
    return _answer(it, agrees=None)


def _answer(it: MachineState, *, agrees: bool | None, text: str = "", said: str = "") -> list[Effect]:
    answer = do.AnswerQuestion(turn=it.turn, question=it.question, agrees=agrees, text=text, said=said)
    return [*_end_question(it), answer, do.ResumeReading(turn=it.turn)]


def resume_turn(it: MachineState, _event: Event) -> list[Effect]:
    """Continue the turn, because the question was answered by hand or waits no more."""
    return [*_end_question(it), do.ResumeReading(turn=it.turn)]


def _end_question(it: MachineState) -> list[Effect]:
    it.question = ""
    return [do.StopTimer(timer=Timer.ANSWER), do.EndListening(turn=it.turn), do.StopSpeech(turn=it.turn)]


def ask_again(it: MachineState, _event: Event) -> list[Effect]:
    """Ask the question once more, because the answer was unclear or may be an echo. Its time begins again."""
    it.asked_again = True
    it.heard = it.may_be_echo = False
    said = do.SayQuestion(turn=it.turn, question=it.question, text=it.question_text, again=True, words=it.wants_words)
    return [do.StopTimer(timer=Timer.ANSWER), do.EndListening(turn=it.turn), said]


def stop_awaiting_answer(it: MachineState, _event: Event) -> list[Effect]:
    """Stop listening for the answer, because the microphone is lost. The question can still be answered by hand."""
    return [do.EndListening(turn=it.turn)]


def show_tool(it: MachineState, event: ev.ToolStarted) -> list[Effect]:
    """Show the tool that runs."""
    it.processing = ProcessingState.TOOL_CALLING
    it.tool = event.name
    return []


def show_tool_result(it: MachineState, event: ev.ToolFinished) -> list[Effect]:
    """Show that the tool failed, or that the model goes on."""
    it.processing = ProcessingState.TOOL_ERROR if event.failed else ProcessingState.STREAMING
    it.tool = event.name if event.failed else ""
    return []


def complete(it: MachineState, _event: Event) -> list[Effect]:
    """Mark the model's part of the turn as complete. Speech may still follow."""
    it.processing = ProcessingState.COMPLETE
    it.tool = ""
    it.question = ""
    return []


def duck(it: MachineState, _event: Event) -> list[Effect]:
    """Lower the voice, because the user may be speaking."""
    return [do.DuckSpeech(turn=it.turn)]


def pause(it: MachineState, _event: Event) -> list[Effect]:
    """Pause the voice, because somebody speaks. The turn goes on until it is known that the user interrupts."""
    return [do.PauseSpeech(turn=it.turn)]


def restore(it: MachineState, _event: Event) -> list[Effect]:
    """Speak on where the voice was paused, because nobody interrupts."""
    return [do.RestoreSpeech(turn=it.turn)]


def barge_in(it: MachineState, _event: Event) -> list[Effect]:
    """Cancel the turn, because the user speaks over it. Listen from the user's first syllable."""
    dropped = _drop_turn(it)
    _name_turn(it)
    return [*dropped, do.BeginListening(turn=it.turn, keep_onset=True)]


def listen_for_rest(it: MachineState, event: ev.OverlapConfirmed) -> list[Effect]:
    """Barge-in just after the request: the utterance may be the rest of the request. Its words decide that later."""
    dropped = _drop_turn(it)
    _name_turn(it)
    return [*dropped, do.BeginListening(turn=it.turn, keep_onset=True, continues=event.turn)]


def barge_in_once(it: MachineState, event: ev.OverlapConfirmed) -> list[Effect]:
    """Barge-in outside a session: hear one utterance, as with the talk key. It may also be the rest of the request."""
    it.requests, it.misheard, it.once = 0, False, True
    return listen_for_rest(it, event) if event.soon and it.by_voice else barge_in(it, event)


def stop_and_listen(it: MachineState, event: Event) -> list[Effect]:
    """Cancel the turn and listen for the next utterance."""
    return [*_drop_turn(it), *listen(it, event)]


def finish_and_listen(it: MachineState, event: Event) -> list[Effect]:
    """End the finished turn and listen for the next utterance."""
    _clear_turn(it)
    return listen(it, event)


def leave_and_listen(it: MachineState, event: Event) -> list[Effect]:
    """Let the turn go on in the conversation that the user has left, and listen for the next utterance.

    Whoever speaks now says nothing to that turn, so it waits for nobody.
    """
    return [do.RestoreSpeech(turn=it.turn), *finish_and_listen(it, event)]


def become_idle(it: MachineState, _event: Event) -> list[Effect]:
    """End the finished turn."""
    _clear_turn(it)
    return []


def become_idle_after_failure(it: MachineState, event: Event) -> list[Effect]:
    """End the failed turn with the error sound."""
    return [do.PlayCue(cue=do.Cue.ERROR), *become_idle(it, event)]


def listen_after_failure(it: MachineState, event: Event) -> list[Effect]:
    """End the failed turn with the error sound and listen for the next utterance."""
    return [do.PlayCue(cue=do.Cue.ERROR), *finish_and_listen(it, event)]


def _drop_turn(it: MachineState) -> list[Effect]:
    """Cancel the running turn, if there is one."""
    turn = it.turn
    runs = it.processing is not None
    _clear_turn(it)
    if not runs:
        return []
    return [do.StopSpeech(turn=turn), do.CancelTurn(turn=turn)]


def _clear_turn(it: MachineState) -> None:
    it.turn = NO_TURN
    it.processing = None
    it.tool = ""
    it.prompt = None
    it.question = ""
    it.speaks = it.by_voice = False


def _name_turn(it: MachineState) -> None:
    it.turn = it.name_turn()
