"""Whether the free words of a plain command, such as a fact or a name, are one thing that asks for nothing else. Pure.

A plain command explains every word. Where any words may stand, a second request could hide: "remember that I like tea
and tell me a joke". So free words count only if they are one clause: no further sentence, no words that ask Sori for
something, and after a conjunction nothing that could be a verb. What fails goes to the model, which has the tools.
"""

import re

from assistant.core.hangul import open_syllables

_ABBREVIATION = re.compile(
    r"\b(mrs?|ms|dr|st|no|vs|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|[a-z]|[ap]\.m)\.(?=\s)", re.IGNORECASE
)
_BOUNDARY = re.compile(r"[.…。](?=\s)|[!?;？！；\n](?=\s*\S)|\s[-–—]+\s")
"""The end of a sentence within the words."""
_ASKS_EN = re.compile(
    r"\b(?:please|(?:can|could|would|will) you|(?:tell|show|give|remind|wake|help|read|play|sing|send) me|let me know"
    r"|let's|i want you to|i'd like you to|i need you to)\b",
    re.IGNORECASE,
)
_JOINT_EN = re.compile(
    r"\s*,\s+(?:(?:and|or|but|so|then)\s+)?(?:also\s+|then\s+)*|\s+(?:and|or|but|so)\s+(?:also\s+|then\s+)*"
    r"|(?<!\bI)(?<!\bwe)(?<!\bhe)(?<!\bshe)(?<!\bthey)(?<!\bam)(?<!\bis)(?<!\bare)(?<!\bcan)\s+(?:also|then)\s+",
    re.IGNORECASE,
)
_NOUNS_EN = re.compile(
    r"(?:(?i:an?|the|my|our|his|her|their|its|your|this|these|those|some|no|not|one|two|three|four|five|at|in|on|from"
    r"|with|for)\b|[A-Z0-9]).*|[\w'’-]+"
)
"""What may follow a conjunction: what shows itself as a noun or as no verb, or one word."""
_NO_NOUN_EN = re.compile(
    r"stop|go|wait|thanks|then|now|ok|okay|please|help|continue|hurry|quit|bye|yes|no|right|listen|repeat",
    re.IGNORECASE,
)
_LINK_KO = re.compile(
    r"(?:^|\s)(?:그리고|그런데|근데|하지만|그러나|그래서|그러면|그럼|그러니까|아니면|그다음에?|말고)(?=\s)|(?:거|것)(?:랑|이랑|하고|과)\s"
)
INFINITIVE_ENDS = open_syllables(0, 1, 4, 6, 9, 14)
"""Syllables that end a verb before 주다 and at the end of a spoken sentence (알려, 키워): ㅏ, ㅐ, ㅓ, ㅕ, ㅘ, ㅝ."""
_HELP_KO = re.compile(
    rf"[{INFINITIVE_ENDS}]\s?(?:(?:줘|주고|주면|주세요|주십|주시|줄래|줄\s?수|주라|달라|다오)(?=[요\s,가-힣])"
    r"|(?:줘|주세요|줄래|주라|다오)요?$)"
)
_ASKS_KO = re.compile(r"(?:^|\s)(?:뭐|뭘|무엇|무슨|언제|어디|누구|누가|왜|어떻게|얼마|몇)(?![가-힣]*(?:든|나\s))")
_AND_KO = r"(?:\s\S*(?<![라다자냐])|[끄하틀켜치주먹시가오두놓추])고"
"""A verb before another one: 음악 틀고. A first word with other syllables is a noun: 창고."""
_CONNECTIVE_KO = re.compile(rf"(?:{_AND_KO}|면서|다가)(?=[\s,])(?!\s*(?:있|싶|나서))")
_SUBJECT_KO = re.compile(r"^(?:나|저|난|전|내|제|우리|저희)\s|[가-힣\w](?:은|는|이|가|도|에서는|에는)\s")
_COMMA_KO = re.compile(r"(?:해|줘|요|봐|까|지\s?마|라|자)\s*,\s")
_NAME_KO = re.compile(rf"(?:이랑|랑|와|과)\s|{_AND_KO}$|말고|빼고")
_NAME_EN = re.compile(r"\b(?:and|or|but|then|not|instead|except|if|when|because)\b|[,:]", re.IGNORECASE)


def is_one_clause(words: str) -> bool:
    """Whether words are one clause that asks nothing, such as a fact: ``나는 커피를 좋아한다``."""
    return not asks_more(words) and _joins_only_nouns(words)


def asks_more(words: str) -> bool:
    """Whether words hold a further sentence, or ask Sori for something: ``call mom. What's the weather``."""
    return bool(_BOUNDARY.search(_ABBREVIATION.sub(r"\1", words))) or _asks(words)


def is_name(words: str, most: int = 5) -> bool:
    """Whether words, of which there are at most ``most``, may name one thing: an agent, a timer, a fact."""
    few = 0 < len(words.split()) <= most
    return few and is_one_clause(words) and not (_NAME_EN.search(words) or _NAME_KO.search(words))


def is_quoted(text: str) -> bool:
    """Whether a whole text stands in quotation marks, so that it is spoken of and not said."""
    text = text.strip()
    return len(text) > 2 and (text[0], text[-1]) in {
        ('"', '"'),
        ("'", "'"),
        ("“", "”"),
        ("‘", "’"),
        ("「", "」"),
        ("`", "`"),
    }


def _asks(words: str) -> bool:
    return any(pattern.search(words) for pattern in (_ASKS_EN, _ASKS_KO, _HELP_KO))


def _joins_only_nouns(words: str) -> bool:
    if _LINK_KO.search(words) or _COMMA_KO.search(words):
        return False
    if any(not _SUBJECT_KO.search(words[: found.end()]) for found in _CONNECTIVE_KO.finditer(words)):
        return False
    _, *further = _JOINT_EN.split(words)
    if re.search("[가-힣]", words):
        return True
    return all(_NOUNS_EN.fullmatch(each) and not _NO_NOUN_EN.fullmatch(each) for each in further)
