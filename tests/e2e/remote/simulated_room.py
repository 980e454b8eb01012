"""A room for the browser: people who speak at a moment that the test chooses, and an echo of the page's own voice.

The page's microphone is replaced by the room, in the page itself; everything behind it is the product's.
"""

import base64
from pathlib import Path
from typing import Any

from tests.e2e.remote.test_page import Browser

_ROOM = """
(() => {
  if (!navigator.mediaDevices) return;
  const room = { echo: 0, played: [], live: 0, over: 0 };
  const connect = AudioNode.prototype.connect;
  AudioNode.prototype.connect = function (to, ...more) {
    if (to instanceof AudioDestinationNode && !this.context.isRoom && room.echo) leak(this);
    return connect.call(this, to, ...more);
  };
  const leak = (output) => {
    const heard = output.context.createMediaStreamDestination();
    const gain = output.context.createGain();
    gain.gain.value = room.echo;
    connect.call(output, gain);
    connect.call(gain, heard);
    connect.call(room.context.createMediaStreamSource(heard.stream), room.microphone);
  };
  const start = AudioBufferSourceNode.prototype.start;
  AudioBufferSourceNode.prototype.start = function (...given) {
    if (!this.context.isRoom) {
      const played = { stopped: 0, sounds: Boolean(this.buffer), source: this };
      room.played.push(played);
      this.addEventListener("ended", () => { played.sounds = false; });
      if (this.buffer && room.interjection) setTimeout(room.say, 1000, room.interjection);
      if (this.buffer) room.interjection = null;
    }
    return start.apply(this, given);
  };
  const stop = AudioBufferSourceNode.prototype.stop;
  AudioBufferSourceNode.prototype.stop = function (...given) {
    const played = room.played.find((each) => each.source === this);
    const begun = new Set(room.played.map((each) => each.source.buffer).filter(Boolean)).size;
    if (played) Object.assign(played, { stopped: performance.now(), sounds: false, heard: diary.loud, begun });
    return stop.apply(this, given);
  };
  navigator.mediaDevices.getUserMedia = async (wanted) => {
    room.wanted = wanted;
    if (room.refuses) throw new DOMException("no", "NotAllowedError");
    const context = new AudioContext();
    context.isRoom = true;
    await context.resume();
    const made = context.createMediaStreamDestination();
    room.context = context;
    room.microphone = made;
    room.live += 1;
    const [track] = made.stream.getAudioTracks();
    const end = track.stop.bind(track);
    track.stop = () => { room.live -= 1; end(); };
    return made.stream;
  };
  room.say = async (encoded) => {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    const source = room.context.createBufferSource();
    source.buffer = await room.context.decodeAudioData(bytes.buffer);
    connect.call(source, room.microphone);
    diary.hearAnew();
    room.over = 0;
    start.call(source);
    return new Promise((over) => { source.onended = () => over((room.over = performance.now())); });
  };
  window.room = room;
})();
"""


class Room:
    """The room in which a browser listens.

    Args:
        browser: a browser. Every page that it opens from now on is in such a room, each in one of its own.
    """

    def __init__(self, browser: Browser) -> None:
        self._driver = browser.driver
        self._driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": _ROOM})
        self._driver.set_script_timeout(60)

    def begin(self, recording: Path) -> None:
        """Somebody begins to speak."""
        self._driver.execute_script("room.say(arguments[0])", base64.b64encode(recording.read_bytes()).decode())

    def say(self, recording: Path) -> None:
        """Somebody speaks; returns when it is over."""
        encoded = base64.b64encode(recording.read_bytes()).decode()
        script = "const over = arguments[1]; room.say(arguments[0]).then(() => over());"
        self._driver.execute_async_script(script, encoded)

    def interject(self, recording: Path) -> None:
        """Somebody will speak one second after the page's voice begins, however late a test sees that it has."""
        self.set("interjection", base64.b64encode(recording.read_bytes()).decode())

    def set(self, name: str, value: object) -> None:
        """Change the room: ``refuses``, or ``echo``, the part of the page's voice that the browser does not remove."""
        self._driver.execute_script("room[arguments[0]] = arguments[1]", name, value)

    def read(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self._driver.execute_script(f"return {expression}")
