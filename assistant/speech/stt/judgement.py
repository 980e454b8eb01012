"""Whether a transcript is something that somebody said (V-10).

Whisper was trained on subtitles. On silence, noise and music it writes typical subtitle text: thanks for watching, a
news reader's sign-off, subtitlers' names, bracketed music, or one repeated syllable. People also say these phrases and
repeat words, so the evidence decides: the probabilities, and whether the voice lasted as long as the words take. The
lists only say which whole transcripts need more evidence. Over noise, whisper-base writes them with a log probability
below -0.85 and a no-speech probability above 0.6; where they are spoken, these are -0.05 to -0.65 and below 0.2.
"""

import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from assistant.speech.stt.recognizer import Transcript
from assistant.speech.text.stop_words import says_stop


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
STOCK_LOG_PROBABILITY: Final = -0.25
STOCK_NO_SPEECH_PROBABILITY: Final = 0.1
"""With both, a subtitle phrase was spoken. Over noise, larger models are surer of such phrases than of other words."""
STOCK_MS_A_SYLLABLE: Final = (80, 350)
"""Voice that a spoken subtitle phrase takes for each syllable: the least and the most."""
REPEATED_MS: Final = 350
REPEATED_MS_A_SYLLABLE: Final = 200
"""Longest voice of a repeated word: the first number for each copy, because its last syllable is drawn out, and the
second for each syllable. A voice that is longer said something else, of which the decoder wrote one word again and
again."""

_SUBTITLES: Final = re.compile(
    "|".join(
        (
            # Korean broadcasts and video channels.
            r"(?:오늘도|끝까지|지금까지|영상|제영상)*시청(?:해|하여)?(?:주셔서|주신여러분|에)?(?:대단히|정말|진심으로)?감사(?:합니다|드립니다)",
            r"(?:오늘도|끝까지)*(?:영상|방송)을?(?:끝까지)?(?:봐|시청해|들어|지켜봐)주셔서(?:정말|대단히)?감사(?:합니다|드립니다)",
            r"(?:지금까지|이상)?(?:mbc|kbs|sbs|ytn|jtbc|ebs|tvn|연합)뉴스[가-힣]{2,6}(?:입니다|이었습니다|였습니다)",
            r"(?:이상|지금까지)[가-힣]{2,6}기자(?:였|이었|이)?습?니다",
            r"(?:여러분)?(?:구독|좋아요|알림)(?:[과와]?(?:그리고)?(?:구독|좋아요|알림(?:설정)?|댓글))+(?:까지)?[을를]?(?:꼭)?(?:부탁(?:드립니다|드려요|해요|합니다)?|눌러주세요|해주세요)?",
            r"(?:구독|좋아요)(?:을|를)?(?:꼭)?(?:부탁드립니다|부탁드려요|눌러주세요)",
            r"다음(?:영상|시간)에(?:서)?(?:또)?(?:만나요|뵙겠습니다|뵈요|봬요|봐요|만나뵙겠습니다)",
            r"(?:한글|한국어)?자막(?:제공|제작|배포|편집)?(?:및광고를포함하고있습니다|은설정에서선택하실수있습니다)",
            r"(?:한글|한국어)?자막by.{1,16}",
            r"이(?:영상|동영상|프로그램|콘텐츠)[은는](?:유료광고|간접광고|제작지원)를?(?:포함하고있습니다|받았습니다)",
            r"(?:유료광고|광고)(?:를)?포함하고있습니다",
            # English videos.
            r"thank(?:s|you)(?:all|everyone|guys)?(?:so|very)?(?:much)?for(?:watching|viewing|yourattention)(?:(?:this|my|our|the)(?:video|channel|show|clip)s?)?",
            r"(?:please)?(?:dont?forgetto)?(?:like(?:and|comment)*)?subscribe(?:(?:to)?(?:the|my|our)?channel)?(?:formore(?:videos?)?)?",
            r"(?:please)?(?:dontforgetto)?(?:like|hitthelikebutton)and(?:share|comment)?(?:and)?subscribe(?:to(?:the|my|our)channel)?",
            r"(?:illsee|see)you(?:guys|all)?(?:in)?(?:the|my)?next(?:video|one|episode)",
            r".{0,24}amaraorg.{0,20}",
            r"(?:copyright.{0,24})?allrightsreserved",
            # Other languages that Whisper sometimes writes for Korean or English sound.
            r"字幕.{0,20}|ご視聴ありがとうございました|請不吝點贊.{0,40}",
        ),
    ),
)
"""Subtitle phrases that hardly anybody says to an assistant; matched against the whole normalised text."""

