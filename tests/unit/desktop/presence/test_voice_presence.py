from collections.abc import Callable

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QProxyStyle, QStyle, QStyleHintReturn, QStyleOption, QWidget
from pytestqt.qtbot import QtBot
from typing_extensions import override

from assistant.core.machine.states import InteractionState, ProcessingState, Snapshot
from assistant.desktop.kit.level_bars import loudness
from assistant.desktop.kit.theme import Theme
from assistant.desktop.presence.mood import Mood, mood_of
from assistant.desktop.presence.voice_presence import VoicePresence

MakePresence = Callable[[int], VoicePresence]
LOUD_DB, QUIET_DB, ROOM_DB = -15.0, -50.0, -45.0


@pytest.fixture
def make(qtbot: QtBot, theme: Theme) -> MakePresence:
    def made(edge_px: int) -> VoicePresence:
        presence = VoicePresence(theme, edge_px)
        qtbot.addWidget(presence)
        presence.show()
        return presence

    return made


@pytest.fixture
def presence(make: MakePresence) -> VoicePresence:
    return make(38)


def drawn(presence: VoicePresence) -> QImage:
    """The picture in shades of grey: forms must differ without their colours."""
    return presence.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)


def breadth(presence: VoicePresence) -> int:
    """The pixels from the leftmost to the rightmost point of the form."""
    image = presence.grab().toImage()
    ground = image.pixel(0, 0)
    columns = [x for x in range(image.width()) if any(image.pixel(x, y) != ground for y in range(image.height()))]
    return columns[-1] - columns[0]


SPEAKING = Snapshot(interaction=InteractionState.SPEAKING)
LISTENING = Snapshot(interaction=InteractionState.LISTENING)
THINKING = Snapshot(interaction=InteractionState.PROCESSING, processing=ProcessingState.TOOL_CALLING)


@pytest.mark.parametrize(
    ("snapshot", "muted", "broken", "mood"),
    [
        (None, False, False, Mood.IDLE),
        (None, True, False, Mood.MUTED),
        (None, False, True, Mood.ERROR),
        (Snapshot(), False, False, Mood.IDLE),
        (Snapshot(), True, False, Mood.MUTED),
        (Snapshot(), True, True, Mood.ERROR),
        (LISTENING, False, False, Mood.LISTENING),
        (THINKING, False, False, Mood.THINKING),
        (THINKING, True, False, Mood.THINKING),
        (THINKING, False, True, Mood.THINKING),
        (SPEAKING, False, False, Mood.SPEAKING),
        (SPEAKING, True, True, Mood.SPEAKING),
    ],
)
def test_what_sori_does_comes_before_what_hinders_it(
    snapshot: Snapshot | None, muted: bool, broken: bool, mood: Mood
) -> None:
    assert mood_of(snapshot, muted=muted, broken=broken) is mood


@pytest.mark.parametrize("edge_px", [28, 38, 96, 220])
def test_every_mood_has_a_form_of_its_own_without_colour_and_motion(make: MakePresence, edge_px: int) -> None:
    presence = make(edge_px)
    forms = []
    for mood in Mood:
        presence.show_mood(mood)
        forms.append(drawn(presence))
    assert all(forms[i] != forms[j] for i in range(len(forms)) for j in range(i))


def test_idle_is_smaller_than_what_is_active(presence: VoicePresence) -> None:
    taken = {}
    for mood in Mood:
        presence.show_mood(mood)
        presence.show_level(LOUD_DB)
        taken[mood] = breadth(presence)
    assert all(taken[Mood.IDLE] < taken[each] for each in (Mood.LISTENING, Mood.THINKING, Mood.SPEAKING))


@pytest.mark.parametrize(
    ("mood", "moves"),
    [
        (Mood.IDLE, False),
        (Mood.MUTED, False),
        (Mood.ERROR, False),
        (Mood.LISTENING, False),
        (Mood.THINKING, True),
        (Mood.SPEAKING, True),
    ],
)
def test_a_timer_runs_only_while_something_moves(presence: VoicePresence, mood: Mood, moves: bool) -> None:
    presence.show_mood(mood)
    assert presence.moving is moves
    presence.show_mood(Mood.IDLE)
    assert not presence.moving


@pytest.mark.parametrize("mood", [Mood.IDLE, Mood.MUTED, Mood.ERROR, Mood.THINKING, Mood.SPEAKING])
def test_the_room_moves_nothing_while_sori_does_not_listen(presence: VoicePresence, mood: Mood) -> None:
    presence.show_mood(mood)
    before = presence.moving
    presence.show_level(LOUD_DB)
    assert (presence.level, presence.moving) == (0.0, before)


def test_a_sound_runs_outwards_and_the_form_rests_when_it_stays(presence: VoicePresence, qtbot: QtBot) -> None:
    presence.show_mood(Mood.LISTENING)
    silent = drawn(presence)
    presence.show_level(LOUD_DB)
    assert presence.moving
    qtbot.waitUntil(lambda: not presence.moving)
    assert drawn(presence) != silent


def test_the_small_changes_of_a_steady_room_move_nothing(presence: VoicePresence, qtbot: QtBot) -> None:
    presence.show_mood(Mood.LISTENING)
    presence.show_level(ROOM_DB)
    qtbot.waitUntil(lambda: not presence.moving)
    for change in (0.9, -0.9, 0.4, 0.0):
        presence.show_level(ROOM_DB + change)
        assert not presence.moving


@pytest.mark.parametrize("mood", [Mood.THINKING, Mood.SPEAKING])
def test_nothing_moves_where_nobody_sees_it(presence: VoicePresence, mood: Mood) -> None:
    presence.show_mood(mood)
    presence.hide()
    hidden = presence.moving
    presence.show()
    assert (hidden, presence.moving) == (False, True)


@pytest.mark.parametrize("mood", list(Mood))
def test_with_less_motion_nothing_moves_and_the_level_is_still_shown(
    presence: VoicePresence, theme: Theme, mood: Mood
) -> None:
    theme.reduce_motion(reduced=True)
    presence.show_mood(mood)
    before = drawn(presence)
    presence.show_level(LOUD_DB)
    assert not presence.moving
    assert (drawn(presence) != before) is (mood is Mood.LISTENING)


class StillStyle(QProxyStyle):
    """A desktop that wants no animations."""

    @override
    def styleHint(
        self,
        hint: QStyle.StyleHint,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        still = hint is QStyle.StyleHint.SH_Widget_Animation_Duration
        return 0 if still else super().styleHint(hint, option, widget, returnData)


def test_the_wish_of_the_desktop_for_less_motion_is_followed(make: MakePresence, theme: Theme) -> None:
    style = StillStyle("Fusion")
    theme.parent().setStyle(style)  # type: ignore[union-attr]  # The application.
    still, presence = theme.moves, make(38)
    presence.show_mood(Mood.THINKING)
    moving = presence.moving
    theme.parent().setStyle("Fusion")  # type: ignore[union-attr]
    assert (still, moving) == (False, False)


def test_loudness_runs_from_silence_to_full() -> None:
    assert [loudness(level) for level in (-96, -60, -36, -12, 0)] == [0, 0, 0.5, 1, 1]
