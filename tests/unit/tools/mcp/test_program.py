"""The file that a command starts."""

import os
import sys
from pathlib import Path

from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.program import program_of


def test_a_command_with_a_folder_is_found_as_text() -> None:
    # Python 3.11 gives back a path as it took it, which is no text to show.
    assert program_of(ServerEntry(name="a", command=sys.executable), os.environ) == sys.executable


def test_a_command_beside_the_server_is_found_in_its_folder(tmp_path: Path) -> None:
    program = tmp_path / "run"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert program_of(ServerEntry(name="a", command="./run", folder=str(tmp_path)), {}) == str(tmp_path / "run")
    assert program_of(ServerEntry(name="a", command="./none", folder=str(tmp_path)), {}) is None


def test_a_command_without_a_folder_is_found_by_the_path_that_the_server_gets(tmp_path: Path) -> None:
    program = tmp_path / "run"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    assert program_of(ServerEntry(name="a", command="run"), {"PATH": str(tmp_path)}) == str(program)
    own = ServerEntry(name="a", command="run", environment={"PATH": "/nowhere"})
    assert program_of(own, {"PATH": str(tmp_path)}) is None
