"""Speech from a server on loopback, through the whole way of a request to a provider."""

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.app.command_line import main
from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import SAMPLE_RATE
from assistant.core.errors import EngineError, ErrorCode, ProviderError, SoriError, StorageError
from assistant.core.live_settings import LiveSettings
from assistant.core.records.egress import DataClass
from assistant.core.settings import Provider, Settings, VoiceSettings
from assistant.engine.models.speech_models import ServedSpeech, SpeechModels, failure_notice, speech_choice
from assistant.host.texts import load_texts
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.openai import ENGINE, LONG_RESTED_S, RESTED_S, SET_VOICE, ServerVoice
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine, Voice
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import Fault, ModelServer, RecordedRequest, Reply, refusal, serve_in_thread
from tests.fakes.model_server.wire_speech import PIECE_BYTES, SECONDS_A_LETTER, SPEECH, SPEECH_RATE, SpeechWire
from tests.unit.engine.models.conftest import Backends

TEXTS = load_texts("en")
KO, EN = Voice(language="ko", name=SET_VOICE), Voice(language="en", name=SET_VOICE)
Make = Callable[..., SpeechModels]
Sound = list[tuple[NDArray[np.int16], int]]


@pytest.fixture
def make(backends: Backends) -> Make:
    """Makes ``SpeechModels`` whose provider ``mine`` is at an address."""

    def made(base_url: str, model: str = "", *, kind: str = "openai", voice: str = "", key: str = "k") -> SpeechModels:
        provider = Provider(name="mine", kind=kind, base_url=base_url, api_key_env="MINE_KEY")
        chosen = VoiceSettings(tts="openai", tts_model=model, tts_voice=voice)
        live = LiveSettings(Settings(providers=(provider,), voice=chosen))
        return SpeechModels(live, backends(live, key))

    return made


def speaking(*script: Reply, wire: SpeechWire | None = None, **options: Any) -> ModelServer:
    return ModelServer(script or (SPEECH,), wire=wire or SpeechWire(), **options)


async def said(models: SpeechModels, text: str, voice: Voice = KO, **options: Any) -> Sound:
    """What the synthesiser's thread gets."""
    served = ServedSpeech(models, asyncio.get_running_loop(), **options)
    return await asyncio.to_thread(lambda: list(served.ask(text, voice)))


def seconds(sound: Sound) -> float:
    return sum(len(pcm) / rate for pcm, rate in sound)


async def test_a_text_is_sent_and_recorded_before_and_sounds_part_by_part(make: Make, ledger: MemoryLedger) -> None:
    async with speaking(api_key="k") as server:
        sound = await said(make(server.base_url), "안녕하세요. 반갑습니다.")
    (asked,) = server.requests
    assert (asked.method, asked.path) == ("POST", "/v1/audio/speech")
    assert asked.body == {
        "model": "tts-1",
        "input": "안녕하세요. 반갑습니다.",
        "voice": "alloy",
        "response_format": "pcm",
    }
    assert len(sound) > 3
    assert {rate for _, rate in sound} == {SPEECH_RATE}
    assert np.array_equal(
        np.concatenate([pcm for pcm, _ in sound]), np.frombuffer(SpeechWire().sound(asked.body["input"], 1.0), "<i2")
    )
    (row,) = ledger.rows
    assert (row.purpose, row.provider, row.local, row.data) == ("speech", "mine", True, (DataClass.CONVERSATION,))
    assert row.size == int(asked.headers["content-length"])


async def test_the_first_part_is_there_while_the_server_still_makes_the_rest(make: Make) -> None:
    async with speaking(Reply(stream_type="audio/pcm", fault=Fault.STALL, fault_after=1)) as server:
        served = ServedSpeech(make(server.base_url), asyncio.get_running_loop())
        asking = served.ask("안녕하세요. 오래 걸리는 문장입니다.", KO)
        first = await asyncio.to_thread(next, asking)
        assert len(first[0]) == PIECE_BYTES // 2
        await asyncio.to_thread(asking.close)  # type: ignore[attr-defined]
        await server.requests[0].over.wait()
    assert server.requests[0].disconnected_at is not None


