"""Decides which parts of a streamed answer are shown (C-35). Pure.

The first letters of an answer are held back until its language is known. An answer that is certainly in the wrong
language is not shown, and the model is asked once more. A small model that is asked who it is may answer as another
assistant. The beginning of such an answer is held back; when it is wrong, the model is asked once more. Placeholders
for the user's name are removed from the shown text.

No gate holds text back for long: whoever runs it calls ``let_go`` after ``HELD_CHARACTERS`` or ``HELD_S``, and what is
not known by then is shown.
"""

import re
from collections.abc import Callable, Iterable
from typing import Literal, Protocol

from assistant.agent.gates.answer_language import AnswerLanguage, begins_in, is_quoted
from assistant.agent.gates.who_sori_is import asks_identity, claims_other_identity

HELD_CHARACTERS = 60
"""Maximum characters that the gates of an answer hold back together."""
HELD_S = 0.5
"""Seconds after which they release what they hold, if the model writes more slowly."""

Wrong = Literal["", "language", "identity", "words"]
"""Why an answer is not shown; empty when it is. ``words``: words came where only calls were asked for."""

_NAME = (
    r"(?:(?:사용자|고객|유저|당신|귀하)(?:의|님의)?\s*)?(?:이름|성함|닉네임|성명|사용자명|사용자|고객명|고객)"
    r"|(?:your|user'?s?|first|last|full|the user's)?[ _]?name|user|username"
)
_PLACEHOLDER = re.compile(
    rf"(?:[\[{{<(]{{1,2}}\s*(?:{_NAME})\s*[\]}}>)]{{1,2}}|[○◯〇]{{2,3}}|(?<![A-Za-z])(?:OOO?|XXX?)(?=\s*[님씨]))"
    r"(?:\s*[님씨](?:[은이을의께](?=\s|$))?)?(?:[,!](?=\s|$))?[ ]?",
    re.IGNORECASE,
)
"""A placeholder with the title, the particle and the comma that belong to it."""
_MAY_BEGIN = re.compile(
    r"(?:[\[{<(][^\]}>)\n]{0,24}[\]}>)]{0,2}|[○◯〇]{1,3}|(?<![A-Za-z])[OX]{1,3})\s*(?:[님씨][은이을의께]?)?[,!]?$"
)
"""The end of a text that may be the beginning of a placeholder."""

_WANTS_A_FORM = re.compile(
    r"양식|서식|템플릿|초안|편지|메일|문자|공문|이력서|자기소개서|초대장|계약서|빈칸|예시|예문|코드"
    r"|template|draft|letter|e-?mail|form\b|placeholder|resume|invitation|contract|code|example",
    re.IGNORECASE,
)
"""Matches requests for a text to fill in, such as a form. Their answers keep placeholders."""


class Gate(Protocol):
    """Filters a streamed answer."""

    @property
    def wrong(self) -> Wrong:
        """What is wrong with the answer. If it is not empty, nothing of the answer was released."""
        ...

    @property
    def over(self) -> bool:
        """Whether the rest of the answer is useless. The text that was already released stays."""
        ...

    @property
    def held(self) -> int:
        """How many characters are held back."""
        ...

    def take(self, piece: str) -> str:
        """Take the next piece of the answer; returns the text that may be shown now."""
        ...

    def let_go(self) -> str:
        """Judge the answer by what is known; returns the text that was held back, which may be shown now."""
        ...

    def end(self) -> str:
        """End the answer; returns the remaining text to show."""
        ...


class OnlyCalls:
    """A gate that releases no text: the model is asked only for calls, and is stopped at its first word.

    Attributes:
        wrong: ``words`` as soon as a word came.
        over: always ``False``.
        held: always 0, because nothing will be shown.
    """

    over = False
    held = 0

    def __init__(self) -> None:
        self.wrong: Wrong = ""

    def take(self, piece: str) -> str:
        """Take the next piece of the answer; returns the empty text."""
        if piece.strip():
            self.wrong = "words"
        return ""

    def let_go(self) -> str:
        """Nothing is held back."""
        return ""

    def end(self) -> str:
        """End the answer; returns the empty text."""
        return ""


class AnswerGate:
    """Filters an answer by language and identity, and removes placeholders.

    Args:
        language: the language in which the answer must begin; empty for any.
        question: the question that it answers.
        as_sori: whether to refuse an answer in which Sori claims to be another assistant.
        sent: gives the texts that the model was sent. An answer that begins with their words quotes them, in any
            language.

    Attributes:
        wrong: what is wrong with the answer. If it is not empty, nothing of the answer was released.
        over: always ``False``.
    """

    over = False

    def __init__(
        self,
        language: AnswerLanguage,
        question: str,
        *,
        as_sori: bool = False,
        sent: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._language = language
        self._question = question
        self._sent = sent
        self._judged = not language
        self._checks_identity = as_sori and asks_identity(question)
        self._keeps_placeholders = bool(_WANTS_A_FORM.search(question) or _PLACEHOLDER.search(question))
        self._held = ""
        self._begun = self._cut = False
        self._last = ""
        self.wrong: Wrong = ""

    @property
    def held(self) -> int:
        """How many characters are held back."""
        return 0 if self.wrong else len(self._held)

    def take(self, piece: str) -> str:
        """Take the next piece of the answer; returns the text that may be shown now."""
        self._held += piece
        if self.wrong:
            return ""
        if not self._judged:
            begins = begins_in(self._held, self._language)
            if begins is None:
                return ""
            self._judged = True
            if not begins and not is_quoted(self._held, self._sent()):
                self.wrong = "language"
                return ""
        return "" if self._checks_identity else self._release(over=False)

    def let_go(self) -> str:
        """Judge the answer by what is known; returns the text that was held back, which may be shown now."""
        return self.end()

    def end(self) -> str:
        """End the answer; returns the remaining text to show. An answer too short to tell its language is shown."""
        self._judged = True
        if self._checks_identity and not self.wrong and claims_other_identity(self._held, self._question):
            self.wrong = "identity"
        self._checks_identity = False
        return "" if self.wrong else self._release(over=True)

    def _release(self, *, over: bool) -> str:
        if self._keeps_placeholders:
            shown, self._held = self._held, ""
            return shown
        before, backtick, _ = self._held.partition("`")
        if backtick:
            # In code a name in brackets is a variable. After code no greeting with a placeholder follows.
            code, self._held = self._held[len(before) :], before
            self._keeps_placeholders = True
            return self._without_placeholders(over=True) + code
        return self._without_placeholders(over=over)

    def _without_placeholders(self, *, over: bool) -> str:
        kept = "" if over else self._undecided()
        whole, self._held = self._held, kept
        text = whole[: len(whole) - len(kept)]
        last, self._last = self._last, text[-1:] or self._last

        def cut(found: re.Match[str]) -> str:
            # Brackets before a parenthesis are the text of a link; directly behind a word they explain it: greet(name).
            before = text[found.start() - 1] if found.start() else last
            explains = found.group()[0] in "([{" and (before.isalnum() or before in {"_", "$"})
            return found.group() if explains or whole.startswith("(", found.end()) else ""

        shown = _PLACEHOLDER.sub(cut, text)
        self._cut = self._cut or shown != text
        if self._cut and not self._begun:
            # The text after a placeholder at the beginning becomes the beginning of the answer.
            shown = shown.lstrip(" ,!")
        self._begun = self._begun or bool(shown.strip())
        return shown

    def _undecided(self) -> str:
        found = _MAY_BEGIN.search(self._held)
        return found.group() if found else ""
