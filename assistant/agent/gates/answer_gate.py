"""What of an answer is shown, as it comes (C-35). Pure.

Its first letters are held back until they tell the language. One that begins in the wrong language is not shown; the
model is then asked once more. So is a small model that was asked who it is and answered for somebody else; such an
answer, of a sentence or two, is held back whole. And placeholders that stand for the user's name are left out of what
is shown.
"""

import re
from typing import Literal, Protocol

from assistant.agent.gates.answer_language import AnswerLanguage, begins_in
from assistant.agent.gates.who_sori_is import asks_who, is_somebody_else

Wrong = Literal["", "language", "identity", "words"]
"""Why an answer is not shown."""

_NAME = (
    r"(?:(?:사용자|고객|유저|당신|귀하)(?:의|님의)?\s*)?(?:이름|성함|닉네임|성명|사용자명|사용자|고객명|고객)"
    r"|(?:your|user'?s?|first|last|full|the user's)?[ _]?name|user|username"
)
_PLACEHOLDER = re.compile(
    rf"(?:[\[{{<(]{{1,2}}\s*(?:{_NAME})\s*[\]}}>)]{{1,2}}|[○◯〇]{{2,3}}|(?<![A-Za-z])(?:OOO?|XXX?)(?=\s*[님씨]))"
    r"(?:\s*[님씨](?:[은이을의께](?=\s|$))?)?(?:[,!](?=\s|$))?[ ]?",
    re.IGNORECASE,
)
"""With the title, the particle and the comma that belong to it."""
_MAY_BEGIN = re.compile(
    r"(?:[\[{<(][^\]}>)\n]{0,24}[\]}>)]{0,2}|[○◯〇]{1,3}|(?<![A-Za-z])[OX]{1,3})\s*(?:[님씨][은이을의께]?)?[,!]?$"
)
"""An end of a text that may yet become a placeholder."""

_WANTS_A_FORM = re.compile(
    r"양식|서식|템플릿|초안|편지|메일|문자|공문|이력서|자기소개서|초대장|계약서|빈칸|예시|예문|코드"
    r"|template|draft|letter|e-?mail|form\b|placeholder|resume|invitation|contract|code|example",
    re.IGNORECASE,
)
"""Requests for a text to fill in, in which a placeholder is what is wanted."""


class Gate(Protocol):
    """Lets an answer through piece by piece."""

    @property
    def wrong(self) -> Wrong:
        """What is wrong with it; then nothing of it was let through."""
        ...

    @property
    def over(self) -> bool:
        """Whether what still comes is of no use, while what was let through stands."""
        ...

    def take(self, piece: str) -> str:
        """What may be shown now."""
        ...

    def end(self) -> str:
        """What is left to be shown."""
        ...


class OnlyCalls:
    """Lets no words through: the model is asked for calls, and is stopped at its first word.

    Attributes:
        wrong: whether words came.
        over: never.
    """

    over = False

    def __init__(self) -> None:
        self.wrong: Wrong = ""

    def take(self, piece: str) -> str:
        """Nothing."""
        if piece.strip():
            self.wrong = "words"
        return ""

    def end(self) -> str:
        """Nothing."""
        return ""


class AnswerGate:
    """Lets an answer through piece by piece.

    Args:
        language: in which it is to begin.
        question: what it answers.
        as_sori: whether it may not say that Sori is somebody else.

    Attributes:
        wrong: what is wrong with it; then nothing of it was let through.
        over: never.
    """

    over = False

    def __init__(self, language: AnswerLanguage, question: str, *, as_sori: bool = False) -> None:
        self._language = language
        self._question = question
        self._judged = not language
        self._tells_who = as_sori and asks_who(question)
        self._keeps_placeholders = bool(_WANTS_A_FORM.search(question) or _PLACEHOLDER.search(question))
        self._held = ""
        self._begun = self._cut = False
        self.wrong: Wrong = ""

    def take(self, piece: str) -> str:
        """What may be shown now."""
        self._held += piece
        if self.wrong:
            return ""
        if not self._judged:
            begins = begins_in(self._held, self._language)
            if begins is None:
                return ""
            self._judged = True
            if not begins:
                self.wrong = "language"
                return ""
        return "" if self._tells_who else self._let(over=False)

    def end(self) -> str:
        """What is left to be shown; an answer too short to be judged is."""
        self._judged = True
        if self._tells_who and not self.wrong and is_somebody_else(self._held, self._question):
            self.wrong = "identity"
        return "" if self.wrong else self._let(over=True)

    def _let(self, *, over: bool) -> str:
        if self._keeps_placeholders:
            shown, self._held = self._held, ""
            return shown
        before, backtick, _ = self._held.partition("`")
        if backtick:
            # In code a name in brackets is a variable, and after code nobody is greeted.
            code, self._held = self._held[len(before) :], before
            self._keeps_placeholders = True
            return self._without_placeholders(over=True) + code
        return self._without_placeholders(over=over)

    def _without_placeholders(self, *, over: bool) -> str:
        kept = "" if over else self._undecided()
        whole, self._held = self._held, kept
        text = whole[: len(whole) - len(kept)]
        # Brackets before a parenthesis are a link's text.
        shown = _PLACEHOLDER.sub(lambda found: found.group() if whole.startswith("(", found.end()) else "", text)
        self._cut = self._cut or shown != text
        if self._cut and not self._begun:
            # What follows a placeholder at the beginning begins the sentence.
            shown = shown.lstrip(" ,!")
        self._begun = self._begun or bool(shown.strip())
        return shown

    def _undecided(self) -> str:
        found = _MAY_BEGIN.search(self._held)
        return found.group() if found else ""
