"""The web page in a real browser: Debian's Chromium, driven by its ChromeDriver."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException,
    ElementNotInteractableException,
    NoSuchElementException,
    StaleElementReferenceException,
)
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.wait import WebDriverWait

from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import Right
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.host.tokens import TokenFile
from tests.e2e.remote.conftest import LIMIT_S, Sori, running_door
from tests.e2e.remote.diary import DIARY
from tests.fakes.pictures import drawn, encoded

TEXTS = load_texts("ko")
IGNORED = (
    *(NoSuchElementException, StaleElementReferenceException),
    *(ElementNotInteractableException, ElementClickInterceptedException),
)
"""What an element causes that is drawn anew at this moment, or comes into view."""
DELETE = TEXTS("desktop.action.delete_message")
ANSWER = "반가워요. 무엇을 도와드릴까요?"
OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--window-size=1100,800"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"),
)


class Browser:
    """A browser that has opened Sori's page."""

    def __init__(self, port: int, *options: str) -> None:
        chosen = webdriver.ChromeOptions()
        chosen.binary_location = "/usr/bin/chromium"
        for option in (*OPTIONS, *options):
            chosen.add_argument(option)
        self.driver = webdriver.Chrome(chosen, Service("/usr/bin/chromedriver"))
        self.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": DIARY})
        self.port = port

    def open(self, fragment: str = "") -> None:
        self.driver.get(f"http://127.0.0.1:{self.port}/{fragment}")

    def sign_in(self, home: Path) -> None:
        """Open the link that ``sori web`` prints."""
        granted = frozenset({Category.SAFE, Category.SENSITIVE})
        caller = Caller(name="browser", right=Right.MANAGE, categories=granted)
        code = TokenFile(home / "http-tokens.json", SystemClock()).add_code(caller)
        self.open(f"#code={code}")
        self.until(lambda: self.one("#app").is_displayed())

    def one(self, css: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, css)

    def all(self, css: str) -> list[str]:
        return [each.text for each in self.driver.find_elements(By.CSS_SELECTOR, css)]

    def until(self, holds: Callable[[], object]) -> None:
        WebDriverWait(self.driver, LIMIT_S, poll_frequency=0.05, ignored_exceptions=IGNORED).until(lambda _: holds())

    def click(self, css: str) -> None:
        """Click an element, which may be drawn anew meanwhile."""

        def clicked() -> bool:
            self.one(css).click()
            return True

        self.until(clicked)

    def say(self, text: str) -> None:
        self.one("#text").send_keys(text, Keys.ENTER)

    def answers(self) -> list[str]:
        return self.all(".message.assistant .markdown")


@pytest.fixture(scope="module")
def browser(sori: Sori) -> Iterator[Browser]:
    opened = Browser(sori.port)
    opened.sign_in(sori.home)
    yield opened
    opened.driver.quit()


@pytest.fixture(autouse=True)
def new_conversation(browser: Browser) -> None:
    browser.click("#new")
    browser.until(lambda: not browser.all(".message"))


def test_a_browser_without_a_token_is_told_how_to_get_one(sori: Sori) -> None:
    stranger = Browser(sori.port)
    try:
        stranger.open()
        stranger.until(lambda: "sori web" in stranger.one("#door").text)
        stranger.open("#code=wrong")
        stranger.until(lambda: stranger.one("#door").is_displayed())
        assert not stranger.one("#app").is_displayed()
    finally:
        stranger.driver.quit()


def test_a_typed_message_is_answered_and_kept(browser: Browser) -> None:
    browser.say("안녕하세요")
    browser.until(lambda: browser.answers() == [ANSWER])
    browser.until(lambda: not browser.one("#stop").is_displayed())
    browser.driver.refresh()
    browser.until(lambda: browser.answers() == [ANSWER])
    assert browser.all(".message.user") == ["안녕하세요"]
    browser.until(lambda: not any(browser.all(".mark")))  # whoever sees the answer has read it


