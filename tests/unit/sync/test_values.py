"""Small values that devices share: nothing is lost, and all end alike."""

from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.core.errors import StorageError
from assistant.storage.sync.differences import VALUE, SyncDifferences
from assistant.storage.sync.inbox import NewerSoriError
from assistant.sync.store import Sealed
from tests.fakes.sync.account import KEYS, Home, MemoryAccount
from tests.fakes.sync.values import MemoryValues


class Device:
    """A home with values."""

    def __init__(self, home: Home, notes: MemoryValues) -> None:
        self.home, self.notes = home, notes

    @property
    def values(self) -> dict[str, str]:
        return self.notes.values

    @classmethod
    async def open(cls, path: Path, account: MemoryAccount, *unfit: str) -> "Device":
        home = await Home.open(path, account)
        device = cls(home, MemoryValues(*unfit))
        home.sources.append(device.notes)
        await home.join(account)
        return device

    async def differences(self) -> list[tuple[str, str, object, object]]:
        found = await SyncDifferences(self.home.database).all()
        return [(each.table, each.name, each.ours["text"], each.theirs["text"]) for each in found]


@pytest.fixture
def account() -> MemoryAccount:
    return MemoryAccount()


@pytest.fixture
async def pair(tmp_path: Path, account: MemoryAccount) -> AsyncIterator[tuple[Device, Device]]:
    devices = await Device.open(tmp_path / "one", account), await Device.open(tmp_path / "two", account, "new")
    yield devices
    for each in devices:
        await each.home.database.close()


async def sync(*devices: Device) -> None:
    for each in devices:
        await each.home.sync()


async def test_a_value_is_added_changed_and_removed_everywhere(pair: tuple[Device, Device]) -> None:
    one, two = pair
    for value in ('"a"', '"b"'):
        one.values["x"] = value
        await sync(one, two)
        assert two.values == {"x": value}
    del two.values["x"]
    await sync(two, one)
    assert one.values == {}
    assert await one.differences() == await two.differences() == []
    assert [each.tables for each in one.home.taken if each.tables] == [{"note"}]


async def test_of_a_value_that_both_have_changed_the_one_here_stays_and_the_other_is_kept(
    pair: tuple[Device, Device],
) -> None:
    one, two = pair
    one.values["x"] = "0"
    await sync(one, two)
    one.values["x"], two.values["x"] = "1", "2"
    await sync(one, two, one)
    assert one.values == two.values == {"x": "2"}
    assert await two.differences() == [(VALUE, "note/x", "2", "1")]
    assert await one.differences() == []


async def test_a_device_that_joins_takes_the_accounts_values_and_keeps_its_own_aside(
    pair: tuple[Device, Device],
) -> None:
    one, two = pair
    one.values.update(x="1")
    two.values.update(x="2", y="3")
    await sync(one, two, one)
    assert one.values == two.values == {"x": "1", "y": "3"}
    assert await two.differences() == [(VALUE, "note/x", "2", "1")]


async def test_a_newer_value_stays_although_the_answer_to_the_first_one_was_lost(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    one, two = pair
    one.values["x"] = "1"
    account.failing = ["", "after"]
    with pytest.raises(StorageError):
        await one.home.sync()
    one.values["x"] = "2"
    await sync(one, two)
    assert one.values == two.values == {"x": "2"}


async def test_a_server_that_was_set_back_gets_the_newer_values_again(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    one, two = pair
    one.values["x"] = "old"
    await sync(one, two)
    records, number = dict(account.records), account.newest_number
    one.values.update(x="new one", y="1")
    await sync(one, two)
    account.records, account.newest_number = records, number
    await sync(one, two, one)
    assert one.values == two.values == {"x": "new one", "y": "1"}


async def test_a_value_that_this_sori_does_not_know_waits_until_it_does(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    one, two = pair
    one.values["x"] = "old"
    await sync(one, two)
    one.values.update(x="new", y="1")
    await sync(one, two, one)
    assert (one.values["x"], two.values) == ("new", {"x": "old", "y": "1"})
    two.notes.unfit.clear()
    await two.home.join(account)  # as after an update
    await sync(two, one)
    assert one.values == two.values == {"x": "new", "y": "1"}
    assert await two.differences() == []


async def test_what_the_user_writes_over_an_unknown_value_counts(pair: tuple[Device, Device]) -> None:
    one, two = pair
    one.values["x"] = "new"
    await sync(one, two)
    two.values["x"] = "mine"
    await sync(two, one)
    assert one.values == two.values == {"x": "mine"}


async def test_values_of_an_unknown_sort_stop_nothing_and_come_when_they_are_known(
    tmp_path: Path, account: MemoryAccount
) -> None:
    one, two = await Device.open(tmp_path / "one", account), await Home.open(tmp_path / "two", account)
    one.values["x"] = "1"
    person = one.home.file("memory/user.md")
    person.write_text("- 서울에 산다\n")
    await one.home.sync()
    await two.sync()
    assert two.file("memory/user.md").read_text() == "- 서울에 산다\n"
    notes = MemoryValues()
    two.sources.append(notes)
    await two.join(account)
    await two.sync()
    assert notes.values == {"x": "1"}
    for home in (one.home, two):
        await home.database.close()


async def test_a_value_that_is_written_while_another_comes_is_not_lost(pair: tuple[Device, Device]) -> None:
    one, two = pair
    one.values["x"] = "0"
    await sync(one, two)
    one.values["x"] = "1"
    two.notes.replaced = ["typed just now"]
    await sync(one, two, one)
    assert one.values == two.values == {"x": "typed just now"}
    assert await two.differences() == [(VALUE, "note/x", "typed just now", "1")]


async def test_a_record_of_an_unknown_kind_stops_the_syncing(
    pair: tuple[Device, Device], account: MemoryAccount
) -> None:
    identity = KEYS.identity("picture", "x")
    content = KEYS.seal(identity, b'{"kind": "picture", "name": "x"}')
    account.newest_number = 1
    account.records[identity] = Sealed(identity=identity, number=1, content=content)
    with pytest.raises(NewerSoriError):
        await pair[0].home.sync()


_STEPS = st.tuples(
    st.integers(0, 2),
    st.one_of(
        st.tuples(st.sampled_from("xyz"), st.sampled_from(["", "1", "2", "3"])),
        st.sampled_from(["", "before", "after", "restart"]),
    ),
)


@settings(max_examples=15, deadline=None)
@given(steps=st.lists(_STEPS, max_size=25))
async def test_values_of_three_devices_end_alike_whatever_happens(
    steps: list[tuple[int, tuple[str, str] | str]],
) -> None:
    with TemporaryDirectory() as folder:
        account = MemoryAccount()
        devices = [await Device.open(Path(folder) / str(number), account) for number in range(3)]
        for number, step in steps:
            device = devices[number]
            if isinstance(step, tuple):
                name, value = step
                device.values.update({name: value} if value else {})
                if not value:
                    device.values.pop(name, None)
            elif step == "restart":
                await device.home.join(account)
            else:
                account.failing = [step, step] if step else []
                with suppress(StorageError):
                    await device.home.sync()
                account.failing = []
        for _ in range(3):
            await sync(*devices)
        assert devices[0].values == devices[1].values == devices[2].values
        for device in devices:
            assert await device.home.outbox.count() == 0
            await device.home.database.close()
