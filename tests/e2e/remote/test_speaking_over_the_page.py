"""Who speaks over Sori on a phone, and what comes between while somebody speaks."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.e2e.remote.fake_microphone import SAID, WORD, diary, state
from tests.e2e.remote.simulated_room import Room
from tests.e2e.remote.test_page import ANSWER, HOLD_EVENTS, TEXTS, Browser
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
SOUNDS = "room.played.some((each) => each.sounds)"
MOST_HEARD_MS = 500
"""How much of a person's voice the page may hear before its own one pauses."""


MAY_END = threading.Event()
"""Whether a long answer is written to its end, and not only to its middle."""
MAY_END.set()


def reply(request: RecordedRequest) -> Reply:
    """A long answer to the question about a hotel."""
    asked = str(request.body["messages"][-1]["content"])
    return Reply(text=" ".join(SENTENCES), rest_when=MAY_END.is_set) if "예약" in asked else Reply(text=ANSWER)


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
    page.until(lambda: room.read(SOUNDED))
    assert "guarding" in diary(page, "states")


def test_who_speaks_over_the_answer_stops_it_at_once_and_is_answered(phone: Phone, room: Room) -> None:
    page, asked = phone.browser, len(phone.model.requests)
    room.interject(SAID)
    page.click("#talk")
    page.until(lambda: state(page) == "free")
    room.say(QUESTION)
    page.until(lambda: room.read("room.over && room.played.some((each) => each.stopped)"))
    paused = "room.played.findLast((each) => each.stopped)"
    assert 0 < room.read(f"{paused}.heard") < MOST_HEARD_MS
    assert room.read(f"{paused}.stopped < room.over"), "it pauses while the person speaks"
    begun = room.read(f"{paused}.begun")
    page.until(lambda: WORD in "".join(page.all(".message.user")[1:]))
    page.until(lambda: page.answers()[-1:] == [ANSWER])
    page.until(lambda: state(page) == "off")
    assert room.read("room.live") == 0, "the microphone is closed after the answer"
    told = [each for each in phone.model.requests[asked:] if WORD in str(each.body["messages"][-1]["content"])]
    before = next(each for each in told[-1].body["messages"] if str(each["content"]).startswith("오늘은"))
    assert str(before["content"]).startswith(" ".join(SENTENCES[: begun - 1]))
    assert len(str(before["content"])) < len(" ".join(SENTENCES[:begun])), "only what was heard is told"


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


def test_an_echo_that_a_page_takes_late_does_not_end_an_answer(phone: Phone, room: Room) -> None:
    """A page that stood still takes two seconds of its own voice at once: all before it could pause."""
    page = phone.browser
    room.set("echo", 0.3)
    ask(page, room)
    page.until(lambda: diary(page, "loud") > 100)
    page.driver.execute_script("const end = performance.now() + 2000; while (performance.now() < end);")
    page.until(lambda: state(page) == "off")
    assert len(page.all(".message.user")) == 1
    assert TEXTS("desktop.mark.interrupted") not in page.all(".message.assistant .hint")


def test_a_tap_on_the_page_silences_it_and_closes_the_microphone(phone: Phone, room: Room) -> None:
    page = phone.browser
    ask(page, room)
    finger = Finger(page)
    finger.down("#messages")
    finger.up()
    page.until(lambda: state(page) == "off")
    assert room.read("room.live") == 0
    assert not room.read(SOUNDS)


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
    assert not room.read(SOUNDS), "before the microphone is open"
    page.until(lambda: state(page) == "held")
    room.say(SAID)
    finger.up()
    page.until(lambda: page.answers()[-1:] == [ANSWER])
    assert TEXTS("desktop.mark.interrupted") in page.all(".message.assistant .hint")


def test_a_phone_is_told_what_the_sound_is_for(phone: Phone, room: Room) -> None:
    """By it an iPhone decides whether its silent switch silences the page, and where the sound goes."""
    page, told = phone.browser, "told.filter((each, at) => each !== told[at - 1])"
    page.driver.execute_script(
        "window.told = ['auto'];"
        "const session = { get type() { return told.at(-1); }, set type(wanted) { told.push(wanted); } };"
        "Object.defineProperty(navigator, 'audioSession', { value: session });"
    )
    finger = Finger(page)
    finger.down("#talk")
    page.until(lambda: state(page) == "held")
    assert room.read(told)[-1] == "play-and-record"
    room.say(SAID)
    finger.up()
    page.until(lambda: room.read(SOUNDED))
    page.until(lambda: room.read(told)[-3:] == ["play-and-record", "playback", "auto"])
    room.set("refuses", True)
    page.click("#talk")
    page.until(lambda: page.all(".notice.warning"))
    assert room.read(told)[-1] == "auto"


