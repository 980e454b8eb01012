"""What neighbouring sounds of Korean do to each other: chapters 4 to 6 of the Standard Pronunciation.

표준어 규정 제2부 표준 발음법, articles 8 to 25. Everything here follows from the letters alone; what depends on the
word stands in ``korean_respelling``. Numbers in comments are those of the articles.
"""

from typing import Final

from assistant.speech.text.korean_sound.hangul import Syllable

TENSE: Final = {"ㄱ": "ㄲ", "ㄷ": "ㄸ", "ㅂ": "ㅃ", "ㅅ": "ㅆ", "ㅈ": "ㅉ"}
_ASPIRATED: Final = {"ㄱ": "ㅋ", "ㄷ": "ㅌ", "ㅂ": "ㅍ", "ㅈ": "ㅊ"}
_SOUND: Final = {
    **dict.fromkeys("ㄱㄲㅋㄳㄺ", "ㄱ"),
    **dict.fromkeys("ㄷㅅㅆㅈㅊㅌㅎ", "ㄷ"),
    **dict.fromkeys("ㅂㅍㅄㄿ", "ㅂ"),
    **dict.fromkeys("ㄴㄵㄶ", "ㄴ"),
    **dict.fromkeys("ㄹㄼㄽㄾㅀ", "ㄹ"),
    **dict.fromkeys("ㅁㄻ", "ㅁ"),
    "ㅇ": "ㅇ",
    "": "",
}
"""The seven sounds that can close a syllable (8 to 11)."""
_SPLIT: Final = {
    "ㄳ": ("ㄱ", "ㅆ"),
    "ㄵ": ("ㄴ", "ㅈ"),
    "ㄶ": ("", "ㄴ"),
    "ㄺ": ("ㄹ", "ㄱ"),
    "ㄻ": ("ㄹ", "ㅁ"),
    "ㄼ": ("ㄹ", "ㅂ"),
    "ㄽ": ("ㄹ", "ㅆ"),
    "ㄾ": ("ㄹ", "ㅌ"),
    "ㄿ": ("ㄹ", "ㅍ"),
    "ㅀ": ("", "ㄹ"),
    "ㅄ": ("ㅂ", "ㅆ"),
}
"""What stays and what goes over when a vowel follows (12.4, 13, 14)."""
_NASAL: Final = {"ㄱ": "ㅇ", "ㄷ": "ㄴ", "ㅂ": "ㅁ"}
_STOPS: Final = frozenset(_NASAL)
_TENSING_CLUSTERS: Final = frozenset("ㄼㄽㄾ")
"""Clusters that sound as ㄹ and yet make the next consonant tense (25)."""
_BEFORE_H: Final = {"ㄱ": "ㅋ", "ㄷ": "ㅌ", "ㅂ": "ㅍ"}


def join(left: Syllable, right: Syllable, *, apart: bool) -> None:
    """Change the coda of ``left`` and the onset of ``right`` into what is said.

    Args:
        left: a syllable whose coda is still as written.
        right: the one after it, with its onset as written.
        apart: whether a space stands between them; they belong to one phrase nevertheless.
    """
    if left.coda == "":
        return
    if right.onset == "ㅇ":
        _before_vowel(left, right, apart=apart)
    elif right.onset == "ㅎ":
        _before_h(left, right, apart=apart)
    elif left.coda in ("ㅎ", "ㄶ", "ㅀ"):
        _after_h(left, right)
    else:
        _before_consonant(left, right)


def close(last: Syllable) -> None:
    """Change the coda of a syllable that nothing follows."""
    last.coda = _SOUND[last.coda]


