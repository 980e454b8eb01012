// Talking: the microphone button, what is said, and Sori's voice, which stops when somebody speaks over it.

import { Activity, Onset } from "./activity.js";
import { send } from "./api.js";
import { Microphone } from "./microphone.js";
import { Reader } from "./reader.js";
import { rest, sound } from "./sound.js";
import { notice, say } from "./words.js";

const HOLD_MS = 350; // A shorter press is a tap.
const RELEASE_MS = 150; // The last sound is still on its way when the button is released.
const PROBE_MS = 200; // In a pause of this length the computer is asked whether the user has finished.
const NOBODY_MS = 10000;
const CONFIRM_MS = 850; // Longer speech over an answer ends it, whatever the words are.
const WORD_MS = 150; // Shorter speech holds no word.
const ECHO_MS = 200; // A sound that ends so soon after Sori's voice may be its echo.
const ANSWERLESS_MS = 4000;
const SILENT_DB = -60; // Sori's own voice is louder.

/**
 * What the button does. States: `off`; `opening` the microphone; `held`; `free` of hands; `ending`, when a held button was
 * released; `sending` what was said; `guarding`, while Sori answers and may be spoken over.
 */
export class Talk {
  /** `page` has `answer(text, reader)`, `stop(cut)`, `speaking(is)`, `draft(text)` and `refused(error)`. */
  constructor(button, line, page) {
    this.button = button;
    this.line = line;
    this.page = page;
    this.reader = null;
    this.stopping = Promise.resolve();
    this.idle();
    followPresses(button, () => this.press(), (cut) => this.release(cut));
    document.addEventListener("visibilitychange", () => this.seen(!document.hidden));
    addEventListener("pagehide", () => this.silence());
  }

  /** Listen no more. */
  idle() {
    this.deafen();
    this.show("off");
  }

  deafen() {
    this.opening = null;
    this.microphone?.close();
    this.microphone = null;
  }

  show(state) {
    this.state = state;
    this.button.dataset.state = state;
    this.button.setAttribute("aria-pressed", String(["opening", "held", "free", "ending"].includes(state)));
    const words = say(state === "free" ? "web.talk_end" : "web.talk");
    this.button.setAttribute("aria-label", words);
    this.button.title = words;
    this.line.textContent = state === "off" ? "" : say(`web.talking.${state}`);
    if (state === "off" && (!this.reader || this.reader.over)) rest();
  }

  // The button

  press() {
    sound();
    this.pressedAt = performance.now();
    this.ends = this.state === "free";
    if (this.ends || this.state === "ending") return;
    this.interrupt();
    this.lost?.remove();
    if (this.microphone) {
      this.listen("held");
      return;
    }
    this.open().catch((error) => this.failed(error));
  }

  async open() {
    this.show("opening");
    this.hands = "held";
    const opening = (this.opening = Symbol("opening"));
    const microphone = await Microphone.open((...heard) => this.hear(...heard), () => this.leave());
    if (this.opening !== opening) {
      microphone.close();
      return;
    }
    this.opening = null;
    this.microphone = microphone;
    this.activity = new Activity();
    this.onset = new Onset();
  }

  release(cut) {
    if (this.state !== "off") sound(); // On a touch screen only this is an act of the user. A refused microphone leaves it off.
    const tapped = performance.now() - this.pressedAt < HOLD_MS;
    if (this.ends) {
      this.end();
    } else if (this.state === "opening") {
      // A question of the browser may have taken the finger away.
      if (tapped && !cut) this.hands = "free";
      else this.notReady();
    } else if (this.state === "held") {
      if (tapped && !cut) this.listen("free", { goesOn: true });
      else if (cut) this.leave();
      else this.show("ending");
      this.released = 0;
    }
    this.ends = false;
  }

  notReady() {
    this.idle();
    notice(say("web.press_again"));
  }

  // What is heard

  listen(state, { goesOn = false, over = null, spoken = 0 } = {}) {
    if (!goesOn) {
      this.microphone.restart(true);
      Object.assign(this, { spoken, silent: 0, lasted: 0, went: 0, loudest: -Infinity, over, verdict: null });
    }
    this.forget();
    this.show(state);
    if (!goesOn) navigator.vibrate?.(15);
  }

  /** While Sori answers, only the last moment is kept, and nothing is sent. */
  guard() {
    this.forget();
    this.microphone.restart(false);
    this.show("guarding");
    this.settle();
  }

