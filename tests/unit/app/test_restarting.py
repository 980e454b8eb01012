"""Starting the process again (V-19)."""

import subprocess
import sys

import pytest

from assistant.app.restarting import RESTARTS, may_restart, was_restarted

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("restarts", "may", "just_now"),
    [
        ("", True, False),
        ("999990", True, True),
        ("999000 999500", True, False),
        ("999000 999500 999990", False, True),
        ("900000 999500 999990", True, True),
        ("nonsense 1000500 -3", True, False),
    ],
)
def test_three_restarts_within_an_hour_are_enough(restarts: str, may: bool, just_now: bool) -> None:
    environment = {RESTARTS: restarts}
    assert may_restart(environment, NOW) is may
    assert was_restarted(environment, NOW) is just_now


def test_the_same_command_line_is_started_in_place_of_the_process() -> None:
    program = """
import os, sys
from assistant.app.restarting import RESTARTS, restart
print(sys.argv[1], os.getpid(), os.environ.get(RESTARTS, "none"))
if RESTARTS not in os.environ:
    restart(1000000.9)
"""
    ended = subprocess.run([sys.executable, "-c", program, "a b"], capture_output=True, text=True, check=True)
    first, second = ended.stdout.splitlines()
    *same, before = first.rsplit(" ", 1)
    assert (before, second) == ("none", f"{same[0]} 1000000")
