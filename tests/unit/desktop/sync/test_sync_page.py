"""The page of several devices: joining, devices, and what was changed on two."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import zxingcpp
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.records.sync import SyncStanding, SyncState
from assistant.core.service.request import Refusal
from assistant.core.service.requests.sync import account as rq
from assistant.core.service.requests.sync import keys as kq
from assistant.core.updates import SyncChanged
from assistant.desktop.sync.sync_page import SyncPage, SyncPart
from tests.fakes.front.connection import DONE, RecordedConnection
from tests.fakes.front.page_needs import page_needs

NOWHERE = rq.SyncView(state=SyncState(), words="동기화하고 있지 않아요.", server="", devices=(), differences=())
SEEN = "2026-11-26T12:00:00+09:00"
HERE = rq.ShownDevice(id="a" * 32, name="노트북", seen_at=SEEN, online=True, revoked=False, here=True)
OTHER = rq.ShownDevice(id="b" * 32, name="회사 컴퓨터", seen_at=SEEN, online=False, revoked=False, here=False)
DIFFERENCE = rq.ShownDifference(
    id=7, at=SEEN, what="file", name="memory/user.md", ours="- 색: 빨강", theirs="- 색: 초록"
)
JOINED = rq.SyncView(
    state=SyncState(standing=SyncStanding.ALIKE),
    words="다른 기기들과 같아요.",
    server="postgresql://sori@db/sori",
    devices=(HERE, OTHER),
    differences=(DIFFERENCE,),
)


def page(qtbot: QtBot, view: rq.SyncView, language: str = "ko") -> tuple[SyncPart, RecordedConnection]:
    connection = RecordedConnection()
    made = SyncPage(page_needs(connection, language))
    qtbot.addWidget(made, before_close_func=lambda _: made.hide())  # keeps it: the part has no other owner
    made.show()
    connection.reply(rq.ReadSync, view)
    QApplication.processEvents()
    assert isinstance(made.part, SyncPart)
    return made.part, connection


def sent(connection: RecordedConnection, kind: type[Any]) -> list[Any]:
    return [each for each in connection.sent if isinstance(each, kind)]


def button(part: SyncPart, text: str) -> QPushButton:
    (found,) = [each for each in part.findChildren(QPushButton) if each.text() == text and each.isVisibleTo(part)]
    return found


def shown(part: SyncPart) -> set[str]:
    return {each.text() for each in part.findChildren(QPushButton) if each.isVisibleTo(part)}


def test_a_device_that_leads_says_what_it_does_for_all(qtbot: QtBot) -> None:
    leader = replace(OTHER, leads=("telegram", "schedule"))
    part, _ = page(qtbot, replace(JOINED, devices=(HERE, leader)))
    words = [each.text() for each in part.findChildren(QLabel)]
    assert any("텔레그램에 답해요 · 예약한 요청을 실행해요" in each for each in words)


def enter(part: SyncPart, address: str, passphrase: str, again: str) -> None:
    account = part.account
    for field, text in (
        (account.address, address),
        (account.passphrase.first, passphrase),
        (account.passphrase.again, again),
    ):
        QTest.keyClicks(field, text)


def test_a_new_user_enters_the_address_and_twice_the_passphrase(qtbot: QtBot) -> None:
    part, connection = page(qtbot, NOWHERE)
    assert part.account.passphrase.first.echoMode() is QLineEdit.EchoMode.Password
    assert shown(part) == {"들어가기"}
    enter(part, "postgresql://u:p@db/sori", "four words are good", "four words are goo")
    assert not button(part, "들어가기").isEnabled()
    QTest.keyClicks(part.account.passphrase.again, "d")
    part.account.device.setText("노트북")
    button(part, "들어가기").click()
    (request,) = sent(connection, rq.SetUpSync)
    assert request == rq.SetUpSync(
        address="postgresql://u:p@db/sori", passphrase="four words are good", device="노트북"
    )
    connection.reply(rq.SetUpSync, JOINED)
    assert not part.account.passphrase.first.text()
    assert part.account.address.text() == "postgresql://sori@db/sori"  # without the password
    assert not part.account.entry.isVisibleTo(part)


def test_two_passphrases_that_differ_are_told(qtbot: QtBot) -> None:
    part, _ = page(qtbot, NOWHERE)
    enter(part, "postgresql://u@db/sori", "four words are good", "five")
    assert part.account.told.text() == "두 문구가 달라요."
    assert not button(part, "들어가기").isEnabled()


@pytest.mark.parametrize(
    ("reason", "offered", "then"),
    [
        ("sync_no_keyring", "파일에 보관", {"in_file": True}),
        ("sync_other_passphrase", "이 문구로 새 계정 만들기", {"new": True}),
    ],
)
def test_a_refusal_offers_the_way_out(qtbot: QtBot, reason: str, offered: str, then: dict[str, bool]) -> None:
    part, connection = page(qtbot, NOWHERE)
    enter(part, "postgresql://u@db/sori", "four words are good", "four words are good")
    button(part, "들어가기").click()
    connection.reply(rq.SetUpSync, Refusal(code=ErrorCode.SETTINGS, message="안 돼요.", reason=reason))
    button(part, offered).click()
    first, second = sent(connection, rq.SetUpSync)
    assert second == replace(first, **then)
    connection.reply(rq.SetUpSync, Refusal(code=ErrorCode.SETTINGS, message="서버가 없어요.", reason="storage"))
    assert part.account.told.text() == "서버가 없어요."
    assert offered not in shown(part)


def test_devices_of_the_past_are_folded_and_one_that_left_is_not_called_shut_out(qtbot: QtBot) -> None:
    out = replace(OTHER, id="c" * 32, name="태블릿", revoked=True)
    left = replace(out, id="d" * 32, name="옛 노트북", left=True, former=True)
    part, _ = page(qtbot, replace(JOINED, devices=(HERE, OTHER, out, left)))

    def words() -> str:
        return "\n".join(each.text() for each in part.findChildren(QLabel) if each.isVisibleTo(part))

    assert "옛 노트북" not in words()
    assert "태블릿\n내보냈어요" in words()
    button(part, "지난 기기 (1)").click()
    assert "옛 노트북\n계정을 떠났어요" in words()
    button(part, "지난 기기 (1)").click()
    assert "옛 노트북" not in words()


def test_nothing_is_folded_where_there_is_no_device_of_the_past(qtbot: QtBot) -> None:
    part, _ = page(qtbot, JOINED)
    assert not part.unfold.isVisibleTo(part)
    assert not part.former.isVisibleTo(part)


def test_devices_are_shown_and_one_is_shut_out_after_a_second_question(qtbot: QtBot) -> None:
    part, connection = page(qtbot, JOINED)
    button(part, "내보내기").click()
    assert not sent(connection, rq.RevokeSyncDevice)
    QApplication.processEvents()
    button(part, "네, 내보내기").click()
    (request,) = sent(connection, rq.RevokeSyncDevice)
    assert request.device == OTHER.id
    connection.reply(rq.RevokeSyncDevice, DONE)
    assert "회사 컴퓨터" in part.told.words.text()


def test_what_was_changed_on_two_devices_stands_side_by_side_until_it_is_seen(qtbot: QtBot) -> None:
    part, connection = page(qtbot, JOINED)
    words = [each.text() for each in part.differences.findChildren(type(part.account.how))]
    assert "- 색: 빨강" in words
    assert "- 색: 초록" in words
    button(part, "확인했어요").click()
    assert sent(connection, rq.PutAwayDifference) == [rq.PutAwayDifference(difference=7)]
    part.show_update(SyncChanged())
    connection.reply(rq.ReadSync, replace(JOINED, differences=()))
    assert not part.differences.isVisibleTo(part)


def test_the_syncing_is_paused_and_goes_on(qtbot: QtBot) -> None:
    part, connection = page(qtbot, JOINED)
    button(part, "멈추기").click()
    assert sent(connection, rq.PauseSync) == [rq.PauseSync(paused=True)]
    part.show_update(SyncChanged())
    connection.reply(rq.ReadSync, replace(JOINED, state=SyncState(standing=SyncStanding.PAUSED)))
    button(part, "이어서 하기").click()
    assert sent(connection, rq.PauseSync)[-1] == rq.PauseSync(paused=False)


REFUSED = replace(
    JOINED,
    state=SyncState(standing=SyncStanding.OFFLINE, reason="password authentication failed", asks_password=True),
    devices=(),
    advice="새 비밀번호를 알려 주세요: sori sync password",
)


def test_a_server_that_refuses_the_password_is_given_another_one(qtbot: QtBot) -> None:
    part, connection = page(qtbot, REFUSED)
    assert part.account.note.text().endswith("password authentication failed")
    assert part.password.password.echoMode() is QLineEdit.EchoMode.Password
    assert not button(part, "이 비밀번호 쓰기").isEnabled()
    QTest.keyClicks(part.password.password, " n@w/1")
    button(part, "이 비밀번호 쓰기").click()
    assert sent(connection, kq.ChangeServerPassword) == [kq.ChangeServerPassword(password=" n@w/1")]
    wrong = Refusal(code=ErrorCode.STORAGE, message="이것도 아니에요.", reason="sync_password")
    connection.reply(kq.ChangeServerPassword, wrong)
    assert part.password.told.text() == "이것도 아니에요."
    assert part.password.password.text() == " n@w/1"
    button(part, "이 비밀번호 쓰기").click()
    connection.reply(kq.ChangeServerPassword, JOINED)
    assert not part.password.password.text()
    assert "새 비밀번호를 저장했어요" in part.told.words.text()
    part.show_update(SyncChanged())
    connection.reply(rq.ReadSync, JOINED)
    assert not part.password.isVisibleTo(part)


def test_nobody_is_asked_for_the_servers_password_while_it_is_not_refused(qtbot: QtBot) -> None:
    away = replace(JOINED, state=SyncState(standing=SyncStanding.OFFLINE, reason="no route to host"))
    part, _ = page(qtbot, away)
    assert "이 비밀번호 쓰기" not in shown(part)


def test_a_device_that_was_shut_out_can_join_again(qtbot: QtBot) -> None:
    part, _ = page(qtbot, replace(JOINED, state=SyncState(standing=SyncStanding.REVOKED), devices=()))
    assert {"들어가기", "이 컴퓨터 빼기"} <= shown(part)
    assert part.account.address.text() == JOINED.server


def test_another_computers_code_is_enough_to_join(qtbot: QtBot) -> None:
    part, connection = page(qtbot, NOWHERE)
    assert part.account.code.echoMode() is QLineEdit.EchoMode.Password
    QTest.keyClicks(part.account.code, " sori-join1:abc ")
    part.account.device.setText("노트북")
    button(part, "들어가기").click()
    (request,) = sent(connection, kq.JoinByCode)
    assert request == kq.JoinByCode(code="sori-join1:abc", device="노트북")
    connection.reply(kq.JoinByCode, replace(JOINED, note="이 로그인은 그대로 써요."))
    assert not part.account.code.text()
    part.account.show_view(JOINED)  # The page reads the account anew at once.
    assert part.account.told.text() == "들어갔어요. 이제부터 기기들 사이에서 같아져요.\n이 로그인은 그대로 써요."


def test_a_code_is_drawn_and_copied_for_one_more_computer(qtbot: QtBot) -> None:
    part, connection = page(qtbot, JOINED)
    assert "코드 복사" not in shown(part)
    button(part, "코드 만들기").click()
    connection.reply(kq.InviteDevice, kq.InvitedDevice(code="sori-join1:abc", until=SEEN))
    seen = part.invite.code.grab().toImage().convertToFormat(QImage.Format.Format_Grayscale8)
    pixels = np.frombuffer(seen.constBits(), np.uint8).reshape(seen.height(), seen.bytesPerLine())[:, : seen.width()]
    (read,) = zxingcpp.read_barcodes(pixels)
    assert read.text == "sori-join1:abc"
    button(part, "코드 복사").click()
    assert QApplication.clipboard().text() == "sori-join1:abc"
    button(part, "코드 만들기").click()
    connection.reply(kq.InviteDevice, Refusal(code=ErrorCode.SETTINGS, message="서버가 없어요.", reason="storage"))
    assert part.invite.told.text() == "서버가 없어요."
    assert not part.invite.code.isVisibleTo(part)


def test_a_new_key_needs_the_passphrase_twice(qtbot: QtBot) -> None:
    part, connection = page(qtbot, JOINED)
    QTest.keyClicks(part.new_key.passphrase.first, "four words are good")
    assert not button(part, "새 키 만들기").isEnabled()
    QTest.keyClicks(part.new_key.passphrase.again, "five")
    assert part.new_key.told.text() == "두 문구가 달라요."
    part.new_key.passphrase.again.clear()
    QTest.keyClicks(part.new_key.passphrase.again, "four words are good")
    button(part, "새 키 만들기").click()
    assert sent(connection, kq.RotateKeys) == [kq.RotateKeys(passphrase="four words are good")]
    connection.reply(kq.RotateKeys, None)
    assert part.new_key.told.text() == "계정에 새 키를 만들었어요."
    assert not part.new_key.passphrase.first.text()


@pytest.mark.parametrize("standing", [SyncStanding.REVOKED, SyncStanding.NO_KEYS])
def test_a_computer_without_the_accounts_keys_adds_no_other(qtbot: QtBot, standing: SyncStanding) -> None:
    part, _ = page(qtbot, replace(JOINED, state=SyncState(standing=standing)))
    assert shown(part).isdisjoint({"코드 만들기", "새 키 만들기"})
