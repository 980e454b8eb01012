"""Transcripts from a server on loopback, through the whole way of a request to a provider."""

import asyncio
import io
import wave
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assistant.core import updates as up
from assistant.core.errors import ErrorCode, ProviderError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import DataClass
from assistant.core.settings import Provider, Settings, VoiceSettings
from assistant.engine.models.transcription_models import ServedRecognition, TranscriptionModels
from assistant.engine.voice_wiring import Engines
from assistant.host.texts import load_texts
from assistant.speech.stt.recognizer import Recognizer, Transcript
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import Fault, ModelServer, Reply, refusal
from tests.fakes.model_server.wire_speech import TranscriptionWire, transcript_reply
from tests.unit.engine.models.conftest import Backends

SOUND = np.arange(-800, 800, dtype=np.int16)
TEXTS = load_texts("en")
Make = Callable[..., TranscriptionModels]


@pytest.fixture
def make(backends: Backends) -> Make:
    """Makes ``TranscriptionModels`` whose provider ``mine`` is at an address."""

    def made(
        base_url: str, model: str = "mine/whisper-1", *, kind: str = "openai", key: str = "k", limit_s: float = 60.0
    ) -> TranscriptionModels:
        provider = Provider(name="mine", kind=kind, base_url=base_url, api_key_env="MINE_KEY")
        live = LiveSettings(Settings(providers=(provider,), voice=VoiceSettings(stt_model=model)))
        return TranscriptionModels(live, backends(live, key), limit_s=limit_s)

    return made


def hearing(*script: Reply, **options: Any) -> ModelServer:
    return ModelServer(script, wire=TranscriptionWire(), **options)


async def test_speech_is_sent_as_a_form_and_recorded_before(make: Make, ledger: MemoryLedger) -> None:
    segments = [{"avg_logprob": -0.2, "no_speech_prob": 0.1}, {"avg_logprob": -0.4, "no_speech_prob": 0.3}]
    async with hearing(transcript_reply(" 불 다 꺼 줘.", language="korean", segments=segments), api_key="k") as server:
        heard = await make(server.base_url).transcribe(SOUND, "ko")
    (asked,) = server.requests
    name, kind, data = asked.body.pop("file")
    assert (asked.method, asked.path, name, kind) == ("POST", "/v1/audio/transcriptions", "speech.wav", "audio/wav")
    assert asked.body == {"model": "whisper-1", "language": "ko", "temperature": "0", "response_format": "verbose_json"}
    with wave.open(io.BytesIO(data)) as sent:
        assert (sent.getframerate(), sent.getnchannels()) == (16_000, 1)
        assert sent.readframes(9999) == SOUND.tobytes()
    assert (heard.text, heard.language, heard.engine) == ("불 다 꺼 줘.", "ko", "mine/whisper-1")
    assert heard.average_log_probability == pytest.approx(-0.3)
    assert heard.no_speech_probability == pytest.approx(0.2)
    assert heard.samples == SOUND.size
    (row,) = ledger.rows
    assert (row.purpose, row.provider, row.local, row.data) == ("transcription", "mine", True, (DataClass.AUDIO,))
    assert row.size == int(asked.headers["content-length"])


async def test_a_model_without_the_detailed_format_is_asked_for_plain_json(make: Make) -> None:
    async with hearing(transcript_reply("Hello.")) as server:
        heard = await make(server.base_url, "mine/gpt-4o-transcribe").transcribe(SOUND, None)
    (asked,) = server.requests
    assert asked.body["response_format"] == "json"
    assert "language" not in asked.body
    assert heard.text == "Hello."


async def test_a_field_that_the_server_refuses_is_left_out(make: Make) -> None:
    async with hearing(transcript_reply("Hello."), refuse=frozenset({"response_format", "temperature"})) as server:
        heard = await make(server.base_url, "mine", kind="local").transcribe(SOUND, "en")
    assert heard.text == "Hello."
    assert set(server.requests[-1].body) == {"language", "file"}


