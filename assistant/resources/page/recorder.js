// Passes the microphone's samples on, in pieces of about 20 ms.

class Recorder extends AudioWorkletProcessor {
  piece = new Float32Array(128 * Math.ceil(sampleRate / 50 / 128));
  filled = 0;

  process([[samples]]) {
    if (!samples) return true;
    this.piece.set(samples, this.filled);
    this.filled += samples.length;
    if (this.filled >= this.piece.length) {
      this.port.postMessage(this.piece.slice());
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor("recorder", Recorder);
