"""Projects on a folder of the test."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from assistant.core.knowledge.files import KnownFile
from assistant.core.records.egress import DataClass
from assistant.host.clock import SystemClock
from assistant.knowledge.meaning.local_embedder import LocalEmbedder
from assistant.knowledge.projects.pages import PageReader, PageText
from assistant.knowledge.projects.projects import Projects, open_projects
from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.knowledge.store import FileStore
from tests.fakes.meaning import embedded_index
from tests.fakes.plain_reader import PlainReader


async def no_web(url: str, address_kind: DataClass) -> PageText:
    """A computer without a network."""
    raise UnreadableFileError("page_unreachable", url)


@asynccontextmanager
async def opened(
    home: Path, reader: PlainReader | None = None, read_page: PageReader = no_web
) -> AsyncIterator[Projects]:
    """Projects with the real index and a reader of plain text."""
    projects = await open_projects(
        home / "knowledge.db",
        SystemClock(),
        reader=reader or PlainReader(),
        index=embedded_index(home, LocalEmbedder(home / "no weights")),
        tokens=len,
        store=FileStore(home),
        read_page=read_page,
    )
    try:
        yield projects
    finally:
        await projects.close()


async def settled(projects: Projects) -> None:
    """Compare all folders and read what waits."""
    await projects.read_here()
    await projects.pipeline.done()


async def by_name(projects: Projects, project: str) -> dict[str, KnownFile]:
    """The files of a project."""
    return {each.name: each for each in await projects.files(project)}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with three documents."""
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "leave.md").write_text("# 휴가\n연차는 15일이에요.\n", encoding="utf-8")
    (folder / "sub" / "parking.txt").write_text("Parking costs 3,000 won a day.\n", encoding="utf-8")
    (folder / "sub" / "lunch.txt").write_text("The cafeteria opens at 11:30.\n", encoding="utf-8")
    return folder