async def test_silence_is_an_empty_transcript_and_no_error(make: Make) -> None:
    async with hearing(transcript_reply("")) as server:
        assert (await make(server.base_url).transcribe(SOUND, "en")).text == ""


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refusal(401, "Incorrect API key provided.", code="invalid_api_key"), ErrorCode.AUTHENTICATION),
        (refusal(429, "Rate limit reached"), ErrorCode.RATE_LIMITED),
        (refusal(404, "The model does not exist"), ErrorCode.MODEL_NOT_FOUND),
        (refusal(400, "Invalid file format."), ErrorCode.INVALID_REQUEST),
        (Reply(status=503), ErrorCode.OVERLOADED),
        (Reply(fault=Fault.HANG_UP), ErrorCode.NETWORK),
        (Reply(body="<html>Sign in</html>", content_type="text/html"), ErrorCode.INVALID_RESPONSE),
        (Reply(body='{"task": "transcribe"}'), ErrorCode.INVALID_RESPONSE),
        (Reply(body='{"text": 7}'), ErrorCode.INVALID_RESPONSE),
    ],
)
async def test_failures_have_a_code_and_words_and_are_not_repeated(make: Make, reply: Reply, code: ErrorCode) -> None:
    async with hearing(reply) as server:
        with pytest.raises(ProviderError) as failure:
            await make(server.base_url).transcribe(SOUND, "en")
    assert failure.value.code is code
    assert "mine" in TEXTS(failure.value.message_key, **failure.value.values)
    assert len(server.requests) == 1