def hold(page: Browser, room: Room, finger: Finger, recording: Path) -> None:
    """Speak while the button is held."""
    finger.down("#talk")
    page.until(lambda: state(page) == "held")
    room.say(recording)
    finger.up()


def begin_to_speak(page: Browser, room: Room) -> None:
    """Hold the button, and say the first words: two seconds of them."""
    Finger(page).down("#talk")
    page.until(lambda: state(page) == "held")
    room.begin(SAID)
    page.until(lambda: diary(page, "since") > 2000)


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
    page.driver.execute_script(HOLD_TRANSCRIPT)
    Finger(page).up()
    page.until(lambda: room.read("window.transcript"))
    page.one("body").send_keys(Keys.ESCAPE)
    page.driver.execute_script("giveTranscript()")
    assert state(page) == "off"
    page.say("고마워요")
    page.until(lambda: page.answers() == [ANSWER])
    assert page.all(".message.user") == ["고마워요"]


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


def asked_aloud(page: Browser, room: Room, recording: Path) -> None:
    """Ask, and wait until the page has sent the question."""
    page.click("#talk")
    page.until(lambda: state(page) == "free")
    room.say(recording)
    page.until(lambda: "#c=" in page.driver.current_url)


def test_an_answer_that_ended_before_the_page_followed_it_is_read_aloud(phone: Phone, room: Room) -> None:
    page, asked = phone.browser, len(phone.model.requests)
    page.driver.execute_script(HOLD_EVENTS)
    asked_aloud(page, room, SAID)
    page.until(lambda: any(each.answered_at for each in phone.model.requests[asked:]))
    page.until(lambda: page.driver.execute_async_script(STORED) == ["user", "assistant"])
    page.driver.execute_script("window.released = true")
    page.until(lambda: page.answers() == [ANSWER])
    page.until(lambda: state(page) == "off")
    assert room.read(SOUNDED)
    assert room.read("room.live") == 0


def test_an_answer_whose_events_are_cut_in_the_middle_is_read_once(phone: Phone, room: Room) -> None:
    page = phone.browser
    page.driver.execute_script(CUT_EVENTS)
    MAY_END.clear()
    try:
        asked_aloud(page, room, QUESTION)
        page.until(lambda: room.read("read.length"))
        page.driver.execute_script("cut.abort()")
        page.until(lambda: page.all(".notice.error"))
        page.until(lambda: not page.all(".notice.error"))
    finally:
        MAY_END.set()
    page.until(lambda: state(page) == "off")
    assert room.read("read") == [*SENTENCES]
    assert page.answers() == [" ".join(SENTENCES)]


def test_a_microphone_that_is_refused_is_told(phone: Phone, room: Room) -> None:
    page = phone.browser
    room.set("refuses", True)
    page.click("#talk")
    page.until(lambda: page.all(".notice.warning"))
    assert state(page) == "off"


CUT_EVENTS = """
const all = fetch;
window.read = [];
window.cut = new AbortController();
window.fetch = (to, more) => {
  if (to === "/v1/audio/speech") read.push(JSON.parse(more.body).input);
  const cuts = to.endsWith("/events") && !cut.signal.aborted;
  return all(to, cuts ? { ...more, signal: AbortSignal.any([more.signal, cut.signal]) } : more);
};
"""
"""Notes which sentences are read, and lets the events of the page be cut off once."""
STORED = """
const [told] = arguments;
const conversation = new URLSearchParams(location.hash.slice(1)).get("c");
fetch(`/v1/conversations/${conversation}/messages`).then(async (answer) => {
  told((await answer.json()).messages.map(({ role }) => role));
});
"""
"""The roles of the messages that are stored of the open conversation."""
HIDE = """
Object.defineProperty(document, "hidden", { value: true });
document.dispatchEvent(new Event("visibilitychange"));
"""
HOLD_TRANSCRIPT = """
const all = fetch;
const held = new Promise((release) => { window.giveTranscript = release; });
window.fetch = async (to, { signal, ...more } = {}) => {
  if (to !== "/v1/audio/transcriptions") return all(to, { signal, ...more });
  window.transcript = await (await all(to, more)).text();
  await held;
  return new Response(transcript, { headers: { "content-type": "application/json" } });
};
"""
"""Lets a transcript arrive only when it is given, and be there also for whom has given it up."""
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
