"""The page on a phone: a real browser over TLS that trusts this certificate alone, on a screen of its size."""

import base64
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.engine.thread import EngineThread
from assistant.host.certificate import certificate_for
from assistant.host.clock import SystemClock
from assistant.host.places import RESOURCES, Places
from assistant.host.tokens import TokenFile
from assistant.remote.http.page.files import PageFiles
from assistant.remote.http.phone.door import PhoneDoor
from tests.e2e.conversation.running_engine import TEXTS, settings_for
from tests.e2e.remote.conftest import LIMIT_S, scripted
from tests.e2e.remote.fake_microphone import diary, microphone, state, until_answered_aloud
from tests.e2e.remote.test_page import ANSWER, Browser
from tests.fakes.model_server.script import RecordedRequest
from tests.fakes.model_server.server import ModelServer, Reply, serve_in_thread

HOST = "127.0.0.6"
WIDTH, HEIGHT = 390, 844
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
LONG = " ".join([ANSWER] * 12)
"""An answer that is read aloud for half a minute."""
CLIPPED = "return document.documentElement.scrollWidth > innerWidth || document.body.scrollWidth > innerWidth"


@dataclass
class Phone:
    """A phone's browser, and the door to which it comes."""

    browser: Browser
    door: PhoneDoor
    tokens: TokenFile
    port: int
    model: ModelServer

    def open(self, code: str) -> None:
        self.browser.driver.get(f"https://{HOST}:{self.port}/#code={code}")

    def sign_in(self) -> None:
        self.open(self.tokens.add_code(Caller(name="phone", categories=frozenset({Category.SAFE}), by_user=True)))
        self.browser.until(lambda: self.browser.one("#text").is_displayed())


