"""Shows the engine's updates in the parts of the window."""

from collections.abc import Callable
from typing import assert_never

from assistant.core.display.remedies import for_window
from assistant.core.display.words import say
from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.messages import Role
from assistant.core.packets import WAITS, Ask, Failure, PageOffer, Status
from assistant.core.records.memory import MemoryChange
from assistant.core.texts import Texts
from assistant.core.updates import (
    RINGS_NOTICE,
    SCHEDULED_NOTICE,
    TELEGRAM_CALL_NOTICE,
    AnswerInterrupted,
    ConversationDeleted,
    ConversationMarked,
    ConversationOpened,
    ConversationUpdate,
    DictationUpdate,
    EmbeddedModelMemory,
    EngineProgressed,
    EngineStopped,
    EngineUpdate,
    EnrolmentChanged,
    FileProgressed,
    FileReading,
    FlowChanged,
    LevelMeasured,
    ListUpdate,
    MemoryChanged,
    MessageAdded,
    MessagesDeleted,
    Missed,
    ModelChosen,
    ModelsKept,
    ModelsOffered,
    ModelSuggested,
    ModelsUpdate,
    NamesChanged,
    NameUpdate,
    NoticePosted,
    PacketEmitted,
    PartialHeard,
    PeopleChanged,
    PhonesChanged,
    ProjectChosen,
    ProjectsChanged,
    ProjectUpdate,
    ReadingChanged,
    SentenceBegun,
    SettingsChanged,
    Severity,
    SoundCheckProgressed,
    StateChanged,
    SyncChanged,
    TelegramChanged,
    TimersChanged,
    TurnWithdrawn,
    Update,
    VoiceAvailable,
    WeightsRead,
)
from assistant.desktop.chrome.notices import announce
from assistant.desktop.chrome.tray import Tray
from assistant.desktop.dictation.window_dictation import WindowDictation
from assistant.desktop.kit.undo_bar import Undoable
from assistant.desktop.reading.window_reading import WindowReading
from assistant.desktop.window_parts import WindowParts

_ENGINE = "engine"
"""What the notice of an engine that has ended is about."""


