"""An input line at the bottom of a terminal; output of the program appears above it.

The terminal stays in raw mode from the first prompt to the end of the conversation. Ctrl-C is a key like any other,
read in the order of the keys. So it is never lost, neither between writing the prompt and waiting for a key nor between
two prompts. A real signal (``kill -INT``, or Ctrl-C before the terminal was in raw mode) is recorded by a handler that
raises nothing, and handled by the next read. A request to end the process (SIGTERM, SIGHUP) ends the next read.
"""

import asyncio
import io
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, redirect_stderr, redirect_stdout, suppress
from functools import partial
from types import FrameType
from typing import Any, Self

from prompt_toolkit import PromptSession
from prompt_toolkit.application import Application, AppSession, create_app_session
from prompt_toolkit.completion import Completer
from prompt_toolkit.data_structures import Size
from prompt_toolkit.filters import Condition
from prompt_toolkit.history import History
from prompt_toolkit.input import Input, create_input
from prompt_toolkit.input.typeahead import get_typeahead, store_typeahead
from prompt_toolkit.key_binding.key_processor import KeyPress
from prompt_toolkit.keys import Keys
from prompt_toolkit.output import ColorDepth, Output, create_output
from prompt_toolkit.utils import get_cwidth, is_dumb_terminal

_ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
"""Signals that ask the process to end; SIGHUP says that the terminal was closed, and does not exist on Windows."""


class InterruptError(Exception):
    """Ctrl-C was pressed. ``KeyboardInterrupt`` itself would end the event loop."""


class LineEditor:
    """Reads lines and writes text; an asynchronous context manager, opened in the main thread.

    ``write`` and ``wake`` may be called on any thread, also before the editor is opened and after it is closed. While
    it is open, output of libraries on standard output and standard error also appears above the prompt.

    Args:
        history: earlier typed lines.
        completer: offers words for a line that begins with a slash; ``None`` for none.
        keys: the keyboard; standard input by default.
        screen: the terminal; standard output by default.
    """

    def __init__(
        self,
        history: History,
        completer: Completer | None = None,
        *,
        keys: Input | None = None,
        screen: Output | None = None,
    ) -> None:
        self._history = history
        self._completer = completer
        self._ended = 0
        self._stdout = sys.stdout
        self._keys = keys
        self._screen = screen
        self._opened = ExitStack()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unwritten: list[str] = []
        self._woken = asyncio.Event()
        self._interrupted = False
        self._over: Callable[[], bool] = lambda: False
        self._prompt: str | None = None
        self._unfinished = ""
        self._line_open = False

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        keys = self._keys or create_input()
        # Handle signals first, so that Ctrl-C works as soon as the prompt is visible.
        noted: dict[int, Callable[[], object]] = {
            signal.SIGINT: lambda: loop.call_soon_threadsafe(self._interrupt),
            **{each: partial(loop.call_soon_threadsafe, self._end, each) for each in _ENDING},
        }
        self._opened.enter_context(_SignalsNoted(noted))
        self._opened.enter_context(keys.raw_mode())
        self._terminal = self._opened.enter_context(create_app_session(keys, self._screen or terminal_output()))
        self._session: PromptSession[str] = PromptSession(
            history=self._history,
            completer=self._completer,
            complete_while_typing=Condition(lambda: self.typed.startswith("/")),
            interrupt_exception=InterruptError,
            enable_suspend=True,
        )
        printed = _Printed(self.write)
        self._opened.enter_context(redirect_stdout(printed))
        self._opened.enter_context(redirect_stderr(printed))
        with self._lock:
            self._loop = loop
        return self

    async def __aexit__(self, *_: object) -> None:
        with self._lock:
            self._loop = None
        await asyncio.sleep(0)  # Let scheduled writes run first.
        self._show_written()
        self._opened.close()

    @property
    def typed(self) -> str:
        """The text in the input line, or its last text after the prompt has ended."""
        return self._session.default_buffer.text

    @property
    def ended(self) -> int:
        """The signal that asked the process to end; 0 for none."""
        return self._ended

    async def read(self, prompt: str, over: Callable[[], bool] = lambda: False, *, written: str = "") -> str:
        """Read the next typed line.

        Args:
            prompt: text before the line.
            over: whether to end without a line; called at every ``wake``.
            written: text that the line begins with, to be edited.

        Raises:
            EOFError: Ctrl-D on an empty line, the terminal was closed, the process is to end, or ``over`` is true.
            InterruptError: Ctrl-C.
        """
        return await self._read(self._session, prompt, over, written)

    async def reply(self, prompt: str, over: Callable[[], bool] = lambda: False) -> str:
        """Read a line typed from now on; keys typed earlier are kept for the next ``read``.

        The line is not added to the history. Arguments and errors are those of ``read``.
        """
        keys = self._terminal.input
        before = get_typeahead(keys)
        session: PromptSession[str] = PromptSession(interrupt_exception=InterruptError)
        try:
            return await self._read(session, prompt, over)
        finally:
            later = get_typeahead(keys)
            store_typeahead(keys, [*before, *later])

    async def _read(self, session: PromptSession[str], prompt: str, over: Callable[[], bool], written: str = "") -> str:
        self._obey()
        if over():
            raise EOFError
        self._show_written()
        self._end_open_line()
        self._prompt, self._over = prompt, over
        try:
            return await session.prompt_async(
                self._prompt_and_unfinished, default=written, set_exception_handler=False, handle_sigint=False
            )
        finally:
            self._prompt, self._over = None, lambda: False
            unfinished, self._unfinished = self._unfinished, ""
            self._print(unfinished)

    async def wait_while(self, busy: Callable[[], bool]) -> None:
        """Wait without a prompt until ``busy`` is false. ``busy`` is called at every ``wake``; keys are kept for later.

        Raises:
            EOFError: the process is to end.
            InterruptError: Ctrl-C.
        """
        keys = self._terminal.input
        kept: list[KeyPress] = []

        def take(pressed: Iterable[KeyPress]) -> None:
            for press in pressed:
                if press.key is Keys.ControlC:
                    kept.clear()
                    self._interrupt()
                else:
                    kept.append(press)

        take(get_typeahead(keys))
        with keys.raw_mode(), keys.attach(lambda: take(keys.read_keys())):
            while busy() and not self._interrupted and not self._ended:
                self._woken.clear()
                await self._woken.wait()
        store_typeahead(keys, kept)
        self._obey()

    def wake(self) -> None:
        """Check ``busy`` or ``over`` again, because their results may have changed."""
        with self._lock:
            if self._loop is not None:
                self._loop.call_soon_threadsafe(self._look)

    def write(self, text: str) -> int:
        """Write above the prompt; an unfinished line is shown as it grows."""
        with self._lock:
            if self._loop is not None:
                self._unwritten.append(text)
                self._loop.call_soon_threadsafe(self._show_written)
                return len(text)
        return self._stdout.write(text)

    def flush(self) -> None:
        """Flush standard output, while the editor is not open."""
        if self._loop is None:
            self._stdout.flush()

    def _interrupt(self) -> None:
        app = _running(self._terminal)
        if app is None:
            self._interrupted = True
            self._woken.set()
        else:
            app.exit(exception=InterruptError())

    def _end(self, number: int) -> None:
        self._ended = number
        self._woken.set()
        app = _running(self._terminal)
        if app is not None:
            app.exit(exception=EOFError())

    def _obey(self) -> None:
        if self._ended:
            raise EOFError
        if self._interrupted:
            self._interrupted = False
            raise InterruptError

    def _look(self) -> None:
        self._woken.set()
        app = _running(self._terminal)
        if app is not None and self._over():
            app.exit(exception=EOFError())

    def _show_written(self) -> None:
        with self._lock:
            text, self._unwritten = "".join(self._unwritten), []
        if self._prompt is None or self._terminal.app is None:
            self._print(text)
            return
        complete, newline, self._unfinished = f"{self._unfinished}{text}".rpartition("\n")
        if newline and is_dumb_terminal():
            self._print(f"\n{complete}\n{self._prompt}{self._terminal.app.current_buffer.text}")
        elif newline:
            self._terminal.app.renderer.erase()
            self._print(f"{complete}\n")
        self._terminal.app.invalidate()

    def _prompt_and_unfinished(self) -> str:
        """The prompt, below the unfinished output line if there is one."""
        if not self._unfinished or _running(self._terminal) is None or is_dumb_terminal():
            return self._prompt or ""
        size = self._terminal.output.get_size()
        rows = _rows(self._unfinished, size.columns)[-max(size.rows - 2, 1) :]
        return "\n".join([*rows, self._prompt or ""])

    def _end_open_line(self) -> None:
        if self._line_open:
            self._print("\n")

    def _print(self, text: str) -> None:
        if text:
            self._line_open = not text.endswith("\n")
            self._terminal.output.write(text)
            self._terminal.output.flush()


