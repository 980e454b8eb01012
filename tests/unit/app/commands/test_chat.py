import asyncio
import io
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.agent.model_choice import EMBEDDED, choose_model, model_of_turn
from assistant.app.cli.options import ChatOptions
from assistant.app.commands.chat.command import message_text, run
from assistant.core.errors import SoriError
from assistant.core.messages import Completion, Message, Role
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.knowledge.reading import ocr
from assistant.llm.embedded.own_models import EMBEDDED_MODEL
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from tests.fakes import documents
from tests.fakes.files_sent import files_in
from tests.fakes.model_server.server import Fault, ModelServer, Reply, refusal, serve_in_thread
from tests.fakes.pictures import PDF, WAV, decoded, drawn, encoded

ROOT = Path(__file__).parents[4]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with serve_in_thread((Reply(text="반가워요."),)) as running:
        yield running


def settings(server: ModelServer, **llm: Any) -> Settings:
    return Settings(
        language="ko",
        llm=LlmSettings(provider="mine", model="m", **llm),
        providers=(
            Provider(name="mine", kind="openai", base_url=server.base_url),
            Provider(name="unreachable", kind="openai", base_url="http://127.0.0.1:1/v1"),
        ),
    )


def stored(home: Path) -> list[Message]:
    async def read() -> list[Message]:
        database = await Database.open(home / "sori.db", SystemClock())
        latest = await ConversationList(database, SystemClock()).last_open()
        messages = await (await ConversationStore.open(database, SystemClock())).messages(latest or "")
        await database.close()
        return list(messages)

    return asyncio.run(read())


def fill(home: Path, texts: list[str]) -> None:
    """Store a conversation of the user's and Sori's messages in turn, which was open last."""

    async def write() -> None:
        database = await Database.open(home / "sori.db", SystemClock())
        store = await ConversationStore.open(database, SystemClock())
        conversation = await store.create()
        for number, text in enumerate(texts):
            await store.add(conversation, Message(role=Role.ASSISTANT if number % 2 else Role.USER, text=text))
        await database.close()

    asyncio.run(write())


def lines(output: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in output.splitlines()]


def test_an_answer_goes_to_standard_output_alone(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, settings(server), ChatOptions(text="안녕")) == 0
    assert capsys.readouterr() == ("반가워요.\n", "")
    assert [message.text for message in stored(tmp_path)] == ["안녕", "반가워요."]


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("몇 시야?", 0),
        ("What time is it?", 0),
        ("5분 타이머 맞춰 줘", 0),
        ("내일 7시에 깨워 줘", 0),
        ("타이머 뭐 있어?", 0),
        ("What alarms are set?", 0),
        ("넌 뭘 할 수 있어?", 0),
        ("How do I change your voice?", 0),
        ("What is the date today?", 0),
        ("오늘 며칠이야?", 0),
        ("안녕", 1),
        ("몇 시에 자는 게 좋아?", 1),
        ("What time is it in your favourite poem?", 1),
        ("타이머가 뭐야?", 1),
    ],
)
def test_models_are_fetched_only_for_a_message_that_needs_one(
    tmp_path: Path, server: ModelServer, text: str, needed: int
) -> None:
    server.script = [Reply(text="네.")]
    fetched = list[str]()
    assert run(tmp_path, settings(server), ChatOptions(text=text, tools=False), lambda: fetched.append(text)) == 0
    assert len(fetched) == len(server.chats) == needed