_LIKE_SUBTITLES: Final = re.compile(
    "|".join(
        (
            r"다음주에(?:또)?(?:만나요|뵙겠습니다|뵈요|봬요|봐요)",
            r"(?:한글|한국어)?자막(?:제공|제작|배포|편집).{0,16}",
            r"이(?:영상|동영상|프로그램|콘텐츠)[은는].{0,16}(?:유료광고|간접광고|제작지원).{0,16}",
            r"thank(?:s|you)(?:so|very)?(?:much)?for(?:watching|viewing).{0,40}",
            r"(?:english)?(?:subtitle[sd]?|caption(?:s|ed|ing)?|transcri(?:bed|ptionby|ption)|translated)(?:and.{0,12})?(?:by|provided).{0,40}",
            r"(?:like|hitthelikebutton)and.{0,16}subscribe.{0,24}",
            r"thisvideois.{0,16}(?:sponsored|subtitled).{0,20}",
        ),
    ),
)
"""Texts that begin like subtitle phrases and may be requests; matched against the whole normalised text."""

_CREDIT: Final = re.compile(
    r"\s*(?:english |korean |한글 |한국어 )?(?:subtitles?|captions?|transcript|자막)\s*(?:제공|제작)?\s*[:：].{0,40}"
    r"|\s*(?:english )?(?:subtitles?|captions?|transcription) (?:by|provided by) (?:the |an? )?\S+(?: \S+)?\s*"
    r"|copyright (?:© ?)?\d{4}(?: \S+){0,2}"
)
"""A credit line, recognised by its colon or *by*."""

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

_BARE_SOUND: Final = re.compile(r"[아어오우으이에애야여와워음흠응하허호후흐히헤ㄱ-ㅣ]+|[aeou]+h*|h+[aeou]+h*|[hu]*m+")
"""Vowels, laughs and hums: sounds that are no words, however often they are repeated."""
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
    if says_stop(letters):
        return Reason.NO_SPEECH if _is_silent(transcript) else Reason.HEARD
    if _is_stock(transcript.text) and not _is_spoken_stock(transcript, speech_ms):
        return Reason.STOCK_PHRASE
    if _LIKE_SUBTITLES.fullmatch(letters) and _is_weak(transcript):
        return Reason.STOCK_PHRASE
    if _is_loop(transcript, speech_ms):
        return Reason.REPETITION
    if letters in _SOMETIMES_SAID:
        return _doubt_phrase(transcript, speech_ms)
    return _doubt_evidence(transcript, speech_ms)


def _is_stock(text: str) -> bool:
    """Whether a text consists of stock phrases, possibly with polite phrases among them."""
    if _SUBTITLES.fullmatch(normalise(text)) or _CREDIT.fullmatch(text.lower()):
        return True
    sentences = [letters for each in re.split(r"[.!?。]+", text) if (letters := normalise(each))]
    stock = [bool(_SUBTITLES.fullmatch(each)) for each in sentences]
    return any(stock) and all(
        is_stock or each in _SOMETIMES_SAID for is_stock, each in zip(stock, sentences, strict=True)
    )


def _is_spoken_stock(transcript: Transcript, speech_ms: int) -> bool:
    """Whether somebody spoke a subtitle phrase. A log probability of exactly 0 is none: the engine gave no evidence."""
    least_ms, most_ms = (each * syllables(transcript.text) for each in STOCK_MS_A_SYLLABLE)
    sure = STOCK_LOG_PROBABILITY <= transcript.average_log_probability < 0.0
    voiced = transcript.no_speech_probability <= STOCK_NO_SPEECH_PROBABILITY
    return sure and voiced and least_ms <= speech_ms <= most_ms


