"""Adds a folder to a project, in a process that a test kills: ``python -m … HOME DOCS``. It tells each step."""

import asyncio
import sys
from pathlib import Path

from assistant.core.errors import SoriError
from tests.unit.knowledge.projects.conftest import opened, settled


async def _add(home: Path, docs: str) -> None:
    async with opened(home) as projects:
        try:
            await projects.find("회사")
        except SoriError:
            await projects.add("회사", "default", [docs])
        projects.pipeline.progressed.add(lambda step: print(step.state, flush=True))
        await settled(projects)


if __name__ == "__main__":
    asyncio.run(_add(Path(sys.argv[1]), sys.argv[2]))
