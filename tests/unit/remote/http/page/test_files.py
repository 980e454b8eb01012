import re

import pytest
from starlette.testclient import TestClient

from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.remote.http.page.files import PageFiles

PAGE = RESOURCES / "page"


def client(language: str = "ko") -> TestClient:
    return TestClient(PageFiles(PAGE, RESOURCES / "icons", load_texts(language)))


def test_every_file_that_the_page_names_is_served() -> None:
    page = client()
    named = {"/", "/static/words.json"}
    for file in PAGE.iterdir():
        named |= {f"/static/{each}" for each in re.findall(r"(?:/static/|from \"\./)([\w.-]+)", file.read_text())}
    assert named > {"/static/page.js", "/static/style.css", "/static/api.js", "/static/recorder.js", "/static/sori.svg"}
    assert {path: page.get(path).status_code for path in named} == dict.fromkeys(named, 200)


@pytest.mark.parametrize("path", ["/static/../README.md", "/static/page", "/static/", "/static/..%2fpage%2fpage.js"])
def test_nothing_else_is_served(path: str) -> None:
    assert client().get(path).status_code == 404


def test_the_page_loads_nothing_from_elsewhere_and_runs_no_script_inside_its_elements() -> None:
    answer = client().get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "unsafe" not in policy
    for file in PAGE.iterdir():
        assert not re.search(r"https?://|\son\w+=|javascript:|\bstyle=|eval\(", file.read_text()), file.name


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_word_that_the_page_says_is_among_its_words(language: str) -> None:
    told = client(language).get("/static/words.json").json()
    assert told["language"] == language
    said = {key for file in PAGE.glob("*.js") for key in re.findall(r'say\("([\w.]+)"', file.read_text())}
    said |= {key for file in PAGE.glob("*.js") for key in re.findall(r'"((?:web|desktop)\.[\w.]+)"', file.read_text())}
    assert "web.again" in said
    assert said <= set(told["words"])


def test_the_page_needs_nothing_newer_than_its_oldest_browser_has() -> None:
    """The oldest are Safari 16 and Firefox 119 (docs/phone.md): what they lack breaks the page there without a word."""
    newer = (
        *("light-dark", r"AbortSignal\.any", r"Promise\.(?:withResolvers|try)", r"(?:Object|Map)\.groupBy"),
        *(r"Array\.fromAsync", r"\(\?<[=!]", "@scope", "popover", r"\.intersection\(", "requestIdleCallback"),
    )
    for file in PAGE.iterdir():
        assert not re.search("|".join(newer), file.read_text()), file.name
