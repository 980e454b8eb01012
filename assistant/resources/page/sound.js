// The sound of the page: one audio context, for the microphone and for Sori's voice.

let context = null;
let wanted = false;
let waking = Promise.resolve();

/** The context, at the device's own rate: some browsers record at no other. Call it while the user acts, or it stays silent. */
export function sound() {
  wanted = true;
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
  waking.then(() => (wanted ? undefined : context?.suspend())).catch(() => {});
}

function wake() {
  waking = context.resume().catch(() => {});
}

/** The level of samples in dB of full scale. */
export function level(samples) {
  const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
  return 10 * Math.log10(power + 1e-10);
}
