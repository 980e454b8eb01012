"""The interaction machine: every row of its table, and what never happens."""

import random
from collections.abc import Callable, Iterable
from itertools import count, pairwise
from typing import get_args

import pytest

from assistant.core.errors import ErrorCode
from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event, Meaning, Timer
from assistant.core.machine.interaction import ALLOWED_HOPS, TABLE, ForbiddenTransitionError, Interaction
from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, SessionState, Snapshot, TurnId

IDLE, LISTENING, PROCESSING, SPEAKING = InteractionState
INACTIVE, ACTIVE, ENDING = SessionState


def names() -> Callable[[], TurnId]:
    """Names turns 1, 2, 3 …"""
    numbers = count(1)
    return lambda: TurnId(str(next(numbers)))


class Driver:
    """A machine, and short words for what happens to it."""

    def __init__(self) -> None:
        self.machine = Interaction(names())
        self.orders: list[do.Effect] = []
        self.typed = 0

    def tell(self, event: Event) -> list[do.Effect]:
        self.orders = self.machine.handle(event)
        return self.orders

    @property
    def now(self) -> Snapshot:
        return self.machine.snapshot

    @property
    def where(self) -> tuple[InteractionState, SessionState]:
        return self.now.interaction, self.now.session

    @property
    def turn(self) -> TurnId:
        return self.now.turn

    def wake(self) -> "Driver":
        self.tell(ev.WakeWordHeard(name="hey_jarvis"))
        return self

    def say(self, text: str = "몇 시야?", meaning: Meaning = Meaning.REQUEST) -> "Driver":
        self.tell(ev.SpeechStarted(turn=self.turn))
        self.tell(ev.UtteranceTranscribed(turn=self.turn, text=text, meaning=meaning))
        return self

    def first_audio(self) -> "Driver":
        self.tell(ev.FirstAudioReady(turn=self.turn))
        return self

    def spoken(self) -> "Driver":
        self.tell(ev.SpeechFinished(turn=self.turn))
        return self

    def answered(self) -> "Driver":
        """A whole turn is answered and spoken."""
        self.tell(ev.AnswerCompleted(turn=self.turn, will_speak=True))
        return self.first_audio().spoken()

    def silence(self) -> "Driver":
        self.tell(ev.TimerFired(turn=self.turn, timer=Timer.SILENCE))
        return self

    def write(self, *, speak: bool = False) -> "Driver":
        """A message was typed; its turn begins without the machine."""
        self.typed += 1
        self.tell(ev.TurnBegan(turn=TurnId(f"typed {self.typed}"), aloud=speak))
        return self

    def ordered(self, kind: type[do.Effect]) -> list[do.Effect]:
        return [order for order in self.orders if isinstance(order, kind)]


@pytest.fixture
def it() -> Driver:
    return Driver()


def test_wake_word_opens_a_session_and_listens_with_a_silence_timer(it: Driver) -> None:
    it.wake()
    assert it.where == (LISTENING, ACTIVE)
    assert it.orders == [
        do.PublishState(snapshot=it.now),
        do.PlayCue(cue=do.Cue.AWAKE),
        do.BeginListening(turn=it.turn),
        do.StartTimer(turn=it.turn, timer=Timer.SILENCE),
    ]


def test_toggle_opens_and_closes_a_session(it: Driver) -> None:
    it.tell(ev.VoiceToggled())
    assert it.where == (LISTENING, ACTIVE)
    listening = it.turn
    it.tell(ev.VoiceToggled())
    assert it.where == (IDLE, INACTIVE)
    assert it.orders[1:] == [do.StopTimer(timer=Timer.SILENCE), do.EndListening(turn=listening)]


def test_nobody_speaks_after_waking_so_the_session_closes_without_a_word(it: Driver) -> None:
    it.wake().silence()
    assert it.where == (IDLE, INACTIVE)
    assert not it.ordered(do.SayPrompt)
    assert not it.ordered(do.StartTurn)


def test_speech_stops_the_silence_timer(it: Driver) -> None:
    it.wake()
    assert it.tell(ev.SpeechStarted(turn=it.turn)) == [do.StopTimer(timer=Timer.SILENCE)]


def test_utterance_starts_a_spoken_turn_with_the_same_id(it: Driver) -> None:
    turn = it.wake().turn
    it.say("몇 시야?")
    assert it.where == (PROCESSING, ACTIVE)
    assert it.ordered(do.StartTurn) == [
        do.StartTurn(turn=turn, text="몇 시야?"),
    ]
    assert it.now.processing is ProcessingState.STREAMING


def test_spoken_answer_is_followed_by_listening_again(it: Driver) -> None:
    turn = it.wake().say().turn
    it.tell(ev.AnswerCompleted(turn=turn, will_speak=True))
    assert it.where == (PROCESSING, ACTIVE)
    it.first_audio()
    assert it.where == (SPEAKING, ACTIVE)
    it.spoken()
    assert it.where == (LISTENING, ACTIVE)
    assert it.turn != turn
    assert it.ordered(do.StartTimer)


def test_answer_without_speech_is_followed_by_listening_again(it: Driver) -> None:
    it.wake().say().tell(ev.AnswerCompleted(turn=it.turn, will_speak=False))
    assert it.where == (LISTENING, ACTIVE)


def test_speech_that_could_not_be_made_is_followed_by_listening(it: Driver) -> None:
    it.wake().say().tell(ev.AnswerCompleted(turn=it.turn, will_speak=True))
    it.spoken()
    assert it.where == (LISTENING, ACTIVE)


@pytest.mark.parametrize("meaning", [Meaning.YES, Meaning.STOP, Meaning.CLOSING])
def test_silence_in_a_used_session_asks_and_agreement_ends_it(it: Driver, meaning: Meaning) -> None:
    it.wake().say().answered().silence()
    assert it.where == (PROCESSING, ACTIVE)
    assert it.ordered(do.SayPrompt) == [do.SayPrompt(turn=it.turn, prompt=do.Prompt.END_QUESTION)]
    it.first_audio()
    assert it.where == (SPEAKING, ENDING)
    it.spoken()
    assert it.where == (LISTENING, ENDING)
    it.say("네", meaning)
    assert it.where == (IDLE, INACTIVE)


