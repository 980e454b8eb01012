"""A progress bar on a terminal and plain lines elsewhere, and running commands whose output drives it."""

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO

_REDRAW_S = 0.2
_CELLS = 24
_LABEL = 40


class Bar:
    """Shows the progress of a task on standard error.

    Args:
        title: name of the task.
        total: number of steps; 0 when unknown.
        stream: output; standard error by default.
    """

    def __init__(self, title: str, total: int = 0, stream: IO[str] | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._title, self._total = title, total
        self._done, self._label, self._began = 0, "", time.monotonic()
        self._live = self._stream.isatty()
        if not self._live:
            self._write(f"{title} …\n")

    def step(self, label: str) -> None:
        """Count one step."""
        self._done += 1
        self._label = label
        if not self._live and self._total and self._done % max(self._total // 10, 1) == 0:
            self._write(f"  [{self._done}/{self._total}] {label}\n")

    def say(self, label: str) -> None:
        """Show the current activity."""
        self._label = label

    def draw(self) -> None:
        """Redraw the bar on a terminal."""
        if not self._live:
            return
        seconds = int(time.monotonic() - self._began)
        filled = min(_CELLS * self._done // self._total, _CELLS) if self._total else seconds % _CELLS
        cells = "█" * filled + "░" * (_CELLS - filled)
        count = f" {min(self._done, self._total)}/{self._total}" if self._total else ""
        self._write(f"\r\033[K{self._title} {cells}{count} {seconds // 60}:{seconds % 60:02d} {self._label[:_LABEL]}")

    def end(self, word: str) -> None:
        """End the task; ``word`` gives its result."""
        seconds = int(time.monotonic() - self._began)
        lead = f"\r\033[K{self._title}" if self._live else " "
        self._write(f"{lead} {word} ({seconds // 60}:{seconds % 60:02d})\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def run(
    command: Sequence[str],
    *,
    bar: Bar,
    log: Path | None,
    on_line: Callable[[str], None] = lambda _: None,
    environment: dict[str, str] | None = None,
    inherited: Sequence[int] = (),
) -> tuple[int, str]:
    """Run a command, keep its output and let it drive the bar.

    Args:
        command: program and arguments.
        bar: redrawn while the command runs.
        log: file to append the output to, if any.
        on_line: called with each line of output.
        environment: the command's environment; this process's own by default.
        inherited: file descriptors that the command inherits (not on Windows).

    Returns:
        Exit status and the whole output, standard error included.
    """
    lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    output: list[str] = []
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        env=environment,
        pass_fds=() if sys.platform == "win32" else inherited,
    ) as process:
        reader = threading.Thread(target=_read, args=(process.stdout or (), lines), daemon=True)
        reader.start()
        try:
            _follow(lines, output, bar, on_line)
        except BaseException:
            process.terminate()
            raise
        finally:
            status = process.wait()
            reader.join()
    if log is not None:
        with log.open("a", encoding="utf-8") as stream:
            stream.write(f"$ {' '.join(command)}\n{''.join(output)}[{status}]\n")
    return status, "".join(output)


def _read(stream: Iterable[str], lines: "queue.SimpleQueue[str | None]") -> None:
    for line in stream:
        lines.put(line)
    lines.put(None)


def _follow(
    lines: "queue.SimpleQueue[str | None]", output: list[str], bar: Bar, on_line: Callable[[str], None]
) -> None:
    while True:
        try:
            line = lines.get(timeout=_REDRAW_S)
        except queue.Empty:
            bar.draw()
            continue
        if line is None:
            return
        output.append(line)
        on_line(line)
        bar.draw()
