"""Reads documents in a process of their own, so that no file can stop, fill or take over Sori (K-01, X-08)."""

import asyncio
import json
import os
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import Callable, Mapping
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from assistant.child_processes import end_process
from assistant.core.knowledge.texts import Block, BlockKind, ExtractedText
from assistant.knowledge.reading.ocr import Ocr
from assistant.knowledge.reading.process import LENGTH, OUT_OF_MEMORY
from assistant.knowledge.reading.reader import UnreadableFileError, tell_nobody
from assistant.tasks import IdleTimer

_MODULE = "assistant.knowledge.reading.process"
_PACKAGE_ROOT = Path(__file__).parents[3]
_FORM = 3
"""Counts the changes of what is made of the same file."""
_IDLE_S = 30.0
"""The process ends when nothing was read for so long."""
_MOST_RECOGNISING_S = 1800.0
"""Seconds for one file whose letters are recognised: about 500 scanned pages."""
_MEMORY_SIGNALS = (-signal.SIGABRT, -9, OUT_OF_MEMORY)
"""How a process ends whose memory is used up: by native code, by the system, by itself."""


class DocumentReader:
    """Reads one file at a time. Lives on one event loop.

    Args:
        longest_s: time for one file, after which the process is killed. Each page of recognised letters gives it
            anew, until ``_MOST_RECOGNISING_S``.
        ocr: gives what recognises letters in pictures and scanned pages; ``None`` leaves them alone.
    """

    def __init__(self, *, longest_s: float = 120.0, ocr: Callable[[], Ocr | None] = lambda: None) -> None:
        self._longest_s, self._ocr = longest_s, ocr
        self._process: Process | None = None
        self._turn = asyncio.Lock()
        self._idle = IdleTimer(_IDLE_S, self._end)

    @property
    def version(self) -> str:
        """See ``FileReader``."""
        try:
            library = version("xberg")
        except PackageNotFoundError:
            library = ""
        return f"{_FORM}/{library}{'/ocr' if self.recognises else ''}"

    @property
    def recognises(self) -> bool:
        """See ``FileReader``."""
        return self._ocr() is not None

    async def read(self, path: Path, name: str, progress: Callable[[float], None] = tell_nobody) -> ExtractedText:
        """See ``FileReader``. A cancelled reading is killed."""
        ocr = await asyncio.to_thread(self._ocr)
        wanted = {"path": str(path), "name": name, "ocr": None if ocr is None else asdict(ocr)}
        return await self._read(wanted, b"", progress, pages_count=ocr is not None)

    async def read_page(self, content: bytes, name: str, url: str) -> ExtractedText:
        """The text of what was fetched from an address. Letters in pictures are left alone.

        Raises:
            UnreadableFileError: it has no text that can be read, with the reason.
        """
        wanted = {"size": len(content), "name": name, "url": url, "ocr": None}
        return await self._read(wanted, content, tell_nobody, pages_count=False)

    async def _read(
        self, wanted: Mapping[str, Any], content: bytes, progress: Callable[[float], None], *, pages_count: bool
    ) -> ExtractedText:
        async with self._turn:
            with self._idle.in_use():
                reply = await self._reply(wanted, content, progress, pages_count=pages_count)
        if "reason" in reply:
            raise UnreadableFileError(reply["reason"], reply["detail"])
        return _text(reply)

    async def _reply(
        self, wanted: Mapping[str, Any], content: bytes, progress: Callable[[float], None], *, pages_count: bool
    ) -> dict[str, Any]:
        """What the process answers. A process that did not answer in full is killed."""
        whole = False
        try:
            async with asyncio.timeout(self._longest_s) as limit:
                told = self._giving_time(limit, progress) if pages_count else progress
                reply = await self._ask(wanted, content, told)
            whole = True
        except TimeoutError:
            raise UnreadableFileError("too_slow") from None
        except (asyncio.IncompleteReadError, ConnectionError):
            raise UnreadableFileError(await self._why_it_ended()) from None
        except OSError as error:
            raise UnreadableFileError("not_readable", error.strerror or "") from error
        finally:
            if not whole:
                await self._kill()
        return reply

    async def close(self) -> None:
        """End the process."""
        self._idle.stop()
        await self._kill()

    def _giving_time(self, limit: asyncio.Timeout, progress: Callable[[float], None]) -> Callable[[float], None]:
        """Progress that counts: a scanned book takes seconds for each of its pages."""
        now = asyncio.get_running_loop().time
        latest = now() + _MOST_RECOGNISING_S

        def told(share: float) -> None:
            limit.reschedule(min(now() + self._longest_s, latest))
            progress(share)

        return told

    async def _ask(
        self, wanted: Mapping[str, Any], content: bytes, progress: Callable[[float], None]
    ) -> dict[str, Any]:
        process = self._process
        if process is None or process.stdin is None or process.stdin.is_closing() or process.returncode is not None:
            await self._kill()
            process = self._process = await _started()
        assert process.stdin is not None  # noqa: S101 - both were asked for
        assert process.stdout is not None  # noqa: S101
        request = json.dumps(wanted).encode()
        process.stdin.write(LENGTH.pack(len(request)) + request + content)
        await process.stdin.drain()
        while True:
            size = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))[0]
            data = await process.stdout.readexactly(size)
            # Text of many megabytes is parsed off the loop.
            reply = json.loads(data) if size < 1 << 16 else await asyncio.to_thread(json.loads, data)
            if "share" not in reply:
                return dict(reply)
            progress(reply["share"])

    async def _why_it_ended(self) -> str:
        code = None if self._process is None else await self._process.wait()
        return "too_heavy" if code in _MEMORY_SIGNALS else "broken"

    def _end(self) -> None:
        """Let the idle process end by itself: its input is closed."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await end_process(process)


async def _started() -> Process:
    paths = [str(_PACKAGE_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-P",  # otherwise a folder of the same name in the working directory would come first
        "-m",
        _MODULE,
        str(os.getpid()),
        stdin=PIPE,
        stdout=PIPE,
        stderr=DEVNULL,
        # One thread a file: the limit of memory holds for the stacks too. Rust parsers take their number from here.
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "RAYON_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"},
    )


def _text(reply: dict[str, Any]) -> ExtractedText:
    blocks = (
        Block(kind=BlockKind(kind), start=start, end=end, page=page, headings=tuple(headings))
        for kind, start, end, page, headings in reply["blocks"]
    )
    return ExtractedText(
        text=reply["text"],
        blocks=tuple(blocks),
        title=reply["title"],
        pages=reply["pages"],
        notes=tuple(reply["notes"]),
    )