def test_no_to_the_end_question_keeps_the_session(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio().spoken().say("아니", Meaning.NO)
    assert it.where == (LISTENING, ACTIVE)
    assert it.ordered(do.StartTimer)


def test_request_instead_of_an_answer_to_the_end_question_is_answered(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio().spoken().say("내일 날씨는?")
    assert it.where == (PROCESSING, ACTIVE)


def test_unintelligible_answer_to_the_end_question_is_not_a_no_and_silence_ends_it(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio().spoken()
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=True))
    assert it.where == (LISTENING, ENDING)
    assert not it.ordered(do.SayPrompt)
    it.silence()
    assert it.where == (IDLE, INACTIVE)


def test_end_question_that_cannot_be_spoken_still_waits_for_an_answer(it: Driver) -> None:
    it.wake().say().answered().silence().spoken()
    assert it.where == (LISTENING, ENDING)


def test_closing_words_end_the_session_at_once(it: Driver) -> None:
    it.wake().say("그만할게", Meaning.CLOSING)
    assert it.where == (IDLE, INACTIVE)
    assert not it.ordered(do.StartTurn)


def test_stop_word_alone_reaches_no_model(it: Driver) -> None:
    it.wake().say("그만", Meaning.STOP)
    assert it.where == (LISTENING, ACTIVE)
    assert not it.ordered(do.StartTurn)


def test_yes_without_a_question_is_a_request(it: Driver) -> None:
    it.wake().say("네", Meaning.YES)
    assert it.where == (PROCESSING, ACTIVE)


def test_unintelligible_speech_is_asked_about_once_in_a_row(it: Driver) -> None:
    it.wake().tell(ev.UtteranceRejected(turn=it.turn, was_speech=True))
    assert it.ordered(do.SayPrompt) == [do.SayPrompt(turn=it.turn, prompt=do.Prompt.MISHEARD)]
    it.first_audio().spoken()
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=True))
    assert it.where == (LISTENING, ACTIVE)
    assert not it.ordered(do.SayPrompt)
    it.say().answered().tell(ev.UtteranceRejected(turn=it.turn, was_speech=True))
    assert it.ordered(do.SayPrompt)


def test_noise_is_passed_over_quietly(it: Driver) -> None:
    it.wake().tell(ev.UtteranceRejected(turn=it.turn, was_speech=False))
    assert it.where == (LISTENING, ACTIVE)
    assert not it.ordered(do.SayPrompt)


def test_noise_does_not_begin_the_silence_anew(it: Driver) -> None:
    it.wake()
    it.tell(ev.SpeechStarted(turn=it.turn))
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=False))
    assert do.StartTimer(turn=it.turn, timer=Timer.SILENCE, resumed=True) in it.orders


def test_barge_in_silences_cancels_and_keeps_the_first_syllable(it: Driver) -> None:
    turn = it.wake().say().first_audio().turn
    assert it.tell(ev.OverlapSuspected(turn=turn)) == [do.DuckSpeech(turn=turn)]
    it.tell(ev.OverlapConfirmed(turn=turn))
    assert it.where == (LISTENING, ACTIVE)
    assert it.orders[1:] == [
        do.StopSpeech(turn=turn),
        do.CancelTurn(turn=turn),
        do.BeginListening(turn=it.turn, keep_onset=True),
    ]


def test_false_alarm_restores_the_voice(it: Driver) -> None:
    turn = it.wake().say().first_audio().turn
    it.tell(ev.OverlapSuspected(turn=turn))
    assert it.tell(ev.OverlapHeard(turn=turn)) == [do.PauseSpeech(turn=turn)]
    assert it.where == (SPEAKING, ACTIVE)
    assert it.tell(ev.OverlapDismissed(turn=turn)) == [do.RestoreSpeech(turn=turn)]
    assert it.where == (SPEAKING, ACTIVE)


def test_speaking_while_it_thinks_cancels_the_turn(it: Driver) -> None:
    turn = it.wake().say().turn
    assert it.tell(ev.OverlapSuspected(turn=turn)) == []
    it.tell(ev.OverlapConfirmed(turn=turn))
    assert it.where == (LISTENING, ACTIVE)
    assert it.ordered(do.CancelTurn) == [do.CancelTurn(turn=turn)]


def test_an_answer_does_not_begin_while_somebody_speaks(it: Driver) -> None:
    turn = it.wake().say().turn
    assert it.tell(ev.OverlapHeard(turn=turn)) == [do.PauseSpeech(turn=turn)]
    assert it.tell(ev.OverlapDismissed(turn=turn)) == [do.RestoreSpeech(turn=turn)]
    assert it.where == (PROCESSING, ACTIVE)


@pytest.mark.parametrize("speaking", [False, True])
def test_a_paused_answer_goes_on_when_the_microphone_is_lost(it: Driver, speaking: bool) -> None:
    turn = it.wake().say().turn
    if speaking:
        it.first_audio()
    it.tell(ev.OverlapHeard(turn=turn))
    assert do.RestoreSpeech(turn=turn) in it.tell(ev.MicrophoneLost())


@pytest.mark.parametrize("speaking", [False, True])
def test_speaking_just_after_the_request_may_be_the_rest_of_it(it: Driver, speaking: bool) -> None:
    turn = it.wake().say("내일 서울").turn
    if speaking:
        it.first_audio()
    it.tell(ev.OverlapConfirmed(turn=turn, soon=True))
    assert it.where == (LISTENING, ACTIVE)
    assert it.ordered(do.CancelTurn) == [do.CancelTurn(turn=turn)]
    assert it.ordered(do.BeginListening) == [do.BeginListening(turn=it.turn, keep_onset=True, continues=turn)]
    it.tell(ev.UtteranceTranscribed(turn=it.turn, text="내일 서울 날씨 어때?", continues=turn, rest="날씨 어때?"))
    start = do.StartTurn(
        turn=it.turn,
        text="내일 서울 날씨 어때?",
        continues=turn,
        rest="날씨 어때?",
    )
    assert it.ordered(do.StartTurn) == [start]


