"""A day of use in the terminal, over three starts of the program in one home, one of which ends by kill -9.

The model is scripted: a request selects what it answers. Everything else is real: processes, terminal, database,
configuration files, an MCP server, a web server.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.host.texts import load_texts
from tests.e2e.day.scripted_day import CANARY, LONG_ANSWER, LONG_QUESTION, ScriptedModel, served_site
from tests.e2e.in_process import run_command
from tests.e2e.terminal import CTRL_D, Terminal, screenless
from tests.fakes.model_server.server import ModelServer, serve_in_thread
from tests.fakes.model_server.sori_settings import scripted_settings
from tests.fakes.site import Site

ROOT = Path(__file__).parents[3]
TEXTS = load_texts("ko")
PROMPT = TEXTS("console.prompt")
BIRTHDAY = "내 생일은 5월 3일"
PERSONA = "너는 텃밭을 돌보는 도치다."
CONTEXT_SIZE = 11_000

pytestmark = [
    pytest.mark.timeout(300),
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are POSIX's"),
]


class Day:
    """One home, its model and its web.

    Args:
        home: the folder of Sori's data.
        server: the model.
        site: the web server.
    """

    def __init__(self, home: Path, server: ModelServer, site: Site) -> None:
        self.home, self.server, self.site = home, server, site

    def sori(self, *arguments: str) -> str:
        """Run a command and return what it printed."""
        outcome = run_command(*arguments)
        assert outcome.status == 0, outcome.errors
        return outcome.printed

    def chat(self, *arguments: str) -> Terminal:
        """Start ``sori chat`` in a terminal."""
        environment = screenless(self.home) | {"PYTHONPATH": str(ROOT)}
        script = str(Path(__file__).with_name("networked_sori.py"))
        return Terminal([sys.executable, script, "chat", *arguments], ROOT, environment)

    def newest_request(self) -> str:
        """Everything that the model was sent last, as one text."""
        return "\n".join(str(message["content"]) for message in self.server.chats[-1].body["messages"])


def ask(terminal: Terminal, text: str, answer: str) -> None:
    """Type a message, and wait for its answer and the next prompt."""
    terminal.type(text)
    terminal.expect(answer)
    terminal.expect(PROMPT)


def confirm(terminal: Terminal, request: str, call: str, reply: str, answer: str) -> None:
    """Ask for something that needs a confirmation, reply to it, and wait for the answer."""
    terminal.type(request)
    terminal.expect(call)
    terminal.expect(TEXTS("console.ask"))
    ask(terminal, reply, answer)


def await_server(terminal: Terminal) -> None:
    """Ask for the MCP servers until one is ready; its process starts beside the conversation."""
    ready = TEXTS("mcp.status.ready", count=0).partition("0")[0]
    while ready not in terminal.screen:
        ask(terminal, "/mcp", "odd")


@pytest.fixture
def day(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Day]:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    (tmp_path / "shell" / "fields").mkdir(parents=True)
    with served_site() as site, serve_in_thread(ScriptedModel(site.port)) as server:
        more = f"""
