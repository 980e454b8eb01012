import pytest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.packets import AnswerDelta, Done, Status
from assistant.core.records.agents import AgentShown
from assistant.core.texts import Texts
from assistant.core.updates import EngineProgressed, VoiceAvailable
from assistant.desktop.chrome.state_strip import StateStrip
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.presence.mood import Mood

TURN = TurnId("1")


@pytest.fixture
def strip(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> StateStrip:
    strip = StateStrip(texts, icons, theme, QMenu())
    qtbot.addWidget(strip)
    strip.resize(480, 60)
    strip.show()
    return strip


def snapshot(
    interaction: InteractionState,
    session: SessionState = SessionState.INACTIVE,
    processing: ProcessingState | None = None,
    tool: str = "",
) -> Snapshot:
    turn = NO_TURN if interaction is InteractionState.IDLE else TURN
    return Snapshot(interaction=interaction, session=session, processing=processing, tool=tool, turn=turn)


IDLE = snapshot(InteractionState.IDLE)
LISTENING = snapshot(InteractionState.LISTENING, SessionState.ACTIVE)
STREAMING = snapshot(InteractionState.PROCESSING, processing=ProcessingState.STREAMING)
SPEAKING = snapshot(InteractionState.SPEAKING, SessionState.ACTIVE)


def voice(**given: object) -> VoiceAvailable:
    values = {"microphone": "m", "microphone_reason": "", "speaker": "s", "speaker_reason": "", "muted": False}
    return VoiceAvailable(**{**values, "called": "Hey Jarvis", **given})  # type: ignore[arg-type]  # One of each.


@pytest.mark.parametrize(
    ("state", "word", "detail"),
    [
        (IDLE, "Ready", ""),
        (LISTENING, "Listening", ""),
        (snapshot(InteractionState.LISTENING, SessionState.ENDING), "End the conversation?", ""),
        (STREAMING, "Thinking", ""),
        (
            snapshot(InteractionState.PROCESSING, processing=ProcessingState.TOOL_CALLING, tool="train_search"),
            "Using a tool",
            "train search",
        ),
        (
            snapshot(InteractionState.PROCESSING, processing=ProcessingState.TOOL_ERROR, tool="train_search"),
            "Tool error",
            "train search",
        ),
        (SPEAKING, "Speaking", "Speak or press Esc to stop"),
    ],
)
def test_each_state_has_its_word_and_detail(strip: StateStrip, state: Snapshot, word: str, detail: str) -> None:
    strip.enter(state)

    assert (strip.word.text(), strip.detail.text()) == (word, detail)
    assert strip.accessibleName().startswith(word)


def test_before_the_engine_is_up_it_says_that_it_starts(strip: StateStrip) -> None:
    assert strip.word.text() == "Starting"


def test_thinking_becomes_answering_with_the_first_word(strip: StateStrip) -> None:
    strip.enter(STREAMING)
    strip.show_packet(AnswerDelta(turn_index=0, text="Hi"))

    assert strip.word.text() == "Answering"


def test_what_is_waited_for_is_said_until_the_turn_is_done(strip: StateStrip) -> None:
    strip.enter(STREAMING)
    strip.show_packet(Status(turn_index=0, status="loading_model"))
    waiting = strip.detail.text()
    strip.show_packet(Done(turn_index=0, finish="complete"))

    assert waiting == "Loading the language model"
    assert strip.detail.text() == ""


def test_a_status_without_words_of_its_own_is_shown_as_told(strip: StateStrip) -> None:
    strip.enter(STREAMING)
    strip.show_packet(Status(turn_index=0, status="unheard_of", detail="Counting {sheep}"))

    assert strip.detail.text() == "Counting {sheep}"


@pytest.mark.parametrize(
    ("given", "detail"),
    [
        ({}, ""),
        ({"muted": True}, ""),
        ({"microphone_reason": "There is no microphone."}, "There is no microphone."),
        ({"speaker_reason": "There is no speaker."}, "There is no speaker."),
        ({"muted": True, "speaker_reason": "There is no speaker."}, ""),
    ],
)
def test_when_idle_the_title_is_shown_and_only_what_hinders_is_said(
    strip: StateStrip, given: dict[str, object], detail: str
) -> None:
    strip.show_title("Rice")
    strip.enter(IDLE)
    strip.show_voice(voice(**given))

    assert (strip.title.isVisible(), strip.title.text(), strip.word.isVisible()) == (True, "Rice", False)
    assert strip.detail.text() == detail
    assert strip.accessibleName().startswith("Ready")


def test_a_conversation_without_a_title_is_called_new(strip: StateStrip) -> None:
    strip.show_title("Rice")
    strip.show_title("")
    strip.enter(IDLE)
    assert strip.title.text() == "New conversation"


def test_while_sori_is_active_its_state_stands_in_place_of_the_title(strip: StateStrip) -> None:
    strip.show_title("Rice")
    shown = []
    for state in (LISTENING, STREAMING, SPEAKING, IDLE):
        strip.enter(state)
        shown.append((strip.title.isVisible(), strip.word.isVisible(), strip.presence.mood))
    assert shown == [
        (False, True, Mood.LISTENING),
        (False, True, Mood.THINKING),
        (False, True, Mood.SPEAKING),
        (True, False, Mood.IDLE),
    ]


def test_parts_that_are_made_ready_are_shown_until_they_are(strip: StateStrip) -> None:
    strip.enter(IDLE)
    strip.show_progress(EngineProgressed(part="Speech models", fraction=0.4))
    during = (strip.word.text(), strip.detail.text())
    strip.show_progress(EngineProgressed(part="Mind", fraction=0.2, left="about 2 minutes"))
    assert strip.detail.text() == "20% · Mind · about 2 minutes left"
    strip.show_progress(EngineProgressed(part="Mind", fraction=1))
    strip.show_progress(EngineProgressed(part="Speech models", fraction=0.8, doing="progress.loading.measuring"))
    assert strip.detail.text() == "80% · Measuring the speed of the voices, once"
    strip.show_progress(EngineProgressed(part="Speech models", fraction=1))

    assert during == ("Getting ready", "40% · Speech models")
    assert (strip.word.text(), strip.detail.text()) == ("Ready", "")


def test_the_height_stays_whatever_is_said(strip: StateStrip) -> None:
    heights = set()
    for state in (IDLE, LISTENING, STREAMING, SPEAKING):
        strip.enter(state)
        strip.adjustSize()
        heights.add(strip.height())

    assert len(heights) == 1


def test_an_engine_that_has_ended_is_said_to_have_stopped(strip: StateStrip) -> None:
    strip.enter(STREAMING)
    strip.show_stopped()

    assert strip.word.text() == "Stopped"
    assert strip.presence.mood is Mood.ERROR


@pytest.mark.parametrize(
    ("agent", "shown"),
    [
        (AgentShown(), ""),
        (AgentShown(name="Coach"), "Coach"),
        (AgentShown(name="Cook", workspace="Home"), "Cook · Home"),
        (AgentShown(workspace="Home"), "Sori · Home"),
    ],
)
def test_the_agent_that_answers_is_named_unless_it_is_sori_itself(
    strip: StateStrip, agent: AgentShown, shown: str
) -> None:
    strip.show_agent(AgentShown(name="another"))
    strip.show_agent(agent)
    assert (strip.agent.text(), strip.agent.isVisible()) == (shown, bool(shown))
    assert shown in strip.agent.accessibleName()
