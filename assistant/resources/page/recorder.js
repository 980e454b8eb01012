// Passes the microphone's samples on, in pieces of about 20 ms, with the level of Sori's voice at the same time.
//
// The page may take a piece late, when the voice is at another place already.

class Recorder extends AudioWorkletProcessor {
  piece = new Float32Array(128 * Math.ceil(sampleRate / 50 / 128));
  filled = 0;
  power = 0;

  constructor() {
    super();
    this.port.onmessage = () => { this.over = true; };
  }

  process([[samples], [voice]]) {
    if (!samples) return !this.over;
    this.piece.set(samples, this.filled);
    this.power += (voice ?? []).reduce((sum, sample) => sum + sample * sample, 0);
    this.filled += samples.length;
    if (this.filled >= this.piece.length) {
      const voiceDb = 10 * Math.log10(this.power / this.filled + 1e-10);
      this.port.postMessage({ samples: this.piece.slice(), voiceDb });
      this.filled = this.power = 0;
    }
    return !this.over;
  }
}

registerProcessor("recorder", Recorder);