[context]
max_size = {CONTEXT_SIZE}
summary = false
[memory]
automatic = false
[shell]
folder = {json.dumps(str(tmp_path / "shell"))}
"""
        settings = scripted_settings(server.base_url, more)
        (tmp_path / "config.toml").write_text(settings, encoding="utf-8")
        yield Day(tmp_path, server, site)


def test_a_day(day: Day) -> None:
    set_up(day)
    conversation = morning(day)
    noon(day, conversation)
    evening(day, conversation)
    night(day)


def set_up(day: Day) -> None:
    """Make a workspace with an agent, and approve an MCP server after its command was shown."""
    day.sori("workspaces", "add", "garden", "--title", "텃밭")
    options = ["--display-name", "도치", "--persona", PERSONA, "--permitted", "safe,sensitive,restricted"]
    day.sori("agents", "add", "dochi", "--workspace", "garden", *options)
    command = [sys.executable, str(ROOT / "tests" / "fakes" / "mcp" / "odd_server.py")]
    assert " ".join(command) in day.sori("mcp", "add", "odd", "--", *command)
    day.sori("mcp", "approve", "odd", "--yes")


def morning(day: Day) -> str:
    """Talk to agents, set a timer, read a page, use tools. Returns the conversation of the morning."""
    with day.chat() as it:
        it.expect(PROMPT)
        ask(it, f"{BIRTHDAY}이라고 기억해 줘", TEXTS("console.remembered_personal", fact=f"{BIRTHDAY}이다"))
        ask(it, "/workspace garden", "텃밭")
        ask(it, "도치 에이전트로 바꿔 줘", "도치 에이전트로 바꿨어요")
        ask(it, "1초 타이머 맞춰 줘", "타이머를 시작할게요")
        it.expect("타이머가 끝났어요")
        ask(it, "그만", "네, 멈출게요.")
        ask(it, "안녕하세요", "네, 잘 들었어요.")
        assert PERSONA in day.newest_request()
        assert BIRTHDAY in day.newest_request()
        await_server(it)
        confirm(it, "메아리를 들려줘", "글: 메아리", "y", "도구에서 메아리를 들었어요.")
        confirm(it, "밭 폴더를 지워 줘", "rm -rf fields", "n", "그럼 하지 않을게요.")
        assert (day.home / "shell" / "fields").is_dir()
        page = f"{day.site.url('/fig', 'garden.example')} 무화과 글을 읽고 요약해 줘"
        confirm(it, page, CANARY, "n", "요약하면, 무화과는")
        assert [head.split(" ")[1] for head in day.site.asked] == ["/fig"]
        it.press(CTRL_D)
        assert it.status() == 0
        assert "Traceback" not in it.screen
    return str(json.loads(day.sori("conversations", "list", "--json"))[0]["id"])


def noon(day: Day, conversation: str) -> None:
    """Go on far beyond the limit of the context, and crash in the middle of an answer."""
    with day.chat("--conversation", conversation) as it:
        it.expect(PROMPT)
        for number in range(6):
            ask(it, f"{number}번째 이야기야. {LONG_QUESTION}", "네, 잘 들었어요.")
        sent = day.newest_request()
        assert len(sent) <= CONTEXT_SIZE
        assert "5번째 이야기야" in sent
        assert "0번째 이야기야" not in sent
        assert PERSONA in sent
        assert TEXTS("chat.trimmed") in it.screen or TEXTS("chat.trimmed_by_estimate") in it.screen
        it.type("길게 말해 줘")
        for _ in range(3):  # A growing answer is saved several times a second.
            it.expect("아홉 열")
        it.kill()


def evening(day: Day, conversation: str) -> None:
    """After the crash nothing is lost, and the answer is marked as incomplete."""
    with day.chat("--continue") as it:
        it.expect("길게 말해 줘")
        it.expect("하나 둘 셋")
        it.expect(TEXTS("desktop.mark.incomplete"))
        it.expect(PROMPT)
        ask(it, "잘 지냈어?", "네, 잘 들었어요.")
        assert BIRTHDAY in day.newest_request()
        assert "하나 둘 셋" in day.newest_request()
        assert LONG_ANSWER.strip() not in day.newest_request()
        it.press(CTRL_D)
        assert it.status() == 0
    shown = day.sori("conversations", "show", conversation)
    for number in range(6):
        assert f"{number}번째 이야기야" in shown


def shown_conversations(day: Day) -> list[str]:
    """All conversations as they are shown, in an order that does not depend on their ids."""
    listed = json.loads(day.sori("conversations", "list", "--json"))
    return sorted(day.sori("conversations", "show", each["id"]) for each in listed)


def night(day: Day) -> None:
    """Take the history away and bring it back; look at what was done and what was sent."""
    file = day.home / "all.json"
    listed = json.loads(day.sori("conversations", "list", "--json"))
    day.sori("conversations", "export", "--all", "--output", str(file))
    before = shown_conversations(day)
    for each in listed:
        day.sori("conversations", "delete", "--yes", each["id"])
    assert json.loads(day.sori("conversations", "list", "--json")) == []
    day.sori("conversations", "import", str(file))
    assert shown_conversations(day) == before
    assert "[무화]과는 볕을" in day.sori("conversations", "search", "무화")

    audited = json.loads(day.sori("audit", "--json"))
    assert [(each["tool"], each["decision"], each["answer"], each["end"]["outcome"]) for each in audited] == [
        ("mcp_odd_echo", "ask", "yes", "done"),
        ("run_command", "ask", "no", "refused"),
        ("open_url", "run", "", "done"),
        ("open_url", "ask", "no", "refused"),
    ]
    hosts = {each["destination"] for each in json.loads(day.sori("egress", "--json"))}
    assert hosts == {f"http://garden.example:{day.site.port}"}
