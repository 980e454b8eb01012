"""The words of a request or a description, in the form in which they are compared.

Korean words lose their particle, and are compared by their letters, because endings change the last syllable: "지우기",
"지워 줘". English words lose their endings.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise

from assistant.core.hangul import FINALS, FIRST, LAST
from assistant.storage.search.passages import FINAL_LETTERS, INITIALS, PARTICLE, VOWELS, composed

_RUN = re.compile(r"[a-z]+|[가-힣]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")
_VOWEL_LETTERS = (
    *("ㅏ", "ㅏㅣ", "ㅑ", "ㅑㅣ", "ㅓ", "ㅓㅣ", "ㅣㅓ", "ㅣㅓㅣ", "ㅗ", "ㅗㅏ", "ㅗㅏㅣ"),
    *("ㅗㅣ", "ㅛ", "ㅜ", "ㅜㅓ", "ㅜㅓㅣ", "ㅜㅣ", "ㅠ", "ㅡ", "ㅡㅣ", "ㅣ"),
)
"""The vowels in Unicode's order. Joined ones are taken apart, so that "지워" begins with the letters of "지우"."""
_ALMOST = 0.7
"""The least share of a word's letters that another word has to begin with."""


def _listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


_STOPPED = _listed(
    "a about all also am an and any anything are as at be been but by can could did do does doing for from get give go "
    "got had has have help here how i if in into is it its just let like may me more most my need new no not now of on "
    "one or our out please s so some something t take tell that the their them then there these they thing this those "
    "to too tool tools up us use used user users using want was we were what when where which who why will with would "
    "you your yours return returns given via mcp"
)
_KOREAN_STOPPED = _listed(
    "가 가장 거 건 걸 것 게 그 그거 그것 그리고 기능 나 난 날 내 내가 너 네 누가 누구 는 다 다시 대해 대해서 더 "
    "도구 될까 됐 뭐 뭐가 뭔지 뭘 무슨 무엇 방금 부탁 사용자 수 싶어 쓰 아 아까 아주 안 알 알려 어 어디 어떤 어떻게 "
    "어때 어느 언제 얼마 얼마나 여기 여러 오 요 우리 위해 이 이거 이것 이런 있 있는 있나 있어 있으면 있을까 있지 저 "
    "저거 저것 저기 정도 제 제발 좀 주 주고 주세 주세요 줄 줄래 줘 줘요 중 지 지금 하 하고 하나 하는 하려 하면 하자 "
    "한 한번 할 해 해서 해요 해주 해주세요 해줄래 해줘 했 을 를 은 에 의 로 와 과 도 만"
)
_ENDINGS = re.compile(
    r"(?<=[가-힣])(?:해\s?주세요|해\s?줄래요?|해\s?줘요?|해요|하세요|하고|하기|하는|하면|하려고|할래|할까요?|해서|해라|해봐|했어|한다|합니다"
    r"|입니다|이에요|예요|인가요?|인지|이야|주세요|줄래요?|줘요?|봐줘)$"
)
_TOLD = re.compile(r"^(?:알려|보여|말해|가르쳐)")


_DROPPED = tuple(chr(code) for code in range(FIRST + 18 * FINALS, LAST + 1, VOWELS * FINALS))
"""Syllables that end in ㅡ, which some endings replace."""
_AFTER_ONE = _listed("은 는 이 가 을 를 에 로 의 와 과 도 만 어 아 기 고 려 면 서 요 지 게 자 라") | {""}
"""What may follow a stem of one syllable."""


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text, each once, in their order. Words that say nothing about a tool are left out."""
    plain = composed(_HUMP.sub(" ", text)).casefold()
    found = (_english(run) if run.isascii() else _korean(run) for run in _RUN.findall(plain))
    return tuple(dict.fromkeys(word for word in found if word))


class Vocabulary:
    """A set of words. Those that may be like another word are found without a comparison with each.

    ``likeness`` is 0 for each word that ``near`` leaves out.

    Args:
        words: the words.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words: dict[str, set[str]] = {}
        for word in words:
            for mark in _marks(word):
                self._words.setdefault(mark, set()).add(word)

    def near(self, word: str) -> set[str]:
        """The words that may be like ``word``, and some others."""
        return set[str]().union(*(self._words.get(mark, ()) for mark in _marks(word)))


def _marks(word: str) -> list[str]:
    """Parts of a word. Words that are alike share one: the beginning, or two neighbouring syllables."""
    if word.isascii():
        return [word[:4]]
    return [letters(word)[:2], *map("".join, pairwise(word))]


def likeness(one: str, other: str) -> float:
    """How likely two words mean the same: 1 for the same word, 0 for different ones."""
    if one == other:
        return 1.0
    if one.isascii() != other.isascii():
        return 0.0
    return _english_likeness(one, other) if one.isascii() else _korean_likeness(one, other)


def _english(word: str) -> str:
    if word in _STOPPED:
        return ""
    if len(word) > 4 and word.endswith("ies"):
        word = f"{word[:-3]}y"
    elif len(word) > 3 and word.endswith("s") and word[-2] not in "sui":
        word = word[:-1]
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2:
            word = stem[:-1] if stem[-1] == stem[-2] and stem[-1] not in "sl" else stem
            break
    return word.removesuffix("e") if len(word) > 3 else word


def _english_likeness(one: str, other: str) -> float:
    short, long = sorted((one, other), key=len)
    return 0.8 if len(short) > 3 and long.startswith(short) and len(long) - len(short) <= 3 else 0.0


def _korean(word: str) -> str:
    if word in _KOREAN_STOPPED or _TOLD.match(word):
        return ""
    stem = PARTICLE.sub("", _ENDINGS.sub("", word))
    return "" if stem in _KOREAN_STOPPED else stem


def _korean_likeness(one: str, other: str) -> float:
    part, whole = sorted((one, other), key=lambda word: (len(word), -word.endswith(_DROPPED), len(letters(word)), word))
    if inflected(part, whole):
        return 0.9 if len(part) > 1 else 0.6
    short, long = sorted((letters(one), letters(other)), key=len)
    same = next((place for place, letter in enumerate(short) if letter != long[place]), len(short))
    if same > 4 and same >= _ALMOST * len(long):
        return 0.6
    return 0.7 if len(part) > 1 and part in whole else 0.0


def inflected(stem: str, word: str) -> bool:
    """Whether a Korean word is a stem with an ending. One syllable is the beginning of many words, so few follow it."""
    if len(stem) == 1 and word.startswith(stem):
        return word[1:] in _AFTER_ONE
    spelt, whole = letters(stem), letters(word)
    # "잠그" becomes "잠가".
    shorter = spelt.removesuffix("ㅡ") if len(stem) > 1 else spelt
    return len(spelt) > 3 and whole.startswith(shorter)


@lru_cache(maxsize=20_000)
def letters(word: str) -> str:
    """A Korean word as a sequence of letters; other characters stay."""
    return "".join(map(_letters, word))


def _letters(syllable: str) -> str:
    code = ord(syllable) - FIRST
    if not 0 <= code <= LAST - FIRST:
        return syllable
    initial, rest = divmod(code, VOWELS * FINALS)
    vowel, final = divmod(rest, FINALS)
    return INITIALS[initial] + _VOWEL_LETTERS[vowel] + FINAL_LETTERS[final].strip()
