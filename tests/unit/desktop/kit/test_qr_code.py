"""A camera reads the painted codes: the decoder is given the pixels of the widget and of the terminal's lines."""

import numpy as np
import pytest
import zxingcpp
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from assistant.app.cli.qr_lines import qr_lines
from assistant.core.display.escaping import printable
from assistant.desktop.kit.qr_code import QrCode

TEXT = "sori1:" + "Ab3-_" * 60


def read(pixels: np.ndarray) -> list[str]:
    found = zxingcpp.read_barcodes(pixels, try_invert=False)
    return [each.text for each in found]


def painted(widget: QWidget, ratio: float, ground: str) -> np.ndarray:
    image = QImage(round(widget.width() * ratio), round(widget.height() * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(QColor(ground))
    widget.render(image, QPoint(0, 0))
    grey = image.convertToFormat(QImage.Format.Format_Grayscale8)
    lines = np.frombuffer(grey.constBits(), np.uint8).reshape(grey.height(), grey.bytesPerLine())
    return lines[:, : grey.width()].copy()


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 2.0])
@pytest.mark.parametrize("ground", ["#151719", "#FAF9F7"])
def test_a_camera_reads_the_code_on_every_ground_and_scale(qtbot: QtBot, ratio: float, ground: str) -> None:
    holder = QWidget()
    qtbot.addWidget(holder)
    holder.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
    column = QVBoxLayout(holder)
    code = QrCode(TEXT, "코드")
    column.addWidget(code)
    holder.adjustSize()
    assert read(painted(holder, ratio, ground)) == [TEXT]


def test_no_edge_of_a_module_is_grey(qtbot: QtBot) -> None:
    code = QrCode(TEXT, "코드")
    qtbot.addWidget(code)
    for ratio in (1.0, 2.0):
        assert set(np.unique(painted(code, ratio, "#808080"))) == {0, 255}


def test_the_code_has_a_quiet_zone_and_a_name(qtbot: QtBot) -> None:
    code = QrCode(TEXT, "다른 기기의 코드")
    qtbot.addWidget(code)
    pixels = painted(code, 1.0, "#000000")
    dark = np.argwhere(pixels == 0)
    assert dark.min() >= 4 * 5
    assert dark.max() < code.width() - 4 * 5
    assert code.accessibleName() == "다른 기기의 코드"


def test_another_text_takes_the_place_of_the_former_and_none_takes_no_room(qtbot: QtBot) -> None:
    code = QrCode("first", "코드")
    qtbot.addWidget(code)
    code.show_text("second")
    assert read(painted(code, 2.0, "#FFFFFF")) == ["second"]
    code.show_text("")
    assert code.sizeHint().isEmpty()


def test_a_text_that_no_code_can_hold_is_refused(qtbot: QtBot) -> None:
    with pytest.raises(ValueError, match=r"(?i)data"):
        qtbot.addWidget(QrCode("a" * 2400, "코드"))


@pytest.mark.parametrize("text", ["a", "sori1:short", TEXT])
def test_a_camera_reads_the_code_of_a_terminal(text: str) -> None:
    lines = [printable(each, styled=True) for each in qr_lines(text)]
    assert all(each.startswith("\x1b[30;107m") and each.endswith("\x1b[0m") for each in lines)
    modules = []
    for line in lines:
        blocks = line.removeprefix("\x1b[30;107m").removesuffix("\x1b[0m")
        modules.append([0 if each in "▀█" else 255 for each in blocks])
        modules.append([0 if each in "▄█" else 255 for each in blocks])
    pixels = np.kron(np.array(modules, np.uint8), np.ones((6, 6), np.uint8))
    assert read(np.pad(pixels, 24, constant_values=255)) == [text]
