"""Reads an English line as a statement."""

import re

from assistant.memory.statements.statement import Statement, attribute

_NOW = re.compile(r"\b(?:now|nowadays|actually|no longer|any ?more|these days|instead)\b")
_NEW = re.compile(r"\bnew\b")
_EARLIER = re.compile(
    r"\b(?:used to|was|were|lived|worked|had|ago|previously|formerly|last (?:year|month|week|summer|winter)|born|until"
    r"|will|next (?:year|month|week)|going to|plan(?:s|ning)? to|want(?:s)? to|would|might|may|if|once)\b"
)
"""What was, will be or might be does not contradict what is."""
_ALSO = re.compile(r"\b(?:also|too|as well|another|other|second|sometimes|often|usually|both)\b")
_SEVERAL = re.compile(r"[,;]|\.\s|\b(?:and|but|because|so|while|when|which|who)\b|[?]")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DATE = re.compile(
    r"\b(?:(?P<day_first>\d{1,2})(?:st|nd|rd|th)?(?: of)? )?"
    r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?: (?P<day>\d{1,2})(?:st|nd|rd|th)?)?\b"
)
_ARTICLES = re.compile(r"\b(?:a|an|the|my|our|on|at|to|of|mr|ms|mrs)\b\.?")

_TITLES = re.compile(r"\b(mr|ms|mrs|dr|st)\.")

_MOVED = re.compile(r"i (?:have |just )?(?:moved|relocated) to (?P<value>.+)")
_LIVE = re.compile(r"(?P<who>.+?) (?:live|lives|am living|is living|reside|resides) in (?P<value>.+)")
_WORK = re.compile(r"(?P<who>.+?) (?:work|works|am working|is working) (?P<how>at|for|as) (?P<value>.+)")
_AGE = re.compile(r"(?P<who>.+?) (?:am|is) (?P<value>\d+)(?: years old)?")
_WEIGH = re.compile(r"(?P<who>.+?) weighs? (?P<value>.+)")
_CHANGED = re.compile(
    r"(?P<who>.+?) (?:has |have |was |is )?(?:moved|changed|switched|been (?:moved|changed)|rescheduled)"
    r" (?:from .+ )?(?:to|into) (?P<value>.+)"
)
_CALLED = re.compile(r"(?P<who>.+?) (?:is|are|am) (?:called|named) (?P<value>.+)")
_ENDS = re.compile(
    r"(?P<who>.+?) (?P<how>ends (?:in|with)|(?:leaves|departs|starts|begins|opens|closes) (?:at|on)) (?P<value>.+)"
)
_IS = re.compile(r"(?P<who>.+?) (?:is|are) (?P<value>.+)")
_SECOND_VERB = re.compile(r"\b(?:is|are)\b")
"""After a first one the line was split at a wrong place: the key that is in box 1 is red."""
_PLACE = re.compile(r"(?:in|at|by|near|parked|under|behind|next to|beside) .*[a-z]")
_DOES = re.compile(
    r"i (?P<no>do not |don't |no longer |never |can not |can't |cannot |stopped |quit |gave up )?"
    r"(?:really )?(?P<verb>[a-z]+)(?: (?P<object>.+))?"
)
_FEELINGS = {"like": "yes", "love": "yes", "enjoy": "yes", "hate": "no", "dislike": "no"}