def _running(terminal: AppSession) -> Application[Any] | None:
    """The prompt that is reading keys now, or ``None``."""
    app = terminal.app
    return None if app is None or not app.is_running or app.is_done else app


def terminal_output() -> Output:
    """Standard output as a terminal without requests for its cursor position, which not every terminal answers.

    Text for a terminal that was closed is discarded. ``NO_COLOR`` turns colours off.
    """
    if sys.platform == "win32":
        return create_output()
    from prompt_toolkit.output.vt100 import Vt100_Output

    class Screen(Vt100_Output):
        def flush(self) -> None:
            with suppress(OSError):
                super().flush()

    depth = ColorDepth.from_env()
    term = os.environ.get("TERM")
    return Screen(sys.stdout, _terminal_size, term=term, default_color_depth=depth, enable_cpr=False)


def _terminal_size() -> Size:
    columns, rows = shutil.get_terminal_size()
    return Size(rows=rows, columns=columns)


def _rows(text: str, columns: int) -> list[str]:
    """Split ``text`` into rows of at most ``columns`` cells; a Korean syllable takes two."""
    rows, cells = [""], 0
    for character in text:
        cells += get_cwidth(character)
        if cells > columns:
            rows.append("")
            cells = get_cwidth(character)
        rows[-1] += character
    return rows


class _Printed(io.TextIOBase):
    """Standard output and standard error while a line is typed.

    ``prompt_toolkit.patch_stdout`` writes from a thread of its own, so its text can appear after a prompt that begins
    at the same moment. Here all text is written on the event loop.
    """

    def __init__(self, write: Callable[[str], int]) -> None:
        self._write = write

    def write(self, text: str) -> int:
        return self._write(text)

    def isatty(self) -> bool:
        return True


class _SignalsNoted:
    """Calls a function for every signal instead of the default action, and restores the former handlers at the end.

    Args:
        noted: the function of each signal.
    """

    def __init__(self, noted: Mapping[int, Callable[[], object]]) -> None:
        self._noted = noted

    def __enter__(self) -> None:
        self._former = {number: signal.signal(number, self._note) for number in self._noted}

    def __exit__(self, *_: object) -> None:
        for number, handler in self._former.items():
            signal.signal(number, handler)

    def _note(self, number: int, _frame: FrameType | None) -> None:
        self._noted[number]()
