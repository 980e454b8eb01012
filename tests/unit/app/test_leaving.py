import subprocess
import sys

WAITS_FOR_A_THREAD = """
import asyncio, sys, threading
from assistant.app.leaving import leave
from assistant.tasks import AbandonedThreads

def never_over(begun):
    begun.set()
    threading.Event().wait()

async def answer():
    begun = threading.Event()
    work = asyncio.get_running_loop().run_in_executor(None, never_over, begun)
    await asyncio.to_thread(begun.wait)
    print("saved")
    return 130

with asyncio.Runner() as runner:
    runner.get_loop().set_default_executor(AbandonedThreads())
    status = runner.run(answer())
sys.exit(leave(status))
"""


def left(code: str) -> tuple[int, str, str]:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout, done.stderr


def test_a_thread_that_is_still_at_work_does_not_keep_the_process() -> None:
    assert left(WAITS_FOR_A_THREAD) == (130, "saved\n", "")


def test_a_daemon_thread_at_work_does_not_see_its_library_destroyed() -> None:
    code = """
import atexit, sys, threading
from assistant.app.leaving import leave
atexit.register(print, "destroying")
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("saved")
sys.exit(leave(0))
"""
    assert left(code) == (0, "saved\n", "")


def test_what_was_printed_and_the_status_come_through() -> None:
    code = "import sys; from assistant.app.leaving import leave; print('done', end=''); sys.exit(leave(3))"
    assert left(code) == (3, "done", "")


def test_nothing_is_taken_apart_at_the_end() -> None:
    code = "import gc; from assistant.app.leaving import leave; leave(0); print(gc.get_freeze_count() > 1000)"
    assert left(code) == (0, "True\n", "")
