"""Sound changes between adjacent Korean syllables: chapters 4 to 6 of the Standard Pronunciation.

표준어 규정 제2부 표준 발음법, articles 8 to 25. These rules depend on the letters alone; ``respelling`` has the rules
that depend on the word. Numbers in comments are the articles.
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
"""The seven possible sounds of a coda (8 to 11)."""
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
"""For each cluster, the part that stays and the part that moves to a following vowel (12.4, 13, 14)."""
_NASAL: Final = {"ㄱ": "ㅇ", "ㄷ": "ㄴ", "ㅂ": "ㅁ"}
_STOPS: Final = frozenset(_NASAL)
_TENSING_CLUSTERS: Final = frozenset("ㄼㄽㄾ")
"""Clusters that sound as ㄹ and make the next onset tense (25)."""
_BEFORE_H: Final = {"ㄱ": "ㅋ", "ㄷ": "ㅌ", "ㅂ": "ㅍ"}


def join(left: Syllable, right: Syllable, *, apart: bool) -> None:
    """Change the coda of ``left`` and the onset of ``right`` to their pronunciation.

    Args:
        left: a syllable with its written coda.
        right: the next syllable, with its written onset.
        apart: whether a space separates them within the phrase.
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
    """Change the coda of the last syllable of a phrase to its pronunciation."""
    last.coda = _SOUND[last.coda]


def soften(vowel: Syllable, *, initial: bool) -> None:
    """Change the vowel of a syllable whose onset is already final (5).

    Where the Standard allows two pronunciations, the more frequent one is used: ㅢ is ㅣ within a word, and ㅖ is ㅔ
    after a consonant other than ㄹ and ㄴ.
    """
    if vowel.onset in ("ㅈ", "ㅉ", "ㅊ") and vowel.vowel == "ㅕ":
        vowel.vowel = "ㅓ"
    if vowel.vowel == "ㅢ" and (vowel.onset != "ㅇ" or not initial):
        vowel.vowel = "ㅣ"
    if vowel.vowel == "ㅖ" and vowel.onset not in ("ㅇ", "ㄹ", "ㄴ"):
        vowel.vowel = "ㅔ"


def _before_vowel(left: Syllable, right: Syllable, *, apart: bool) -> None:
    if apart:
        # 15: another word follows, so the coda takes its closing sound first. A sonorant coda stays and does not move
        # to the next word.
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
    """Apply 12.1, its notes, and 17."""
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
    """Apply 12.1 to 12.3."""
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
        left.coda, right.onset = "ㄹ", "ㄲ"  # 11: verbs only, nouns are respelled
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
