from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.audio.resampling import resample
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.stt.recognizer import RecognizerOptions
from assistant.speech.stt.registry import recognizers
from assistant.speech.tts import kokoro as kokoro_module
from assistant.speech.tts.kokoro import ENGINE, MODEL, Kokoro
from assistant.speech.tts.kokoro_korean import korean_symbols
from assistant.speech.tts.kokoro_symbols import LONGEST
from assistant.speech.tts.synthesizer import Voice
from tests.fakes.sound.human_speech import THREADS, character_error_rate

KOREAN = (
    "방금 보내신 문서를 요약해 드리겠습니다.",
    "친구에게 생일 축하 메시지를 보냈습니다.",
)


@pytest.fixture(scope="module")
def kokoro(model_path: Callable[[str], Path]) -> Iterator[Kokoro]:
    loaded = Kokoro(model_path(MODEL), THREADS)
    yield loaded
    loaded.close()


@pytest.mark.models
def test_a_listener_understands_korean_sentences(kokoro: Kokoro, model_path: Callable[[str], Path]) -> None:
    recognizer = recognizers().get("faster_whisper").create(model_path, RecognizerOptions(threads=THREADS))
    errors = []
    for said in KOREAN:
        pcm = np.concatenate(list(kokoro.synthesize(said, Voice(language="ko"))))
        heard = recognizer.transcribe(resample(pcm, kokoro.sample_rate, SAMPLE_RATE), language="ko").text
        errors.append(character_error_rate(heard, said))
    recognizer.close()
    assert np.mean(errors) <= 0.12, errors


@pytest.mark.models
def test_every_voice_speaks_its_language_and_no_two_are_alike(kokoro: Kokoro) -> None:
    texts = {"ko": "네.", "en": "Yes."}
    sounds = []
    for voice in ENGINE.voices:
        wanted = Voice(language=voice.language, name=voice.name)
        sounds.append(np.concatenate(list(kokoro.synthesize(texts[voice.language], wanted))))
    assert len({sound.tobytes() for sound in sounds}) == len(ENGINE.voices)
    with pytest.raises(EngineError, match="nobody"):
        kokoro.synthesize("hello", Voice(language="en", name="nobody"))


@pytest.mark.models
def test_a_sentence_longer_than_one_inference_is_said_whole(kokoro: Kokoro, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kokoro_module, "LONGEST", 40)
    text = "한 사람이 집을 짓고 다른 사람이 그 집에 와서 " * 2 + "삽니다."
    assert 80 < len(korean_symbols(text)) < 120
    pieces = list(kokoro.synthesize(text, Voice(language="ko", speed=2.0)))
    spoken, pauses = pieces[::2], pieces[1::2]
    assert len(spoken) > 2
    assert all(piece.any() for piece in spoken)
    assert not any(pause.any() for pause in pauses)
    assert sum(map(len, spoken)) / kokoro.sample_rate > 2.0


@given(st.text(alphabet="aio ,;:—", min_size=1, max_size=300))
def test_a_cut_sentence_loses_no_symbol_and_no_piece_is_too_long(symbols: str) -> None:
    pieces = kokoro_module._cut(symbols)
    with_letters = [piece for piece in pieces if any(map(str.isalpha, piece))]
    assert pieces == with_letters
    assert all(len(piece) <= LONGEST for piece in pieces)
    assert "".join(pieces).replace(" ", "").count("a") == symbols.count("a")


@pytest.mark.parametrize("content", [b"", b"abc", b"\0" * 1000])
@pytest.mark.models
def test_a_damaged_voice_is_named(model_path: Callable[[str], Path], tmp_path: Path, content: bytes) -> None:
    whole = model_path(MODEL)
    (tmp_path / "model.onnx").symlink_to(whole / "model.onnx")
    (tmp_path / "voices").mkdir()
    for each in (whole / "voices").iterdir():
        (tmp_path / "voices" / each.name).write_bytes(each.read_bytes())
    (tmp_path / "voices" / "hf_alpha.bin").write_bytes(content)
    with pytest.raises(ModelFileError, match=r"hf_alpha\.bin"):
        Kokoro(tmp_path, 1)
