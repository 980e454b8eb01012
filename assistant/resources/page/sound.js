// The sound of the page: one audio context, for the microphone and for Sori's voice.

let context = null;
let wanted = false;
let microphones = 0;
let waking = Promise.resolve();

/** The context, at the device's own rate: some browsers record at no other. Call it while the user acts, or it stays silent. */
export function sound() {
  wanted = true;
  tellDevice();
  if (!context) {
    context = new AudioContext();
    // A rest that was on its way, or a phone call, ends after this.
    context.addEventListener("statechange", () => { if (wanted && context.state !== "running") wake(); });
  }
  wake();
  return context;
}

/** Nothing sounds or listens: let the device rest. Chromium stands still for good if it has to while it still wakes. */
export function rest() {
  wanted = false;
  tellDevice();
  waking.then(() => (wanted ? undefined : context?.suspend())).catch(() => {});
}

/** A microphone is about to open, or has been closed. */
export function listening(is) {
  microphones += is ? 1 : -1;
  tellDevice();
}

/** What the sound is for: without it the switch that silences an iPhone's ringing silences an answer that was asked for aloud. */
function tellDevice() {
  if (navigator.audioSession) navigator.audioSession.type = !wanted ? "auto" : microphones ? "play-and-record" : "playback";
}

function wake() {
  waking = context.resume().catch(() => {});
}

/** The level of samples in dB of full scale. */
export function level(samples) {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return 10 * Math.log10(power + 1e-10);
}