def _is_weak(transcript: Transcript) -> bool:
    """Whether the evidence is so weak that a listed phrase was probably not said."""
    unsure = transcript.average_log_probability < SURE_LOG_PROBABILITY
    doubtful = transcript.average_log_probability < DOUBTFUL_LOG_PROBABILITY
    unvoiced = transcript.no_speech_probability > NO_SPEECH_PROBABILITY
    return doubtful or unvoiced or (unsure and transcript.no_speech_probability > SURE_NO_SPEECH_PROBABILITY)


def _is_silent(transcript: Transcript) -> bool:
    """Whether the model itself takes the sound for silence, by Whisper's own rule."""
    doubtful = transcript.average_log_probability < DOUBTFUL_LOG_PROBABILITY
    return doubtful and transcript.no_speech_probability > NO_SPEECH_PROBABILITY


def _is_loop(transcript: Transcript, speech_ms: int) -> bool:
    """Whether a text repeats itself although nobody repeated anything."""
    if transcript.compression_ratio > REPETITIVE_COMPRESSION:
        return True
    repeated = _repeated(normalise(transcript.text))
    if repeated is None:
        return False
    unit, copies = repeated
    most_ms = REPEATED_MS * copies + REPEATED_MS_A_SYLLABLE * syllables(transcript.text)
    return _is_weak(transcript) or bool(_BARE_SOUND.fullmatch(unit)) or speech_ms > most_ms


def _doubt_phrase(transcript: Transcript, speech_ms: int) -> Reason:
    """Judge a polite phrase: accept it when the voice lasted long enough and the model was sure."""
    if speech_ms < POLITE_MS_A_SYLLABLE * syllables(transcript.text):
        return Reason.TOO_FAST
    if not _is_weak(transcript):
        return Reason.HEARD
    silent = transcript.no_speech_probability > SURE_NO_SPEECH_PROBABILITY
    return Reason.NO_SPEECH if silent else Reason.UNSURE


def _doubt_evidence(transcript: Transcript, speech_ms: int) -> Reason:
    likelihood = transcript.average_log_probability
    if likelihood < HOPELESS_LOG_PROBABILITY:
        return Reason.UNSURE
    if _is_silent(transcript):
        return Reason.NO_SPEECH
    spoken = syllables(transcript.text)
    if spoken > SYLLABLES_FREE and spoken > SYLLABLES_A_SECOND * speech_ms / 1000:
        return Reason.TOO_FAST
    return Reason.HEARD


def repeats(text: str) -> bool:
    """Whether a text is one sound or one phrase repeated.

    A word said three times for emphasis (네네네, no no no) is no repetition. One that fills the text is.
    """
    return _repeated(normalise(text)) is not None


def _repeated(letters: str) -> tuple[str, int] | None:
    """The unit that is repeated through a text, and the number of its copies; ``None`` if there is none."""
    runs = [(key, sum(1 for _ in run)) for key, run in groupby(letters) if not key.isdigit()]
    longest = max(runs, key=lambda run: run[1], default=("", 0))
    if longest[1] >= 5:
        return longest
    sizes = range(2, min(24, len(letters) // 3) + 1)
    return next((found for size in sizes if (found := _fills(letters, size))), None)


def _fills(letters: str, size: int) -> tuple[str, int] | None:
    """The unit of ``size`` letters whose repetitions make up at least 60 % of a text, and the number of its copies.

    A unit below 6 letters must repeat four times in a row. Longer units are words or sentences and must repeat three
    times.
    """
    wanted = 4 if size < 6 else 3
    for start in range(size):
        pieces = [letters[index : index + size] for index in range(start, len(letters) - size + 1, size)]
        runs = [(key, sum(1 for _ in run)) for key, run in groupby(pieces) if not key.isdigit() and len(set(key)) > 1]
        unit, copies = max(runs, key=lambda run: run[1], default=("", 0))
        if copies >= wanted and copies * size >= 0.6 * len(letters):
            return unit, copies
    return None
