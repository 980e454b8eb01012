"""The language in which an answer must begin, and whether it certainly begins in another one (C-35). Pure.

It is the language of the question. Where anything may direct another language (the persona, a prompt, a remembered
fact, the user's own words), every language is accepted: a correct answer must not be lost for its language.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from assistant.agent.context.notes import wants_the_rest
from assistant.core.messages import Message, Role
from assistant.core.settings import Language
from assistant.llm.backend import ModelMessage
from assistant.speech.text.language import is_hangul, language_of

AnswerLanguage = Literal["ko", "en", ""]
"""Empty for any language."""

_NAMED = re.compile(
    r"번역|통역|영작|외국|모국어|언어|(한국|영|일본|중국|프랑스|독일|스페인|러시아|베트남|태국|이탈리아|포르투갈|아랍|라틴)어"
    r"|\w어로(?!\w)|[한영국일중독불]문(?![제장법])|한자|한문|일어|불어|독어|노어|서반아어|히라가나|가타카나|알파벳|로마자"
    r"|(한국|영국|미국|중국|일본|조선|우리|다른 나라|나라)\s?말|한글"
    r"|translat|\bforeign|\btongue\b|\blanguage|\b(korean|english|japanese|chinese|mandarin|cantonese|french|german|dutch"
    r"|spanish|russian|italian|portuguese|arabic|hebrew|greek|vietnamese|thai|latin|hindi|hangul|hanja|kanji|esperanto"
    r"|urdu|tamil|czech|français|deutsch|español)\b"
    r"|(?-i:\b[A-Z][a-z]{2,}(?:ish|ese|ian|ean|ic)\b"
    r"|\b(?:[Ss]peak|[Tt]alk|[Aa]nswer|[Rr]eply|[Rr]espond|[Ww]rite)(?: \w+){0,3} (?!I\b)[A-Z][a-z]+)",
    re.IGNORECASE,
)
"""Matches texts that name a language, also many that only seem to: then nothing is checked."""
_LOOKED_BACK = 6
"""In how many of the user's newest messages a language that is only named counts as a request for it."""

_ORDERED = re.compile(
    r"로\s*만?\s*(?:.{0,12}\s)?(?:답|말|대답|얘기|이야기|대화|써|쓰|적|해|하|부탁|알려|설명|진행|가자|갈게|바꿔|부르|돌아)"
    r"|[어말글문]만\b|\b(?:in|into|to|only|use|using|speak|talk|say|answer|reply|respond|switch|write|stay|stick|prefer)\b",
    re.IGNORECASE,
)
"""With the name of a language, an order about the answers to come. It counts until the end of the conversation."""
_ORDER_ALONE = re.compile(r"(?:[^\s?]+\s*){1,4}[.!]?")
"""A few words without a question. The name of a language among them is an order: "English, please", "독일어로"."""
_MAY_ORDER = re.compile(r"[어말글문자나]로|[문벳]으로|[어말글문]만|역|언어|[A-Za-z]")
"""Matches every text that ``_NAMED`` and ``_ORDERED`` match. All messages of a conversation are checked by it."""
_LONGEST_ORDER = 600
"""Maximum characters of such a message. A longer one is a text to work on, and was checked while it was new."""

_FOREIGN_WORDS = re.compile(r"[A-Za-z'’]+(?:[ ,]+[A-Za-z'’]+){2,}|^\s*[A-Za-z'’]+(?: [A-Za-z'’]+)*\s*[:\n]")
"""Three Latin words in a row, or a Latin beginning: a text to read or to write about, within a Korean request."""
_VERBATIM = re.compile(
    r"가사|대사|명언|격언|원문|원어|문구|구절|표현|회화|구호|슬로건|표어|팝송|그대로\s?(?:읽|적|써|말)|따라\s?(?:읽|적|써|말)"
    r"|\blyrics?\b|\bquot|\bverses?\b|\bslogan|\bverbatim\b|\brepeat\b|\bread (?:it|this|that|me)\b",
    re.IGNORECASE,
)
"""Matches requests for given words, which are told in the language that they have."""

