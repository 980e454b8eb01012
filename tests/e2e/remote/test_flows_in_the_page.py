"""Guided flows in the web page, in a real browser: the bar with its buttons, the question, and a change of mind."""

from collections.abc import Iterator

import pytest

from tests.e2e.remote.conftest import Sori, running_door
from tests.e2e.remote.test_flows import MOTHER, SEND, sent
from tests.e2e.remote.test_page import TEXTS, Browser

WAITS = f"이체 · {TEXTS('flow.waits_for_yes')}"
AMOUNT = ".ask:not(.over) dl"


@pytest.fixture(scope="module")
def sori(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sori]:
    home = tmp_path_factory.mktemp("home")
    with running_door(home) as running:
        assert running.call("POST", "/v1/people", {"kept": MOTHER})[0] == 201
        yield running


@pytest.fixture(scope="module")
def browser(sori: Sori) -> Iterator[Browser]:
    opened = Browser(sori.port)
    opened.sign_in(sori.home)
    yield opened
    opened.driver.quit()


@pytest.fixture(autouse=True)
def asked(browser: Browser) -> None:
    """A new conversation in which a transfer waits for a yes."""
    browser.click("#new")
    browser.until(lambda: not browser.all(".message"))
    assert not browser.one("#flow").is_displayed()
    browser.say(SEND)
    browser.until(lambda: "50,000" in browser.one(AMOUNT).text)
    assert TEXTS("tool.step.send_money") in browser.one(".ask:not(.over) h3").text
    browser.until(lambda: browser.one("#flow span").text == WAITS)


def test_another_message_changes_the_question_and_its_yes_runs_what_it_shows(browser: Browser, sori: Sori) -> None:
    before = sent(sori)
    browser.say("아니, 사만 원으로 해 줘")
    browser.until(lambda: "40,000" in browser.one(AMOUNT).text)
    assert len(browser.all(".ask.over")) == 1
    browser.click(".ask:not(.over) .yes")
    browser.until(lambda: "40,000원" in browser.answers()[-1])
    browser.until(lambda: not browser.one("#flow").is_displayed())
    assert sent(sori) == before + 1


def test_a_button_of_the_bar_sends_its_words(browser: Browser, sori: Sori) -> None:
    before, conversation = sent(sori), browser.driver.current_url.partition("#c=")[2]
    assert browser.all("#flow button") == [TEXTS("flow.later"), "×"], "the question has buttons of its own"
    change = {"text": "아니, 사만 원으로 해 줘", "conversation": conversation}
    assert sori.call("POST", "/v1/agent/chat", change)[1]["flow"]["confirm"]["arguments"]["amount"] == 40_000
    browser.until(lambda: browser.all("#flow button") == ["보내기", "취소", TEXTS("flow.later"), "×"])
    browser.click("#flow .primary")
    browser.until(lambda: not browser.one("#flow").is_displayed())
    assert sent(sori) == before + 1


def test_a_flow_waits_comes_back_and_ends_by_the_bar(browser: Browser, sori: Sori) -> None:
    before = sent(sori)
    browser.click(".ask .no")
    browser.until(lambda: not browser.one("#flow").is_displayed())
    browser.say("이체해 줘")
    browser.until(lambda: browser.one("#flow").is_displayed())
    browser.click("#flow .quiet")
    browser.until(lambda: browser.one("#flow span").text == f"이체 · {TEXTS('flow.aside')}")
    browser.driver.refresh()
    browser.until(lambda: browser.all("#flow button") == [TEXTS("flow.go_on"), "×"])
    browser.click("#flow .primary")
    browser.until(lambda: browser.one("#flow span").text == f"이체 · {TEXTS('flow.under_way')}")
    browser.click(f"#flow [aria-label='{TEXTS('flow.end')}']")
    browser.until(lambda: not browser.one("#flow").is_displayed())
    assert sent(sori) == before
