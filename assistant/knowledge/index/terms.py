"""What the words of a text are compared by: pairs of Korean letters, other words, numbers.

Korean words carry particles and endings, and are written with or without spaces. Pairs of letters, also across a
space, find "학교에서" by "학교" and "불닭 볶음면" by "불닭볶음면" without knowing the language.
docs/decisions/passage-index.md compares them with morphemes.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence

VERSION = 2
"""Changes with the terms. An index with terms of another version is made anew."""
_WORD = re.compile(r"[가-힣]+|[^\W\d_가-힣]+|\d+(?:[.,]\d+)*")
_ACROSS = re.compile(r"([가-힣])\s+(?=([가-힣]))")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LONGEST = 64
"""Letters of a word that count; longer runs of letters are no words."""


def terms_of(text: str) -> Sequence[str]:
    """The terms of a text, in order, with repetitions. A question has the same terms as the text that answers it."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    terms = [term for word in _WORD.findall(folded) for term in _terms(word[:_LONGEST])]
    return terms + [before + after for before, after in _ACROSS.findall(folded)]


def _terms(word: str) -> Iterator[str]:
    if "가" <= word[0] <= "힣" or _CJK.match(word):
        yield from [word[at : at + 2] for at in range(len(word) - 1)] or [word]
    elif word[0].isdigit():
        yield word.replace(",", "")
    else:
        yield _stem(word)


def _stem(word: str) -> str:
    """An English word without the endings of its plural and its tenses, as far as letters alone tell them."""
    for ending, rest in (("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) > 2 and not (ending == "s" and stem.endswith(("s", "u", "i"))):
            return (stem + rest).rstrip("e") if ending != "s" else stem.rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word
