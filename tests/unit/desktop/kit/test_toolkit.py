import sys

from PySide6.QtCore import QObject, Signal
from pytestqt.qtbot import QtBot


class Emitter(QObject):
    counted = Signal(int)


def test_emitting_a_signal_leaves_the_reference_count_of_true_alone(qtbot: QtBot) -> None:
    # PySide6 6.12.0 loses one at every emit, which ends a process on Python 3.11 after a few thousand.
    emitter = Emitter()
    before = sys.getrefcount(True)

    for number in range(100):
        emitter.counted.emit(number)

    assert abs(sys.getrefcount(True) - before) < 50
