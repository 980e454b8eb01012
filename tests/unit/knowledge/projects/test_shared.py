"""The list of projects that devices have in common: names travel, folders and files stay."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from assistant.engine.domains.sync.shared_projects import SharedProjects
from assistant.knowledge.projects.projects import Projects
from assistant.sync.store import Change
from tests.fakes.sync.account import KEYS, Home, MemoryAccount
from tests.unit.knowledge.projects.conftest import by_name, opened, settled


class Device:
    """A home with projects."""

    def __init__(self, home: Home, projects: Projects) -> None:
        self.home, self.projects = home, projects
        self.told: list[str] = []
        projects.changed.add(self.told.append)

    async def names(self) -> dict[str, str]:
        return {each.id: each.name for each in await self.projects.listed()}


@pytest.fixture
def account() -> MemoryAccount:
    return MemoryAccount()


@pytest.fixture
async def pair(tmp_path: Path, account: MemoryAccount) -> AsyncIterator[tuple[Device, Device]]:
    async with AsyncExitStack() as stack:
        made = []
        for name in ("one", "two"):
            home = await Home.open(tmp_path / name, account)
            stack.push_async_callback(home.database.close)
            projects = await stack.enter_async_context(opened(tmp_path / name))
            home.sources.append(SharedProjects(projects))
            await home.join(account)
            made.append(Device(home, projects))
        yield made[0], made[1]


async def sync(*devices: Device) -> None:
    for each in devices:
        await each.home.sync()


async def test_a_project_comes_with_its_id_and_without_its_folder(pair: tuple[Device, Device], docs: Path) -> None:
    one, two = pair
    made = await one.projects.add("휴가", "default", [str(docs)])
    await settled(one.projects)
    await sync(one, two)
    (there,) = await two.projects.listed()
    assert (there.id, there.name, there.workspace, there.folders) == (made.id, "휴가", "default", ())
    assert two.told == [""]
    await two.projects.add_folder(made.id, str(docs))
    await two.projects.rename(made.id, "쉬는 날")
    await settled(two.projects)
    await sync(two, one)
    assert await one.names() == {made.id: "쉬는 날"}
    assert set(await by_name(one.projects, made.id)) == {"leave.md", "sub/lunch.txt", "sub/parking.txt"}


async def test_a_removed_project_goes_where_nothing_of_it_is_and_stays_where_files_are(
    pair: tuple[Device, Device], docs: Path
) -> None:
    one, two = pair
    empty, full = await one.projects.add("빈 것", "default"), await one.projects.add("찬 것", "default")
    await sync(one, two)
    await two.projects.add_folder(full.id, str(docs))
    for each in (empty, full):
        await one.projects.remove(each.id)
    await sync(one, two, one, two)
    assert (await one.names(), await two.names()) == ({}, {full.id: "찬 것"})
    await two.projects.remove_folder(full.id, str(docs))
    await sync(two)
    assert await two.names() == {}


async def test_a_project_that_was_removed_there_and_renamed_here_stays(pair: tuple[Device, Device]) -> None:
    one, two = pair
    made = await one.projects.add("일", "default")
    await sync(one, two)
    await one.projects.remove(made.id)
    await two.projects.rename(made.id, "업무")
    await sync(one, two, one)
    assert await one.names() == await two.names() == {made.id: "업무"}


async def test_of_two_projects_with_one_name_the_one_with_files_here_is_meant(
    pair: tuple[Device, Device], docs: Path
) -> None:
    one, two = pair
    await one.projects.add("휴가", "default")
    own = await two.projects.add("휴가", "default", [str(docs)])
    await settled(two.projects)
    await sync(one, two)
    assert len(await two.names()) == 2
    assert (await two.projects.find("휴가", "default")).id == own.id


@pytest.mark.parametrize("form", ['{\\"name\\": \\"x\\", \\"color\\": \\"red\\"}', "[]", '{\\"name\\": 1}', "x"])
async def test_a_form_of_a_newer_sori_waits(pair: tuple[Device, Device], account: MemoryAccount, form: str) -> None:
    one, two = pair
    identity = KEYS.identity("value", "project/p")
    plain = f'{{"kind": "value", "name": "project/p", "text": "{form}"}}'.encode()
    await account.push([Change(identity=identity, based_on=0, content=KEYS.seal(identity, plain))])
    made = await two.projects.add("일", "default")
    await sync(two, one)
    assert await one.names() == {made.id: "일"}
