"""``listen``, as a user runs it: human recordings in, a spoken answer and a trace out, real speech models.

The command line runs in this process, on engines loaded once. The demonstration runs the same code in a process.
"""

import asyncio
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assistant.app.cli.options import ListenOptions
from assistant.app.commands import listen as listen_command
from assistant.app.commands.listen import hear
from assistant.audio.cards.recordings import read_recording
from assistant.audio.cards.wav_writer import WavWriter
from assistant.audio.cues import read_cues
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.settings import Language, Settings, VoiceSettings
from assistant.engine import session_wiring
from assistant.host.places import Places, default_home, models_folder
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.tools.folders.notes import NoteFolder
from tests.e2e.in_process import Outcome, SharedVoice, run_command
from tests.fakes.model_server.server import ModelServer, Reply
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.sound.human_speech import FOLDER, SAID, THREADS, character_error_rate

ROOT = Path(__file__).parents[2]
LIMIT_S = 240.0
QUESTION = FOLDER / "ko_lights_blue.wav"
REPLY = "Of course. All the lights are blue now, and the evening can begin."
LONG_REPLY = (
    "정원 이야기를 해 드릴게요. 거기에는 오래된 사과나무 일곱 그루와 작은 연못이 있어요. "
    "아침에는 새들이 노래하고, 저녁에는 이웃들이 차를 마시러 와요. 아무도 서두르지 않아요."
)
"""In the language of the question: an answer in another one would be asked for again."""

pytestmark = [pytest.mark.models, pytest.mark.timeout(LIMIT_S + 30)]


@dataclass(frozen=True, kw_only=True)
class Session:
    """What a run of the command left behind."""

    status: int
    printed: str
    errors: str
    trace: list[dict[str, Any]]
    spoken: NDArray[np.int16]

    def names(self) -> list[str]:
        return [event["event"] for event in self.trace]

    def all(self, name: str) -> list[dict[str, Any]]:
        return [event for event in self.trace if event["event"] == name]

    def first(self, name: str) -> dict[str, Any]:
        return self.all(name)[0]


@pytest.fixture(scope="module")
def shared_voice() -> Iterator[SharedVoice]:
    voice = SharedVoice()
    yield voice
    voice.close()


