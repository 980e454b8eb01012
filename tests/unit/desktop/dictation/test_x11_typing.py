"""Words are typed into a text editor of another process on a real X server, and read back from it (D-08)."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.front.x_keyboard import x_server

ROOT = Path(__file__).parents[4]


def typed(screen: str, changes: list[tuple[int, str]], **more: str) -> tuple[str, str]:
    """The text of the editor after these changes, and the clipboard."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.endswith("IM_MODULE")},
        "QT_QPA_PLATFORM": "xcb",
        "DISPLAY": screen,
        "PYTHONPATH": str(ROOT),
        **more,
    }

    def start(name: str) -> "subprocess.Popen[str]":
        command = [sys.executable, "-m", f"tests.fakes.front.{name}"]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=ROOT, env=environment, stdin=pipe, stdout=pipe, text=True)

    with start("text_editor") as editor:
        assert editor.stdout is not None
        assert editor.stdout.readline() == "ready\n"
        with start("typing_program") as program:
            clipboard, _ = program.communicate(json.dumps(changes) + "\n")
        wanted, text = "", ""
        for erased, words in changes:
            wanted = wanted[: len(wanted) - erased] + words
        while text != wanted:
            line = editor.stdout.readline()
            text = json.loads(line) if line.startswith('"') else text
        editor.terminate()
    return text, json.loads(clipboard)


@pytest.mark.parametrize("input_method", ["", "@im=ibus"])
def test_korean_and_english_stand_in_the_editor_and_the_clipboard_is_given_back(input_method: str) -> None:
    with x_server() as (screen, _):
        changes = [(0, "안녕하세요. Hello, World!"), (1, "?\n둘째 줄 끝"), (0, " ok")]
        text, clipboard = typed(screen, changes, XMODIFIERS=input_method)
    assert text == "안녕하세요. Hello, World?\n둘째 줄 끝 ok"
    assert clipboard == "former"
