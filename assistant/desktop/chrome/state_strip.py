"""The strip at the top: the conversation's title while Sori is idle, else what Sori does; and current problems."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.display.words import say, state_word, tool_name
from assistant.core.machine.states import InteractionState, ProcessingState, Snapshot
from assistant.core.packets import AnswerDelta, Answered, Ask, Done, Packet, Status
from assistant.core.records.agents import AgentShown
from assistant.core.texts import Texts
from assistant.core.updates import EngineProgressed, VoiceAvailable
from assistant.desktop.chrome.title_label import TitleLabel
from assistant.desktop.chrome.window_menu import LISTEN_KEYS, MUTE_KEYS, written
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.microphone.mute_button import MuteButton
from assistant.desktop.presence.mood import mood_of
from assistant.desktop.presence.voice_presence import VoicePresence

_HEIGHT_PX = 50
_PRESENCE_PX = 38
_AGENT_CHARS = 24
_AGENT_SHARE, _NARROW_AGENT_SHARE = 0.3, 0.22
"""Largest share of the width for the name of the agent. The state must be readable beside it."""
_ROOM_FOR_AGENT_PX = 480
_ROOM_FOR_NEW_PX = 380


class ProgressLine(QWidget):
    """A thin progress line while parts are being prepared."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._fraction = 1.0
        self.setFixedHeight(2)
        theme.changed.connect(self.update)

    def show_fraction(self, fraction: float) -> None:
        """Show the prepared fraction, from 0 to 1."""
        self._fraction = fraction
        self.update()

    @override
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the progress; draw nothing once it is complete."""
        if self._fraction < 1:
            painter = QPainter(self)
            painter.fillRect(0, 0, round(self.width() * self._fraction), 2, QColor(self._theme.colors.accent))
            painter.end()


class StateStrip(QFrame):
    """Shows the title of the conversation beside a small sign; while Sori is active a word for that and a larger sign.

    Below it stands the most useful detail, if there is one.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        menu: the menu of the menu button.
    """

    told = Signal(str, str)
    """The word for the state, and the detail."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, menu: QMenu) -> None:
        super().__init__()
        self._texts = texts
        self._snapshot: Snapshot | None = None
        self._answering = False
        self._asked: set[str] = set()
        self._status = ""
        self._voice: VoiceAvailable | None = None
        self._parts: dict[str, float] = {}
        self._left: dict[str, str] = {}
        self._doing: dict[str, str] = {}
        self._stopped = False
        self._side_open = self._large_beside = False
        self.setObjectName("header")
        self.presence = VoicePresence(theme, _PRESENCE_PX)
        self.title = TitleLabel(texts)
        self.word = ElidedLabel()
        self.word.setObjectName("state")
        self.detail = ElidedLabel()
        self.detail.setObjectName("detail")
        self.agent = ElidedLabel(most_chars=_AGENT_CHARS)
        self._agent_chip = QFrame()
        self._agent_chip.setObjectName("agentChip")
        inside = QHBoxLayout(self._agent_chip)
        inside.setContentsMargins(10, 3, 10, 3)
        inside.addWidget(self.agent)
        self._agent_chip.hide()
        self.side = IconButton(icons, theme, "sidebar", "")
        self.listen = IconButton(
            icons, theme, "captions", texts("desktop.action.listen_keys", shortcut=written(LISTEN_KEYS))
        )
        self.listen.hide()
        self.mute = MuteButton(texts, icons, theme, written(MUTE_KEYS))
        self.new = IconButton(icons, theme, "new", texts("desktop.action.new"))
        self.show_side(is_open=False)
        self.menu = IconButton(icons, theme, "menu", texts("desktop.action.menu"))
        self.menu.setMenu(menu)
        self.menu.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._progress = ProgressLine(theme)
        self._lay_out()
        self._refresh()

    def _lay_out(self) -> None:
        self.title.hide()  # Title and word are never shown both.
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addWidget(self.title)
        words.addWidget(self.word)
        words.addWidget(self.detail)
        line = QHBoxLayout()
        line.setContentsMargins(10, 6, 10, 5)
        line.setSpacing(8)
        line.addWidget(self.side)
        line.addWidget(self.presence)
        line.addLayout(words, 1)
        line.addWidget(self._agent_chip, 0, Qt.AlignmentFlag.AlignVCenter)
        line.addWidget(self.listen)
        line.addWidget(self.mute)
        line.addWidget(self.new)
        line.addWidget(self.menu)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        holder = QWidget()
        holder.setLayout(line)
        holder.setFixedHeight(max(_HEIGHT_PX, holder.sizeHint().height()))  # The height stays the same for every text.
        layout.addWidget(holder)
        layout.addWidget(self._progress)

    @override
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share a narrow window, where the text needs its room."""
        super().resizeEvent(event)
        share = _AGENT_SHARE if self.width() >= _ROOM_FOR_AGENT_PX else _NARROW_AGENT_SHARE
        self._agent_chip.setMaximumWidth(round(self.width() * share))
        self._show_new()

    def show_title(self, title: str, *, can_change: bool = False) -> None:
        """Show the title of the open conversation, empty for a new one, and whether it can be changed."""
        self.title.show_title(title, can_change=can_change)

    def show_agent(self, agent: AgentShown) -> None:
        """Name the agent that answers, and its workspace. Sori itself in the default workspace needs no name."""
        named = agent.name or agent.workspace
        name = agent.name or self._texts("desktop.conversation.assistant")
        words = " · ".join(filter(None, [name, agent.workspace])) if named else ""
        self.agent.setText(words)
        self.agent.setAccessibleName(self._texts("desktop.conversation.agent", agent=words) if words else "")
        self._agent_chip.setVisible(bool(words))

    def show_side(self, *, is_open: bool) -> None:
        """Name the side bar's button, and hide the button for a new conversation while the side bar offers one."""
        self.side.rename(self._texts("desktop.sidebar.fold" if is_open else "desktop.sidebar.unfold"))
        self._side_open = is_open
        self._show_new()

    def _show_new(self) -> None:
        """Hide the button in a narrow window; there the side bar and a key begin a new conversation."""
        self.new.setVisible(not self._side_open and self.width() >= _ROOM_FOR_NEW_PX)

    def enter(self, snapshot: Snapshot) -> None:
        """Show a state."""
        if self._snapshot is None or self._snapshot.turn != snapshot.turn:
            self._answering, self._status = False, ""
            self._asked.clear()
        self._snapshot, self._stopped = snapshot, False
        self._refresh()

    def make_way(self, *, voiced: bool, listening: bool) -> None:
        """Make way for the listening view, which tells the state itself; offer it while the user talks with Sori."""
        self.listen.setVisible(voiced)
        if listening is not self._large_beside:
            self._large_beside = listening
            self._refresh()

    def show_packet(self, packet: Packet) -> None:
        """Follow the running turn."""
        match packet:
            case AnswerDelta():
                if self._answering:
                    return
                self._answering, self._status = True, ""
            case Status():
                self._status = say(self._texts, f"desktop.status.{packet.status}", otherwise=packet.detail)
            case Ask(question=question):
                self._asked.add(question)
            case Answered(question=question):
                self._asked.discard(question)
            case Done():
                self._status = ""
                self._asked.clear()
            case _:
                return
        self._refresh()

    def show_level(self, level_db: float) -> None:
        """Show the microphone's level in dBFS."""
        self.presence.show_level(level_db)

    def show_voice(self, voice: VoiceAvailable) -> None:
        """Show the state of microphone and speaker."""
        self._voice = voice
        reason = say(self._texts, voice.microphone_reason) if voice.microphone_reason else ""
        self.mute.show_microphone(muted=voice.muted, reason=reason, opened=bool(voice.microphone))
        self._refresh()

    def show_progress(self, progress: EngineProgressed) -> None:
        """Show the progress of a part that is being prepared."""
        self._left[progress.part] = progress.left
        self._doing[progress.part] = progress.doing or progress.part
        self._parts[progress.part] = min(max(progress.fraction, 0.0), 1.0)
        self._refresh()

    def show_stopped(self) -> None:
        """Show that the engine has ended, until it enters a state."""
        self._stopped = True
        self._parts.clear()
        self._refresh()

    def _refresh(self) -> None:
        word, detail = self._words()
        voice = self._voice
        broken = self._stopped or (voice is not None and bool(voice.microphone_reason))
        muted = voice is not None and voice.muted
        self.presence.show_mood(mood_of(None if self._stopped else self._snapshot, muted=muted, broken=broken))
        titled = self._at_rest or self._large_beside
        self.presence.setVisible(not self._large_beside)
        self.title.setVisible(titled)
        self.word.setVisible(not titled)
        self.word.setText(word)
        self.detail.setText(detail)
        self.detail.setVisible(bool(detail) and not self._large_beside)
        self.told.emit(word, detail)
        self.setAccessibleName(f"{word}. {detail}" if detail else word)
        self._progress.show_fraction(sum(self._parts.values()) / len(self._parts) if self._parts else 1.0)

    @property
    def _at_rest(self) -> bool:
        """Whether there is nothing to tell but the title."""
        idle = self._snapshot is not None and self._snapshot.interaction is InteractionState.IDLE
        return idle and not self._stopped and not self._asked

    @property
    def asking(self) -> bool:
        """Whether the turn waits for the user's answer to a question."""
        return bool(self._asked) and not self._stopped

    def _words(self) -> tuple[str, str]:
        """The word for the state, and the most useful detail."""
        if self._stopped:
            return self._texts("desktop.state.stopped"), ""
        going_on = [(part, done) for part, done in self._parts.items() if done < 1]
        # Prefer a part with a known remaining time: the user waits for that one.
        preparing = max(going_on, key=lambda each: bool(self._left.get(each[0])), default=None)
        if self._snapshot is None:
            return self._texts("desktop.state.starting"), self._progress_words(preparing)
        snapshot = self._snapshot
        if self.asking:
            return self._texts("desktop.state.asking"), ""
        word = state_word(self._texts, snapshot, answering=self._answering)
        if snapshot.interaction is InteractionState.IDLE:
            if preparing is not None:
                return self._texts("desktop.state.preparing"), self._progress_words(preparing)
            return word, self._problem()
        if snapshot.processing in {ProcessingState.TOOL_CALLING, ProcessingState.TOOL_ERROR} and snapshot.tool:
            return word, tool_name(self._texts, snapshot.tool)
        if snapshot.interaction is InteractionState.SPEAKING:
            return word, self._texts("desktop.detail.interrupt")
        return word, self._status

    def _progress_words(self, preparing: tuple[str, float] | None) -> str:
        if preparing is None:
            return ""
        part, done = preparing
        words = self._texts("desktop.detail.part", part=say(self._texts, self._doing[part]), percent=round(done * 100))
        left = self._left.get(part, "")
        return self._texts("desktop.detail.left", words=words, left=left) if left else words

    def _problem(self) -> str:
        """Why Sori cannot hear or be heard. That the user has turned the microphone off is said at its switch."""
        voice = self._voice
        reason = "" if voice is None else voice.microphone_reason or ("" if voice.muted else voice.speaker_reason)
        return say(self._texts, reason) if reason else ""
