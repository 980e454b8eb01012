"""A code holds what another device needs, and tells what is wrong with it before the server is asked."""

import pytest

from assistant.sync.device_key import DeviceKey, sealed_for
from assistant.sync.invitation import Invitation, MistypedError, OtherVersionError
from assistant.sync.sealing import DataKeys, UnopenedError

MADE = Invitation.new("postgresql://sori_device_1@호스트.example:5432/sori?sslmode=verify-full", "비밀 p@ss")
DEVICE, OTHER = b"d" * 16, b"o" * 16


def test_a_code_gives_the_address_the_login_and_the_secret() -> None:
    assert Invitation.read(MADE.code) == MADE
    assert Invitation.read(f" {MADE.code[:20]}\n{MADE.code[20:]} ") == MADE
    assert Invitation.new(MADE.address, MADE.password).secret != MADE.secret


def test_a_code_is_shown_nowhere_by_accident() -> None:
    assert MADE.password not in repr(MADE)
    assert repr(MADE.secret) not in repr(MADE)


@pytest.mark.parametrize("at", [12, 30, -1])
def test_a_wrong_letter_is_noticed(at: int) -> None:
    letters = list(MADE.code)
    letters[at] = "A" if letters[at] != "A" else "B"
    with pytest.raises(MistypedError):
        Invitation.read("".join(letters))


@pytest.mark.parametrize("code", ["", "sori", "sori-join-1", "sori-join-1.", "sori-join-1.한글", MADE.code[:-3]])
def test_what_is_no_whole_code_is_refused(code: str) -> None:
    with pytest.raises(MistypedError):
        Invitation.read(code)


def test_a_code_of_another_version_is_told_apart() -> None:
    with pytest.raises(OtherVersionError):
        Invitation.read(MADE.code.replace("sori-join-1.", "sori-join-2."))


def test_a_new_key_is_opened_by_the_device_it_is_for() -> None:
    before, key = DataKeys.new(b"a" * 16), DeviceKey.new()
    after = before.rotated()
    sealed = sealed_for(before, after, DEVICE, key.told(before, DEVICE))
    assert key.opened(before, DEVICE, 2, sealed) == after
    for other, device, epoch in ((DeviceKey.new(), DEVICE, 2), (key, OTHER, 2), (key, DEVICE, 3)):
        with pytest.raises(UnopenedError):
            other.opened(before, device, epoch, sealed)


def test_a_key_that_no_device_of_the_account_has_sealed_is_refused() -> None:
    before, key = DataKeys.new(b"a" * 16), DeviceKey.new()
    stranger = DataKeys(before.account, DataKeys.new(before.account).keys)
    told = key.told(stranger, DEVICE)
    with pytest.raises(UnopenedError):
        sealed_for(before, before.rotated(), DEVICE, told)
    with pytest.raises(UnopenedError):
        key.opened(before, DEVICE, 2, sealed_for(stranger, stranger.rotated(), DEVICE, told))


@pytest.mark.parametrize("length", [0, 31, 32, 60])
def test_a_cut_key_is_refused(length: int) -> None:
    before, key = DataKeys.new(b"a" * 16), DeviceKey.new()
    sealed = sealed_for(before, before.rotated(), DEVICE, key.told(before, DEVICE))
    with pytest.raises(UnopenedError):
        key.opened(before, DEVICE, 2, sealed[:length])
