"""Who speaks over Sori on a phone, and what comes between while somebody speaks."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from selenium.webdriver.common.keys import Keys

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import SAMPLE_RATE
from tests.e2e.remote.fake_microphone import SAID, WORD, state
from tests.e2e.remote.simulated_room import Room
from tests.e2e.remote.test_page import ANSWER, TEXTS, Browser
from tests.e2e.remote.test_phone_page import Finger, Phone, running_phone
from tests.fakes.model_server.script import RecordedRequest
from tests.fakes.model_server.server import Reply

pytestmark = pytest.mark.models
QUESTION = SAID.with_name("ko_hotel_question.wav")
SENTENCES = (
    "오늘은 날씨가 맑고 바람이 조금 불어요.",
    "낮에는 기온이 이십 도까지 올라가요.",
    "저녁에는 비가 올 수 있으니 우산을 챙기세요.",
    "내일은 흐리고 모레부터 다시 맑아져요.",
)
SOUNDED = "room.played.some((each) => each.source.buffer)"
LATE_MS = 700
"""How long after a person's first sound the voice may go on here, where two cores do everything. It takes 0.2 s."""


def reply(request: RecordedRequest) -> Reply:
    """A long answer to the question about a hotel."""
    asked = str(request.body["messages"][-1]["content"])
    return Reply(text=" ".join(SENTENCES) if "예약" in asked else ANSWER)


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory, model_path: Callable[[str], Path]) -> Iterator[Phone]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SORI_MODELS", str(model_path("whisper-base").parent))
        with running_phone(tmp_path_factory.mktemp("home"), stt="faster_whisper", reply=reply) as running:
            yield running


@pytest.fixture(scope="module")
def house(phone: Phone) -> Room:
    return Room(phone.browser)


@pytest.fixture
def room(phone: Phone, house: Room) -> Room:
    """The page anew, in a quiet room."""
    phone.browser.driver.get("about:blank")
    phone.sign_in()
    phone.browser.click("#text")  # An act of the user, without which no browser lets a page sound.
    return house


def ask(page: Browser, room: Room) -> None:
    """Tap, ask, and wait until the answer sounds."""
    page.click("#talk")
    page.until(lambda: state(page) == "free")
    room.say(QUESTION)
    page.until(lambda: state(page) == "guarding")
    page.until(lambda: room.read(SOUNDED))


def onset_ms(recording: Path) -> float:
    """Where somebody begins to speak in a recording."""
    pcm = np.abs(read_recording(recording, SAMPLE_RATE).astype(np.float64))
    return float(np.argmax(pcm > 0.2 * pcm.max())) * 1000 / SAMPLE_RATE


def test_who_speaks_over_the_answer_stops_it_at_once_and_is_answered(phone: Phone, room: Room) -> None:
    page = phone.browser
    ask(page, room)
    asked = len(phone.model.requests)
    room.say(SAID)
    stopped, began = room.read("Math.max(...room.played.map((each) => each.stopped))"), room.read("room.began")
    assert 0 < stopped - began - onset_ms(SAID) < LATE_MS
    page.until(lambda: WORD in "".join(page.all(".message.user")[1:]))
    page.until(lambda: page.answers()[-1:] == [ANSWER])
    page.until(lambda: state(page) == "off")
    assert room.read("room.live") == 0, "the microphone is closed after the answer"
    told = [each for each in phone.model.requests[asked:] if WORD in str(each.body["messages"][-1]["content"])]
    before = next(each for each in told[-1].body["messages"] if str(each["content"]).startswith("오늘은"))
    assert len(str(before["content"]).split(SENTENCES[0])[-1]) < len(SENTENCES[1]), "only what was heard is told"
    assert SENTENCES[3] not in str(before["content"])


@pytest.mark.parametrize("echo", [0.01, 0.3], ids=["removed", "left"])
def test_its_own_voice_does_not_end_an_answer(phone: Phone, room: Room, echo: float) -> None:
    """Also where the browser removes little of it: then the voice pauses once or twice, and goes on."""
    page = phone.browser
    room.set("echo", echo)
    ask(page, room)
    page.until(lambda: state(page) == "off")
    assert len(page.all(".message.user")) == 1
    assert TEXTS("desktop.mark.interrupted") not in page.all(".message.assistant .hint")
    pauses = room.read("room.played.filter((each) => each.stopped).length")
    assert pauses == 0 if echo < 0.1 else 0 < pauses < 4


