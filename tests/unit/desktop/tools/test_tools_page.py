"""The page of tools: servers are approved as shown, switched and removed; tools ask; grants are taken back."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.permissions import Category
from assistant.core.records.mcp import (
    ConfiguredMcpServer,
    McpApproval,
    McpListing,
    McpPermission,
    McpServerState,
    McpStatus,
)
from assistant.core.records.tools import ListedTool
from assistant.core.service.request import Refusal
from assistant.core.service.requests import mcp as rq
from assistant.core.service.requests.agents import ListTools
from assistant.core.service.requests.grants import ForgetGrants, LastingGrants, LetToolsAsk, ListGrants, SwitchTools
from assistant.desktop.tools.add_form import entry_of_words
from assistant.desktop.tools.tools_page import ToolsPage
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

NEW = ConfiguredMcpServer(name="files", permission=McpPermission.UNAPPROVED, what="npx -y files /home/me")
USED = ConfiguredMcpServer(
    name="files",
    permission=McpPermission.APPROVED,
    what="npx -y files /home/me",
    tools=(("read", Category.SENSITIVE), ("delete", Category.RESTRICTED)),
)
OFFER = McpApproval(server="files", lines=("  Command  npx -y files /home/me",), digest="d1", given=False)
TOOLS = (
    ListedTool(name="current_time", category=Category.SAFE, offered=True, told=True, asks=False),
    ListedTool(name="set_timer", category=Category.SENSITIVE, offered=True, told=True, asks=False),
    ListedTool(name="run_command", category=Category.RESTRICTED, offered=False, told=False, asks=True),
    ListedTool(name="mcp_files_read", category=Category.SENSITIVE, offered=True, told=True, asks=True),
)
GRANTS = LastingGrants(asks={"set_timer": False}, always=("server:web", "folder:/home/me/문서"))


class Opened:
    """The page with the connection that it asks."""

    def __init__(self, qtbot: QtBot, language: str) -> None:
        self.connection = RecordedConnection()
        self.page = ToolsPage(page_needs(self.connection, language, conversation=lambda: "here"))
        qtbot.addWidget(self.page)
        self.page.show()

    def servers(self, *servers: ConfiguredMcpServer, problems: tuple[str, ...] = (), **state: object) -> None:
        states = tuple(
            McpServerState(name=each.name, **{"status": McpStatus.READY, **state})  # type: ignore[arg-type]
            for each in servers
        )
        self.connection.reply(
            rq.ListMcpServers, McpListing(path="mcp.json", configured=servers, states=states, problems=problems)
        )

    def tools(self, grants: LastingGrants = GRANTS) -> None:
        self.connection.reply(ListGrants, grants)
        self.connection.reply(ListTools, TOOLS)


@pytest.fixture(params=["ko", "en"])
def opened(qtbot: QtBot, request: pytest.FixtureRequest) -> Opened:
    return Opened(qtbot, request.param)


def test_nothing_is_approved_but_what_was_shown(opened: Opened) -> None:
    opened.servers(NEW)
    card = opened.page.cards["files"]
    assert card.approve.isHidden(), "who has not seen it approves nothing"
    card.review.click()
    opened.connection.reply(rq.ShowMcpApproval, OFFER)
    assert "npx -y files /home/me" in card.sheet.toPlainText()
    QTest.keyClick(card.approve, Qt.Key.Key_Space)
    assert opened.connection.sent[-1] == rq.ApproveMcpServer(server="files", digest="d1")
    refused = Refusal(code=ErrorCode.INVALID_REQUEST, reason="mcp_changed", message="It is another one now.")
    opened.connection.reply(rq.ApproveMcpServer, refused)
    assert card.trouble.text() == "It is another one now."
    assert not card.review.isHidden(), "it can be looked at again"


def test_a_server_that_is_added_is_shown_to_be_approved(opened: Opened) -> None:
    form = opened.page.form
    QTest.keyClicks(form.name, "files")
    QTest.keyClicks(form.what, "npx -y files '/home/me and you'")
    QTest.keyClick(form.what, Qt.Key.Key_Return)
    entry = {"command": "npx", "args": ["-y", "files", "/home/me and you"]}
    assert opened.connection.sent[-1:] == [rq.PutMcpServer(server="files", entry=entry)]
    opened.connection.reply(rq.PutMcpServer, None)
    opened.servers(NEW)
    assert opened.connection.sent[-1:] == [rq.ShowMcpApproval(server="files")]
    assert form.name.text() == ""
    QTest.keyClicks(form.name, "files")
    QTest.keyClicks(form.what, "other")
    form.add.click()
    assert form.trouble.text(), "a server of this name is there already"
    assert not isinstance(opened.connection.sent[-1], rq.PutMcpServer)


WORDS: tuple[tuple[str, dict[str, object]], ...] = (
    ("npx -y some-server", {"command": "npx", "args": ["-y", "some-server"]}),
    ("'/opt/my app/run' --all", {"command": "/opt/my app/run", "args": ["--all"]}),
    ("uvx server; rm -rf /", {"command": "uvx", "args": ["server;", "rm", "-rf", "/"]}),
    ("echo $HOME `id` $(id)", {"command": "echo", "args": ["$HOME", "`id`", "$(id)"]}),
    ("a && b | c > d", {"command": "a", "args": ["&&", "b", "|", "c", ">", "d"]}),
    ("서버 --언어 한국어", {"command": "서버", "args": ["--언어", "한국어"]}),
    ("https://example.org/mcp", {"url": "https://example.org/mcp"}),
    ("http://127.0.0.1:9/mcp?x=1", {"url": "http://127.0.0.1:9/mcp?x=1"}),
    ("httpd --port 80", {"command": "httpd", "args": ["--port", "80"]}),
    ("tool ''", {"command": "tool", "args": [""]}),
)


@pytest.mark.parametrize(("words", "entry"), WORDS)
def test_a_command_is_words_and_no_shell_reads_them(words: str, entry: dict[str, object]) -> None:
    assert entry_of_words(words) == entry


def test_an_open_quote_is_told(opened: Opened) -> None:
    opened.page.form.name.setText("x")
    opened.page.form.what.setText("run 'it")
    opened.page.form.add.click()
    assert opened.page.form.trouble.text()
    assert not any(isinstance(each, rq.PutMcpServer) for each in opened.connection.sent)


def test_a_server_is_switched_restarted_graded_and_removed(opened: Opened) -> None:
    opened.servers(USED, tools=2)
    card, sent = opened.page.cards["files"], opened.connection.sent
    assert list(card.lines) == ["read", "delete"]
    QTest.keyClick(card.switch, Qt.Key.Key_Space)
    assert sent[-1:] == [rq.SwitchMcpServer(server="files", enabled=False)]
    card.restart.click()
    assert sent[-1:] == [rq.RestartMcpServer(server="files")]
    card.lines["read"].category.choose("restricted")
    assert sent[-1:] == [rq.SetMcpCategory(server="files", category=Category.RESTRICTED, tool="read")]
    card.category.choose("safe")
    assert sent[-1:] == [rq.SetMcpCategory(server="files", category=Category.SAFE)]
    card.revoke.click()
    assert sent[-1:] == [rq.RevokeMcpServer(server="files")]
    card.remove.click()
    assert not isinstance(sent[-1], rq.RemoveMcpServer), "the first press asks"
    card.remove.click()
    assert sent[-1:] == [rq.RemoveMcpServer(server="files")]
    opened.connection.reply(rq.RemoveMcpServer, True)
    opened.servers()
    assert not opened.page.cards


def test_a_dead_server_says_why_and_shows_its_log(opened: Opened) -> None:
    opened.servers(USED, status=McpStatus.STOPPED, reason="npx is not installed")
    card = opened.page.cards["files"]
    assert "npx is not installed" in card.trouble.text()
    card.show_log.click()
    assert opened.connection.sent[-1] == rq.ReadMcpLog(server="files")
    opened.connection.reply(rq.ReadMcpLog, "sh: npx: not found")
    assert card.log.toPlainText() == "sh: npx: not found"
    card.show_log.click()
    assert card.log.isHidden()


def test_a_broken_file_is_told_where_the_servers_are(opened: Opened) -> None:
    opened.servers(problems=("mcp.json, line 3: not JSON",))
    assert opened.page.trouble.text() == "mcp.json, line 3: not JSON"
    opened.page.refresh()
    opened.servers()
    assert opened.page.trouble.isHidden()


def test_tools_tell_what_they_may_do_and_can_be_let_ask(opened: Opened, qtbot: QtBot) -> None:
    opened.tools()
    own = opened.page.own
    qtbot.waitUntil(lambda: len(own) == len(TOOLS))
    assert list(own) == [each.name for each in TOOLS]
    assert [line.asks.isHidden() for line in own.values()] == [True, False, True, True]
    own["set_timer"].asks.click()
    assert opened.connection.sent[-1] == LetToolsAsk(tools=("set_timer",), asks=True)
    opened.connection.reply(LetToolsAsk, LastingGrants(asks={"set_timer": True}, always=()))
    opened.connection.reply(ListTools, TOOLS)
    own["set_timer"].asks.click()
    assert opened.connection.sent[-1] == LetToolsAsk(tools=("set_timer",), asks=False)


@pytest.mark.parametrize("name", ["current_time", "mcp_files_read"])
def test_a_tool_is_switched_off_and_on(opened: Opened, qtbot: QtBot, name: str) -> None:
    opened.tools()
    qtbot.waitUntil(lambda: name in opened.page.own)
    line, texts = opened.page.own[name], opened.page.texts
    for on in (False, True):
        QTest.keyClick(line.use, Qt.Key.Key_Space)
        assert opened.connection.sent[-1] == SwitchTools(tools=(name,), on=on)
        opened.connection.reply(SwitchTools, GRANTS)
        opened.connection.reply(ListTools, tuple(replace(each, off=not on and each.name == name) for each in TOOLS))
        assert (line.use.isChecked(), texts("desktop.tools.is_off") in line.facts.text()) == (on, not on)


def test_what_was_always_allowed_is_taken_back(opened: Opened) -> None:
    opened.tools()
    row = opened.page.allowed["folder:/home/me/문서"]
    (again,) = row.findChildren(QPushButton)
    again.click()
    assert opened.connection.sent[-1] == ForgetGrants(keys=("folder:/home/me/문서",), conversation="here")
    opened.connection.reply(ForgetGrants, LastingGrants(asks={}, always=("server:web",), here=("conversation:run",)))
    assert list(opened.page.allowed) == ["server:web", "conversation:run"]


def test_everything_has_a_name_and_is_reached_by_keys(opened: Opened) -> None:
    opened.servers(USED, tools=2, reason="it has ended")
    opened.tools()
    for part in (*opened.page.findChildren(QAbstractButton), *opened.page.findChildren(QLineEdit)):
        if part.isVisibleTo(opened.page) and not isinstance(part.parentWidget(), QLineEdit):
            assert part.accessibleName() or part.property("text"), part
            assert part.focusPolicy() & Qt.FocusPolicy.TabFocus, part.accessibleName()


@pytest.mark.parametrize("width", [480, 860])
def test_nothing_is_cut_off(opened: Opened, qtbot: QtBot, width: int) -> None:
    opened.servers(USED, tools=2)
    opened.tools()
    opened.page.resize(width, 700)
    qtbot.wait(1)
    content = opened.page.area.widget()
    assert content is not None
    assert content.minimumSizeHint().width() <= opened.page.area.viewport().width()
