"""Whether a transcript is something that somebody said (V-10).

Whisper was trained on subtitles. On silence, noise and music it writes typical subtitle text: thanks for watching, a
news reader's sign-off, subtitlers' names, bracketed music, or one repeated syllable. People also say some of these
phrases, so the evidence decides. A thank-you is accepted when the voice lasted long enough and the model was sure.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from assistant.speech.stt.recognizer import Transcript


class Reason(StrEnum):
    """Why a transcript was rejected; ``HEARD`` when it was accepted."""

    HEARD = "heard"
    EMPTY = "empty"
    STOCK_PHRASE = "stock_phrase"
    REPETITION = "repetition"
    NO_SPEECH = "no_speech"
    UNSURE = "unsure"
    TOO_FAST = "too_fast"


_UNINTELLIGIBLE: Final = frozenset({Reason.EMPTY, Reason.UNSURE, Reason.REPETITION})
"""Reasons that usually follow a mumble. The other reasons usually mean that nobody spoke."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptVerdict:
    """The decision about a transcript.

    Attributes:
        accept: whether a person said it.
        reason: why it was rejected, or ``HEARD``.
    """

    accept: bool
    reason: Reason


WORD_MS: Final = 300
"""Voiced duration that counts as an attempt to speak. A shorter sound without a usable transcript is ignored."""
CLEARLY_SPOKEN_MS: Final = 1000
"""Voiced duration that counts as speech whatever the recogniser returned."""
SHORTEST_SPEECH_MS: Final = 60
"""A shorter voiced duration cannot hold a word."""
NO_SPEECH_PROBABILITY: Final = 0.6
"""Whisper's own threshold."""
DOUBTFUL_LOG_PROBABILITY: Final = -1.0
"""Whisper's own threshold; with a high no-speech probability it means silence."""
HOPELESS_LOG_PROBABILITY: Final = -1.5
"""Below this value even a clear voice was not understood. Noise measures -1.7 to -7, human recordings -0.1 to -0.7."""
REPETITIVE_COMPRESSION: Final = 2.4
"""Whisper's own threshold."""
SYLLABLES_A_SECOND: Final = 14.0
"""Fast Korean speakers reach about 9 syllables a second; no speaker reaches this rate."""
SYLLABLES_FREE: Final = 3
"""The speaking rate of a text this short is unreliable, because the voice detector may cut a syllable."""
SURE_LOG_PROBABILITY: Final = -0.5
SURE_NO_SPEECH_PROBABILITY: Final = 0.3
POLITE_MS_A_SYLLABLE: Final = 60
"""A polite phrase counts as spoken when the voice lasted at least this long per syllable."""

