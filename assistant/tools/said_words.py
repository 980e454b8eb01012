"""Which words of a text the user has said, and whether the others can tell anything private. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"\w+")
_PARTICLES = 2
"""Maximum number of letters that a word of the request may have after the sent word: a Korean particle."""
_OWN_WORDS = 3
"""Words that a model may add to a search. More could spell something."""
_RUN = 4
"""Letters in a row that two texts share by chance seldom."""
_RUN_OF_SYLLABLES = 2
"""The same in a script that writes a syllable as one letter."""


def folded(text: str) -> str:
    """The text in the form in which words are compared."""
    return unicodedata.normalize("NFC", text).casefold()


def words_of(text: str) -> list[str]:
    """The words of a text in the form in which they are compared."""
    return _WORD.findall(folded(text))


def is_said(word: str, said: str) -> bool:
    """Whether a word of a text is this word, with a Korean particle or, after a number, with its unit."""
    if not said.startswith(word) or len(said) - len(word) > _PARTICLES:
        return False
    rest = said.removeprefix(word)
    return not rest or (not any(map(str.isdigit, rest)) if word.isdigit() else len(word) > 1)


def unsaid_of(words: Iterable[str], said: Sequence[str]) -> list[str]:
    """The words that are none of the said words."""
    return [word for word in words if not any(is_said(word, each) for each in said)]


def said_or_alike(word: str, said: Sequence[str]) -> bool:
    """Whether a word is one of the said words, or begins like one of them: with other Korean endings, or a plural."""
    shortest = max(1, (len(word) + 1) // 2) if not word.isascii() else max(3, len(word) - 3)
    return any(is_said(word, each) or (len(word) > 1 and each.startswith(word[:shortest])) for each in said)


def adds_only_words(text: str, request: str, private: Iterable[str]) -> bool:
    """Whether a text is about the request, and the words that it adds repeat nothing private.

    At least one word is in the request. At most ``_OWN_WORDS`` are added. They are whole words without digits, so that
    no number, spelling or code leaves. They share no run of letters with a private text, even over their borders.

    Args:
        text: the text.
        request: what the user said.
        private: the private texts.
    """
    sent = words_of(text)
    added = unsaid_of(sent, words_of(request))
    if "://" in text or len(added) > _OWN_WORDS or len(added) == len(sent):
        return False
    if not all(word.isalpha() and not (word.isascii() and len(word) == 1) for word in added):
        return False
    noted = words_of("\n".join(private))
    letters = "".join(noted)
    repeats = any(run in letters for run in _runs("".join(added)))
    return not repeats and not any(is_said(word, each) for word in added for each in noted)


def _runs(letters: str) -> list[str]:
    """The runs of letters that are long enough to tell something."""
    short = [letters[at : at + _RUN_OF_SYLLABLES] for at in range(len(letters) - _RUN_OF_SYLLABLES + 1)]
    syllables = [run for run in short if all(not letter.isascii() for letter in run)]
    return syllables + [letters[at : at + _RUN] for at in range(len(letters) - _RUN + 1)]