class UpdateView:
    """Hands each update to the parts that show it.

    Args:
        parts: the parts of the window.
        tray: the icon in the tray.
        texts: the user's language.
        call_for: calls a user who does not look at the window; takes what to say and a hint.
        refetch: called when events were missed; has the conversation shown anew.
        dictation: types and shows what is dictated.
        reading: shows what is read aloud.

    Attributes:
        snapshot: the machine's state.
        conversation: id of the shown conversation; empty before the first one.
        model: the language model in use.
        stopped: whether the engine has ended, and none has shown a conversation since.
    """

    def __init__(
        self,
        parts: WindowParts,
        tray: Tray,
        texts: Texts,
        call_for: Callable[[str, str], None],
        refetch: Callable[[], None],
        dictation: WindowDictation,
        reading: WindowReading,
    ) -> None:
        self._parts, self._tray, self._texts = parts, tray, texts
        self._call_for, self._refetch = call_for, refetch
        self._dictation, self._reading = dictation, reading
        self._muted = False
        self.conversation = ""
        self._until_shown: list[Callable[[str], object]] = []
        self._background: dict[str, TurnId] = {}
        """The turn in the background of each conversation."""
        self.snapshot = Snapshot()
        self.model: ModelChosen | None = None
        self.stopped = False

    def show_update(self, update: Update) -> None:
        """Show what the engine tells. Call on Qt's thread."""
        self._parts.project.show_update(update)
        self._parts.flow.show_update(update)
        if isinstance(update, ConversationUpdate):
            self._show_any_conversation(update)
        elif isinstance(update, ListUpdate):
            self._show_list(update)
        elif isinstance(update, ModelsUpdate):
            self._show_models(update)
        elif isinstance(update, EngineUpdate):
            self._show_engine(update)
        elif isinstance(update, DictationUpdate):
            self._dictation.show_update(update)
        elif isinstance(update, TimersChanged):
            self._parts.timers.show_timers(update)
            self._tray.show_ringing(ringing=self._parts.timers.ringing)
        elif isinstance(update, MemoryChanged):
            self._tell_of_memory(update.change)
        elif isinstance(update, NoticePosted):
            self._post(update)
        else:
            self._show_rest(update)

    def _post(self, notice: NoticePosted) -> None:
        if notice.key == RINGS_NOTICE and notice.severity is Severity.INFO:
            return  # The bar of timers shows what rings.
        words = say(self._texts, notice.key, notice.values)
        if notice.key.startswith(SCHEDULED_NOTICE):
            title, _, answer = words.partition("\n")
            self._call_for(title, answer)
        elif notice.key == TELEGRAM_CALL_NOTICE:
            self._call_for(for_window(words).words, self._texts("desktop.ask.hint"))
        self._parts.notices.post(words, notice.severity, about=notice.about, detail=notice.detail, fetch=notice.fetch)

    def _tell_of_memory(self, change: MemoryChange) -> None:
        """Offer to undo a change. What was told of the same fact before cannot be undone any more."""
        key = "changed" if change.former else "forgot" if change.removed else change.scope
        words = self._texts(f"memory.notice.{key}", fact=change.text, former=change.former)
        if change.former:
            self._parts.notices.settle(f"memory {change.scope} {change.former}")
        about = f"memory {change.scope} {change.text}"
        self._parts.notices.post(words, Severity.INFO, undo=change.id, about=about)

    def _show_rest(
        self,
        update: NameUpdate
        | ProjectUpdate
        | ReadingChanged
        | FileReading
        | Missed
        | PeopleChanged
        | TelegramChanged
        | PhonesChanged
        | SyncChanged
        | SettingsChanged
        | SoundCheckProgressed,
    ) -> None:
        match update:
            case Missed():
                self._refetch()
            case SettingsChanged() | ReadingChanged():
                self._reading.show_update(update)
            case FileReading():
                self._parts.composer.show_file_reading(update)
            case (
                NamesChanged()
                | EnrolmentChanged()
                | PeopleChanged()
                | TelegramChanged()
                | PhonesChanged()
                | SyncChanged()
                | ProjectsChanged()
                | FileProgressed()
                | SoundCheckProgressed()
            ):
                pass  # Shown by pages.
            case _:
                assert_never(update)

    def when_shown(self, action: Callable[[str], object]) -> None:
        """Do something with the shown conversation, as soon as there is one."""
        if self.conversation:
            action(self.conversation)
        else:
            self._until_shown.append(action)

    def _show_any_conversation(self, update: ConversationUpdate) -> None:
        if isinstance(update, ConversationOpened) or self.conversation in {"", update.conversation}:
            self._parts.beside.show_update(update)
            if isinstance(update, MessagesDeleted):
                self._offer_undo(update)
            else:
                self._show_conversation(update)

    def _show_list(self, update: ListUpdate) -> None:
        if isinstance(update, ConversationDeleted):
            self._parts.drafting.withdraw(update.conversation)
        elif isinstance(update, ConversationMarked):
            self._background[update.conversation] = update.turn
            if update.question and update.conversation != self.conversation:
                self._tell_of_question(update.question)
            if update.conversation == self.conversation:
                self._enter(self.snapshot)
        self._parts.browsing.show_update(update)

    def _tell_of_question(self, question: str) -> None:
        """Tell of a question in a conversation that is not shown; its side bar may be folded."""
        words = self._texts("desktop.notice.asks_elsewhere", question=question)
        self._parts.notices.post(words, Severity.INFO)
        self._call_for(words, self._texts("desktop.ask.hint"))

    def _show_models(self, update: ModelsUpdate) -> None:
        match update:
            case ModelsOffered():
                self._parts.models.show_models(update.models)
            case ModelSuggested():
                self._parts.better.show_suggestion(update.suggestion)
            case EmbeddedModelMemory():
                self._parts.model.show_memory(update)
            case ModelsKept() | WeightsRead():
                pass  # Shown by the page of models.
            case _:
                assert_never(update)

    def _show_conversation(
        self,
        update: PartialHeard
        | SentenceBegun
        | MessageAdded
        | PacketEmitted
        | AnswerInterrupted
        | TurnWithdrawn
        | ConversationOpened
        | ProjectChosen
        | FlowChanged,
    ) -> None:
        match update:
            case PartialHeard():
                self._parts.conversation.hear(update.turn, update.text, update.stable)
                self._parts.listening.hear(update.text, update.stable)
                self._parts.beside.hear(update.text)
            case SentenceBegun():
                self._parts.listening.say(update.text)
                self._parts.beside.say(update.text)
            case MessageAdded():
                self._parts.conversation.add(update.turn, update.message)
                if update.message.role is Role.USER:
                    self._parts.drafting.accepted(update.turn)
            case PacketEmitted():
                self._show_packet(update)
            case AnswerInterrupted():
                self._parts.conversation.interrupt(update.turn)
            case TurnWithdrawn():
                self._parts.conversation.withdraw(update.turn)
            case ConversationOpened():
                self.show_opened(update)
            case ProjectChosen() | FlowChanged():
                pass  # Shown by the chip of the project and the bar of the flow.
            case _:
                assert_never(update)

    def _show_packet(self, update: PacketEmitted) -> None:
        if not (isinstance(update.packet, Status) and update.packet.status == WAITS):
            self._parts.strip.show_packet(update.packet)
        self._tray.show_asking(asking=self._parts.strip.asking)
        self._parts.conversation.show_packet(update.turn, update.packet)
        if isinstance(update.packet, Ask | Failure | PageOffer):
            self._parts.centre.step_aside()
        if isinstance(update.packet, Ask):
            self._call_for(update.packet.text, self._texts("desktop.ask.hint"))

    def _offer_undo(self, deleted: MessagesDeleted) -> None:
        key = "desktop.deleted.message" if deleted.count == 1 else "desktop.deleted.messages"
        words = self._texts(key, count=deleted.count)
        name = self._texts("desktop.deleted.undo_name", count=deleted.count)
        undoable = Undoable(name=deleted.deletion, words=words, button_words=name, undo_s=deleted.undo_s)
        self._parts.undo.offer(undoable)
        announce(self._parts.undo, words)

    def show_opened(self, opened: ConversationOpened) -> None:
        """Show a conversation."""
        self._parts.conversation.open(opened.messages, more=opened.more, message=opened.wanted)
        self._parts.strip.show_agent(opened.agent)
        self._parts.side.show_open(opened.conversation)
        self._parts.project.show_update(opened)
        self._parts.flow.show_update(opened)
        self._parts.drafting.open(opened.conversation, empty=not opened.messages)
        self.conversation, self.stopped = opened.conversation, False
        self._tray.show_stopped(stopped=False)
        self._parts.notices.settle(_ENGINE)
        self._parts.strip.show_title(opened.title, can_change=bool(opened.messages))
        self._enter(self.snapshot)  # An engine that shows a conversation is up, even if nothing happens.
        waiting, self._until_shown = self._until_shown, []
        for action in waiting:
            action(opened.conversation)

    def _show_engine(self, update: EngineUpdate) -> None:
        match update:
            case StateChanged():
                self._enter(update.snapshot)
            case LevelMeasured():
                self._parts.strip.show_level(update.level_db)
                self._parts.listening.show_level(update.level_db)
                self._dictation.show_level(update.level_db)
                self._parts.beside.show_level(update.level_db)
            case ModelChosen():
                self.model = update
                self._parts.model.show_model(update)
                self._parts.models.show_chosen(update.reference)
            case VoiceAvailable():
                self._show_voice(update)
            case EngineProgressed():
                self._parts.strip.show_progress(update)
            case EngineStopped():
                self._engine_stopped(update)
            case _:
                assert_never(update)

    @property
    def background_turn(self) -> TurnId:
        """The running turn of the shown conversation that the voice session does not drive; ``NO_TURN`` for none."""
        return self._background.get(self.conversation, NO_TURN)

    def _enter(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._tray.enter(snapshot)
        self._parts.beside.enter(snapshot)
        if self.background_turn != NO_TURN:
            self._parts.conversation.resume(self.background_turn)
            if snapshot.interaction is InteractionState.IDLE:
                # It is stopped and shown as any other answer.
                snapshot = Snapshot(
                    interaction=InteractionState.PROCESSING,
                    processing=ProcessingState.STREAMING,
                    turn=self.background_turn,
                )
        self._parts.strip.enter(snapshot)
        self._parts.centre.enter(snapshot)
        self._parts.conversation.enter(snapshot)
        self._parts.composer.show_voice(talking=snapshot.session is not SessionState.INACTIVE)
        self._parts.composer.show_busy(
            busy=snapshot.interaction in {InteractionState.PROCESSING, InteractionState.SPEAKING}
        )
        self._show_checks()

    def _show_voice(self, voice: VoiceAvailable) -> None:
        self._muted = voice.muted
        self._parts.strip.show_voice(voice)
        self._tray.show_voice(voice)
        self._parts.empty.show_voice(voice)
        reason = say(self._texts, voice.microphone_reason) if voice.microphone_reason else ""
        called = voice.called if not reason and not voice.muted else ""
        self._parts.composer.show_microphone(reason=reason, wake_word=called)
        self._show_checks()

    def _show_checks(self) -> None:
        self._parts.menu.show_checks(talking=self.snapshot.session is not SessionState.INACTIVE, muted=self._muted)

    def _engine_stopped(self, stopped: EngineStopped) -> None:
        self.stopped = True
        self._tray.show_stopped(stopped=True)
        self._background.clear()  # Its turns ended with it.
        self._enter(Snapshot())
        self._parts.strip.show_stopped()
        self._parts.model.show_stopped()
        self._parts.conversation.stop()
        if stopped.worded:
            self._parts.notices.post(stopped.reason, Severity.ERROR, about=_ENGINE)
        elif stopped.reason:
            told = self._texts("desktop.notice.engine_stopped")
            self._parts.notices.post(told, Severity.ERROR, about=_ENGINE, detail=say(self._texts, stopped.reason))