def test_shift_and_enter_begin_a_line_and_enter_sends(browser: Browser) -> None:
    field = browser.one("#text")
    field.send_keys("한 줄", Keys.SHIFT + Keys.ENTER + Keys.NULL, "두 줄")
    assert field.get_property("scrollHeight") == field.get_property("clientHeight"), "a short text needs no scroll bar"
    field.send_keys(Keys.ENTER)
    browser.until(lambda: browser.answers() == [ANSWER])
    assert browser.all(".message.user") == ["한 줄\n두 줄"]


def test_the_key_that_ends_a_syllable_sends_nothing(browser: Browser) -> None:
    """Safari tells of it after the syllable's end, as of no key of a composition, with the code 229."""
    browser.one("#text").send_keys("안녕하세요")
    told = "{key: 'Enter', cancelable: true, keyCode: arguments[0], isComposing: arguments[1]}"
    press = f"return document.querySelector('#text').dispatchEvent(new KeyboardEvent('keydown', {told}))"
    assert browser.driver.execute_script(press, 229, False), "the key is the input method's"
    assert browser.driver.execute_script(press, 13, True)
    assert browser.all(".message") == []
    assert not browser.driver.execute_script(press, 13, False)
    browser.until(lambda: browser.answers() == [ANSWER])


def test_a_long_answer_streams_and_is_stopped(browser: Browser) -> None:
    browser.say("천천히 세어 주세요")
    browser.until(lambda: "하나 둘 셋" in "".join(browser.answers()))
    browser.one("#text").send_keys(Keys.ESCAPE)
    browser.until(lambda: "멈췄어요" in browser.all(".message.assistant .hint"))
    assert not browser.one("#stop").is_displayed()


def test_a_question_is_answered_by_a_button(browser: Browser, sori: Sori) -> None:
    browser.say("부탁 하나 할게요, 들어주세요")
    browser.until(lambda: browser.one(".ask .no"))
    assert "우유" in browser.one(".ask dd").text
    assert browser.one(".ask .danger").text == TEXTS("desktop.ask.danger.sensitive"), "its sign is drawn, no letter"
    browser.until(lambda: re.search(r"(?<!\d)[1-9]\d?초 안에", browser.one(".ask .hint").text))
    assert browser.one(".ask .exact").text == "", "the exact form is folded"
    browser.click(".ask summary")
    browser.until(lambda: "우유" in browser.one(".ask .exact").text)
    browser.until(lambda: browser.one(".ask .hint").text == TEXTS("desktop.ask.held"))
    first = browser.all(".ask .ways button")[0]
    assert first == "실행하지 않기"
    browser.click(".ask .yes")
    browser.until(lambda: browser.answers()[-1:] == ["다 했어요."])
    assert "허락" in browser.one(".ask").text or "허용" in browser.one(".ask").text


def test_a_picture_is_sent_and_shown_and_other_files_are_offered(browser: Browser, tmp_path: Path) -> None:
    picture, page = tmp_path / "그림.png", tmp_path / "쪽.html"
    picture.write_bytes(encoded(drawn()))
    page.write_text("<script>document.title = 'run'</script>")
    assert "20.0 MB" in str(browser.one("#attach").get_attribute("title"))
    browser.one("#files").send_keys(f"{picture}\n{page}")
    browser.until(lambda: len(browser.all("#outgoing .file")) == 2)
    browser.click("#outgoing .file:last-child button")
    browser.one("#files").send_keys(str(page))
    browser.say("여기 있어요")
    browser.until(lambda: browser.answers() == [ANSWER])
    assert not browser.all("#outgoing .file")
    browser.driver.refresh()
    drawn_width = "return document.querySelector('.message.user img')?.naturalWidth"
    browser.until(lambda: browser.driver.execute_script(drawn_width) == drawn().width)
    first, second = browser.all(".message.user .save")
    assert first.startswith("그림.png")
    assert second.startswith("쪽.html")
    assert len(browser.driver.find_elements(By.CSS_SELECTOR, ".message.user img")) == 1


