import subprocess
import sys

import pytest

from assistant.host.allocations import give_back, share_arenas

_THREADS = """
import sys, threading
from pathlib import Path
from assistant.host.allocations import share_arenas
if sys.argv[1] == "shared":
    share_arenas()
many, barrier = [], threading.Barrier(9)
def hold():
    many.append([bytearray(3000) for _ in range(50)])
    barrier.wait()
threads = [threading.Thread(target=hold) for _ in range(8)]
for each in threads: each.start()
barrier.wait()
# A heap of its own is a region that begins at a multiple of 64 MB.
regions = [int(line.split("-")[0], 16) for line in Path("/proc/self/maps").read_text().splitlines()]
print(sum(start % 2**26 == 0 and start > 2**40 for start in regions))
"""


def heaps(how: str) -> int:
    return int(subprocess.run([sys.executable, "-c", _THREADS, how], capture_output=True, check=True).stdout)


@pytest.mark.skipif(sys.platform != "linux", reason="the C library of Linux")
def test_threads_share_two_heaps() -> None:
    assert heaps("shared") < 3 < heaps("own")


@pytest.mark.parametrize("platform", ["linux", "darwin", "win32"])
def test_it_is_safe_everywhere(platform: str) -> None:
    share_arenas(platform)
    give_back(platform)
