"""Understands that a file is to be kept in a project: 이 파일 여행 프로젝트에 넣어 줘, "add this to my project". Pure.

The whole message has to be this request. Anything else goes to the model, which only reads the file.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
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
    rf"(?:(?P<object>{_THIS_KO})[,\s]\s?)?(?:(?P<name>\S(?:.{{0,38}}?\S)?)\s)?프로젝트\s?(?:에|에다|에다가|로|으로|안에|속에|폴더에)"
    rf"(?:도|다가)?(?:\s{_THIS_KO})?\s{_KEEP_KO}"
)
_THIS_EN: Final = (
    r"(?:this|it|that|these|them|those|this one|(?:the|this|that|these|those|my)(?: [\w-]+)? "
    r"(?:file|document|photo|picture|image|pdf|scan|receipt|invoice|attachment|recording|letter)s?)"
    r"(?: (?:here|above|i(?:'ve| have)? (?:just )?sent))?"
)
_EN: Final = re.compile(
    r"(?:please |can you |could you |would you )?(?:please )?"
    rf"(?:add|put|save|keep|store|upload|file) {_THIS_EN} (?:to|in|into) "
    r"(?:(?:(?:the|my|our|a) )?projects? (?:called |named )?(?P<named>\S(?:.{0,38}?\S)?)"
    r"|(?:(?:the|my|our|this) )?(?:(?P<name>\S(?:.{0,38}?\S)?) )?project)(?:,? (?:please|thanks|thank you))?",
    re.IGNORECASE,
)
_ONLY_A_FILE_KO: Final = re.compile(r"(?:\S+\s){0,3}\S*(?:파일|문서|사진|이미지|자료)(?:들)?(?:을|를|은|도)?(?:\s?좀)?")
"""Words before 프로젝트 that name the file, and no project: 첨부한 파일."""
_QUOTES: Final = "\"'“”‘’「」『』《》"
_CURRENT: Final = frozenset(
    {"", "이", "내", "나의", "제", "우리", "현재", "지금", "해당", "그", "this", "current", "the", "my"}
)
_VERB_KO: Final = re.compile(rf"[{INFINITIVE_ENDS}]서(?=\s|$)")
"""A verb before another one, as in 요약해서."""


@dataclass(frozen=True, slots=True)
class FilingWish:
    """That a file is to be kept in a project.

    Attributes:
        words: the words that name the project; empty for the one that is talked of.
        may_hold_file: whether the words may begin with the file, or be nothing else, as in 첨부한 파일.
    """

    words: str = ""
    may_hold_file: bool = False

    def project(self, names: Iterable[str]) -> str | None:
        """Which of the known projects is meant; empty for the one that is talked of, ``None`` if none is."""
        known = sorted(names, key=len, reverse=True)
        words = self.words.casefold()
        if not words or (exact := next((each for each in known if each.casefold() == words), None)) is not None:
            return exact if words else ""
        if not self.may_hold_file:
            return None
        for each in known:
            before = words.removesuffix(f" {each.casefold()}")
            if before != words and _ONLY_A_FILE_KO.fullmatch(before):
                return each
        return "" if _ONLY_A_FILE_KO.fullmatch(words) else None


def filing_wish(text: str) -> FilingWish | None:
    """The wish that a whole message is; ``None`` for a message that says anything else, also beside it."""
    words = " ".join(text.split()).rstrip(".!?~ ")
    if len(words) > _LONGEST:
        return None
    found = _KO.fullmatch(words)
    if found is not None:
        return _wish(found["name"] or "", may_hold_file=found["object"] is None)
    found = _EN.fullmatch(words)
    return None if found is None else _wish(found["named"] or found["name"] or "", may_hold_file=False)


def _wish(name: str, *, may_hold_file: bool) -> FilingWish | None:
    """The wish with these words for the project; ``None`` for words that say more than a name."""
    plain = name.strip().strip(_QUOTES).strip()
    if plain.casefold() in _CURRENT:
        return FilingWish()
    named = is_name(plain, 8) and not _VERB_KO.search(plain)
    return FilingWish(plain, may_hold_file) if named else None
