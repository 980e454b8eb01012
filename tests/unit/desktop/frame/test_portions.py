"""Long work of Qt's thread is done in portions, and events come between them."""

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from assistant.desktop.frame.portions import Portions


def slow_steps(done: list[int], count: int) -> Iterator[None]:
    for number in range(count):
        time.sleep(0.005)
        done.append(number)
        yield


def test_events_come_between_the_portions_and_nothing_is_left_out(qtbot: QtBot, qapp: QObject) -> None:
    portions = Portions(qapp)
    done: list[int] = []
    seen: list[int] = []
    ended: list[bool] = []
    QTimer.singleShot(0, qapp, lambda: seen.append(len(done)))
    portions.begin(slow_steps(done, 20), lambda: ended.append(True))
    assert 0 < len(done) < 20, "the first portion is done at once"
    qtbot.waitUntil(lambda: bool(ended))
    assert done == list(range(20))
    assert seen[0] < 20


def test_other_work_drops_what_is_left_of_the_former_one(qtbot: QtBot, qapp: QObject) -> None:
    portions = Portions(qapp)
    former: list[int] = []
    other: list[int] = []
    portions.begin(slow_steps(former, 20), lambda: former.append(-1))
    portions.begin(slow_steps(other, 3))
    qtbot.waitUntil(lambda: len(other) == 3)
    qtbot.wait(20)
    assert len(former) < 20
    assert -1 not in former


def test_the_rest_can_be_done_at_once(qapp: QObject) -> None:
    portions = Portions(qapp)
    done: list[int] = []
    portions.begin(slow_steps(done, 6), lambda: done.append(-1))
    portions.finish()
    assert done == [0, 1, 2, 3, 4, 5, -1]
    portions.finish()
    assert done[-1] == -1
    assert len(done) == 7
