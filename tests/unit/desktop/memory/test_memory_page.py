"""The page of the memory: what, from where, edit, forget, undo, history."""

from typing import Any

from pytestqt.qtbot import QtBot

from assistant.core.messages import Message, Role
from assistant.core.records.agents import AgentId, ListedAgent, ListedWorkspace
from assistant.core.records.memory import ListedFact, ListedMemory, MemoryChange, MemoryPlace, PastChange, Scope
from assistant.core.service.request import Request
from assistant.core.service.requests.agents import ListWorkspaces
from assistant.core.service.requests.conversations import FindMessage, MessageFound, OpenConversation
from assistant.core.service.requests.memory import ChangeFact, ForgetFact, ListMemoryChanges, ReadMemory, UndoMemory
from assistant.core.updates import MemoryChanged
from assistant.desktop.memory.fact_history import FactHistory
from assistant.desktop.memory.fact_list import FactList
from assistant.desktop.memory.memory_page import MemoryPage
from tests.fakes.front.connection import DONE, RecordedConnection
from tests.fakes.front.page_needs import page_needs

CAT = ListedFact(scope=Scope.PERSONAL, text="고양이 이름은 나비", since="2026-11-20", source="m1", unasked=True)
OWN = ListedFact(scope=Scope.PERSONAL, text="커피를 좋아해")
SHIP = ListedFact(scope=Scope.WORKSPACE, text="금요일에 배포", since="2026-11-24")
AGENT = ListedAgent(id=AgentId(workspace="work", name="mina"), title="미나", current=False)
WORK = ListedWorkspace(name="work", title="회사", current=True, agents=(AGENT,))
SAID = MessageFound(
    conversation="c1",
    title="고양이",
    message=Message(role=Role.USER, text="우리 고양이는 나비야", id="m1", created_at="2026-11-20T10:00:00+09:00"),
)
CHANGES = (
    PastChange(id="3", at="2026-11-26T09:00:00+09:00", scope=Scope.PERSONAL, removed=True),
    PastChange(
        id="2",
        at="2026-11-25T09:00:00+09:00",
        scope=Scope.AGENT,
        workspace="work",
        agent="mina",
        text="둘",
        former="하나",
        replaced=True,
        undoable=True,
    ),
    PastChange(id="1", at="2026-11-24T09:00:00+09:00", scope=Scope.PERSONAL, text="하나", undoable=True),
)


def answer(request: Request[Any]) -> Any:
    match request:
        case ListWorkspaces():
            return (WORK,)
        case ReadMemory(place=place):
            facts = {Scope.PERSONAL: (OWN, CAT), Scope.WORKSPACE: (SHIP,), Scope.AGENT: ()}[place.scope]
            return ListedMemory(path="memory.md", facts=facts)
        case FindMessage():
            return SAID
        case ListMemoryChanges():
            return CHANGES
        case ForgetFact() | ChangeFact():
            return CAT
        case OpenConversation() | UndoMemory():
            return DONE
    return None


def facts(qtbot: QtBot) -> tuple[FactList, RecordedConnection]:
    connection = RecordedConnection(answer)
    made = FactList(page_needs(connection))
    qtbot.addWidget(made)
    made.show()
    return made, connection


def test_all_memories_are_in_one_list_the_newest_first_with_whose_they_are(qtbot: QtBot) -> None:
    made, connection = facts(qtbot)
    assert [(each.title, each.detail.split(" · ")[0]) for each in made.list.model.rows] == [
        ("금요일에 배포", "작업 공간 회사"),
        ("고양이 이름은 나비", "나에 대한 기억"),
        ("커피를 좋아해", "나에 대한 기억"),
    ]
    places = [each.place for each in connection.sent if isinstance(each, ReadMemory)]
    assert places[-1] == MemoryPlace(scope=Scope.AGENT, workspace="work", agent="mina")
    assert made.kind.values == ["", "작업 공간 회사", "나에 대한 기억"]
    made.search("ㄱㅇㅇ ㄴㅂ")
    assert [each.title for each in made.list.model.rows] == ["고양이 이름은 나비"]


def test_a_fact_tells_the_message_that_it_came_from_and_opens_it(qtbot: QtBot) -> None:
    made, connection = facts(qtbot)
    made.list.choose(made.list.model.rows[1].key)
    assert "출처: “우리 고양이는 나비야” (2026-11-20 10:00, 고양이)" in made.list.words.toPlainText()
    made.list.buttons["open"].click()
    assert connection.sent[-1] == OpenConversation(conversation="c1", message="m1")
    made.show()
    made.list.choose(made.list.model.rows[2].key)
    assert not made.list.buttons["open"].isVisible()
    assert "직접 적은 줄" in made.list.words.toPlainText()


def test_a_fact_is_edited_in_place(qtbot: QtBot) -> None:
    made, connection = facts(qtbot)
    made.list.choose(made.list.model.rows[1].key)
    made.list.buttons["edit"].click()
    assert made.field.text() == CAT.text
    made.field.setText("고양이 이름은 콩")
    made.save.click()
    assert ChangeFact(place=MemoryPlace(), text=CAT.text, words="고양이 이름은 콩") in connection.sent
    assert not made.editor.isVisible()


def test_a_fact_is_forgotten_and_the_change_can_be_undone(qtbot: QtBot) -> None:
    made, connection = facts(qtbot)
    made.list.choose(made.list.model.rows[0].key)
    made.list.buttons["forget"].click()
    place = MemoryPlace(scope=Scope.WORKSPACE, workspace="work")
    assert ForgetFact(place=place, text=SHIP.text) in connection.sent
    made.show_update(MemoryChanged(change=MemoryChange(id="9", scope=Scope.WORKSPACE, text=SHIP.text, removed=True)))
    assert made.told.words.text() == "잊었어요: 금요일에 배포"
    made.told.yes.click()
    assert UndoMemory(change="9") in connection.sent


def test_the_history_names_what_is_gone_as_gone_and_undoes_only_what_it_can(qtbot: QtBot) -> None:
    connection = RecordedConnection(answer)
    made = FactHistory(page_needs(connection))
    qtbot.addWidget(made)
    made.show()
    assert [each.title for each in made.list.model.rows] == ["지금은 남아 있지 않은 내용", "둘", "하나"]
    made.list.choose("3")
    assert not made.list.buttons["undo"].isVisible()
    made.list.choose("2")
    assert "전에는: 하나" in made.list.words.toPlainText()
    made.list.buttons["undo"].click()
    assert UndoMemory(change="2") in connection.sent


def test_the_page_searches_the_part_that_is_shown_and_keeps_the_search(qtbot: QtBot) -> None:
    connection = RecordedConnection(answer)
    page = MemoryPage(page_needs(connection))
    qtbot.addWidget(page)
    assert [name for name, _ in page.parts] == ["facts", "history", "remembering"]
    page.search("하나")
    page.go_to("history")
    history = page.made["history"]
    assert isinstance(history, FactHistory)
    assert [each.title for each in history.list.model.rows] == ["둘", "하나"]
    page.go_to("nothing like it")
    assert page.shown == "history"
