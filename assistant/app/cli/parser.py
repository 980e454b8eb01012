"""``argparse`` in the user's language, down to its own words."""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from typing import Any, NoReturn

from assistant.app.cli.table import cells
from assistant.core.settings import number_words
from assistant.core.texts import Texts

_MESSAGES: tuple[tuple[str, str], ...] = (
    (r"the following arguments are required: (?P<names>.+)", "required"),
    (r"unrecognized arguments: (?P<names>.+)", "unrecognized"),
    (r"argument (?P<name>[^:]+): expected (?:one|at least one) argument", "expects_value"),
    (r"argument (?P<name>[^:]+): invalid choice: (?P<value>.+?) \(choose from (?P<choices>.+)\)", "invalid_choice"),
    (r"argument (?P<name>[^:]+): ignored explicit argument (?P<value>.+)", "takes_no_value"),
    (r"ambiguous option: (?P<name>\S+) could match (?P<choices>.+)", "ambiguous"),
    # What ``number`` says, in the user's language already.
    (r"argument (?P<name>[^:]+): (?P<problem>.+)", "problem"),
)
"""argparse's own English messages (it has no other), and the keys of ours."""

_SECOND_CELL = "\0"
"""In no text that is shown."""


class Parser(argparse.ArgumentParser):
    """A parser whose help and errors are in the language of ``texts``.

    Args:
        texts: the user's words.
        **options: as for ``argparse.ArgumentParser``.
    """

    def __init__(self, *, texts: Texts, **options: Any) -> None:
        self.texts = texts

        def formatter(prog: str) -> argparse.HelpFormatter:
            return _Formatter(prog, texts("cli.argparse.usage"))

        super().__init__(add_help=False, formatter_class=formatter, allow_abbrev=False, **options)
        self.arguments = self.add_argument_group(texts("cli.argparse.arguments"))
        self.options = self.add_argument_group(texts("cli.argparse.options"))
        self.options.add_argument("-h", "--help", action="help", help=texts("cli.argparse.help"))

    def error(self, message: str) -> NoReturn:
        """Print usage and what is wrong; exit status 2."""
        self.print_usage(sys.stderr)
        self.exit(2, f"{self.prog}: {self._in_their_language(message)}\n")

    def _in_their_language(self, message: str) -> str:
        for pattern, key in _MESSAGES:
            if found := re.fullmatch(pattern, message):
                return self.texts(f"cli.argparse.{key}", **found.groupdict())
        return message


def number(texts: Texts, kind: type[int | float], low: float, high: float) -> Callable[[str], float]:
    """An option's ``type``: a number from ``low`` to ``high``, whole where ``kind`` is ``int``.

    What is none, or lies outside, is refused with the words of ``texts``, which name the range.
    """
    span = {"low": number_words(low), "high": number_words(high)}

    def parse(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            problem = texts(f"cli.argparse.not_{kind.__name__}", value=repr(text), **span)
            raise argparse.ArgumentTypeError(problem) from None
        if not low <= value <= high:  # nor is NaN anywhere between
            raise argparse.ArgumentTypeError(texts("cli.argparse.range", value=text, **span))
        return value

    return parse


class _Formatter(argparse.HelpFormatter):
    """Help whose first word is ours, in columns of cells.

    argparse counts letters. A Korean one takes two cells, so it is given a second letter, which goes at the end.
    """

    def __init__(self, prog: str, usage: str) -> None:
        super().__init__(prog, max_help_position=30)
        self._word = _as_many_letters_as_cells(usage)

    def add_usage(
        self,
        usage: str | None,
        actions: Iterable[argparse.Action],
        groups: Iterable[Any],
        prefix: str | None = None,
    ) -> None:
        """The usage line with our word before it."""
        super().add_usage(usage, actions, groups, self._word if prefix is None else prefix)

    def format_help(self) -> str:
        """The whole help, as it is shown."""
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