_ENGLISH = re.compile(
    r"\b(the|a|an|is|are|was|were|am|be|i|i'm|you|your|my|me|we|they|he|she|it|it's|his|her|their|what|what's|how|why"
    r"|when|where|who|which|do|does|did|can|could|will|would|should|have|has|please|tell|give|make|show|set|hello|hi|hey"
    r"|thanks|thank|good|to|of|in|on|at|by|for|from|as|and|or|but|if|not|this|that|there|here|with|about|yes|no)\b",
    re.IGNORECASE,
)

_JUDGED_LATIN = 24
"""An answer with this many Latin letters and no Hangul may be English prose. Fewer may be three or four names."""
_JUDGED_WORDS = 3
"""How many different words of ``_ENGLISH`` English prose has by then."""
_JUDGED_FOREIGN = 5
"""An answer that begins with this many letters of another script is in another language. Fewer may be a name."""
_JUDGED_HANGUL = 8
"""The same for Hangul in the answer to an English question."""

_NOT_PROSE = re.compile(
    r"^\s*#{1,6}(?:\s.*)?$|^\s*\*\*[^*\n]*(?:\*\*?:?[ \t]*)?$"
    r"|`[^`\n]*`?|\b(?:https?://|www\.)\S*|\S+@\S+",
    re.MULTILINE,
)
"""Matches headings, code and addresses. A heading may quote the question or be a name; code has no natural language."""
_CODE = re.compile(r"[=<>{}\\|$_;#]|\w\(|(?:^|\s)-{1,2}\w|/\w|\w\.\w|\b[A-Z]{4,}\b")
"""Matches signs of code, formulas, tables, quotations, and paths outside backticks."""
_SPOKEN_WORD = re.compile(r"(?<![\w'’])[a-z]{3,}(?![\w'’])")

_QUOTED = 12
"""A beginning of this many characters that stands in what was sent is a quotation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Directions:
    """What may direct the language of answers besides the conversation.

    Attributes:
        prompts: the persona, custom prompts and reminders: texts of how to answer.
        remembered: remembered facts, the summary, and the user's orders that the messages do not contain any more.
    """

    prompts: Sequence[str] = ()
    remembered: Sequence[str] = ()


NO_DIRECTIONS = Directions()


def orders_language(text: str) -> bool:
    """Whether a message of the user's may order the language of all later answers."""
    if len(text) > _LONGEST_ORDER or not _MAY_ORDER.search(text):
        return False
    return bool(_NAMED.search(text) and (_ORDERED.search(text) or _ORDER_ALONE.fullmatch(text.strip())))


def wanted_language(history: Sequence[Message], directions: Directions = NO_DIRECTIONS) -> AnswerLanguage:
    """The language in which the user's newest message in ``history`` must be answered; empty for any language.

    Args:
        history: the messages, oldest first.
        directions: what else may direct the language.
    """
    asked = [message for message in history if message.role is Role.USER]
    if not asked or asked[-1].attachments or wants_the_rest(asked[-1].text):
        return ""
    language = _language_of_question(asked[-1].text)
    if not language or _VERBATIM.search(asked[-1].text):
        return ""
    if any(_NAMED.search(message.text) for message in asked[-_LOOKED_BACK:]):
        return ""
    if any(orders_language(message.text) for message in asked) or _answered_otherwise(history):
        return ""
    if any(map(_NAMED.search, directions.remembered)):
        return ""
    return "" if any(_may_direct(text, language) for text in directions.prompts) else language


