"""The most memory that Sori's process and the one that reads files use while 1 GB of documents is indexed.

    python -m benchmarks.knowledge.indexing_memory FOLDER [--megabytes 1000]

FOLDER holds documents of any kinds. Copies of them are made until there is enough, and no two are alike: a line with
its number is added to a text, a file to an archive (as DOCX, HWPX or EPUB are), bytes behind the end to all others. The
peaks are printed at a quarter, at half and at the whole; they are to stay the same. Words are waited for. Meanings are
computed at the same time, as in use, and are not waited for. The engine runs as in ``sori listen``, without a voice.
Linux only, because the peaks are read from ``/proc``. It needs four times the space on the disk and about half an hour.

434 documents (PDF, DOCX, ODT, HTML, Markdown, EPUB and others; the largest 4 MB), ``--megabytes 1000``, on a busy
machine: 96 MB before; at 250 MB Sori 618 MB and the reader 1063 MB, at 500 MB 638 and 1063, at 1000 MB 650 and 1092
(7690 files, 329118 passages, 1883 s). The reader's peak is that of the heaviest file; it may use 2 GiB at most.
"""

import argparse
import asyncio
import shutil
import tempfile
import threading
import time
import zipfile
from contextlib import suppress
from itertools import count, cycle
from pathlib import Path

from benchmarks.knowledge.questions import opened_chat

_STEPS = (1, 1, 2)
"""Quarters of the whole that are added one after another."""
_LOOK_S = 0.1


class Copies:
    """Makes copies of the files of a folder, no two alike."""

    def __init__(self, folder: Path) -> None:
        self._files = cycle(sorted(each for each in folder.rglob("*") if each.is_file()))
        self._numbers = count()

    def fill(self, folder: Path, size: int) -> int:
        """Make a folder of ``size`` bytes; returns how many files it has."""
        folder.mkdir()
        made = 0
        while size > 0:
            file, number = next(self._files), next(self._numbers)
            copy = folder / f"{number:07}-{file.name}"
            shutil.copyfile(file, copy)
            _change(copy, f"copy {number}")
            size, made = size - copy.stat().st_size, made + 1
        return made


def _change(copy: Path, note: str) -> None:
    if zipfile.is_zipfile(copy):
        with zipfile.ZipFile(copy, "a") as archive:
            archive.writestr("copy.txt", note)
    else:
        with copy.open("ab") as file:
            file.write(f"\n\n{note}\n".encode())


def peak_mb(process: str) -> int:
    """The most memory of a process until now."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) // 1024


def watch_children(peaks: list[int]) -> None:
    """Keep the highest peak of all children, for ever."""
    while True:
        for task in Path("/proc/self/task").iterdir():
            with suppress(OSError, IndexError):  # A thread or a child may end meanwhile.
                children = (task / "children").read_text().split()
                peaks[0] = max([peaks[0], *map(peak_mb, children)])
        time.sleep(_LOOK_S)


async def measure(folder: Path, megabytes: int) -> None:
    """Index step by step and print the peaks."""
    copies, readers, done = Copies(folder), [0], 0
    threading.Thread(target=watch_children, args=[readers], daemon=True).start()
    with tempfile.TemporaryDirectory() as made:
        chat = await opened_chat(Path(made, "home"))
        projects = chat.projects
        try:
            project = await projects.add("documents", "default")
            await projects.read_here()
            print(f"before: {peak_mb('self')} MB")
            began = time.perf_counter()
            for at, quarters in enumerate(_STEPS):
                part = Path(made, str(at))
                files = await asyncio.to_thread(copies.fill, part, quarters * megabytes * 250_000)
                await projects.add_folder(project.id, str(part))
                await projects.pipeline.done()
                done += quarters * megabytes // 4
                known = await projects.find(project.id)
                waiting = (await projects.index.state(project.id)).waiting
                took_s = time.perf_counter() - began
                print(f"{done} MB in {took_s:.0f} s: Sori {peak_mb('self')} MB, reader {readers[0]} MB;", end=" ")
                print(f"{files} files more, {known.passages} passages, {waiting} without a meaning", flush=True)
        finally:
            await chat.close()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--megabytes", type=int, default=1000)
    given = arguments.parse_args()
    asyncio.run(measure(given.folder, given.megabytes))
