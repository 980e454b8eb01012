"""Every page and state of the window, one after another, for pictures and for the check that nothing is cut."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QWidget

from assistant.core.display.addresses import target_of
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.messages import TOOL_FAILED, Attachment, Completion, Message, Role, ToolUse
from assistant.core.packets import ASK_WORDS, CONFIRM_TOOL, AnswerDelta, Ask, Done, Failure, Packet, PageOffer, Status
from assistant.core.records.agents import AgentId
from assistant.core.records.names import Enrolment, TakeResult
from assistant.core.service.requests.engine import WhatEnds
from assistant.core.texts import Texts
from assistant.core.updates import (
    ConversationOpened,
    DictationChanged,
    DictationStage,
    EngineProgressed,
    EnrolmentChanged,
    LevelMeasured,
    MessageAdded,
    ModelSuggested,
    PacketEmitted,
    PartialHeard,
    ReadingChanged,
    SentenceBegun,
    Severity,
    StateChanged,
    Suggestion,
    TimersChanged,
    TimerShown,
    VoiceAvailable,
)
from assistant.desktop.chrome.leaving import EndDialog
from assistant.desktop.first_run.first_run import STEPS, FirstRunWindow
from assistant.desktop.frame.pages_window import PagesWindow
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.menu import Menu
from assistant.desktop.main_window import MainWindow
from assistant.desktop.markdown.link_question import LinkQuestion
from assistant.desktop.pages import PAGES
from assistant.desktop.quick.quick_window import QuickWindow
from assistant.desktop.trouble.trouble_dialog import StartTrouble, TroubleDialog
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts

TURN = TurnId("scene")
IDLE = Snapshot()
LISTENING = Snapshot(interaction=InteractionState.LISTENING, session=SessionState.ACTIVE, turn=TURN)
THINKING = Snapshot(
    interaction=InteractionState.PROCESSING,
    processing=ProcessingState.STREAMING,
    session=SessionState.ACTIVE,
    turn=TURN,
    by_voice=True,
)
SPEAKING = Snapshot(interaction=InteractionState.SPEAKING, session=SessionState.ACTIVE, turn=TURN, by_voice=True)
TYPED = Snapshot(interaction=InteractionState.PROCESSING, processing=ProcessingState.STREAMING, turn=TURN)
DEVICES = VoiceAvailable(
    microphone="USB PnP Audio Device Analog Mono",
    microphone_reason="",
    speaker="Built-in Audio Analog Stereo",
    speaker_reason="",
    muted=False,
    wake_word="hey_jarvis",
)
LOADED = "progress.speech_models"
SAID = {
    "ko": (
        "기억해 줘, 내 동생은 부산에 살아",
        "5분 타이머 맞춰 줘",
        "내일 아침 7시에 깨워 줘",
        "다음 주 금요일 오후 3시에 회의라고 알려 줘",
        "라면을 맛있게 끓이는 방법을 알려 줘",
    ),
    "en": (
        "Remember that my sister lives in Busan",
        "Set a timer for 5 minutes",
        "Wake me up tomorrow at 7 am",
        "Remind me next Friday at 3 pm of the meeting",
        "How do I cook ramen well?",
    ),
}
"""What the user has said before the pages are looked at: facts, timers, and turns that a model has answered."""

ANSWER = {
    "ko": """물이 끓으면 **면과 스프**를 함께 넣고 4분 더 끓여요. 달걀은 마지막 1분에 넣는 게 좋아요.

| 단계 | 시간 | 설명 |
|---|---:|---|
| 물 끓이기 | 5분 | 물 550 ml, 속도는 $v = \\frac{\\text{거리}}{\\text{시간}}$ |
| 면 넣기 | 4분 | 스프와 함께 |

```python
def 끓이기(물: int = 550, 면: int = 1, *, 스프: bool = True, 달걀: int = 1, 파: bool = True) -> str:
    return f"물 {물} ml에 면 {면}개"  # 긴 줄은 잘리지 않고 옆으로 밀어서 볼 수 있어야 해요, 끝까지 볼 수 있어야 해요
```

$$E = \\sum_{i=1}^{n} \\frac{m_i v_i^2}{2}$$

