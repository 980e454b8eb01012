import pytest

from assistant.speech.stt.faster_whisper import compression_ratio
from assistant.speech.stt.judgement import Reason, judge, normalise, repeats, syllables, was_speech
from assistant.speech.stt.recognizer import Transcript


def transcript(text: str, *, likelihood: float = -0.3, no_speech: float = 0.05) -> Transcript:
    return Transcript(
        text=text,
        language="ko",
        samples=48_000,
        average_log_probability=likelihood,
        no_speech_probability=no_speech,
        compression_ratio=compression_ratio(text),
    )


STOCK = (
    "시청해주셔서 감사합니다.",
    "시청해 주셔서 감사합니다!",
    "오늘도 시청해주셔서 감사합니다",
    "끝까지 시청해 주셔서 대단히 감사합니다.",
    "영상을 끝까지 봐주셔서 감사합니다.",
    "시청해주신 여러분 감사합니다",
    "MBC 뉴스 이덕영입니다.",
    "지금까지 MBC뉴스 김수지였습니다.",
    "KBS 뉴스 이화진입니다",
    "YTN 뉴스 홍길동입니다.",
    "구독과 좋아요 부탁드립니다.",
    "구독, 좋아요, 알림설정까지 부탁드려요",
    "구독과 좋아요를 눌러주세요!",
    "좋아요 부탁드립니다",
    "다음 영상에서 만나요!",
    "다음 시간에 뵙겠습니다.",
    "한글자막 by 한효정",
    "자막 제공 및 광고를 포함하고 있습니다.",
    "자막: 홍길동",
    "이 영상은 유료 광고를 포함하고 있습니다.",
    "Thanks for watching!",
    "Thank you for watching.",
    "Thank you so much for watching.",
    "Thank you very much for watching this video!",
    "Thanks for watching. Please subscribe to my channel.",
    "Thank you for watching. Bye-bye.",
    "Please subscribe to the channel.",
    "Like and subscribe!",
    "Don't forget to like and subscribe",
    "See you in the next video.",
    "I'll see you guys in the next one.",
    "Subtitles by the Amara.org community",
    "Subtitles: Jane Doe",
    "English subtitles by somebody",
    "Transcription by CastingWords",
    "Captions provided by a volunteer",
    "Copyright 2024 Somebody",
    "ご視聴ありがとうございました",
)


@pytest.mark.parametrize("text", STOCK)
def test_what_only_subtitles_say_is_not_heard_on_usual_evidence(text: str) -> None:
    for likelihood, no_speech in ((-0.3, 0.05), (-0.1, 0.4), (-0.9, 0.9), (0.0, 0.0)):
        verdict = judge(transcript(text, likelihood=likelihood, no_speech=no_speech), speech_ms=3_000)
        assert verdict.reason is Reason.STOCK_PHRASE, (likelihood, no_speech)


SPOKEN_STOCK = (
    ("시청해 주셔서 감사합니다.", -0.15, 2_240),
    ("구독과 좋아요 부탁드립니다.", -0.11, 2_170),
    ("Thanks for watching.", -0.09, 960),
    ("please subscribe to my channel.", -0.10, 1_500),
)
"""Measured with whisper-base on Kokoro's voices."""


@pytest.mark.parametrize(("text", "likelihood", "speech_ms"), SPOKEN_STOCK)
def test_a_subtitle_phrase_that_was_clearly_spoken_is_heard(text: str, likelihood: float, speech_ms: int) -> None:
    assert judge(transcript(text, likelihood=likelihood), speech_ms=speech_ms).accept
    for other_ms in (200, 6_000):
        assert judge(transcript(text, likelihood=likelihood), speech_ms=other_ms).reason is Reason.STOCK_PHRASE


LIKE_STOCK = (
    "자막 편집하는 법 알려 줘",
    "자막 제작 프로그램 추천해 줘",
    "자막 제공하는 사이트 있어?",
    "다음 주에 봐요",
    "다음 주에 만나요",
    "이 영상은 유료 광고가 왜 나와?",
    "이 프로그램은 제작 지원을 받았어?",
    "구독 좋아요 버튼이 뭐야",
    "MBC 뉴스 앵커가 누구인지 알려 줘",
    "지금까지 온 기자가 몇 명이야?",
    "다음 시간에 뭐 할지 알려 줘",
    "thank you for watching my cat",
    "thanks for watching the kids yesterday",
    "Subtitles provided by Netflix are too small",
    "subtitled movies for tonight",
    "captions in Korean please",
    "like and maybe subscribe to that podcast",
    "this video is not sponsored right",
    "subscribe me to the newsletter",
    "see you next week",
    "copyright 2024 what does it mean",
    "translated by whom?",
)


@pytest.mark.parametrize("text", LIKE_STOCK)
def test_a_request_that_only_begins_like_a_subtitle_is_heard(text: str) -> None:
    for likelihood, no_speech in ((-0.3, 0.05), (-0.64, 0.01), (0.0, 0.0)):
        assert judge(transcript(text, likelihood=likelihood, no_speech=no_speech), speech_ms=2_500).accept


