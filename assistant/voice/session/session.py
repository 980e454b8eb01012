"""The conversation at run time: it passes events to the machine and performs the effects.

One object on the engine's thread serves typed and spoken turns. Without a microphone or a speaker it is a text
conversation. ``attach`` adds a listener and a speaker; ``detach`` removes them.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assistant.agent.profile import AgentProfile
from assistant.audio.cards.card import SoundCard
from assistant.audio.playback import Playback
from assistant.audio.room_level import RoomLevel
from assistant.chat.agents.calling import AgentCalls, Called
from assistant.chat.board import TurnBoard
from assistant.chat.replies import changing_reply_meaning, refuses, reply_meaning
from assistant.chat.turn_request import TurnRequest
from assistant.chat.turn_service import TurnService
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import effects as do
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event, Meaning
from assistant.core.machine.interaction import Interaction
from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.service.requests.voice import ReadingStep
from assistant.core.texts import Texts
from assistant.speech.addressee import addressed
from assistant.speech.text.names.calls import request_after
from assistant.tasks import TaskSupervisor
from assistant.voice.listener import Listener
from assistant.voice.session.audio_time import AudioTime, TraceTime
from assistant.voice.session.lending import Borrower, Lending
from assistant.voice.session.performing import Performer
from assistant.voice.session.push_to_talk import PushToTalk
from assistant.voice.session.reading import ReadText
from assistant.voice.session.reading_words import reading_step
from assistant.voice.session.speech import Cues, SessionSpeech
from assistant.voice.session.trace_keeping import SaveTrace, TraceKeeper
from assistant.voice.session.turns import SessionTurns
from assistant.voice.speaker import AnswerSpeaker
from assistant.voice.threads.model_thread import EngineHungError
from assistant.voice.trace import Trace
from assistant.voice.work import Work


class Session:
    """Runs one conversation.

    Args:
        board: runs the turns.
        chat: works ahead of requests.
        settings: the live settings.
        texts: the user's words.
        meaning: classifies an utterance while no question is open.
        publish: takes the updates to show.
        on_event: takes each trace event.
        work: counts the work in progress.
        conversation: id of the stored conversation.
        save_trace: stores the trace of each finished turn.
        profile: the agent that answers; ``None`` for the one to which the conversation belongs.
        can_ask: whether somebody is there who can answer questions of a turn.
        calls: the agents that can be called by name; ``None`` for none.
        voice_of: gives the name of the voice of a conversation's agent; empty for that of the settings.
        expects: gives the words that the user is likely to say in a conversation.
        insists: whether words are for the guided flow of a conversation, whatever else they mean, such as "stop".

    Attributes:
        trace: what happened, in audio time.
        work: counts the work in progress.
        listening: runs the tasks of the listener.
        speaking: runs the tasks of the speaker.
        calls: the agents that can be called by name.
        likely_words: what the user is likely to say, as of the last time that Sori began to listen.
        muted: whether the microphone is muted.
        stopped: told when the user has said "stop" or an equivalent.
    """

    def __init__(
        self,
        board: TurnBoard,
        chat: TurnService,
        settings: LiveSettings,
        texts: Texts,
        *,
        meaning: Callable[[str, bool], Meaning],
        publish: Callable[[up.Update], None],
        on_event: Callable[[dict[str, Any]], None] | None = None,
        work: Work,
        conversation: str,
        save_trace: SaveTrace | None = None,
        profile: AgentProfile | None = None,
        can_ask: bool = True,
        calls: AgentCalls | None = None,
        voice_of: Callable[[str], Awaitable[str]] | None = None,
        expects: Callable[[str], Awaitable[tuple[str, ...]]] | None = None,
        insists: Callable[[str, str], bool] = lambda _conversation, _text: False,
    ) -> None:
        self.calls = calls
        self._expects, self._insists = expects, insists
        self.likely_words: tuple[str, ...] = ()
        self._usual_meaning = meaning
        self._publish = publish
        self._settings = settings
        self.work = work
        self.conversation = conversation
        self._time = AudioTime()
        trace_time = TraceTime(self._time, lambda: asyncio.get_running_loop().time())
        self.trace = Trace(lambda: trace_time.seconds(hears=self._performer.listener is not None), on_event)
        self._saving, self._calling = TaskSupervisor(), TaskSupervisor()
        self.listening, self.speaking = TaskSupervisor(), TaskSupervisor()
        self._texts = texts
        self._missing_voices: set[str] = set()
        self._traces = TraceKeeper(self.trace, save_trace, self._saving)
        self._speech = SessionSpeech(settings, self.tell, texts)
        self._turns = SessionTurns(
            board,
            chat,
            profile=profile,
            can_ask=can_ask,
            speech=self._speech,
            trace=self.trace,
            work=work,
            saving=self._saving,
            report=self.tell,
            is_current=lambda turn: turn == self.snapshot.turn,
            voice_of=voice_of,
        )
        self._performer = Performer(
            time=self._time,
            turns=self._turns,
            speech=self._speech,
            trace=self.trace,
            traces=self._traces,
            settings=settings,
            texts=texts,
            publish=publish,
        )
        self._machine = Interaction(chat.new_turn)
        self._events: deque[Event] = deque()
        self._handling = False
        self.muted = False
        self._why_deaf = ""
        self._push = PushToTalk(self.tell, lambda: self.snapshot, self._close_microphone)
        self._muted_before_push = False
        self._lending = Lending()
        self._reading: ReadText | None = None
        self._left: ReadText | None = None
        """What was read when the user spoke over it, and can be read on."""
        self._room = RoomLevel()
        self.stopped: Listeners[[], None] = Listeners()
        self._waiting: list[tuple[Collection[InteractionState], Callable[[], object]]] = []
        """What is done as soon as the machine is in one of these states."""
        self._board = board
        board.began.add(self._turn_began)

    # Requests from outside

    @property
    def snapshot(self) -> Snapshot:
        """The machine's state."""
        return self._machine.snapshot

    @property
    def busy(self) -> bool:
        """Whether something is still to happen without any action of the user."""
        if self.snapshot.interaction in {InteractionState.PROCESSING, InteractionState.SPEAKING}:
            return True
        if self._performer.listener is not None and self._performer.listener.capturing:
            return True
        if self.snapshot.question or self._lending.lent:
            return True
        return not self.work.idle or self._speech.pending

    @property
    def attentive(self) -> bool:
        """Whether heard sound must be processed at once, and not only in parts (``Crossing``)."""
        if self.snapshot.session is not SessionState.INACTIVE or self.busy or self._push.held:
            return True
        return self.hears and self._performer.listener is not None and self._performer.listener.attentive

    def attach(
        self,
        *,
        listener: Listener | None,
        speaker: AnswerSpeaker | None,
        playback: Playback,
        cues: Cues,
    ) -> None:
        """Use ``listener`` and ``speaker`` from now on; either may be missing.

        Args:
            listener: takes the card's frames.
            speaker: puts speech into ``playback``.
            playback: the queue that the card plays.
            cues: short sounds at ``PLAYBACK_RATE``.
        """
        self._performer.listener = listener
        self._speech.attach(speaker, playback, cues)
        if listener is not None:
            listener.follow(self.snapshot)

    def detach(self) -> None:
        """Stop hearing and speaking because the card is gone."""
        if self._performer.listener is not None:
            self._performer.listener.close()
        self._performer.listener = None
        self._lending.lose()
        self._push.drop()
        self._mute_after_push()
        self._speech.detach()
        self._time.clear()
        self.tell(ev.MicrophoneLost())
        if (
            self.snapshot.interaction is InteractionState.SPEAKING
            or self.snapshot.processing is ProcessingState.COMPLETE
            or self.snapshot.question
        ):
            # The remaining speech will not be heard.
            self.tell(ev.SpeechFinished(turn=self.snapshot.turn))

    async def run_card(self, card: SoundCard) -> None:
        """Process the card's frames until it is closed or its medium ends.

        Raises:
            AudioDeviceError: the microphone was disconnected.
        """
        async for frame in card.frames():
            # Playback marks belong to the start of a frame; detections in its sound belong to its end.
            self._time.samples = frame.heard.index
            self._speech.poll()
            self._time.samples = frame.heard.end
            if self._performer.listener is not None and not self.muted and not self._lending.hear(frame):
                self._performer.listener.hear(frame)
            # A user who holds the key and thinks is not silent.
            while not self._push.held and (due := self._time.take_due()) is not None:
                turn, timer = due
                self.tell(ev.TimerFired(turn=turn, timer=timer))

    @property
    def hears(self) -> bool:
        """Whether there is a microphone that is not muted."""
        return self._performer.listener is not None and not self.muted

    def lend_microphone(self, borrower: Borrower, on_lost: Callable[[], None]) -> None:
        """Let somebody else hear until ``take_back_microphone``; ``on_lost`` is called if that ends before."""
        self._lending.lend(borrower, on_lost)

    def take_back_microphone(self) -> None:
        """Hear again, and say what has waited meanwhile."""
        self._lending.take_back()
        self._handle_events()

    def play(self, sound: NDArray[np.int16]) -> bool:
        """Play a sound at ``PLAYBACK_RATE`` that belongs to no turn; return whether there is a speaker."""
        return self._speech.play(sound)

    def enter(self, conversation: str) -> None:
        """Go on in a conversation that was opened, or that another agent answers from now on."""
        self.conversation = conversation
        if self.snapshot.session is SessionState.INACTIVE:
            self.read_names()
        else:
            self._calling.start(self._refresh(), name="likely words")

    def read_names(self) -> None:
        """Read the names by which agents are called, because they may have changed."""
        self._calling.start(self._read_names(), name="names of agents")

    def toggle_voice(self) -> None:
        """Begin or end a spoken conversation. Without a microphone, post a notice."""
        self._lending.lose()
        if self._performer.listener is None and self.snapshot.session is SessionState.INACTIVE:
            self._tell_why_deaf()
        elif self.muted:
            self._warn("notice.muted")
        else:
            self.tell(ev.VoiceToggled())

    def deaf_because(self, reason: str) -> None:
        """Note why there is no microphone, in words for the user; empty if that is unknown."""
        self._why_deaf = reason

    def _tell_why_deaf(self) -> None:
        if self._why_deaf:
            self._warn("notice.deaf", reason=self._why_deaf)
        else:
            self._warn("notice.no_microphone")

    def hold_to_talk(self, *, held: bool) -> None:
        """The talk key is down or up (V-21). A muted microphone is on meanwhile. Without one, post a notice."""
        self._lending.lose()
        listener = self._performer.listener
        if listener is None:
            if held:
                self._tell_why_deaf()
        elif held:
            if self.muted:
                self._muted_before_push, self.muted = True, False
            self._push.press(listener)
        else:
            self._push.release(listener)

    def _close_microphone(self) -> None:
        """End the conversation that a talk key has begun; its answer is still spoken."""
        self._mute_after_push()
        self.tell(ev.MicrophoneLost())

    def _mute_after_push(self) -> None:
        """Mute the microphone again if it was muted before the talk key was pressed."""
        self.muted, self._muted_before_push = self.muted or self._muted_before_push, False

    def announce(self, text: str) -> None:
        """Play the timer cue, and say ``text`` as soon as nobody speaks and no turn is running. It is shown already.

        With a listener, the reply is heard without a wake word.
        """
        if self._speech.possible:
            self.tell(ev.AnnouncementDue(text=text))

    def read_aloud(self, text: str) -> None:
        """Say a text that the user wants to hear, in place of one that is being read, and await no reply."""
        self._reading = self._left = None
        if self._performer.announces(self.snapshot.turn):
            self.tell(ev.StopPressed())
        if self._speech.possible:
            self._reading = ReadText(text)
            self.tell(ev.AnnouncementDue(text=text, wanted=True))

    def steer_reading(self, step: ReadingStep) -> None:
        """Steer the text that is read aloud, if there is one (D-09)."""
        reading = self._reading
        if reading is None or reading.turn != self.snapshot.turn or reading.turn == NO_TURN:
            return
        if step in {ReadingStep.PAUSE, ReadingStep.GO_ON}:
            reading.paused = step is ReadingStep.PAUSE
            self._speech.hold(held=reading.paused)
            self._show_reading()
        elif step is ReadingStep.STOP or not reading.move(step):
            self.tell(ev.StopPressed())
        else:
            reading.turn = NO_TURN  # It is read on by another turn.
            self.tell(ev.StopPressed())
            self.tell(ev.AnnouncementDue(text=reading.rest, wanted=True))

    def _spoken_step(self, event: ev.UtteranceTranscribed) -> ReadingStep | None:
        """The step that the user asks for in words, of the text that is read or was read until just now.

        Other words end that text. A stop does not: "stop" is how a text is paused by voice.
        """
        reading, step = self._reading or self._left, reading_step(event.text)
        if reading is not None and event.meaning is Meaning.REQUEST and step is not None and reading.can_move(step):
            return step
        if event.meaning is not Meaning.STOP:
            self._left = None
        return None

    def _read_on(self, step: ReadingStep) -> None:
        """Read on as the user has asked in words, which have stopped the text."""
        if (reading := self._reading or self._left) is not None:
            reading.move(step)
            reading.turn, self._reading, self._left = NO_TURN, reading, None
            self.tell(ev.AnnouncementDue(text=reading.rest, wanted=True))

    def _follow_reading(self, effects: Sequence[do.Effect]) -> None:
        """Note which turn reads, and that it has ended."""
        reading = self._reading
        if reading is None:
            return
        begun = [each.turn for each in effects if isinstance(each, do.SayText) and each.text == reading.rest]
        if begun:
            reading.turn = begun[-1]
            self._show_reading()
        elif reading.turn not in {NO_TURN, self.snapshot.turn}:
            self._reading, self._left = None, reading
            self._show_reading()

    def _show_reading(self) -> None:
        reading, shown = self._reading, up.ReadingChanged()
        if reading is not None:
            shown = up.ReadingChanged(sentence=reading.at + 1, sentences=len(reading.begins), paused=reading.paused)
        self._publish(shown)

    def set_ringing(self, rings: bool) -> None:
        """Say whether a timer rings. Meanwhile silence does not end a spoken conversation, and "stop" is heard."""
        self.tell(ev.RingingChanged(rings=rings))

    def ring(self) -> None:
        """Play the timer cue again, unless the user or Sori speaks, or a turn is running."""
        listener = self._performer.listener
        user_speaks = self._lending.lent or (listener is not None and listener.capturing)
        self._handle_events()
        quiet = self.snapshot.interaction in {InteractionState.IDLE, InteractionState.LISTENING}
        if quiet and not user_speaks and not self.snapshot.question:
            self._speech.ring()

    def end_announcement(self) -> None:
        """End the announcement: stop saying it, and do not wait for a reply unless the user was in a conversation."""
        announcing, self._performer.announcing = self._performer.announcing, False
        if announcing:
            self.tell(ev.StopPressed() if self.snapshot.session is SessionState.INACTIVE else ev.VoiceToggled())
        elif self._performer.announces(self.snapshot.turn):
            self.tell(ev.StopPressed())

    def meaning(self, text: str, ending: bool) -> Meaning:
        """Classify an utterance for the conversation; while a question is open, as its answer."""
        if not self.snapshot.question and self._insists(self.conversation, text):
            return Meaning.REQUEST
        usual = self._usual_meaning(text, ending)
        if usual is Meaning.REQUEST and (rest := self._after_own_name(text)):
            named = self._usual_meaning(rest, ending)
            usual = usual if named.is_request else named
        if not self.snapshot.question or usual in {Meaning.CLOSING, Meaning.STOP}:
            return usual
        if self._machine.awaits_words:
            return Meaning.NO if refuses(text) else Meaning.REQUEST
        if self._machine.is_changeable:
            return changing_reply_meaning(text)
        return reply_meaning(text)

    def _is_addressed(self, text: str) -> bool:
        """Whether an utterance calls Sori by the wake word or a name."""
        return any(addressed(text, name) is not None for name in self._names)

    @property
    def _names(self) -> Sequence[str]:
        return () if self._performer.listener is None else self._performer.listener.names_to_call()

    def _after_own_name(self, text: str) -> str:
        """The words around the wake word or the name of the conversation's agent, if it is called; else empty."""
        if self.calls is not None and self.calls.find(text) is not None:
            found = self.calls.find(text) if self.calls.other(text) is None else None
            return "" if found is None else found.rest
        calls = (addressed(text, name) for name in self._names)
        return next((request_after(text, call) for call in calls if call is not None), "")

    def prepare(self, turn: TurnId, text: str) -> None:
        """Begin to answer ``text``, which the user has probably said to its end."""
        awaited = self._machine.awaits_request and self.snapshot.turn == turn and not self.calls_other(text)
        if awaited and self._settings.current.voice.early_answers != "never":
            self.trace.note("probable_end", text=text)
            self._turns.prepare(self.conversation, turn, text)

    def discard_prepared(self, turn: TurnId) -> None:
        """Discard what was prepared, because the user goes on speaking."""
        self.trace.note("went_on")
        self._turns.discard(turn)

    @property
    def wake_phrases(self) -> Sequence[str]:
        """The wake phrases of the agents that can be called."""
        return () if self.calls is None else self.calls.phrases

    def show_partial(self, turn: TurnId, text: str, stable: int) -> None:
        """Show a partial transcript; ``stable`` is the length of its stable prefix in characters."""
        self._publish(up.PartialHeard(conversation=self.conversation, turn=turn, text=text, stable=stable))

    def show_level(self, level_db: float) -> None:
        """Show the level of the microphone in dBFS, if the user wants to see it.

        While Sori waits to be called, a level like that of the room is shown once.
        """
        news = self._room.is_news(level_db) or self.snapshot.interaction is not InteractionState.IDLE
        if news and self._settings.current.desktop.level_meter:
            self._publish(up.LevelMeasured(level_db=level_db))

    def show_sentence(self, turn: TurnId, text: str) -> None:
        """Show the sentence that begins to be heard."""
        self._publish(up.SentenceBegun(conversation=self.conversation, turn=turn, text=text))
        if self._reading is not None and turn == self._reading.turn and self._reading.hear(text):
            self._show_reading()

    @property
    def only_code(self) -> str:
        """What is said instead of an answer that is nothing but code."""
        return self._texts("prompt.only_code")

    def cannot_say(self, error: SoriError) -> None:
        """Tell the user that a sentence cannot be spoken. Of a thread that hangs they have been told already."""
        if not isinstance(error, EngineHungError):
            self._warn("notice.speech_unavailable", reason=error.detail)

    def other_voice(self, name: str) -> None:
        """Tell the user once that an agent's voice cannot be used, so that another one speaks."""
        if name not in self._missing_voices:
            self._missing_voices.add(name)
            self._warn("notice.other_voice", name=name)

    def _warn(self, key: str, **values: str) -> None:
        self._publish(up.NoticePosted(key=key, severity=up.Severity.WARNING, values=values))

    def set_muted(self, muted: bool) -> None:
        """Mute or unmute the microphone. Muting ends a spoken conversation."""
        self.muted, self._muted_before_push = muted, False
        if muted:
            self._lending.lose()
            self.tell(ev.MicrophoneLost())

    def tell(self, event: Event) -> None:
        """Handle an event.

        Events raised while its effects are performed are handled after those effects.
        """
        if isinstance(event, ev.SpeechStarted) and self.snapshot.question and self._performer.echo_possible:
            event = replace(event, may_be_echo=True)
        if isinstance(event, ev.UtteranceTranscribed) and self._calls_other(event):
            return
        if isinstance(event, ev.UtteranceTranscribed) and self._machine.wants_address:
            event = replace(event, addressed=self._is_addressed(event.text))
        step = self._spoken_step(event) if isinstance(event, ev.UtteranceTranscribed) else None
        if isinstance(event, ev.UtteranceTranscribed) and step is not None:
            event = replace(event, meaning=Meaning.STOP)
        self._events.append(self._as_of_now(event))
        self._handle_events()
        if step is not None:
            self._read_on(step)

    def _handle_events(self) -> None:
        if self._handling:
            return
        self._handling = True
        try:
            while event := self._next_event():
                self._handle(event)
        finally:
            self._handling = False
        self._do_what_waits()

    def when(self, states: Collection[InteractionState], action: Callable[[], object]) -> None:
        """Do something once, now or as soon as Sori is in one of these states and no turn waits for an answer."""
        self._waiting.append((states, action))
        self._do_what_waits()

    def _do_what_waits(self) -> None:
        if self.snapshot.question:
            return
        due = [each for each in self._waiting if self.snapshot.interaction in each[0]]
        self._waiting = [each for each in self._waiting if each not in due]
        for _, action in due:
            action()

    def _next_event(self) -> Event | None:
        """A new event, else a deferred one that the machine can handle now."""
        return self._events.popleft() if self._events else self._machine.take_deferred(self._as_of_now)

    def _as_of_now(self, event: Event) -> Event:
        """An announcement with what is true of the microphone now."""
        if not isinstance(event, ev.AnnouncementDue):
            return event
        listener = self._performer.listener
        user_speaks = self._push.held or self._lending.lent or (listener is not None and listener.capturing)
        return replace(event, awaits_reply=self.hears and not event.wanted, user_speaks=user_speaks)

    def calls_other(self, text: str) -> bool:
        """Whether an utterance calls the agent of another conversation."""
        return self._other_called(text) is not None

    def _other_called(self, text: str) -> Called | None:
        """The agent of another conversation that an utterance calls."""
        return None if self.calls is None or self.snapshot.question else self.calls.other(text)

    def _calls_other(self, event: ev.UtteranceTranscribed) -> bool:
        """Hand an utterance over if it calls the agent of another conversation; return whether it does."""
        current = event.turn == self.snapshot.turn and event.continues is None
        called = self._other_called(event.text) if current and event.meaning is Meaning.REQUEST else None
        if called is None or self.calls is None:
            return False
        self._calling.start(self._hand_over(self.calls, called), name="hand over to an agent")
        return True

    async def _hand_over(self, calls: AgentCalls, called: Called) -> None:
        """End this session and begin one with the agent that was called; it gets the rest of the utterance (V-06)."""
        with self.work.piece():
            self.trace.note("wake", name=called.phrase, agent=str(called.agent))
            if self.snapshot.session is not SessionState.INACTIVE:
                self.tell(ev.VoiceToggled())
            try:
                await calls.answer(called)
            except SoriError as error:
                self.trace.note("error", code=error.code, detail=error.detail)
                self._warn(error.message_key, **error.values)
                return
            self.tell(ev.WakeWordHeard(name=called.phrase))
            if called.rest:
                meaning = self.meaning(called.rest, False)
                self.tell(ev.UtteranceTranscribed(turn=self.snapshot.turn, text=called.rest, meaning=meaning))

    def _handle(self, event: Event) -> None:
        before = self._machine.snapshot
        effects = self._machine.handle(event)
        after = self._machine.snapshot
        ran_out = before.processing is not None and after.processing is None and not after.question
        if ran_out and not any(isinstance(effect, do.CancelTurn) for effect in effects):
            if not isinstance(event, ev.ConversationLeft):
                self.trace.note("done", **self._turns.model_of(before.turn))
            self._traces.keep(self.conversation, before.turn)
            self._speech.complete(before.turn)
        self._performer.perform(effects, event, self.conversation)
        self._follow_reading(effects)
        begins = any(isinstance(effect, do.BeginListening | do.SayText) for effect in effects)
        if begins or (self.hears and any(_is_aloud(effect) for effect in effects)):
            self._calling.start(self._refresh(), name="likely words")
        self._push.after(event)
        stops = isinstance(event, ev.UtteranceTranscribed) and event.meaning in {Meaning.STOP, Meaning.CLOSING}
        if stops:
            self.stopped.tell()

    async def _refresh(self) -> None:
        """Read the names and words that may be said next."""
        await self._read_names()
        with self.work.piece():
            if self._expects is not None:
                self.likely_words = await self._expects(self.conversation)

    async def _read_names(self) -> None:
        if self.calls is not None:
            with self.work.piece():
                await self.calls.refresh(self.conversation)

    def poll_speech(self) -> None:
        """Report the playback marks, for a card without a microphone, which delivers no frames."""
        self._speech.poll()

    def _turn_began(self, request: TurnRequest) -> None:
        """Follow a turn that somebody else has begun in the conversation of the session."""
        if request.conversation == self.conversation and request.turn != self.snapshot.turn:
            self.tell(ev.TurnBegan(turn=request.turn, aloud=request.aloud))

    def stop_turns(self, conversation: str) -> None:
        """Stop all turns of a conversation, also those that went on when the user left it."""
        if conversation == self.conversation and (self.snapshot.processing is not None or self.snapshot.question):
            self.tell(ev.StopPressed())
        self._board.stop_all(conversation)

    @property
    def saying(self) -> str:
        """The sentence that is being said aloud and the one before it; empty while nothing is said."""
        return self._speech.saying

    @property
    def can_speak(self) -> bool:
        """Whether there is a speaker."""
        return self._speech.possible

    async def close(self) -> None:
        """Stop everything and wait until the shown messages are saved."""
        self._calling.cancel()
        await self._turns.close()
        await self._saving.settle()
        if self._performer.listener is not None:
            self._performer.listener.close()
        self._speech.close()
        await self.listening.close()
        await self.speaking.close()
        await self._calling.close()


def _is_aloud(effect: do.Effect) -> bool:
    """Whether an effect begins an answer that is read aloud."""
    return isinstance(effect, do.StartTurn) or (isinstance(effect, do.JoinTurn) and effect.aloud)
