"""The language in which an answer must begin, and whether it does (C-35). Pure.

It is the language of the question. When the user has asked for another language, or for a text in one, any language is
accepted.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from assistant.core.messages import Message, Role
from assistant.llm.backend import ModelMessage
from assistant.speech.text.language import is_hangul, language_of

AnswerLanguage = Literal["ko", "en", ""]
"""Empty for any language."""

_ASKED_FOR_ANOTHER = re.compile(
    r"번역|영작|외국어|(한국|영|일본|중국|프랑스|독일|스페인|러시아|베트남|태국|이탈리아|포르투갈|아랍|라틴)어|영문|국문|일문"
    r"|한자|한문|일어|불어|독어|노어|히라가나|가타카나|알파벳|로마자"
    r"|translat|\b(korean|english|japanese|chinese|mandarin|french|german|spanish|russian|italian|portuguese|arabic"
    r"|vietnamese|thai|latin|hindi|hangul|hanja|kanji|language)\b",
    re.IGNORECASE,
)
_LOOKED_BACK = 6
"""In how many of the user's newest messages to look for a request for another language."""

_ENGLISH = re.compile(
    r"\b(the|a|an|is|are|was|were|am|i|i'm|you|your|my|me|we|it|it's|what|what's|how|why|when|where|who|which|do|does|did"
    r"|can|could|will|would|should|please|tell|give|make|show|set|hello|hi|hey|thanks|thank|good|to|of|in|on|for|and|not"
    r"|this|that|with|about|yes|no)\b",
    re.IGNORECASE,
)

_JUDGED_LATIN = 24
"""An answer with this many Latin letters and no Hangul is not Korean. Fewer may be three or four names and terms."""
_JUDGED_FOREIGN = 2
"""An answer with this many letters of another script is in another language. A single one may be a symbol."""

_NOT_PROSE = re.compile(
    r"^\s*#{1,6}(?:\s.*)?$|^\s*\*\*[^*\n]*(?:\*\*?:?[ \t]*)?$"
    r"|`[^`\n]*`?",
    re.MULTILINE,
)
"""Matches headings and code. A heading may quote the question or be a name; code has no natural language."""


def wanted_language(history: Sequence[Message]) -> AnswerLanguage:
    """The language in which the user's newest message in ``history`` must be answered; empty for any language."""
    asked = [message.text for message in history if message.role is Role.USER]
    if not asked or any(_ASKED_FOR_ANOTHER.search(text) for text in asked[-_LOOKED_BACK:]):
        return ""
    question = asked[-1]
    letters = [letter for letter in question if letter.isalpha()]
    if language_of(question, "") == "ko":
        return "ko"
    return "en" if letters and all(map(str.isascii, letters)) and _ENGLISH.search(question) else ""


def begins_in(text: str, language: AnswerLanguage) -> bool | None:
    """Whether an answer that begins with ``text`` is in the language; ``None`` while that is not known yet.

    Headings, code and figures are ignored.
    """
    if not language or text.lstrip().startswith("```"):
        return True
    text = _NOT_PROSE.sub(" ", text)
    hangul = sum(map(is_hangul, text))
    latin = sum(letter.isascii() and letter.isalpha() for letter in text)
    foreign = sum(letter.isalpha() for letter in text) - hangul - latin
    own, other = (hangul, latin) if language == "ko" else (latin, hangul)
    if own and own >= foreign and not (language == "en" and hangul > latin):
        return True
    if foreign >= _JUDGED_FOREIGN or other >= (_JUDGED_LATIN if language == "ko" else _JUDGED_FOREIGN):
        return False
    return None


def with_order(messages: Sequence[ModelMessage], order: str) -> tuple[ModelMessage, ...]:
    """The messages with an order on how to answer, appended to the user's newest message."""
    asked = max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)
    return tuple(
        replace(message, text=f"{message.text}\n\n{order}") if index == asked else message
        for index, message in enumerate(messages)
    )