  hear(db, ms, voiceDb) {
    // Before its first act of the user a page may be given a microphone without sound.
    if (this.state === "opening") this.listen(this.hands);
    this.button.style.setProperty("--level", Math.max(0, Math.min(1, (db + 55) / 40)).toFixed(2));
    const speech = this.activity.feed(db, ms, voiceDb);
    if (this.state === "guarding") {
      this.watch(speech, ms);
      return;
    }
    if (speech) this.loudest = Math.max(this.loudest, db);
    if (this.over !== null && voiceDb > SILENT_DB) return; // It was heard before Sori paused: the page is late.
    this.lasted += ms;
    if (speech) this.went = this.lasted;
    this.spoken += speech ? ms : 0;
    this.silent = speech ? 0 : this.silent + ms;
    if (this.state === "ending") {
      this.released += ms;
      if (this.released >= RELEASE_MS) this.end();
    } else if (this.state === "free") {
      this.follow(speech);
    }
  }

  /** Somebody may speak over Sori. Its voice pauses first; whether the answer ends is decided afterwards. */
  watch(speech, ms) {
    const spoken = this.onset.feed(speech, ms);
    if (!spoken) return;
    const over = this.reader?.saying ?? "";
    this.reader?.pause();
    this.listen("free", { over, spoken });
  }

  /** Whether what is said ends here: the words and the silence decide, as with the microphone of the computer. */
  follow(speech) {
    if (speech) this.forget();
    if (this.over !== null && this.spoken >= CONFIRM_MS) this.interrupt();
    if (this.over !== null && this.silent >= PROBE_MS && this.spoken < WORD_MS) {
      this.mistook();
    } else if (!this.spoken) {
      if (this.lasted >= NOBODY_MS) this.nothing();
    } else if (this.silent >= PROBE_MS && !this.probe) {
      this.ask();
    } else if (this.verdict && this.silent >= this.verdict.pause_ms) {
      const verdict = this.verdict;
      this.show("sending");
      this.take(verdict);
    } else if (this.silent >= ANSWERLESS_MS && !this.verdict) {
      if (this.over === null) this.end();
      else this.mistook();
    }
  }

  /** Who speaks on makes a verdict void. */
  forget() {
    this.probe?.abort();
    this.probe = this.verdict = null;
  }

  async ask() {
    const probe = (this.probe = new AbortController());
    const verdict = await transcribe(this.microphone.recording(), probe.signal, this.over, this.went < ECHO_MS).catch(() => null);
    if (this.probe !== probe || !verdict) return;
    if (this.over !== null && !["stop", "interruption"].includes(verdict.over)) {
      this.mistook();
    } else if (verdict.over === "stop") {
      this.stop();
    } else if (!verdict.text && this.over === null) {
      this.spoken = 0; // It was no speech.
    } else {
      this.interrupt();
      this.verdict = verdict;
    }
  }

  /** It was Sori's own voice, a word of agreement or a noise: the answer goes on. */
  mistook() {
    this.activity.mistook(this.loudest);
    this.onset.alarms += 1;
    this.guard();
    this.reader?.goOn();
  }

  nothing() {
    this.idle();
    notice(say("web.heard_nothing"));
  }

  // What was said

  /** The user has finished by hand, or the computer does not answer. */
  end() {
    const recording = this.microphone.recording();
    this.forget();
    this.interrupt();
    if (!recording) {
      this.notReady(); // The browser had not let the page listen yet.
      return;
    }
    navigator.vibrate?.(15);
    if (this.state !== "free") this.deafen();
    this.send(recording);
  }

  /** Let the computer transcribe a recording, and answer it. */
  async send(recording) {
    this.show("sending");
    this.microphone?.restart(false);
    const { signal } = (this.sending = new AbortController());
    try {
      const said = await transcribe(recording, signal);
      if (!signal.aborted) await this.take(said);
    } catch (error) {
      if (signal.aborted) return;
      this.idle();
      this.unsent(error, { label: say("web.send_again"), run: () => { sound(); this.send(recording); } });
    }
  }

  unsent(error, action = null) {
    if (error.status === 401) this.page.refused(error);
    else this.lost = notice([say("web.not_sent"), error.refusal?.message].filter(Boolean).join(" "), "warning", action);
  }

