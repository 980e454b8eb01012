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
  const room = { echo: 0, played: [], live: 0, opened: 0 };
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
    if (!this.context.isRoom) room.played.push({ at: performance.now(), stopped: 0, source: this });
    return start.apply(this, given);
  };
  const stop = AudioBufferSourceNode.prototype.stop;
  AudioBufferSourceNode.prototype.stop = function (...given) {
    const played = room.played.find((each) => each.source === this);
    if (played) played.stopped = performance.now();
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
    room.opened += 1;
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
    room.began = performance.now();
    start.call(source);
    return new Promise((over) => { source.onended = over; });
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

    def set(self, name: str, value: object) -> None:
        """Change the room: ``refuses``, or ``echo``, the part of the page's voice that the browser does not remove."""
        self._driver.execute_script("room[arguments[0]] = arguments[1]", name, value)

    def read(self, expression: str) -> Any:
        """The value of an expression in the page."""
        return self._driver.execute_script(f"return {expression}")