def test_speaking_over_a_question_of_soris_own_is_its_answer(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio()
    it.tell(ev.OverlapConfirmed(turn=it.turn, soon=True))
    assert it.ordered(do.BeginListening) == [do.BeginListening(turn=it.turn, keep_onset=True)]


def test_barge_in_over_the_end_question_answers_it(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio()
    it.tell(ev.OverlapConfirmed(turn=it.turn))
    assert it.where == (LISTENING, ENDING)


@pytest.mark.parametrize("speaking", [False, True])
def test_wake_word_over_a_typed_turn_takes_over(it: Driver, speaking: bool) -> None:
    turn = it.write(speak=True).turn
    if speaking:
        it.first_audio()
    it.wake()
    assert it.where == (LISTENING, ACTIVE)
    assert it.ordered(do.CancelTurn) == [do.CancelTurn(turn=turn)]


def test_typed_turn_needs_no_session_and_ends_idle(it: Driver) -> None:
    it.write()
    assert it.where == (PROCESSING, INACTIVE)
    assert it.ordered(do.JoinTurn) == [do.JoinTurn(turn=TurnId("typed 1"), aloud=False)]
    it.tell(ev.AnswerCompleted(turn=it.turn, will_speak=False))
    assert it.where == (IDLE, INACTIVE)
    assert it.turn == NO_TURN


def test_typed_turn_may_speak_without_a_session(it: Driver) -> None:
    it.write(speak=True).tell(ev.AnswerCompleted(turn=it.turn, will_speak=True))
    it.first_audio()
    assert it.where == (SPEAKING, INACTIVE)
    it.spoken()
    assert it.where == (IDLE, INACTIVE)


def test_typed_turn_whose_speech_cannot_be_made_ends_idle(it: Driver) -> None:
    it.write(speak=True).tell(ev.AnswerCompleted(turn=it.turn, will_speak=True))
    it.spoken()
    assert it.where == (IDLE, INACTIVE)


def test_typing_while_listening_takes_over_and_listening_returns_after_the_answer(it: Driver) -> None:
    listening = it.wake().turn
    it.write()
    assert it.where == (PROCESSING, ACTIVE)
    assert do.EndListening(turn=listening) in it.orders
    it.tell(ev.AnswerCompleted(turn=it.turn, will_speak=False))
    assert it.where == (LISTENING, ACTIVE)


@pytest.mark.parametrize("session", [False, True])
@pytest.mark.parametrize("speaking", [False, True])
def test_typing_barges_in(it: Driver, session: bool, speaking: bool) -> None:
    old = it.wake().say().turn if session else it.write(speak=True).turn
    if speaking:
        it.first_audio()
    it.write()
    assert it.where == (PROCESSING, ACTIVE if session else INACTIVE)
    assert do.CancelTurn(turn=old) in it.orders
    assert it.turn != old


def test_stop_while_listening_ends_the_session(it: Driver) -> None:
    it.wake().tell(ev.StopPressed())
    assert it.where == (IDLE, INACTIVE)


@pytest.mark.parametrize("speaking", [False, True])
def test_stop_in_a_session_cancels_the_turn_and_listens(it: Driver, speaking: bool) -> None:
    turn = it.wake().say().turn
    if speaking:
        it.first_audio()
    it.tell(ev.StopPressed())
    assert it.where == (LISTENING, ACTIVE)
    assert do.CancelTurn(turn=turn) in it.orders
    assert it.ordered(do.StartTimer)


@pytest.mark.parametrize("speaking", [False, True])
def test_stop_without_a_session_cancels_the_turn(it: Driver, speaking: bool) -> None:
    turn = it.write(speak=True).turn
    if speaking:
        it.first_audio()
    it.tell(ev.StopPressed())
    assert it.where == (IDLE, INACTIVE)
    assert do.CancelTurn(turn=turn) in it.orders


def test_stop_over_the_end_question_ends_the_session(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio().tell(ev.StopPressed())
    assert it.where == (IDLE, INACTIVE)


def test_a_silent_answer_goes_on_in_the_conversation_that_is_left(it: Driver) -> None:
    it.write()
    orders = it.tell(ev.ConversationLeft())
    assert it.where == (IDLE, INACTIVE)
    assert [type(order) for order in orders] == [do.PublishState]


def test_a_silent_answer_goes_on_and_a_session_listens_when_the_conversation_is_left(it: Driver) -> None:
    old = it.wake().write().turn
    it.tell(ev.ConversationLeft())
    assert it.where == (LISTENING, ACTIVE)
    assert it.turn != old
    assert not it.ordered(do.CancelTurn)
    assert do.RestoreSpeech(turn=old) in it.orders, "somebody may be speaking over it"


@pytest.mark.parametrize("speaking", [False, True])
@pytest.mark.parametrize(("session", "where"), [(True, (LISTENING, ACTIVE)), (False, (IDLE, INACTIVE))])
def test_an_answer_that_is_read_aloud_stops_when_the_conversation_is_left(
    it: Driver, session: bool, where: tuple[InteractionState, SessionState], speaking: bool
) -> None:
    turn = it.wake().say().turn if session else it.write(speak=True).turn
    if speaking:
        it.first_audio()
    it.tell(ev.ConversationLeft())
    assert it.where == where
    assert do.CancelTurn(turn=turn) in it.orders


def test_listening_goes_on_when_the_conversation_is_left(it: Driver) -> None:
    assert it.wake().tell(ev.ConversationLeft()) == []
    assert it.where == (LISTENING, ACTIVE)


def test_leaving_a_conversation_while_idle_does_nothing(it: Driver) -> None:
    assert it.tell(ev.ConversationLeft()) == []


def test_stop_while_idle_does_nothing(it: Driver) -> None:
    assert it.tell(ev.StopPressed()) == []


@pytest.mark.parametrize("speaking", [False, True])
def test_toggle_off_ends_everything(it: Driver, speaking: bool) -> None:
    turn = it.wake().say().turn
    if speaking:
        it.first_audio()
    it.tell(ev.VoiceToggled())
    assert it.where == (IDLE, INACTIVE)
    assert do.CancelTurn(turn=turn) in it.orders


@pytest.mark.parametrize("speaking", [False, True])
def test_toggle_on_during_a_typed_turn_lets_it_finish_and_then_listens(it: Driver, speaking: bool) -> None:
    it.write(speak=True)
    if speaking:
        it.first_audio()
    it.tell(ev.VoiceToggled())
    assert not it.ordered(do.CancelTurn)
    it.spoken()
    assert it.where == (LISTENING, ACTIVE)


@pytest.mark.parametrize("speaking", [False, True])
def test_lost_microphone_ends_the_session_but_not_the_answer(it: Driver, speaking: bool) -> None:
    it.wake().say()
    if speaking:
        it.first_audio()
    it.tell(ev.MicrophoneLost())
    assert it.where == (SPEAKING if speaking else PROCESSING, INACTIVE)
    it.spoken()
    assert it.where == (IDLE, INACTIVE)


def test_lost_microphone_while_listening_ends_the_session(it: Driver) -> None:
    it.wake().tell(ev.MicrophoneLost())
    assert it.where == (IDLE, INACTIVE)


def test_lost_microphone_while_idle_changes_nothing(it: Driver) -> None:
    assert it.tell(ev.MicrophoneLost()) == []


@pytest.mark.parametrize("speaking", [False, True])
def test_tools_show_as_sub_states(it: Driver, speaking: bool) -> None:
    it.wake().say()
    if speaking:
        it.first_audio()
    it.tell(ev.ToolStarted(turn=it.turn, name="clock"))
    assert (it.now.processing, it.now.tool) == (ProcessingState.TOOL_CALLING, "clock")
    it.tell(ev.ToolFinished(turn=it.turn, name="clock", failed=True))
    assert (it.now.processing, it.now.tool) == (ProcessingState.TOOL_ERROR, "clock")
    it.tell(ev.ToolStarted(turn=it.turn, name="clock"))
    it.tell(ev.ToolFinished(turn=it.turn, name="clock", failed=False))
    assert (it.now.processing, it.now.tool) == (ProcessingState.STREAMING, "")


@pytest.mark.parametrize("speaking", [False, True])
def test_failure_of_a_spoken_turn_is_said_aloud_before_listening(it: Driver, speaking: bool) -> None:
    it.wake().say()
    if speaking:
        it.first_audio()
    it.tell(ev.TurnFailed(turn=it.turn, code=ErrorCode.NETWORK))
    assert do.SayError(turn=it.turn, code=ErrorCode.NETWORK) in it.orders
    if not speaking:
        it.first_audio()
    it.spoken()
    assert it.where == (LISTENING, ACTIVE)


def test_failure_of_a_silent_turn_ends_idle_with_a_cue(it: Driver) -> None:
    it.write().tell(ev.TurnFailed(turn=it.turn, code=ErrorCode.NETWORK))
    assert it.where == (IDLE, INACTIVE)
    assert do.PlayCue(cue=do.Cue.ERROR) in it.orders


def test_failure_of_a_typed_turn_in_a_session_listens_again(it: Driver) -> None:
    it.wake().write().tell(ev.TurnFailed(turn=it.turn, code=ErrorCode.NETWORK))
    assert it.where == (LISTENING, ACTIVE)


def test_an_announcement_is_said_when_nothing_else_goes_on(it: Driver) -> None:
    it.tell(ev.AnnouncementDue(text="5분이 지났어요."))
    assert it.where == (PROCESSING, INACTIVE)
    assert it.orders[1:] == [
        do.PlayCue(cue=do.Cue.TIMER),
        do.SayText(turn=it.turn, text="5분이 지났어요."),
    ]
    it.first_audio().spoken()
    assert it.where == (IDLE, INACTIVE)


def test_a_text_that_the_user_wants_to_hear_is_said_without_a_sound_before_it(it: Driver) -> None:
    it.tell(ev.AnnouncementDue(text="내일은 맑아요.", wanted=True))
    assert it.orders[1:] == [do.SayText(turn=it.turn, text="내일은 맑아요.")]
    it.first_audio().spoken()
    assert it.where == (IDLE, INACTIVE)


def test_after_an_announcement_that_awaits_a_reply_sori_listens_and_then_ends_without_a_question(it: Driver) -> None:
    it.tell(ev.AnnouncementDue(text="5분이 지났어요.", awaits_reply=True))
    assert it.where == (PROCESSING, ACTIVE)
    it.first_audio().spoken()
    assert it.where == (LISTENING, ACTIVE)
    it.tell(ev.TimerFired(turn=it.turn, timer=Timer.SILENCE))
    assert it.where == (IDLE, INACTIVE)


def announced(it: Driver) -> Driver:
    """A timer has begun to ring and Sori has said so."""
    it.tell(ev.RingingChanged(rings=True))
    it.tell(ev.AnnouncementDue(text="5분이 지났어요.", awaits_reply=True))
    return it.first_audio().spoken()


def test_sori_listens_for_a_stop_word_as_long_as_a_timer_rings(it: Driver) -> None:
    announced(it).silence().silence().silence()
    assert it.where == (LISTENING, ACTIVE)
    it.say("그만", Meaning.STOP)
    assert it.where == (LISTENING, ACTIVE)
    it.tell(ev.RingingChanged(rings=False))
    it.silence()
    assert it.where == (IDLE, INACTIVE)


def test_silence_does_not_end_a_conversation_while_a_timer_rings(it: Driver) -> None:
    it.wake().say().answered().tell(ev.RingingChanged(rings=True))
    it.silence()
    assert it.where == (LISTENING, ACTIVE)
    it.tell(ev.RingingChanged(rings=False))
    assert it.silence().ordered(do.SayPrompt)


def test_a_timer_that_rings_after_the_end_question_withdraws_it(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio().spoken()
    it.tell(ev.RingingChanged(rings=True))
    assert it.silence().where == (LISTENING, ACTIVE)


def test_a_request_right_after_the_announcement_is_answered(it: Driver) -> None:
    assert announced(it).say("얼마나 지났어?").where == (PROCESSING, ACTIVE)


def test_speech_that_is_no_command_is_ignored_while_sori_listens_only_because_a_timer_rings(it: Driver) -> None:
    announced(it).silence().say("다음 소식입니다.")
    assert it.where == (LISTENING, ACTIVE)
    assert it.ordered(do.StartTimer)
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=True))
    assert it.where == (LISTENING, ACTIVE)
    it.say("타이머 꺼 줘", Meaning.COMMAND)
    assert it.where == (PROCESSING, ACTIVE)


def test_the_wake_word_makes_sori_answer_while_a_timer_rings(it: Driver) -> None:
    announced(it).silence().say("타이머 꺼 줘", Meaning.COMMAND).answered().silence()
    it.tell(ev.StopPressed())
    it.wake().say("얼마나 지났어?")
    assert it.where == (PROCESSING, ACTIVE)


def due(text: str = "5분이 지났어요.", *, user_speaks: bool = False) -> ev.AnnouncementDue:
    return ev.AnnouncementDue(text=text, user_speaks=user_speaks)


def taken(it: Driver) -> Event | None:
    """The deferred event that can be handled now, which is then handled."""
    event = it.machine.take_deferred(lambda event: event)
    if event is not None:
        it.tell(event)
    return event


@pytest.mark.parametrize("speaking", [False, True])
def test_an_announcement_rings_during_a_turn_and_is_said_after_it(it: Driver, speaking: bool) -> None:
    it.wake().say()
    if speaking:
        it.first_audio()
    before = it.now
    assert it.tell(due()) == [do.PlayCue(cue=do.Cue.TIMER)]
    assert it.now == before
    assert taken(it) is None
    it.answered() if not speaking else it.spoken()
    assert taken(it) == due()
    assert it.ordered(do.SayText) == [do.SayText(turn=it.turn, text=due().text)]
    assert it.where == (PROCESSING, ACTIVE)
    it.first_audio().spoken()
    assert it.where == (LISTENING, ACTIVE)
    assert taken(it) is None


def test_an_announcement_waits_for_the_end_of_what_the_user_says(it: Driver) -> None:
    it.wake()
    assert it.tell(due(user_speaks=True)) == [do.PlayCue(cue=do.Cue.TIMER)]
    assert taken(it) is None
    it.say("불 꺼 줘").answered()
    assert it.machine.take_deferred(lambda _event: due()) == due()


def test_announcements_are_said_one_after_another(it: Driver) -> None:
    for text in ("하나", "둘", "셋"):
        it.tell(due(text))
    assert it.where == (PROCESSING, INACTIVE)
    for text in ("둘", "셋"):
        assert taken(it) is None
        it.first_audio().spoken()
        assert taken(it) == due(text)
    it.first_audio().spoken()
    assert it.where == (IDLE, INACTIVE)


def test_an_announcement_takes_the_place_of_the_end_question(it: Driver) -> None:
    it.wake().say().answered().silence().first_audio().tell(due())
    it.spoken()
    assert it.where == (LISTENING, ENDING)
    assert taken(it) == due()
    assert it.where == (PROCESSING, ACTIVE)


def test_an_announcement_waits_for_the_answer_to_a_question() -> None:
    asking = Asking()
    asking.first_audio().spoken().tell(due())
    assert asking.where == (LISTENING, ACTIVE)
    assert taken(asking) is None
    asking.heard(Meaning.YES)
    assert asking.where == (PROCESSING, ACTIVE)
    asking.tell(ev.AnswerCompleted(turn=asking.turn, will_speak=False))
    assert taken(asking) == due()


def test_what_still_waits_is_not_announced_when_nothing_rings_any_more(it: Driver) -> None:
    it.wake().say().tell(ev.RingingChanged(rings=True))
    it.tell(due())
    it.tell(ev.RingingChanged(rings=False))
    it.answered()
    assert taken(it) is None


def outside(it: Driver, *, by_voice: bool, speaking: bool = True) -> Driver:
    """An answer outside a session: to a typed message, or to what was said with the talk key."""
    if by_voice:
        it.wake().say("내일 서울").tell(ev.MicrophoneLost())
    else:
        it.write(speak=True)
    assert it.now.session is INACTIVE
    return it.first_audio() if speaking else it


@pytest.mark.parametrize("by_voice", [False, True])
@pytest.mark.parametrize(
    ("meaning", "then"),
    [(Meaning.STOP, IDLE), (Meaning.CLOSING, IDLE), (Meaning.REQUEST, PROCESSING), (Meaning.COMMAND, PROCESSING)],
)
def test_one_utterance_over_an_answer_outside_a_session_is_heard(
    it: Driver, by_voice: bool, meaning: Meaning, then: InteractionState
) -> None:
    turn = outside(it, by_voice=by_voice).turn
    it.tell(ev.OverlapConfirmed(turn=turn))
    assert it.where == (LISTENING, ACTIVE)
    assert it.ordered(do.StopSpeech) == [do.StopSpeech(turn=turn)]
    assert it.ordered(do.CancelTurn) == [do.CancelTurn(turn=turn)]
    assert it.ordered(do.BeginListening) == [do.BeginListening(turn=it.turn, keep_onset=True)]
    it.tell(ev.UtteranceTranscribed(turn=it.turn, text="?", meaning=meaning))
    assert it.where == (then, INACTIVE)
    if then is PROCESSING:
        it.answered()
        assert it.where == (IDLE, INACTIVE)


@pytest.mark.parametrize("by_voice", [False, True])
def test_a_name_over_an_answer_outside_a_session_begins_one(it: Driver, by_voice: bool) -> None:
    it.tell(ev.OverlapConfirmed(turn=outside(it, by_voice=by_voice).turn, called=True))
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=False))
    assert it.where == (LISTENING, ACTIVE)