def english_statement(text: str) -> Statement | None:
    """The statement of a line in lower case without its final punctuation; ``None`` if it is none or several."""
    line = text.replace("i'm ", "i am ").replace("i've ", "i have ").replace(" isn't ", " is not ")
    line = re.sub(r"^(?:actually|remember that|note that|the user said that)[, ]+", "now ", line)
    line = _TITLES.sub(r"\1", line)
    line, corrected = re.subn(r"\b(is|are) not .+? but (?=\S)", r"\1 ", line)
    line, swapped = re.subn(r", not .+$", "", line)
    changed = bool(corrected or swapped or _NOW.search(line))
    if _SEVERAL.search(line) or _ALSO.search(line):
        return None
    if found := _MOVED.fullmatch(_now_removed(line)):
        return Statement(about="live", value=_value(found["value"]), single=True, changed=True)
    stopped = re.search(r"\bno longer\b|\bany ?more\b", line) is not None
    line = _now_removed(line)
    if found := _CHANGED.fullmatch(line):
        about, single, _ = attribute(_who(found["who"]))
        return Statement(about=about, value=_value(found["value"]), single=single, changed=True)
    if _EARLIER.search(_DATE.sub("", line)):
        return None
    return _plain(line, changed=changed or bool(_NEW.search(line.partition(" is ")[0])), stopped=stopped)


def _plain(line: str, *, changed: bool, stopped: bool) -> Statement | None:
    if found := _LIVE.fullmatch(line):
        return _of(found, "live", single=True, changed=changed)
    if found := _WORK.fullmatch(line):
        return _of(found, "job" if found["how"] == "as" else "employer", single=False, changed=changed)
    if found := _AGE.fullmatch(line):
        return _of(found, "age", single=True, changed=changed)
    if found := _WEIGH.fullmatch(line):
        return _of(found, "weight", single=True, changed=changed)
    if found := _CALLED.fullmatch(line):
        return _attribute_of([*_who(found["who"]), "name"], found["value"], changed=changed)
    if found := _ENDS.fullmatch(line):
        how = "" if found["how"].startswith(("ends", "leaves", "departs")) else found["how"].split()[0]
        return _attribute_of(_who(found["who"]), found["value"], how, changed=changed)
    if (found := _IS.fullmatch(line)) and found["who"] != "i" and not _SECOND_VERB.search(found["value"]):
        place = _PLACE.match(found["value"]) is not None and not re.match(r"at \d", found["value"])
        return _attribute_of(_who(found["who"]), found["value"], "where" if place else "", changed=changed)
    if found := _DOES.fullmatch(line):
        return _done(found, stopped=stopped)
    return None


def _done(found: re.Match[str], *, stopped: bool) -> Statement | None:
    """What the user does or likes, or does not: the value is yes or no."""
    verb, thing = found["verb"], _value(found["object"] or "")
    if verb in {"am", "have", "prefer"} or not thing:
        return None
    if found["no"] in {"stopped ", "quit ", "gave up "}:
        verb = {"eating": "eat", "drinking": "drink", "smoking": "smoke"}.get(verb, verb.removesuffix("ing"))
    no = stopped or found["no"] is not None
    if verb in _FEELINGS:
        return Statement(about=f"feel/{thing}", value="no" if no != (_FEELINGS[verb] == "no") else "yes", single=True)
    return Statement(about=f"do/{verb}/{thing}", value="no" if no else "yes", single=True)


def _of(found: re.Match[str], kind: str, *, single: bool, changed: bool) -> Statement:
    about = "/".join((*_who(found["who"]), kind))
    return Statement(about=about, value=_value(found["value"]), single=single, changed=changed)


def _attribute_of(words: list[str], value: str, kind: str = "", *, changed: bool) -> Statement | None:
    about, single, several = attribute(words, kind)
    if not words:
        return None
    # Another name or another friend is no contradiction, unless the line says that something changed.
    return Statement(about=about, value=_value(value), single=single and not several, changed=changed)


def _who(text: str) -> list[str]:
    words = re.findall(r"[\w@.-]+", _NEW.sub(" ", text).replace("'s", ""))
    return [word for word in words if word not in {"i", "my", "the", "our", "a", "an", "user", "me"}]


def _now_removed(line: str) -> str:
    return " ".join(_NOW.sub(" ", line).split())


def _value(text: str) -> str:
    return " ".join(_ARTICLES.sub(" ", _DATE.sub(_date, text)).split())


def _date(found: re.Match[str]) -> str:
    day = found["day"] or found["day_first"]
    return f"{_MONTHS.index(found['month']) + 1}-{day}" if day else found[0]
