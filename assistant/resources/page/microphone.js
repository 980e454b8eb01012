// The microphone of the browser, and what was recorded with it.

import { level, listening, sound } from "./sound.js";

const MOST_S = 120;
const BEFORE_S = 0.6; // What is kept of the past while nobody speaks: the beginning of a word comes before it is noticed.

/** Whether this browser lets a page listen. */
export function canListen() {
  return Boolean(navigator.mediaDevices?.getUserMedia && window.AudioContext);
}

/** Listens until it is closed. */
export class Microphone {
  /** `heard` takes the level in dB of each piece, its length in milliseconds and the level of Sori's voice; `gone` is told when the device goes. */
  static async open(heard, gone) {
    const context = sound();
    listening(true);
    const wanted = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
    let stream = null;
    try {
      stream = await navigator.mediaDevices.getUserMedia({ audio: wanted });
      await context.audioWorklet.addModule("/static/recorder.js");
      return new Microphone(context, stream, heard, gone);
    } catch (error) {
      end(stream);
      throw error;
    }
  }

  constructor(context, stream, heard, gone) {
    this.stream = stream;
    this.rate = context.sampleRate;
    this.pieces = [];
    this.keeps = true;
    this.source = context.createMediaStreamSource(stream);
    this.node = new AudioWorkletNode(context, "recorder", { numberOfInputs: 2 });
    this.source.connect(this.node).connect(context.destination); // It gives silence; Safari runs no node that leads nowhere.
    this.node.port.onmessage = ({ data: { samples, voiceDb } }) => {
      this.keep(samples);
      heard(level(samples), (1000 * samples.length) / this.rate, voiceDb);
    };
    const [track] = stream.getAudioTracks();
    track.addEventListener("ended", gone);
    track.addEventListener("mute", gone); // A call or another app has taken it: nothing would be heard any more.
  }

  keep(piece) {
    this.pieces.push(piece);
    const most = this.keeps ? MOST_S : BEFORE_S;
    while (this.pieces.length * piece.length > most * this.rate) this.pieces.shift();
  }

  /** Forget what was recorded, and from now on keep everything, or only the last moment. */
  restart(keeps) {
    if (!keeps || this.keeps) this.pieces = [];
    this.keeps = keeps;
  }

  /** What was recorded: a wav file, or null for nothing. */
  recording() {
    return this.pieces.length ? new Blob([wav(this.pieces, this.rate)], { type: "audio/wav" }) : null;
  }

  /** Measure what Sori says while it is heard. */
  follow(voice) {
    voice.connect(this.node, 0, 1);
  }

  close() {
    this.node.port.onmessage = null;
    this.node.port.postMessage("over");
    this.source.disconnect();
    this.node.disconnect();
    end(this.stream);
  }
}

function end(stream) {
  stream?.getTracks().forEach((track) => track.stop());
  listening(false);
}

function wav(pieces, rate) {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const view = new DataView(new ArrayBuffer(44 + 2 * length));
  const letters = (at, text) => [...text].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  letters(0, "RIFF");
  view.setUint32(4, 36 + 2 * length, true);
  letters(8, "WAVEfmt ");
  [[16, 4], [1, 2], [1, 2], [rate, 4], [2 * rate, 4], [2, 2], [16, 2]].reduce((at, [value, size]) => {
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
