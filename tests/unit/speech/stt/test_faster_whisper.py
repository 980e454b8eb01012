from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.core.audio import to_samples, to_seconds
from assistant.core.errors import EngineError, ModelFileError
from assistant.host.texts import load_texts
from assistant.speech.stt import faster_whisper, spoken_language
from assistant.speech.stt.decoding.whisper_model import Whisper, Written
from assistant.speech.stt.faster_whisper import SHORT_WINDOW, FasterWhisper, compression_ratio, padded
from assistant.speech.stt.partials import StablePrefix
from assistant.speech.stt.recognizer import RecognizerOptions
from assistant.speech.stt.spoken_language import most_probable
from assistant.speech.text.names.likelihood import CERTAIN, over_silence, writings
from tests.fakes.sound.human_speech import SAID, THREADS, character_error_rate, recording, silence

# What WhisperModel.transcribe (30 s window, beam of 5, temperature 0) of faster-whisper 1.2.1 reads. Where the short
# window reads otherwise, it is by a choice between equals: numerals for words, and one wrong word for another.
BATCH = {
    "en_read_sentence.wav": "Mr. Quilter is the apostle of the middle classes, and we are glad to welcome his gospel.",
    "en_coffee_order.wav": "Can I have a medium double-shot Americano?",
    "ko_lights_blue.wav": "모든 불닭 파란색으로 다 바꿔줘.",
    "ko_read_sentence.wav": "그는 1위절이 피하면서 길 한 옆으로 걸어갔다",
    "ko_hotel_question.wav": (
        "4명 숙박할 건데, 호텔 드력수름은 다 찾다고 하셔서 그런데 혹시 싱글룸 두 개로 예약은 가능한가요?"
    ),
    "ko_wake_words.wav": "에이 컴퓨터 빅스비 콧풀소 아이스크림",
}
OTHERWISE = {"doubleshot": "doublechart", "두개": "2개"}


@pytest.fixture(scope="module")
def whisper(model_path: Callable[[str], Path]) -> Iterator[FasterWhisper]:
    loaded = FasterWhisper(model_path("whisper-base"), THREADS)
    yield loaded
    loaded.close()


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))


@pytest.mark.models
@pytest.mark.parametrize("name", BATCH)
def test_the_short_window_reads_what_the_long_one_reads(whisper: FasterWhisper, name: str) -> None:
    expected = letters(BATCH[name])
    for batch, short in OTHERWISE.items():
        expected = expected.replace(batch, short)
    heard = whisper.transcribe(recording(name), language=name[:2])
    assert letters(heard.text) == expected
    assert heard.average_log_probability > -0.7
    assert heard.no_speech_probability < 0.3


@pytest.mark.models
def test_an_everyday_word_is_a_name_only_where_it_was_said(whisper: FasterWhisper) -> None:
    name = "아이스크림"
    said, other = recording("ko_wake_words.wav")[to_samples(6.1) :], recording("en_coffee_order.wav")[to_samples(2.4) :]

    def fit(sound: NDArray[np.int16]) -> tuple[float, float]:
        weighed = whisper.weigh(sound[: to_samples(1.9)], {name: writings(name, "ko")}, language="ko", least=0.0)
        return weighed.fits[name], over_silence(weighed.fits, weighed.silent)[name]

    assert fit(said)[1] > CERTAIN
    before, now = fit(other)
    assert before > CERTAIN > now


SPOKEN_OTHERWISE = ("빨래", "서울", "보험", "thermostat", "Jarvis", "라면 타이머", "수학여행")


@pytest.fixture
def expecting(whisper: FasterWhisper) -> Iterator[Callable[..., str]]:
    """Reads a sound of which nothing is known, while some words are likely."""

    def read(sound: NDArray[np.int16], *words: str, language: str = "ko") -> str:
        whisper.expect(words)
        return whisper.transcribe(sound, language=language).text

    yield read
    whisper.expect(())


