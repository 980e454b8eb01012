"""How a terminal writes the questions of a turn, and what a typed line answers. Pure."""

from collections.abc import Iterator

from assistant.core import packets as pk
from assistant.core.display.calls import argument_lines
from assistant.core.display.escaping import shortened_arguments, visible, visible_arguments
from assistant.core.permissions import Category
from assistant.core.texts import Texts
from assistant.core.typed_answers import YES_WORDS

_BREAK = "\n"
_NO = frozenset({"", "n", "no", "아니", "아니요", "아니오"})
_ALWAYS = frozenset({"a", "always", "항상"})
_NO_TO_ALL = frozenset({"x", "none", "모두 거절", "다 거절"})
WHOLE = frozenset({"w", "whole", "전체"})
"""Words that show the arguments of a question whole."""
_PROMPTS = {pk.CONFIRM_TOOL: "console.ask", pk.ASK_YES_NO: "console.ask_yes_no", pk.ASK_WORDS: "console.ask_words"}


def question_lines(ask: pk.Ask, texts: Texts, *, beside: bool = False) -> Iterator[str]:
    """The lines of a question.

    Args:
        ask: the question.
        texts: the user's texts.
        beside: whether the user types at another prompt, where only commands answer.
    """
    yield f"? {visible(ask.text)}"
    if ask.kind == pk.CONFIRM_TOOL:
        category = ask.category if ask.category in set(Category) else Category.RESTRICTED
        yield f"  {texts(f'desktop.ask.danger.{category}')}"
        if ask.server:
            yield f"  {texts('desktop.ask.server', server=visible(ask.server, one_line=True))}"
        for label, value in argument_lines(texts, ask.tool, ask.arguments):
            yield f"  {label}: {value.replace(_BREAK, _BREAK + '    ')}"
        if shortened_arguments(ask.arguments) is not ask.arguments:
            yield texts("console.ask_cut_beside" if beside else "console.ask_cut")
        more = [pk.ANSWER_ALWAYS in ask.choices, pk.ANSWER_NO_TO_ALL in ask.choices]
        yield from _further(ask, texts, more, beside=beside)
    else:
        yield from (f"  {visible(f'{name}: {value}')}" for name, value in ask.arguments.items())
    yield from (f"  {number}) {visible(option)}" for number, option in enumerate(ask.options, 1))
    yield texts(_hint(ask, beside=beside), seconds=round(ask.within_s))


def whole_lines(ask: pk.Ask) -> Iterator[str]:
    """The tool and its arguments, whole."""
    yield f"  {visible(ask.tool, one_line=True)}"
    yield visible_arguments(ask.arguments)


def _further(ask: pk.Ask, texts: Texts, offered: list[bool], *, beside: bool) -> Iterator[str]:
    for key, is_offered in zip(("always", "no_to_all"), offered, strict=True):
        if is_offered:
            yield texts(f"console.ask_{key}{'_beside' if beside else ''}", scope=visible(ask.scope, one_line=True))


def prompt(ask: pk.Ask | None, texts: Texts) -> str:
    """The prompt at which a question is answered."""
    return f"{texts(_PROMPTS.get(ask.kind, 'console.ask') if ask else 'console.ask')} "


def late_words(ask: pk.Ask | None, texts: Texts, outcome: str = "late") -> str:
    """What is told of a question that nobody answered in time."""
    confirms = ask is None or ask.kind == pk.CONFIRM_TOOL
    return texts(f"desktop.{'ask' if confirms else 'words'}.outcome.{outcome}")


def answer_of(ask: pk.Ask | None, line: str) -> tuple[str, str] | None:
    """What a line answers that was typed at a question's prompt: choice and text.

    ``None`` if it is no answer. A question with yes or no takes these words only.
    """
    if ask is not None and ask.kind == pk.ASK_WORDS:
        if line in {"/no", "/skip"} or not line:
            choice = pk.ANSWER_NO if line == "/no" else pk.ANSWER_SKIP
            return (choice, "") if choice in ask.choices else None
        return None if line.startswith("/") else (pk.ANSWER_TEXT, line)
    word = line.casefold()
    further = {pk.ANSWER_ALWAYS: _ALWAYS, pk.ANSWER_NO_TO_ALL: _NO_TO_ALL}
    for choice, words in further.items():
        if word in words:
            return (choice, "") if ask is not None and choice in ask.choices else None
    if word in YES_WORDS or word in _NO:
        return (pk.ANSWER_YES if word in YES_WORDS else pk.ANSWER_NO), ""
    return None


def _hint(ask: pk.Ask, *, beside: bool) -> str:
    if ask.kind == pk.ASK_WORDS:
        if beside:
            return "console.ask_beside_words"
        return "console.ask_within_skip" if pk.ANSWER_SKIP in ask.choices else "console.ask_within_words"
    if beside:
        return "console.ask_beside"
    return "console.ask_within" if ask.kind == pk.CONFIRM_TOOL else "console.ask_within_other"
