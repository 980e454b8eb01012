"""The page of phones: the switch, a code that a camera reads, and what each phone may do."""

from typing import Any

import pytest
import zxingcpp
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.service.request import Refusal
from assistant.core.service.requests.phone import phones as rq
from assistant.core.updates import PhonesChanged
from assistant.desktop.kit.fields import OnOffSwitch
from assistant.desktop.phone.phone_page import PhonePage, PhonePart
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

TEXTS = load_texts("ko")
FINGERPRINT = ":".join(["A1", "B2", "C3", "D4"] * 8)
CODE = rq.GivenPhoneCode(
    link=f"https://192.168.0.5:7675/#code=sori_{'x' * 43}&sha256={FINGERPRINT.replace(':', '').lower()}",
    address="https://192.168.0.5:7675/",
    fingerprint=FINGERPRINT,
    until="2026-11-26T12:05:00+09:00",
)
PHONE = rq.ShownPhone(name="iPhone", sensitive=False, manage=False, added_at="2026-11-26T12:00:00+09:00", seen_at="")
OFF = rq.PhonesView(standing=rq.PhoneStanding(state=rq.PhoneState.OFF), words="꺼져 있어요.", phones=())
STANDING = rq.PhoneStanding(state=rq.PhoneState.OPEN, addresses=("https://192.168.0.5:7675/",), fingerprint=FINGERPRINT)
OPEN = rq.PhonesView(standing=STANDING, words="열려 있어요.", phones=())
SIGNED_IN = rq.PhonesView(standing=STANDING, words="열려 있어요.", phones=(PHONE,))


def page(qtbot: QtBot, view: rq.PhonesView) -> tuple[PhonePart, RecordedConnection]:
    connection = RecordedConnection()
    made = PhonePage(page_needs(connection, "ko"))
    qtbot.addWidget(made, before_close_func=lambda _: made.hide())  # keeps it: the part has no other owner
    made.resize(720, 900)
    made.show()
    connection.reply(rq.ReadPhones, view)
    QApplication.processEvents()
    assert isinstance(made.part, PhonePart)
    return made.part, connection


def sent(connection: RecordedConnection, kind: type[Any]) -> list[Any]:
    return [each for each in connection.sent if isinstance(each, kind)]


def press(part: PhonePart, name: str) -> None:
    (found,) = [each for each in part.findChildren(QPushButton) if each.text() == TEXTS(f"desktop.phone.{name}")]
    assert found.isVisibleTo(part)
    found.click()


def switches(part: PhonePart, name: str) -> OnOffSwitch:
    words = f"iPhone: {TEXTS(f'desktop.phone.{name}')}"
    (found,) = [
        each for each in part.phones.findChildren(OnOffSwitch) if each.accessibleName() == words and each.isVisible()
    ]
    return found


def read(part: PhonePart) -> list[str]:
    """What a camera reads of the painted page."""
    image = part.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = memoryview(image.constBits()).cast("B", (image.height(), image.bytesPerLine()))
    return [each.text for each in zxingcpp.read_barcodes(pixels)]


def test_while_it_is_off_no_code_is_offered_and_the_switch_turns_it_on(qtbot: QtBot) -> None:
    part, connection = page(qtbot, OFF)
    assert not part.code.isVisibleTo(part)
    part.switch.click()
    assert sent(connection, rq.SwitchPhones) == [rq.SwitchPhones(on=True)]
    connection.reply(rq.SwitchPhones, OPEN)
    assert part.code.isVisibleTo(part)
    assert part.page.told.text() == "열려 있어요."


def test_a_camera_reads_the_link_and_a_person_the_fingerprint(qtbot: QtBot) -> None:
    part, connection = page(qtbot, OPEN)
    press(part, "make_code")
    connection.reply(rq.MakePhoneCode, CODE)
    QApplication.processEvents()
    assert read(part) == [CODE.link]
    assert part.code.fingerprint.text().replace("\n", ":") == FINGERPRINT
    assert FINGERPRINT in part.code.fingerprint.accessibleName()
    assert part.code.warning.isVisibleTo(part)
    press(part, "copy")
    assert QGuiApplication.clipboard().text() == CODE.link


def test_a_used_code_is_shown_no_longer(qtbot: QtBot) -> None:
    part, connection = page(qtbot, OPEN)
    press(part, "make_code")
    connection.reply(rq.MakePhoneCode, CODE)
    part.show_update(PhonesChanged())
    connection.reply(rq.ReadPhones, SIGNED_IN)
    QApplication.processEvents()
    assert read(part) == []
    assert not part.code.copy.isVisibleTo(part)


@pytest.mark.parametrize(("name", "tools", "changes"), [("may_tools", True, False), ("may_change", False, True)])
def test_a_phone_is_granted_more_by_a_switch(qtbot: QtBot, name: str, tools: bool, changes: bool) -> None:
    part, connection = page(qtbot, SIGNED_IN)
    switches(part, name).click()
    wanted = rq.GrantPhone(name="iPhone", sensitive=tools, manage=changes)
    assert sent(connection, rq.GrantPhone) == [wanted]


def test_a_phone_is_signed_out(qtbot: QtBot) -> None:
    part, connection = page(qtbot, SIGNED_IN)
    press(part, "revoke")
    assert sent(connection, rq.RevokePhone) == [rq.RevokePhone(name="iPhone")]
    connection.reply(rq.RevokePhone, True)
    assert TEXTS("desktop.phone.revoked", name="iPhone") in part.told.words.text()


def test_a_refusal_is_told_where_the_code_would_be(qtbot: QtBot) -> None:
    part, connection = page(qtbot, OPEN)
    press(part, "make_code")
    connection.reply(rq.MakePhoneCode, Refusal(code=ErrorCode.INVALID_REQUEST, reason="x", message="닫혀 있어요."))
    assert part.code.told.text() == "닫혀 있어요."