@pytest.mark.models
@pytest.mark.parametrize("name", BATCH)
def test_words_that_were_not_said_change_nothing(expecting: Callable[..., str], name: str) -> None:
    alone = expecting(recording(name), language=name[:2])
    assert expecting(recording(name), *SPOKEN_OTHERWISE, language=name[:2]) == alone


HEARD_OTHERWISE = ("ko_read_sentence.wav", "이리저리", "1위절이")


@pytest.mark.models
def test_a_likely_word_is_written_where_the_sound_resembles_it(expecting: Callable[..., str]) -> None:
    name, likely, misheard = HEARD_OTHERWISE
    assert misheard in expecting(recording(name))
    assert expecting(recording(name), "서재", likely) == "그는 이리저리 피하면서 길 한 옆으로 걸어갔다."


@pytest.mark.models
def test_settled_words_stay_although_another_word_is_likely(
    whisper: FasterWhisper, expecting: Callable[..., str]
) -> None:
    name, likely, misheard = HEARD_OTHERWISE
    sound = recording(name)
    whisper.expect(())
    beginning = whisper.transcribe(sound[: to_samples(3)], language="ko", draft=True, grows=True).text
    settled = " ".join(beginning.split()[:2])
    assert misheard in settled
    whisper.expect([likely])
    whole = whisper.transcribe(sound, language="ko", prefix=settled).text
    assert whole.startswith(settled)


@pytest.mark.models
@pytest.mark.usefixtures("expecting")
def test_a_growing_utterance_has_the_likely_word_from_the_beginning(whisper: FasterWhisper) -> None:
    name, likely, _ = HEARD_OTHERWISE
    sound = recording(name)
    whisper.expect([likely])
    for seconds in (2.0, 2.5, 3.0, 3.5):
        part = whisper.transcribe(sound[: to_samples(seconds)], language="ko", draft=True, grows=True).text
        assert part.split()[1] == likely
    assert whisper.transcribe(sound, language="ko").text.split()[1] == likely


@pytest.mark.models
def test_likely_words_are_not_written_into_silence_and_noise(expecting: Callable[..., str]) -> None:
    random = np.random.default_rng(7)
    room = recording("near_silence.wav")
    sounds = [silence(3), room, *(random.normal(0, level, 48_000).astype(np.int16) for level in (30, 300, 3_000))]
    for sound in sounds:
        alone = expecting(sound)
        # Among the likely words are some that sound like what is written over room noise.
        assert expecting(sound, "도치", "민서", "오오옥", "오", "감사함", "시청", *SPOKEN_OTHERWISE) == alone


def test_the_window_outlasts_the_sound_by_two_seconds() -> None:
    assert padded(silence(1), SHORT_WINDOW).size == to_samples(10)
    assert padded(silence(15), SHORT_WINDOW).size == to_samples(17)
    assert padded(silence(29), SHORT_WINDOW).size == to_samples(30)


@pytest.mark.models
@pytest.mark.parametrize(
    ("before", "sentence", "mark"),
    [
        ("2", "ko_lights_blue.wav", "파란색"),
        ("37", "ko_lights_blue.wav", "파란색"),
        ("45", "ko_lights_blue.wav", "파란색"),
        ("45", "en_read_sentence.wav", "gospel"),
    ],
)
def test_a_sentence_is_not_written_twice(whisper: FasterWhisper, before: str, sentence: str, mark: str) -> None:
    """With another speaker's word before them, the short window alone transcribes these sentences two to six times."""
    sound = np.concatenate((recording(f"alexa/{before}.flac"), recording(sentence), silence(0.3)))
    heard = whisper.transcribe(sound, language=sentence[:2])
    assert heard.text.count(mark) == 1
    assert heard.samples == sound.size


@pytest.mark.models
def test_what_is_said_twice_is_written_twice(whisper: FasterWhisper) -> None:
    once = recording("en_read_sentence.wav")
    heard = whisper.transcribe(np.concatenate((once, once)), language="en")
    assert heard.text.count("gospel") == 2