def test_a_name_before_the_request_over_an_answer_outside_a_session_begins_one(it: Driver) -> None:
    it.tell(ev.OverlapConfirmed(turn=outside(it, by_voice=False).turn))
    it.tell(ev.UtteranceTranscribed(turn=it.turn, text="자비스, 몇 시야?", addressed=True))
    assert it.where == (PROCESSING, ACTIVE)


def test_what_is_not_understood_over_an_answer_outside_a_session_is_asked_about_once(it: Driver) -> None:
    it.tell(ev.OverlapConfirmed(turn=outside(it, by_voice=False).turn))
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=True))
    assert it.ordered(do.SayPrompt) == [do.SayPrompt(turn=it.turn, prompt=do.Prompt.MISHEARD)]
    it.first_audio().spoken()
    assert it.where == (LISTENING, ACTIVE)
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=True))
    assert it.where == (IDLE, INACTIVE)


@pytest.mark.parametrize("last", ["noise", "silence", "typed"])
def test_nothing_keeps_listening_after_an_interruption_outside_a_session(it: Driver, last: str) -> None:
    it.tell(ev.OverlapConfirmed(turn=outside(it, by_voice=False).turn))
    if last == "noise":
        it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=False))
    elif last == "silence":
        it.silence()
    else:
        it.write().tell(ev.AnswerCompleted(turn=it.turn, will_speak=False))
    assert it.where == (IDLE, INACTIVE)