@pytest.mark.parametrize(
    ("chosen", "voice", "body"),
    [
        ({}, KO, {"model": "tts-1", "voice": "alloy"}),
        ({}, Voice(language="ko", name="nova"), {"voice": "nova"}),
        ({"voice": "af_heart"}, KO, {"voice": "af_heart"}),
        ({"voice": "af_heart"}, Voice(language="en", name="nova"), {"voice": "nova"}),
        ({"model": "mine/kokoro"}, EN, {"model": "kokoro", "voice": "alloy"}),
        ({"model": "mine/kokoro", "kind": "local"}, EN, {"model": "kokoro"}),
        ({}, Voice(language="ko", speed=1.25), {"speed": 1.25}),
    ],
)
async def test_model_voice_and_speed_are_settings(
    make: Make, chosen: dict[str, str], voice: Voice, body: dict[str, object]
) -> None:
    async with speaking() as server:
        sound = await said(make(server.base_url, **chosen), "안녕하세요.", voice)
    assert body.items() <= server.requests[0].body.items()
    assert seconds(sound) == pytest.approx(6 * SECONDS_A_LETTER / voice.speed, abs=0.01)


@pytest.mark.parametrize(
    ("wire", "reply"),
    [
        (SpeechWire(rate=16_000), Reply(stream_type="audio/pcm;rate=16000")),
        (SpeechWire(rate=22_050), Reply(stream_type="audio/L16; rate=22050; channels=1")),
        (SpeechWire(wav=True), Reply(stream_type="audio/wav")),
        (SpeechWire(wav=True, rate=44_100), Reply(stream_type="application/octet-stream")),
        (SpeechWire(wav=True, stereo=True, rate=22_050), Reply(stream_type="audio/x-wav")),
    ],
)
async def test_other_forms_of_plain_sound_are_understood(make: Make, wire: SpeechWire, reply: Reply) -> None:
    async with speaking(reply, wire=wire) as server:
        sound = await said(make(server.base_url), "안녕하세요.")
    assert {rate for _, rate in sound} == {wire.rate}
    assert seconds(sound) == pytest.approx(6 * SECONDS_A_LETTER, abs=0.01)
    assert max(np.abs(pcm).max() for pcm, _ in sound) == pytest.approx(8_000, abs=20)


async def test_a_field_that_the_server_refuses_is_left_out(make: Make) -> None:
    async with speaking(refuse=frozenset({"speed"})) as server:
        assert await said(make(server.base_url), "안녕하세요.", Voice(language="ko", speed=2.0))
    assert "speed" not in server.requests[-1].body


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refusal(401, "Incorrect API key provided.", code="invalid_api_key"), ErrorCode.AUTHENTICATION),
        (refusal(429, "Rate limit reached"), ErrorCode.RATE_LIMITED),
        (refusal(404, "The model does not exist"), ErrorCode.MODEL_NOT_FOUND),
        (refusal(400, "Voice not supported."), ErrorCode.INVALID_REQUEST),
        (Reply(status=503), ErrorCode.OVERLOADED),
        (Reply(fault=Fault.HANG_UP), ErrorCode.NETWORK),
        (Reply(stream_type="audio/pcm", fault=Fault.CUT, fault_after=1), ErrorCode.INCOMPLETE),
        (Reply(body="<html>Sign in</html>", content_type="text/html"), ErrorCode.INVALID_RESPONSE),
        (Reply(body='{"audio": "none"}'), ErrorCode.INVALID_RESPONSE),
        (Reply(stream_type="audio/mpeg"), ErrorCode.INVALID_RESPONSE),
        (Reply(body="ID3 compressed", content_type="application/octet-stream"), ErrorCode.INVALID_RESPONSE),
    ],
)
async def test_failures_have_a_code_and_words_and_are_not_repeated(make: Make, reply: Reply, code: ErrorCode) -> None:
    told: list[SoriError] = []
    async with speaking(reply) as server:
        with pytest.raises(ProviderError) as failure:
            await said(make(server.base_url), "안녕하세요. 반갑습니다.", on_failure=told.append)
    assert failure.value.code is code
    await asyncio.sleep(0)
    assert told == [failure.value]
    assert "{" not in failure_notice(TEXTS, failure.value).values["reason"]
    assert len(server.requests) == 1