@pytest.mark.models
def test_a_draft_stops_where_it_begins_to_repeat_itself(whisper: FasterWhisper) -> None:
    sound = np.concatenate((recording("alexa/45.flac"), recording("ko_lights_blue.wav"), silence(0.3)))
    assert whisper.transcribe(sound, language="ko", draft=True).text.count("파란색") == 1


@pytest.mark.models
def test_more_sound_than_the_encoder_takes_is_refused(whisper: FasterWhisper) -> None:
    with pytest.raises(EngineError, match="at most 30 s"):
        whisper.transcribe(silence(31), language="ko")


@pytest.mark.models
def test_a_language_outside_of_the_two_is_refused(whisper: FasterWhisper) -> None:
    with pytest.raises(EngineError, match="'fr'"):
        whisper.transcribe(silence(1), language="fr")


@pytest.mark.models
def test_an_english_model_understands_english_only(model_path: Callable[[str], Path]) -> None:
    tiny = FasterWhisper(model_path("whisper-tiny-en"), THREADS)
    heard = tiny.transcribe(recording("en_read_sentence.wav"), language=None)
    assert heard.language == "en"
    assert "middle classes" in heard.text
    with pytest.raises(EngineError, match="'ko'"):
        tiny.transcribe(silence(1), language="ko")


@pytest.mark.models
def test_noise_cannot_keep_the_decoder_busy(whisper: FasterWhisper) -> None:
    noise = np.random.default_rng(5).normal(0, 3_000, 16_000).astype(np.int16)
    assert len(whisper.transcribe(noise, language="ko").text) < 200


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"not a model")
    with pytest.raises(ModelFileError, match=tmp_path.name):
        FasterWhisper(tmp_path, 1)


def test_repetition_shows_in_the_compression_ratio() -> None:
    assert compression_ratio("오늘 날씨 어때?") < 1.5
    assert compression_ratio("아 " * 100) > 2.4
    assert compression_ratio("") == 1.0


def test_the_likely_language_decides_when_the_sound_is_too_short_to_tell() -> None:
    assert most_probable({"ko": 0.2, "en": 0.8}, None) == "en"
    assert most_probable({"ko": 0.2, "en": 0.8}, "ko") == "ko"
    assert most_probable({"ko": 0.01, "en": 0.99}, "ko") == "en"
    assert most_probable({"ko": 0.8, "en": 0.2}, "en") == "en"


@pytest.mark.models
def test_a_korean_syllable_is_korean_in_a_korean_conversation_and_english_stays_english(whisper: FasterWhisper) -> None:
    syllables = recording("ko_lights_blue.wav")[to_samples(1.4) : to_samples(2.0)]
    assert whisper.detect_language(syllables) == "en"
    assert whisper.detect_language(syllables, likely="ko") == "ko"
    english = recording("en_read_sentence.wav")[: to_samples(1.5)]
    assert whisper.detect_language(english, likely="ko") == "en"


@pytest.mark.models
def test_longer_speech_shows_its_language_whatever_was_likely(
    whisper: FasterWhisper, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spoken_language, "LIKELY_ODDS", 1e30)
    sentence = recording("en_read_sentence.wav")
    assert whisper.detect_language(sentence[: to_samples(2.9)], likely="ko") == "ko"
    assert whisper.detect_language(sentence[: to_samples(3.1)], likely="ko") == "en"


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "model.bin").touch()
    return tmp_path