@pytest.mark.parametrize("speaking", [False, True])
def test_what_follows_the_release_of_the_talk_key_may_be_the_rest_of_the_request(it: Driver, speaking: bool) -> None:
    turn = outside(it, by_voice=True, speaking=speaking).turn
    it.tell(ev.OverlapConfirmed(turn=turn, soon=True))
    assert it.ordered(do.BeginListening) == [do.BeginListening(turn=it.turn, keep_onset=True, continues=turn)]
    it.tell(ev.UtteranceTranscribed(turn=it.turn, text="내일 서울 날씨?", continues=turn, rest="날씨?"))
    assert it.where == (PROCESSING, INACTIVE)


def test_speech_is_an_interruption_except_while_sori_thinks_about_a_typed_message(it: Driver) -> None:
    heard = [it.now.interruptible]
    steps: list[Callable[[], object]] = [
        lambda: it.write(speak=True),
        it.first_audio,
        lambda: it.tell(ev.StopPressed()),
        lambda: outside(it, by_voice=True, speaking=False),
        lambda: it.tell(ev.StopPressed()),
        it.wake,
        it.write,
    ]
    for step in steps:
        step()
        heard.append(it.now.interruptible)
    assert heard == [False, False, True, False, True, False, False, True]


def test_what_a_cancelled_turn_still_says_is_dropped(it: Driver) -> None:
    turn = it.wake().say().first_audio().turn
    it.tell(ev.OverlapConfirmed(turn=turn))
    before = it.now
    late: list[Event] = [
        ev.SpeechFinished(turn=turn),
        ev.TurnFailed(turn=turn, code=ErrorCode.NETWORK),
        ev.AnswerCompleted(turn=turn, will_speak=True),
        ev.FirstAudioReady(turn=turn),
        ev.ToolStarted(turn=turn, name="clock"),
    ]
    for event in late:
        assert it.tell(event) == []
        assert it.now == before