def spoken_language(history: Sequence[Message], otherwise: Language) -> Language:
    """The language in which code answers the user's newest message in ``history``.

    A message that tells no language, such as a name or an amount, is answered in that of the ones before it.

    Args:
        history: the messages, oldest first.
        otherwise: the language where nothing tells one.
    """
    ends = [end for end in range(len(history), 0, -1) if history[end - 1].role is Role.USER]
    for end in ends:
        if language := wanted_language(history[:end]):
            return language
    said = " ".join(history[end - 1].text for end in ends)
    # Letters of both languages, as in "booking 시작", tell neither.
    return otherwise if any(map(is_hangul, said)) or not re.search("[A-Za-z]", said) else "en"


def _language_of_question(question: str) -> AnswerLanguage:
    letters = [letter for letter in question if letter.isalpha()]
    if language_of(question, "") == "ko":
        others = any(letter for letter in letters if not is_hangul(letter) and not letter.isascii())
        return "" if others or _FOREIGN_WORDS.search(question) else "ko"
    return "en" if letters and all(map(str.isascii, letters)) and _ENGLISH.search(question) else ""


def _may_direct(text: str, language: AnswerLanguage) -> bool:
    """Whether a text of how to answer may direct another language: it names one, or is itself written in one."""
    return bool(_NAMED.search(text)) or any(
        letter.isalpha() and is_hangul(letter) != (language == "ko") for letter in text
    )


def _answered_otherwise(history: Sequence[Message]) -> bool:
    """Whether the last question was answered in another language than its own, and so the user wants it."""
    question = answer = ""
    pairs: list[tuple[str, str]] = []
    for message in history:
        if message.role is Role.USER:
            if question and answer:
                pairs.append((question, answer))
            question, answer = message.text, ""
        elif message.role is Role.ASSISTANT and not message.superseded and message.text.strip():
            answer = message.text
    if not pairs:
        return False
    question, answer = pairs[-1]
    language = _language_of_question(question)
    return bool(language) and begins_in(answer, language) is False


def begins_in(text: str, language: AnswerLanguage) -> bool | None:
    """Whether an answer that begins with ``text`` is in the language; ``None`` while that is not certain.

    Headings, code and figures are ignored.
    """
    if not language or text.lstrip().startswith("```"):
        return True
    text = _NOT_PROSE.sub(" ", text)
    hangul = sum(map(is_hangul, text))
    latin = sum(letter.isascii() and letter.isalpha() for letter in text)
    foreign = sum(letter.isalpha() for letter in text) - hangul - latin
    own = hangul if language == "ko" else latin
    if own and own >= foreign and not (language == "en" and hangul > latin):
        return True
    if foreign >= _JUDGED_FOREIGN:
        return False
    certain = _is_english_prose(text) if language == "ko" else hangul >= _JUDGED_HANGUL
    return False if certain else None


def _is_english_prose(text: str) -> bool:
    """Whether a text without Hangul is certainly English prose: no names, no title, no code, no other language."""
    if sum(letter.isascii() and letter.isalpha() for letter in text) < _JUDGED_LATIN or _CODE.search(text):
        return False
    common = {word.casefold() for word in _ENGLISH.findall(text)}
    # In a title nearly every word that means something has a capital letter.
    spoken = [word for word in _SPOKEN_WORD.findall(text) if not _ENGLISH.fullmatch(word)]
    return len(common) >= _JUDGED_WORDS and len(spoken) >= 2


def is_quoted(text: str, sources: Iterable[str]) -> bool:
    """Whether an answer that begins with ``text`` begins with words of what the model was sent."""
    begun = " ".join(text.split()).strip("\"'“”‘’「」『』>*- ").casefold()
    if len(begun) < _QUOTED:
        return False
    return any(begun[: 2 * _QUOTED] in " ".join(source.split()).casefold() for source in sources)


def with_order(messages: Sequence[ModelMessage], order: str) -> tuple[ModelMessage, ...]:
    """The messages with an order on how to answer, appended to the user's newest message."""
    asked = max((index for index, message in enumerate(messages) if message.role == "user"), default=-1)
    return tuple(
        replace(message, text=f"{message.text}\n\n{order}") if index == asked else message
        for index, message in enumerate(messages)
    )
