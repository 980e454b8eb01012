"""Citations in the web page, in a real browser: an answer about a project, its chips and its sources."""

import base64
from collections.abc import Iterator

import pytest
from selenium.webdriver.support.select import Select

from tests.e2e.remote.conftest import Sori
from tests.e2e.remote.test_page import TEXTS, Browser

BEFORE, AFTER = (" ".join(f"{word} {each}번." for each in range(150)) for word in ("머리말", "꼬리말"))
PASSAGE = "회의는 매주 화요일 오후 3시에 열린다."
TEXT = f"{BEFORE}\n\n{PASSAGE}\n\n{AFTER}"
NAME = "<img src=x onerror=window.hit=1>.md"
SHOWN = "return getComputedStyle(document.querySelector('.sources .shown mark')).backgroundColor"
PLAIN = "rgba(0, 0, 0, 0)"


@pytest.fixture(scope="module")
def browser(sori: Sori) -> Iterator[Browser]:
    opened = Browser(sori.port)
    opened.sign_in(sori.home)
    yield opened
    opened.driver.quit()


@pytest.fixture(scope="module")
def conversation(sori: Sori, browser: Browser) -> str:
    """A conversation about a project with one file, whose name is markup."""
    project = sori.call("POST", "/v1/projects", {"name": "회사"})[1]["id"]
    file = {"mime_type": "text/plain", "name": NAME, "data": base64.b64encode(TEXT.encode()).decode()}
    assert sori.call("POST", f"/v1/projects/{project}/files", {"file": file})[0] == 201
    ready = f"/v1/projects/{project}/files?states=ready"
    browser.until(lambda: sori.call("GET", ready)[1]["files"])
    conversation = sori.new_conversation()
    assert sori.call("PUT", f"/v1/conversations/{conversation}/project", {"project": project})[0] == 200
    return conversation


def choose(browser: Browser, project: str) -> None:
    """Choose a project as soon as the page offers it."""

    def is_chosen() -> bool:
        Select(browser.one("#project")).select_by_visible_text(project)
        return True

    browser.until(is_chosen)


def test_a_chip_opens_the_passage_that_the_answer_cites(browser: Browser, sori: Sori, conversation: str) -> None:
    browser.open(f"#c={conversation}")
    browser.say("언제 회의가 있어?")
    browser.until(lambda: browser.all(".message.assistant .cite") == ["[1]"])
    browser.until(lambda: not browser.one("#stop").is_displayed())
    for stored in (False, True):
        if stored:
            browser.driver.refresh()
        browser.until(lambda: len(browser.all(".sources details")) == 1)
        browser.until(lambda: browser.all(".message.assistant .cite") == ["[1]"])
        assert "[9]" not in browser.answers()[-1], "a number that no source has is no citation"
        assert browser.all(".sources blockquote") == [""], "the passage is folded"
        browser.click(".cite")
        browser.until(lambda: any(PASSAGE in each for each in browser.all(".sources mark")))
        shown = browser.all(".sources blockquote")[0]
        assert (shown[:7], shown[-8:]) == ("머리말 0번.", "꼬리말 149번."[-8:]), "the whole file is shown"
        assert BEFORE not in browser.all(".sources mark")[0], "the passage alone is marked"
        assert browser.driver.execute_script(SHOWN) != PLAIN
        assert browser.driver.switch_to.active_element.text == f"[1] {NAME}", "the keyboard goes on at the source"
        assert not browser.driver.execute_script("return window.hit ?? 0")


def test_a_conversation_gets_another_project_and_lists_its_files(
    browser: Browser, sori: Sori, conversation: str
) -> None:
    browser.open(f"#c={conversation}")
    browser.driver.refresh()
    browser.until(lambda: browser.one("#project-files").is_displayed())
    browser.click("#project-files summary")
    browser.until(lambda: browser.all("#project-files li") == [f"{NAME} · {TEXTS('file_state.ready')}"])
    chosen = f"/v1/conversations/{conversation}/project"
    choose(browser, TEXTS("web.project.none"))
    browser.until(lambda: not browser.one("#project-files").is_displayed())
    assert sori.call("GET", chosen)[1]["project"] is None
    choose(browser, "회사")
    browser.until(lambda: browser.one("#project-files").is_displayed())
    assert sori.call("GET", chosen)[1]["project"]["name"] == "회사"


HOSTILE = """
const [citation, over] = arguments;
import("/static/conversation.js").then(async ({ Conversation }) => {
  window.hit = 0;
  const view = new Conversation(() => {});
  const whole = { number: 1, title: "", url: "", text: "", page: 0, ...citation };
  const message = { role: "assistant", id: "h", text: "말 [1]", citations: [whole] };
  let made;
  await view.draw([message], (row) => { made = row; document.getElementById("messages").append(row); });
  made.querySelector(".cite").click();
  for (const each of made.querySelectorAll(".sources a")) if (!/^https?:/.test(each.protocol)) each.click();
  const count = (css) => made.querySelectorAll(css).length;
  const foreign = count(".sources :is(img, script, iframe)");
  const told = [count(".sources a"), foreign, made.querySelector(".sources summary").textContent];
  setTimeout(() => { made.remove(); over([window.hit, ...told]); }, 60);
});
"""


@pytest.mark.parametrize(
    ("citation", "links", "shown"),
    [
        ({"title": "뉴스", "url": "https://example.org/a"}, 1, "[1] 뉴스"),
        ({"title": "뉴스", "url": "http://example.org/?q=<b>"}, 1, "[1] 뉴스"),
        ({"title": "x", "url": "javascript:window.hit=1"}, 0, "[1] x"),
        ({"title": "x", "url": "JaVaScRiPt:window.hit=1//https:"}, 0, "[1] x"),
        ({"title": "x", "url": " javascript:window.hit=1"}, 0, "[1] x"),
        ({"title": "x", "url": "\nhttps:\njavascript:window.hit=1"}, 0, "[1] x"),
        ({"title": "x", "url": "data:text/html,<script>window.hit=1</script>"}, 0, "[1] x"),
        ({"title": "x", "url": "file:///etc/passwd"}, 0, "[1] x"),
        ({"title": "x", "url": "blob:http://127.0.0.1/x"}, 0, "[1] x"),
        ({"title": "<img src=x onerror='window.hit=1'>", "url": ""}, 0, "[1] <img src=x onerror='window.hit=1'>"),
        ({"title": "</summary><script>window.hit=1</script>"}, 0, "[1] </summary><script>window.hit=1</script>"),
        ({"title": "가\u202egpj.exe"}, 0, "[1] 가⟨U+202E⟩gpj.exe"),
        ({"title": "x", "text": "<iframe srcdoc='<script>parent.hit=1</script>'></iframe>"}, 0, "[1] x"),
    ],
)
def test_hostile_titles_addresses_and_passages_do_nothing(
    browser: Browser, citation: dict[str, str], links: int, shown: str
) -> None:
    assert browser.driver.execute_async_script(HOSTILE, citation) == [0, links, 0, shown]
