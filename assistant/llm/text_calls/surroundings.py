"""Tells markup that is used from markup that is mentioned, by what stands before and after it. Pure."""

import re

from assistant.llm.text_calls import forms

_MARKUP = frozenset(
    {*forms.THOUGHTS, *forms.THOUGHTS.values(), *forms.HARMONY_OPENERS, *forms.CALLS, *forms.CALL_CLOSERS}
    | {*forms.RESULT, *forms.ENDS, *forms.HEADERS, *forms.OTHERS, *forms.AFTER_THOUGHTS.values(), forms.RECIPIENT}
)
_LONGEST_FIRST = sorted(_MARKUP, key=len, reverse=True)
_LONGEST = len(_LONGEST_FIRST[0])
TRIGGER = re.compile(rf"(?=[<>\[`~\u25c1])(?:{'|'.join(map(re.escape, _LONGEST_FIRST))}|`+|~~~+)")
BEGINNINGS = frozenset(each[:size] for each in (*_MARKUP, "~~~") for size in range(1, len(each)))

QUOTES = "\"'`\u201c\u2018\u300c\u300e\u00ab(\uff08:\uff1a="
"""Characters before markup that is mentioned, not used."""
ENDING_QUOTES = "\"'`\u201d\u2019\u300d\u300f\u00bb)\uff09"
QUOTED_LINE = re.compile(r"[ \t]*(?:(?:>|[-*+\u2022|]|\d{1,3}[.)])[ \t]+)+|(?: {4}|\t)\s*")
"""The beginning of a line in a list, a quotation, a table or a block of code."""
_ENDED_SENTENCE = re.compile(r"(?<!e\.g)(?<!i\.e)(?<!\bex)[.!?\u2026\u3002~]['\")\]]?[ ]*\Z")
"""The end of a sentence, after which a call may begin within the line."""
_OPENED_QUOTE = re.compile("(?:(?:^|[\\s(\\[{])[\"'`]|[\u201c\u2018\u300c\u300e])\\Z")
_NAME_IN_TAG = re.compile(r"""["']?(?:[A-Za-z_][\w.\-]*["']?\s*(?:>\s*(?P<body>[{<])?)?|$)""", re.ASCII)
_NAME = re.compile(r"(?:call:)?[A-Za-z_][\w.\-]*(?::\d+)?", re.ASCII)


def certain_size(text: str) -> int:
    """Size of the part of a text in whose end no markup can have begun."""
    tail = text[-_LONGEST:]
    start = next((at for at in range(len(tail)) if tail[at:] in BEGINNINGS), len(tail))
    return len(text) - len(tail) + start


def is_quoted(line: str) -> bool:
    """Whether markup after this beginning of a line stands in quotes, a list, a table or a block of code."""
    before = line.rstrip(" ")
    return bool(line) and ((bool(before) and before[-1] in QUOTES) or QUOTED_LINE.fullmatch(line) is not None)


def opens_quote(text: str) -> bool:
    """Whether a text ends with an opening quotation mark."""
    return _OPENED_QUOTE.search(text) is not None


def ends_sentence(line: str) -> bool:
    """Whether this beginning of a line ends with a sentence, after which a call may stand."""
    return _ENDED_SENTENCE.search(line) is not None


def follows_markup(text: str, over: bool) -> str | None:
    """What follows markup: ``nothing``, ``line`` (a new one), ``markup`` or ``text``; ``None`` if undecided."""
    rest = text.lstrip(" \t\r")
    if not rest:
        return "nothing" if over else None
    if rest[0] == "\n":
        return "line" if rest.strip() or not over else "nothing"
    if (markup := TRIGGER.match(rest)) and markup.group()[0] not in "`~":
        return "markup"
    return None if rest in BEGINNINGS and not over else "text"


def may_be_name(text: str) -> bool | None:
    """Whether a text after ``<function=`` begins with a name and its arguments; ``None`` if that is undecided."""
    name = _NAME_IN_TAG.match(text)
    if name is None:
        return False
    return True if name["body"] else None if name.end() == len(text) else False


def may_be_content(text: str) -> bool | None:
    """Whether a text after an opener begins like a call; ``None`` if that is undecided."""
    rest = text.lstrip()
    if not rest or rest[0] in "{[`":
        return True if rest else None
    if rest[0] == "<":
        known = ("<function", "<invoke", "<parameter", "<arg_key", "<|", "<\uff5c", "</")
        return True if rest.startswith(known) else None if any(each.startswith(rest) for each in known) else False
    name = _NAME.match(rest)
    if name is None:
        return False
    after = rest[name.end() :].lstrip(" ")
    return None if after in ("", ":") else after[0] in "\n<{([`"
