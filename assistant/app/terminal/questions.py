"""How a terminal writes the questions of a turn, and what a typed line answers. Pure."""

from collections.abc import Iterator

from assistant.app.cli.typed_ahead import YES_WORDS
from assistant.core import packets as pk
from assistant.core.display.escaping import visible, visible_arguments
from assistant.core.texts import Texts

_NO = frozenset({"", "n", "no", "아니", "아니요", "아니오"})
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
        yield f"  {ask.tool} {visible_arguments(ask.arguments, one_line=True)}"
    else:
        yield from (f"  {visible(f'{name}: {value}')}" for name, value in ask.arguments.items())
    yield from (f"  {number}) {visible(option)}" for number, option in enumerate(ask.options, 1))
    yield texts(_hint(ask, beside=beside), seconds=round(ask.within_s))


def prompt(ask: pk.Ask | None, texts: Texts) -> str:
    """The prompt at which a question is answered."""
    return f"{texts(_PROMPTS.get(ask.kind, 'console.ask') if ask else 'console.ask')} "


def late_words(ask: pk.Ask | None, texts: Texts) -> str:
    """What is told of a question that nobody answered in time."""
    confirms = ask is None or ask.kind == pk.CONFIRM_TOOL
    return texts("desktop.ask.outcome.late" if confirms else "desktop.words.outcome.late")


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
