"""Completes commands and their arguments while a line is typed."""

from collections.abc import Callable, Iterable, Mapping

from prompt_toolkit.completion import CompleteEvent, Completer, Completion, PathCompleter
from prompt_toolkit.document import Document

from assistant.core.texts import Texts
from assistant.terminal.commands import BY_NAME, COMMANDS, Argument, description

Choices = Callable[[], Iterable[tuple[str, str]]]
"""Gives the possible arguments at present, each with a remark such as its date. It must return at once."""


class CommandCompleter(Completer):
    """Offers commands after a slash, and the arguments of each.

    Args:
        texts: the user's texts.
        choices: the possible arguments of each kind. Files are found by themselves.
        prepare: called while a command is typed, before its argument is.
    """

    def __init__(
        self, texts: Texts, choices: Mapping[Argument, Choices], prepare: Callable[[], None] = lambda: None
    ) -> None:
        self._texts = texts
        self._prepare = prepare
        self._choices = choices
        self._files = PathCompleter(expanduser=True)

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Offer what fits the text before the cursor: what begins with it first, then what contains it."""
        name, space, word = document.text_before_cursor.partition(" ")
        if not name.startswith("/"):
            return
        if not space:
            self._prepare()
            for found in _fitting(name, ((each.name, description(each, self._texts)) for each in COMMANDS)):
                # What follows can be typed, or completed, at once.
                space = " " if BY_NAME[found.text].argument else ""
                yield Completion(f"{found.text}{space}", found.start_position, found.text, found.display_meta)
        elif (command := BY_NAME.get(name)) is not None:
            word = word.lstrip()
            if command.argument is Argument.FILE:
                yield from self._files.get_completions(Document(word), complete_event)
            elif (choices := self._choices.get(command.argument)) is not None:
                yield from _fitting(word, choices())


def _fitting(word: str, choices: Iterable[tuple[str, str]]) -> Iterable[Completion]:
    wanted = word.casefold()
    found = [each for each in choices if wanted in each[0].casefold()]
    for text, remark in sorted(found, key=lambda each: not each[0].casefold().startswith(wanted)):
        yield Completion(text, start_position=-len(word), display_meta=remark)
