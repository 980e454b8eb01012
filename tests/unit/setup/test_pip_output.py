import io
import sys
from pathlib import Path

import pytest

from assistant.setup.pip_output import download_in, step_in, trouble_in
from assistant.setup.progress import Bar, run
from assistant.setup.words import Words, desktop_language

NO_NETWORK = """\
WARNING: Retrying (Retry(total=0)) after connection broken by 'NewConnectionError(': Connection refused')': /simple/x/
ERROR: Could not find a version that satisfies the requirement x==1 (from versions: none)
ERROR: No matching distribution found for x==1
"""


@pytest.mark.parametrize(
    ("output", "kind"),
    [
        (NO_NETWORK, "no_network"),
        ("ERROR: No matching distribution found for x==1", "no_wheel"),
        ("ERROR: x.whl is not a supported wheel on this platform.", "no_wheel"),
        ("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.", "wrong_sum"),
        ("ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device", "disk_full"),
        ("ERROR: [Errno 13] Permission denied: '/x'", "read_only"),
        ("/usr/bin/python3: No module named pip", "no_pip"),
        ("ERROR: something else", "other"),
        ("", "other"),
    ],
)
def test_pips_words_are_understood_and_each_meaning_has_words_for_the_user(output: str, kind: str) -> None:
    trouble = trouble_in(output)
    assert trouble.kind == kind
    values = dict.fromkeys(("reason", "package", "folder", "log", "platform", "needed", "free", "python"), "…")
    for language in ("ko", "en"):
        assert Words(language)(f"error.{kind}", **values)


def test_the_line_that_tells_is_the_reason() -> None:
    assert "Connection refused" in trouble_in(NO_NETWORK).reason
    assert trouble_in(NO_NETWORK).package == "x==1"


def test_pips_progress_is_understood() -> None:
    assert step_in("Collecting numpy==2.1 (from -r runtime.txt (line 3))") == "numpy"
    assert step_in("Requirement already satisfied: av==18.1 in /x") == "av"
    assert step_in("Ignoring colorama: markers 'sys_platform == \"win32\"' don't match your environment") == "colorama"
    assert step_in("Processing /wheels/jaraco_text-4.0-py3-none-any.whl (from -r x.txt (line 3))") == "jaraco-text"
    assert step_in("  Downloading x") == ""
    line = "  Downloading numpy-2.1-cp311-cp311-manylinux_2_17_x86_64.whl (16.3 MB)"
    assert download_in(line) == "numpy 16.3 MB"
    assert download_in("Collecting numpy") == ""


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_gets_a_bar_that_is_redrawn() -> None:
    terminal = Terminal()
    bar = Bar("Packages", 4, terminal)
    bar.step("numpy")
    bar.step("scipy")
    bar.draw()
    drawn = terminal.getvalue().rpartition("\r")[2]
    assert drawn.count("█") == drawn.count("░") == 12
    assert "2/4" in drawn
    assert "scipy" in drawn


def test_a_file_gets_lines_instead() -> None:
    file = io.StringIO()
    bar = Bar("Packages", 2, file)
    bar.step("numpy")
    bar.draw()
    bar.end("done")
    assert file.getvalue().splitlines()[:2] == ["Packages …", "  [1/2] numpy"]
    assert "\r" not in file.getvalue()


def test_a_command_drives_its_bar_and_its_output_is_kept(tmp_path: Path) -> None:
    seen: list[str] = []
    log = tmp_path / "log"
    program = "import sys; print('one'); print('two', file=sys.stderr); sys.exit(3)"
    bar = Bar("x", stream=io.StringIO())
    status, output = run([sys.executable, "-c", program], bar=bar, log=log, on_line=seen.append)
    assert status == 3
    assert sorted(output.split()) == sorted("".join(seen).split()) == ["one", "two"]
    assert log.read_text().endswith("[3]\n")


@pytest.mark.parametrize(
    ("environment", "language"),
    [
        ({"LANG": "ko_KR.UTF-8"}, "ko"),
        ({"LANG": "en_US.UTF-8"}, "en"),
        ({"LANG": "ko_KR.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LC_MESSAGES": "ko_KR", "LANG": "de_DE"}, "ko"),
        ({}, "en"),
    ],
)
def test_the_language_is_the_desktops(environment: dict[str, str], language: str) -> None:
    assert desktop_language(environment) == language
