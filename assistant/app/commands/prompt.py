"""``sori prompt show | edit | set | reset``: the base prompt of large models (C-02)."""

import argparse
import asyncio
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from assistant.agent.context.prompts import load_prompts
from assistant.app.cli.database import opened
from assistant.core.settings import Language, Settings
from assistant.core.texts import Texts
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES, Places
from assistant.storage.base_prompts import BasePromptStore, checked

_EDITORS = ("nano", "vi", "notepad")
"""Editors to look for where the environment names none."""


def run(places: Places, settings: Settings, texts: Texts, arguments: argparse.Namespace) -> int:
    """Show or change the base prompt; returns the exit status: 1 when it could not be changed.

    Raises:
        SoriError: the new prompt is empty or too long.
        StorageError: the database cannot be read or written.
    """
    return asyncio.run(_run(places, texts, arguments, arguments.language or settings.language))


async def _run(places: Places, texts: Texts, arguments: argparse.Namespace, language: Language) -> int:
    clock = SystemClock()
    async with opened(places, clock, texts) as database:
        store = BasePromptStore(database, clock)
        packaged = load_prompts(RESOURCES / "prompts", language).system.strip()
        match arguments.action:
            case "show":
                print(packaged if arguments.packaged else await store.own(language) or packaged)
                return 0
            case "reset":
                was_own = await store.reset(language)
                print(texts("cli.prompt.was_reset" if was_own else "cli.prompt.was_packaged"))
                return 0
            case "set":
                text, trouble = _file(arguments.file, texts)
            case _:
                text, trouble = _edited(await store.own(language) or packaged, texts)
        if trouble:
            print(trouble, file=sys.stderr)
            return 1
        if checked(text) == (await store.own(language) or packaged):
            print(texts("cli.prompt.unchanged"))
            return 0
        await store.put(language, text)
        print(texts("cli.prompt.saved"))
        return 0


def _file(path: str, texts: Texts) -> tuple[str, str]:
    """The text of a file, or why it cannot be read."""
    try:
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig"), ""
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else "not UTF-8"
        return "", texts("cli.prompt.unreadable", path=path, reason=reason)


def _edited(text: str, texts: Texts) -> tuple[str, str]:
    """The text after the user has edited it, or why it could not be edited."""
    editor = editor_of(os.environ)
    if not editor:
        return "", texts("cli.prompt.no_editor")
    with tempfile.TemporaryDirectory(prefix="sori-") as folder:
        path = Path(folder) / "prompt.md"
        path.write_text(f"{text}\n", encoding="utf-8")
        try:
            failed = subprocess.run([*editor, str(path)], check=False).returncode != 0
        except OSError:
            failed = True
        return ("", texts("cli.prompt.editor_failed", editor=editor[0])) if failed else _file(str(path), texts)


def editor_of(environment: Mapping[str, str]) -> list[str]:
    """The command of the user's editor; empty when there is none."""
    named = environment.get("VISUAL") or environment.get("EDITOR") or ""
    return shlex.split(named) or [found for name in _EDITORS if (found := shutil.which(name))][:1]