@pytest.fixture
def home(tmp_path: Path, model_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's folder; the weights are those that all tests share."""
    for model in ("whisper-base", "openwakeword", "smart-turn-v3", "piper-en-joe"):
        model_path(model)
    folder = tmp_path / "home"
    monkeypatch.setenv("SORI_MODELS", str(models_folder(default_home())))
    monkeypatch.setenv("SORI_HOME", str(folder))
    return folder


@pytest.fixture(autouse=True)
def _engines_loaded_once(shared_voice: SharedVoice, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listen_command, "load_voice", shared_voice.load)
    monkeypatch.setattr(session_wiring, "read_cues", _read_cues_once)


_read_cues_once = cache(read_cues)
"""Reading and resampling the cues takes longer than the rest of a session's start."""


def configure(
    home: Path, base_url: str, language: Language = "en", wake_word: str = "alexa", tts: str = "espeak"
) -> None:
    """Write the settings. The voice is espeak-ng unless a test asks about the voice, since it costs no time."""
    home.mkdir(exist_ok=True)
    voice = f"""
[voice]
wake_word = "{wake_word}"
tts = "{tts}"
threads = {THREADS}
"""
    (home / "config.toml").write_text(scripted_settings(base_url, voice, language=language), encoding="utf-8")


async def run(*arguments: str | Path) -> Outcome:
    """Run ``listen`` in this process."""
    async with asyncio.timeout(LIMIT_S):
        outcome = await asyncio.to_thread(run_command, "listen", *map(str, arguments))
    assert "Traceback" not in outcome.printed + outcome.errors
    return outcome


async def listen(home: Path, heard: Path, *arguments: str) -> Session:
    """Let Sori hear a recording."""
    output, trace = home / "answer.wav", home / "trace.json"
    outcome = await run("--input", heard, "--output", output, "--trace", trace, "--pace", "fast", *arguments)
    assert output.read_bytes()[20:36] == b"\x01\0\x01\0\x80\xbb\0\0\0\x77\x01\0\x02\0\x10\0", "not 48 kHz mono PCM"
    return Session(
        status=outcome.status,
        printed=outcome.printed,
        errors=outcome.errors,
        trace=json.loads(trace.read_text(encoding="utf-8")),
        spoken=read_recording(output, PLAYBACK_RATE),
    )


def compose(path: Path, *pieces: Path | float) -> Path:
    """A recording of recordings and of silences in seconds."""
    writer = WavWriter(path)
    for piece in pieces:
        if isinstance(piece, Path):
            writer.write(read_recording(piece, PLAYBACK_RATE))
        else:
            writer.write(np.zeros(round(piece * PLAYBACK_RATE), np.int16))
    writer.close()
    return path


def written(path: Path, pcm48: NDArray[np.int16]) -> Path:
    """A recording of samples at 48 kHz."""
    path.parent.mkdir(exist_ok=True)
    writer = WavWriter(path)
    writer.write(pcm48)
    writer.close()
    return path


def _speech(path: Path) -> NDArray[np.int16]:
    """A recording from its first sound of speech to its last, at 48 kHz."""
    pcm = read_recording(path, PLAYBACK_RATE)
    whole = pcm[: len(pcm) - len(pcm) % 480].reshape(-1, 480).astype(np.float64)
    levels = np.sqrt(np.mean(np.square(whole), axis=1))
    loud = np.flatnonzero(levels > 0.05 * levels.max())
    return pcm[loud[0] * 480 : (loud[-1] + 1) * 480]


async def transcribed(pcm48: NDArray[np.int16], voice: SharedVoice, path_of: Callable[[str], Path]) -> str:
    """What an English listener understands."""
    settings = Settings(voice=VoiceSettings(wake_word="alexa", tts="espeak", threads=THREADS))
    engines = await voice.load(settings, path_of)
    return engines.recognizer.transcribe(pcm48[::3].copy(), language="en").text


def subsequence(wanted: Sequence[str], found: Sequence[str]) -> bool:
    rest = iter(found)
    return all(name in rest for name in wanted)


async def test_a_korean_question_is_understood_and_answered_aloud(
    home: Path, shared_voice: SharedVoice, model_path: Callable[[str], Path]
) -> None:
    async with ModelServer([Reply(text=REPLY)]) as server:
        configure(home, server.base_url)
        session = await listen(home, QUESTION, "--no-wake")
        asked = (await server.request()).body["messages"][-1]["content"]
    assert (session.status, session.errors) == (0, "")

    transcript = session.first("transcript")["text"]
    assert character_error_rate(transcript, SAID[QUESTION.name][1]) < 0.2
    assert transcript in asked

    spine = ["listening", "speech_started", "speech_ended", "transcript", "first_token", "first_audio"]
    assert subsequence([*spine, "sentence", "done", "listening"], session.names())
    assert "wake" not in session.names()
    assert all(before["t"] <= after["t"] for before, after in pairwise(session.trace))
    assert all(event["event"] in session.printed for event in session.trace)
    assert " ".join(event["text"] for event in session.all("sentence")) == REPLY

    began = round(session.first("first_audio")["t"] * PLAYBACK_RATE)
    assert not session.spoken[:began].any()
    assert np.abs(session.spoken[began : began + PLAYBACK_RATE // 20].astype(np.int32)).max() > 300
    done = round(session.first("done")["t"] * PLAYBACK_RATE)
    assert not session.spoken[done + PLAYBACK_RATE // 50 :].any()
    understood = await transcribed(session.spoken[began:done], shared_voice, model_path)
    assert character_error_rate(understood, REPLY) < 0.2


async def test_the_title_of_a_note_is_heard_where_the_sound_resembles_it(home: Path, tmp_path: Path) -> None:
    """Without the note, the words are read as 1위저리."""
    NoteFolder(Places(home).notes).create("이리저리", "길")
    heard = compose(tmp_path / "heard.wav", 0.5, FOLDER / "ko_read_sentence.wav", 2.0)
    async with ModelServer([Reply(text="네.")]) as server:
        configure(home, server.base_url, "ko")
        session = await listen(home, heard, "--no-wake", "--language", "ko")
    assert session.first("transcript")["text"] == SAID["ko_read_sentence.wav"][1]


async def test_the_wake_word_opens_the_conversation(home: Path, tmp_path: Path) -> None:
    alexa = FOLDER / "alexa" / min(each.name for each in (FOLDER / "alexa").glob("*.flac"))
    heard = compose(tmp_path / "heard.wav", 0.5, alexa, 0.4, FOLDER / "en_coffee_order.wav")
    async with ModelServer([Reply(text=REPLY)]) as server:
        configure(home, server.base_url)
        session = await listen(home, heard)
        asked = len(server.chats)
    assert (session.status, asked) == (0, 1)
    assert subsequence(["wake", "listening", "transcript", "first_audio", "done"], session.names())
    assert session.names()[0] == "wake"
    assert session.first("wake")["name"] == "alexa"
    assert "americano" in session.first("transcript")["text"].lower()


async def test_the_rest_of_the_wake_word_is_no_message(home: Path) -> None:
    async with ModelServer([Reply(text=REPLY)]) as server:
        configure(home, server.base_url)
        session = await listen(home, ROOT / "assistant" / "resources" / "recordings" / "en_alexa_coffee.wav")
        asked = len(server.chats)
    assert (session.status, asked) == (0, 1)
    (transcript,) = session.all("transcript")
    assert character_error_rate(transcript["text"], SAID["en_coffee_order.wav"][1]) < 0.2
    assert "interrupted" not in session.names()


async def test_a_request_in_the_wake_words_breath_loses_nothing(home: Path, tmp_path: Path) -> None:
    alexa = written(tmp_path / "alexa.wav", _speech(FOLDER / "alexa" / "31.flac"))
    order = written(tmp_path / "order.wav", _speech(FOLDER / "en_coffee_order.wav"))
    async with ModelServer([Reply(text=REPLY)]) as server:
        configure(home, server.base_url)
        session = await listen(home, compose(tmp_path / "heard.wav", 0.5, alexa, order, 1.0))
        asked = len(server.chats)
    assert (session.status, asked) == (0, 1)
    said = SAID["en_coffee_order.wav"][1]
    transcript = session.first("transcript")["text"]
    assert transcript.lower().startswith("can i")
    assert character_error_rate(transcript, said) < 0.2


async def test_the_wake_word_alone_is_never_answered(home: Path, tmp_path: Path) -> None:
    words = [FOLDER / "alexa" / f"{name}.flac" for name in ("0", "16", "19")]
    heard = compose(tmp_path / "heard.wav", *(piece for word in words for piece in (0.5, word, 12.0)))
    async with ModelServer() as server:
        configure(home, server.base_url)
        session = await listen(home, heard)
        assert not server.requests
    assert session.status == 0
    assert session.names() == ["wake", "listening", "idle"] * 3
    assert not session.spoken.any()


@pytest.mark.parametrize(
    ("name", "end"), [("ko_lights_blue.wav", "바꿔줘."), ("ko_hotel_question.wav", "예약은가능한가요?")]
)
async def test_a_sentence_with_noise_behind_it_is_asked_once_and_to_its_end(
    home: Path, tmp_path: Path, name: str, end: str
) -> None:
    noise = np.random.default_rng(1).normal(0, 30, 3 * PLAYBACK_RATE).astype(np.int16)
    heard = compose(tmp_path / "heard.wav", 0.5, FOLDER / name, written(tmp_path / "noise.wav", noise))
    async with ModelServer([Reply(text="네.")]) as server:
        configure(home, server.base_url, language="ko")
        session = await listen(home, heard, "--no-wake")
        asked = len(server.chats)
    assert (session.status, asked) == (0, 1)
    (transcript,) = session.all("transcript")
    words = transcript["text"].replace(" ", "")
    assert words.endswith(end)
    assert words.count(end) == 1


@pytest.mark.parametrize("options", [[], ["--no-wake"]], ids=["waiting", "listening"])
@pytest.mark.parametrize("heard", ["near_silence.wav", "digital_silence.wav"])
async def test_silence_is_not_answered(home: Path, tmp_path: Path, heard: str, options: list[str]) -> None:
    path = FOLDER / heard if heard.startswith("near") else compose(tmp_path / heard, 3.0)
    async with ModelServer() as server:
        configure(home, server.base_url, language="ko")
        session = await listen(home, path, *options)
        assert not server.requests
    assert session.status == 0
    assert not session.spoken.any()
    assert len(session.spoken) >= len(read_recording(path, PLAYBACK_RATE))
    assert not {"wake", "transcript", "first_token", "first_audio"} & set(session.names())


async def test_its_own_echo_does_not_interrupt_it(home: Path) -> None:
    async with ModelServer([Reply(text=LONG_REPLY)]) as server:
        configure(home, server.base_url)
        session = await listen(home, QUESTION, "--no-wake", "--echo-gain-db", "-12", "--echo-delay-ms", "60")
        asked = len(server.chats)
    assert (session.status, asked) == (0, 1)
    assert "interrupted" not in session.names()
    assert len(session.all("transcript")) == 1
    assert " ".join(event["text"] for event in session.all("sentence")) == LONG_REPLY


async def test_speaking_over_the_answer_interrupts_it_and_is_understood(home: Path, tmp_path: Path) -> None:
    heard = compose(tmp_path / "heard.wav", QUESTION, 1.0, FOLDER / "ko_read_sentence.wav")
    second_from = len(read_recording(QUESTION, PLAYBACK_RATE)) / PLAYBACK_RATE + 1.0
    async with ModelServer([Reply(text=LONG_REPLY), Reply(text="네, 이어서 말씀해 주세요.")]) as server:
        configure(home, server.base_url)
        session = await listen(home, heard, "--no-wake")
        asked = len(server.chats)
    assert (session.status, asked) == (0, 2)
    wanted = ["transcript", "first_audio", "interrupted", "transcript", "first_audio", "done"]
    assert subsequence(wanted, session.names())
    interrupted, paused = session.first("interrupted"), session.first("overlap")
    assert second_from < paused["t"] < second_from + 1.2
    assert paused["t"] < interrupted["t"] < paused["t"] + 1.2
    assert interrupted["heard"]
    assert LONG_REPLY.startswith(interrupted["heard"])
    again = session.all("first_audio")[1]["t"]
    between = session.spoken[round((paused["t"] + 0.03) * PLAYBACK_RATE) : round(again * PLAYBACK_RATE)]
    assert not between.any()
    said = SAID["ko_read_sentence.wav"][1]
    assert character_error_rate(session.all("transcript")[1]["text"], said) < 0.3
    assert all(before["t"] <= after["t"] for before, after in pairwise(session.trace))


async def test_speaking_over_the_first_words_of_an_answer_loses_no_word(home: Path, tmp_path: Path) -> None:
    question = written(tmp_path / "question.wav", _speech(QUESTION))
    over = written(tmp_path / "over.wav", _speech(FOLDER / "ko_read_sentence.wav"))
    async with ModelServer([Reply(text=LONG_REPLY)]) as server:
        configure(home, server.base_url)
        answered = await listen(home, compose(tmp_path / "alone.wav", 0.5, question, 1.0), "--no-wake")
        wait_s = answered.first("first_audio")["t"] + 0.3 - 0.5 - len(_speech(QUESTION)) / PLAYBACK_RATE
        heard = compose(tmp_path / "heard.wav", 0.5, question, wait_s, over, 1.0)
        session = await listen(home, heard, "--no-wake")
    begun = session.first("first_audio")["t"] + 0.3
    assert begun < session.first("overlap")["t"] <= begun + 0.6
    transcript = session.all("transcript")[1]["text"]
    assert transcript.startswith("그는")
    assert character_error_rate(transcript, SAID["ko_read_sentence.wav"][1]) < 0.3


async def test_a_model_that_cannot_be_reached_is_told_aloud_and_in_the_exit_status(home: Path) -> None:
    async with ModelServer() as server:
        nobody = server.base_url
    configure(home, nobody, language="ko")
    session = await listen(home, QUESTION, "--no-wake")
    assert session.status == 1
    assert session.first("error")["code"] == "network"
    assert session.spoken[round(session.first("first_audio")["t"] * PLAYBACK_RATE) :].any()
    assert "네트워크" in session.first("sentence")["text"]
    assert session.names()[-1] == "listening"


def _cut(path: Path) -> Path:
    whole = QUESTION.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


def _empty(path: Path) -> Path:
    path.touch()
    return path


def _absent(path: Path) -> Path:
    return path


@pytest.mark.parametrize(
    ("make", "key"), [(_absent, "recording_missing"), (_cut, "recording_truncated"), (_empty, "recording_empty")]
)
async def test_a_recording_that_cannot_be_heard_is_named(
    home: Path, tmp_path: Path, make: Callable[[Path], Path], key: str
) -> None:
    configure(home, "http://127.0.0.1:9/v1")
    heard = make(tmp_path / "heard.wav")
    told = await run("--input", heard, "--no-wake")
    assert (told.status, told.errors.strip()) == (1, load_texts("en")(f"error.audio.{key}", device=str(heard)))


async def test_an_output_that_cannot_be_written_is_named(home: Path, tmp_path: Path) -> None:
    configure(home, "http://127.0.0.1:9/v1")
    output = tmp_path / "nowhere" / "answer.wav"
    told = await run("--input", QUESTION, "--output", output)
    assert (told.status, told.errors.strip()) == (
        1,
        load_texts("en")("error.audio.output_unwritable", device=str(output)),
    )


async def test_a_trace_that_cannot_be_written_is_named(home: Path, tmp_path: Path) -> None:
    configure(home, "http://127.0.0.1:9/v1", language="ko")
    trace = _empty(tmp_path / "file") / "trace.json"
    heard = compose(tmp_path / "heard.wav", 0.2)
    told = await run("--input", heard, "--trace", trace)
    assert told.status == 1
    assert str(trace) in told.errors


async def test_a_wake_word_that_no_engine_knows_is_a_mistake_in_the_settings(home: Path) -> None:
    configure(home, "http://127.0.0.1:9/v1", wake_word="nobody_trained_this")
    told = await run("--input", QUESTION)
    assert told.status == 2
    assert "nobody_trained_this" in told.errors
    assert "config.toml" in told.errors


async def test_a_provider_that_is_not_configured_is_a_mistake_in_the_settings(home: Path) -> None:
    configure(home, "http://127.0.0.1:9/v1")
    told = await run("--input", QUESTION, "--provider", "ghost")
    assert told.status == 2
    assert "ghost" in told.errors


@pytest.mark.parametrize(
    ("arguments", "word"),
    [([], "--input"), (["--input", "a.wav", "--pace", "slow"], "slow"), (["--input", "a.wav", "--loud"], "--loud")],
)
async def test_a_mistaken_command_line_is_explained(home: Path, arguments: list[str], word: str) -> None:
    configure(home, "http://127.0.0.1:9/v1")
    told = await run(*arguments)
    assert told.status == 2
    assert word in told.errors


async def test_a_session_is_about_the_project_that_the_command_names(home: Path) -> None:
    configure(home, "http://127.0.0.1:9/v1")
    added = await asyncio.to_thread(run_command, "projects", "add", "집 고치기", "--json")
    quiet = str(FOLDER / "near_silence.wav")
    assert (await run("--input", quiet, "--project", "집 고치기")).status == 0
    with sqlite3.connect(Places(home).database) as database:
        assert database.execute("SELECT project FROM conversations").fetchall() == [(json.loads(added.printed)["id"],)]
    unknown = await run("--input", quiet, "--project", "정원")
    assert (unknown.status, "정원" in unknown.errors) == (1, True)


async def test_what_the_first_question_needs_is_there_before_the_recording_begins(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with ModelServer([Reply(text=REPLY)]) as server:
        configure(home, server.base_url)
        monkeypatch.delitem(sys.modules, "assistant.llm.openai.chat", raising=False)
        ready: list[tuple[bool, int]] = []
        options = ListenOptions(input=QUESTION, output=home / "answer.wav", pace="fast", no_wake=True, language="ko")
        await hear(
            home,
            read_settings(home / "config.toml"),
            options,
            lambda _event: ready.append(("assistant.llm.openai.chat" in sys.modules, len(server.requests))),
        )
    assert ready[0] == (True, 0)
