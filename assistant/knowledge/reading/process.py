"""The process that reads files: ``python -m`` starts it with its parent's id, and ``DocumentReader`` speaks to it.

Files from anywhere are parsed here, by native code. So the process has limits of memory, writes no file, opens no
connection where the system can take the network away, and ends with its parent.

Every message is its length, four bytes with the largest first, and JSON. A request names a file, or is followed by the
bytes of a page of the web; the replies are shares of progress, then its text or a reason.
"""

import ctypes
import json
import os
import signal
import struct
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from assistant.core.knowledge.texts import ExtractedText
from assistant.knowledge.reading.extraction import extracted
from assistant.knowledge.reading.ocr import Ocr
from assistant.knowledge.reading.opening import content_of
from assistant.knowledge.reading.reader import UnreadableFileError
from assistant.knowledge.reading.web_pages import extracted_page

LENGTH = struct.Struct(">I")
MOST_MEMORY = 2 * 1024**3
"""Bytes of address space. The largest documents of public test sets need 0.3 GB; a bomb is stopped."""
OUT_OF_MEMORY = 77
"""Exit code after the limit of memory."""
_SHARE_READ = 0.1
"""Share of the progress when the bytes are in memory."""
_PR_SET_PDEATHSIG = 1
"""From ``linux/prctl.h``."""
_NEW_USER_AND_NET = 0x1000_0000 | 0x4000_0000
"""``CLONE_NEWUSER`` and ``CLONE_NEWNET`` of ``linux/sched.h``."""
_LOOK_S = 0.2


def main() -> None:
    """Read files until the input ends."""
    requests, replies = sys.stdin.buffer, _private_output()
    _end_with_parent(int(sys.argv[1]))
    _limit_itself()
    while head := requests.read(LENGTH.size):
        request = json.loads(requests.read(LENGTH.unpack(head)[0]))
        _serve(request, requests.read(request["size"]) if "size" in request else None, replies)


def _serve(request: dict[str, Any], given: bytes | None, replies: BinaryIO) -> None:
    def progress(share: float) -> None:
        _tell(replies, {"share": share})

    try:
        content = content_of(Path(request["path"])) if given is None else given
        progress(_SHARE_READ)
        ocr = None if request["ocr"] is None else Ocr(**request["ocr"])

        def rest(share: float) -> None:
            progress(_SHARE_READ + share * (1 - _SHARE_READ))

        if given is None:
            text = extracted(content, request["name"], rest, ocr)
        else:
            text = extracted_page(content, request["name"], request["url"], rest)
    except UnreadableFileError as error:
        _tell(replies, {"reason": error.reason, "detail": error.detail})
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except RecursionError:
        _tell(replies, {"reason": "broken", "detail": ""})
    else:
        _tell(replies, _as_json(text))


def _as_json(text: ExtractedText) -> dict[str, Any]:
    blocks = [[each.kind, each.start, each.end, each.page, each.headings] for each in text.blocks]
    return {**asdict(text), "blocks": blocks}


def _tell(replies: BinaryIO, message: dict[str, Any]) -> None:
    data = json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")
    replies.write(LENGTH.pack(len(data)) + data)
    replies.flush()


def _private_output() -> BinaryIO:
    """Standard output for the replies alone. Output of native code goes to standard error."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return replies


def _end_with_parent(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(0)


def _limit_itself() -> None:
    if sys.platform == "win32":
        return
    import resource

    if sys.platform == "linux":
        # Before any thread begins. It fails where the system forbids it; then the parser still has no address to ask.
        ctypes.CDLL(None).unshare(_NEW_USER_AND_NET)
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    else:
        threading.Thread(target=_watch_memory, daemon=True).start()
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with suppress(OSError):
        os.nice(5)


def _watch_memory() -> None:
    """End the process at the limit. macOS does not hold the limit of address space."""
    if sys.platform == "win32":
        return
    import resource

    while resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MOST_MEMORY:
        time.sleep(_LOOK_S)
    os._exit(OUT_OF_MEMORY)


if __name__ == "__main__":
    main()
