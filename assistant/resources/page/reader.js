// Talking: the browser's microphone to Sori's ears, and Sori's voice back.

import { send } from "./api.js";

const RATE = 16000;
const MOST_S = 120;
const SENTENCE = /[^]*?(?:[.!?。！？…]+["'”’)\]]*\s|\n+)/y;

/** Whether this browser lets a page listen. */
export function canListen() {
  return Boolean(navigator.mediaDevices?.getUserMedia && window.AudioContext);
}

/** Records until `end`, which returns what was said. */
export class Recording {
  static async begin() {
    const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true } });
    const context = new AudioContext({ sampleRate: RATE });
    await context.audioWorklet.addModule("/static/recorder.js");
    return new Recording(stream, context);
  }

  constructor(stream, context) {
    this.stream = stream;
    this.context = context;
    this.pieces = [];
    this.node = new AudioWorkletNode(context, "recorder");
    this.node.port.onmessage = ({ data }) => { if (this.pieces.length * data.length < MOST_S * RATE) this.pieces.push(data); };
    context.createMediaStreamSource(stream).connect(this.node);
  }

  async end() {
    this.stream.getTracks().forEach((track) => track.stop());
    await this.context.close();
    const form = new FormData();
    form.append("file", new Blob([wav(this.pieces)], { type: "audio/wav" }), "speech.wav");
    form.append("model", "sori");
    const answer = await send("POST", "/v1/audio/transcriptions", form);
    return (await answer.json()).text.trim();
  }
}

function wav(pieces) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const view = new DataView(new ArrayBuffer(44 + 2 * length));
  const letters = (at, text) => [...text].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  letters(0, "RIFF");
  view.setUint32(4, 36 + 2 * length, true);
  letters(8, "WAVEfmt ");
  [[16, 4], [1, 2], [1, 2], [RATE, 4], [2 * RATE, 4], [2, 2], [16, 2]].reduce((at, [value, size]) => {
    size === 4 ? view.setUint32(at, value, true) : view.setUint16(at, value, true);
    return at + size;
  }, 16);
  letters(36, "data");
  view.setUint32(40, 2 * length, true);
  let at = 44;
  for (const piece of pieces) {
    for (const sample of piece) {
      view.setInt16(at, Math.max(-1, Math.min(1, sample)) * 32767, true);
      at += 2;
    }
  }
  return view;
}

/** Reads an answer aloud, sentence by sentence, while it is being written. */
export class Reader {
  /** `told` learns whether the reader has something to say. Make it while the user acts, or the browser stays silent. */
  constructor(told) {
    this.told = told;
    this.left = 0;
    this.context = new AudioContext();
    this.unlock();
    this.waiting = "";
    this.queue = Promise.resolve();
    this.stopped = new AbortController();
  }

  /** Let the browser sound, while the user acts: a phone allows it no other way, and takes it back in a pause. */
  unlock() {
    this.context.resume().catch(() => {});
  }

  /** Take more of the answer; null for its end. */
  take(text) {
    this.waiting += text ?? "\n";
    SENTENCE.lastIndex = 0;
    let end = 0;
    for (let found; (found = SENTENCE.exec(this.waiting)); end = SENTENCE.lastIndex) this.say(found[0].trim());
    this.waiting = this.waiting.slice(end);
  }

  say(sentence) {
    if (!sentence || this.stopped.signal.aborted) return;
    const sound = this.sound(sentence);
    sound.catch(() => {}); // It is awaited in turn.
    this.left += 1;
    this.told(true);
    this.queue = this.queue.then(async () => this.play(await sound)).catch(() => {}).then(() => {
      this.left -= 1;
      if (!this.left) this.told(false);
    });
  }

  async sound(sentence) {
    const body = { model: "sori", input: sentence, response_format: "wav" };
    const answer = await send("POST", "/v1/audio/speech", body, this.stopped.signal);
    return this.context.decodeAudioData(await answer.arrayBuffer());
  }

  play(buffer) {
    if (this.stopped.signal.aborted) return undefined;
    return new Promise((over) => {
      this.source = this.context.createBufferSource();
      this.source.buffer = buffer;
      this.source.connect(this.context.destination);
      this.source.onended = over;
      this.source.start();
    });
  }

  /** Fall silent at once. */
  stop() {
    if (this.stopped.signal.aborted) return;
    this.stopped.abort();
    this.told(false);
    this.source?.stop();
    this.context.close();
  }
}
