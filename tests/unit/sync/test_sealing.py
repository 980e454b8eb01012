"""What leaves a device can be opened by the account's keys only, and only as the record that it is."""

import pytest

from assistant.sync.sealing import DataKeys, PassphraseWork, UnopenedError

ACCOUNT, RECORD, OTHER = b"a" * 16, b"r" * 16, b"o" * 16
QUICK = PassphraseWork(salt=b"s" * 16, passes=1, memory_kib=64)


def test_a_content_is_opened_by_the_keys_that_sealed_it() -> None:
    keys = DataKeys.new(ACCOUNT)
    sealed = keys.seal(RECORD, "안녕하세요".encode())
    assert keys.open(RECORD, sealed).decode() == "안녕하세요"
    assert "안녕하세요".encode() not in sealed


def test_the_same_content_is_never_sealed_alike() -> None:
    keys = DataKeys.new(ACCOUNT)
    assert keys.seal(RECORD, b"same") != keys.seal(RECORD, b"same")


@pytest.mark.parametrize("changed", [0, 4, 16, -1])
def test_changed_bytes_are_refused(changed: int) -> None:
    keys = DataKeys.new(ACCOUNT)
    sealed = bytearray(keys.seal(RECORD, b"content"))
    sealed[changed] ^= 1
    with pytest.raises(UnopenedError):
        keys.open(RECORD, bytes(sealed))


@pytest.mark.parametrize("length", [0, 3, 4, 15, 16, 20])
def test_cut_bytes_are_refused(length: int) -> None:
    keys = DataKeys.new(ACCOUNT)
    with pytest.raises(UnopenedError):
        keys.open(RECORD, keys.seal(RECORD, b"content")[:length])


def test_the_content_of_another_record_or_account_is_refused() -> None:
    keys = DataKeys.new(ACCOUNT)
    sealed = keys.seal(RECORD, b"content")
    with pytest.raises(UnopenedError):
        keys.open(OTHER, sealed)
    with pytest.raises(UnopenedError):
        DataKeys(OTHER, keys.keys).open(RECORD, sealed)


def test_after_a_rotation_the_new_key_seals_and_old_contents_can_still_be_opened() -> None:
    before = DataKeys.new(ACCOUNT)
    after = before.rotated()
    assert after.open(RECORD, before.seal(RECORD, b"old")) == b"old"
    with pytest.raises(UnopenedError, match="no key"):
        before.open(RECORD, after.seal(RECORD, b"new"))


def test_only_the_passphrase_gives_the_keys() -> None:
    keys = DataKeys.new(ACCOUNT).rotated()
    wrapped = keys.wrapped(QUICK.key("비밀 문구"))
    assert DataKeys.unwrapped(ACCOUNT, QUICK.key("비밀 문구"), wrapped) == keys
    with pytest.raises(UnopenedError, match="passphrase"):
        DataKeys.unwrapped(ACCOUNT, QUICK.key("다른 문구"), wrapped)
    with pytest.raises(UnopenedError):
        DataKeys.unwrapped(OTHER, QUICK.key("비밀 문구"), wrapped)
    assert all(key not in wrapped for key in keys.keys.values())


def test_another_salt_gives_another_key() -> None:
    assert QUICK.key("문구") != PassphraseWork(salt=b"t" * 16, passes=1, memory_kib=64).key("문구")
    assert len(PassphraseWork.new().salt) == 16