_NEVER_SAID: Final = re.compile(
    "|".join(
        (
            # Korean broadcasts and video channels.
            r"(?:오늘도|끝까지|지금까지|영상|제영상)*시청(?:해|하여)?(?:주셔서|주신여러분|에)?(?:대단히|정말|진심으로)?감사(?:합니다|드립니다)",
            r"(?:오늘도|끝까지)*(?:영상|방송)을?(?:끝까지)?(?:봐|시청해|들어|지켜봐)주셔서(?:정말|대단히)?감사(?:합니다|드립니다)",
            r"(?:지금까지|이상)?(?:mbc|kbs|sbs|ytn|jtbc|ebs|tvn|연합)뉴스.{0,12}(?:입니다|이었습니다|였습니다)",
            r"(?:이상|지금까지).{1,8}기자(?:였|이었|이)?습?니다",
            r"(?:여러분)?(?:구독|좋아요|알림)(?:[과와]?(?:그리고)?(?:구독|좋아요|알림(?:설정)?|댓글))+(?:까지)?[을를]?(?:꼭)?(?:부탁(?:드립니다|드려요|해요|합니다)?|눌러주세요|해주세요)?",
            r"(?:구독|좋아요)(?:을|를)?(?:꼭)?(?:부탁드립니다|부탁드려요|눌러주세요)",
            r"다음(?:영상|시간|주)에(?:서)?(?:또)?(?:만나요|뵙겠습니다|뵈요|봬요|봐요|만나뵙겠습니다)",
            r"(?:한글|한국어)?자막(?:제공|제작|배포|편집)?(?:및광고를포함하고있습니다|은설정에서선택하실수있습니다)",
            r"(?:한글|한국어)?자막(?:제공|제작|배포|편집|by).{0,16}",
            r"이(?:영상|동영상|프로그램|콘텐츠)[은는].{0,16}(?:유료광고|간접광고|제작지원).{0,16}",
            r"(?:유료광고|광고)(?:를)?포함하고있습니다",
            # English videos.
            r"thank(?:s|you)(?:all|everyone|guys)?(?:so|very)?(?:much)?for(?:watching|viewing|yourattention).{0,40}",
            r"(?:please)?(?:dont?forgetto)?(?:like(?:and|comment)*)?subscribe(?:tothe|tomy|toour)?(?:channel)?(?:formore.{0,20})?",
            r"(?:please)?(?:dontforgetto)?(?:like|hitthelikebutton)and.{0,16}subscribe.{0,24}",
            r"(?:illsee|see)you(?:guys|all)?(?:in)?(?:the|my)?next(?:video|one|episode)",
            r"(?:english)?(?:subtitle[sd]?|caption(?:s|ed|ing)?|transcri(?:bed|ptionby|ption)|translated)(?:and.{0,12})?(?:by|provided).{0,40}",
            r".{0,24}amaraorg.{0,20}",
            r"copyright(?:\d{4}.{0,24}|.{0,24}allrightsreserved)|allrightsreserved",
            r"thisvideois.{0,16}(?:sponsored|subtitled).{0,20}",
            # Other languages that Whisper sometimes writes for Korean or English sound.
            r"字幕.{0,20}|ご視聴ありがとうございました|請不吝點贊.{0,40}",
        ),
    ),
)
"""Subtitle phrases that nobody says to an assistant; matched against the whole normalised text."""

_CREDIT: Final = re.compile(
    r"\s*(?:english |korean |한글 |한국어 )?(?:subtitles?|captions?|transcript|자막)\s*[:：].{0,40}"
)
"""A credit line, recognised by its colon."""

_SOMETIMES_SAID: Final = frozenset(
    {
        "mbc뉴스",
        "kbs뉴스",
        "sbs뉴스",
        "감사합니다",
        "고맙습니다",
        "수고하셨습니다",
        "안녕하세요",
        "안녕히계세요",
        "아멘",
        "네",
        "예",
        "아",
        "어",
        "오",
        "음",
        "응",
        "thankyou",
        "thanks",
        "thankyouverymuch",
        "thankyousomuch",
        "you",
        "thanksforlistening",
        "seeyounexttime",
        "bye",
        "byebye",
        "oh",
        "uh",
        "um",
        "hmm",
        "mm",
        "okay",
        "so",
        "yeah",
        "amen",
    }
)
"""Phrases that people say and that Whisper also writes over noise. They are accepted only with voice evidence."""

_BRACKETED: Final = re.compile(r"[\[(（【<*♪♫].*?[\])）】>*♪♫]|[♪♫♬♩]")
_NOT_WORD: Final = re.compile(r"[\W_]")
_HANGUL: Final = re.compile(r"[가-힣]")
_VOWEL_GROUP: Final = re.compile(r"[aeiouy]+")
_DIGIT: Final = re.compile(r"\d")


def judge(transcript: Transcript, speech_ms: int) -> TranscriptVerdict:
    """Decide whether a person said the transcript or the recogniser invented it.

    Args:
        transcript: the recogniser's result with its evidence.
        speech_ms: voiced duration that the voice detector found in the same audio.
    """
    reason = _doubt(transcript, speech_ms)
    return TranscriptVerdict(accept=reason is Reason.HEARD, reason=reason)


def was_speech(reason: Reason, speech_ms: int) -> bool:
    """Whether somebody spoke although the transcript was rejected; Sori then asks them to repeat it (V-11).

    Args:
        reason: why the transcript was rejected.
        speech_ms: voiced duration that the voice detector found.
    """
    return speech_ms >= (WORD_MS if reason in _UNINTELLIGIBLE else CLEARLY_SPOKEN_MS)


def is_polite_phrase(text: str) -> bool:
    """Whether a text is a phrase that recognisers also write over sound without words."""
    return normalise(text) in _SOMETIMES_SAID