class Finger:
    """A finger on the screen of a phone."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        browser.driver.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})

    def down(self, css: str) -> None:
        rect = self._browser.one(css).rect
        self._touch("touchStart", [{"x": rect["x"] + rect["width"] / 2, "y": rect["y"] + rect["height"] / 2}])

    def up(self) -> None:
        self._touch("touchEnd", [])

    def _touch(self, kind: str, points: list[dict[str, float]]) -> None:
        self._browser.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


@contextmanager
def running_phone(
    home: Path, *options: str, stt: str = "none", reply: Callable[[RecordedRequest], Reply] = scripted
) -> Iterator[Phone]:
    clock, places = SystemClock(), Places(home)
    certificate = certificate_for(places.phone_certificate, [HOST], clock.now())
    key = x509.load_pem_x509_certificate(certificate.path.read_bytes()).public_key()
    spki = hashlib.sha256(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)).digest()
    with serve_in_thread(reply) as model:
        engine = EngineThread(home, settings_for(model.base_url, stt=stt), TEXTS, hears=False)
        tokens = TokenFile(places.phones, clock, notes_use=True)
        engine.start()
        page = PageFiles(RESOURCES / "page", RESOURCES / "icons", TEXTS)
        door = PhoneDoor(engine, tokens, TEXTS, page, lambda _: None)
        port = door.open([HOST], 0, certificate.path)
        trusts = f"--ignore-certificate-errors-spki-list={base64.b64encode(spki).decode()}"
        browser = Browser(port, trusts, f"--user-agent={IPHONE}", f"--user-data-dir={home / 'browser'}", *options)
        try:
            size = {"width": WIDTH, "height": HEIGHT, "deviceScaleFactor": 2, "mobile": True}
            browser.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
            yield Phone(browser, door, tokens, port, model)
        finally:
            browser.driver.quit()
            door.close()
            assert engine.stop(LIMIT_S)


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phone]:
    with running_phone(tmp_path_factory.mktemp("home")) as running:
        running.sign_in()
        yield running


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_message_is_answered_and_nothing_is_clipped(phone: Phone, scheme: str) -> None:
    media = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    phone.browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    phone.browser.say("안녕하세요, 오늘 할 일을 알려 주세요")
    phone.browser.until(lambda: phone.browser.answers()[-1:] == [ANSWER])
    assert not phone.browser.driver.execute_script(CLIPPED)
    send = phone.browser.one("#send").rect
    assert send["x"] + send["width"] <= WIDTH
    assert send["y"] + send["height"] <= HEIGHT


def test_the_name_tells_the_phone_and_no_script_reads_its_token(phone: Phone) -> None:
    assert [each.name for each in phone.tokens.all()] == ["iPhone"]
    read = phone.browser.driver.execute_script("return [document.cookie, JSON.stringify(localStorage)]")
    assert "sori_" not in "".join(read)


def test_the_input_field_stays_above_a_keyboard_that_covers_the_page(phone: Phone) -> None:
    run = phone.browser.driver.execute_script
    run("Object.defineProperty(visualViewport, 'height', {value: 500, configurable: true})")
    run("visualViewport.dispatchEvent(new Event('resize'))")
    try:
        field = phone.browser.one("#text").rect
        assert 400 < field["y"] + field["height"] <= 500
    finally:
        run("delete visualViewport.height; visualViewport.dispatchEvent(new Event('resize'))")
    assert phone.browser.one("#text").rect["y"] > HEIGHT - 100


def test_opening_a_conversation_brings_up_no_keyboard(phone: Phone) -> None:
    Finger(phone.browser)
    phone.browser.driver.refresh()
    phone.browser.until(lambda: phone.browser.one("#scroll") == phone.browser.driver.switch_to.active_element)


def test_no_field_has_letters_so_small_that_a_phone_enlarges_the_page(phone: Phone) -> None:
    fields = "[...document.querySelectorAll('input, select, textarea')]"
    sizes = phone.browser.driver.execute_script(f"return {fields}.map((each) => getComputedStyle(each).fontSize)")
    assert sizes
    assert {*sizes} == {"16px"}


def test_a_phone_that_is_turned_upright_shows_the_conversation(phone: Phone) -> None:
    turn = "Emulation.setDeviceMetricsOverride"
    size = {"deviceScaleFactor": 2, "mobile": True}
    phone.browser.driver.execute_cdp_cmd(turn, {**size, "width": HEIGHT, "height": WIDTH})
    phone.browser.until(lambda: phone.browser.one("#conversations").is_displayed())
    assert phone.browser.one("#text").is_displayed()
    phone.browser.driver.execute_cdp_cmd(turn, {**size, "width": WIDTH, "height": HEIGHT})
    phone.browser.until(lambda: not phone.browser.one("#conversations").is_displayed())
    assert phone.browser.one("#text").is_displayed()


def test_the_list_on_a_phone_is_closed_by_the_button_that_opened_it(phone: Phone) -> None:
    phone.browser.click("#fold")
    phone.browser.until(lambda: phone.browser.one("#conversations").is_displayed())
    assert not phone.browser.one("#text").is_displayed()
    phone.browser.click("#fold")
    phone.browser.until(lambda: phone.browser.one("#text").is_displayed())
    assert not phone.browser.one("#conversations").is_displayed()


def test_a_phone_stays_signed_in_when_its_browser_forgets_what_the_page_stored(phone: Phone) -> None:
    phone.browser.driver.execute_script("localStorage.clear()")
    phone.browser.driver.refresh()
    phone.browser.until(lambda: phone.browser.one("#text").is_displayed())


def test_after_a_sleep_that_ended_the_connection_the_page_connects_anew(phone: Phone) -> None:
    """Nothing tells a phone that slept of the end; here only its clock tells of the sleep."""
    run = phone.browser.driver.execute_script
    run("const all = fetch; window.begun = []; window.fetch = (...sent) => (begun.push(sent[0]), all(...sent))")
    run("const now = Date.now; window.slept = 0; Date.now = () => now() + slept")
    begun = "slept += 60000; return begun"
    phone.browser.until(lambda: [each for each in run(begun) if each.endswith("/events")])
    phone.browser.until(lambda: not phone.browser.all(".notice"))
    phone.browser.say("고마워요")
    phone.browser.until(lambda: phone.browser.all(".message.user")[-1:] == ["고마워요"])
    last = ".message.user:has(+ .message.assistant:last-child)"
    phone.browser.until(lambda: phone.browser.all(last) == ["고마워요"] and phone.browser.answers()[-1:] == [ANSWER])


def test_a_phone_that_is_signed_out_is_told_how_to_come_back(tmp_path: Path) -> None:
    with running_phone(tmp_path) as phone:
        phone.sign_in()
        phone.tokens.revoke("iPhone")
        phone.door.cut_off("iPhone")
        phone.browser.until(lambda: "QR" in phone.browser.one("#door").text)
        phone.open("wrong")
        phone.browser.until(lambda: phone.browser.one("#door").text.endswith(TEXTS("http.refused.phone_wrong_code")))
        phone.sign_in()


@pytest.mark.models
def test_what_is_said_while_the_button_is_held_is_answered_aloud_and_silenced_by_a_tap(
    tmp_path: Path, model_path: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SORI_MODELS", str(model_path("whisper-base").parent))
    with running_phone(tmp_path, *microphone(), stt="faster_whisper", reply=lambda _: Reply(text=LONG)) as phone:
        phone.sign_in()
        page, finger = phone.browser, Finger(phone.browser)
        finger.down("#talk")
        page.until(lambda: page.one("#talking").text)
        time.sleep(1)
        assert state(page) == "opening", "a browser gives no sound before the first act of the user is over"
        finger.up()
        page.until(lambda: page.all(".notice"))
        finger.down("#talk")
        page.until(lambda: state(page) == "held")
        assert not page.driver.execute_script(CLIPPED)
        page.until(lambda: diary(page, "loud") > 1000 and diary(page, "quiet") > 1500)  # All of the sound has come.
        assert state(page) == "held"
        assert page.driver.execute_script("return getSelection().toString()") == ""
        finger.up()
        until_answered_aloud(page, LONG)
        assert page.one("#stop").is_displayed()
        finger.down("#messages")
        finger.up()
        page.until(lambda: not page.one("#stop").is_displayed())
        assert state(page) == "off"