async def test_a_server_that_does_not_answer_is_left_after_the_limit(make: Make) -> None:
    async with speaking(Reply(stream_type="audio/pcm", first_token_s=60)) as server:
        with pytest.raises(ProviderError) as failure:
            await said(make(server.base_url), "안녕하세요.", first_s=2.0)
        await server.requests[0].over.wait()
    assert failure.value.code is ErrorCode.TIMEOUT
    assert server.requests[0].disconnected_at is not None


async def test_a_request_that_nobody_needs_ends_at_once_and_is_no_failure(make: Make) -> None:
    told: list[SoriError] = []
    async with speaking(Reply(stream_type="audio/pcm", first_token_s=60)) as server:
        served = ServedSpeech(make(server.base_url), asyncio.get_running_loop(), told.append, first_s=60)
        asking = asyncio.create_task(asyncio.to_thread(lambda: list(served.ask("안녕하세요.", KO))))
        asked = await server.request()
        served.abandon()
        assert await asking == []
        await asked.over.wait()
    assert asked.disconnected_at is not None
    assert not told


async def test_nothing_is_sent_that_cannot_be_recorded(make: Make, ledger: MemoryLedger) -> None:
    ledger.broken = True
    async with speaking() as server:
        with pytest.raises(StorageError):
            await said(make(server.base_url), "안녕하세요.")
    assert not server.requests


@pytest.mark.parametrize(("kind", "model"), [("anthropic", "mine/claude"), ("google", "mine/gemini"), ("local", "")])
async def test_a_provider_that_cannot_speak_is_named(make: Make, kind: str, model: str) -> None:
    with pytest.raises(ProviderError) as failure:
        await said(make("http://127.0.0.1:1/v1", model or "embedded", kind=kind), "안녕")
    assert failure.value.message_key.endswith("no_speech")


def test_without_a_server_there_is_a_reason() -> None:
    with pytest.raises(ProviderError) as failure:
        speech_choice(Settings(voice=VoiceSettings(tts="openai")))
    assert TEXTS(failure.value.message_key, **failure.value.values)


class Local:
    """A voice on this machine."""

    sample_rate = 1_000

    def synthesize(self, text: str, voice: Voice) -> Any:
        yield np.ones(len(text), np.int16)

    def close(self) -> None:
        return


LOCAL = SynthesizerEngine(
    id="here",
    languages=frozenset({"ko", "en"}),
    models=(),
    neural=True,
    voices=(NamedVoice(name="joe", language="en"),),
    create=lambda _path_of, _threads: Local(),
)


def refuse(_text: str, _voice: Voice) -> Any:
    raise ProviderError(ErrorCode.AUTHENTICATION, "no key", provider="mine")


def server_sound(text: str, _voice: Voice) -> Any:
    yield np.zeros(len(text), np.int16), 24_000


@pytest.mark.parametrize(
    ("preferred", "connected", "order"),
    [
        ("openai", True, ("openai", "here")),
        ("openai", False, ("here",)),
        ("auto", True, ("here",)),
        ("here", True, ("here",)),
        ("espeak", True, ("here",)),
    ],
)
def test_a_server_speaks_only_if_it_is_named_and_connected(
    preferred: str, connected: bool, order: tuple[str, ...]
) -> None:
    voices = SynthesizerSet(preferred, Path, engines=(LOCAL, ENGINE))
    if connected:
        voices.serve(server_sound)
    assert voices.order("ko") == order


