"""Typing in a terminal, and what is written meanwhile: on a real pseudo-terminal, in this process."""

import asyncio
import io
import os
import signal
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.data_structures import Size
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import Input, create_input, create_pipe_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from assistant.terminal import line_editor
from assistant.terminal.line_editor import InterruptError, LineEditor
from tests.fakes.front.terminal_screen import TerminalScreen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX's")

CTRL_C = "\x03"
CTRL_D = "\x04"
COLUMNS = 40
SYLLABLES = "가나다라마바사아자차카타파하"


class Tty(io.StringIO):
    """Where the terminal's bytes go; calls back whenever something was written."""

    def __init__(self) -> None:
        super().__init__()
        self.written: Callable[[str], None] = lambda _: None

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        count = super().write(text)
        self.written(self.getvalue())
        return count

    def lines(self) -> list[str]:
        screen = TerminalScreen(COLUMNS)
        screen.write(self.getvalue())
        return screen.lines()


@pytest.fixture
def tty() -> Tty:
    return Tty()


@pytest.fixture(autouse=True)
def terminal_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def keys() -> Iterator[tuple[Input, Callable[[str], None]]]:
    with create_pipe_input() as keyboard:
        yield keyboard, keyboard.send_text


Keys = tuple[Input, Callable[[str], None]]


@asynccontextmanager
async def editing(tty: Tty, keyboard: Input) -> AsyncIterator[LineEditor]:
    screen = Vt100_Output(tty, lambda: Size(rows=24, columns=COLUMNS), term="xterm", enable_cpr=False)
    async with LineEditor(InMemoryHistory(), keys=keyboard, screen=screen) as editor:
        yield editor


async def shown(tty: Tty, wanted: Callable[[list[str]], bool]) -> None:
    """Wait until the terminal's lines are as wanted."""
    written = asyncio.Event()
    tty.written = lambda _: written.set()
    try:
        async with asyncio.timeout(60):
            while not wanted(tty.lines()):
                written.clear()
                await written.wait()
    except TimeoutError:
        pytest.fail("\n".join(["not as wanted:", *tty.lines()]))


def ends_with(text: str, lines: list[str]) -> bool:
    return bool(lines) and lines[-1].endswith(text)


