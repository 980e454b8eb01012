"""Who answers a question about a tool must have been granted the tool's category, and sensitive tools (X-05)."""

from typing import Any, cast

import pytest

from assistant.agent.questions import Presented
from assistant.core import packets as pk
from assistant.core.errors import SoriError
from assistant.core.machine.states import TurnId
from assistant.core.permissions import Category
from assistant.core.service.grant import OWNER, Grant
from assistant.core.service.request import ClientId, Right
from assistant.core.service.requests.turns import GiveAnswer, QuestionShown
from assistant.engine.domains.turns import Turns
from assistant.engine.serving.hub import Hub
from assistant.engine.serving.table import Asker, RequestTable
from assistant.host.texts import load_texts
from tests.fakes.front.asking import ask

SAFE, SENSITIVE, RESTRICTED = Category.SAFE, Category.SENSITIVE, Category.RESTRICTED
CATEGORIES = {"look": SAFE, "remember": SENSITIVE, "run": RESTRICTED}


class AskingBoard:
    """A board with one open question."""

    def __init__(self, tool: str) -> None:
        self.answered: list[str] = []
        self.shown: list[str] = []
        self._ask = pk.Ask(
            turn_index=0, question="q", kind="k", text="?", choices=("yes", "no"), within_s=30, tool=tool
        )

    def question(self, turn: TurnId, question: str) -> pk.Ask | None:
        return self._ask if question == "q" else None

    def present(self, turn: TurnId, question: str, how: Presented = Presented.SHOWN) -> None:
        self.shown.append(question if how is Presented.SHOWN else how.value)

    def answer(self, turn: TurnId, question: str, choice: str, text: str) -> bool:
        self.answered.append(choice)
        return question == "q"


def asking(tool: str) -> tuple[Turns, AskingBoard]:
    board, nobody = AskingBoard(tool), cast(Any, None)
    hub = Hub(load_texts("en"))
    return Turns(cast(Any, board), nobody, nobody, hub, lambda name: CATEGORIES.get(name, RESTRICTED)), board


@pytest.mark.parametrize(
    ("tool", "granted", "may"),
    [
        ("look", {SAFE}, False),
        ("look", {SAFE, SENSITIVE}, True),
        ("remember", {SAFE}, False),
        ("remember", {SENSITIVE}, True),
        ("remember", {SAFE, SENSITIVE}, True),
        ("run", {SAFE, SENSITIVE}, False),
        ("run", {SAFE, RESTRICTED}, False),
        ("run", {SAFE, SENSITIVE, RESTRICTED}, True),
        ("gone", {SAFE, SENSITIVE}, False),
        ("gone", {SAFE, SENSITIVE, RESTRICTED}, True),
        ("", {SAFE}, False),
        ("", {SAFE, SENSITIVE}, True),
    ],
)
@pytest.mark.parametrize("choice", ["yes", "no", "always"])
async def test_consent_needs_the_category(tool: str, granted: set[Category], may: bool, choice: str) -> None:
    turns, board = asking(tool)
    grant = Grant(categories=frozenset(granted))
    request = GiveAnswer(turn=TurnId("t"), question="q", choice=choice)
    if may:
        await ask(turns, request, grant)
        assert board.answered == [choice]
        return
    with pytest.raises(SoriError) as refused:
        await ask(turns, request, grant)
    assert refused.value.reason == "not_permitted"
    assert board.answered == []


@pytest.mark.parametrize("tool", ["look", "remember", ""])
@pytest.mark.parametrize(
    ("choice", "managed", "may"),
    [
        ("always", False, False),
        ("always", True, True),
        ("yes", False, True),
        ("no", False, True),
        ("no_to_all", False, True),
        ("text", False, True),
        ("skip", False, True),
        ("yes", True, True),
    ],
)
async def test_consent_for_later_calls_needs_the_right_to_manage(
    tool: str, choice: str, managed: bool, may: bool
) -> None:
    rights = {Right.USE, Right.MANAGE} if managed else {Right.USE}
    grant = Grant(rights=frozenset(rights), categories=frozenset({SAFE, SENSITIVE}))
    turns, board = asking(tool)
    request = GiveAnswer(turn=TurnId("t"), question="q", choice=choice)
    if may:
        await ask(turns, request, grant)
        assert board.answered == [choice]
        return
    with pytest.raises(SoriError) as refused:
        await ask(turns, request, grant)
    assert refused.value.reason == "not_permitted"
    assert board.answered == []


@pytest.mark.parametrize(
    ("tool", "granted", "may"),
    [
        ("remember", {SAFE}, False),
        ("look", {SAFE}, False),
        ("", {SAFE}, False),
        ("run", {SAFE, SENSITIVE}, False),
        ("remember", {SAFE, SENSITIVE}, True),
        ("run", {SAFE, SENSITIVE, RESTRICTED}, True),
    ],
)
async def test_only_who_may_answer_starts_the_time_of_a_question(tool: str, granted: set[Category], may: bool) -> None:
    turns, board = asking(tool)
    grant = Grant(categories=frozenset(granted))
    request = QuestionShown(turn=TurnId("t"), question="q")
    if may:
        await ask(turns, request, grant)
    else:
        with pytest.raises(SoriError, match="consent"):
            await ask(turns, request, grant)
    assert board.shown == (["q"] if may else [])


async def test_a_question_is_held_until_the_last_client_that_looks_closely_lets_go_or_leaves() -> None:
    hub, board = Hub(load_texts("en")), AskingBoard("look")
    turns = Turns(cast(Any, board), cast(Any, None), cast(Any, None), hub, lambda _: SAFE)

    async def hold(client: str, held: bool) -> None:
        request = QuestionShown(turn=TurnId("t"), question="q", held=held)
        asker = Asker(client=ClientId(client), grant=OWNER)
        await RequestTable(turns).admit(request, asker).handler(request, asker)

    await hold("window", True)
    await hold("browser", True)
    await hold("window", False)
    await hold("window", False)
    assert board.shown == ["held", "held"]
    hub.left.tell(ClientId("browser"))
    assert board.shown == ["held", "held", "released"]
    hub.left.tell(ClientId("browser"))
    assert len(board.shown) == 3
