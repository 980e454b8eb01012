"""Kills a process that writes passages, many times, and counts what was lost or doubled.

    python -m benchmarks.knowledge.index_kills [--kills 50]

Each process writes files one after another and searches; it is killed at a random moment. About 2 s a kill. Seen with
50 kills: 11,233 files written, none lost, none doubled.
"""

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from assistant.core.knowledge.passages import Passage
from assistant.host.places import PROJECT
from benchmarks.knowledge.index_at_scale import CentreEmbedder, index_in

_FILES = 200


async def write(folder: Path, start: int) -> None:
    """Write until somebody kills this process; print the number of each file that was written."""
    index = index_in(folder, CentreEmbedder())
    for at in range(start, sys.maxsize):
        texts = (f"document {at % _FILES}", f"version {at}", "three passages")
        passages = [Passage(number=n, start=0, end=len(text), text=text) for n, text in enumerate(texts, 1)]
        await index.replace("p", str(at % _FILES), passages)
        print(at, flush=True)
        if at % 5 == 0:
            await index.search("document", ["p"])


async def kill(kills: int) -> None:
    """Kill, and look afterwards."""
    chance = random.Random(0)  # noqa: S311 - the same moments every time
    last = -1
    with tempfile.TemporaryDirectory() as name:
        for _ in range(kills):
            command = [sys.executable, "-m", "benchmarks.knowledge.index_kills", "--write", name, str(last + 1)]
            writer = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=PROJECT)  # noqa: ASYNC220
            time.sleep(chance.uniform(0.8, 3))  # noqa: ASYNC251 - nothing else runs here
            writer.kill()
            last = max([last, *map(int, writer.communicate()[0].split())])
        index = index_in(Path(name), CentreEmbedder())
        files = await index.files("p")
        wanted = {str(at % _FILES) for at in range(last + 1)}
        hits = await index.search("document version passages", ["p"], limit=10 * _FILES)
        places = [(hit.file, hit.number) for hit in hits]
        whole = {(file, number) for file in files for number in (1, 2, 3)}
        print(f"{kills} kills, {last + 1} files written, {len(files)} different")
        print(f"lost {len(wanted - files) + len(whole - set(places))}, doubled {len(places) - len(set(places))}")
        await index.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--kills", type=int, default=50)
    arguments.add_argument("--write", nargs=2, help=argparse.SUPPRESS)
    given = arguments.parse_args()
    asyncio.run(write(Path(given.write[0]), int(given.write[1])) if given.write else kill(given.kills))