async def test_a_line_is_read_with_korean_edited_by_whole_syllables(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    async with editing(tty, keyboard) as editor:
        press("안녕히\x7f하세요\r")
        assert await editor.read("나> ") == "안녕하세요"
    assert tty.lines() == ["나> 안녕하세요"]


async def test_a_wide_line_wraps_at_its_cells_and_comes_back_with_the_arrow_key(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    long = SYLLABLES * 2
    async with editing(tty, keyboard) as editor:
        press(f"{long}\r")
        assert await editor.read("나> ") == long
        press("\x1b[A!\r")
        assert await editor.read("나> ") == f"{long}!"
    assert [line for line in tty.lines() if line.startswith("나>")] == [f"나> {long[:18]}"] * 2
    assert max(sum(2 if ord(letter) > 0x1100 else 1 for letter in line) for line in tty.lines()) <= COLUMNS


async def test_what_is_written_stands_above_the_prompt_and_what_is_typed_stays(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    async with editing(tty, keyboard) as editor:
        reading = asyncio.create_task(editor.read("You> "))
        press("How are y")
        await shown(tty, lambda lines: lines == ["You> How are y"])
        editor.write("A notice.\n")
        await shown(tty, lambda lines: lines == ["A notice.", "You> How are y"])
        editor.write("Sori: Go")
        await shown(tty, lambda lines: lines == ["A notice.", "Sori: Go", "You> How are y"])
        editor.write("od\nday")
        await shown(tty, lambda lines: lines == ["A notice.", "Sori: Good", "day", "You> How are y"])
        press("ou?\r")
        assert await reading == "How are you?"
        editor.write(".\n")
    assert tty.lines() == ["A notice.", "Sori: Good", "You> How are you?", "day."]


async def test_a_line_wider_than_the_terminal_grows_in_rows_above_the_prompt(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    async with editing(tty, keyboard) as editor:
        reading = asyncio.create_task(editor.read("> "))
        for _ in range(3):
            editor.write(SYLLABLES)
        await shown(tty, lambda lines: len(lines) == 4 and lines[-1] == ">")
        assert tty.lines()[:2] == [
            "가나다라마바사아자차카타파하가나다라마바",
            "사아자차카타파하가나다라마바사아자차카타",
        ]
        press("\r")
        assert await reading == ""


async def test_what_a_library_prints_stands_above_the_prompt(
    tty: Tty, keys: Keys, capsys: pytest.CaptureFixture[str]
) -> None:
    keyboard, press = keys
    async with editing(tty, keyboard) as editor:
        reading = asyncio.create_task(editor.read("> "))
        press("typed")
        await shown(tty, lambda lines: lines == ["> typed"])
        print("a warning", file=sys.stderr)
        await shown(tty, lambda lines: lines == ["a warning", "> typed"])
        press("\r")
        await reading
    assert capsys.readouterr() == ("", "")


async def test_an_answer_streams_without_a_prompt_and_keys_pressed_meanwhile_are_kept(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    answering = True
    async with editing(tty, keyboard) as editor:
        waiting = asyncio.create_task(editor.wait_while(lambda: answering))
        press("next\r")
        for piece in ("Sori: Go", "od ", "day."):
            editor.write(piece)
            await shown(tty, partial(ends_with, piece.strip()))
        editor.write("\n")
        answering = False
        editor.wake()
        await waiting
        assert await editor.read("> ") == "next"
    assert tty.lines() == ["Sori: Good day.", "> next"]


async def test_no_control_sequence_of_an_answer_reaches_the_terminal(tty: Tty, keys: Keys) -> None:
    async with editing(tty, keys[0]) as editor:
        editor.write("\x1b]0;title\x07\x1b[2Jtext\n")
    assert "\x1b]" not in tty.getvalue()
    assert "\x1b[2J" not in tty.getvalue()


async def test_the_end_of_input_and_of_the_engine_end_the_line(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    over = False
    async with editing(tty, keyboard) as editor:
        press(CTRL_D)
        with pytest.raises(EOFError):
            await editor.read("> ")
        reading = asyncio.create_task(editor.read("> ", over=lambda: over))
        await asyncio.sleep(0)
        over = True
        editor.wake()
        with pytest.raises(EOFError):
            await reading


async def test_the_line_that_ctrl_c_gives_up_is_known(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    async with editing(tty, keyboard) as editor:
        press(f"half{CTRL_C}")
        with pytest.raises(InterruptError):
            await editor.read("> ")
        assert editor.typed == "half"


async def test_a_dumb_terminal_gets_plain_text(tty: Tty, keys: Keys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    keyboard, press = keys
    screen = Vt100_Output(tty, lambda: Size(rows=24, columns=COLUMNS), term="dumb", enable_cpr=False)
    async with LineEditor(InMemoryHistory(), keys=keyboard, screen=screen) as editor:
        reading = asyncio.create_task(editor.read("나> "))
        press("안녕")
        await shown(tty, lambda lines: lines == ["나> 안녕"])
        editor.write("Sori: Good\n")
        await shown(tty, lambda lines: lines == ["나> 안녕", "Sori: Good", "나> 안녕"])
        press("!\r")
        assert await reading == "안녕!"


# Ctrl-C at every moment


async def obeyed(editor: LineEditor) -> str:
    """What Ctrl-C did to a short conversation: a prompt, an answer that never ends, a prompt."""
    try:
        line = await editor.read("> ")
    except InterruptError:
        return "left at the prompt"
    assert line == "hello"
    editor.write("Sori: Hel")
    try:
        await editor.wait_while(lambda: True)
    except InterruptError:
        return "stopped the answer"
    return "not reached"


@pytest.mark.parametrize("written", range(0, 90, 3))
async def test_ctrl_c_is_obeyed_whenever_the_key_is_pressed(tty: Tty, written: int) -> None:
    """The key is pressed on a real pseudo-terminal in the instant in which so many characters were written."""
    async with asyncio.timeout(60):
        assert await with_ctrl_c_after(tty, written, lambda keyboard: os.write(keyboard, CTRL_C.encode())) in {
            "left at the prompt",
            "stopped the answer",
        }


@pytest.mark.parametrize("written", range(0, 90, 3))
async def test_an_interrupt_signal_is_obeyed_whenever_it_comes(tty: Tty, written: int) -> None:
    async with asyncio.timeout(60):
        assert await with_ctrl_c_after(tty, written, lambda _: signal.raise_signal(signal.SIGINT)) in {
            "left at the prompt",
            "stopped the answer",
        }


async def with_ctrl_c_after(tty: Tty, written: int, press: Callable[[int], object]) -> str:
    keyboard, program_side = os.openpty()
    pressed = threading.Event()

    def look(text: str) -> None:
        if len(text) >= written and not pressed.is_set():
            pressed.set()
            press(keyboard)

    tty.written = look
    try:
        with os.fdopen(program_side, "r", encoding="utf-8") as stdin:
            async with editing(tty, create_input(stdin)) as editor:
                look(tty.getvalue())
                os.write(keyboard, b"hello\r")
                return await obeyed(editor)
    finally:
        os.close(keyboard)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
async def test_a_signal_to_end_ends_a_line_and_a_wait(tty: Tty, keys: Keys, name: str) -> None:
    number = signal.Signals[name]
    before = signal.getsignal(number)
    async with editing(tty, keys[0]) as editor:
        reading = asyncio.create_task(editor.read("> "))
        await shown(tty, partial(ends_with, ">"))
        signal.raise_signal(number)
        with pytest.raises(EOFError):
            await reading
        assert editor.ended == number
        with pytest.raises(EOFError):
            await editor.wait_while(lambda: True)
    assert signal.getsignal(number) == before


async def test_an_answer_that_is_waited_for_ends_with_a_signal(tty: Tty, keys: Keys) -> None:
    async with editing(tty, keys[0]) as editor:
        waiting = asyncio.create_task(editor.wait_while(lambda: True))
        await asyncio.sleep(0)
        signal.raise_signal(signal.SIGTERM)
        with pytest.raises(EOFError):
            await waiting


async def test_a_command_is_completed_and_what_is_written_stays_above_the_offers(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    screen = Vt100_Output(tty, lambda: Size(rows=24, columns=COLUMNS), term="xterm", enable_cpr=False)
    offers = WordCompleter(["/title", "/tools"], sentence=True)
    async with LineEditor(InMemoryHistory(), offers, keys=keyboard, screen=screen) as editor:
        reading = asyncio.create_task(editor.read("> "))
        press("/t")
        await shown(tty, lambda lines: any("/tools" in line for line in lines))
        editor.write("A notice.\n")
        await shown(tty, lambda lines: lines[:2] == ["A notice.", "> /t"])
        press("\t\t\r")
        assert await reading == "/tools"
    assert tty.lines() == ["A notice.", "> /tools"]


@pytest.mark.parametrize(("value", "colours"), [("1", False), ("", True)])
def test_colours_are_turned_off(monkeypatch: pytest.MonkeyPatch, value: str, *, colours: bool) -> None:
    monkeypatch.setenv("NO_COLOR", value)
    monkeypatch.setenv("TERM", "xterm-256color")
    depth = line_editor.terminal_output().get_default_color_depth()
    assert (depth is not ColorDepth.DEPTH_1_BIT) is colours


async def test_a_line_may_begin_with_text_to_edit(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    async with editing(tty, keyboard) as editor:
        press("\x7f요\r")
        assert await editor.read("> ", written="안녕?") == "안녕요"


async def test_ctrl_c_right_behind_a_message_stops_its_answer(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    async with editing(tty, keyboard) as editor:
        press(f"hello\r{CTRL_C}")
        assert await obeyed(editor) == "stopped the answer"


async def test_what_was_typed_before_a_question_is_no_answer_and_stays_for_the_next_line(tty: Tty, keys: Keys) -> None:
    keyboard, press = keys
    waiting = True
    async with editing(tty, keyboard) as editor:
        wait = asyncio.create_task(editor.wait_while(lambda: waiting))
        press("y\rhalf a thou")
        editor.write("Run it?\n")
        await shown(tty, partial(ends_with, "Run it?"))
        waiting = False
        editor.wake()
        await wait
        asking = asyncio.create_task(editor.reply("[y/N] "))
        await shown(tty, partial(ends_with, "[y/N]"))
        press("n\r")
        assert await asking == "n"
        assert await editor.read("> ") == "y"
        press("ght\r")
        assert await editor.read("> ") == "half a thought"


async def test_a_question_whose_time_is_over_takes_its_prompt_away(tty: Tty, keys: Keys) -> None:
    over = False
    async with editing(tty, keys[0]) as editor:
        asking = asyncio.create_task(editor.reply("[y/N] ", over=lambda: over))
        await shown(tty, partial(ends_with, "[y/N]"))
        over = True
        editor.wake()
        with pytest.raises(EOFError):
            await asking
