"""``argparse`` in the user's language, including its own messages."""

import argparse
import contextlib
import gettext
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from assistant.core.configuration.parsing import number_words
from assistant.core.display.table import cells
from assistant.core.texts import Texts

_SECOND_CELL = "\0"
"""Placeholder for the second cell of a wide letter; no shown text contains it."""


class Parser(argparse.ArgumentParser):
    """A parser that counts columns in terminal cells and allows no abbreviated options.

    Args:
        **options: as for ``argparse.ArgumentParser``.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(formatter_class=_Formatter, allow_abbrev=False, **options)


@contextlib.contextmanager
def own_words_in(language: str, folder: Path) -> Iterator[None]:
    """Make argparse use ``language`` for parsers, help and errors, or English without a catalogue.

    argparse uses ``gettext``, which takes the language only from the environment. ``LANGUAGE`` is restored at the end.

    Args:
        language: the user's language.
        folder: folder that contains ``<language>/LC_MESSAGES/messages.mo``.
    """
    before, find = os.environ.get("LANGUAGE"), gettext.find
    gettext.bindtextdomain("messages", folder)
    os.environ["LANGUAGE"] = language
    # ``gettext`` looks for the catalogue's file at every message, 200 times for one command line.
    gettext.find = cache(find)  # type: ignore[assignment]
    try:
        yield
    finally:
        gettext.find = find
        os.environ.pop("LANGUAGE")
        if before is not None:
            os.environ["LANGUAGE"] = before


def number(texts: Texts, kind: type[int | float], low: float, high: float) -> Callable[[str], float]:
    """Make an option's ``type``: a number from ``low`` to ``high``, whole if ``kind`` is ``int``.

    Other values are refused with a message that names the range.
    """
    span = {"low": number_words(low), "high": number_words(high)}

    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            problem = texts(f"cli.argparse.not_{kind.__name__}", value=repr(text), **span)
            raise argparse.ArgumentTypeError(problem) from None
        if not low <= value <= high:  # also refuses NaN
            raise argparse.ArgumentTypeError(texts("cli.argparse.range", value=text, **span))
        return value

    return parse


class _Formatter(argparse.HelpFormatter):
    """Formats help in columns of terminal cells.

    argparse counts letters. A Korean letter takes two cells, so a placeholder is added to it and removed at the end.
    """

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """Add the usage line, with its first word padded to as many letters as cells."""
        word = gettext.gettext("usage: ") if prefix is None else prefix
        super().add_usage(usage, actions, groups, _as_many_letters_as_cells(word))

    def format_help(self) -> str:
        """Format the whole help, without placeholders."""
        return super().format_help().replace(_SECOND_CELL, "")

    def _metavar_formatter(self, action: argparse.Action, default_metavar: str) -> Callable[[int], tuple[str, ...]]:
        named = super()._metavar_formatter(action, default_metavar)
        return lambda count: tuple(map(_as_many_letters_as_cells, named(count)))

    def _split_lines(self, text: str, width: int) -> list[str]:
        return super()._split_lines(_as_many_letters_as_cells(text), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return super()._fill_text(_as_many_letters_as_cells(text), width, indent)


def _as_many_letters_as_cells(text: str) -> str:
    return "".join(letter + _SECOND_CELL * (cells(letter) - 1) for letter in text)
