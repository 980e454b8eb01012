"""A kill at any point while files are read and indexed loses no passage and doubles none."""

import asyncio
import random
import subprocess
import sys
from pathlib import Path

import pytest

from assistant.knowledge.chunks.passages_of import chunks_of
from assistant.knowledge.projects import reading_rows
from tests.fakes.plain_reader import PlainReader
from tests.unit.knowledge.projects.conftest import by_name, opened, settled

pytestmark = pytest.mark.long

_FILES = 150
_KILLS = 8


def _killed_after(steps: int, home: Path, docs: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.unit.knowledge.projects.adding_files", str(home), str(docs)],
        stdout=subprocess.PIPE,
    ) as adding:
        assert adding.stdout is not None
        for _ in range(steps):
            adding.stdout.readline()
        adding.kill()


def _documents(docs: Path) -> None:
    docs.mkdir()
    for number in range(_FILES):
        lines = [f"문서 {number}의 {line}번째 줄이에요. It is line {line} of file {number}." for line in range(40)]
        (docs / f"{number}.md").write_text("\n\n".join(lines), encoding="utf-8")


async def test_after_kills_every_passage_is_there_once(tmp_path: Path) -> None:
    docs, home, seed = tmp_path / "docs", tmp_path / "home", random.Random(7)
    _documents(docs)
    for _ in range(_KILLS):
        await asyncio.to_thread(_killed_after, seed.randrange(1, 40), home, docs)
    async with opened(home) as projects:
        assert await projects.database.read(reading_rows.next_waiting) is not None, "the kills came too late"
        await settled(projects)
        project = await projects.find("회사")
        files = await by_name(projects, project.id)
        assert {each.state for each in files.values()} == {"ready"}
        wanted = 0
        for name, file in files.items():
            known = await projects.database.read(lambda db, file=file: reading_rows.passages(db, file.id))  # type: ignore[misc]
            assert known == [*chunks_of(await PlainReader().read(docs / name, name))]
            wanted += len(known)
        assert (await projects.index.state(project.id)).passages == wanted
        assert await projects.index.files(project.id) == {each.id for each in files.values()}
