"""Tells something in a window of the desktop's own means, for a start without a terminal that cannot load Qt."""

import shutil
import subprocess
import sys

from assistant.setup.display import has_display

_PROGRAMS = (
    ("zenity", "--error", "--no-markup", "--width=420", "--title={title}", "--text={words}"),
    ("kdialog", "--title", "{title}", "--error", "{words}"),
    ("yad", "--image=dialog-error", "--no-markup", "--title={title}", "--text={words}", "--button=OK"),
    ("xmessage", "-center", "-title", "{title}", "{words}"),
    ("notify-send", "--urgency=critical", "{title}", "{words}"),
)
"""Programs that show a text, of which a Linux desktop has at least one."""
_SCRIPT = "on run argv\ndisplay alert (item 1 of argv) message (item 2 of argv) as critical\nend run"
_MB_ICONERROR = 0x10


def has_reader() -> bool:
    """Whether somebody can read standard error."""
    return sys.stderr is not None and sys.stderr.isatty()


def show_plainly(title: str, words: str) -> bool:
    """Show an error if nobody reads the terminal, and wait until it is closed; whether it was shown.

    Args:
        title: the title.
        words: the text, without markup.
    """
    if has_reader() or not has_display():
        return False
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.user32.MessageBoxW(None, words, title, _MB_ICONERROR))
    if sys.platform == "darwin":
        return _runs(["osascript", "-e", _SCRIPT, title, words])
    for program, *arguments in _PROGRAMS:
        filled = [each.format(title=title, words=words) for each in arguments]
        if shutil.which(program) and _runs([program, *filled]):
            return True
    return _shown_by_tk(title, words)


def _runs(command: list[str]) -> bool:
    try:
        status = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode
    except OSError:
        return False
    return status in (0, 1)  # 1 is the window's own button for closing


def _shown_by_tk(title: str, words: str) -> bool:
    try:
        import tkinter as tk
        from tkinter import messagebox
    except ImportError:
        return False
    try:
        root = tk.Tk()
        root.withdraw()
        messagebox.showerror(title, words)
        root.destroy()
    except tk.TclError:
        return False
    return True