def test_a_long_conversation_is_summarised_before_the_command_ends(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(tmp_path, ["부산 가는 기차 알려 줘 " + "가" * 60, "아침에 있어요 " + "나" * 60] * 21)
    server.script = [Reply(text="네."), Reply(text="- 부산 기차를 물었다")]
    assert run(tmp_path, settings(server), ChatOptions(text="그래서?", newest=True)) == 0
    assert "요약" in capsys.readouterr().err
    server.script = [Reply(text="좋아요.")]
    assert run(tmp_path, settings(server), ChatOptions(text="또?", newest=True)) == 0
    sent = json.dumps(server.requests[-1].body, ensure_ascii=False)
    assert "이전 대화 요약: - 사용자의 첫 질문: “부산 가는 기차" in sent
    assert "요약" not in capsys.readouterr().err


def test_what_was_begun_anew_is_not_left_in_a_pipe(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = [Reply(text="반만 왔어요.", fault=Fault.CUT, fault_after=2), Reply(text="다 왔어요.")]
    assert run(tmp_path, settings(server), ChatOptions(text="안녕")) == 0
    assert capsys.readouterr().out == "다 왔어요.\n"


def test_a_terminal_gets_the_answer_as_it_comes_with_what_broke_off(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    server.script = [Reply(text="반만 왔어요.", fault=Fault.CUT, fault_after=2), Reply(text="다 왔어요.")]
    assert run(tmp_path, settings(server), ChatOptions(text="안녕")) == 0
    assert capsys.readouterr().out == "반만 왔어\n다 왔어요.\n"


def test_what_had_come_of_an_answer_that_fails_goes_into_a_pipe_once(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = [Reply(text="반만 왔어요.", fault=Fault.CUT, fault_after=2)]
    assert run(tmp_path, settings(server), ChatOptions(text="안녕")) == 1
    assert capsys.readouterr().out == "반만 왔어\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["요약해", "줘:", "-"], "요약해 줘:\n\n긴 글"),
        (["-"], "긴 글"),
        (["3", "-", "1"], "3 - 1"),
        (["안녕", "하세요"], "안녕 하세요"),
    ],
)
def test_a_dash_at_the_end_stands_for_standard_input(words: list[str], message: str) -> None:
    assert message_text(words, io.BytesIO("긴 글\n".encode())) == message


def test_standard_input_that_is_no_text_is_refused() -> None:
    with pytest.raises(SoriError) as refused:
        message_text(["-"], io.BytesIO(b"\xff\xfe\x00"))
    assert refused.value.message_key == "error.input_not_text"


def test_the_embedded_model_can_be_named_as_the_provider(server: ModelServer) -> None:
    usual = settings(server)
    chosen = choose_model(usual, model_of_turn(usual, "embedded"))
    assert (chosen.provider, chosen.model) == (EMBEDDED, EMBEDDED_MODEL)
    ollama = Provider(name="ollama", kind="local", base_url=server.base_url)
    usual = Settings(llm=LlmSettings(provider="ollama", model="qwen3:8b"), providers=(ollama,))
    chosen = choose_model(usual, model_of_turn(usual, "embedded"))
    assert chosen.model == EMBEDDED_MODEL


def test_json_is_one_packet_a_line(tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, settings(server), ChatOptions(text="안녕", json=True)) == 0
    packets = lines(capsys.readouterr().out)
    assert "".join(packet["text"] for packet in packets if packet["type"] == "answer_delta") == "반가워요."
    assert packets[-1]["type"] == "done"
    assert (packets[-1]["finish"], packets[-1]["provider"], packets[-1]["model"]) == ("complete", "mine", "m")
    assert all(list(packet)[:2] == ["type", "turn_index"] for packet in packets)


@pytest.mark.parametrize(("text", "answer"), [("지금 몇 시야?", "지금은 "), ("What day is it?", "Today is ")])
def test_a_plain_command_needs_no_model(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], text: str, answer: str
) -> None:
    assert run(tmp_path, settings(server), ChatOptions(text=text)) == 0
    assert capsys.readouterr().out.startswith(answer)
    assert server.requests == []


def test_a_plain_command_starts_without_libraries_that_it_does_not_use(tmp_path: Path, server: ModelServer) -> None:
    home = tmp_path / "home"
    _make_home(home, server)
    program = """
import sys
from assistant.app.command_line import main
main(["chat", "지금 몇 시야?"])
print(sorted({"numpy", "httpx2", "openai", "PIL", "PySide6", "sounddevice"} & set(sys.modules)))
"""
    environment = {**os.environ, "SORI_HOME": str(home), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    answer, imported = done.stdout.splitlines()
    assert (answer[:4], imported) == ("지금은 ", "[]")


def test_a_timer_that_is_set_here_rings_in_sori_and_that_is_said(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, settings(server), ChatOptions(text="5분 타이머"))
    assert capsys.readouterr() == ("5분 타이머를 시작할게요.\n", "(타이머와 알람은 소리가 켜져 있을 때 울려요.)\n")
    run(tmp_path, settings(server), ChatOptions(text="타이머 얼마나 남았어?"))
    assert capsys.readouterr().out.startswith("5분 타이머는 ")


def test_another_provider_can_be_named(tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]) -> None:
    options = ChatOptions(text="안녕", provider="unreachable")
    assert run(tmp_path, settings(server), options) == 1
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.splitlines()[-1].startswith("네트워크 오류: 이 컴퓨터의 unreachable 서버에 연결되지 않아요.")
    assert server.requests == []


def test_a_key_that_is_refused_is_told_with_the_way_to_store_another(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = [refusal(401, "no")]
    assert run(tmp_path, settings(server), ChatOptions(text="안녕")) == 1
    assert capsys.readouterr().err.splitlines() == [
        "API 키를 확인하세요. mine에서 이 키를 받지 않았어요.",
        "(키 저장하기: sori keys set mine)",
    ]


def test_a_key_that_is_missing_is_told_with_the_way_to_store_it_once(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    mine = Provider(name="mine", kind="openai", base_url=server.base_url, api_key_env="NO_SUCH_KEY")
    keyless = Settings(language="en", llm=LlmSettings(provider="mine", model="m"), providers=(mine,))
    assert run(tmp_path, keyless, ChatOptions(text="hello there")) == 1
    assert capsys.readouterr().err.count("sori keys set mine") == 1


@pytest.mark.parametrize(("stored", "reason"), [("", "api_key_missing"), ("k-1", "authentication")])
def test_the_packet_tells_a_key_that_is_missing_from_one_that_is_refused(
    tmp_path: Path,
    server: ModelServer,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    stored: str,
    reason: str,
) -> None:
    monkeypatch.setenv("SOME_KEY", stored)
    server.script = [refusal(401, "no")]
    mine = Provider(name="mine", kind="openai", base_url=server.base_url, api_key_env="SOME_KEY")
    chosen = Settings(llm=LlmSettings(provider="mine", model="m"), providers=(mine,))
    assert run(tmp_path, chosen, ChatOptions(text="안녕", json=True)) == 1
    (failure,) = [each for each in lines(capsys.readouterr().out) if each["type"] == "error"]
    assert (failure["code"], failure["reason"], failure["provider"]) == ("authentication", reason, "mine")


@pytest.mark.parametrize("as_json", [False, True])
def test_a_damaged_database_is_set_aside_and_that_is_told_beside_the_answer(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    (tmp_path / "sori.db").write_bytes(b"no database" * 1000)
    assert run(tmp_path, settings(server), ChatOptions(text="안녕", json=as_json)) == 0
    (kept,) = tmp_path.glob("sori.db.damaged-*")
    shown = capsys.readouterr()
    assert str(kept) in shown.err
    assert str(kept) not in shown.out


@pytest.mark.parametrize("as_json", [False, True])
def test_an_unknown_provider_is_refused_with_the_known_ones(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str], as_json: bool
) -> None:
    options = ChatOptions(text="안녕", provider="ghost", json=as_json)
    assert run(tmp_path, settings(server), options) == 1
    output = capsys.readouterr()
    said = lines(output.out)[0]["message"] if as_json else output.err
    assert "config.toml" in said
    assert "mine, unreachable, embedded" in said
    assert [packet["type"] for packet in lines(output.out)] == (["error", "done"] if as_json else [])


def sent(server: ModelServer) -> dict[str, Any]:
    """The newest request's body."""
    body = server.chats[-1].body
    assert isinstance(body, dict)
    return body


def test_what_the_command_line_says_of_the_answer_comes_before_the_settings(
    tmp_path: Path, server: ModelServer
) -> None:
    usual = settings(server, temperature=0.5, reasoning=False)
    assert run(tmp_path, usual, ChatOptions(text="안녕", model="other", temperature=0.1, tools=False)) == 0
    assert (sent(server)["model"], sent(server)["temperature"]) == ("other", 0.1)
    assert "tools" not in sent(server)
    assert run(tmp_path, usual, ChatOptions(text="안녕", reasoning_effort="low")) == 0
    assert (sent(server)["model"], sent(server)["reasoning_effort"]) == ("m", "low")
    assert sent(server)["tools"]
    thinking = settings(server, reasoning=True, reasoning_effort="high")
    assert run(tmp_path, thinking, ChatOptions(text="안녕", reasoning=True)) == 0
    assert sent(server)["reasoning_effort"] == "high"
    assert run(tmp_path, thinking, ChatOptions(text="안녕", reasoning=False)) == 0
    assert "reasoning_effort" not in sent(server)


def test_a_model_may_be_named_with_its_provider_and_nobody_steps_in_for_it(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    usual = settings(server, light_model="light", strong_model="strong", fallbacks=("m",))
    assert run(tmp_path, usual, ChatOptions(text="안녕", model="mine/vendor/name")) == 0
    assert sent(server)["model"] == "vendor/name"
    before = len(server.chats)
    assert run(tmp_path, usual, ChatOptions(text="안녕", model="unreachable/m")) == 1
    assert "unreachable" in capsys.readouterr().err
    assert len(server.chats) == before


def test_files_go_with_the_message_in_their_order_and_are_kept_with_it(tmp_path: Path, server: ModelServer) -> None:
    pictures = [drawn(left=(10, 0, 0)), drawn(left=(200, 0, 0))]
    paths = []
    for index, picture in enumerate(pictures):
        paths.append(tmp_path / f"{index}.png")
        paths[-1].write_bytes(encoded(picture))
    (sound := tmp_path / "note.wav").write_bytes(WAV)
    assert run(tmp_path, settings(server), ChatOptions(text="뭐야?", images=tuple(paths), files=(sound,))) == 0
    first, second, third = files_in(sent(server))
    assert [decoded(data).tobytes() for _, data in (first, second)] == [each.tobytes() for each in pictures]
    assert third == ("audio/wav", WAV)
    question, _ = stored(tmp_path)
    assert [(each.name, each.mime_type) for each in question.attachments] == [
        ("0.png", "image/png"),
        ("1.png", "image/png"),
        ("note.wav", "audio/wav"),
    ]


@pytest.mark.parametrize(
    ("name", "content", "key"),
    [
        ("report.pdf", PDF, "file_reason.broken"),
        ("스캔.pdf", documents.pdf("", ""), "file_reason.scanned"),
        ("잠김.hwp", documents.hwp("비밀", properties=3), "file_reason.encrypted"),
        ("all.zip", b"PK\x03\x04" + b"\x00" * 40, "file_reason.broken"),
        ("program.exe", b"MZ\x90\x00" + b"\x00" * 40, "file_reason.unknown_kind"),
        ("drawing.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>", "file_warning.picture"),
        ("보고서.hwp", documents.hwp("매출은 37억 원입니다."), ""),
        ("report.pdf", documents.pdf("Sales rose"), ""),
        ("notes.txt", b"hello", ""),
        ("메모.md", "# 메모".encode(), ""),
        ("lake.png", encoded(drawn()), ""),
    ],
)
def test_a_file_that_the_model_would_not_get_is_told_as_in_the_window_before_anything_is_sent(
    tmp_path: Path,
    server: ModelServer,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
    content: bytes,
    key: str,
) -> None:
    monkeypatch.setattr(ocr, "installed_ocr", lambda: None)
    (path := tmp_path / name).write_bytes(content)
    status = run(tmp_path, settings(server), ChatOptions(text="뭐야?", files=(path,)))
    texts, said = load_texts("ko"), capsys.readouterr().err
    assert (status, len(server.chats)) == ((1, 0) if key else (0, 1))
    if key:
        assert f"{name}: {texts(key, model='m').partition('. ')[0]}" in said
        assert stored(tmp_path) == []


def test_what_only_shows_when_it_is_sent_is_told_then(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (cut := tmp_path / "cut.png").write_bytes(encoded(drawn())[:60])
    assert run(tmp_path, settings(server), ChatOptions(text="뭐야?", images=(cut,))) == 0
    output = capsys.readouterr()
    assert output.out == "반가워요.\n"
    assert "cut.png" in output.err


def test_the_named_model_is_the_one_that_the_files_are_checked_for(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    (report := tmp_path / "report.txt").write_text("매출 " * 30_000)
    for provider, model in ((None, "mine/other"), (None, "other"), ("mine", "other")):
        options = ChatOptions(text="뭐야?", files=(report,), provider=provider, model=model)
        assert run(tmp_path, settings(server), options) == 1
        told = capsys.readouterr().err
        assert load_texts("ko")("file_warning.tokens", model="other", tokens="70,000") in told
        assert "sori files add --project" in told, "what can be done with it"


@pytest.mark.parametrize(
    ("content", "as_image", "words"),
    [
        (None, True, "이런 파일이 없어요"),
        (b"", False, "빈 파일"),
        (b"hello", True, "이미지 파일이 아니에요"),
        (PDF, True, "이미지 파일이 아니에요"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_before_anything_is_sent(
    tmp_path: Path,
    server: ModelServer,
    capsys: pytest.CaptureFixture[str],
    content: bytes | None,
    as_image: bool,
    words: str,
) -> None:
    path = tmp_path / "given.png"
    if content is not None:
        path.write_bytes(content)
    options = ChatOptions(text="뭐야?", images=(path,)) if as_image else ChatOptions(text="뭐야?", files=(path,))
    assert run(tmp_path, settings(server), options) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert str(path) in said.err
    assert words in said.err
    assert server.requests == []
    assert stored(tmp_path) == []


@pytest.mark.parametrize(
    ("reply", "code", "finish"),
    [
        (refusal(401, "Incorrect API key provided.", code="invalid_api_key"), "authentication", "failed"),
        (Reply(text="하나 둘 셋 넷", fault=Fault.NO_FINISH, fault_after=4), "incomplete", "incomplete"),
        (Reply(text=""), "empty_response", "failed"),
    ],
)
def test_an_error_is_a_packet_and_a_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reply: Reply, code: str, finish: str
) -> None:
    with serve_in_thread((reply,)) as server:
        assert run(tmp_path, settings(server), ChatOptions(text="안녕", json=True)) == 1
    error, done = lines(capsys.readouterr().out)[-2:]
    assert (error["type"], error["code"], done["type"], done["finish"]) == ("error", code, "done", finish)


def test_no_answer_in_time_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with serve_in_thread((Reply(text="늦어요", first_token_s=60),)) as server:
        slow = settings(server, first_byte_timeout_s=0.2, loading_timeout_s=0.2)
        assert run(tmp_path, slow, ChatOptions(text="안녕")) == 1
    assert "응답 시간 초과" in capsys.readouterr().err


def test_a_server_on_this_machine_may_load_its_model_and_the_user_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_in_thread((Reply(text="다 읽었어요.", first_token_s=0.5),)) as server:
        slow = settings(server, first_byte_timeout_s=0.2, loading_timeout_s=60)
        assert run(tmp_path, slow, ChatOptions(text="안녕")) == 0
    out, err = capsys.readouterr()
    assert out == "다 읽었어요.\n"
    assert "불러오거나" in err


def test_an_answer_goes_on_while_text_comes_and_the_user_is_told_that_it_takes_long(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serve_in_thread((Reply(text="천천히 " * 20, tokens_per_second=30),)) as server:
        slow = settings(server, total_timeout_s=0.3)
        assert run(tmp_path, slow, ChatOptions(text="안녕")) == 0
    out, err = capsys.readouterr()
    assert "".join(out.split()).count("천천히") == 20
    assert err.count("길어지고") == 1


def test_a_folder_that_cannot_be_used_is_told(
    tmp_path: Path, server: ModelServer, capsys: pytest.CaptureFixture[str]
) -> None:
    home = tmp_path / "file"
    home.write_text("")
    assert run(home, settings(server), ChatOptions(text="안녕")) == 1
    assert str(home / "sori.db") in capsys.readouterr().err


CONFIG = """
language = "ko"
[llm]
provider = "mine"
model = "m"
[[providers]]
name = "mine"
kind = "openai"
base_url = "{url}"
"""


def _make_home(home: Path, server: ModelServer) -> None:
    home.mkdir()
    (home / "config.toml").write_text(CONFIG.format(url=server.base_url), encoding="utf-8")


async def _chat_process(home: Path, server: ModelServer) -> asyncio.subprocess.Process:
    _make_home(home, server)
    return await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "assistant.app.command_line", "chat", "--json", "세어 봐"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "SORI_HOME": str(home), "PYTHONPATH": str(ROOT)},
    )


async def _shown_text(process: asyncio.subprocess.Process, at_least: int) -> str:
    """The answer's text as it has been shown, once there is enough of it."""
    assert process.stdout is not None
    text = ""
    while len(text) < at_least:
        packet = json.loads(await process.stdout.readline())
        text += packet.get("text", "")
    return text


ENDLESS = Reply(text="하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열 " * 50, tokens_per_second=20)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP"])
async def test_a_signal_stops_the_answer_and_keeps_what_had_arrived(tmp_path: Path, name: str) -> None:
    number = signal.Signals[name]
    async with ModelServer((ENDLESS,)) as server:
        process = await _chat_process(tmp_path / "home", server)
        shown = await _shown_text(process, 8)
        process.send_signal(number)
        assert process.stdout is not None
        rest = lines((await process.stdout.read()).decode())
        assert await process.wait() == 128 + number
    assert (rest[-1]["type"], rest[-1]["finish"]) == ("done", "cancelled")
    shown += "".join(packet.get("text", "") for packet in rest)
    _, answer = await asyncio.to_thread(stored, tmp_path / "home")
    assert (answer.text, answer.completion) == (shown, Completion.CANCELLED)


async def test_a_kill_in_the_middle_leaves_the_exchange_that_was_begun_among_what_was_used(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with ModelServer((ENDLESS,)) as server:
        process = await _chat_process(home, server)
        await _shown_text(process, 1)
        process.kill()
        await process.wait()
    told = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "assistant.app.command_line", "usage", "--json"),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "SORI_HOME": str(home), "PYTHONPATH": str(ROOT)},
    )
    (row,) = json.loads((await told.communicate())[0])["rows"]
    assert (row["model"], row["exchanges"], row["requests"], row["interrupted"]) == ("mine/m", 1, 1, 1)
    assert (row["failures"], row["input"], row["cost"], row["total_p50_ms"]) == (0, None, None, None)


async def test_a_kill_in_the_middle_keeps_the_question_and_nearly_all_of_the_answer(tmp_path: Path) -> None:
    async with ModelServer((ENDLESS,)) as server:
        process = await _chat_process(tmp_path / "home", server)
        shown = await _shown_text(process, 30)
        process.kill()
        await process.wait()
    question, answer = await asyncio.to_thread(stored, tmp_path / "home")
    assert (question.text, question.completion) == ("세어 봐", Completion.COMPLETE)
    assert (answer.completion, answer.error) == (Completion.INCOMPLETE, "incomplete")
    # Text is written down four times a second, and twenty tokens a second arrive.
    assert answer.text
    assert shown.startswith(answer.text) or answer.text.startswith(shown)


def test_a_message_goes_on_with_the_newest_or_the_named_conversation(
    server: ModelServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def ask(text: str, **which: Any) -> list[str]:
        assert run(tmp_path, settings(server), ChatOptions(text=text, **which)) == 0
        sent = server.chats[-1].body["messages"]
        return [each["content"].split("\n\n")[-1] for each in sent if each["role"] == "user"]

    assert ask("제주 이야기") == ["제주 이야기"]
    assert ask("부산 이야기") == ["부산 이야기"]
    assert ask("그리고?", newest=True) == ["부산 이야기", "그리고?"]
    assert ask("다시 제주", conversation="제주") == ["제주 이야기", "다시 제주"]

    capsys.readouterr()
    assert run(tmp_path, settings(server), ChatOptions(text="어디?", conversation="강릉 이야기")) == 1
    assert "제주 이야기" in capsys.readouterr().err
