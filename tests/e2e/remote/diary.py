"""What passes in a page is kept in its diary, so that a test on a busy computer which looks late still sees it."""

DIARY = """
(() => {
  const diary = { states: [], loud: 0, since: 0, quiet: 0 };
  const later = window.setTimeout;
  window.setTimeout = (run, ms, ...given) => (ms === 8000 ? 0 : later(run, ms, ...given)); // Notices stay.
  new MutationObserver((changes) => changes.forEach(({ target }, at) => {
    diary.states.push(changes[at + 1]?.oldValue ?? target.dataset.state);
  })).observe(document, { subtree: true, attributeFilter: ["data-state"], attributeOldValue: true });
  diary.hearAnew = () => Object.assign(diary, { loud: 0, since: 0, quiet: 0 });
  if (window.AudioWorkletNode) {
    window.AudioWorkletNode = class extends AudioWorkletNode {
      constructor(context, ...given) {
        super(context, ...given);
        this.port.addEventListener("message", ({ data: { samples } }) => {
          const ms = (1000 * samples.length) / context.sampleRate;
          const power = samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
          const loud = power > 3e-5; // -45 dB.
          if (loud) diary.loud += ms;
          if (diary.loud) diary.since += ms;
          diary.quiet = loud ? 0 : diary.quiet + ms;
        });
      }
    };
  }
  window.diary = diary;
})();
"""
"""A script for every page of a browser. The diary has:

- ``states``: all states of the microphone button, in their order;
- ``loud``, ``since``, ``quiet``: how many milliseconds of the microphone's sound the page has taken: loud ones, those
  since the first loud one, and those since the last loud one. They count sound, and no clock runs in them.

Notices that vanish after a time stay until they are closed.
"""