@pytest.mark.parametrize(
    "text", ["자막 제공 홍길동", "다음 주에 만나요", "Thank you for watching, and goodbye everyone"]
)
def test_on_weak_evidence_what_begins_like_a_subtitle_is_not_heard(text: str) -> None:
    assert judge(transcript(text, likelihood=-0.9, no_speech=0.7), speech_ms=2_500).reason is Reason.STOCK_PHRASE


@pytest.mark.parametrize(
    "text", ["", "  ", "…", "[Music]", "(음악)", "♪♪♪", "[BLANK_AUDIO]", "<noise>", "*coughs*", "（박수）"]
)
def test_sounds_in_brackets_and_punctuation_are_no_words(text: str) -> None:
    assert judge(transcript(text), speech_ms=3_000).reason is Reason.EMPTY


REPEATED = (
    "오오오오오오오오",
    "아아아아아아",
    "아, 아, 아, 아, 아, 아",
    "네 네 네 네 네 네 네",
    "하하하하하하하하",
    "ㅋㅋㅋㅋㅋㅋ",
    "the the the the the the the",
    "no no no no no no no no",
    "그 그 그 그 그 그",
    "모든 불을 꺼줘. 모든 불을 꺼줘. 모든 불을 꺼줘. 모든 불을 꺼줘.",
    "I don't know. I don't know. I don't know. I don't know.",
    "자자자자 자자자자",
)


@pytest.mark.parametrize("text", REPEATED)
def test_one_sound_over_and_over_is_not_heard(text: str) -> None:
    assert repeats(text)
    assert judge(transcript(text), speech_ms=8_000).reason is Reason.REPETITION


def test_a_highly_compressible_text_is_not_heard() -> None:
    text = "오늘 날씨는 정말 좋고 어제 날씨도 정말 좋았고 " * 6
    assert judge(transcript(text), speech_ms=20_000).reason is Reason.REPETITION


INSISTED = (
    ("아니 아니 아니 아니 그거 말고", 2_050),
    ("아니 아니 아니 아니 그거 말고", 3_000),
    ("빨리빨리빨리", 1_000),
    ("빨리 빨리 빨리 빨리", 1_690),
    ("지금 지금 지금 지금 당장", 2_210),
    ("가자, 가자, 가자, 가자, 가자.", 1_500),
    ("네네네네네", 960),
    ("됐어 됐어 됐어 됐어", 1_600),
    ("no no no no", 930),
    ("No, no, no, no, no, not that one.", 1_890),
    ("no no no no no no no no", 2_400),
    ("Go go go go.", 890),
    ("louder, louder, louder.", 1_210),
    ("Come on, come on, come on, come on!", 2_000),
    ("turn it off turn it off turn it off", 2_400),
)


@pytest.mark.parametrize(("text", "speech_ms"), INSISTED)
def test_a_word_that_somebody_repeats_is_heard(text: str, speech_ms: int) -> None:
    for likelihood, no_speech in ((-0.3, 0.05), (-0.65, 0.13)):
        assert judge(transcript(text, likelihood=likelihood, no_speech=no_speech), speech_ms=speech_ms).accept


@pytest.mark.parametrize(("text", "speech_ms"), INSISTED)
def test_repeated_words_on_weak_evidence_or_in_too_little_voice_are_not_heard(text: str, speech_ms: int) -> None:
    assert not judge(transcript(text, likelihood=-0.9, no_speech=0.8), speech_ms=speech_ms).accept or not repeats(text)
    assert judge(transcript(text), speech_ms=200).reason is Reason.TOO_FAST


@pytest.mark.parametrize(
    "text", ["아아아아아아", "하하하하하하하하", "음 음 음 음 음", "ha ha ha ha ha", "oh oh oh oh", "mm mm mm mm mm"]
)
def test_a_repeated_sound_that_is_no_word_is_never_heard(text: str) -> None:
    assert judge(transcript(text), speech_ms=1_500).reason is Reason.REPETITION


STOPPING = (
    "그만",
    "그만 그만",
    "그만 그만 그만 그만 그만",
    "그만그만그만그만그만그만그만그만그만",
    "멈춰 멈춰 멈춰 멈춰",
    "잠깐만 잠깐만 잠깐만 잠깐만",
    "조용히 해. 조용히 해. 조용히 해. 조용히 해.",
    "Stop.",
    "stop stop stop stop",
    "stop stop stop stop stop stop stop stop stop stop stop stop",
    "Wait, wait, wait, wait!",
    "stop it stop it stop it stop it",
)


@pytest.mark.parametrize("text", STOPPING)
def test_stop_words_are_heard_on_any_evidence_of_a_voice(text: str) -> None:
    for speech_ms in (100, 1_000, 8_000):
        for likelihood, no_speech in ((-0.3, 0.05), (-1.8, 0.4), (-0.9, 0.8)):
            assert judge(transcript(text, likelihood=likelihood, no_speech=no_speech), speech_ms=speech_ms).accept
    assert not judge(transcript(text), speech_ms=0).accept
    assert not judge(transcript(text, likelihood=-1.8, no_speech=0.9), speech_ms=1_000).accept