@pytest.mark.parametrize(
    ("name", "content", "told", "warns"),
    [
        ("회의록.md", "회의는 화요일 오후 3시예요. ".encode() * 40, "토큰", False),
        ("notes.txt", b"The meeting is on Tuesday. " * 40, "토큰", False),
        ("broken.pdf", b"%PDF-1.7 nothing follows", "", True),
        ("깨진.docx", b"PK\x03\x04 broken", "", True),
    ],
)
def test_a_document_is_read_before_it_is_sent(
    browser: Browser, tmp_path: Path, name: str, content: bytes, told: str, warns: bool
) -> None:
    (tmp_path / name).write_bytes(content)
    browser.one("#files").send_keys(str(tmp_path / name))
    reading = TEXTS("web.file.reading")
    browser.until(lambda: any(each and each != reading for each in browser.all("#outgoing small")))
    (words,) = browser.all("#outgoing small")
    assert told in words
    assert bool(browser.all("#outgoing .warns")) == warns
    browser.click("#outgoing button")


def test_dropped_and_pasted_files_are_taken_and_too_large_ones_are_refused_before_they_are_sent(
    browser: Browser,
) -> None:
    give = """
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(arguments[1])], arguments[0], { type: "image/png" }));
        const made = arguments[2] === "paste"
            ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true })
            : new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
        document.getElementById("text").dispatchEvent(made);
    """
    browser.driver.execute_script(give, "붙인 것.png", 10, "paste")
    browser.driver.execute_script(give, "놓은 것.png", 10, "drop")
    browser.driver.execute_script(give, "큰 것.png", 21 * 1024 * 1024, "drop")
    browser.until(lambda: len(browser.all("#outgoing .file")) == 2)
    browser.until(lambda: any("큰 것.png" in each and "20.0 MB" in each for each in browser.all(".notice")))
    for _ in range(2):
        browser.click("#outgoing .file button")


def test_the_same_conversation_grows_in_two_browsers(browser: Browser, sori: Sori) -> None:
    browser.say("안녕하세요, 둘이 봐요")
    browser.until(lambda: browser.answers() == [ANSWER])
    other = Browser(sori.port)
    try:
        other.sign_in(sori.home)
        other.open(re.sub(".*#", "#", browser.driver.current_url))
        other.until(lambda: other.answers() == [ANSWER])
        other.say("부탁 하나 할게요, 들어주세요")
        browser.until(lambda: browser.one(".ask .no"))
        other.driver.refresh()
        other.until(lambda: other.one(".ask .no"))
        assert len(other.all(".message.user")) == 2
        browser.click(".ask .no")
        other.until(lambda: other.one(".ask.over"))
        assert not other.driver.find_elements(By.CSS_SELECTOR, ".ask button")
    finally:
        other.driver.quit()


HOLD_EVENTS = """
const reach = window.fetch;
window.fetch = async (path, ...more) => {
  while (String(path).endsWith("/events") && !window.released) await new Promise((after) => setTimeout(after, 20));
  return reach(path, ...more);
};
"""


def test_what_is_begun_before_the_page_follows_is_in_its_list(sori: Sori) -> None:
    page = Browser(sori.port)
    try:
        page.driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HOLD_EVENTS})
        page.sign_in(sori.home)
        page.until(lambda: page.all("#conversations li"))
        assert sori.call("POST", "/v1/agent/chat", {"text": "그사이에 온 말"})[0] == 200
        assert "그사이에 온 말" not in page.all("#conversations .entry > span:first-child")
        page.driver.execute_script("window.released = true")
        page.until(lambda: "그사이에 온 말" in page.all("#conversations .entry > span:first-child"))
    finally:
        page.driver.quit()


HOLD_LIST = """
const reach = window.fetch;
window.fetch = async (path, ...more) => {
  const answer = await reach(path, ...more);
  if (String(path).startsWith("/v1/conversations?") && !window.giveList) {
    await new Promise((release) => { window.giveList = release; });
  }
  return answer;
};
"""


def test_a_list_that_arrives_late_takes_not_the_place_of_a_newer_one(sori: Sori, browser: Browser) -> None:
    def titles() -> list[str]:
        return browser.all("#conversations .entry > span:first-child")

    browser.driver.execute_script(HOLD_LIST)
    try:
        sori.call("POST", "/v1/agent/chat", {"text": "먼저 온 말"})
        browser.until(lambda: browser.driver.execute_script("return Boolean(window.giveList)"))
        sori.call("POST", "/v1/agent/chat", {"text": "나중에 온 말"})
        browser.until(lambda: "나중에 온 말" in titles())
        browser.driver.execute_async_script("giveList(); setTimeout(arguments[0], 200)")
        assert "나중에 온 말" in titles()
    finally:
        browser.driver.refresh()


