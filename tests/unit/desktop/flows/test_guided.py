"""A guided flow in the window, with the real engine and Sori's transfer: bar, question, change, yes."""

import pytest

from assistant.desktop.questions.ask_card import AskCard
from tests.unit.desktop.flows.conftest import Person

pytestmark = [pytest.mark.long, pytest.mark.timeout(180)]


def begin(person: Person) -> None:
    person.says("send 30,000 won to Kookmin Bank 123-45-678901", waits=False)
    person.until(lambda: not person.window._parts.flow.isHidden() and open_cards(person) != [])


def open_cards(person: Person) -> list[AskCard]:
    return [each for each in person.window.findChildren(AskCard) if each.yes.isVisible()]


def last(person: Person) -> str:
    return person.rows[-1] if person.rows else ""


def test_a_transfer_is_changed_in_its_question_and_confirmed_by_a_message(person: Person) -> None:
    bar = person.window._parts.flow
    begin(person)
    person.until(lambda: bar.words.text() == "Transfer · Waits for your yes")
    assert bar.buttons == []  # The question has its own.
    change = "make it 40,000 won"
    person.says(change, waits=False)
    person.until(lambda: last(person) != change and "40,000" in last(person) and len(open_cards(person)) == 1)
    person.says("yes", waits=False)
    person.until(lambda: "960,000" in last(person))
    person.until(bar.isHidden)
    assert person.server.chats == []


def test_a_flow_is_put_aside_and_gone_on_with_by_its_button(person: Person) -> None:
    bar = person.window._parts.flow
    begin(person)
    bar.later.click()
    person.until(lambda: bar.words.text() == "Transfer · Put aside")
    assert bar.later.isHidden()
    (go_on,) = bar.buttons
    go_on.click()
    person.until(lambda: bar.words.text() == "Transfer · Waits for your yes")
    bar.end.click()
    person.until(bar.isHidden)