1. 불을 끄고 30초 기다려요.
2. `그릇`에 담아요. 자세한 건 [여기](https://example.org/ramen)에 있어요.
""",
    "en": """When the water boils, add **noodles and soup base** together and cook for 4 minutes. The egg goes in last.

| Step | Time | Notes |
|---|---:|---|
| Boil the water | 5 min | 550 ml, speed $v = \\frac{\\text{distance}}{\\text{time}}$ |
| Add the noodles | 4 min | with the soup base |

```python
def cook(water: int = 550, noodles: int = 1, *, soup: bool = True, egg: int = 1, scallion: bool = True) -> str:
    return f"{noodles} noodles in {water} ml"  # a long line scrolls and is not cut, so that its end can be seen too
```

$$E = \\sum_{i=1}^{n} \\frac{m_i v_i^2}{2}$$

1. Turn the heat off and wait 30 seconds.
2. Serve it in a `bowl`. There is more [here](https://example.org/ramen).
""",
}


@dataclass
class Stage:
    """The window whose scenes are looked at.

    Attributes:
        window: the window, with an engine that answers.
        language: its language.
    """

    window: MainWindow
    language: str

    def wait(self, done: Callable[[], bool]) -> None:
        """Let the window work until something is so."""
        for _ in range(1500):
            if done():
                return
            QTest.qWait(20)
        raise TimeoutError("the engine did not answer")

    def say(self, ko: str, en: str) -> str:
        """The words of the stage's language."""
        return ko if self.language == "ko" else en

    @property
    def texts(self) -> Texts:
        """The words of the stage's language."""
        return load_texts(self.language)

    @property
    def conversation(self) -> str:
        """The id of the shown conversation."""
        return self.window._view.conversation

    def fill(self) -> None:
        """Have a past: facts, timers, answers."""
        self.wait(lambda: bool(self.conversation))
        for words in SAID[self.language]:
            self.let_say(words)

    def let_say(self, words: str) -> None:
        """Type something and wait for the answer."""
        wanted = len(self.window.conversation.rows) + 2
        self.window.composer.submitted.emit(words, ())
        self.wait(partial(self._has, wanted))

    def _has(self, count: int) -> bool:
        """Whether so many messages are shown, and the last one is stored."""
        rows = self.window.conversation.rows
        return len(rows) >= count and bool(rows[-1].message_id)

    def open(self, *messages: Message) -> None:
        """Show a conversation with these messages, and nothing else going on."""
        window = self.window
        window.drawer.fold()
        window._parts.find.leave()
        window.better.hide()
        window.composer.put("")
        window.composer.files.take()
        while window.notices.shown is not None:
            window.notices.shown.dismiss.click()
        title = self.say("라면을 맛있게 끓이는 방법", "How to cook ramen well") if messages else ""
        for update in (
            ConversationOpened(conversation=self.conversation, messages=messages, title=title),
            DEVICES,
            TimersChanged(timers=()),
            ReadingChanged(),
            EngineProgressed(part=LOADED, fraction=1.0),
        ):
            window.show_update(update)
        self.enter(IDLE)

    def clear(self) -> None:
        """Close everything but the window."""
        for each in (*self.window.pages.open, *QApplication.topLevelWidgets()):
            if each is not self.window and each.isVisible():
                each.close()
        QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def enter(self, snapshot: Snapshot) -> None:
        """Enter a state of the voice."""
        self.window.show_update(StateChanged(conversation=self.conversation, snapshot=snapshot))

    def emit(self, *packets: Packet) -> None:
        """Emit packets of a turn."""
        for packet in packets:
            self.window.show_update(PacketEmitted(conversation=self.conversation, turn=TURN, packet=packet))

    def asked(self, ko: str, en: str) -> None:
        """The user has asked something, to which nothing was answered yet."""
        self.open()
        message = Message(role=Role.USER, text=self.say(ko, en))
        self.window.show_update(MessageAdded(conversation=self.conversation, turn=TURN, message=message))
        self.enter(TYPED)


Scene = Callable[[Stage], QWidget]
"""Brings the window into a state, and returns what is to be looked at."""


def scenes() -> Iterator[tuple[str, Scene]]:
    """All scenes with their names."""
    yield from CONVERSATION.items()
    for step in STEPS:
        yield f"first_run.{step}", partial(_first_run, step=step)
    for page in PAGES:
        yield f"page.{page.name}", partial(show_page, name=page.name)


def show_page(stage: Stage, name: str, at: str = "") -> QDialog:
    """A page, or a part of it, with what the engine has told of it."""
    stage.window.show_page(name, at)
    (pages,) = (each for each in stage.window.pages.open if isinstance(each, PagesWindow))
    reading = stage.texts("desktop.records.reading")
    stage.wait(lambda: not any(each.isVisible() and each.text() == reading for each in pages.findChildren(QLabel)))
    QTest.qWait(50)
    return pages


def parts(stage: Stage) -> Iterator[tuple[str, Scene]]:
    """The parts of the page that is shown, after the first one."""
    (pages,) = (each for each in stage.window.pages.open if isinstance(each, PagesWindow))
    for part, _ in pages.shown_page.parts[1:]:
        yield f"page.{pages.shown}.{part}", partial(show_page, name=pages.shown, at=part)


def is_sized(shown: QWidget) -> bool:
    """Whether what a scene shows takes the size that it is given."""
    return isinstance(shown, FirstRunWindow | PagesWindow)


def _first_run(stage: Stage, step: str) -> QWidget:
    stage.window.pages.show_first_run(step)
    run = stage.window.pages.first_run
    assert run is not None
    run.show_step(step)
    run.show_update(DEVICES)
    run.show_update(LevelMeasured(level_db=-18))
    if step == "name":
        take = Enrolment(agent=AgentId(), heard=(stage.say("소리야", "Hey Sori"),), result=TakeResult.DIFFERENT)
        run.show_update(EnrolmentChanged(enrolment=replace(take, text=stage.say("도리야", "Hey Laurie"))))
    return run


def _start(stage: Stage) -> QWidget:
    stage.open()
    return stage.window


def _conversation(stage: Stage) -> QWidget:
    said = stage.say(
        "라면을 맛있게 끓이는 방법을 표와 코드로 알려 줘", "How do I cook ramen well? Use a table and code"
    )
    recipe = Attachment(mime_type="text/plain", name="recipe.txt", data=b"milk")
    thought = stage.say("먼저 찾아보자.", "Search first.")
    tool = ToolUse(id="1", name="web_search", arguments={"query": stage.say("라면 맛있게", "ramen recipe")})
    failed = ToolUse(id="2", name="fetch_page", arguments={"url": "https://example.org/ramen"})
    reason = stage.say("서버가 응답하지 않았어요. (시간 초과 20초)", "The server did not answer within 20 s.")
    stage.open(
        Message(
            role=Role.USER,
            text=said,
            id="u1",
            attachments=(recipe,),
        ),
        Message(
            role=Role.ASSISTANT,
            text="",
            id="a1",
            tool_uses=(tool, failed),
            reasoning=thought,
        ),
        Message(role=Role.TOOL, text="1. example.org", tool_use_id="1"),
        Message(role=Role.TOOL, text=reason, tool_use_id="2", error=TOOL_FAILED),
        Message(
            role=Role.ASSISTANT,
            text=ANSWER[stage.language],
            id="a2",
            provider="mine",
            model="scripted-model",
            versions=("a0", "a2"),
        ),
        Message(role=Role.USER, text=stage.say("고마워", "Thanks"), id="u2"),
        Message(
            role=Role.ASSISTANT,
            text=stage.say("천만에요! 맛있게", "You are welcome! Enjoy"),
            id="a3",
            completion=Completion.INTERRUPTED,
            heard=stage.say("천만에요!", "You are welcome!"),
        ),
    )
    return stage.window


def _top(stage: Stage) -> QWidget:
    _conversation(stage)
    QTest.qWait(200)
    bar = stage.window.conversation.verticalScrollBar()
    bar.setValue(bar.minimum())
    for each in stage.window.conversation.findChildren(QWidget):
        if each.property("checkable") and each.objectName() != "mute":
            each.click()  # type: ignore[attr-defined]
    bar.setValue(bar.minimum())
    return stage.window


def _growing(stage: Stage) -> QWidget:
    stage.asked("코드를 보여 줘", "Show me code")
    stage.emit(AnswerDelta(turn_index=0, text=ANSWER[stage.language].split("    return")[0] + "    x = " + "1 + " * 60))
    return stage.window


def _listening(stage: Stage) -> QWidget:
    stage.open()
    stage.enter(LISTENING)
    stage.window.show_update(LevelMeasured(level_db=-18))
    heard = stage.say("내일 부산 날씨가 어떤지", "What will the weather be in Busan")
    stage.window.show_update(PartialHeard(conversation=stage.conversation, turn=TURN, text=heard, stable=8))
    return stage.window


def _thinking(stage: Stage) -> QWidget:
    _listening(stage)
    stage.enter(THINKING)
    return stage.window


def _speaking(stage: Stage) -> QWidget:
    _thinking(stage)
    stage.enter(SPEAKING)
    said = stage.say("내일 부산은 맑고 낮에 18도까지 올라가요.", "Busan will be sunny tomorrow, with up to 18 degrees.")
    stage.window.show_update(SentenceBegun(conversation=stage.conversation, turn=TURN, text=said))
    return stage.window


def _muted(stage: Stage) -> QWidget:
    stage.open()
    stage.window.show_update(replace(DEVICES, muted=True))
    return stage.window


def _deaf(stage: Stage) -> QWidget:
    stage.open()
    reason = stage.say("마이크를 찾지 못했어요.", "No microphone was found.")
    stage.window.show_update(replace(DEVICES, microphone="", microphone_reason=reason))
    return stage.window


def _loading(stage: Stage) -> QWidget:
    stage.open()
    left = stage.say("약 3분", "about 3 minutes")
    stage.window.show_update(EngineProgressed(part=LOADED, fraction=0.42, left=left))
    return stage.window


def _consent(stage: Stage, category: str, tool: str, **arguments: object) -> QWidget:
    stage.asked("메모를 지워 줘", "Delete the note")
    stage.emit(
        Ask(
            turn_index=0,
            question=tool,
            kind=CONFIRM_TOOL,
            text=stage.texts("ask.tool_alone", tool=tool),
            choices=("yes", "no"),
            scope="server" if tool.startswith("mcp") else "",
            tool=tool,
            arguments=arguments,
            within_s=60,
            category=category,
            server="files" if tool.startswith("mcp") else "",
            because=stage.texts("ask.because_private") if category == "restricted" else "",
        )
    )
    return stage.window


def _words(stage: Stage) -> QWidget:
    stage.asked("회의를 잡아 줘", "Set up the meeting")
    text = stage.say("언제가 좋을까요?", "When would be good?")
    stage.emit(
        Ask(
            turn_index=0,
            question="w",
            kind=ASK_WORDS,
            text=text,
            choices=("text", "skip", "no"),
            within_s=60,
        )
    )
    return stage.window


def _failed(stage: Stage) -> QWidget:
    stage.asked("날씨 어때?", "How is the weather?")
    words = stage.say("서버에 연결할 수 없어요. 서버가 켜져 있나요?", "The server cannot be reached. Is it running?")
    stage.emit(
        Status(turn_index=0, status="fallback", detail=stage.say("다른 모델로 답해요.", "Another model answers.")),
        Failure(turn_index=0, code="network", message=words, offers=("retry", "other_model", "api_key")),
        Done(turn_index=0, finish="failed"),
    )
    stage.enter(IDLE)
    return stage.window


def _offer(stage: Stage) -> QWidget:
    stage.asked("목소리를 바꿔 줘", "Change your voice")
    title = stage.say("설정 열기: 목소리", "Open the settings: Voice")
    stage.emit(
        AnswerDelta(turn_index=0, text=stage.say("설정에서 바꿀 수 있어요.", "You can change it in the settings.")),
        PageOffer(turn_index=0, page="settings", title=title, setting="voice.voice", command="sori settings"),
        Done(turn_index=0, finish="complete"),
    )
    stage.enter(IDLE)
    return stage.window


def _notice(stage: Stage, severity: Severity) -> QWidget:
    stage.open()
    stage.window.notices.post(
        stage.say(
            "설정 파일에 오류가 있어서 옆에 따로 보관하고 새 파일로 시작했어요. 고친 뒤에 다시 불러올 수 있어요.",
            "There was an error in the settings file. It was set aside, and Sori has started with a new one.",
        ),
        severity,
        about="scene",
        detail="config.toml: line 3: Expected '=' after a key",
    )
    return stage.window


def _timers(stage: Stage) -> QWidget:
    stage.open()
    now = datetime.now(tz=UTC)
    tea = TimerShown(id="1", title=stage.say("녹차 타이머", "Tea timer"), due_at=now.isoformat(), ringing=True)
    meeting = stage.say("3시 회의 알림", "Meeting at 3")
    later = TimerShown(id="2", title=meeting, due_at=(now + timedelta(minutes=72)).isoformat(), alarm=True)
    stage.window.show_update(TimersChanged(timers=(tea, later)))
    return stage.window


def _reading(stage: Stage) -> QWidget:
    _conversation(stage)
    stage.window.show_update(ReadingChanged(sentence=3, sentences=12))
    return stage.window


def _better(stage: Stage) -> QWidget:
    stage.open()
    better = Suggestion(
        reference="local/qwen2.5-7b",
        title="Qwen2.5 7B Instruct",
        size=4_700_000_000,
        licence="Apache-2.0",
        tokens_per_s=7.0,
        to_fetch=True,
    )
    stage.window.show_update(ModelSuggested(suggestion=better))
    return stage.window


def _side(stage: Stage) -> QWidget:
    stage.open()
    stage.window.drawer.unfold()
    QTest.qWait(200)
    return stage.window


def _find(stage: Stage) -> QWidget:
    _conversation(stage)
    stage.window.open_conversation.act("find")
    return stage.window


def _rename(stage: Stage) -> QWidget:
    _conversation(stage)
    stage.window.open_conversation.act("rename")
    return stage.window


def _attached(stage: Stage) -> QWidget:
    stage.open()
    kinds = (
        (
            "application/pdf",
            stage.say("2026년 3분기 사업 보고서 최종본.pdf", "Business report third quarter 2026 final.pdf"),
        ),
        ("text/plain", "notes.txt"),
    )
    stage.window.composer.files.give_back(
        tuple(Attachment(mime_type=kind, name=name, data=b"x" * 40_000) for kind, name in kinds)
    )
    stage.window.composer.put("\n".join(stage.say("이 파일을 요약해 줘", "Summarise these files") for _ in range(3)))
    return stage.window


def _editing(stage: Stage) -> QWidget:
    _conversation(stage)
    row = stage.window.conversation.rows[0]
    row.edit()  # type: ignore[attr-defined]
    return stage.window


def _actions(stage: Stage) -> QWidget:
    _conversation(stage)
    QTest.qWait(100)
    stage.window.conversation.bar.enter(stage.window.conversation.rows[-1])
    return stage.window


def _models(stage: Stage) -> QWidget:
    stage.open()
    stage.window.menu.model_wanted.emit()
    QTest.qWait(800)
    return stage.window.models


def _menu(stage: Stage) -> QWidget:
    stage.open()
    stage.window.menu.popup(stage.window.mapToGlobal(stage.window.rect().center()))
    return stage.window.menu


def _pages_menu(stage: Stage) -> QWidget:
    menu = stage.window.menu.findChildren(Menu)[-1]
    menu.popup(stage.window.mapToGlobal(stage.window.rect().center()))
    return menu


def _tray(stage: Stage) -> QWidget:
    stage.window.tray.menu.popup(stage.window.mapToGlobal(stage.window.rect().center()))
    return stage.window.tray.menu


def _quick(stage: Stage) -> QWidget:
    stage.open()
    stage.window.beside.quick.show()
    message = Message(role=Role.USER, text=stage.say("내일 날씨 어때?", "What is the weather tomorrow?"))
    stage.window.show_update(MessageAdded(conversation=stage.conversation, turn=TURN, message=message))
    stage.emit(AnswerDelta(turn_index=0, text=ANSWER[stage.language]))
    stage.enter(SPEAKING)
    return stage.window.beside.quick


def _quick_empty(stage: Stage) -> QWidget:
    stage.enter(IDLE)
    quick = QuickWindow(stage.texts, Icons(RESOURCES / "icons"), stage.window.beside._theme)
    quick.setParent(stage.window, quick.windowFlags())
    quick.show()
    return quick


def _overlay(stage: Stage) -> QWidget:
    stage.open()
    stage.window.beside.see_window(seen=False)
    stage.enter(LISTENING)
    overlay = stage.window.beside.overlay
    overlay.stand_back(back=False)
    overlay.see_window(seen=False)
    overlay.enter(LISTENING)
    overlay.hear(stage.say("내일 부산 날씨가 어떤지", "What will the weather be in Busan"))
    overlay.show_level(-18)
    overlay.show()
    return overlay


def _dictation(stage: Stage) -> QWidget:
    stage.open()
    heard = stage.say("안녕하세요 쉼표 내일 회의는 세 시예요", "Hello comma the meeting starts at three")
    stage.window.dictation.runs = True
    stage.window.dictation.overlay.show_dictation(
        DictationChanged(stage=DictationStage.LISTENING, heard=heard, stable=12)
    )
    stage.window.dictation.show_level(-18)
    stage.window.dictation.runs = False
    stage.window.dictation.overlay.show()
    return stage.window.dictation.overlay


def _ending(stage: Stage) -> QWidget:
    rings = (
        stage.say("녹차 타이머 · 3분 뒤", "Tea timer · in 3 minutes"),
        stage.say("알람 · 내일 오전 7:00", "Alarm · tomorrow 7:00 am"),
    )
    dialog = EndDialog(
        stage.texts,
        WhatEnds(rings=rings, followers=("terminal", "http")),
        stage.window,
        in_tray=True,
        surprises=True,
    )
    dialog.show()
    return dialog


def _trouble(stage: Stage) -> QWidget:
    trouble = StartTrouble(
        title=stage.say("설정 파일에 오류가 있어요", "There is an error in the settings file"),
        problem=stage.say("3번째 줄: ‘=’ 뒤에 값이 없어요.", "Line 3: there is no value after “=”."),
        path=RESOURCES / "config.toml",
        line=3,
        excerpt="theme = ",
    )
    dialog = TroubleDialog(stage.texts, Icons(RESOURCES / "icons"), trouble, lambda: trouble)
    dialog.setParent(stage.window, Qt.WindowType.Dialog)
    dialog.show()
    return dialog


def _link(stage: Stage) -> QWidget:
    target = target_of("https://xn--80ak6aa92e.com/login?next=/account&user=someone", "https://apple.com")
    assert target is not None
    dialog = LinkQuestion(stage.texts, target, lambda _: None, stage.window)
    dialog.show()
    return dialog


CONVERSATION: dict[str, Scene] = {
    "start": _start,
    "conversation": _conversation,
    "conversation_top": _top,
    "growing": _growing,
    "listening": _listening,
    "thinking": _thinking,
    "speaking": _speaking,
    "muted": _muted,
    "deaf": _deaf,
    "loading": _loading,
    "consent": lambda stage: _consent(
        stage, "sensitive", "mcp_files_write", path="/home/me/Documents/notes.txt", content="milk\neggs\n" * 4
    ),
    "consent_restricted": lambda stage: _consent(
        stage, "restricted", "run_command", command="rm -r build && make -j4 all"
    ),
    "ask_words": _words,
    "failed": _failed,
    "offer": _offer,
    "notice": lambda stage: _notice(stage, Severity.WARNING),
    "notice_error": lambda stage: _notice(stage, Severity.ERROR),
    "timers": _timers,
    "reading": _reading,
    "better": _better,
    "side": _side,
    "find": _find,
    "rename": _rename,
    "attached": _attached,
    "editing": _editing,
    "actions": _actions,
    "models": _models,
    "menu": _menu,
    "menu_pages": _pages_menu,
    "tray": _tray,
    "quick": _quick,
    "quick_empty": _quick_empty,
    "overlay": _overlay,
    "dictation": _dictation,
    "ending": _ending,
    "trouble": _trouble,
    "link": _link,
}