def test_what_cannot_be_raises(it: Driver) -> None:
    it.wake()
    with pytest.raises(ForbiddenTransitionError, match="FirstAudioReady while listening"):
        it.tell(ev.FirstAudioReady(turn=it.turn))


def test_every_path_in_the_table_walks_allowed_hops_only() -> None:
    for state, rows in TABLE.items():
        for rules in rows.values():
            for rule in rules:
                stops = (state, *rule.path)
                assert set(pairwise(stops)) <= ALLOWED_HOPS


def test_every_state_knows_every_user_event_and_ends_its_guards_openly() -> None:
    for rows in TABLE.values():
        for event in get_args(ev.UserEvent):
            assert rows[event][-1].when.name in {"", "no session"}


def test_unchanged_state_is_not_published_again(it: Driver) -> None:
    it.wake()
    assert not any(isinstance(order, do.PublishState) for order in it.tell(ev.SpeechStarted(turn=it.turn)))


def _users_event(dice: random.Random) -> Event:
    events: list[Callable[[], Event]] = [
        lambda: ev.WakeWordHeard(name="x"),
        ev.VoiceToggled,
        lambda: ev.TurnBegan(turn=TurnId(f"typed {dice.random()}"), aloud=dice.random() < 0.5),
        ev.StopPressed,
        ev.ConversationLeft,
        ev.MicrophoneLost,
        lambda: ev.AnnouncementDue(text="t", awaits_reply=dice.random() < 0.5, user_speaks=dice.random() < 0.5),
        lambda: ev.RingingChanged(rings=dice.random() < 0.5),
    ]
    return dice.choice(events)()


def _event_of(turn: TurnId, dice: random.Random) -> Event:
    events: list[Callable[[], Event]] = [
        lambda: ev.SpeechStarted(turn=turn),
        lambda: ev.UtteranceTranscribed(turn=turn, text="t", meaning=dice.choice(list(Meaning))),
        lambda: ev.UtteranceRejected(turn=turn, was_speech=dice.random() < 0.5),
        lambda: ev.TimerFired(turn=turn, timer=dice.choice(list(Timer))),
        lambda: ev.QuestionAsked(turn=turn, question="q", text="May I?", within_s=30.0),
        lambda: ev.QuestionClosed(turn=turn, question=dice.choice(["q", "r"])),
        lambda: ev.ToolStarted(turn=turn, name="t"),
        lambda: ev.ToolFinished(turn=turn, name="t", failed=dice.random() < 0.5),
        lambda: ev.AnswerCompleted(turn=turn, will_speak=dice.random() < 0.5),
        lambda: ev.TurnFailed(turn=turn, code=ErrorCode.TIMEOUT),
        lambda: ev.FirstAudioReady(turn=turn),
        lambda: ev.SpeechFinished(turn=turn),
        lambda: ev.OverlapSuspected(turn=turn),
        lambda: ev.OverlapHeard(turn=turn),
        lambda: ev.OverlapDismissed(turn=turn),
        lambda: ev.OverlapConfirmed(turn=turn, soon=dice.random() < 0.5, called=dice.random() < 0.5),
    ]
    return dice.choice(events)()


def _any_event(turn: TurnId, dice: random.Random) -> Event:
    stale = TurnId("0")
    # Users interfere seldom enough for whole conversations to happen.
    if dice.random() < 0.1:
        return _users_event(dice)
    return _event_of(dice.choice([turn, turn, turn, stale]), dice)


