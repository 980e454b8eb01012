"""Sori's ears and voices as the official OpenAI SDK uses them, with real models."""

import io
import wave
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openai
import pytest

from assistant.audio.encoded import decoded
from assistant.host.places import PROJECT
from tests.e2e.remote.conftest import LIMIT_S, running_door

pytestmark = pytest.mark.models
SPEECH = PROJECT / "tests" / "data" / "speech"
MEDIA = {
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
    "flac": "audio/flac",
    "wav": "audio/wav",
    "pcm": "audio/pcm",
}


def wav(pcm: bytes) -> bytes:
    """Samples as programs get them with ``pcm``, with a header."""
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setparams((1, 2, 24_000, 0, "NONE", "not compressed"))
        file.writeframes(pcm)
    return written.getvalue()


@pytest.fixture(scope="module")
def speaking(tmp_path_factory: pytest.TempPathFactory, model_path: Callable[[str], Path]) -> Iterator[openai.OpenAI]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SORI_MODELS", str(model_path("whisper-base").parent))
        with (
            running_door(tmp_path_factory.mktemp("home"), stt="faster_whisper") as sori,
            openai.OpenAI(base_url=sori.base_url, api_key=sori.confined, max_retries=0, timeout=LIMIT_S) as client,
        ):
            yield client


@pytest.mark.parametrize(
    ("recording", "words"), [("en_coffee_order.wav", "americano"), ("ko_hotel_question.wav", "호텔")]
)
def test_a_recording_is_transcribed(speaking: openai.OpenAI, recording: str, words: str) -> None:
    with (SPEECH / recording).open("rb") as file:
        heard = speaking.audio.transcriptions.create(model="sori", file=file)
    assert words in heard.text.lower()


def test_silence_is_no_text(speaking: openai.OpenAI) -> None:
    with (SPEECH / "near_silence.wav").open("rb") as file:
        assert speaking.audio.transcriptions.create(model="sori", file=file).text == ""


@pytest.mark.parametrize("form", ["mp3", "opus", "aac", "flac", "wav", "pcm"])
def test_a_text_is_read_in_every_form(speaking: openai.OpenAI, form: Any) -> None:
    said = speaking.audio.speech.create(model="sori", voice="alloy", input="Good morning.", response_format=form)
    assert said.response.headers["content-type"] == MEDIA[form]
    assert len(decoded(wav(said.content) if form == "pcm" else said.content, 60)) > 8000


@pytest.mark.parametrize(
    ("form", "holds"), [("text", "americano"), ("srt", "00:00:0"), ("vtt", "WEBVTT"), ("verbose_json", "segments")]
)
def test_a_transcript_has_every_form(speaking: openai.OpenAI, form: Any, holds: str) -> None:
    with (SPEECH / "en_coffee_order.wav").open("rb") as file:
        raw = speaking.audio.transcriptions.with_raw_response.create(
            model="sori", file=file, response_format=form, language="en"
        )
    assert holds in raw.text.lower() + raw.text


@pytest.mark.parametrize("sound", [b"", b"hello", b"RIFF\0\0\0\0WAVE", b"#EXTM3U\n/etc/passwd\n"])
def test_what_is_no_sound_is_refused(speaking: openai.OpenAI, sound: bytes) -> None:
    with pytest.raises(openai.BadRequestError):
        speaking.audio.transcriptions.create(model="sori", file=("a.wav", sound))


@pytest.mark.parametrize(
    "wrong",
    [
        {"voice": "nobody"},
        {"speed": 9.0},
        {"speed": 0.0},
        {"input": "x" * 4097},
        {"response_format": "midi"},
        {"extra_body": {"language": "fr"}},
        {"extra_body": {"stream_format": "sse"}},
    ],
)
def test_what_cannot_be_read_is_refused(speaking: openai.OpenAI, wrong: dict[str, Any]) -> None:
    with pytest.raises(openai.APIStatusError) as refused:
        speaking.audio.speech.create(**{"model": "sori", "voice": "alloy", "input": "Hello.", **wrong})
    assert refused.value.status_code in (400, 404)
