// Sori's voice in the browser: reads an answer aloud while it is being written.

import { send } from "./api.js";
import { sound } from "./sound.js";

const SENTENCE = /[^]*?(?:[.!?。！？…]+["'”’)\]]*\s|\n+)/y;
const BACK_S = 0.3; // After a pause it goes on a little before, so no word is cut.

/** Reads one answer, sentence by sentence. Make it while the user acts, or the browser stays silent. */
export class Reader {
  /** `told` learns whether there is something to say, `failed` why the rest cannot be said. */
  constructor(told, failed) {
    this.told = told;
    this.failed = failed;
    this.turn = "";
    this.taken = "";
    this.waiting = "";
    this.sentences = [];
    this.at = 0;
    this.written = false;
    this.paused = false;
    this.stopped = new AbortController();
    this.output = sound().createGain();
    this.output.connect(sound().destination);
  }

  /** Take the answer as far as it is written. After a gap it is told again from its beginning. */
  follow(answer) {
    if (answer.startsWith(this.taken)) this.take(answer.slice(this.taken.length));
  }

  /** Take more of the answer; null for its end. */
  take(text) {
    this.taken += text ?? "";
    this.written ||= text === null;
    this.waiting += text ?? "\n";
    SENTENCE.lastIndex = 0;
    let end = 0;
    for (let found; (found = SENTENCE.exec(this.waiting)); end = SENTENCE.lastIndex) this.say(found[0].trim());
    this.waiting = this.waiting.slice(end);
    if (text === null) this.tell();
  }

  /** Whether everything was said, or it was stopped. */
  get over() {
    return this.stopped.signal.aborted || (this.written && this.at >= this.sentences.length);
  }

  /** The words that may be heard at this moment. */
  get saying() {
    return this.sentences.slice(Math.max(0, this.at - 1), this.at + 1).map(({ text }) => text).join(" ");
  }

  /** What the user has heard. */
  get heard() {
    const said = this.sentences.slice(0, this.at).map(({ text }) => text);
    const now = this.sentences[this.at];
    if (now?.buffer) said.push(now.text.slice(0, Math.round((now.text.length * this.place()) / now.buffer.duration)));
    return said.join(" ");
  }

  say(text) {
    if (!text || this.stopped.signal.aborted) return;
    const sentence = { text, sound: this.sound(text), buffer: null, place: 0 };
    sentence.sound.catch(() => {}); // It is awaited in turn.
    this.sentences.push(sentence);
    this.tell();
    if (this.sentences.length === this.at + 1) this.play();
  }

  /** The sound of a sentence; null if it has no words. */
  async sound(text) {
    const body = { model: "sori", input: text, response_format: "wav" };
    const answer = await send("POST", "/v1/audio/speech", body, this.stopped.signal);
    const bytes = await answer.arrayBuffer();
    return bytes.byteLength ? sound().decodeAudioData(bytes) : null;
  }

  async play() {
    const sentence = this.sentences[this.at];
    if (!sentence || this.paused || this.source || this.stopped.signal.aborted) return;
    try {
      sentence.buffer = await sentence.sound;
    } catch (error) {
      if (!this.stopped.signal.aborted) this.failed(error);
      return;
    }
    if (sentence !== this.sentences[this.at] || this.paused || this.source || this.stopped.signal.aborted) return;
    if (!sentence.buffer) {
      this.next();
      return;
    }
    this.source = sound().createBufferSource();
    this.source.buffer = sentence.buffer;
    this.source.connect(this.output);
    this.source.onended = () => this.next();
    this.began = sound().currentTime - sentence.place;
    this.source.start(0, sentence.place);
  }

  next() {
    this.source = null;
    this.at += 1;
    this.tell();
    this.play();
  }

  /** Seconds of the present sentence that were heard. */
  place() {
    if (!this.source) return this.sentences[this.at]?.place ?? 0;
    return Math.max(0, sound().currentTime - this.began - (sound().outputLatency || 0));
  }

  hush() {
    if (!this.source) return;
    this.sentences[this.at].place = this.place();
    this.source.onended = null;
    this.source.stop();
    this.source = null;
  }

  /** Fall silent until `goOn`. */
  pause() {
    this.paused = true;
    this.hush();
  }

  goOn() {
    if (!this.paused) return;
    this.paused = false;
    const sentence = this.sentences[this.at];
    if (sentence) sentence.place = Math.max(0, sentence.place - BACK_S);
    this.play();
  }

  /** Fall silent at once. */
  stop() {
    if (this.stopped.signal.aborted) return;
    this.hush();
    this.stopped.abort();
    this.output.disconnect();
    this.told(false);
  }

  tell() {
    if (!this.stopped.signal.aborted) this.told(this.at < this.sentences.length);
  }
}