def _check(now: Snapshot) -> None:
    assert (now.interaction is IDLE) == (now.turn == NO_TURN)
    if now.interaction is IDLE:
        assert now.session is INACTIVE
    if now.interaction is LISTENING:
        assert now.session is not INACTIVE
    if now.session is ENDING:
        assert now.interaction in {LISTENING, SPEAKING}
    assert (now.processing is None) == (now.interaction in {IDLE, LISTENING})
    if now.question:
        assert now.interaction is not IDLE
    assert bool(now.tool) == (now.processing in {ProcessingState.TOOL_CALLING, ProcessingState.TOOL_ERROR})


def _listeners(orders: Iterable[do.Effect], listening: bool) -> bool:
    for order in orders:
        if isinstance(order, do.BeginListening):
            listening = True
        elif isinstance(order, do.EndListening | do.StartTurn | do.JoinTurn | do.SayPrompt | do.SayText):
            listening = False
    return listening


def _walk(seed: int) -> set[tuple[InteractionState, SessionState]]:
    """Thousands of random events; checks each state and returns those that were reached."""
    dice = random.Random(seed)
    machine = Interaction(names())
    listening = False
    reached = set()
    for _ in range(4000):
        event = _any_event(machine.snapshot.turn, dice)
        before = machine.snapshot
        try:
            orders = machine.handle(event)
        except ForbiddenTransitionError:
            assert machine.snapshot == before
            continue
        now = machine.snapshot
        _check(now)
        listening = _listeners(orders, listening)
        assert listening == (now.interaction is LISTENING)
        reached.add((now.interaction, now.session))
    return reached


def test_random_walks_reach_every_combination_but_the_forbidden_ones() -> None:
    reached = set().union(*(_walk(seed) for seed in range(12)))
    assert reached == {
        (IDLE, INACTIVE),
        (LISTENING, ACTIVE),
        (LISTENING, ENDING),
        (PROCESSING, INACTIVE),
        (PROCESSING, ACTIVE),
        (SPEAKING, INACTIVE),
        (SPEAKING, ACTIVE),
        (SPEAKING, ENDING),
    }