SAID = (
    "감사합니다.",
    "고맙습니다",
    "네",
    "네.",
    "응",
    "Thank you.",
    "Thanks!",
    "Okay.",
    "Bye.",
    "안녕하세요",
    "네네네",
    "아니 아니 아니",
    "no no no",
    "모든 불을 파란색으로 다 바꿔 줘.",
    "지금 몇 시야?",
    "What time is it?",
    "시청에 가는 길 알려줘",
    "시청해 주셔서 감사합니다를 영어로 뭐라고 해?",
    "MBC 뉴스 틀어줘",
    "구독 취소해 줘",
    "자막 켜 줘",
    "자막을 크게 해 줘",
    "Turn on the subtitles",
    "Translate this to Korean",
    "What is copyright law?",
    "Subscribe me to the newsletter",
    "How do I thank you for watching my dog?",
    "010 1111 1111 번으로 전화해",
    "1000000원은 몇 달러야?",
    "타이머 십 분 맞춰 줘",
    "Set a timer for 10 minutes",
    "차차차 노래 틀어 줘",
    "Play Bye Bye Bye",
)


@pytest.mark.parametrize("text", SAID)
def test_what_people_say_is_heard(text: str) -> None:
    verdict = judge(transcript(text), speech_ms=2_000)
    assert verdict.accept, verdict


@pytest.mark.parametrize("text", ["감사합니다.", "Thank you.", "Bye.", "네", "고맙습니다"])
def test_a_polite_phrase_over_noise_is_not_heard(text: str) -> None:
    assert judge(transcript(text, likelihood=-0.7, no_speech=0.5), speech_ms=1_000).reason is Reason.NO_SPEECH
    assert judge(transcript(text, no_speech=0.8), speech_ms=1_000).reason is Reason.NO_SPEECH
    assert judge(transcript(text, likelihood=-1.2), speech_ms=1_000).reason is Reason.UNSURE


def test_a_polite_phrase_needs_the_time_it_takes_to_say_it() -> None:
    assert judge(transcript("감사합니다."), speech_ms=200).reason is Reason.TOO_FAST
    assert judge(transcript("감사합니다."), speech_ms=500).accept


def test_more_words_than_anyone_can_say_in_the_time_are_not_heard() -> None:
    sentence = "오늘 서울의 날씨는 맑고 기온은 이십오 도입니다"
    assert judge(transcript(sentence), speech_ms=600).reason is Reason.TOO_FAST
    assert judge(transcript(sentence), speech_ms=3_000).accept


def test_nothing_is_heard_where_there_was_no_voice() -> None:
    assert judge(transcript("지금 몇 시야?"), speech_ms=0).reason is Reason.NO_SPEECH


def test_text_that_the_model_was_hopelessly_unsure_of_is_not_heard() -> None:
    assert judge(transcript("도레미 파솔라 시도", likelihood=-1.8), speech_ms=2_000).reason is Reason.UNSURE


def test_doubtful_text_where_the_model_hears_no_speech_is_not_heard() -> None:
    assert (
        judge(transcript("어디에 가는 길", likelihood=-1.1, no_speech=0.7), speech_ms=2_000).reason is Reason.NO_SPEECH
    )
    assert judge(transcript("어디에 가는 길", likelihood=-1.1, no_speech=0.2), speech_ms=2_000).accept


@pytest.mark.parametrize(
    ("text", "likelihood", "no_speech"),
    [("그난 이리", -1.14, 0.49), ("색으로 답", -0.73, 0.93), ("그래서 그런데 혹시", -1.31, 0.58)],
)
def test_pieces_of_human_speech_are_heard_although_the_model_doubts_them(
    text: str, likelihood: float, no_speech: float
) -> None:
    """Measured with Whisper base on pieces of human recordings; stricter limits would lose these words."""
    assert judge(transcript(text, likelihood=likelihood, no_speech=no_speech), speech_ms=800).accept


def test_letters_are_compared_without_case_spaces_and_marks() -> None:
    assert normalise(" Thank you, [Music] for—Watching! ") == "thankyouforwatching"


@pytest.mark.parametrize(("text", "count"), [("안녕하세요", 5), ("What time is it?", 5), ("3시 20분", 5), ("", 0)])
def test_syllables_are_counted_in_both_languages(text: str, count: int) -> None:
    assert syllables(text) == count


@pytest.mark.parametrize("reason", [Reason.EMPTY, Reason.UNSURE, Reason.REPETITION])
def test_a_mumble_of_a_words_length_was_speech(reason: Reason) -> None:
    assert not was_speech(reason, 200)
    assert was_speech(reason, 300)


@pytest.mark.parametrize("reason", [each for each in Reason if each is not Reason.HEARD])
def test_what_was_clearly_spoken_was_speech_whatever_was_read(reason: Reason) -> None:
    assert was_speech(reason, 1_000)


@pytest.mark.parametrize("reason", [Reason.STOCK_PHRASE, Reason.NO_SPEECH, Reason.TOO_FAST])
def test_a_phrase_that_nobody_took_the_time_to_say_was_not_speech(reason: Reason) -> None:
    assert not was_speech(reason, 600)