def soften(vowel: Syllable, *, initial: bool) -> None:
    """Change the vowel of a syllable whose onset is already what is said (5).

    Of two that the Standard allows, the one that is heard more is taken: ㅢ is ㅣ within a word, ㅖ is ㅔ after a
    consonant other than ㄹ.
    """
    if vowel.onset in ("ㅈ", "ㅉ", "ㅊ") and vowel.vowel == "ㅕ":
        vowel.vowel = "ㅓ"
    if vowel.vowel == "ㅢ" and (vowel.onset != "ㅇ" or not initial):
        vowel.vowel = "ㅣ"
    if vowel.vowel == "ㅖ" and vowel.onset not in ("ㅇ", "ㄹ", "ㄴ"):
        vowel.vowel = "ㅔ"


def _before_vowel(left: Syllable, right: Syllable, *, apart: bool) -> None:
    if apart:
        # 15: a word of its own follows, so the coda takes its closing sound first. Sonorants stay where they are:
        # between two words they are heard in both.
        close(left)
        if left.coda in _STOPS:
            left.coda, right.onset = "", left.coda
        return
    if left.coda == "ㅇ":
        return
    if left.coda == "ㅎ":
        left.coda = ""  # 12.4
        return
    left.coda, moved = _SPLIT.get(left.coda, ("", left.coda))
    if right.vowel in ("ㅣ", "ㅕ"):
        moved = {"ㄷ": "ㅈ", "ㅌ": "ㅊ"}.get(moved, moved)  # 17
    right.onset = moved


def _before_h(left: Syllable, right: Syllable, *, apart: bool) -> None:
    """12.1, its notes, and 17."""
    palatal = left.coda == "ㄷ" and not apart and right.vowel in ("ㅣ", "ㅕ")
    if apart or left.coda in ("ㅅ", "ㅆ", "ㅊ", "ㅌ", "ㅋ", "ㅍ", "ㄲ", "ㅄ", "ㄳ"):
        close(left)
    kept, moved = _SPLIT.get(left.coda, ("", left.coda))
    if moved in _STOPS and not palatal:
        left.coda, right.onset = kept, _BEFORE_H[moved]
    elif moved == "ㅈ" or palatal:
        left.coda, right.onset = kept, "ㅊ"
    else:
        close(left)


def _after_h(left: Syllable, right: Syllable) -> None:
    """12.1 to 12.3."""
    rest = {"ㅎ": "", "ㄶ": "ㄴ", "ㅀ": "ㄹ"}[left.coda]
    if right.onset in _ASPIRATED:
        left.coda, right.onset = rest, _ASPIRATED[right.onset]
    elif right.onset == "ㅅ":
        left.coda, right.onset = rest, "ㅆ"
    elif right.onset == "ㄴ":
        left.coda = rest or "ㄴ"
        right.onset = "ㄹ" if rest == "ㄹ" else "ㄴ"
    else:
        left.coda = rest or "ㄷ"
        _before_consonant(left, right)


def _before_consonant(left: Syllable, right: Syllable) -> None:
    written = left.coda
    if written == "ㄺ" and right.onset == "ㄱ":
        left.coda, right.onset = "ㄹ", "ㄲ"  # 11, of verbs; nouns are respelled
        return
    if written == "ㄼ" and left.onset in ("ㅂ", "ㅃ") and left.vowel == "ㅏ":
        written = left.coda = "ㅂ"  # 10: 밟다
    close(left)
    if left.coda in _STOPS or written in _TENSING_CLUSTERS or written == "ㄵ":
        right.onset = TENSE.get(right.onset, right.onset)  # 23, 25
    elif written == "ㄻ" and str(right) != "기":
        right.onset = TENSE.get(right.onset, right.onset)  # 24
    if right.onset == "ㄹ" and left.coda not in ("ㄴ", "ㄹ"):
        right.onset = "ㄴ"  # 19
    if right.onset in ("ㄴ", "ㅁ"):
        left.coda = _NASAL.get(left.coda, left.coda)  # 18
    if {left.coda, right.onset} == {"ㄴ", "ㄹ"}:
        left.coda = right.onset = "ㄹ"  # 20