async def test_a_server_that_does_not_answer_is_left_after_the_limit(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with hearing(Reply(body="{}", first_token_s=60)) as server:
        asking = asyncio.create_task(make(server.base_url, limit_s=30.0).transcribe(SOUND, "en"))
        asked = await server.request()
        loop = asyncio.get_running_loop()
        before = loop.time
        # The time is over once the request has arrived, however long a busy computer needs for sending it.
        monkeypatch.setattr(loop, "time", lambda: before() + 30.0)
        with pytest.raises(ProviderError) as failure:
            await asking
        assert failure.value.code is ErrorCode.TIMEOUT
        await asked.over.wait()
    assert asked.disconnected_at is not None


async def test_a_cancelled_request_closes_the_connection(make: Make) -> None:
    async with hearing(Reply(body="{}", first_token_s=60)) as server:
        asking = asyncio.create_task(make(server.base_url).transcribe(SOUND, "en"))
        asked = await server.request()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        await asked.over.wait()
    assert asked.disconnected_at is not None


async def test_nothing_is_sent_that_cannot_be_recorded(make: Make, ledger: MemoryLedger) -> None:
    ledger.broken = True
    async with hearing(transcript_reply("Hello.")) as server:
        with pytest.raises(StorageError):
            await make(server.base_url).transcribe(SOUND, "en")
    assert not server.requests


@pytest.mark.parametrize(("kind", "model"), [("anthropic", "mine/claude"), ("google", "mine/gemini"), ("local", "")])
async def test_an_api_without_transcription_is_named(make: Make, kind: str, model: str) -> None:
    models = make("http://127.0.0.1:1/v1", model or "embedded", kind=kind)
    with pytest.raises(ProviderError) as failure:
        await models.transcribe(SOUND, "en")
    assert failure.value.message_key.endswith("no_transcription")


class Local(Recognizer):
    """A recogniser on this machine."""

    def __init__(self) -> None:
        self.drafts: list[bool] = []
        self.closed = False
        self.words: tuple[str, ...] = ()

    def expect(self, words: Any) -> None:
        self.words = tuple(words)

    def transcribe(
        self, pcm: Any, *, language: Any, likely: Any = None, prefix: str = "", draft: bool = False, grows: bool = False
    ) -> Any:
        self.drafts.append(draft)
        return Transcript(text="local", language="en", samples=pcm.size, engine="local", complete=grows)

    def close(self) -> None:
        self.closed = True


def engines(local: Local) -> Engines:
    nobody: Any = None
    return Engines(
        recognizer=local, wake=None, turn_end=None, synthesizers=nobody, missing=[], new_recognizer=lambda: local
    )


async def test_utterances_go_to_the_server_and_drafts_stay_here(make: Make) -> None:
    local, told = Local(), list[up.Update]()
    async with hearing(transcript_reply("served")) as server:
        voice = engines(local)
        voice = ServedRecognition(make(server.base_url), TEXTS, told.append, FakeClock()).serve(voice)
        assert voice.new_recognizer is not None
        for each in (voice.recognizer, voice.new_recognizer()):
            whole = await asyncio.to_thread(each.transcribe, SOUND, language=None, likely="ko")
            draft = await asyncio.to_thread(each.transcribe, SOUND, language="en", draft=True)
            assert (whole.text, whole.language, draft.text) == ("served", "ko", "local")
    assert local.drafts == [True, True]
    assert len(server.requests) == 2
    assert not told


async def test_no_draft_takes_the_place_of_the_servers_transcript(make: Make) -> None:
    async with hearing(transcript_reply("served")) as server:
        voice = engines(Local())
        voice = ServedRecognition(make(server.base_url), TEXTS, print, FakeClock()).serve(voice)
        draft = await asyncio.to_thread(voice.recognizer.transcribe, SOUND, language="en", draft=True, grows=True)
    assert draft.text == "local"
    assert not draft.complete


async def test_the_words_that_are_likely_stay_here(make: Make) -> None:
    local = Local()
    async with hearing(transcript_reply("served")) as server:
        voice = engines(local)
        voice = ServedRecognition(make(server.base_url), TEXTS, print, FakeClock()).serve(voice)
        voice.recognizer.expect(["Siobhan"])
        await asyncio.to_thread(voice.recognizer.transcribe, SOUND, language="en")
    assert local.words == ("Siobhan",)
    (request,) = server.requests
    assert b"Siobhan" not in request.body
    assert b'name="prompt"' not in request.body


async def test_the_local_recogniser_takes_over_with_a_notice_until_the_server_has_rested(make: Make) -> None:
    local, told, clock = Local(), list[up.Update](), FakeClock()
    async with hearing(Reply(status=503), transcript_reply("served")) as server:
        voice = engines(local)
        voice = ServedRecognition(make(server.base_url), TEXTS, told.append, clock).serve(voice)

        async def said() -> str:
            return (await asyncio.to_thread(voice.recognizer.transcribe, SOUND, language="en")).text

        assert [await said(), await said()] == ["local", "local"]
        await asyncio.sleep(0)
        (notice,) = told
        assert isinstance(notice, up.NoticePosted)
        assert "mine" in TEXTS(notice.key, **notice.values)
        clock.advance(61)
        assert await said() == "served"
    voice.recognizer.close()
    assert local.closed


async def test_the_same_sound_is_sent_once(make: Make) -> None:
    longer = np.concatenate((SOUND, SOUND))
    async with hearing(transcript_reply("one"), transcript_reply("two"), transcript_reply("three")) as server:
        voice = engines(Local())
        voice = ServedRecognition(make(server.base_url), TEXTS, print, FakeClock()).serve(voice)

        async def said(pcm: Any, language: str) -> str:
            return (await asyncio.to_thread(voice.recognizer.transcribe, pcm, language=language)).text

        assert [await said(SOUND, "ko"), await said(SOUND.copy(), "ko")] == ["one", "one"]
        assert [await said(longer, "ko"), await said(longer, "en")] == ["two", "three"]
    assert len(server.requests) == 3


async def test_an_abandoned_request_is_closed_and_nobody_else_transcribes_the_sound(make: Make) -> None:
    local, told = Local(), list[up.Update]()
    async with hearing(Reply(body="{}", first_token_s=60), transcript_reply("served")) as server:
        voice = engines(local)
        voice = ServedRecognition(make(server.base_url), TEXTS, told.append, FakeClock()).serve(voice)
        voice.recognizer.abandon()  # without a request nothing happens
        waiting = asyncio.create_task(asyncio.to_thread(voice.recognizer.transcribe, SOUND, language="en"))
        asked = await server.request()
        voice.recognizer.abandon()
        assert (await waiting).text == ""
        await asked.over.wait()
        assert asked.disconnected_at is not None
        again = await asyncio.to_thread(voice.recognizer.transcribe, SOUND, language="en")
        assert again.text == "served", "the server does not rest, and the abandoned result is not kept"
    assert local.drafts == []
    assert not told


async def test_without_a_chosen_model_nothing_is_sent(make: Make, ledger: MemoryLedger) -> None:
    local = Local()
    models = make("http://127.0.0.1:1/v1", "")
    await models.prepare()
    voice = engines(local)
    voice = ServedRecognition(models, TEXTS, print, FakeClock()).serve(voice)
    heard = await asyncio.to_thread(voice.recognizer.transcribe, SOUND, language="en")
    assert heard.text == "local"
    assert not ledger.rows


async def test_preparing_makes_the_client_and_sends_nothing(make: Make, ledger: MemoryLedger) -> None:
    await make("http://127.0.0.1:1/v1").prepare()
    await make("http://127.0.0.1:1/v1", key="").prepare()
    assert not ledger.rows