def normalise(text: str) -> str:
    """The letters of a text in lower case and NFC, without spaces, punctuation and bracketed text."""
    plain = _BRACKETED.sub("", unicodedata.normalize("NFC", text).lower())
    return _NOT_WORD.sub("", plain)


def syllables(text: str) -> int:
    """Approximate number of syllables of a spoken Korean or English text."""
    letters = unicodedata.normalize("NFC", text).lower()
    return len(_HANGUL.findall(letters)) + len(_VOWEL_GROUP.findall(letters)) + len(_DIGIT.findall(letters))


def _doubt(transcript: Transcript, speech_ms: int) -> Reason:
    letters = normalise(transcript.text)
    if not letters:
        return Reason.EMPTY
    if speech_ms < SHORTEST_SPEECH_MS:
        return Reason.NO_SPEECH
    if _is_stock(transcript.text):
        return Reason.STOCK_PHRASE
    if transcript.compression_ratio > REPETITIVE_COMPRESSION or repeats(transcript.text):
        return Reason.REPETITION
    if letters in _SOMETIMES_SAID:
        return _doubt_phrase(transcript, speech_ms)
    return _doubt_evidence(transcript, speech_ms)


def _is_stock(text: str) -> bool:
    """Whether a text consists of stock phrases, possibly with polite phrases among them."""
    if _NEVER_SAID.fullmatch(normalise(text)) or _CREDIT.fullmatch(text.lower()):
        return True
    sentences = [letters for each in re.split(r"[.!?。]+", text) if (letters := normalise(each))]
    stock = [bool(_NEVER_SAID.fullmatch(each)) for each in sentences]
    return any(stock) and all(
        is_stock or each in _SOMETIMES_SAID for is_stock, each in zip(stock, sentences, strict=True)
    )


def _doubt_phrase(transcript: Transcript, speech_ms: int) -> Reason:
    """Judge a polite phrase: accept it when the voice lasted long enough and the model was sure."""
    if speech_ms < POLITE_MS_A_SYLLABLE * syllables(transcript.text):
        return Reason.TOO_FAST
    if transcript.no_speech_probability > NO_SPEECH_PROBABILITY:
        return Reason.NO_SPEECH
    unsure = transcript.average_log_probability < SURE_LOG_PROBABILITY
    if unsure and transcript.no_speech_probability > SURE_NO_SPEECH_PROBABILITY:
        return Reason.NO_SPEECH
    if transcript.average_log_probability < DOUBTFUL_LOG_PROBABILITY:
        return Reason.UNSURE
    return Reason.HEARD


def _doubt_evidence(transcript: Transcript, speech_ms: int) -> Reason:
    likelihood = transcript.average_log_probability
    if likelihood < HOPELESS_LOG_PROBABILITY:
        return Reason.UNSURE
    if transcript.no_speech_probability > NO_SPEECH_PROBABILITY and likelihood < DOUBTFUL_LOG_PROBABILITY:
        return Reason.NO_SPEECH
    spoken = syllables(transcript.text)
    if spoken > SYLLABLES_FREE and spoken > SYLLABLES_A_SECOND * speech_ms / 1000:
        return Reason.TOO_FAST
    return Reason.HEARD


def repeats(text: str) -> bool:
    """Whether a text is one sound or one phrase repeated.

    A word said three times for emphasis (네네네, no no no) is speech. A repetition that fills the text is not.
    """
    letters = normalise(text)
    longest = max((sum(1 for _ in run) for key, run in groupby(letters) if not key.isdigit()), default=0)
    if longest >= 5:
        return True
    return any(_fills(letters, size) for size in range(2, min(24, len(letters) // 3) + 1))


def _fills(letters: str, size: int) -> bool:
    """Whether repetitions of a unit of ``size`` letters make up at least 60 % of a text.

    A unit below 6 letters must repeat four times in a row. Longer units are words or sentences and must repeat three
    times.
    """
    wanted = 4 if size < 6 else 3
    for start in range(size):
        pieces = [letters[index : index + size] for index in range(start, len(letters) - size + 1, size)]
        longest = max(
            (sum(1 for _ in run) for key, run in groupby(pieces) if not key.isdigit() and len(set(key)) > 1), default=0
        )
        if longest >= wanted and longest * size >= 0.6 * len(letters):
            return True
    return False
