import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from assistant.core.display.table import aligned, cells, fitting
from assistant.host.places import PROJECT

ROWS = [["제공자", "kind", "cost"], ["claude", "anthropic", "$1.20"], ["로컬", "", "$0"]]


def test_a_table_that_fits_stands_in_columns() -> None:
    lines = aligned(ROWS, {2})
    assert fitting(ROWS, {2}, max(map(cells, lines))) == lines
    assert fitting(ROWS, {2}) == lines  # where the output is no terminal


def test_a_table_wider_than_the_screen_is_a_block_for_each_row_without_what_is_empty() -> None:
    narrow = fitting(ROWS, {2}, max(map(cells, aligned(ROWS, {2}))) - 1)
    assert narrow == [
        "제공자  claude",
        "kind    anthropic",
        "cost    $1.20",
        "",
        "제공자  로컬",
        "cost    $0",
    ]


def test_the_screen_is_the_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "12")
    assert len(fitting(ROWS)) == 6
    monkeypatch.setenv("COLUMNS", "120")
    assert len(fitting(ROWS)) == 3


@pytest.mark.parametrize(
    ("text", "taken"),
    [
        ("Sori", 4),
        ("소리", 4),
        ("소리 Sori", 9),
        ("a\tb", 9),
        (unicodedata.normalize("NFD", "소리"), 4),
        ("cafe\u0301", 4),
        ("👩\u200d👩\u200d👧", 2),
        ("", 0),
    ],
)
def test_cells_are_counted_as_a_terminal_counts_them(text: str, taken: int) -> None:
    assert cells(text) == taken


def test_plain_korean_help_does_not_wait_for_the_import_of_wcwidth(tmp_path: Path) -> None:
    program = "import sys; from assistant.app.command_line import main\n"
    program += "try: main(['--help'])\nexcept SystemExit: print('wcwidth' in sys.modules, file=sys.stderr)"
    environment = {**os.environ, "LANG": "ko_KR.UTF-8", "LC_ALL": "", "SORI_HOME": str(tmp_path)}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=PROJECT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("사용법")
    assert done.stderr.strip() == "False"
