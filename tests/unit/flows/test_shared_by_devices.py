"""What a user is told of a flow that several devices share, and what happens to it."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from assistant.core.errors import SoriError
from assistant.core.records.flows import FlowHindered, FlowHindrance, FlowPlace
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.flows.answering import FlowAnswering
from assistant.storage.database import Database
from tests.unit.conftest import MakeWorld
from tests.unit.flows.test_in_conversation import COFFEE, NOTHING, ORDER, Talk, text_of


class Account:
    """Implements ``FlowClaims`` with an account that answers what a test wants.

    Attributes:
        hindered: why the flow does not go on.
        where: where it comes from and goes on.
        asked: how often somebody wanted to go on.
        taken: for each of them, whether they wanted it from another device.
        ended: whether another device ends the flow during the next message.
    """

    def __init__(self) -> None:
        self.hindered: FlowHindered | None = None
        self.where = FlowPlace()
        self.asked = 0
        self.taken: list[bool] = []
        self.ended = False

    async def claim(
        self,
        session: str,
        service: str,
        understands: Callable[[Mapping[str, Any]], bool],
        *,
        take_over: bool = False,
    ) -> FlowHindered | None:
        self.taken.append(take_over)
        assert understands({"drink": "tea"})
        assert not understands({"drink": ["tea"]})
        self.asked += 1
        return self.hindered

    async def settled(self, session: str, service: str) -> bool:
        return self.ended

    async def place(self, session: str, service: str) -> FlowPlace:
        return self.where


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
async def talk(make_world: MakeWorld, all_texts: dict[Language, Texts], database: Database, account: Account) -> Talk:
    made = Talk(make_world, all_texts["ko"], database)
    await made.begin()
    made.world.answerer.guided = replace(guided(made), account=account)
    return made


def guided(talk: Talk) -> FlowAnswering:
    found = talk.world.answerer.guided
    assert isinstance(found, FlowAnswering)
    return found


def words(talk: Talk, why: FlowHindrance, device: str = "") -> str:
    return talk.texts(f"flow.hindered.{why}", title="주문", device=device)


@pytest.mark.parametrize("why", FlowHindrance)
def test_every_hindrance_has_words_in_both_languages(all_texts: dict[Language, Texts], why: FlowHindrance) -> None:
    for texts in all_texts.values():
        assert "ZZ" in texts(f"flow.hindered.{why}", title="ZZ", device="D")


async def test_a_flow_that_goes_on_elsewhere_is_not_continued_and_says_where(talk: Talk, account: Account) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("나중에 하자")
    account.hindered = FlowHindered(FlowHindrance.ELSEWHERE, "서재")
    account.where = FlowPlace(elsewhere="서재")
    for text in ("주문 계속", "커피 시켜 줘"):
        assert text_of(await talk.say(text)) == words(talk, FlowHindrance.ELSEWHERE, "서재")
    assert talk.kitchen.made == []


async def test_a_flow_is_taken_from_another_device_once_the_user_was_told_what_that_means(
    talk: Talk, account: Account
) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("나중에 하자")
    account.hindered = FlowHindered(FlowHindrance.ELSEWHERE, "서재")
    account.where = FlowPlace(elsewhere="서재")
    assert await guided(talk).show(talk.world.conversation) is None
    assert text_of(await talk.say("주문 여기서 이어서")) == words(talk, FlowHindrance.ELSEWHERE, "서재")
    assert account.taken[-1:] == [False]
    shown = talk.told[-1]
    assert shown is not None
    assert (shown.parked, shown.stage) == (True, talk.texts("flow.goes_on_at", device="서재"))
    (button,) = shown.buttons
    account.hindered, account.where = None, FlowPlace()
    assert text_of(await talk.say(button.text, NOTHING)) == "coffee를 시킬까요?"
    assert account.taken[-1:] == [True]
    await talk.say("yes")
    assert talk.kitchen.made == ["coffee"]


async def test_a_flow_that_ended_elsewhere_during_a_message_goes_on_no_more(talk: Talk, account: Account) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    account.ended = True
    over = "UPDATE flow_sessions SET standing = 'over'"
    await talk.database.write(lambda connection: connection.execute(over))
    await guided(talk)._settled(talk.world.conversation, "order", {}, ())
    assert talk.told[-1] is None
    await talk.say("yes")
    assert talk.kitchen.made == []


async def test_a_yes_is_refused_without_the_account_and_the_flow_is_put_aside(talk: Talk, account: Account) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    account.hindered = FlowHindered(FlowHindrance.UNREACHABLE)
    assert text_of(await talk.say("yes")) == words(talk, FlowHindrance.UNREACHABLE)
    assert talk.kitchen.made == []
    assert text_of(await talk.say("안녕")) == "안녕하세요."
    account.hindered = None
    assert text_of(await talk.say("주문 계속", NOTHING)) == "coffee를 시킬까요?"
    assert text_of(await talk.say("yes")) == "Ordered coffee. coffee comes"


async def test_the_account_is_asked_after_the_users_yes_and_before_the_step(talk: Talk, account: Account) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    before = account.asked
    await talk.say("yes")
    assert account.asked == before + 1


async def test_a_flow_that_is_put_aside_tells_where_it_began(talk: Talk, account: Account) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    account.where = FlowPlace(began="노트북")
    shown = await guided(talk).leave(talk.world.conversation)
    assert shown is not None
    assert shown.stage == talk.texts("flow.began_on", device="노트북")


async def test_a_flow_that_goes_on_elsewhere_is_not_ended_here(talk: Talk, account: Account) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("나중에 하자")
    account.hindered = FlowHindered(FlowHindrance.ELSEWHERE, "서재")
    with pytest.raises(SoriError) as refused:
        await guided(talk).end(talk.world.conversation)
    assert talk.texts(refused.value.message_key, **refused.value.values) == words(talk, FlowHindrance.ELSEWHERE, "서재")
    assert guided(talk).has_flow(talk.world.conversation)


async def test_a_flow_whose_service_is_missing_here_is_shown_and_left_as_it_is(talk: Talk) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("나중에 하자")
    flows, conversation = guided(talk), talk.world.conversation
    order = flows.services.services["order"]
    flows.services.put("order", None)
    await flows.changed_elsewhere()
    shown = talk.told[-1]
    assert shown is not None
    assert (shown.title, shown.stage, shown.buttons) == ("order", talk.texts("flow.service_missing"), ())
    with pytest.raises(SoriError):
        await flows.end(conversation)
    assert await flows.shown(conversation) == shown
    flows.services.put("order", order)
    assert text_of(await talk.say("주문 계속", NOTHING)) == "coffee를 시킬까요?"


async def test_what_another_device_has_brought_to_an_end_is_no_longer_shown(talk: Talk, account: Account) -> None:
    await talk.say("커피 시켜 줘", ORDER, COFFEE)
    await talk.say("나중에 하자")
    over = "UPDATE flow_sessions SET standing = 'over'"
    await talk.database.write(lambda connection: connection.execute(over))
    account.hindered = FlowHindered(FlowHindrance.OVER)
    assert text_of(await talk.say("주문 계속")) == words(talk, FlowHindrance.OVER)
    assert talk.told[-1] is None
    assert not guided(talk).has_flow(talk.world.conversation)