def test_a_device_that_is_missing_is_named_with_the_remedy(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(faster_whisper, "usable_compute_types", lambda _device: frozenset())
    options = RecognizerOptions(device="cuda")
    with pytest.raises(EngineError) as caught:
        faster_whisper.ENGINE.create(lambda _name: directory, options)
    told = load_texts("ko")(caught.value.message_key, **caught.value.values)
    assert "cuda" in told
    assert "stt_device" in told


def test_a_compute_type_that_this_machine_lacks_is_answered_with_those_it_has(directory: Path) -> None:
    options = RecognizerOptions(device="cpu", compute_type="int8_float16")
    with pytest.raises(EngineError) as caught:
        faster_whisper.ENGINE.create(lambda _name: directory, options)
    told = load_texts("en")(caught.value.message_key, **caught.value.values)
    assert "int8_float16 (cpu: " in told
    assert "int8" in told.partition("cpu: ")[2]
    assert "stt_compute_type" in told


def test_a_size_is_loaded_from_its_own_model(tmp_path: Path) -> None:
    asked: list[str] = []

    def path_of(name: str) -> Path:
        asked.append(name)
        return tmp_path

    for size in ("auto", "base", "small"):
        with pytest.raises(ModelFileError):
            faster_whisper.ENGINE.create(path_of, RecognizerOptions(size=size))
    assert asked == ["whisper-base", "whisper-base", "whisper-small"]


def grown(whisper: FasterWhisper, sound: NDArray[np.int16], language: str) -> tuple[list[str], str]:
    """The settled words after each partial transcript of a growing utterance, and the final transcript."""
    words = StablePrefix()
    settled = []
    for end in range(to_samples(1), sound.size, to_samples(0.6)):
        text = whisper.transcribe(sound[:end], language=language, prefix=words.settled, draft=True, grows=True).text
        settled.append(words.update(text, to_seconds(end)).settled)
    return settled, whisper.transcribe(sound, language=language, prefix=words.settled).text


@pytest.mark.models
def test_a_growing_utterance_keeps_its_settled_words_and_is_read_as_well_as_a_whole_one(whisper: FasterWhisper) -> None:
    early = {}
    for name in (*SAID, "ko_hotel_question.wav"):
        settled, final = grown(whisper, recording(name), name[:2])
        for earlier, later in pairwise([*settled, final]):
            assert later.startswith(earlier)
        assert character_error_rate(final, BATCH[name]) < 0.15
        early[name] = len(set(settled)) >= 3 and len(letters(settled[-1])) > len(letters(final)) / 2
    # The least bits of the products differ between processors, so one utterance may settle late.
    assert list(early.values()).count(False) <= 1, early


@pytest.mark.models
def test_what_was_heard_of_another_utterance_does_not_matter(whisper: FasterWhisper) -> None:
    alone = whisper.transcribe(recording("en_coffee_order.wav"), language="en")
    whisper.transcribe(recording("en_read_sentence.wav"), language="en", draft=True, grows=True)
    assert whisper.transcribe(recording("en_coffee_order.wav"), language="en") == alone


@pytest.mark.models
def test_only_the_words_that_are_not_known_are_written(whisper: FasterWhisper, monkeypatch: pytest.MonkeyPatch) -> None:
    sound = recording("en_read_sentence.wav")
    lengths: list[int] = []
    write = Whisper.write

    def counted(self: Whisper, encoded: Any, language: str, known: Any, **options: Any) -> Written:
        written = write(self, encoded, language, known, **options)
        lengths.append(len(written.tokens))
        return written

    monkeypatch.setattr(Whisper, "write", counted)
    _settled, final = grown(whisper, sound, "en")
    assert final.endswith("gospel.")
    assert lengths[-1] <= 6


@pytest.mark.models
def test_the_last_partial_of_a_whole_sentence_may_be_its_final_transcript(whisper: FasterWhisper) -> None:
    sound = recording("en_read_sentence.wav")
    partial = whisper.transcribe(sound, language="en", draft=True, grows=True)
    assert partial.complete
    assert partial.text == whisper.transcribe(sound, language="en").text


@pytest.mark.models
def test_a_partial_of_which_the_recogniser_is_not_sure_may_not_be_final(whisper: FasterWhisper) -> None:
    noise = np.random.default_rng(5).normal(0, 3_000, 32_000).astype(np.int16)
    assert not whisper.transcribe(noise, language="ko", draft=True, grows=True).complete


@pytest.mark.models
def test_a_partial_that_was_cut_where_it_repeats_itself_may_not_be_final(whisper: FasterWhisper) -> None:
    sound = np.concatenate((recording("alexa/45.flac"), recording("ko_lights_blue.wav"), silence(0.3)))
    partial = whisper.transcribe(sound, language="ko", draft=True, grows=True)
    assert partial.text.count("파란색") == 1
    assert not partial.complete