  async take({ text }) {
    if (this.state !== "sending" && this.state !== "off") {
      if (text) this.page.answer(text, null); // The user speaks again already.
      return;
    }
    if (!text) {
      this.nothing();
      return;
    }
    const reader = new Reader((speaking) => this.speaking(reader, speaking), (error) => this.silenced(reader, error));
    this.reader = reader;
    this.microphone?.follow(reader.output);
    if (this.microphone) this.guard();
    else this.show("off");
    await this.stopping;
    if (await this.page.answer(text, reader)) return;
    reader.stop();
    this.idle();
  }

  /** Sori begins to speak, or has said what there was. */
  speaking(reader, speaking) {
    if (this.reader !== reader) return;
    this.page.speaking(speaking);
    this.settle();
  }

  /** After the answer the microphone closes. */
  settle() {
    if (!this.reader?.over) return;
    if (this.state === "guarding") this.idle();
    else if (this.state === "off") rest();
  }

  silenced(reader, error) {
    if (this.reader !== reader) return;
    reader.stop();
    this.idle();
    notice(error.refusal?.message ?? say("web.sound_lost"), "warning");
  }

  /** End the answer that is being given; tell what the user has heard of it. */
  interrupt() {
    this.over = null;
    const reader = this.reader;
    this.reader = null;
    if (!reader || reader.over) return;
    const cut = { turn: reader.turn, heard: reader.heard };
    reader.stop();
    this.page.speaking(false);
    if (cut.turn) this.stopping = this.page.stop(cut);
  }

  /** Whether Sori says something. */
  get speaks() {
    return Boolean(this.reader && !this.reader.over);
  }

  /** Fall silent, and listen no more. */
  stop() {
    this.sending?.abort();
    this.forget();
    this.interrupt();
    this.idle();
  }

  /** The same without a word to the computer: the answer goes on unheard. */
  silence() {
    this.reader?.stop();
    this.reader = null;
    this.stop();
  }

  // What comes between

  /** The user turns away in the middle, or the microphone has gone: what was said becomes a draft, and nothing listens. */
  async leave() {
    const said = ["held", "free", "ending"].includes(this.state) && this.over === null && this.spoken >= WORD_MS;
    const recording = said ? this.microphone.recording() : null;
    this.forget();
    this.over = null;
    this.idle();
    this.reader?.goOn();
    if (!recording) return;
    try {
      const { text } = await transcribe(recording);
      if (!text) return;
      this.page.draft(text);
      notice(say("web.kept_words"));
    } catch (error) {
      this.unsent(error);
    }
  }

  seen(visible) {
    if (!visible && (this.microphone || this.opening)) this.leave();
    if (visible && this.speaks) sound();
  }

  failed(error) {
    this.idle();
    notice(error.name === "NotAllowedError" ? say("web.no_microphone") : error.message, "warning");
  }
}

/** The words of a recording; `over` is what Sori said meanwhile, or null, and `fell` whether the sound ended when Sori paused. */
async function transcribe(recording, signal = undefined, over = null, fell = false) {
  const form = new FormData();
  form.append("file", recording, "speech.wav");
  form.append("model", "sori");
  form.append("response_format", "sori");
  if (over !== null) form.append("saying", over);
  form.append("fell_silent", String(fell));
  return (await send("POST", "/v1/audio/transcriptions", form, signal)).json();
}

/** Tell presses of a button by finger, mouse, key or assistive technology; `released` learns whether the press was cut off. */
function followPresses(button, pressed, released) {
  let down = false;
  const begin = () => { if (!down) { down = true; pressed(); } };
  const over = (cut) => { if (down) { down = false; released(cut); } };
  button.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    button.setPointerCapture(event.pointerId);
    begin();
  });
  button.addEventListener("pointerup", () => over(false));
  button.addEventListener("pointercancel", () => over(true));
  button.addEventListener("contextmenu", (event) => event.preventDefault());
  const isPress = ({ key }) => key === " " || key === "Enter";
  button.addEventListener("keydown", (event) => { if (isPress(event)) { event.preventDefault(); begin(); } });
  button.addEventListener("keyup", (event) => { if (isPress(event)) { event.preventDefault(); over(false); } });
  button.addEventListener("blur", () => over(true));
  button.addEventListener("click", ({ detail }) => { if (!detail) { begin(); over(false); } }); // No finger and no key: a screen reader.
}