def test_a_tap_on_the_page_silences_it_and_closes_the_microphone(phone: Phone, room: Room) -> None:
    page = phone.browser
    ask(page, room)
    finger = Finger(page)
    finger.down("#messages")
    finger.up()
    page.until(lambda: state(page) == "off")
    assert room.read("room.live") == 0
    assert room.read("room.played.at(-1).stopped")


def test_the_space_bar_holds_the_button_and_no_menu_opens(phone: Phone, room: Room) -> None:
    page = phone.browser
    press = (
        "document.querySelector('#talk').dispatchEvent(new KeyboardEvent(arguments[0], {key: ' ', cancelable: true}))"
    )
    page.driver.execute_script(press, "keydown")
    page.until(lambda: state(page) == "held")
    room.say(SAID)
    assert state(page) == "held"
    page.driver.execute_script(press, "keyup")
    page.until(lambda: WORD in "".join(page.all(".message.user")))
    page.until(lambda: page.answers() == [ANSWER])
    assert room.read("room.live") == 0
    menu = "document.querySelector('#talk').dispatchEvent(new MouseEvent('contextmenu', {cancelable: true}))"
    assert room.read(menu) is False


def test_a_new_hold_silences_the_answer_at_once_and_is_answered(phone: Phone, room: Room) -> None:
    page, finger = phone.browser, Finger(phone.browser)
    hold(page, room, finger, QUESTION)
    page.until(lambda: room.read(SOUNDED))
    finger.down("#talk")
    assert room.read("room.played.at(-1).stopped"), "before the microphone is open"
    page.until(lambda: state(page) == "held")
    room.say(SAID)
    finger.up()
    page.until(lambda: page.answers()[-1:] == [ANSWER])
    assert TEXTS("desktop.mark.interrupted") in page.all(".message.assistant .hint")


def test_a_phone_is_told_what_the_sound_is_for(phone: Phone, room: Room) -> None:
    """By it an iPhone decides whether its silent switch silences the page, and where the sound goes."""
    page, told = phone.browser, "navigator.audioSession.type"
    page.driver.execute_script("Object.defineProperty(navigator, 'audioSession', {value: {type: 'auto'}})")
    finger = Finger(page)
    finger.down("#talk")
    page.until(lambda: state(page) == "held")
    assert room.read(told) == "play-and-record"
    room.say(SAID)
    finger.up()
    page.until(lambda: room.read("room.played.length"))
    assert room.read(told) == "playback"
    page.until(lambda: room.read(told) == "auto")
    room.set("refuses", True)
    page.click("#talk")
    page.until(lambda: page.all(".notice.warning"))
    assert room.read(told) == "auto"


def hold(page: Browser, room: Room, finger: Finger, recording: Path) -> None:
    """Speak while the button is held."""
    finger.down("#talk")
    page.until(lambda: state(page) == "held")
    room.say(recording)
    finger.up()


def begin_to_speak(page: Browser, room: Room) -> None:
    """Hold the button, and say the first words."""
    Finger(page).down("#talk")
    page.until(lambda: state(page) == "held")
    room.begin(SAID)
    time.sleep(onset_ms(SAID) / 1000 + 2.0)


@pytest.mark.parametrize("event", ["hidden", "muted"])
def test_a_page_without_its_microphone_in_the_middle_keeps_the_words_and_listens_no_more(
    phone: Phone, room: Room, event: str
) -> None:
    """Another app came, or a call or another app has taken the microphone."""
    page = phone.browser
    begin_to_speak(page, room)
    page.driver.execute_script(HIDE if event == "hidden" else MUTE)
    assert room.read("room.live") == 0
    page.until(lambda: page.one("#text").get_property("value"))
    assert page.all(".message.user") == [], "half a sentence is sent to nobody"
    Finger(page).up()


def test_what_the_network_lost_is_sent_again(phone: Phone, room: Room) -> None:
    page = phone.browser
    begin_to_speak(page, room)
    cut = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    page.driver.execute_cdp_cmd("Network.enable", {})
    page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", cut)
    try:
        time.sleep(1)
        Finger(page).up()
        page.until(lambda: page.one(".notice.warning button"))
        assert (state(page), room.read("room.live")) == ("off", 0)
    finally:
        page.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**cut, "offline": False})
    page.click(".notice.warning button")
    page.until(lambda: page.answers() == [ANSWER])
    assert WORD in "".join(page.all(".message.user"))


