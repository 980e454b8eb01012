"""Understands that a file is to be kept in a project: 이 파일 여행 프로젝트에 넣어 줘, "add this to my project". Pure.

The whole message has to be this request. Anything else goes to the model, which only reads the file.
"""

import re
from typing import Final

from assistant.core.free_words import INFINITIVE_ENDS, is_name

_LONGEST: Final = 80
_FILE_KO: Final = r"파일|문서|자료|사진|그림|이미지|영수증|보고서|계약서|표|것"
_THIS_KO: Final = (
    rf"(?:(?:이|그|저|위|위의|방금|방금\s?보낸|지금\s?보낸|보낸|아까\s?보낸)\s?(?:{_FILE_KO})(?:들)?|이거|이것|그거|이걸|그걸"
    rf"|(?:{_FILE_KO}))(?:을|를|은|는|도|만)?(?:\s?(?:좀|모두|다|전부))?"
)
_KEEP_KO: Final = (
    r"(?:(?:좀|같이|그대로)\s)?(?:넣어|추가해|추가|저장해|저장|보관해|보관|올려|담아|등록해|등록)(?:\s?(?:놔|놓아|둬|두어))?"
    r"(?:\s?(?:줘|줘요|주세요|줄래|줄래요|주라|줄\s?수\s?있어|줄\s?수\s?있어요|다오|달라|부탁해|부탁해요|부탁드려요))?"
)
_KO: Final = re.compile(
    rf"(?:{_THIS_KO}[,\s]\s?)?(?:(?P<name>\S(?:.{{0,38}}?\S)?)\s)?프로젝트\s?(?:에|에다|에다가|로|으로|안에|속에|폴더에)"
    rf"(?:도|다가)?(?:\s{_THIS_KO})?\s{_KEEP_KO}"
)
_THIS_EN: Final = (
    r"(?:this|it|that|these|them|those|the|my|this one)"
    r"(?: (?:file|files|document|documents|photo|picture|image|pdf|one))?"
    r"(?: (?:here|above|i(?:'ve| have)? (?:just )?sent))?"
)
_EN: Final = re.compile(
    r"(?:please |can you |could you |would you )?(?:please )?"
    rf"(?:add|put|save|keep|store|upload|file) {_THIS_EN} (?:to|in|into) "
    r"(?:(?:(?:the|my|our|a) )?projects? (?:called |named )?(?P<named>\S(?:.{0,38}?\S)?)"
    r"|(?:(?:the|my|our|this) )?(?:(?P<name>\S(?:.{0,38}?\S)?) )?project)(?:,? please)?",
    re.IGNORECASE,
)
_QUOTES: Final = "\"'“”‘’「」『』《》"
_CURRENT: Final = frozenset(
    {"", "이", "내", "나의", "제", "우리", "현재", "지금", "해당", "그", "this", "current", "the", "my"}
)
_VERB_KO: Final = re.compile(rf"[{INFINITIVE_ENDS}]서(?=\s|$)")
"""A verb before another one, as in 요약해서."""


def project_for_file(text: str) -> str | None:
    """The name of the project in which a file is to be kept, empty for the one that is talked of.

    ``None`` for a message that says anything else, also beside it.
    """
    words = " ".join(text.split()).rstrip(".!~ ").rstrip()
    if len(words) > _LONGEST:
        return None
    found = _KO.fullmatch(words)
    if found is not None:
        return _checked(found["name"] or "")
    found = _EN.fullmatch(words.removesuffix("?"))
    return None if found is None else _checked(found["named"] or found["name"] or "")


def _checked(name: str) -> str | None:
    """The name of a project, empty for the one that is talked of; ``None`` for words that say more than a name."""
    plain = name.strip().strip(_QUOTES).strip()
    if plain.casefold() in _CURRENT:
        return ""
    return plain if is_name(plain) and not _VERB_KO.search(plain) else None
