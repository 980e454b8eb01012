// Passes the microphone's samples on, in pieces of 128.

class Recorder extends AudioWorkletProcessor {
  process([[samples]]) {
    if (samples) this.port.postMessage(samples.slice());
    return true;
  }
}

registerProcessor("recorder", Recorder);