def test_what_is_stopped_before_it_was_understood_is_not_sent(phone: Phone, room: Room) -> None:
    page = phone.browser
    begin_to_speak(page, room)
    requests = "performance.getEntriesByName(location.origin + '/v1/audio/transcriptions').length"
    page.driver.execute_script(
        "window.sendAll = fetch; window.fetch = (...sent) => (window.sent = sent[0], sendAll(...sent))"
    )
    Finger(page).up()
    page.until(lambda: room.read("window.sent") == "/v1/audio/transcriptions")
    page.one("body").send_keys(Keys.ESCAPE)
    page.until(lambda: room.read(requests) == 1)
    assert state(page) == "off"
    time.sleep(1)
    assert page.all(".message.user") == []


def test_a_phone_that_is_signed_out_in_the_middle_listens_no_more(phone: Phone, room: Room) -> None:
    page = phone.browser
    begin_to_speak(page, room)
    name = phone.tokens.all()[-1].name
    phone.tokens.revoke(name)
    phone.door.cut_off(name)
    page.until(lambda: page.one("#door").is_displayed())
    assert room.read("room.live") == 0
    Finger(page).up()


def test_an_answer_whose_sound_does_not_come_is_told_and_goes_on_as_text(phone: Phone, room: Room) -> None:
    page = phone.browser
    page.driver.execute_script(
        "const all = fetch; const lost = (to) => (to === '/v1/audio/speech' ? 'http://127.0.0.1:9' : to);"
        "window.fetch = (to, ...more) => all(lost(to), ...more);"
    )
    page.click("#talk")
    page.until(lambda: state(page) == "free")
    room.say(QUESTION)
    page.until(lambda: page.all(".notice.warning"))
    page.until(lambda: SENTENCES[-1] in "".join(page.answers()))
    assert (state(page), room.read("room.live")) == ("off", 0)


def test_a_microphone_that_is_refused_is_told(phone: Phone, room: Room) -> None:
    page = phone.browser
    room.set("refuses", True)
    page.click("#talk")
    page.until(lambda: page.all(".notice.warning"))
    assert state(page) == "off"


HIDE = """
Object.defineProperty(document, "hidden", { value: true });
document.dispatchEvent(new Event("visibilitychange"));
"""
MUTE = "room.microphone.stream.getAudioTracks()[0].dispatchEvent(new Event('mute'))"
ACTIVITY = """
const [told] = arguments;
import("/static/activity.js").then(({ Activity, Onset }) => {
  const feed = (activity, db, played, times) => {
    let speech = false;
    for (let at = 0; at < times; at += 1) speech = activity.feed(db, 20, played);
    return speech;
  };
  const room = new Activity();
  const quiet = [feed(room, -60, -Infinity, 50), feed(room, -30, -Infinity, 1)];
  const loud = new Activity();
  const noisy = [feed(loud, -40, -Infinity, 200), feed(loud, -28, -Infinity, 1)];
  const echoing = new Activity();
  feed(echoing, -70, -Infinity, 50);
  const over = [feed(echoing, -42, -10, 5), feed(echoing, -30, -10, 5)];
  echoing.mistook(-30);
  const learnt = [feed(echoing, -26, -10, 5), feed(echoing, -22, -10, 5), feed(echoing, -30, -Infinity, 30)];
  const count = (onset) => { let pieces = 1; while (!onset.feed(true, 20)) pieces += 1; return 20 * pieces; };
  const onset = new Onset();
  const first = count(onset);
  onset.alarms = 1;
  const second = count(onset);
  const click = new Onset();
  const clicks = Array.from({ length: 200 }, (_, at) => click.feed(at % 6 === 0, 20)).some(Boolean);
  told({ quiet, noisy, over, learnt, waits: [first, second], clicks });
});
"""


def test_speech_is_told_from_the_room_from_an_echo_and_from_clicks(phone: Phone, room: Room) -> None:
    told = phone.browser.driver.execute_async_script(ACTIVITY)
    assert told == {
        "quiet": [False, True],
        "noisy": [False, True],
        "over": [False, True],
        "learnt": [False, True, True],
        "waits": [140, 200],
        "clicks": False,
    }