def test_if_the_server_fails_the_next_engine_says_the_same_text() -> None:
    voices = SynthesizerSet("openai", Path, engines=(LOCAL, ENGINE))
    voices.serve(refuse)
    assert [len(pcm) for pcm, _ in voices.synthesize("안녕하세요", KO)] == [5]
    assert voices.speaking == "here"
    voices = SynthesizerSet("openai", Path, engines=(LOCAL, ENGINE))
    voices.serve(server_sound)
    assert [rate for _, rate in voices.synthesize("안녕하세요", KO)] == [24_000]
    assert voices.speaking == "openai"


@pytest.mark.parametrize(
    ("error", "rested_s"),
    [
        (ProviderError(ErrorCode.NETWORK, "no network", provider="mine"), RESTED_S),
        (ProviderError(ErrorCode.AUTHENTICATION, "no key", provider="mine"), LONG_RESTED_S),
    ],
)
def test_a_server_that_failed_is_left_alone_for_a_while(error: SoriError, rested_s: float) -> None:
    clock, asked = FakeClock(), list[str]()

    def ask(text: str, _voice: Voice) -> Any:
        asked.append(text)
        raise error

    voice = ServerVoice(ask, clock.monotonic)
    for _ in range(3):
        with pytest.raises(EngineError):
            list(voice.synthesize("네.", KO))
    assert asked == ["네."]
    clock.advance(rested_s + 1)
    with pytest.raises(EngineError):
        list(voice.synthesize("또.", KO))
    assert asked == ["네.", "또."]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (folder := tmp_path / "home").mkdir()
    monkeypatch.setenv("SORI_HOME", str(folder))
    monkeypatch.setenv("SORI_MODELS", str(folder / "none"))
    return folder


def configured(home: Path, base_url: str, voice: str) -> None:
    provider = f'[[providers]]\nname = "mine"\nkind = "openai"\nbase_url = "{base_url}"\napi_key = "k"\n'
    (home / "config.toml").write_text(f'language = "en"\n[voice]\n{voice}\n{provider}', encoding="utf-8")


@pytest.mark.parametrize(
    ("voice", "options", "asked"),
    [
        ('tts = "openai"', [], "alloy"),
        ('tts = "openai"\ntts_voice = "mina"', [], "mina"),
        ('tts = "openai"\nvoice = "nova"', [], "nova"),
        ('tts = "espeak"', ["--voice", "nova"], "nova"),
        ('tts = "espeak"', [], None),
        ('tts = "openai"', ["--voice", "espeak-en"], None),
    ],
)
def test_sori_say_asks_the_server_only_if_its_voice_was_chosen(
    home: Path, tmp_path: Path, voice: str, options: list[str], asked: str | None
) -> None:
    with serve_in_thread((SPEECH,), wire=SpeechWire()) as server:
        configured(home, server.base_url, voice)
        assert main(["say", *options, "Good morning to you.", "--output", str(tmp_path / "said.wav")]) == 0
    assert [each.body["voice"] for each in server.requests] == ([asked] if asked else [])
    assert len(read_recording(tmp_path / "said.wav")) / SAMPLE_RATE > 0.5


def test_sori_say_speaks_with_another_voice_if_the_server_is_gone(home: Path, tmp_path: Path) -> None:
    configured(home, "http://127.0.0.1:1/v1", 'tts = "openai"')
    before = threading.active_count()
    assert main(["say", "Good morning.", "--output", str(tmp_path / "said.wav")]) == 0
    assert len(read_recording(tmp_path / "said.wav")) / SAMPLE_RATE > 0.3
    assert threading.active_count() < before + 10


def test_the_request_is_in_the_egress_ledger(home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def reply(_: RecordedRequest) -> Reply:
        return SPEECH

    with serve_in_thread(reply, wire=SpeechWire()) as server:
        configured(home, server.base_url, 'tts = "openai"')
        assert main(["say", "Good morning.", "--output", str(tmp_path / "said.wav")]) == 0
        capsys.readouterr()
        assert main(["egress", "--all"]) == 0
    assert "Reading answers aloud" in capsys.readouterr().out