def test_conversations_are_found_renamed_deleted_and_restored(browser: Browser, sori: Sori) -> None:
    sori.call("POST", "/v1/agent/chat", {"text": "다른 이야기"})
    browser.say("고래상어 이야기")
    browser.until(lambda: browser.answers() == [ANSWER])
    browser.one("#search").send_keys("고래상어")
    browser.until(lambda: len(browser.all("#conversations li")) == 1)
    browser.click("#conversations .quiet")
    field = browser.one("#conversations input")
    field.send_keys(Keys.CONTROL + "a" + Keys.NULL, "상어", Keys.ENTER)
    browser.until(lambda: browser.all("#conversations .entry > span:first-child") == ["상어"])
    browser.click("#conversations .quiet:last-child")
    browser.until(lambda: not browser.driver.find_elements(By.CSS_SELECTOR, "#conversations .entry"))
    browser.click(".notice:last-child button:not(.close)")
    browser.until(lambda: browser.all("#conversations .entry > span:first-child") == ["상어"])
    browser.one("#search").send_keys(Keys.CONTROL + "a" + Keys.NULL, Keys.BACKSPACE)
    browser.until(lambda: len(browser.all("#conversations li")) > 1)


@pytest.mark.parametrize("reopened", [False, True])
def test_a_message_is_deleted_and_restored(browser: Browser, reopened: bool) -> None:
    browser.say("지울 말")
    browser.until(lambda: browser.answers() == [ANSWER])
    browser.until(lambda: not browser.one("#stop").is_displayed())
    if reopened:
        browser.driver.refresh()
        browser.until(lambda: browser.answers() == [ANSWER])
    said = ["지울 말"]

    def shown() -> list[list[str]]:
        return [browser.answers(), browser.all(".said")]

    def delete_and_undo(row: str, left: list[list[str]]) -> None:
        browser.until(lambda: DELETE in str(browser.one(f"{row} .delete").get_attribute("aria-label")))
        browser.one(f"{row} .delete").send_keys(Keys.ENTER)
        browser.until(lambda: shown() == left)
        browser.click(".notice:last-child button:not(.close)")
        browser.until(lambda: shown() == [[ANSWER], said])

    delete_and_undo(".message.assistant", [[], said])
    delete_and_undo(".message.user", [[ANSWER], []])


def test_markup_in_an_answer_runs_nothing(browser: Browser) -> None:
    drawn = browser.driver.execute_async_script(
        "const over = arguments[0];"
        "import('/static/markdown.js').then(async ({ drawAll }) => {"
        "  const into = document.createElement('div'); document.body.append(into);"
        "  await drawAll([{ text: '<img src=x onerror=\"window.hit=1\"> **굵게**는', into }]);"
        "  setTimeout(() => over([window.hit ?? 0, into.innerHTML]), 200);"
        "});"
    )
    assert drawn[0] == 0
    assert "<strong>굵게</strong>는" in drawn[1]


def test_when_sori_is_gone_the_page_says_so_and_comes_back(tmp_path: Path) -> None:
    with running_door(tmp_path) as first:
        page = Browser(first.port)
        page.sign_in(tmp_path)
        page.say("안녕하세요")
        page.until(lambda: page.answers() == [ANSWER])
        page.say("천천히 세어 주세요")
        page.until(lambda: any(page.all(".mark")))
    try:
        page.until(lambda: page.one(".notice.error"))
        with running_door(tmp_path, port=first.port):
            page.until(lambda: not page.driver.find_elements(By.CSS_SELECTOR, ".notice.error"))
            page.until(lambda: not any(page.all(".mark")))
            page.until(lambda: page.answers()[:1] == [ANSWER])
            page.say("다시 안녕하세요")
            page.until(lambda: page.answers()[-1] == ANSWER)
    finally:
        page.driver.quit()