class Asking(Driver):
    """A spoken turn that has asked a question."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = self.wake().say("일기 읽어 줘").turn
        self.tell(ev.QuestionAsked(turn=self.asked, question="q", text="May I?", within_s=30.0))

    def heard(self, meaning: Meaning, *, may_be_echo: bool = False) -> "Asking":
        self.tell(ev.SpeechStarted(turn=self.turn, may_be_echo=may_be_echo))
        self.tell(ev.UtteranceTranscribed(turn=self.turn, text="?", meaning=meaning))
        return self

    @property
    def answers(self) -> list[do.Effect]:
        return self.ordered(do.AnswerQuestion)


@pytest.mark.parametrize(("meaning", "agrees"), [(Meaning.YES, True), (Meaning.NO, False), (Meaning.STOP, False)])
def test_a_question_is_spoken_heard_and_answered_within_the_same_turn(meaning: Meaning, agrees: bool) -> None:
    it = Asking()
    assert it.ordered(do.SayQuestion) == [do.SayQuestion(turn=it.asked, question="q", text="May I?")]
    where = [it.where[0]]
    it.first_audio()
    where.append(it.where[0])
    it.spoken()
    where.append(it.where[0])
    assert it.now.processing is None
    assert it.ordered(do.AwaitAnswer) == [do.AwaitAnswer(turn=it.asked, question="q", within_s=30.0)]
    it.heard(meaning)
    where.append(it.where[0])
    assert where == [PROCESSING, SPEAKING, LISTENING, PROCESSING]
    assert (it.turn, it.now.question) == (it.asked, "")
    assert it.answers == [do.AnswerQuestion(turn=it.asked, question="q", agrees=agrees)]


def test_anything_but_yes_and_no_asks_once_more_and_is_then_no_answer() -> None:
    it = Asking()
    it.first_audio().spoken()
    it.heard(Meaning.REQUEST)
    assert (it.answers, it.where) == ([], (PROCESSING, ACTIVE))
    assert it.ordered(do.SayQuestion) == [do.SayQuestion(turn=it.asked, question="q", text="May I?", again=True)]
    it.first_audio().spoken()
    it.heard(Meaning.REQUEST)
    assert it.answers == [do.AnswerQuestion(turn=it.asked, question="q", agrees=None)]


def test_what_is_heard_over_the_question_or_as_its_echo_cannot_approve_but_can_decline() -> None:
    over = Asking()
    over.first_audio().tell(ev.OverlapConfirmed(turn=over.turn))
    assert (over.where, over.turn) == ((LISTENING, ACTIVE), over.asked)
    over.tell(ev.UtteranceTranscribed(turn=over.turn, text="네", meaning=Meaning.YES))
    assert over.answers == []
    over.first_audio().spoken()
    over.heard(Meaning.YES, may_be_echo=True)
    assert over.answers == [do.AnswerQuestion(turn=over.asked, question="q", agrees=None)]
    refused = Asking()
    refused.first_audio().tell(ev.OverlapConfirmed(turn=refused.turn))
    refused.heard(Meaning.NO)
    assert refused.answers == [do.AnswerQuestion(turn=refused.asked, question="q", agrees=False)]


def asking_for_words() -> Asking:
    it = Asking()
    it.tell(ev.QuestionAsked(turn=it.asked, question="q", text="Which city?", within_s=120.0, words=True))
    it.first_audio().spoken()
    return it


@pytest.mark.parametrize("meaning", [Meaning.REQUEST, Meaning.COMMAND, Meaning.YES])
def test_a_question_for_words_is_answered_with_the_utterance(meaning: Meaning) -> None:
    it = asking_for_words()
    it.heard(meaning)
    assert it.answers == [do.AnswerQuestion(turn=it.asked, question="q", agrees=True, text="?")]
    assert it.where == (PROCESSING, ACTIVE)


@pytest.mark.parametrize("meaning", [Meaning.NO, Meaning.STOP])
def test_a_question_for_words_can_be_refused(meaning: Meaning) -> None:
    it = asking_for_words()
    it.heard(meaning)
    assert it.answers == [do.AnswerQuestion(turn=it.asked, question="q", agrees=False)]


def test_what_may_be_an_echo_of_a_question_for_words_is_no_answer() -> None:
    it = asking_for_words()
    it.heard(Meaning.REQUEST, may_be_echo=True)
    assert it.answers == []
    again = do.SayQuestion(turn=it.asked, question="q", text="Which city?", again=True, words=True)
    assert it.ordered(do.SayQuestion)[-1] == again
    it.first_audio().spoken()
    it.heard(Meaning.REQUEST, may_be_echo=True)
    assert it.answers == [do.AnswerQuestion(turn=it.asked, question="q", agrees=None)]


def asking_for_a_step() -> Asking:
    it = Asking()
    it.tell(ev.QuestionAsked(turn=it.asked, question="q", text="Send it?", within_s=30.0, changeable=True))
    it.first_audio().spoken()
    return it


@pytest.mark.parametrize("meaning", [Meaning.REQUEST, Meaning.COMMAND])
def test_other_words_than_a_yes_or_a_no_change_what_a_flow_asks_about(meaning: Meaning) -> None:
    it = asking_for_a_step()
    it.heard(meaning)
    assert it.answers == []
    assert it.ordered(do.StartTurn)[-1] == do.StartTurn(turn=it.turn, text="?")
    assert it.turn != it.asked
    assert it.where == (PROCESSING, ACTIVE)


def test_what_may_be_an_echo_changes_nothing_that_a_flow_asks_about() -> None:
    it = asking_for_a_step()
    turns = len(it.ordered(do.StartTurn))
    it.heard(Meaning.REQUEST, may_be_echo=True)
    assert len(it.ordered(do.StartTurn)) == turns
    it.first_audio().spoken()
    it.heard(Meaning.YES)
    assert it.answers == [do.AnswerQuestion(turn=it.asked, question="q", agrees=True, said="?")]


@pytest.mark.parametrize("state", [PROCESSING, SPEAKING, LISTENING])
def test_silence_is_no_answer_in_every_state(state: InteractionState) -> None:
    it = Asking()
    if state is not PROCESSING:
        it.first_audio()
    if state is LISTENING:
        it.spoken()
    it.tell(ev.TimerFired(turn=it.turn, timer=Timer.ANSWER))
    assert it.answers == [do.AnswerQuestion(turn=it.asked, question="q", agrees=None)]
    assert it.where == (PROCESSING, ACTIVE)


@pytest.mark.parametrize("state", [PROCESSING, SPEAKING, LISTENING])
def test_a_question_that_was_answered_elsewhere_is_asked_no_more(state: InteractionState) -> None:
    it = Asking()
    if state is not PROCESSING:
        it.first_audio()
    if state is LISTENING:
        it.spoken()
    it.tell(ev.QuestionClosed(turn=it.turn, question="q"))
    assert (it.where, it.turn, it.now.question) == ((PROCESSING, ACTIVE), it.asked, "")
    assert it.answers == []
    assert it.ordered(do.ResumeReading) == [do.ResumeReading(turn=it.asked)]


@pytest.mark.parametrize(
    ("event", "where"),
    [
        (ev.StopPressed(), (LISTENING, ACTIVE)),
        (ev.ConversationLeft(), (LISTENING, ACTIVE)),
        (ev.VoiceToggled(), (IDLE, INACTIVE)),
        (ev.TurnBegan(turn=TurnId("typed")), (PROCESSING, ACTIVE)),
    ],
)
def test_whoever_does_something_else_while_an_answer_is_awaited_ends_the_turn(
    event: Event, where: tuple[InteractionState, SessionState]
) -> None:
    it = Asking()
    it.first_audio().spoken()
    it.tell(event)
    assert it.ordered(do.CancelTurn) == [do.CancelTurn(turn=it.asked)]
    assert it.answers == []
    assert it.where == where


def test_a_silent_turn_asks_by_eyes_only(it: Driver) -> None:
    it.write()
    assert it.tell(ev.QuestionAsked(turn=it.turn, question="q", text="May I?", within_s=30.0)) == []
    assert it.tell(ev.QuestionClosed(turn=it.turn, question="q")) == []
    assert it.where == (PROCESSING, INACTIVE)


def test_without_a_microphone_the_question_waits_for_an_answer_by_hand() -> None:
    it = Asking()
    it.first_audio().tell(ev.MicrophoneLost())
    it.spoken()
    assert (it.where, it.now.question) == ((PROCESSING, INACTIVE), "q")
    it.tell(ev.QuestionClosed(turn=it.turn, question="q"))
    assert it.now.question == ""


def count_from(it: Asking) -> list[float]:
    """The times that have begun with the last event."""
    return [each.within_s for each in it.orders if isinstance(each, do.AwaitAnswer)]


def test_the_time_for_an_answer_counts_from_the_end_of_the_last_reading_and_not_from_noise() -> None:
    it = Asking()
    assert count_from(it) == []
    it.first_audio()
    assert count_from(it) == []
    it.spoken()
    assert count_from(it) == [30.0]
    it.tell(ev.UtteranceRejected(turn=it.turn, was_speech=False))
    assert count_from(it) == []
    it.heard(Meaning.REQUEST)
    assert do.StopTimer(timer=Timer.ANSWER) in it.orders
    it.first_audio().spoken()
    assert count_from(it) == [30.0]


@pytest.mark.parametrize(
    ("steps", "where"),
    [
        (["interrupted"], LISTENING),
        (["no microphone", "spoken"], PROCESSING),
        (["spoken"], LISTENING),
    ],
)
def test_the_time_counts_however_the_reading_ends(steps: list[str], where: InteractionState) -> None:
    it = Asking()
    it.first_audio()
    for step in steps:
        assert count_from(it) == []
        match step:
            case "interrupted":
                it.tell(ev.OverlapConfirmed(turn=it.turn))
            case "no microphone":
                it.tell(ev.MicrophoneLost())
            case _:
                it.spoken()
    assert (count_from(it), it.where[0]) == ([30.0], where)


def test_the_time_counts_where_the_question_cannot_be_said() -> None:
    it = Asking()
    it.spoken()
    assert (count_from(it), it.where[0], it.now.question) == ([30.0], PROCESSING, "q")


def test_an_answer_in_words_has_the_time_of_its_question() -> None:
    assert count_from(asking_for_words()) == [120.0]
